package schedule

import (
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/inventory"
)

// TestWhoGoesFirst: of a role that has a host too many, an idle host goes before one in use, one whose release is approved before others
// in use, and the last by name.
func TestWhoGoesFirst(t *testing.T) {
	held := func(name, rack string) inventory.Host { return claimed(host1(name, "w", rack), "c", v1.RoleWorker) }
	used := func(name string) inventory.Host { return provisionedBy(held(name, "of-"+name), "m"+name) }
	for _, row := range []struct {
		why, approves string
		hosts         []inventory.Host
		want          string
	}{
		{"the last by name", "", []inventory.Host{held("a", "r1"), held("b", "r2"), held("d", "r3")}, "a b -d"},
		{"the same where others share a rack", "", []inventory.Host{held("a", "r1"), held("b", "r1"), held("d", "r3")}, "a b -d"},
		{"idle before used", "", []inventory.Host{held("a", "r1"), used("b"), used("d")}, "b d -a"},
		{"all are in use", "", []inventory.Host{used("a"), used("b"), used("d")}, "a b (d)"},
		{"one that is approved", "b", []inventory.Host{used("a"), used("b"), used("d")}, "a d -b"},
		{"failed before idle", "", []inventory.Host{broken(held("a", "r1")), held("b", "r2"), held("d", "r3")}, "b d -a"},
	} {
		spec := newCluster("c", map[string]v1.NodeSet{v1.RoleWorker: nodes("kind=w", 2, 0)})
		spec.Annotations = map[string]string{v1.ApproveReleaseAnnotation: row.approves}
		previous := Previous{} // an approval is of a host that the tree gave to the cluster
		for i := range row.hosts {
			previous.Claims = append(previous.Claims, inTree(row.hosts[i].Name, "c", v1.RoleWorker))
		}
		p := plan(t, []v1.SIPCluster{spec}, row.hosts, previous, testOptions)
		if got := strings.TrimSpace(strings.TrimPrefix(summary(p), "c Worker:")); got != row.want {
			t.Errorf("%s: found %s, want %s", row.why, got, row.want)
		}
	}
}
