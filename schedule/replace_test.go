package schedule

import (
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/inventory"
)

// TestReplaceBounded: of a cluster's failed hosts as many get a successor as the caller lets, active ones first, and it is said how many wait. Slots that are
// empty are filled all the same.
func TestReplaceBounded(t *testing.T) {
	worker := v1.RoleWorker
	hosts := func() []inventory.Host {
		all := []inventory.Host{
			broken(claimed(host1("f1", "w", ""), "a", worker)), broken(claimed(host1("f2", "w", ""), "a", worker)),
			standbyOf(broken(claimed(host1("f3", "w", ""), "a", worker))), broken(claimed(host1("g1", "w", ""), "b", worker)),
		}
		for _, name := range []string{"x1", "x2", "x3", "x4", "x5", "x6"} {
			all = append(all, host1(name, "w", ""))
		}
		return all
	}
	set := func(active, standby int) v1.NodeSet {
		set := nodes("kind=w", active, standby)
		set.TopologyKey = ""
		return set
	}
	clusters := []v1.SIPCluster{newCluster("a", map[string]v1.NodeSet{worker: set(3, 1)}), newCluster("b", map[string]v1.NodeSet{worker: set(1, 0)})}
	a := ClusterKey{"tenants", "a"}
	for _, row := range []struct {
		bounds map[ClusterKey]int
		want   string
		says   string
	}{
		{nil, "a Worker: f1 f2 +x1 +x2 +x3 ~f3 +~x4\nb Worker: g1 +x5\n", ""},
		{map[ClusterKey]int{a: 2}, "", "2 hosts replaced now, 1 more once"},
		{map[ClusterKey]int{a: 1}, "", "1 host replaced now, 2 more once"},
		{map[ClusterKey]int{a: 0}, "", "0 hosts replaced now, 3 more once"},
		{map[ClusterKey]int{a: 3}, "a Worker: f1 f2 +x1 +x2 +x3 ~f3 +~x4\nb Worker: g1 +x5\n", ""},
	} {
		options := testOptions
		options.Replace = row.bounds
		p := plan(t, clusters, hosts(), Previous{}, options)
		role := &p.Clusters[0].Roles[0]
		if most, bounded := row.bounds[a]; bounded && role.Replaced != most || role.ShortActive+role.ShortStandby > 0 {
			t.Errorf("%v: replaced %d, short %d and %d:\n%s", row.bounds, role.Replaced, role.ShortActive, role.ShortStandby, summary(p))
		}
		if other := &p.Clusters[1].Roles[0]; other.Replaced != 1 {
			t.Errorf("%v: another cluster's host is not replaced:\n%s", row.bounds, summary(p))
		}
		if got := summary(p); row.want != "" && got != row.want {
			t.Errorf("%v: got\n%s, want\n%s", row.bounds, got, row.want)
		}
		if said := strings.Join(Say.Warnings(p.Clusters[0].Warnings), "\n"); !strings.Contains(said, row.says) || row.says == "" && strings.Contains(said, "replaced now") {
			t.Errorf("%v: said %q, want %q", row.bounds, said, row.says)
		}
	}
}
