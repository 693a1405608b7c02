package app

import (
	"cmp"
	"fmt"
	"slices"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1/validation"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/finding"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/internal/report/sentence"
	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/render"
	"github.com/airshipit/sipgen/render/site/virtualhosts"
	"github.com/airshipit/sipgen/schedule"
)

// findings returns the warnings of the plan, except those that the report takes from the placement. Package lint
// finds load balancers without a backend by itself.
func (p *Planned) findings() []finding.Finding {
	out := p.unplaced()
	for i := range p.Clusters.All {
		c := &p.Clusters.All[i]
		if p.Clusters.Options.Leaves(c) || len(p.Clusters.Options.Refused[schedule.KeyOf(c)]) > 0 {
			continue
		}
		for _, lb := range validation.BackendlessServices(c) {
			out = append(out, warning(finding.Backendless, clusterRef(schedule.KeyOf(c)), lb.Path+": "+lb.Message))
		}
	}
	return out
}

// unplaced returns the findings that neither the placement nor package lint has.
func (p *Planned) unplaced() (out []finding.Finding) {
	for _, f := range render.ForeignBackends(p.Before.Files, p.Placement.Clusters) {
		out = append(out, warning(finding.ForeignBackend, clusterRef(f.Cluster), f.Words))
	}
	site := p.Loaded.siteRef()
	for _, words := range p.Clusters.Notes {
		note := warning(finding.NoEffect, site, words)
		note.Named = "spec.decommission"
		out = append(out, note)
	}
	for _, words := range p.inDoubt() {
		out = append(out, warning(finding.InDoubt, site, words))
	}
	for _, words := range p.reservedForNone() {
		out = append(out, warning(finding.TooMuchReserved, site, words))
	}
	out = append(append(out, p.slow()...), p.idleAcceptances()...)
	for _, words := range virtualhosts.Refused(p.Loaded.Site, p.Before.Files) {
		out = append(out, warning(finding.Remade, site, words))
	}
	return out
}

// reservedForNone returns a line for each reservation that selects hosts which none of its tenants may have, by their
// grants or by the other reservations, or that has a count beyond their hosts.max.
func (p *Planned) reservedForNone() (out []string) {
	all := p.Clusters.Options.Reserved
	alone := slices.ContainsFunc(all, func(r schedule.Reservation) bool { return r.Count == nil })
	for i := range all {
		of, every := &all[i], len(all[i].Tenants) == 0
		var grants []func(*inventory.Host) bool
		for _, tenant := range of.Tenants {
			mayHave := p.Loaded.Tenants.MayHave(tenant)
			every = every || mayHave == nil && !alone
			grants = append(grants, func(h *inventory.Host) bool {
				return (mayHave == nil || mayHave(h)) && !schedule.ReservedForOthers(all, tenant, h)
			})
		}
		selected, none := 0, 0
		for j := range p.Loaded.Hosts.Hosts {
			h := &p.Loaded.Hosts.Hosts[j]
			if every || !of.Selects(h) {
				continue
			}
			selected++
			if !slices.ContainsFunc(grants, func(allows func(*inventory.Host) bool) bool { return allows(h) }) {
				none++
			}
		}
		if none > 0 {
			out = append(out, fmt.Sprintf("reservation %s selects %s, of which its tenants may have only %d, by their "+
				"spec.tenants[].hosts and the other reservations: select others", of.Name, text.Count(selected, "host"),
				selected-none))
		}
		if of.Count != nil && len(of.Tenants) > 0 {
			if most := p.mostHosts(of.Tenants); *of.Count > most {
				out = append(out, fmt.Sprintf("reservation %s has a count of %d, but the hosts.max of its tenants "+
					"allows only %d: lower the count, or raise the limit", of.Name, *of.Count, most))
			}
		}
	}
	return out
}

// mostHosts returns how many hosts some tenants may have together.
func (p *Planned) mostHosts(tenants []string) (sum int) {
	for i := range p.Loaded.Site.Spec.Tenants {
		if t := &p.Loaded.Site.Spec.Tenants[i]; slices.Contains(tenants, t.Name) {
			sum += *t.Hosts.Max
		}
	}
	return sum
}

// warning returns a finding about a cluster or the Site.
func warning(code string, object finding.Ref, message string) finding.Finding {
	out := finding.Finding{Code: code, Severity: finding.Warning, Object: object, Message: message,
		Fix: finding.Remedy(code)}
	if object.Kind == v1.Kind {
		out.Cluster = object.Key()
	}
	return out
}

func clusterRef(key schedule.ClusterKey) finding.Ref {
	return finding.To(v1.Kind, key.Namespace, key.Name)
}

func (l *Loaded) siteRef() finding.Ref { return finding.To(v1alpha1.Kind, "", l.Site.Name) }

// said returns the findings that lint prints in addition to its own, among them dangers of the plan.
func (p *Planned) said() []finding.Finding {
	var remade []finding.Finding
	for _, words := range p.remade {
		remade = append(remade, warning(finding.Remade, p.Loaded.siteRef(), words))
	}
	return slices.Concat(p.Loaded.Network.Findings(), p.placed(append(remade, p.unplaced()...)),
		p.placed(slices.DeleteFunc(sentence.Findings(p.Placement), saidByLint)))
}

// placed adds the places of hosts and fields of specs to findings of the placement.
func (p *Planned) placed(findings []finding.Finding) []finding.Finding {
	for i := range findings {
		f := &findings[i]
		if f.Object.IsHost() {
			key := schedule.HostKey{Namespace: f.Object.Namespace, Name: f.Object.Name}
			if h := p.Placement.Holdings.Find(key); h != nil {
				f.Place = finding.At(h.Host.Source)
			}
			continue
		}
		if f.Code == finding.TooMuchReserved {
			f.Object, f.Field = p.Loaded.siteRef(), "spec.hosts.reserved"
		}
		if f.Code == finding.NoEffect && f.Object == (finding.Ref{}) {
			f.Object = p.Loaded.siteRef()
		}
		field := cmp.Or(f.Named, f.Field) // the field of a role's finding is the role
		if spec := p.Clusters.Spec(clusterOf(f)); spec != nil {
			f.Place = finding.In(spec.Document, spec.Source, field)
		}
		if f.Object.Kind == v1alpha1.Kind {
			f.Place = finding.In(p.Loaded.Site.Document, manifest.Place{}, field)
		}
	}
	return findings
}

// saidByLint reports whether lint has the finding itself, with its place, or never needs it.
func saidByLint(f finding.Finding) bool {
	return slices.Contains([]string{
		finding.BMC, finding.MAC, finding.UID, finding.Network, finding.Object, finding.Ownerless,
		finding.NoAddress, finding.NoDomain, finding.Statusless,
	}, f.Code)
}
