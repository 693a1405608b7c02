package render

import (
	"fmt"
	"net/netip"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/schedule"
)

// BenchmarkSite renders sites in which nearly every host is assigned: 10 hosts a cluster, 20 hosts a rack.
func BenchmarkSite(b *testing.B) {
	for _, n := range []int{100, 1_000, 10_000} {
		b.Run(fmt.Sprintf("hosts=%d", n), func(b *testing.B) {
			clusters, hosts := fleet(n)
			site := testSite(nil)
			keys := site.Spec.LabelKeys
			placement, err := schedule.Plan(clusters, hosts, schedule.Previous{}, schedule.Options{Keys: schedule.LabelKeys{
				ClusterNamespace: keys.ClusterNamespace, ClusterName: keys.ClusterName, NodeType: keys.NodeType, Standby: keys.Standby,
			}})
			need.Must(b, err == nil && placement.Schedulable(), "%v %v", err, placement)
			b.ReportAllocs()
			for b.Loop() {
				if _, _, err := Site(Input{Site: site, Clusters: clusters, Placement: placement}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func fleet(n int) ([]v1.SIPCluster, []inventory.Host) {
	var (
		clusters []v1.SIPCluster
		hosts    []inventory.Host
	)
	for i := range n {
		size := "large"
		if i%10 < 4 {
			size = "small"
		}
		hosts = append(hosts, inventory.Host{
			Namespace: "metal3", Name: fmt.Sprintf("host-%05d", i), UID: fmt.Sprintf("uid-%05d", i),
			Labels:    map[string]string{"size": size, "rack": fmt.Sprintf("r%d", i/20)},
			State:     inventory.State{Known: true, Provisioning: "available", Operational: "OK"},
			Addresses: []inventory.Address{{Network: "oam", IP: netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)}), Origin: inventory.FromNetworkData}},
		})
	}
	for i := range n / 10 {
		c := testCluster(fmt.Sprintf("c-%04d", i))
		c.Spec.Services.LoadBalancerControlPlane[0].NodePort = int32(20000 + i)
		node := func(size, key string, active, standby int) v1.NodeSet {
			return v1.NodeSet{
				LabelSelector: metav1.LabelSelector{MatchLabels: map[string]string{"size": size}}, TopologyKey: key,
				Count: &v1.NodeCount{Active: active, Standby: standby},
			}
		}
		c.Spec.Nodes = map[string]v1.NodeSet{v1.RoleControlPlane: node("small", "rack", 3, 0), v1.RoleWorker: node("large", "", 5, 0)}
		clusters = append(clusters, c)
	}
	return clusters, hosts
}
