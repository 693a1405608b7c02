package main

import (
	"slices"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/schedule"
)

// newcomers are the clusters that claim what one has that the placement refused: nobody knew before that it keeps what it has.
func (d *decided) newcomers() (out []finding) {
	for _, e := range d.clashesWithRefused() {
		out = append(out, finding{cluster: keyOf(e.Cluster), err: e.Cluster.Problem(e.Path, "%s", e.Message)})
	}
	return out
}

// clashesWithRefused are the claims of what a cluster has in the tree and keeps, because the placement refused what it asks for.
func (d *decided) clashesWithRefused() []v1.ClusterError {
	refused := map[schedule.ClusterKey]bool{}
	for i := range d.placement.Clusters {
		if c := &d.placement.Clusters[i]; len(c.Refused) > 0 {
			refused[c.Key] = true
		}
	}
	if len(refused) == 0 {
		return nil
	}
	active := slices.DeleteFunc(slices.Clone(d.clusters), func(c v1.SIPCluster) bool { return refused[keyOf(&c)] || c.Leaves() })
	held := d.settled.inUse(d.before.files, d.settled.gone(d.claims))
	return v1.ValidateHeld(active, held, d.site.Spec.NodePorts.Start, d.site.Spec.NodePorts.End)
}
