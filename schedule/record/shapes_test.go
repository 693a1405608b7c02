package record

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/inventory"
)

// hardShapes are sites on which a placement is hard to find, or to rule out, from the list "hard shapes": each with
// what makes it so. Where that list has thousands of clusters, for 100,000 hosts, their number is in proportion to
// the hosts.
var hardShapes = []struct {
	name string
	make func(n int) world
}{
	{"plain", plain},
	{"own-overlap", ownOverlap},
	{"overcommitted", overcommitted},
	{"features", func(n int) world { return features(n, 170, false) }},
	{"features-tight", func(n int) world { return features(n, 240, false) }},
	{"features-short", func(n int) world { return features(n, 300, false) }},
	{"features-rack", func(n int) world { return features(n, 170, true) }},
	{"selectors", selectors},
	{"chain", func(n int) world { return chain(n, 0) }},
	{"chain-short", func(n int) world { return chain(n, 1) }},
	{"nested", nested},
	{"one-too-few", oneTooFew},
}

// fleet is n hosts in racks of 40, each with what label says besides, as "key=value key=value".
func fleet(n int, label func(i int) string) (hosts []inventory.Host) {
	for i := range n {
		h := inventory.Host{
			Namespace: "metal", Name: fmt.Sprintf("n%06d", i), UID: fmt.Sprintf("00000000-0000-4000-8000-%012d", i),
			Labels: map[string]string{"rack": fmt.Sprintf("r%d", i/40)},
			State:  inventory.State{Known: true, Provisioning: "available", Operational: "OK"},
		}
		for word := range strings.FieldsSeq(label(i)) {
			key, value, _ := strings.Cut(word, "=")
			h.Labels[key] = value
		}
		hosts = append(hosts, h)
	}
	return hosts
}

// wanting is a role with topology keys that have a bound of one host each.
func wanting(active, standby int, selector metav1.LabelSelector, keys ...string) v1.NodeSet {
	return v1.NodeSet{LabelSelector: selector, Count: &v1.NodeCount{Active: active, Standby: standby},
		TopologyKeys: keys}
}

// in selects hosts that have one of the numbers, as "k3", in a label.
func in(key string, numbers ...int) metav1.LabelSelector {
	r := requirement(key, metav1.LabelSelectorOpIn)
	for _, n := range numbers {
		r.Values = append(r.Values, fmt.Sprintf("k%d", n))
	}
	return selecting(r)
}

func asking(i int, roles map[string]v1.NodeSet) v1.SIPCluster {
	return v1.SIPCluster{
		ObjectMeta: metav1.ObjectMeta{Namespace: "edge", Name: fmt.Sprintf("c%05d", i)},
		Spec:       v1.SIPClusterSpec{Nodes: roles},
	}
}

func plain(n int) world {
	w := world{hosts: fleet(n, func(int) string { return "" })}
	for i := range n / 50 {
		w.clusters = append(w.clusters, asking(i, map[string]v1.NodeSet{
			v1.RoleControlPlane: wanting(3, 0, metav1.LabelSelector{}, "rack"),
			v1.RoleWorker:       wanting(44, 2, metav1.LabelSelector{}),
		}))
	}
	return w
}

// ownOverlap: each cluster has a selector of its own, which overlaps with several others.
func ownOverlap(n int) world {
	pools := n / 50
	w := world{hosts: fleet(n, func(i int) string { return fmt.Sprintf("pool=k%d", i%pools) })}
	for i := range pools {
		selector := in("pool", i, (i+1)%pools, 7*i%pools)
		control := wanting(5, 0, selector)
		control.TopologyKey, control.MaxPerDomain = "rack", 5
		w.clusters = append(w.clusters, asking(i, map[string]v1.NodeSet{
			v1.RoleControlPlane: control, v1.RoleWorker: wanting(n/pools-8, 3, selector),
		}))
	}
	return w
}

// overcommitted: the clusters want more hosts than there are.
func overcommitted(n int) world {
	w := world{hosts: fleet(n, func(i int) string { return fmt.Sprintf("kind=k%d", i%7) })}
	for i := range 400 {
		w.clusters = append(w.clusters, asking(i, map[string]v1.NodeSet{
			v1.RoleControlPlane: wanting(5, 0, in("kind", i%7, (i+2)%7), "rack"),
			v1.RoleWorker:       wanting(n/280, 10, in("kind", i%7, (i+1)%7, (i+3)%7), "rack"),
		}))
	}
	return w
}

// features: no two hosts are alike.
func features(n, active int, perRack bool) world {
	d := newDice(uint64(n), 24)
	w := world{hosts: fleet(n, func(i int) string {
		text := fmt.Sprintf("serial=s%d", i)
		for f := range 24 {
			if d.oneIn(2) {
				text += fmt.Sprintf(" f%d=y", f)
			}
		}
		return text
	})}
	for i := range n / 250 {
		a := d.IntN(24)
		with, without := fmt.Sprintf("f%d", a), fmt.Sprintf("f%d", (a+1+d.IntN(23))%24)
		worker := wanting(active, 10, selecting(
			requirement(with, metav1.LabelSelectorOpExists), requirement(without, metav1.LabelSelectorOpDoesNotExist)))
		if perRack { // there are fewer racks than the list has hosts, unless n is large
			worker.TopologyKey, worker.Count.Active = "rack", min(active, n/40-15)
		}
		w.clusters = append(w.clusters, asking(i, map[string]v1.NodeSet{
			v1.RoleControlPlane: wanting(3, 0, selecting(requirement(with, metav1.LabelSelectorOpIn, "y")), "rack"),
			v1.RoleWorker:       worker,
		}))
	}
	return w
}

// selectors: each role keeps out of racks of its own.
func selectors(n int) world {
	d := newDice(uint64(n), 40)
	w := world{hosts: fleet(n, func(i int) string { return fmt.Sprintf("row=w%d kind=k%d", i/800, i%3) })}
	avoiding := func(active int, key string) v1.NodeSet {
		r := requirement("rack", metav1.LabelSelectorOpNotIn)
		for range 40 {
			r.Values = append(r.Values, fmt.Sprintf("r%d", d.IntN(n/40)))
		}
		return wanting(active, 0, selecting(r), key)
	}
	clusters := n / 50
	for i := range clusters {
		control := avoiding(3, "row")
		worker := avoiding(n/clusters-6, "rack")
		c := asking(i, map[string]v1.NodeSet{
			v1.RoleControlPlane: control, v1.RoleWorker: worker, "x": wanting(1, 0, in("kind", i%3)),
		})
		c.Spec.Priority = int32(i % 3)
		w.clusters = append(w.clusters, c)
	}
	return w
}

// chain: each cluster can use the hosts of its own group and of the next one, and the next one's come first by
// name. more is what the last one wants above what there is.
func chain(n, more int) world {
	groups := n / 50
	w := world{hosts: fleet(n, func(i int) string { return fmt.Sprintf("group=k%d", groups-1-i*groups/n) })}
	for i := range groups {
		active := n / groups
		if i == groups-1 {
			active += more
		}
		worker := wanting(active, 0, in("group", i, i+1))
		w.clusters = append(w.clusters, asking(i, map[string]v1.NodeSet{v1.RoleWorker: worker}))
	}
	return w
}

// nested: racks in rows in rooms, and roles with bounds on all of them.
func nested(n int) world {
	w := world{hosts: fleet(n, func(i int) string {
		return fmt.Sprintf("room=m%d row=w%d rack=r%d kind=k%d", i/400, i/200, i/20, i%5)
	})}
	for i := range 400 {
		w.clusters = append(w.clusters, asking(i, map[string]v1.NodeSet{
			v1.RoleControlPlane: wanting(5, 0, metav1.LabelSelector{}, "row", "rack"),
			v1.RoleWorker:       wanting(n/400-5, 0, in("kind", i%5, (i+1)%5), "room", "row", "rack"),
		}))
	}
	return w
}

// oneTooFew: all clusters together want one host more than there is, and no smaller number of them is short.
func oneTooFew(n int) world {
	w := world{hosts: fleet(n, func(i int) string { return fmt.Sprintf("kind=k%d", i%401) })}
	for i := range 400 {
		var kinds []int
		for k := i; k <= i+398; k += 2 {
			kinds = append(kinds, k%401)
		}
		active := (i+1)*n/400 - i*n/400
		if i == 399 {
			active++
		}
		worker := wanting(active, 0, in("kind", kinds...))
		w.clusters = append(w.clusters, asking(i, map[string]v1.NodeSet{v1.RoleWorker: worker}))
	}
	return w
}
