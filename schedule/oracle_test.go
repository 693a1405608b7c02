package schedule_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/schedule"
)

// What follows knows docs/placement.md and the public types, and nothing of this package: it decides by trying every assignment of hosts to roles,
// remembering what is left for the hosts that come after.

const (
	oracleNamespace = "fleet"
	oracleMetal     = "metal"
)

var oracleKeys = schedule.LabelKeys{ClusterNamespace: "x/ns", ClusterName: "x/cluster", NodeType: "x/role", Standby: "x/standby"}

// oracleRole is a role as the page describes it.
type oracleRole struct {
	cluster, name    string
	priority, order  int
	selector         map[string]string
	keys             []string       // for each value of each of them so many hosts of the role at most
	max              map[string]int // by key
	active, standby  int
	healthy, leaving []int // hosts that the labels give to the role: those that stay, those that go
	got              int   // new hosts
	placed           bool
}

// oracle is a site, and who may have which of the free hosts.
type oracle struct {
	hosts []inventory.Host
	roles []*oracleRole
	free  []int
}

func (r *oracleRole) selects(h *inventory.Host) bool {
	for key, value := range r.selector {
		if h.Labels[key] != value {
			return false
		}
	}
	return true
}

// count adds a host to those that the role has in each domain.
func (r *oracleRole) count(in map[string]int, h *inventory.Host, n int) {
	for _, key := range r.keys {
		domain := key + "=" + h.Labels[key]
		if in[domain] += n; in[domain] == 0 {
			delete(in, domain)
		}
	}
}

func (r *oracleRole) room(in map[string]int, h *inventory.Host) bool {
	for _, key := range r.keys {
		if in[key+"="+h.Labels[key]] >= r.max[key] {
			return false
		}
	}
	return true
}

// demand is a number of new hosts for a role, which already has hosts in some domains.
type demand struct {
	role *oracleRole
	n    int
	has  []int
}

// possible tries every way to give out the hosts: each goes to one of the roles that may have it, or to none.
func (o *oracle) possible(hosts []int, demands []demand) bool {
	type state struct {
		left []int
		in   []map[string]int // by role: hosts by "key=value"
	}
	s := state{}
	for _, d := range demands {
		in := map[string]int{}
		for _, h := range d.has {
			d.role.count(in, &o.hosts[h], 1)
		}
		s.left, s.in = append(s.left, max(0, d.n)), append(s.in, in)
	}
	failed := map[string]bool{}
	var try func(at int) bool
	try = func(at int) bool {
		if slices.Max(append([]int{0}, s.left...)) == 0 {
			return true
		}
		if at == len(hosts) {
			return false
		}
		known := fmt.Sprint(at, s.left, s.in)
		if failed[known] {
			return false
		}
		h := &o.hosts[hosts[at]]
		for k, d := range demands {
			if s.left[k] == 0 || !d.role.selects(h) || !d.role.room(s.in[k], h) {
				continue
			}
			s.left[k]--
			d.role.count(s.in[k], h, 1)
			is := try(at + 1)
			s.left[k]++
			d.role.count(s.in[k], h, -1)
			if is {
				return true
			}
		}
		if try(at + 1) {
			return true
		}
		failed[known] = true
		return false
	}
	return try(0)
}

// all are the demands of every role as it stands, with more for some.
func (o *oracle) all(more map[*oracleRole]int) (demands []demand) {
	for _, r := range o.roles {
		demands = append(demands, demand{r, r.got + more[r], r.healthy})
	}
	return demands
}

// place serves the clusters by the page: "Who is served first", "How a host leaves".
func (o *oracle) place() {
	clusters := o.clusters()
	for _, c := range clusters {
		need := map[*oracleRole]int{}
		for _, r := range c {
			need[r] = max(0, r.active-len(r.healthy))
		}
		placed := o.possible(o.free, o.all(need))
		for _, r := range c {
			r.placed = placed
			if placed {
				r.got += need[r]
			}
		}
	}
	for _, c := range clusters {
		for _, r := range c {
			for n := r.standby - max(0, len(r.healthy)-r.active); r.placed && n > 0 && o.possible(o.free, o.all(map[*oracleRole]int{r: 1})); n-- {
				r.got++
			}
		}
	}
}

// clusters are the roles by cluster, in the order served.
func (o *oracle) clusters() (clusters [][]*oracleRole) {
	running := map[string]bool{}
	for _, r := range o.roles {
		running[r.cluster] = running[r.cluster] || len(r.healthy)+len(r.leaving) > 0
	}
	sort.SliceStable(o.roles, func(i, j int) bool {
		a, b := o.roles[i], o.roles[j]
		if a.priority != b.priority {
			return a.priority > b.priority
		}
		if running[a.cluster] != running[b.cluster] {
			return running[a.cluster]
		}
		if a.cluster != b.cluster {
			return a.cluster < b.cluster
		}
		return a.order < b.order
	})
	for i, r := range o.roles {
		if i == 0 || o.roles[i-1].cluster != r.cluster {
			clusters = append(clusters, nil)
		}
		clusters[len(clusters)-1] = append(clusters[len(clusters)-1], r)
	}
	return clusters
}

// oracleSite is a random site: some hosts are held, and some of these more than are wanted. With perKey, racks lie in rows, and some roles have
// a limit for each.
func oracleSite(rng *rand.Rand, perKey bool) *oracle {
	o := &oracle{}
	for i := range 3 + rng.IntN(6) {
		o.hosts = append(o.hosts, inventory.Host{
			Namespace: oracleMetal, Name: fmt.Sprintf("n%d", i), UID: fmt.Sprintf("u%d", i),
			Labels: map[string]string{"size": []string{"s", "l"}[rng.IntN(2)], "rack": fmt.Sprintf("k%d", rng.IntN(4)), "gpu": []string{"y", "n"}[rng.IntN(2)]},
			State:  inventory.State{Known: true, Provisioning: "available", Operational: "OK"},
		})
	}
	for c := range 1 + rng.IntN(4) {
		priority := rng.IntN(2)
		for order := range 1 + rng.IntN(2) {
			r := &oracleRole{
				cluster: fmt.Sprintf("c%d", c), name: []string{v1.RoleControlPlane, v1.RoleWorker}[order], priority: priority, order: order,
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
			host.Labels[oracleKeys.ClusterNamespace], host.Labels[oracleKeys.ClusterName], host.Labels[oracleKeys.NodeType] = oracleNamespace, r.cluster, r.name
			if len(r.healthy) == r.active+r.standby { // more than it wants: the last by name go, or the first of one more
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
		spec.Namespace, spec.Name = oracleNamespace, roles[0].cluster
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

func (o *oracle) String() string {
	var b strings.Builder
	for i := range o.hosts {
		fmt.Fprintln(&b, o.hosts[i].Name, o.hosts[i].Labels)
	}
	for _, r := range o.roles {
		fmt.Fprintf(&b, "%s %s (%d): %v keys=%v max=%v active=%d standby=%d\n", r.cluster, r.name, r.priority, r.selector, r.keys, r.max, r.active, r.standby)
	}
	return b.String()
}
