package main

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/internal/admit"
	"github.com/airshipit/sipgen/schedule"
)

func keyOf(c *v1.SIPCluster) schedule.ClusterKey {
	return schedule.ClusterKey{Namespace: c.Namespace, Name: c.Name}
}

func compareNames(a, b *v1.SIPCluster) int {
	return cmp.Or(strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Name, b.Name))
}

// beyondGrants are the clusters that ask, by their specs, for what is not theirs. One that is not valid is not looked at: its values are
// not fit to be repeated.
func (l *loaded) beyondGrants() []admit.Problem {
	var out []admit.Problem
	wrong := map[schedule.ClusterKey]bool{}
	for _, f := range l.problems {
		wrong[f.Cluster] = true
	}
	for i := range l.clusters {
		c := &l.clusters[i]
		if c.Leaves() || slices.Contains(l.site.Spec.Decommission, c.Key()) || wrong[keyOf(c)] || !keyOf(c).Valid() {
			continue
		}
		out = append(out, admit.BeyondGrants(l.tenants, c)...)
	}
	return out
}

// grantable says whether a grant would allow what is wrong: none allows a port beyond the site's range, or makes an image.
func grantable(err error) bool {
	var beyond *admit.BeyondError
	return errors.As(err, &beyond) && (strings.Contains(err.Error(), " grant") || strings.Contains(err.Error(), "may have at most"))
}
