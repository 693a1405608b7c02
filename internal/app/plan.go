package app

import (
	"slices"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/admit"
	"github.com/airshipit/sipgen/internal/holdings"
	"github.com/airshipit/sipgen/internal/report"
	"github.com/airshipit/sipgen/render/argocd"
	"github.com/airshipit/sipgen/render/flux"
	"github.com/airshipit/sipgen/schedule"
)

// Planned is the placement on top of the decisions in the previous tree.
type Planned struct {
	Loaded    *Loaded
	Before    Before
	Clusters  *admit.Clusters
	Placement *schedule.Placement
	// Report is the placement as text.
	Report *report.Plan
	// loss is the hosts that the placement takes from the clusters.
	loss schedule.Loss
	// lifted is nil while the brake bounds how many failed hosts are replaced; else what counted when that ended.
	lifted *counts
	// remade are the warnings about Vinos whose change may break virtual hosts.
	remade []string
	// lintErrors are what LintErrors returned.
	lintErrors []string
}

// Plan places the hosts, and keeps the decisions of the previous tree.
func Plan(a *Admitted) (*Planned, error) {
	p := &Planned{Loaded: a.Loaded, Before: a.Before, Clusters: a.Clusters}
	if err := p.place(); err != nil {
		return nil, err
	}
	return p, nil
}

// place places the hosts, with the clusters frozen that are so by now.
func (p *Planned) place() (err error) {
	l, clusters := p.Loaded, p.Clusters
	options := clusters.Options
	if p.lifted == nil {
		options.Brake = p.brakeOf
	}
	p.Placement, err = schedule.Plan(clusters.All, l.Hosts.Hosts, clusters.Claims, options)
	if err != nil {
		return err
	}
	p.lintErrors = nil
	p.expectLeftOut()
	p.describe()
	return nil
}

// describe counts the losses of the placement, and makes its report.
func (p *Planned) describe() {
	l, clusters, placement := p.Loaded, p.Clusters, p.Placement
	p.loss = schedule.Losses(placement)
	p.remade = p.loseVirtualHosts()
	p.Report = report.Of(l.Site.Name, clusters.All, placement)
	p.Report.Since(placement.Holdings, clusters.Known, clusters.Claims.Leaving)
	p.Report.AddRelabeled(placement.Holdings, report.Relabeling{Keys: clusters.Options.Keys,
		Group: breakGlass(l.Site), Engines: []string{flux.Manager, argocd.Manager}, Manifests: l.Hosts.TakenAt.IsZero()})
	p.Report.NoTree, p.Report.HasTree, p.Report.OneList = p.noTree(), p.Before.Known(), p.Before.oneList
	p.Report.Overlay = l.Site.Spec.Hosts.Apply == v1alpha1.ApplyOverlay
	p.Report.Tenants, p.Report.Virtual = tenantNames(l.Site), p.remade
	p.noteAboutClusters()
	p.Report.Findings = append(p.findings(), p.Report.Findings...)
	p.Report.LeaveOut(clusters.Lost)
	for key, reasons := range clusters.Frozen {
		p.Report.AddReasons(key.String(), reasons...)
	}
	for _, f := range p.contradictions() {
		p.Report.AddReasons(f.Cluster, f)
	}
}

// noteAboutClusters marks the clusters with patches, and those with lines of HAProxy's configuration, where the tenant
// is granted them: others are frozen for them.
func (p *Planned) noteAboutClusters() {
	patched, lines := map[string]bool{}, map[string]bool{}
	for i := range p.Clusters.All {
		c := &p.Clusters.All[i]
		tenant := p.Loaded.Tenants.Of(c.Namespace)
		granted := tenant != nil && tenant.Patches == v1alpha1.PatchesAny
		patched[c.Key()] = granted && len(c.Spec.Patches) > 0
		lines[c.Key()] = granted && len(c.HAProxyLines()) > 0
	}
	for i := range p.Report.Clusters {
		c := &p.Report.Clusters[i]
		c.AnyPatches, c.HAProxyLines = patched[c.Key()], lines[c.Key()]
	}
}

// FrozenOrShort reports whether a cluster is frozen or lacks hosts, standby hosts included, or a spec is ignored, while
// the others are served.
func (p *Planned) FrozenOrShort() bool {
	return p.Report.Unschedulable() || p.Report.Totals().Short > 0 || len(p.Clusters.Lost) > 0
}

// expectLeftOut drops the warnings about missing hosts that --without took out.
func (p *Planned) expectLeftOut() {
	leftOut := map[schedule.HostKey]bool{}
	names := map[string]bool{}
	for i := range p.Loaded.LeftOut {
		h := &p.Loaded.LeftOut[i]
		leftOut[holdings.KeyOf(h)] = true
		names[h.Name], names[h.Key()] = true, true
	}
	var of func(w schedule.Warning) bool
	of = func(w schedule.Warning) bool {
		switch w := w.(type) {
		case schedule.NotInInventory:
			return leftOut[w.Host]
		case schedule.NamesNothing:
			return len(w.Hosts) == 0 && names[w.Name]
		case schedule.ReleaseOfNothing:
			return !w.Found && leftOut[w.Host]
		case schedule.OfCluster:
			return of(w.Warning)
		}
		return false
	}
	p.Placement.Warnings = slices.DeleteFunc(p.Placement.Warnings, of)
	for i := range p.Placement.Clusters {
		c := &p.Placement.Clusters[i]
		c.Warnings = slices.DeleteFunc(c.Warnings, of)
	}
}

// tenantNames returns the names of the tenants, by namespace.
func tenantNames(site *v1alpha1.Site) map[string]string {
	names := map[string]string{}
	for i := range site.Spec.Tenants {
		for _, namespace := range site.Spec.Tenants[i].Namespaces {
			names[namespace] = site.Spec.Tenants[i].Name
		}
	}
	return names
}

// breakGlass returns the first group that the guards do not restrict. A Site may list none.
func breakGlass(site *v1alpha1.Site) string {
	return append(slices.Clone(site.Spec.BreakGlassGroups), "GROUP")[0]
}
