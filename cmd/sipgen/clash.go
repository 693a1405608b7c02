package main

import (
	"slices"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/schedule"
)

// clashesWithFrozen are the claims of what a cluster has in the tree and keeps, because it is frozen when a run goes on without it.
func (l *loaded) clashesWithFrozen(decided *decided) []v1.ClusterError {
	clashes := decided.clashesWithRefused()
	beyond := l.beyondGrants()
	if len(beyond) == 0 {
		return append(clashes, decided.settled.clashing...)
	}
	now := *l
	now.findings = append(slices.Clone(l.findings), beyond...)
	settled := now.settle(decided.before, decided.claims)
	return append(clashes, settled.clashing...)
}

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
	active := slices.DeleteFunc(slices.Clone(d.clusters), func(c v1.SIPCluster) bool { return refused[keyOf(&c)] })
	held := d.settled.inUse(d.before.files, d.settled.gone(d.claims))
	return v1.ValidateHeld(active, held, d.site.Spec.NodePorts.Start, d.site.Spec.NodePorts.End)
}

// foreseen decides as decide does, and where the run goes on, freezes whom render and publish would freeze for what was decided.
func (l *loaded) foreseen(ui *ui, before previousTree) (*decided, error) {
	for {
		d, err := l.decide(ui, before)
		if err != nil || !d.keepGoing {
			return d, err
		}
		refused := d.newcomers()
		if len(refused) == 0 {
			return d, nil
		}
		l = l.with(refused)
	}
}
