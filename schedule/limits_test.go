package schedule

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/inventory"
	"github.com/stretchr/testify/assert"
)

// TestLimits is contract 23: hosts.max bounds what the tenant's clusters hold, get and let go, but not as many failed
// hosts in use that are to leave as the brake's number. A replacement by a free host needs room, and a named host's
// place gives none. It is counted at a cluster's turn: one that would go beyond it is short, and what cannot be placed
// uses up nothing. The tenant has a and b, and may have two hosts.
func TestLimits(t *testing.T) {
	for _, row := range []struct{ why, clusters, hosts, tree, want, short string }{
		{"as many as they may have", "a:1 b:1", "", "", "a Worker: +x1\nb Worker: +x2", ""},
		{"one more", "a:1 b:2", "", "", "a Worker: +x1\nb Worker: short 2/0 unschedulable",
			"short 1: tenants/b needs 2 new hosts; the tenant's clusters have 1, including those being released and those of clusters served before this one, and the test may have at most 2"},
		{"what cannot be placed uses up nothing", "a:cp1,1 b:2", "", "",
			"a ControlPlane: short 1/0 unschedulable\na Worker: short 1/0 unschedulable\nb Worker: +x1 +x2", ""},
		{"one in a standby slot, and no more", "a:0+2", "", "", "a Worker: +~x1 short 0/1",
			"short 1: tenants/a needs 2 new standby hosts; the tenant's clusters have 0"},
		{"standby hosts come after all active ones", "a:1+1 b:1", "", "", "a Worker: +x1 short 0/1\nb Worker: +x2",
			"short 1: tenants/a needs 1 new host; the tenant's clusters have 2"},
		{"one is being released", "a:1 b:1", "h1/rh1=a h2/rh2=a", "h1=a -h2=a",
			"a Worker: h1 -h2\nb Worker: short 1/0 unschedulable", "the tenant's clusters have 2"},
		{"one has not been let go by its user", "a:1 b:1", "h1/rh1!=a h2/rh2!=a", "h1=a ?h2=a",
			"a Worker: h1 (h2)\nb Worker: short 1/0 unschedulable", "the tenant's clusters have 2"},
		{"one has failed, and gets a successor", "a:2", "h1/rh1=a h2/rh2&=a", "h1=a h2=a", "a Worker: h1 +x1 -h2", ""},
		{"one has failed, and has a successor", "a:1 b:1", "h1/rh1=a h2/rh2!&=a", "h1=a ?h2=a",
			"a Worker: h1 (h2)\nb Worker: +x1", ""},
		{"one is gone", "a:2", "h1/rh1=a", "h1=a gone=a", "a Worker: h1 +x1", ""},
		{"one is named, and keeps its slot", "a:2!remove=h2", "h1/rh1=a h2/rh2!=a", "h1=a h2=a", "a Worker: h1 h2", ""},
		{"one is named, and a standby host takes its slot", "a:1+1!remove=h1", "h1/rh1!=a h2/rh2~=a", "h1=a h2=a",
			"a Worker: (h1) h2 short 0/1", "the tenant's clusters have 2"},
		{"one is kept for reuse, and counts", "a:1 b:1", "h1/rh1=a h2/rh2+", "h1=a -h2=a",
			"a Worker: h1 -h2\nb Worker: short 1/0 unschedulable", "the tenant's clusters have 2"},
		{"it has one too many, and none is replaced", "a:3", "h1/rh1=a h2/rh2=a h3/rh3!&=a", "h1=a h2=a h3=a",
			"a Worker: h1 h2 h3", ""},
		{"more have failed than the brake's number", "a:2", "h1/rh1=a h2/rh2!&=a h3/rh3!&=a", "h1=a ?h2=a ?h3=a",
			"a Worker: h1 (h2) (h3) short 1/0 unschedulable", "the tenant's clusters have 2"},
		{"one is gone, and there is no room", "a:1 b:2", "h1/rh1=b h2/rh2=b", "gone=a h1=b h2=b",
			"a Worker: short 1/0 unschedulable\nb Worker: h1 h2", "the tenant's clusters have 2"},
		{"it has more already, and keeps them", "a:3", "h1/rh1=a h2/rh2=a h3/rh3=a", "h1=a h2=a h3=a",
			"a Worker: h1 h2 h3", ""},
	} {
		clusters, hosts, tree := sited(t, row.clusters, "x1/rx1 x2/rx2 x3/rx3 "+row.hosts, row.tree)
		options := testOptions
		options.Brake = func(int) int { return 1 }
		limit := &Limit{Hosts: 2, Standby: 1, HostsFrom: "the test", StandbyFrom: "the test"}
		options.Limits = map[ClusterKey]*Limit{{Namespace: "tenants", Name: "a"}: limit,
			{Namespace: "tenants", Name: "b"}: limit}
		p := plan(t, clusters, hosts, tree, options)
		wantPlaced(t, row.why, p, row.want)
		var said []string
		for i := range p.Shortages {
			if p.Shortages[i].Limit != nil {
				said = append(said, Say.Shortage(&p.Shortages[i]))
			}
		}
		if got := strings.Join(said, "\n"); (row.short == "") != (got == "") || !strings.Contains(got, row.short) {
			t.Errorf("%s: said %q, want %q", row.why, got, row.short)
		}
	}
}

// TestEmptySlots is contract 9 and 12: the slot of a host that is gone is filled as a failed one's is, one by one and
// after the missing ones. What stays empty is noted for the next run, and makes its cluster one that runs. A shortage
// counts it, too (contract 17).
func TestEmptySlots(t *testing.T) {
	b := RoleKey{ClusterKey{Namespace: "tenants", Name: "b"}, v1.RoleWorker}
	for _, row := range []struct {
		why, clusters, hosts, tree string
		noted                      int // empty slots of b
		frozen                     bool
		want                       string
		empty                      int // of b
	}{
		{"one is gone, and one is free", "b:2", "h2/r2 x1/rx", "h1=b h2=b", 0, false, "b Worker: h2 +x1", 0},
		{"none is free", "b:2", "h2/r2", "h1=b h2=b", 0, false, "b Worker: h2 short 1/0 unschedulable", 1},
		{"it was noted, and one is free", "b:2", "h2/r2 x1/rx", "h2=b", 1, false, "b Worker: h2 +x1", 0},
		{"two more are wanted, and cannot be had", "b:4", "h2/r2 x1/rx", "h1=b h2=b", 0, false,
			"b Worker: h2 +x1 short 2/0 unschedulable", 0},
		{"one more is wanted, and comes first", "b:3", "h2/r2 x1/rx", "h1=b h2=b", 0, false,
			"b Worker: h2 +x1 short 1/0 unschedulable", 1},
		{"two are gone, and one is free", "b:2", "x1/rx", "h1=b h2=b", 0, false,
			"b Worker: +x1 short 1/0 unschedulable", 1},
		{"one is gone, one more is wanted, and none is free", "b:3", "h2/r2", "h1=b h2=b", 0, false,
			"b Worker: h2 short 2/0 unschedulable", 1},
		{"fewer are wanted", "b:1", "h2/r2", "h1=b h2=b", 0, false, "b Worker: h2", 0},
		{"it was to leave", "b:1", "h2/r2", "?h1=b h2=b", 0, false, "b Worker: h2", 0},
		{"a new cluster comes later", "a:1 b:1", "x1/rx", "h1=b", 0, false,
			"a Worker: short 1/0 unschedulable\nb Worker: +x1", 0},
		{"and later still", "a:1 b:1", "x1/rx", "", 1, false, "a Worker: short 1/0 unschedulable\nb Worker: +x1", 0},
		{"its cluster is frozen", "b:2", "h2/r2 x1/rx", "h1=b h2=b", 0, true, "b Worker: h2 short 1/0 unschedulable",
			1},
	} {
		clusters, hosts, tree := sited(t, row.clusters, row.hosts, row.tree)
		tree.Empty = map[RoleKey]int{b: row.noted}
		options := testOptions
		if row.frozen {
			options.Refused = map[ClusterKey][]string{b.Cluster: {"wrong"}}
		}
		p := plan(t, clusters, hosts, tree, options)
		wantPlaced(t, row.why, p, row.want)
		short := 0
		for i := range p.Clusters {
			short += p.Clusters[i].Roles[0].ShortActive
		}
		for i := range p.Shortages {
			short -= p.Shortages[i].Need - p.Shortages[i].Capacity
		}
		if short != 0 && !row.frozen {
			t.Errorf("%s: %d slots are in no shortage: %+v", row.why, short, p.Shortages)
		}
		got := p.Clusters[len(p.Clusters)-1].Roles[0].Empty
		assert.Truef(t, got == row.empty, "%s: %d slots are empty, want %d", row.why, got, row.empty)
	}
}

// TestGoneWithoutASpec is contract 9 and 21: while a cluster's spec is missing, the tree goes on to note the slot of a
// host that is gone, so that it is filled when the spec is back.
func TestGoneWithoutASpec(t *testing.T) {
	b := RoleKey{Cluster: ClusterKey{Namespace: "tenants", Name: "b"}, Role: v1.RoleWorker}
	absent := newCluster("b", nil)
	options := testOptions
	options.Absent = map[ClusterKey]bool{b.Cluster: true}
	options.Refused = map[ClusterKey][]string{b.Cluster: {"it has no spec"}}
	for _, row := range []struct {
		why, hosts, tree string
		noted            int
	}{
		{"its only host is gone", "x1/rx", "h1=b", 0},
		{"it was gone before", "x1/rx", "", 1},
		{"one of two is gone", "h2/r2=b x1/rx", "h1=b h2=b", 0},
	} {
		_, hosts, tree := sited(t, "", row.hosts, row.tree)
		tree.Empty = map[RoleKey]int{b: row.noted}
		if row.noted == 0 {
			tree.Empty = nil
		}
		p := plan(t, []v1.SIPCluster{absent}, hosts, tree, options)
		if assert.Len(t, p.Clusters[0].Roles, 1, row.why) {
			assert.Equal(t, 1, p.Clusters[0].Roles[0].Empty, row.why)
		}
	}
}

// TestNamedHosts: what a tenant names in an annotation is that tenant's affair, however many hosts are called so, and
// however many names there are.
func TestNamedHosts(t *testing.T) {
	worker := v1.RoleWorker
	elsewhere := claimed(host1("h1", "w", "r2"), "a", worker)
	elsewhere.Namespace, elsewhere.UID = "metbl", "uid-other"
	hosts := []inventory.Host{claimed(host1("h1", "w", "r1"), "a", worker), elsewhere, host1("h3", "w", "r3")}
	many := make([]string, 1000)
	for i := range many {
		many[i] = fmt.Sprintf("x%d", i)
	}
	for _, row := range []struct {
		why, annotation, names, plan string
		want                         []string // what is said; with a count at its end, the rest is not looked at
		says                         int
	}{
		{"two are called so", v1.RemoveAnnotation, "h1", "a Worker: h1 h1\n",
			[]string{`annotation sip.airshipit.org/remove names host "h1", but the cluster holds two hosts of that name, metal/h1 and metbl/h1: this entry has no effect; write namespace/name`}, 1},
		{"and one is meant", v1.RemoveAnnotation, "metal/h1", "a Worker: +h3 h1 -h1\n", nil, 0},
		{"two whose release is approved", v1.ApproveReleaseAnnotation, "h1,", "a Worker: h1 h1\n",
			[]string{`annotation sip.airshipit.org/approve-release names host "h1", but the cluster holds two hosts of that name`}, 1},
		{"a thousand that are not there", v1.RemoveAnnotation, strings.Join(many, ","), "a Worker: h1 h1\n",
			[]string{"annotation sip.airshipit.org/remove: 990 more names have no effect"}, 11},
	} {
		a := newCluster("a", map[string]v1.NodeSet{worker: nodes("kind=w", 2, 0)})
		a.Annotations = map[string]string{row.annotation: row.names}
		p := plan(t, []v1.SIPCluster{a}, hosts, Previous{}, testOptions)
		said := Say.Warnings(p.Clusters[0].Warnings)
		wantPlaced(t, row.why, p, row.plan)
		for _, want := range row.want {
			assert.Truef(t,
				slices.ContainsFunc(said, func(words string) bool { return strings.HasPrefix(words, want) }),
				"%s: said %.500q, want %q", row.why, said, want)
		}
		assert.Truef(t, len(said) == row.says, "%s: %d warnings, want %d", row.why, len(said), row.says)
	}
}
