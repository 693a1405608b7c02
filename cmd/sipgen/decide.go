package main

import (
	"errors"
	"strings"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/admit"
	"github.com/airshipit/sipgen/internal/holdings"
	"github.com/airshipit/sipgen/internal/report"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/render"
	"github.com/airshipit/sipgen/schedule"
)

// decided is who gets which host, on top of the decisions in the tree that was there before.
type decided struct {
	// loaded, with the clusters that are served: those that are frozen without a readable spec are among them.
	*loaded
	// admitted says which clusters are served, and which are frozen.
	admitted  *admit.Clusters
	before    previousTree
	claims    schedule.Previous
	options   schedule.Options
	placement *schedule.Placement
	// report is the placement in words.
	report *report.Plan
	// loss is what the placement takes from the clusters.
	loss schedule.Loss
}

// decide places the hosts: the previous tree's decisions are kept.
func (l *loaded) decide(ui *ui, before previousTree) (*decided, error) {
	defer ui.progress.stage("planning")()
	claims, err := before.claims(l.site)
	//guard: nothing asks the seal
	if err = errors.Join(err, before.unsealed); err != nil {
		return nil, err
	}
	d := l.served(before, claims)
	d.options.Asked = l.tenants.Asked(d.clusters)
	if d.placement, err = schedule.Plan(d.tenants.Narrowed(d.clusters), d.hosts.Hosts, d.claims, d.options); err != nil {
		return nil, err
	}
	d.expectLeftOut()
	d.report = report.Of(l.site.Name, d.clusters, d.placement)
	d.report.Warnings = append(d.report.Warnings, d.admitted.LostWords()...)
	d.noteAboutClusters()
	d.report.Since(d.placement.Holdings)
	d.report.NoTree = d.noTree()
	d.report.HasTree = before.known()
	//guard: nobody is told that one tenant's traffic goes to another's host
	d.report.Warnings = append(d.report.Warnings, render.ForeignBackends(before.files, d.placement.Clusters)...)
	d.report.Warnings = append(d.report.Warnings, d.admitted.Notes...)
	//guard: nobody is told that a host was taken for clean by manifests of any age
	d.report.Warnings = append(d.report.Warnings, d.releasesInDoubt()...)
	d.report.Warnings = append(d.report.Warnings, d.backendless()...)
	d.loss = schedule.Losses(d.placement, claims, l.hosts.Hosts)
	//guard: a node set that is dropped takes the machines of many tenants at once
	d.loseVirtualHosts()
	//guard: another macPrefix makes every machine of a Vino anew, and nobody is asked
	d.remakeVirtualHosts()
	return d, nil
}

// served is a decision up to who is served: the clusters, and which of them keep what they have.
func (l *loaded) served(before previousTree, claims schedule.Previous) *decided {
	served := *l
	options := options(l.site)
	//guard: labels of an old snapshot count for more than the tree
	options.LabelsNewer, options.LabelsOlder = l.labelsNewer(before), l.labelsOlder(before)
	admitted := admit.Of(admit.Input{
		Site: l.site, Clusters: l.clusters, Problems: l.problems, Hosts: l.hosts.Hosts, Tenants: l.tenants, Network: l.network,
		Unpatchable: l.unpatchable, Tree: before.files, Claims: claims, Options: options, InTree: l.inTree,
	})
	served.clusters = admitted.All
	d := &decided{loaded: &served, admitted: admitted, before: before, claims: claims, options: admitted.Options}
	d.options.Refused = admitted.Frozen
	return d
}

// noteAboutClusters marks the clusters with patches, and those with lines of HAProxy's configuration.
func (d *decided) noteAboutClusters() {
	patched, lines := map[string]bool{}, map[string]bool{}
	for i := range d.clusters {
		c := &d.clusters[i]
		//guard: a tenant's patches tolerate any taint, and the plan does not say so
		patched[c.Key()] = len(c.Spec.Patches) > 0
		//guard: a tenant's load balancer does anything, and the plan does not say so
		lines[c.Key()] = len(c.HAProxyLines()) > 0
	}
	for i := range d.report.Clusters {
		c := &d.report.Clusters[i]
		c.AnyPatches, c.HAProxyLines = patched[c.Key()], lines[c.Key()]
	}
}

// refused are the clusters that the placement does not place.
func (d *decided) refused() map[schedule.ClusterKey]bool {
	refused := map[schedule.ClusterKey]bool{}
	for i := range d.placement.Clusters {
		if c := &d.placement.Clusters[i]; len(c.Refused) > 0 {
			refused[c.Key] = true
		}
	}
	return refused
}

// options are the site's choices for a placement.
func options(site *v1alpha1.Site) schedule.Options {
	release := map[schedule.HostKey]schedule.ClusterKey{}
	for _, asked := range site.Spec.Hosts.Release {
		namespace, name, _ := strings.Cut(asked.Cluster, "/")
		for _, host := range asked.Hosts {
			in, called, full := strings.Cut(host, "/")
			if !full { // no host of the inventory has the name, or its namespace would stand before it: nameReleased
				in, called = "", host
			}
			release[schedule.HostKey{Namespace: in, Name: called}] = schedule.ClusterKey{Namespace: namespace, Name: name}
		}
	}
	var networks []inventory.HostNetwork
	for i := range site.Spec.Hosts.Networks {
		network := &site.Spec.Hosts.Networks[i]
		networks = append(networks, inventory.HostNetwork{Name: network.Name, Addresses: network.Prefixes(), Namespaces: network.Namespaces})
	}
	return schedule.Options{
		Release: release, Networks: networks, Spaces: site.HostSpaces(),
		Keys:            holdings.LabelKeys(site.Spec.LabelKeys),
		StandbyRequired: site.Spec.Scheduling.Standby == "required",
	}
}
