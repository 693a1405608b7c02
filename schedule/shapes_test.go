package schedule

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/inventory"
)

// sizedSite makes a site of n hosts.
type sizedSite func(n int) ([]v1.SIPCluster, []inventory.Host)

// shapes are sites that are no less ordinary than largeSite, and harder in one way each. Those that can be placed were cut out
// of the site: a placement exists.
var shapes = []struct {
	name string
	make sizedSite
}{
	{"overlapping", overlappingSite},
	{"overcommitted", overcommittedSite},
	{"features", func(n int) ([]v1.SIPCluster, []inventory.Host) { return featuresSite(n, 60, false) }},
	{"features-tight", func(n int) ([]v1.SIPCluster, []inventory.Host) { return featuresSite(n, 97, false) }},
	{"features-infeasible", func(n int) ([]v1.SIPCluster, []inventory.Host) { return featuresSite(n, 110, false) }},
	{"features-per-rack", func(n int) ([]v1.SIPCluster, []inventory.Host) { return featuresSite(n, 97, true) }},
	{"notin", notInSite},
	{"per-key", func(n int) ([]v1.SIPCluster, []inventory.Host) { return perKeySite(n, 892) }},
}

func expression(key string, operator metav1.LabelSelectorOperator, values ...string) metav1.LabelSelectorRequirement {
	return metav1.LabelSelectorRequirement{Key: key, Operator: operator, Values: values}
}

func chosenBy(active, standby int, by ...metav1.LabelSelectorRequirement) v1.NodeSet {
	return v1.NodeSet{LabelSelector: metav1.LabelSelector{MatchExpressions: by}, Count: &v1.NodeCount{Active: active, Standby: standby}}
}

// overlappingSite has 64 pools, and a cluster for every 50 hosts whose workers select four of the pools, as every cluster does in
// a way of its own: 94% of the hosts are used.
func overlappingSite(n int) ([]v1.SIPCluster, []inventory.Host) {
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	var hosts []inventory.Host
	for i := range n {
		hosts = append(hosts, newHost(fmt.Sprintf("node-%06d", i), fmt.Sprintf("rack=rack-%04d pool=p%02d vendor=acme", i/40, rng.IntN(64))))
	}
	var clusters []v1.SIPCluster
	for c := range n / 50 {
		var pools []string
		for _, p := range rng.Perm(64)[:4] {
			pools = append(pools, fmt.Sprintf("p%02d", p))
		}
		slices.Sort(pools)
		control := chosenBy(3, 0, expression("pool", metav1.LabelSelectorOpIn, pools[:2]...))
		control.TopologyKey = "rack"
		clusters = append(clusters, newCluster(fmt.Sprintf("tenant-%04d", c), map[string]v1.NodeSet{
			v1.RoleControlPlane: control,
			v1.RoleWorker:       chosenBy(44, 0, expression("pool", metav1.LabelSelectorOpIn, pools...)),
		}))
	}
	return clusters, hosts
}

// overcommittedSite has a cluster for every 250 hosts, 400 at most. Together they want 144% of the hosts that there are: of 400, some 120
// fail.
func overcommittedSite(n int) ([]v1.SIPCluster, []inventory.Host) {
	rng := rand.New(rand.NewPCG(2, uint64(n)))
	var hosts []inventory.Host
	for i := range n {
		hosts = append(hosts, newHost(fmt.Sprintf("node-%06d", i), fmt.Sprintf("rack=rack-%04d model=m%02d disk=d%d", i/40, rng.IntN(20), rng.IntN(3))))
	}
	var clusters []v1.SIPCluster
	count := 400 * min(n, 100_000) / 100_000
	each := n / count
	for c := range count {
		models := func(k int) (names []string) {
			for _, p := range rng.Perm(20)[:k] {
				names = append(names, fmt.Sprintf("m%02d", p))
			}
			slices.Sort(names)
			return names
		}
		control := chosenBy(5, 0, expression("model", metav1.LabelSelectorOpIn, models(4)...))
		control.TopologyKey = "rack"
		clusters = append(clusters, newCluster(fmt.Sprintf("tenant-%04d", c), map[string]v1.NodeSet{
			v1.RoleControlPlane: control,
			v1.RoleWorker:       chosenBy(each*9/10, each/50, expression("model", metav1.LabelSelectorOpIn, models(6)...)),
			"Storage":           chosenBy(each/2, 0, expression("model", metav1.LabelSelectorOpIn, models(5)...), expression("disk", metav1.LabelSelectorOpNotIn, "d0")),
		}))
	}
	return clusters, hosts
}

// featuresSite has a set of features of its own on every host, of 40; roles want two or three. The clusters, one for every 250
// hosts, want percent of the hosts that there are.
func featuresSite(n, percent int, perRack bool) ([]v1.SIPCluster, []inventory.Host) {
	rng := rand.New(rand.NewPCG(3, uint64(n)))
	var hosts []inventory.Host
	for i := range n {
		h := newHost(fmt.Sprintf("node-%06d", i), fmt.Sprintf("rack=rack-%04d", i/40))
		for f := range 40 {
			if rng.IntN(2) == 0 {
				h.Labels[fmt.Sprintf("feature.node.kubernetes.io/f%02d", f)] = "true"
			}
		}
		hosts = append(hosts, h)
	}
	var clusters []v1.SIPCluster
	for c := range n / 250 {
		want := func(k int) (by []metav1.LabelSelectorRequirement) {
			for _, f := range rng.Perm(40)[:k] {
				by = append(by, expression(fmt.Sprintf("feature.node.kubernetes.io/f%02d", f), metav1.LabelSelectorOpIn, "true"))
			}
			return by
		}
		control, worker := chosenBy(5, 0, want(3)...), chosenBy(245*percent/100, 5*percent/100, want(2)...)
		control.TopologyKey = "rack"
		if perRack {
			worker.TopologyKey = "rack"
		}
		clusters = append(clusters, newCluster(fmt.Sprintf("tenant-%04d", c), map[string]v1.NodeSet{v1.RoleControlPlane: control, v1.RoleWorker: worker}))
	}
	return clusters, hosts
}

// notInSite has a cluster for every 50 hosts with three roles, each of which avoids 40 racks of its own.
func notInSite(n int) ([]v1.SIPCluster, []inventory.Host) {
	rng := rand.New(rand.NewPCG(4, uint64(n)))
	racks := n / 40
	var hosts []inventory.Host
	for i := range n {
		hosts = append(hosts, newHost(fmt.Sprintf("node-%06d", i), fmt.Sprintf("rack=rack-%04d size=s%d", i/40, i%3)))
	}
	var clusters []v1.SIPCluster
	for c := range n / 50 {
		avoid := func() metav1.LabelSelectorRequirement {
			var names []string
			for range 40 {
				names = append(names, fmt.Sprintf("rack-%04d", rng.IntN(racks)))
			}
			return expression("rack", metav1.LabelSelectorOpNotIn, names...)
		}
		control := chosenBy(3, 0, avoid())
		control.TopologyKey = "rack"
		clusters = append(clusters, newCluster(fmt.Sprintf("tenant-%04d", c), map[string]v1.NodeSet{
			v1.RoleControlPlane: control,
			v1.RoleWorker:       chosenBy(25, 2, avoid()),
			"Storage":           chosenBy(10, 0, avoid(), expression("size", metav1.LabelSelectorOpIn, "s0", "s1")),
		}))
	}
	return clusters, hosts
}

// perKeySite has rooms of 800 hosts, rows of 200 and racks of 20. Clusters, one for every 25 hosts and 400 at most, want so many hosts of 1,000 and have limits for
// each of the three keys: workers have a kind of their own and the next one, at most 12 in a room, 3 in a row and 1 in a rack, and control planes 1 in a row. From
// 10,000 hosts on, hosts, slots and domains grow alike, so that a cluster wants as many of those that its limits allow: ten times as many clusters, each as large,
// would not fit into a tenth of the rows.
func perKeySite(n, wanted int) ([]v1.SIPCluster, []inventory.Host) {
	var hosts []inventory.Host
	for i := range n {
		hosts = append(hosts, newHost(fmt.Sprintf("node-%06d", i), fmt.Sprintf("room=m%d row=w%d rack=r%d kind=k%d", i/800, i/200, i/20, i%5)))
	}
	var clusters []v1.SIPCluster
	count, slots := min(400, n/25), n*wanted/1000
	for c := range count {
		kind := func(k int) string { return fmt.Sprintf("k%d", k%5) }
		standby := max(1, n/10_000)
		active := (c+1)*slots/count - c*slots/count - 3 - standby
		worker := chosenBy(min(active, n/80), standby, expression("kind", metav1.LabelSelectorOpIn, kind(c), kind(c+1)))
		worker.TopologyKeys, worker.MaxPerDomainByKey = []string{"room", "row", "rack"}, map[string]v1.PerDomain{"room": 12, "row": 3}
		control := chosenBy(3, 0, expression("kind", metav1.LabelSelectorOpIn, kind(c), kind(c+2)))
		control.TopologyKeys = []string{"row", "rack"}
		clusters = append(clusters, newCluster(fmt.Sprintf("tenant-%04d", c), map[string]v1.NodeSet{v1.RoleControlPlane: control, v1.RoleWorker: worker}))
	}
	return clusters, hosts
}

func BenchmarkShapes(b *testing.B) {
	for _, shape := range slices.Concat(shapes, fleets, hardShapes) {
		for _, n := range []int{5_000, 20_000} {
			b.Run(fmt.Sprintf("%s/hosts=%d", shape.name, n), func(b *testing.B) {
				clusters, hosts := shape.make(n)
				benchmarkPlan(b, clusters, hosts)
			})
		}
	}
}
