package schedule

import (
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/internal/holdings"
	"github.com/airshipit/sipgen/inventory"
)

// TestOldHostsMoveNoRelease: hosts that were read before the tree was committed do not say which host failed, so one
// that waits to leave waits on, and one that had failed and leaves is not taken back (contract 19).
func TestOldHostsMoveNoRelease(t *testing.T) {
	standby := func(c PreviousClaim) PreviousClaim { c.Standby = true; return c }
	waits := func(c PreviousClaim) PreviousClaim { c.Pending = true; return c }
	tree := func(name string) PreviousClaim { return inTree(name, "a", v1.RoleWorker) }
	for _, row := range []struct {
		why             string
		active, standby int
		tree            []PreviousClaim
		want            string
	}{
		{"its slot was filled", 2, 0, []PreviousClaim{waits(tree("h1")), tree("h2"), tree("h3")},
			"a Worker: (h1) h2 h3\n"},
		{"a standby host is missing", 2, 1, []PreviousClaim{waits(tree("h1")), tree("h2"), tree("h3")},
			"a Worker: (h1) h2 h3 +~h4\n"},
		{"a standby host waits", 2, 1,
			[]PreviousClaim{tree("h1"), tree("h2"), waits(standby(tree("h3"))), standby(tree("h4"))},
			"a Worker: h1 h2 (~h3) ~h4\n"},
		{"another one leaves", 3, 0, []PreviousClaim{tree("h1"), tree("h2"), releasing(tree("h3"))},
			"a Worker: h1 h2 h3\n"},
		{"the role grows", 3, 0, []PreviousClaim{waits(tree("h1")), tree("h2"), tree("h3")}, "a Worker: h1 h2 h3\n"},
		{"one leaves, and a standby host is missing", 2, 1,
			[]PreviousClaim{releasing(tree("h1")), tree("h2"), tree("h3")}, "a Worker: h2 h3 +~h4 -h1\n"},
	} {
		var hosts []inventory.Host
		for _, name := range []string{"h1", "h2", "h3", "h4"} {
			hosts = append(hosts, host1(name, "w", "r"+name))
		}
		hosts[0].State.Unhealthy = true
		options := testOptions
		options.Old = true
		a := newCluster("a", map[string]v1.NodeSet{v1.RoleWorker: nodes("kind=w", row.active, row.standby)})
		p := plan(t, []v1.SIPCluster{a}, holdings.AsOfTree(hosts, row.tree, options.Keys), Previous{Claims: row.tree},
			options)
		wantPlaced(t, row.why, p, row.want)
	}
}
