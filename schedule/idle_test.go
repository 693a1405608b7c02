package schedule

import (
	"fmt"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/inventory"
)

// TestIdleRoles: nothing is computed from the topology keys of roles that neither have nor get a host. One cluster may have 64 of them, and a tenant
// 100 clusters.
func TestIdleRoles(t *testing.T) {
	role := func(n, count int) v1.NodeSet {
		return v1.NodeSet{
			TopologyKeys: []string{"row", "rack"}, MaxPerDomainByKey: map[string]v1.PerDomain{"row": v1.PerDomain(1000 + n), "rack": v1.PerDomain(1 + n)},
			Count: &v1.NodeCount{Active: count},
		}
	}
	roles, refused := map[string]v1.NodeSet{"Edge": role(0, 1)}, map[string]v1.NodeSet{}
	for n := 1; n < 64; n++ {
		roles[fmt.Sprintf("w%d", n)], refused[fmt.Sprintf("w%d", n)] = role(n, 0), role(n, 1)
	}
	hosts := []inventory.Host{newHost("h1", "row=a rack=r1"), newHost("h2", "row=a rack=r2")}
	options := testOptions
	options.Refused = map[ClusterKey][]string{{Namespace: "tenants", Name: "b"}: {"beyond its grants"}}
	s, err := prepare([]v1.SIPCluster{newCluster("a", roles), newCluster("b", refused)}, hosts, Previous{}, options)
	if err != nil || len(s.topology) != 1 {
		t.Fatalf("%d topologies, %v, want that of the role that wants a host", len(s.topology), err)
	}
	p := plan(t, []v1.SIPCluster{newCluster("a", roles), newCluster("b", refused)}, hosts, Previous{}, options)
	if p.Clusters[0].Unschedulable || !p.Clusters[1].Unschedulable {
		t.Errorf("got %s", summary(p))
	}
}
