package schedule

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestWhenAHostFails has a row for each case of a failed host: docs/placement.md, "When a host fails", sums them up.
// The role wants one active and one standby host: f fails, s is its healthy standby, or a is active where f is standby,
// and x is free. Services reach all that is assigned.
func TestWhenAHostFails(t *testing.T) {
	for _, row := range []struct{ hosts, now, then string }{ // the second run, when the first one is synced
		// In error: it is replaced while nothing uses it.
		{"f/r1*=c s/r2~=c", "s -f short 0/1", "s short 0/1"},
		{"f/r1*=c s/r2~=c x/r4", "s +~x -f", "s ~x"},
		{"f/r1*=c x/r4", "+x -f short 0/1", "x short 0/1"},
		{"f/r1*=c", "f short 0/1", "f short 0/1"},
		{"f/r1*=c s/r2*~=c", "f ~s", "f ~s"},
		{"f/r1!*=c s/r2~=c x/r4", "f ~s", "f ~s"},
		// Marked unhealthy, being deleted, retired, named: also in use, and then it stays until Cluster API lets it go.
		{"f/r1&=c s/r2~=c", "s -f short 0/1", "s short 0/1"},
		{"f/r1!&=c s/r2~=c", "(f) s short 0/1", "(f) s short 0/1"},
		{"f/r1!&=c s/r2~=c x/r4", "(f) s +~x", "(f) s ~x"},
		{"f/r1!&=c", "f short 0/1", "f short 0/1"},
		{"f/r1|=c s/r2~=c", "s -f short 0/1", "s short 0/1"},
		{"f/r1!|=c s/r2~=c", "(f) s short 0/1", "(f) s short 0/1"},
		{"f/r1@=c s/r2~=c", "s -f short 0/1", "s short 0/1"},
		{"f/r1!@=c s/r2~=c", "(f) s short 0/1", "(f) s short 0/1"},
		{"remove f/r1=c s/r2~=c", "s -f short 0/1", "s short 0/1"},
		{"remove f/r1!=c s/r2~=c x/r4", "(f) s +~x", "(f) s ~x"},
		// A standby host in error.
		{"f/r1*~=c a/r3=c x/r4", "a +~x -f", "a ~x"},
		{"f/r1*~=c a/r3=c", "a ~f", "a ~f"},
		{"f/r1!*~=c a/r3=c x/r4", "a ~f", "a ~f"},
	} {
		spec := "c:1+1"
		inventoried, named := strings.CutPrefix(row.hosts, "remove ")
		if named {
			spec += "!remove=f"
		}
		clusters, hosts, _ := sited(t, spec, inventoried, "")
		p := plan(t, clusters, hosts, Previous{}, testOptions)
		wantPlaced(t, row.hosts, p, "c Worker: "+row.now)
		adopt(hosts, p)
		wantPlaced(t, row.hosts+", then", plan(t, clusters, hosts, tree(p), newerLabels()), "c Worker: "+row.then)
	}
}

// TestReplaces: who takes whose slot.
func TestReplaces(t *testing.T) {
	for _, row := range []struct{ why, clusters, hosts, tree, want string }{
		{"a swap", "c:1+1", "h1/r1*=c h2/r2~=c", "", "h2 promoted replaces h1 (in error (power management error))"},
		{"a swap, and a new standby host", "c:1+1", "h1/r1*=c h2/r2~=c h3/r3", "",
			"h2 promoted replaces h1 (in error (power management error)); h3 replaces h2 (promoted from standby)"},
		{"a new host for a failed one", "c:2", "h1/r1*=c h2/r2=c h3/r3", "",
			"h3 replaces h1 (in error (power management error))"},
		{"the same when it is in the tree: said once", "c:2", "h1/r1*=c h2/r2=c h3/r3", "h1=c h2=c h3=c", ""},
		{"a host that is gone", "c:1+1", "h2/r2~=c h3/r3", "h1=c",
			"h2 promoted replaces h1 (not in the inventory); h3 replaces h2 (promoted from standby)"},
		{"more are wanted: nobody is replaced", "c:2+1", "h1/r1=c h2/r2~=c h3/r3", "",
			"h2 promoted; h3 replaces h2 (promoted from standby)"},
		{"fewer active, more standby: none leaves", "c:1+1", "h1/r1=c h2/r2=c", "", "h2 demoted"},
		{"a failed host in use, which stays", "c:1+1", "h1/r1!&=c h2/r2~=c", "",
			"h1 replaced; h2 promoted replaces h1 (marked unhealthy)"},
	} {
		var said []string
		clusters, hosts, tree := sited(t, row.clusters, row.hosts, row.tree)
		p := plan(t, clusters, hosts, tree, testOptions)
		for _, a := range p.Clusters[0].Roles[0].Assigned {
			words := a.Host.Name
			if a.Promoted() {
				words += " promoted"
			}
			if a.Demoted() {
				words += " demoted"
			}
			if a.Replaced {
				words += " replaced"
			}
			if a.Replaces != nil {
				words += " replaces " + a.Replaces.Host.Name + " (" + Say.Reason(a.Replaces.Why) + ")"
			}
			if words != a.Host.Name {
				said = append(said, words)
			}
		}
		assert.Equal(t, row.want, strings.Join(said, "; "), row.why)
		lost := Losses(p).Released
		for _, is := range p.kept() {
			assert.Truef(t, !is.replaced || len(lost) == 0, "%s: %v count as lost, want none that is replaced",
				row.why, lost)
		}
	}
}
