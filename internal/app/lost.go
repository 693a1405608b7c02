package app

import (
	"fmt"

	"github.com/airshipit/sipgen/internal/preflight"
	"github.com/airshipit/sipgen/internal/redact"
	"github.com/airshipit/sipgen/internal/text"
)

// lost refuses to start with an empty tree if an engine has synced a tree before: the branch was force-pushed, or its
// folder deleted. A new tree would lack the clusters without a spec, their services, and the addresses and releases
// that only the old tree has.
//
// A Site that has its tree in another folder of the branch has not lost it: its spec.repository.path is wrong, or the
// folder was not moved. Nothing accepts a second tree.
func (p *Planned) lost(accept bool) error {
	if !p.Before.Missing() {
		return nil
	}
	if here := p.Before.elsewhere[p.Loaded.Site.Name]; len(here) > 0 {
		return &RefusedError{redact.Errorf("first tree in folder %q of branch %q: a new site, or a wrong path? "+
			"Site %s has its tree in folder %q of that branch: name this one in spec.repository.path; "+
			"or move it, see docs/change-site.md; or give a new site a name of its own",
			p.Before.folder, p.Before.branch, p.Loaded.Site.Name, here[0])}
	}
	if accept {
		return nil
	}
	var synced []string
	for i := range p.Loaded.Hosts.Hosts {
		if h := &p.Loaded.Hosts.Hosts[i]; preflight.Synced(p.Loaded.Site.Name, p.Clusters.Options.Keys, h) {
			synced = append(synced, h.Key())
		}
	}
	if len(synced) == 0 {
		return nil
	}
	return refusef("%s has no tree, but Flux or Argo CD has labeled %s for clusters (%s)"+
		": a wrong spec.repository.path or branch? "+
		"Else the tree is lost; restore it (sipgen help runbook tree-lost); "+
		"if it cannot be restored, sipgen publish --accept-lost-tree plans from the labels alone",
		p.Before.Where, text.Count(len(synced), "host"), FirstHosts(synced))
}

// noTree returns a warning if there is no tree and hosts carry labels of clusters. An engine may not have set them:
// labels that an operator, or the SIP operator, set before the first tree look like those of a lost tree.
func (p *Planned) noTree() string {
	if !p.Before.Missing() {
		return ""
	}
	var labeled []string
	for i := range p.Placement.Holdings.Hosts {
		if h := &p.Placement.Holdings.Hosts[i]; h.Labels.NameCluster() {
			labeled = append(labeled, h.Host.Key())
		}
	}
	if len(labeled) == 0 {
		return ""
	}
	return fmt.Sprintf("there is no tree, and %s of clusters (%s): if there was a tree, it is lost, and these are "+
		"its hosts; "+
		"restore it, and do not release them (sipgen help runbook tree-lost). If this is the first tree, nothing is wrong",
		text.Plural(len(labeled), "host carries labels", "hosts carry labels"), FirstHosts(labeled))
}

// FirstHosts names the first of many hosts.
func FirstHosts(hosts []string) string { return text.Some(hosts, 5) }
