package schedule

import (
	"fmt"
	"math/rand/v2"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/inventory"
)

// fleets are sites as they grow: each has a lot of one thing.
var fleets = []struct {
	name string
	make func(n int) ([]v1.SIPCluster, []inventory.Host)
}{
	{"per-key", func(n int) ([]v1.SIPCluster, []inventory.Host) { return perKeySite(n, 892) }},
	{"discovered", discoveredFleet},
	{"one-each", func(n int) ([]v1.SIPCluster, []inventory.Host) { return namedFleet(n, 1) }},
	{"one-each-short", func(n int) ([]v1.SIPCluster, []inventory.Host) { return namedFleet(n, 2) }},
	{"64-roles", rolesFleet},
	{"unequal-zones", zonesFleet},
	{"spread-racks", spreadFleet},
	{"own-limits", limitsFleet},
	{"three-levels-short", levelsFleet},
	{"neighbors-short", func(n int) ([]v1.SIPCluster, []inventory.Host) { return neighboursFleet(n, 1) }},
	{"shrinks", func(n int) ([]v1.SIPCluster, []inventory.Host) { return shrunkFleet(n, n/10) }},
	{"all-go", func(n int) ([]v1.SIPCluster, []inventory.Host) { return shrunkFleet(n, 0) }},
}

// racked are hosts in racks of 40 and rows of 800, with more labels.
func racked(n int, more func(i int) string) (hosts []inventory.Host) {
	for i := range n {
		hosts = append(hosts, newHost(fmt.Sprintf("node-%06d", i), fmt.Sprintf("rack=rack-%04d row=row-%03d %s", i/40, i/800, more(i))))
	}
	return hosts
}

// tenant is cluster number c, with workers alone.
func tenant(c int, workers v1.NodeSet) v1.SIPCluster {
	return newCluster(fmt.Sprintf("tenant-%05d", c), map[string]v1.NodeSet{v1.RoleWorker: workers})
}

func is(key string, values ...string) metav1.LabelSelectorRequirement {
	return expression(key, metav1.LabelSelectorOpIn, values...)
}

// discoveredFleet has 40 labels of Node Feature Discovery on each host, with few values or many, and its own name as a topology key.
func discoveredFleet(n int) ([]v1.SIPCluster, []inventory.Host) {
	rng := rand.New(rand.NewPCG(11, uint64(n)))
	feature := func(f int) string { return fmt.Sprintf("feature.node.kubernetes.io/x%02d", f%40) }
	hosts := racked(n, func(i int) string { return fmt.Sprintf("kubernetes.io/hostname=node-%06d", i) })
	for i := range hosts {
		for f := range 40 {
			hosts[i].Labels[feature(f)] = fmt.Sprintf("v%d", rng.IntN(2+f))
		}
	}
	var clusters []v1.SIPCluster
	for c := range n / 250 {
		f, g := rng.IntN(40), rng.IntN(40)
		control := chosenBy(5, 0, is(feature(f), "v0", "v1"), expression(feature(f+1), metav1.LabelSelectorOpNotIn, "v0"))
		worker := chosenBy(150, 3, is(feature(g), "v0", "v1"), expression(feature(g+1), metav1.LabelSelectorOpNotIn, "v0"))
		control.TopologyKey, worker.TopologyKey = "rack", "kubernetes.io/hostname"
		clusters = append(clusters, newCluster(fmt.Sprintf("tenant-%05d", c), map[string]v1.NodeSet{v1.RoleControlPlane: control, v1.RoleWorker: worker}))
	}
	return clusters, hosts
}

// namedFleet has a cluster for every 10 hosts that selects one of them by its name, and wants some.
func namedFleet(n, want int) ([]v1.SIPCluster, []inventory.Host) {
	var clusters []v1.SIPCluster
	for c := range n / 10 {
		clusters = append(clusters, tenant(c, chosenBy(want, 0, is("hostname", fmt.Sprintf("h%d", 10*c)))))
	}
	return clusters, racked(n, func(i int) string { return fmt.Sprintf("hostname=h%d", i) })
}

// rolesFleet has clusters of 64 roles each, the last of fewer: as many roles for a host at any size, which use 90% of the hosts.
func rolesFleet(n int) ([]v1.SIPCluster, []inventory.Host) {
	rng := rand.New(rand.NewPCG(12, uint64(n)))
	model := func() string { return fmt.Sprintf("m%d", rng.IntN(23)) }
	var clusters []v1.SIPCluster
	roles := n * 9984 / 100_000
	for c := range (roles + 63) / 64 {
		nodes := map[string]v1.NodeSet{}
		for k := range min(64, roles-64*c) {
			set := chosenBy(8, 1, is("model", model(), model(), model()), expression("disk", metav1.LabelSelectorOpNotIn, fmt.Sprintf("d%d", rng.IntN(5))))
			if k%2 == 0 {
				set.TopologyKey = "rack"
			}
			nodes[fmt.Sprintf("Role%02d", k)] = set
		}
		clusters = append(clusters, newCluster(fmt.Sprintf("tenant-%05d", c), nodes))
	}
	return clusters, racked(n, func(i int) string { return fmt.Sprintf("model=m%d disk=d%d", i%23, i%5) })
}

// zonesFleet has nine tenths of the hosts in one zone, the others in 30; workers are to lie evenly in all.
func zonesFleet(n int) ([]v1.SIPCluster, []inventory.Host) {
	hosts := racked(n, func(i int) string {
		if i%10 == 9 {
			return fmt.Sprintf("zone=small-%d model=m%d", i/10%30, i%7)
		}
		return fmt.Sprintf("zone=large model=m%d", i%7)
	})
	var clusters []v1.SIPCluster
	for c := range n / 250 {
		worker := chosenBy(200, 10, is("model", fmt.Sprintf("m%d", c%7), fmt.Sprintf("m%d", (c+3)%7)))
		worker.Spread = &v1.Spread{TopologyKey: "zone"}
		clusters = append(clusters, tenant(c, worker))
	}
	return clusters, hosts
}

// spreadFleet has workers that are to lie evenly in all racks.
func spreadFleet(n int) ([]v1.SIPCluster, []inventory.Host) {
	var clusters []v1.SIPCluster
	for c := range n / 250 {
		worker := chosenBy(200, 10)
		worker.Spread = &v1.Spread{TopologyKey: "rack"}
		clusters = append(clusters, tenant(c, worker))
	}
	return clusters, racked(n, func(int) string { return "" })
}

// limitsFleet has clusters that each allow a number of hosts of their own in a row and in a rack.
func limitsFleet(n int) ([]v1.SIPCluster, []inventory.Host) {
	var clusters []v1.SIPCluster
	for c := range n / 250 {
		worker := chosenBy(100, 5)
		worker.TopologyKeys, worker.MaxPerDomainByKey = []string{"row", "rack"}, map[string]v1.PerDomain{"row": v1.PerDomain(10 + c), "rack": v1.PerDomain(2 + c%5)}
		clusters = append(clusters, tenant(c, worker))
	}
	return clusters, racked(n, func(int) string { return "" })
}

// levelsFleet is perKeySite with clusters that want more hosts than there are.
func levelsFleet(n int) ([]v1.SIPCluster, []inventory.Host) { return perKeySite(n, 1060) }

// neighboursFleet has pools of 50 hosts, and as many clusters: each selects a pool and the next one, so that all compete, and none of them gets the standby host that it
// wants too. The pool of the next cluster is so many further on.
func neighboursFleet(n, on int) ([]v1.SIPCluster, []inventory.Host) {
	pool := func(p int) string { return fmt.Sprintf("p%d", p%(n/50)) }
	var clusters []v1.SIPCluster
	for c := range n / 50 {
		clusters = append(clusters, tenant(c, chosenBy(50, 1, is("pool", pool(c*on), pool(c*on+1)))))
	}
	return clusters, racked(n, func(i int) string { return "pool=" + pool(i/50) })
}

// shrunkFleet has one cluster with half of the hosts, which wants no more than some of them.
func shrunkFleet(n, want int) ([]v1.SIPCluster, []inventory.Host) {
	hosts := racked(n, func(int) string { return "" })
	for i := range n / 2 {
		hosts[i] = claimed(hosts[i], "tenant-00000", v1.RoleWorker)
	}
	worker := chosenBy(want, 0)
	worker.TopologyKeys, worker.MaxPerDomainByKey = []string{"rack"}, map[string]v1.PerDomain{"rack": 30}
	return []v1.SIPCluster{tenant(0, worker)}, hosts
}

// TestNeighbours: all clusters are named that compete.
func TestNeighbours(t *testing.T) {
	clusters, hosts := neighboursFleet(1000, 7)
	p := plan(t, clusters, hosts, Previous{}, testOptions)
	need.Must(t, len(p.Shortages) == len(clusters), "%d shortages, want %d", len(p.Shortages), len(clusters))
	for _, short := range p.Shortages {
		need.That(t, len(short.Roles) == len(clusters),
			"%s: %d roles compete, want %d", short.Short, len(short.Roles), len(clusters))
		// Each has a selector of its own, and the one that is short needs one more.
		selector := workerSelectors(clusters)[short.Short.Cluster]
		if first := short.Groups[0]; first.Selector != selector || first.Need != 51 {
			t.Errorf("%s: the group that needs most is %+v, want 51 for %s", short.Short, first, selector)
		}
		roles, needed := short.Others.Roles, short.Others.Need
		for _, group := range short.Groups {
			roles, needed = roles+group.Roles, needed+group.Need
		}
		need.That(t, len(short.Groups) == mostGroups && roles == len(short.Roles) && needed == short.Need,
			"%s: %d groups and others have %d roles that need %d, want %d that need %d", short.Short, len(short.Groups), roles, needed, len(short.Roles), short.Need)
	}
}

// workerSelectors are the selectors of the clusters' workers.
func workerSelectors(clusters []v1.SIPCluster) map[ClusterKey]string {
	selectors := map[ClusterKey]string{}
	for _, c := range clusters {
		set := c.Spec.Nodes[v1.RoleWorker]
		selector, _ := set.HostSelector()
		selectors[ClusterKey{Namespace: c.Namespace, Name: c.Name}] = selector.String()
	}
	return selectors
}

func expression(key string, operator metav1.LabelSelectorOperator, values ...string) metav1.LabelSelectorRequirement {
	return metav1.LabelSelectorRequirement{Key: key, Operator: operator, Values: values}
}

func chosenBy(active, standby int, by ...metav1.LabelSelectorRequirement) v1.NodeSet {
	return v1.NodeSet{LabelSelector: metav1.LabelSelector{MatchExpressions: by}, Count: &v1.NodeCount{Active: active, Standby: standby}}
}

// perKeySite has rooms of 800 hosts, rows of 200 and racks of 20. Clusters, one for every 25 hosts and 400 at most, want so many hosts of 1,000 and have limits for
// each of the three keys: workers have a kind of their own and the next one, at most 12 in a room, 3 in a row and 1 in a rack, and control planes 1 in a row. From
// 10,000 hosts on, hosts, slots and domains grow alike, so that a cluster wants as many of those that its limits allow: ten times as many clusters, each as large,
// would not fit into a tenth of the rows.
func perKeySite(n, wanted int) ([]v1.SIPCluster, []inventory.Host) {
	hosts := racked(n, func(i int) string { return fmt.Sprintf("room=m%d row=w%d rack=r%d kind=k%d", i/800, i/200, i/20, i%5) })
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

// chainSite has a group for every 50 hosts. Each cluster wants a whole one, of two that it may have, and the wrong
// one comes first; the last wants one host more, if short.
func chainSite(n int, short bool) ([]v1.SIPCluster, []inventory.Host) {
	groups := n / 50
	hosts := racked(n, func(i int) string { return fmt.Sprintf("g=g%d", groups-1-i*groups/n) })
	var clusters []v1.SIPCluster
	for i := range groups {
		want := 50
		if short && i == groups-1 {
			want++
		}
		clusters = append(clusters, tenant(i, chosenBy(want, 0, is("g", fmt.Sprint("g", i), fmt.Sprint("g", (i+1)%groups)))))
	}
	return clusters, hosts
}

// oneTooFewSite has as many kinds as clusters and one more, and the last cluster wants a host that there is not: a
// cut of all roles.
func oneTooFewSite(n int) ([]v1.SIPCluster, []inventory.Host) {
	count := n / 250
	kinds := count + 1
	hosts := racked(n, func(i int) string { return fmt.Sprintf("kind=k%d", i%kinds) })
	var clusters []v1.SIPCluster
	for i := range count {
		var may []string
		for k := 0; k < count; k += 2 {
			may = append(may, fmt.Sprint("k", (i+k)%kinds))
		}
		want := n / count
		if i == count-1 {
			want = n - (count-1)*want + 1
		}
		clusters = append(clusters, tenant(i, chosenBy(want, 0, is("kind", may...))))
	}
	return clusters, hosts
}

// TestHardShapes: a chain can be placed, and lacks one host if the last cluster wants one more.
func TestHardShapes(t *testing.T) {
	for _, short := range []bool{false, true} {
		clusters, hosts := chainSite(1000, short)
		p := plan(t, clusters, hosts, Previous{}, testOptions)
		used, _ := slotsOf(p)
		need.That(t, p.Schedulable() != short && used != 0, "short %t: schedulable %t", short, p.Schedulable())
	}
	clusters, hosts := oneTooFewSite(5000)
	p := plan(t, clusters, hosts, Previous{}, testOptions)
	need.That(t, len(p.Shortages) == 1 && len(p.Shortages[0].Roles) == len(clusters),
		"one too few: %d shortages, want one of all %d roles", len(p.Shortages), len(clusters))
}

func BenchmarkShapes(b *testing.B) {
	for _, shape := range fleets {
		for _, n := range []int{5_000, 20_000} {
			b.Run(fmt.Sprintf("%s/hosts=%d", shape.name, n), func(b *testing.B) {
				clusters, hosts := shape.make(n)
				benchmarkPlan(b, clusters, hosts)
			})
		}
	}
}
