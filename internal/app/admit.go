package app

import (
	"errors"
	"slices"
	"strings"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/admit"
	"github.com/airshipit/sipgen/internal/holdings"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/schedule"
)

// Admitted is who is served and who is frozen, before anything is placed.
type Admitted struct {
	Loaded *Loaded
	Before Before
	// Clusters says which clusters are served, and which keep what they have. Those that are frozen without a
	// readable spec are among them.
	Clusters *admit.Clusters
}

// Admit asks which clusters are served, with the decisions of the tree before. A tree that is not sealed has none.
func Admit(l *Loaded, before Before) (*Admitted, error) {
	claims, err := before.Previous(l.Site)
	//guard: nothing asks the seal
	if err = errors.Join(err, before.Unsealed); err != nil {
		return nil, err
	}
	options := Options(l.Site)
	//guard: labels of an old snapshot count for more than the tree
	options.LabelsNewer, options.LabelsOlder = l.labelsNewer(before), l.labelsOlder(before)
	clusters := admit.Of(admit.Input{
		Site: l.Site, Clusters: l.Clusters, Problems: slices.Concat(l.Problems, l.beyondGrants()), Hosts: l.Hosts.Hosts,
		Tenants: l.Tenants, Network: l.Network,
		Unpatchable: l.Unpatchable, Tree: before.Files, Claims: claims, Options: options, InTree: l.inTree,
	})
	return &Admitted{l, before, clusters}, nil
}

// beyondGrants are the clusters that ask, by their specs, for what is not theirs. One that is not valid is not looked
// at: its values are not fit to be repeated.
func (l *Loaded) beyondGrants() []admit.Problem {
	var out []admit.Problem
	wrong := map[schedule.ClusterKey]bool{}
	for _, f := range l.Problems {
		wrong[f.Cluster] = true
	}
	for i := range l.Clusters {
		c := &l.Clusters[i]
		if c.Leaves() || slices.Contains(l.Site.Spec.Decommission, c.Key()) || wrong[keyOf(c)] || !keyOf(c).Valid() {
			continue
		}
		out = append(out, admit.BeyondGrants(l.Tenants, c)...)
	}
	return out
}

// Options are the site's choices for a placement.
func Options(site *v1alpha1.Site) schedule.Options {
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
		networks = append(networks, inventory.HostNetwork{Name: network.Name, Addresses: network.Prefixes(),
			Namespaces: network.Namespaces})
	}
	return schedule.Options{
		Release: release, Networks: networks, Spaces: site.HostSpaces(),
		Keys:            holdings.LabelKeys(site.Spec.LabelKeys),
		StandbyRequired: site.Spec.Scheduling.Standby == "required",
	}
}
