package schedule

import (
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/inventory"
)

// TestLabelsAlone: a host that the tree does not have is new to a cluster, whatever its labels say: one that is to get nothing new does not
// get it. What something uses stays with the cluster that the labels name.
func TestLabelsAlone(t *testing.T) {
	labelled := func(used bool) inventory.Host {
		h := claimed(newHost("x1", "kind=w rack=r2"), "a", v1.RoleWorker)
		if used {
			h = provisionedBy(h, "m")
		}
		return h
	}
	mine := newHost("h1", "kind=w rack=r1")
	refused := map[ClusterKey][]string{{Namespace: "tenants", Name: "a"}: {"wrong"}}
	known := map[ClusterKey]bool{{Namespace: "tenants", Name: "a"}: true}
	tree := []PreviousClaim{inTree("h1", "a", v1.RoleWorker)}
	renewed := append([]PreviousClaim{inTree("x1", "a", v1.RoleWorker)}, tree...)
	renewed[0].UID = "uid-of-before"
	const frozen = "1 host left alone: labelled for tenants/a, which does not have it in the tree and is frozen: metal/x1; take the labels off; if the hosts are its own, correct the cluster first"
	for _, row := range []struct {
		why     string
		host    inventory.Host
		tree    []PreviousClaim
		change  func(o *Options)
		want    string
		warning string
		verdict string
	}{
		{"not frozen", labelled(false), tree, func(o *Options) { o.Known = known }, "a Worker: h1 x1\n", "", ""},
		{"frozen", labelled(false), tree, func(o *Options) { o.Known, o.Refused = known, refused }, "a Worker: h1 short 1/0 unschedulable\n", frozen,
			"labelled for tenants/a, which does not have it in the tree and is frozen"},
		{"frozen, and in use", labelled(true), tree, func(o *Options) { o.Known, o.Refused = known, refused }, "a Worker: h1 x1 unschedulable\n", "", ""},
		{"frozen, and the tree does not have it", labelled(false), tree, func(o *Options) { o.Refused = refused }, "a Worker: h1 x1 unschedulable\n", "", ""},
		{"frozen, and the host was restored", labelled(false), renewed, func(o *Options) { o.Known, o.Refused = known, refused }, "a Worker: h1 x1 unschedulable\n", "", ""},
		{"frozen, and the host that leaves was restored", labelled(false), append([]PreviousClaim{releasing(renewed[0])}, tree...), func(o *Options) { o.Known, o.Refused = known, refused }, "a Worker: h1 -x1 short 1/0 unschedulable\n", "", ""},
	} {
		options := testOptions
		row.change(&options)
		clusters := []v1.SIPCluster{newCluster("a", map[string]v1.NodeSet{v1.RoleWorker: nodes("kind=w", 2, 0)})}
		p := plan(t, clusters, []inventory.Host{mine, row.host}, Previous{Claims: row.tree}, options)
		if got := summary(p); got != row.want {
			t.Errorf("%s: got\n%swant\n%s", row.why, got, row.want)
		}
		if got := strings.Join(Say.Warnings(p.Warnings), "\n"); !strings.Contains(got, row.warning) || row.warning == "" && strings.Contains(got, "left alone") {
			t.Errorf("%s: warnings %q, want %q", row.why, got, row.warning)
		}
		for i := range p.Hosts {
			if line := &p.Hosts[i]; line.Host.Name == "x1" && row.verdict != "" && Say.Reason(line.Reason) != row.verdict {
				t.Errorf("%s: the host is %q, want %q", row.why, Say.Reason(line.Reason), row.verdict)
			}
		}
		if loss := Losses(p, Previous{Claims: tree}, []inventory.Host{mine, row.host}); len(loss.Released)+len(loss.Missing)+len(loss.Foreign) > 0 {
			t.Errorf("%s: lost %+v", row.why, loss)
		}
	}
}

// TestUsedWithoutSpec: a host in use belongs to the cluster that its labels name, also where the tree alone has that cluster.
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
		{"in use, and the tree has the cluster and the host for another", used, others, true, "a Worker: short 1/0 unschedulable\nold Worker: (h1)\n"},
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
