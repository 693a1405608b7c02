package schedule_test

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"k8s.io/apimachinery/pkg/labels"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/schedule"
)

// oracleSite is a random site: some hosts are held, and some of these more than are wanted. With perKey, racks lie in
// rows, and some roles have a limit for each.
func oracleSite(rng *rand.Rand, perKey bool) *oracle {
	o := &oracle{}
	for i := range 3 + rng.IntN(6) {
		o.hosts = append(o.hosts, inventory.Host{
			Namespace: oracleMetal, Name: fmt.Sprintf("n%d", i), UID: fmt.Sprintf("u%d", i),
			Labels: map[string]string{"size": []string{"s", "l"}[rng.IntN(2)], "rack": fmt.Sprintf("k%d", rng.IntN(4)),
				"gpu": []string{"y", "n"}[rng.IntN(2)]},
			State: inventory.State{Known: true, Provisioning: "available", Operational: "OK"},
		})
	}
	for c := range 1 + rng.IntN(4) {
		priority := rng.IntN(2)
		for order := range 1 + rng.IntN(2) {
			r := &oracleRole{
				cluster: fmt.Sprintf("c%d", c), name: []string{v1.RoleControlPlane, v1.RoleWorker}[order],
				priority: priority, order: order,
				selector: []map[string]string{{}, {"size": "l"}, {"gpu": "y"}, {"size": "s", "gpu": "n"}}[rng.IntN(4)],
				max:      map[string]int{"rack": 1 + rng.IntN(2)}, active: rng.IntN(4), standby: rng.IntN(2),
			}
			if rng.IntN(2) == 0 {
				r.keys = []string{"rack"}
			}
			if perKey && rng.IntN(4) > 0 {
				r.keys, r.max["row"] = []string{"row", "rack"}, 1+rng.IntN(3)
			}
			o.roles = append(o.roles, r)
		}
	}
	for h := range o.hosts {
		labels := o.hosts[h].Labels
		labels["row"] = map[string]string{"k0": "v0", "k1": "v0", "k2": "v1", "k3": "v1"}[labels["rack"]]
	}
	held := map[int]bool{}
	for _, r := range o.roles {
		in := map[string]int{}
		for h := range o.hosts {
			host := &o.hosts[h]
			if held[h] || !r.selects(host) || rng.IntN(5) > 0 || !r.room(in, host) {
				continue
			}
			held[h] = true
			host.Labels[oracleKeys.ClusterNamespace], host.Labels[oracleKeys.ClusterName], host.Labels[oracleKeys.NodeType] = r.namespace(), r.cluster, r.name
			if len(r.healthy) == r.active+
				r.standby { // more than it wants: the last by name go, or the first of one more
				r.leaving = append(r.leaving, h)
				continue
			}
			r.count(in, host, 1)
			r.healthy = append(r.healthy, h)
		}
	}
	for h := range o.hosts {
		if !held[h] {
			o.free = append(o.free, h)
		}
	}
	return o
}

func (o *oracle) specs() (specs []v1.SIPCluster) {
	for _, roles := range o.clusters() {
		spec := v1.SIPCluster{}
		spec.Namespace, spec.Name = roles[0].namespace(), roles[0].cluster
		spec.Spec.Priority, spec.Spec.Nodes = int32(roles[0].priority), map[string]v1.NodeSet{}
		for _, r := range roles {
			set := v1.NodeSet{Count: &v1.NodeCount{Active: r.active, Standby: r.standby}}
			switch len(r.keys) {
			case 1:
				set.TopologyKey, set.MaxPerDomain = r.keys[0], r.max[r.keys[0]]
			case 2:
				set.TopologyKeys, set.MaxPerDomainByKey = r.keys, map[string]v1.PerDomain{}
				for _, key := range r.keys {
					set.MaxPerDomainByKey[key] = v1.PerDomain(r.max[key])
				}
			}
			set.LabelSelector.MatchLabels = r.selector
			spec.Spec.Nodes[r.name] = set
		}
		specs = append(specs, spec)
	}
	return specs
}

// reserve adds reservations, at most one of spares, and hosts that are gone.
func (o *oracle) reserve(rng *rand.Rand) (reserved []schedule.Reservation, tree schedule.Previous) {
	for i := range rng.IntN(4) {
		by := &oracleReserve{
			selector:  []map[string]string{{"size": "l"}, {"gpu": "y"}, {"rack": "k0"}, {}}[rng.IntN(4)],
			count:     rng.IntN(4),
			namespace: []string{oracleNamespace, oracleOther}[rng.IntN(2)],
		}
		out := schedule.Reservation{Name: fmt.Sprint("r", i), Selector: labels.SelectorFromSet(by.selector)}
		if i == 0 && rng.IntN(2) == 0 {
			by.namespace, by.count = "", 1+rng.IntN(3)
		} else {
			out.Tenants, out.Namespaces = []string{by.namespace}, map[string]bool{by.namespace: true}
		}
		if by.count > 0 {
			out.Count = &by.count
		}
		o.reserved, reserved = append(o.reserved, by), append(reserved, out)
	}
	tree.Empty = map[schedule.RoleKey]int{}
	for i, r := range o.roles {
		if len(r.leaving) > 0 || rng.IntN(3) > 0 {
			continue
		}
		r.gone = 1 + rng.IntN(2)
		if rng.IntN(2) == 0 { // noted in the tree, or gone since
			tree.Empty[schedule.RoleKey{Cluster: r.key(), Role: r.name}] = r.gone
			continue
		}
		for n := range r.gone {
			tree.Claims = append(tree.Claims, schedule.PreviousClaim{
				Host: schedule.HostKey{Namespace: oracleMetal, Name: fmt.Sprint("gone", i, n)}, UID: "gone",
				Cluster: r.key(), Role: r.name,
			})
		}
	}
	return reserved, tree
}

func (o *oracle) String() string {
	var b strings.Builder
	for _, by := range o.reserved {
		fmt.Fprintf(&b, "reserved: %+v\n", *by)
	}
	for i := range o.hosts {
		fmt.Fprintln(&b, o.hosts[i].Name, o.hosts[i].Labels)
	}
	for _, r := range o.roles {
		fmt.Fprintf(&b, "%s %s (%d): %v keys=%v max=%v active=%d standby=%d gone=%d\n", r.cluster, r.name, r.priority,
			r.selector, r.keys, r.max, r.active, r.standby, r.gone)
	}
	return b.String()
}
