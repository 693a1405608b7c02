package schedule

import (
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/inventory"
	"github.com/stretchr/testify/assert"
)

// TestNarrowestFirst is contract 10: a role lets go from the rack with the most of its hosts, and not from the row.
func TestNarrowestFirst(t *testing.T) {
	set := nodes("", 6, 0)
	set.TopologyKey, set.TopologyKeys, set.MaxPerDomain = "", []string{"row", "rack"}, 9
	var hosts []inventory.Host
	for _, h := range [][3]string{{"a", "0", "00"}, {"b", "0", "00"}, {"c", "0", "00"}, {"d", "1", "10"},
		{"e", "1", "10"},
		{"f", "1", "11"}, {"g", "1", "11"}} {
		hosts = append(hosts, claimed(newHost(h[0], "row="+h[1]+" rack="+h[2]), "c", v1.RoleWorker))
	}
	clusters := []v1.SIPCluster{newCluster("c", map[string]v1.NodeSet{v1.RoleWorker: set})}
	wantPlaced(t, "rack 00 has three, row 1 four", plan(t, clusters, hosts, Previous{}, testOptions),
		"c Worker: a b d e f g -c")
}

// TestInstead is contract 22: a host that goes instead of one that waited is no new loss.
func TestInstead(t *testing.T) {
	for _, row := range []struct {
		why, clusters, hosts, tree, want string
		lost                             int
	}{
		{"the other one is idle by now", "c:1", "a/r1!=c b/r2=c", "?a=c b=c", "c Worker: a -b", 0},
		{"two go, and one waited", "c:1", "a/r1!=c b/r2=c d/r3=c", "?a=c b=c d=c", "c Worker: a -b -d", 1},
		{"none waited", "c:1", "a/r1!=c b/r2=c", "a=c b=c", "c Worker: a -b", 1},
		{"it waits on", "c:1", "a/r1!=c b/r2!=c", "a=c ?b=c", "c Worker: a (b)", 0},
	} {
		clusters, hosts, tree := sited(t, row.clusters, row.hosts, row.tree)
		p := plan(t, clusters, hosts, tree, newerLabels())
		wantPlaced(t, row.why, p, row.want)
		loss := Losses(p)
		assert.Truef(t, loss.Total() == row.lost, "%s: found %+v, want %d lost", row.why, loss, row.lost)
	}
}

// TestLabelsTakeNoSlot is contract 8 and 10: a host in use that a role has by its labels alone leaves before the role's
// hosts in use that the tree has.
func TestLabelsTakeNoSlot(t *testing.T) {
	for _, row := range []struct{ why, clusters, hosts, tree, want string }{
		{"idle ones go by name", "c:1", "a/r1=c b/r2=c", "b=c", "c Worker: a -b"},
		{"in use, as a copy of a host with its machine is", "c:1", "a/r1!=c b/r2!=c", "b=c", "c Worker: (a) b"},
		{"though another rack is fuller", "c:2", "a/r1!=c b/r2!=c d/r2!=c", "b=c d=c", "c Worker: (a) b d"},
		{"but not in use before an idle one", "c:1", "a/r1!=c b/r2=c", "b=c", "c Worker: a -b"},
		{"without a tree the name decides", "c:1", "a/r1=c b/r2=c", "", "c Worker: a -b"},
		{"it waits on", "c:1", "a/r1!=c b/r2!=c", "?a=c b=c", "c Worker: (a) b"},
		{"it becomes the standby host", "c:1+1", "a/r1!=c b/r2!=c", "b=c", "c Worker: b ~a"},
	} {
		clusters, hosts, tree := sited(t, row.clusters, row.hosts, row.tree)
		wantPlaced(t, row.why, plan(t, clusters, hosts, tree, newerLabels()), row.want)
	}
}
