package schedule

import (
	"fmt"
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/inventory"
)

func TestWithout(t *testing.T) {
	hosts := racked(100, func(int) string { return "" })
	set := nodes("rack=rack-0001", 0, 0)
	selector, err := set.HostSelector()
	need.OK(t, err)
	left, gone, err := Without(hosts, selector)
	need.That(t, err == nil && gone == 40 && len(left) == 60 && !slices.ContainsFunc(left, func(h inventory.Host) bool { return h.Labels["rack"] == "rack-0001" }),
		"%d gone, %d left of %d, %v", gone, len(left), len(hosts), err)
	_, _, err = Without(left, selector)
	need.Error(t, "a selector that matches nothing", err, `selector "rack=rack-0001": matches none of the 60 hosts`)
}

func TestExplain(t *testing.T) {
	clusters := []v1.SIPCluster{
		newCluster("a", map[string]v1.NodeSet{v1.RoleWorker: nodes("kind=w", 1, 0)}),
		newCluster("b", map[string]v1.NodeSet{v1.RoleWorker: nodes("kind=w", 2, 0), "Edge": nodes("kind=e", 1, 0)}),
	}
	hosts := []inventory.Host{host1("h1", "w", "r1"), host1("h2", "w", "r1"), host1("h3", "w", "r1"), host1("h4", "w", "r2"), host1("h5", "e", "r2")}
	p := plan(t, clusters, hosts, Previous{}, testOptions)
	got, found := Say.ExplainHost(p, HostKey{Namespace: "metal", Name: "h3"})
	want := `metal/h3: free
  free: fits 2 of the roles, and none gets it
  tenants/a Worker: could use it, but has all it may have in rack=r1: metal/h1
  tenants/b Worker: could use it, but has all it may have in rack=r1: metal/h2
  1 other role does not select it
`
	need.Equal(t, found, got, want)
	_, found = Say.ExplainHost(p, HostKey{Namespace: "metal", Name: "h9"})
	need.That(t, !found, "a host that is none is explained")
	got, found = Say.ExplainCluster(p, ClusterKey{Namespace: "tenants", Name: "b"})
	want = `tenants/b: priority 0
  Worker: want 2 active and 0 standby; held 0, new 2, pending 0, released 0, short 0
    metal/h2: new: rack=r1, one of 3 free hosts there that fit; 1 elsewhere in 1 domain
    metal/h4: new: rack=r2, the only free host there that fits; 3 elsewhere in 1 domain
  Edge: want 1 active and 0 standby; held 0, new 1, pending 0, released 0, short 0
    metal/h5: new: rack=r2, the only free host there that fits, none elsewhere
`
	need.Equal(t, found, got, want)
}

// largeSite has racks of 40 hosts. Of 50 hosts 1 is for control planes, 2 are for either role, and 47
// are for workers. One cluster
// for every 250 hosts wants 5 control planes, each in its own rack, and workers: 190 active and 10
// standby, or, tight, 244 in all, so that 99.6% of the hosts are used. With anti, workers keep to
// one per rack too.
func largeSite(n int, tight, anti bool) ([]v1.SIPCluster, []inventory.Host) {
	hosts := make([]inventory.Host, 0, n)
	for i := range n {
		role := "worker"
		switch i % 50 {
		case 0:
			role = "control-plane"
		case 1, 2:
			role = "either"
		}
		hosts = append(hosts, newHost(fmt.Sprintf("node-%06d", i), fmt.Sprintf(
			"rack=rack-%04d row=row-%03d node-role=%s kubernetes.io/arch=amd64 vendor=acme model=m7 flavor=f%d disk=nvme nic=25g site=dc1", i/40, i/800, role, i%3)))
	}
	selector := func(role string) metav1.LabelSelector {
		return metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{
			{Key: "node-role", Operator: metav1.LabelSelectorOpIn, Values: []string{role, "either"}},
		}}
	}
	workers, standby := 190, 10
	if n < 10_000 {
		workers = 15
		standby = 5
	}
	if tight {
		workers, standby = 234, 10
	}
	var clusters []v1.SIPCluster
	for i := range n / 250 {
		worker := v1.NodeSet{LabelSelector: selector("worker"), Count: &v1.NodeCount{Active: workers, Standby: standby}}
		if anti {
			worker.TopologyKey = "rack"
		}
		c := newCluster(fmt.Sprintf("tenant-%03d", i), map[string]v1.NodeSet{
			v1.RoleControlPlane: {LabelSelector: selector("control-plane"), TopologyKey: "rack", Count: &v1.NodeCount{Active: 5}},
			v1.RoleWorker:       worker,
		})
		c.Spec.Services.JumpHost = []v1.JumpHost{{NodeInterface: "oam"}}
		clusters = append(clusters, c)
	}
	return clusters, hosts
}

func benchmarkPlan(b *testing.B, clusters []v1.SIPCluster, hosts []inventory.Host) {
	benchmark(b, func() (slots, filled int) { return slotsOf(plan(b, clusters, hosts, Previous{}, testOptions)) })
}

func slotsOf(p *Placement) (slots, filled int) {
	for _, c := range p.Clusters {
		for _, r := range c.Roles {
			slots += r.Active + r.Standby
			filled += len(r.Assigned)
		}
	}
	return slots, filled
}

func benchmark(b *testing.B, run func() (slots, filled int)) {
	b.ReportAllocs()
	slots, filled := 0, 0
	for b.Loop() {
		slots, filled = run()
	}
	b.ReportMetric(float64(slots), "slots")
	b.ReportMetric(float64(filled), "filled")
}

// adopt labels the hosts as the placement says.
func adopt(hosts []inventory.Host, p *Placement) {
	index := map[string]*inventory.Host{}
	for i := range hosts {
		index[hosts[i].Key()] = &hosts[i]
	}
	for _, c := range p.Clusters {
		for _, r := range c.Roles {
			for _, a := range r.Assigned {
				labels := index[a.Host.Key()].Labels
				labels[testOptions.Keys.ClusterNamespace] = c.Key.Namespace
				labels[testOptions.Keys.ClusterName] = c.Key.Name
				labels[testOptions.Keys.NodeType] = r.Name
				if a.Standby {
					labels[testOptions.Keys.Standby] = "true"
				} else {
					delete(labels, testOptions.Keys.Standby)
				}
			}
			for _, gone := range r.Releasing {
				labels := index[gone.Host.Key()].Labels
				for _, key := range []string{testOptions.Keys.ClusterNamespace, testOptions.Keys.ClusterName, testOptions.Keys.NodeType, testOptions.Keys.Standby} {
					delete(labels, key)
				}
			}
		}
	}
}

func BenchmarkPlan(b *testing.B) {
	for _, n := range []int{1000, 5_000, 20_000} {
		clusters, hosts := largeSite(n, false, true)
		b.Run(fmt.Sprintf("hosts=%d", n), func(b *testing.B) { benchmarkPlan(b, clusters, hosts) })
	}
	for _, n := range []int{10_000, 20_000} {
		clusters, hosts := largeSite(n, true, true)
		b.Run(fmt.Sprintf("hosts=%d/tight", n), func(b *testing.B) { benchmarkPlan(b, clusters, hosts) })
	}
	clusters, hosts := largeSite(5000, false, true)
	reserved := testOptions
	for i := range 10 { // spares, for a tenant without clusters, and for that of all clusters
		one := Reservation{Name: fmt.Sprint(i), Count: new(int), Namespaces: map[string]bool{}}
		*one.Count = 20
		one.Selector, _ = labels.Parse(fmt.Sprintf("row=row-%03d", i%7))
		if i%3 > 0 {
			one.Tenants, one.Namespaces = []string{"t"}, map[string]bool{[]string{"", "none", "tenants"}[i%3]: true}
		}
		reserved.Reserved = append(reserved.Reserved, one)
	}
	b.Run("hosts=5000/reserved", func(b *testing.B) {
		benchmark(b, func() (slots, filled int) { return slotsOf(plan(b, clusters, hosts, Previous{}, reserved)) })
	})
	clusters, hosts = largeSite(100_000, false, true)
	b.Run("hosts=100000", func(b *testing.B) { benchmarkPlan(b, clusters, hosts) })
	clusters, hosts = largeSite(20_000, false, true)
	adopt(hosts, plan(b, clusters, hosts, Previous{}, testOptions))
	b.Run("hosts=20000/held", func(b *testing.B) { benchmarkPlan(b, clusters, hosts) })
}
