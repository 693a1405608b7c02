package main

import (
	"cmp"
	"errors"
	"strings"

	v1 "github.com/airshipit/sipgen/api/v1"
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
func (l *loaded) beyondGrants() []finding {
	var out []finding
	wrong := map[schedule.ClusterKey]bool{}
	for _, f := range l.findings {
		wrong[f.cluster] = true
	}
	for i := range l.clusters {
		c := &l.clusters[i]
		if c.Leaves() || l.siteLets(c.Key()) || wrong[keyOf(c)] || !keyOf(c).Valid() {
			continue
		}
		for _, e := range append(l.tenants.Namespace(c), l.tenants.Spec(c)...) {
			out = append(out, finding{cluster: keyOf(c), field: e.Path, err: &beyondError{c.Problem(e.Path, "%s", e.Message)}})
		}
	}
	return out
}

// beyondError is that a spec asks for what its tenant is not granted.
type beyondError struct{ error }

func (e *beyondError) Unwrap() error { return e.error }

// grantable says whether a grant would allow what is wrong: none allows a port beyond the site's range, or makes an image.
func grantable(err error) bool {
	var beyond *beyondError
	return errors.As(err, &beyond) && (strings.Contains(err.Error(), " grant") || strings.Contains(err.Error(), "may have at most"))
}
