package app

import (
	"slices"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1/validation"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/finding"
	"github.com/airshipit/sipgen/internal/lint"
	"github.com/airshipit/sipgen/internal/report/sentence"
	"github.com/airshipit/sipgen/render"
	"github.com/airshipit/sipgen/schedule"
)

// Lint returns all findings of the site: why clusters are frozen, contradictions with the hosts, what is wrong with the
// tree, and those of package lint. If nothing could be planned, c is nil, and it returns those that need no plan.
func Lint(l *Loaded, c *Checked, byDigest bool) []finding.Finding {
	return finding.Sorted(append(lintAll(l, c, byDigest), l.taken...))
}

func lintAll(l *Loaded, c *Checked, byDigest bool) []finding.Finding {
	if c != nil {
		p := c.Plan
		return finding.Sorted(slices.Concat(linted(l, l.Clusters, p, byDigest), p.Clusters.Findings, p.contradictions(),
			p.live(), p.aboutTree()))
	}
	found := linted(l, l.Clusters, nil, byDigest)
	for i := range l.Problems {
		found = append(found, l.Problems[i].Finding)
	}
	return finding.Sorted(found)
}

// aboutTree returns what is wrong with the previous tree, with the remedies that a warning of a run leaves out.
func (p *Planned) aboutTree() []finding.Finding {
	found := append(p.editedToo(), p.missingBase()...)
	if p.Report.NoTree != "" {
		found = append(found, warning(finding.NoTree, p.Loaded.siteRef(), p.Report.NoTree))
	}
	for i := range found {
		found[i].Fix = finding.Remedy(found[i].Code)
	}
	return found
}

// linted returns the findings of package lint.
func linted(l *Loaded, clusters []v1.SIPCluster, p *Planned, byDigest bool) []finding.Finding {
	in := lint.Input{Site: l.Site, Clusters: clusters, Hosts: l.Hosts.Hosts, Networks: Options(l.Site).Networks,
		LeftOut: l.Hosts.LeftOut, Notes: l.Hosts.Notes, Empty: l.empty, Secrets: map[string]bool{},
		ByUID: l.Site.Spec.Hosts.Apply == v1alpha1.ApplyMerge, ByDigest: byDigest}
	for _, name := range append(l.Hosts.Secrets, l.secrets...) {
		in.Secrets[name] = true
	}
	if p != nil {
		in.Placement, in.Served, in.Leaving = p.Placement, p.servedBefore(), p.Clusters.Options.Leaving
		in.Said = p.said()
	}
	return in.Check()
}

// LintErrors returns the errors of the Site, and of specs that freeze no cluster; those that do are reported with the
// run, and so are those of hosts.
func (p *Planned) LintErrors() []string {
	if p.lintErrors != nil {
		return p.lintErrors
	}
	p.lintErrors = []string{}
	for _, f := range linted(p.Loaded, p.Clusters.All, p, false) {
		if f.Severity != finding.Error || f.Object.IsHost() || len(p.Clusters.Frozen[clusterOf(&f)]) > 0 {
			continue
		}
		p.lintErrors = append(p.lintErrors, "lint: "+f.String())
	}
	return p.lintErrors
}

// clusterOf returns the cluster that a finding is about, the zero value for another object.
func clusterOf(f *finding.Finding) schedule.ClusterKey {
	if f.Object.Kind != v1.Kind {
		return schedule.ClusterKey{}
	}
	return schedule.ClusterKey{Namespace: f.Object.Namespace, Name: f.Object.Name}
}

// contradictions returns why the placement refuses clusters, without earlier reasons.
func (p *Planned) contradictions() (out []finding.Finding) {
	for i := range p.Placement.Clusters {
		c := &p.Placement.Clusters[i]
		spec := p.Clusters.Spec(c.Key)
		for _, why := range c.Refused {
			if f := sentence.Refused(c.Key, why); f != nil {
				f.Place = finding.In(spec.Document, spec.Source, f.Field)
				out = append(out, *f)
			}
		}
	}
	return out
}

// servedBefore returns the load balancers without a backend that the previous tree has, and that lost no hosts: lint
// only warns of those.
func (p *Planned) servedBefore() map[string]bool {
	there := map[string]bool{}
	for i := range p.Clusters.All {
		c := &p.Clusters.All[i]
		key := schedule.KeyOf(c)
		if len(p.Clusters.Options.Refused[key]) > 0 {
			continue
		}
		for _, lb := range validation.BackendlessServices(c) {
			name := v1.ServiceName(lb.List, lb.Index, c.Name)
			if _, was := p.Before.Files[render.Folder(key)+"/infra/"+name+".cfg"]; was {
				there[c.Key()+" "+lb.Path] = true
			}
		}
	}
	return there
}
