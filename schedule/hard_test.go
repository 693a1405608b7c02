package schedule

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/inventory"
)

// hardShapes are sites that are hard in one way each. There are as many clusters for a host at every size: the
// numbers in the comments are for 100,000 hosts, from where chains and cuts get short.
var hardShapes = []struct {
	name string
	make sizedSite
}{
	{"own-overlap", ownOverlapSite},
	{"kinds-overcommitted", kindsSite},
	{"binary-features", func(n int) ([]v1.SIPCluster, []inventory.Host) { return binarySite(n, 170, false) }},
	{"binary-tight", func(n int) ([]v1.SIPCluster, []inventory.Host) { return binarySite(n, 240, false) }},
	{"binary-short", func(n int) ([]v1.SIPCluster, []inventory.Host) { return binarySite(n, 300, false) }},
	{"binary-rack", func(n int) ([]v1.SIPCluster, []inventory.Host) { return binarySite(n, 100, true) }},
	{"selectors", selectorsSite},
	{"chain", func(n int) ([]v1.SIPCluster, []inventory.Host) { return chainSite(n, false) }},
	{"chain-short", func(n int) ([]v1.SIPCluster, []inventory.Host) { return chainSite(n, true) }},
	{"nested", nestedFleet},
	{"one-too-few", oneTooFewSite},
}

func hardHosts(n int, labels func(i int) string) []inventory.Host {
	hosts := make([]inventory.Host, n)
	for i := range n {
		hosts[i] = newHost(fmt.Sprintf("node-%06d", i), labels(i))
	}
	return hosts
}

// perRack is a role with one host a rack at most.
func perRack(set v1.NodeSet) v1.NodeSet {
	set.TopologyKey = "rack"
	return set
}

// numbered are values such as k3, sorted.
func numbered(prefix string, numbers ...int) (names []string) {
	for _, k := range numbers {
		names = append(names, fmt.Sprintf("%s%d", prefix, k))
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// ownOverlapSite has a pool for every 50 hosts, and for each a cluster that selects it and two others.
func ownOverlapSite(n int) ([]v1.SIPCluster, []inventory.Host) {
	pools := n / 50
	hosts := hardHosts(n, func(i int) string { return fmt.Sprintf("rack=r%d pool=p%d", i/40, i%pools) })
	var clusters []v1.SIPCluster
	for i := range pools {
		by := is("pool", numbered("p", i, (i+1)%pools, 7*i%pools)...)
		clusters = append(clusters, tenantOf(i, perRack(chosenBy(5, 0, by)), chosenBy(50-8, 3, by)))
	}
	return clusters, hosts
}

// kindsSite has seven kinds, and wants more hosts than there are.
func kindsSite(n int) ([]v1.SIPCluster, []inventory.Host) {
	hosts := hardHosts(n, func(i int) string { return fmt.Sprintf("rack=r%d kind=k%d", i/40, i%7) })
	var clusters []v1.SIPCluster
	count := n / 250
	for i := range count {
		worker := perRack(chosenBy(min(n/40, 357), 10, is("kind", numbered("k", i%7, (i+1)%7, (i+3)%7)...)))
		clusters = append(clusters, tenantOf(i, perRack(chosenBy(5, 0, is("kind", numbered("k", i%7, (i+2)%7)...))), worker))
	}
	return clusters, hosts
}

// binarySite has 24 labels, each on half of the hosts.
func binarySite(n, active int, rack bool) ([]v1.SIPCluster, []inventory.Host) {
	rng := rand.New(rand.NewPCG(11, uint64(n)))
	hosts := hardHosts(n, func(i int) string {
		labels := fmt.Sprintf("rack=r%d serial=s%d", i/40, i)
		for f := range 24 {
			if rng.IntN(2) == 0 {
				labels += fmt.Sprintf(" f%d=y", f)
			}
		}
		return labels
	})
	var clusters []v1.SIPCluster
	for i := range n / 250 {
		a, b := rng.IntN(24), rng.IntN(23)
		if b >= a {
			b++
		}
		worker := chosenBy(active, 10, expression(fmt.Sprintf("f%d", a), "Exists"), expression(fmt.Sprintf("f%d", b), "DoesNotExist"))
		if rack {
			worker = perRack(worker)
		}
		clusters = append(clusters, tenantOf(i, perRack(chosenBy(3, 0, is(fmt.Sprintf("f%d", a), "y"))), worker))
	}
	return clusters, hosts
}

// selectorsSite has a cluster for every 50 hosts, whose roles avoid 40 racks each.
func selectorsSite(n int) ([]v1.SIPCluster, []inventory.Host) {
	rng := rand.New(rand.NewPCG(12, uint64(n)))
	hosts := hardHosts(n, func(i int) string { return fmt.Sprintf("rack=r%d row=w%d kind=k%d", i/40, i/800, i%3) })
	var clusters []v1.SIPCluster
	for i := range n / 50 {
		avoid := func() []string {
			var racks []int
			for range 40 {
				racks = append(racks, rng.IntN(n/40))
			}
			return numbered("r", racks...)
		}
		control := chosenBy(3, 0, expression("rack", "NotIn", avoid()...))
		control.TopologyKey, control.MaxPerDomain = "row", 3
		c := tenantOf(i, control, perRack(chosenBy(44, 0, expression("rack", "NotIn", avoid()...))))
		c.Spec.Nodes["x"], c.Spec.Priority = chosenBy(1, 0, is("kind", fmt.Sprintf("k%d", i%3))), int32(i%3)
		clusters = append(clusters, c)
	}
	return clusters, hosts
}

// chainSite has a group for every 50 hosts. Each cluster wants a whole one, of two that it may have, and the wrong
// one comes first; the last wants one host more, if short.
func chainSite(n int, short bool) ([]v1.SIPCluster, []inventory.Host) {
	groups := n / 50
	hosts := hardHosts(n, func(i int) string { return fmt.Sprintf("g=g%d", groups-1-i*groups/n) })
	var clusters []v1.SIPCluster
	for i := range groups {
		want := 50
		if short && i == groups-1 {
			want++
		}
		clusters = append(clusters, tenant(i, chosenBy(want, 0, is("g", numbered("g", i, (i+1)%groups)...))))
	}
	return clusters, hosts
}

// nestedFleet has rooms, rows and racks, and limits of one host in each.
func nestedFleet(n int) ([]v1.SIPCluster, []inventory.Host) {
	hosts := hardHosts(n, func(i int) string { return fmt.Sprintf("room=m%d row=w%d rack=r%d kind=k%d", i/400, i/200, i/20, i%5) })
	var clusters []v1.SIPCluster
	for i := range n / 250 {
		worker := chosenBy(n/400, 0, is("kind", numbered("k", i%5, (i+1)%5)...))
		worker.TopologyKeys = []string{"room", "row", "rack"}
		control := chosenBy(5, 0, is("kind", numbered("k", i%5, (i+2)%5)...))
		control.TopologyKeys = []string{"row", "rack"}
		clusters = append(clusters, tenantOf(i, control, worker))
	}
	return clusters, hosts
}

// oneTooFewSite has as many kinds as clusters and one more, and the last cluster wants a host that there is not: a
// cut of all roles.
func oneTooFewSite(n int) ([]v1.SIPCluster, []inventory.Host) {
	count := n / 250
	kinds := count + 1
	hosts := hardHosts(n, func(i int) string { return fmt.Sprintf("kind=k%d", i%kinds) })
	var clusters []v1.SIPCluster
	for i := range count {
		var may []int
		for k := 0; k < count; k += 2 {
			may = append(may, (i+k)%kinds)
		}
		want := n / count
		if i == count-1 {
			want = n - (count-1)*want + 1
		}
		clusters = append(clusters, tenant(i, chosenBy(want, 0, is("kind", numbered("k", may...)...))))
	}
	return clusters, hosts
}

// tenantOf is a cluster with control planes and workers.
func tenantOf(i int, control, worker v1.NodeSet) v1.SIPCluster {
	c := tenant(i, worker)
	c.Spec.Nodes[v1.RoleControlPlane] = control
	return c
}

// TestHardShapes: a chain can be placed, and lacks one host if the last cluster wants one more.
func TestHardShapes(t *testing.T) {
	for _, short := range []bool{false, true} {
		clusters, hosts := chainSite(1000, short)
		p := plan(t, clusters, hosts, Previous{}, testOptions)
		if used, _ := slotsOf(p); p.Schedulable() == short || used == 0 {
			t.Errorf("short %t: schedulable %t", short, p.Schedulable())
		}
	}
	clusters, hosts := oneTooFewSite(5000)
	p := plan(t, clusters, hosts, Previous{}, testOptions)
	if len(p.Shortages) != 1 || len(p.Shortages[0].Roles) != len(clusters) {
		t.Errorf("one too few: %d shortages, want one of all %d roles", len(p.Shortages), len(clusters))
	}
}
