package schedule

import (
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/inventory"
)

// TestLabelsAlone: complete labels give a host that the tree does not have to a cluster of the specs, frozen or not.
func TestLabelsAlone(t *testing.T) {
	idle := claimed(newHost("x1", "kind=w rack=r2"), "a", v1.RoleWorker)
	mine := newHost("h1", "kind=w rack=r1")
	refused := map[ClusterKey][]string{{Namespace: "tenants", Name: "a"}: {"wrong"}}
	tree := []PreviousClaim{inTree("h1", "a", v1.RoleWorker)}
	renewed := append([]PreviousClaim{inTree("x1", "a", v1.RoleWorker)}, tree...)
	renewed[0].UID = "uid-of-before"
	for _, row := range []struct {
		why     string
		host    inventory.Host
		tree    []PreviousClaim
		refused map[ClusterKey][]string
		want    string
	}{
		{"not frozen", idle, tree, nil, "a Worker: h1 x1\n"},
		{"frozen", idle, tree, refused, "a Worker: h1 x1 unschedulable\n"},
		{"frozen, and in use", provisionedBy(idle, "m"), tree, refused, "a Worker: h1 x1 unschedulable\n"},
		{"frozen, and nothing is in the tree", idle, nil, refused, "a Worker: x1 short 1/0 unschedulable\n"},
		{"frozen, and the host was restored", idle, renewed, refused, "a Worker: h1 x1 unschedulable\n"},
		{"frozen, and the host that leaves was restored", idle, append([]PreviousClaim{releasing(renewed[0])}, tree...), refused, "a Worker: h1 -x1 short 1/0 unschedulable\n"},
	} {
		options := testOptions
		options.Refused = row.refused
		clusters := []v1.SIPCluster{newCluster("a", map[string]v1.NodeSet{v1.RoleWorker: nodes("kind=w", 2, 0)})}
		p := plan(t, clusters, []inventory.Host{mine, row.host}, Previous{Claims: row.tree}, options)
		if got := summary(p); got != row.want {
			t.Errorf("%s: got\n%swant\n%s", row.why, got, row.want)
		}
		if got := strings.Join(Say.Warnings(p.Warnings), "\n"); strings.Contains(got, "left alone") {
			t.Errorf("%s: warnings %q", row.why, got)
		}
		if loss := Losses(p); len(loss.Released)+len(loss.Missing) > 0 {
			t.Errorf("%s: lost %+v", row.why, loss)
		}
	}
}

// TestUsedWithoutSpec: a host in use belongs to the cluster that its labels name, also where the tree alone has that cluster,
// but for a host that the tree has for another.
func TestUsedWithoutSpec(t *testing.T) {
	used := provisionedBy(claimed(newHost("h1", "kind=w"), "old", v1.RoleWorker), "m")
	idle := claimed(newHost("h1", "kind=w"), "old", v1.RoleWorker)
	others := []PreviousClaim{inTree("h1", "a", v1.RoleWorker)}
	for _, row := range []struct {
		why   string
		host  inventory.Host
		tree  []PreviousClaim
		known bool
		want  string
	}{
		{"in use, and the tree has the cluster", used, nil, true, "a Worker: short 1/0 unschedulable\nold Worker: (h1)\n"},
		{"in use, and the tree has the cluster and the host for another", used, others, true, "a Worker: h1 unschedulable\n"},
		{"in use, and the tree does not have the cluster", used, nil, false, "a Worker: short 1/0 unschedulable\n"},
		{"idle, and the tree has the cluster", idle, nil, true, "a Worker: short 1/0 unschedulable\n"},
	} {
		options := testOptions
		options.LabelsNewer, options.Known = true, map[ClusterKey]bool{{Namespace: "tenants", Name: "old"}: row.known}
		clusters := []v1.SIPCluster{newCluster("a", map[string]v1.NodeSet{v1.RoleWorker: nodes("kind=w", 1, 0)})}
		p := plan(t, clusters, []inventory.Host{row.host}, Previous{Claims: row.tree}, options)
		if got := summary(p); got != row.want {
			t.Errorf("%s: got\n%swant\n%s", row.why, got, row.want)
		}
	}
}
