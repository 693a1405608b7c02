package app

import (
	"cmp"
	"slices"
	"strings"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/internal/admit"
	"github.com/airshipit/sipgen/schedule"
)

func compareNames(a, b *v1.SIPCluster) int {
	return cmp.Or(strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Name, b.Name))
}

// BeyondGrants are the clusters that ask, by their specs, for what is not theirs. One that is not valid is not looked at: its values are
// not fit to be repeated.
func (l *Loaded) BeyondGrants() []admit.Problem {
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
