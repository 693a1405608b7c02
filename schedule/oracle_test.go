package schedule_test

import (
	"fmt"
	"slices"
	"sort"

	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/schedule"
)

// What follows knows docs/placement.md and the public types, and nothing of this package: it decides by trying every
// assignment of hosts to roles, remembering what is left for the hosts that come after.

const (
	oracleNamespace = "fleet"
	oracleOther     = "other"
	oracleMetal     = "metal"
)

var oracleKeys = schedule.LabelKeys{ClusterNamespace: "x/ns", ClusterName: "x/cluster", NodeType: "x/role",
	Standby: "x/standby"}

// oracleRole is a role as the page describes it.
type oracleRole struct {
	cluster, name    string
	priority, order  int
	selector         map[string]string
	keys             []string       // for each value of each of them so many hosts of the role at most
	max              map[string]int // by key
	active, standby  int
	healthy, leaving []int // hosts that the labels give to the role: those that stay, those that go
	gone             int   // hosts that the tree has, and that are gone
	got              int   // new hosts
	promised         int   // new hosts that it gets if its cluster is placed, at its turn
	chosen           []int // of the new hosts those that a second try chose
	placed           bool
}

// oracle is a site, and who may have which of the free hosts.
type oracle struct {
	hosts []inventory.Host
	roles []*oracleRole
	free  []int
	// reserved are in the order of the list.
	reserved []*oracleReserve
}

// oracleReserve is an entry of the reservations: for the clusters of a namespace, or spares.
type oracleReserve struct {
	selector  map[string]string
	namespace string
	count     int // 0 for all of them
	// could are the hosts that could be kept at first. spent are those that replacements got of spares, and second
	// tries of what is kept for their clusters.
	could, spent int
}

// isFor says whether what is kept is for a role: it selects no other hosts.
func (o *oracle) isFor(by *oracleReserve, r *oracleRole) bool {
	return by.namespace == r.namespace() && !slices.ContainsFunc(o.hosts, func(h inventory.Host) bool {
		return r.selects(&h) && !chosen(by.selector, &h)
	})
}

// kept is how many hosts are to be kept yet, with more hosts for some roles.
func (o *oracle) kept(by *oracleReserve, more map[*oracleRole]int) int {
	n := by.could - by.spent
	for _, r := range o.roles {
		if by.namespace != "" && o.isFor(by, r) {
			n -= max(r.got+more[r], r.promised)
		}
	}
	return max(0, n)
}

// namespace is that of the role's cluster: the order of namespaces is that of the names.
func (r *oracleRole) namespace() string {
	if r.cluster >= "c2" {
		return oracleOther
	}
	return oracleNamespace
}

// key is that of the role's cluster.
func (r *oracleRole) key() schedule.ClusterKey {
	return schedule.ClusterKey{Namespace: r.namespace(), Name: r.cluster}
}

// closed says whether a host is for the clusters of another namespace alone.
func (o *oracle) closed(h *inventory.Host, namespace string) bool {
	return slices.ContainsFunc(o.reserved, func(by *oracleReserve) bool {
		return by.count == 0 && by.namespace != namespace && chosen(by.selector, h)
	})
}

func (r *oracleRole) selects(h *inventory.Host) bool { return chosen(r.selector, h) }

func chosen(selector map[string]string, h *inventory.Host) bool {
	for key, value := range selector {
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

// possible tries every way to give out the free hosts: each goes to one of the roles that may have it, is kept, or goes
// to none. Each role gets as many as it has, and more for some.
func (o *oracle) possible(more map[*oracleRole]int) bool {
	type state struct {
		left []int
		in   []map[string]int // by role: hosts by "key=value"
		keep []int            // by reservation
	}
	s := state{}
	for _, by := range o.reserved {
		s.keep = append(s.keep, o.kept(by, more))
	}
	hosts := slices.Clone(o.free)
	for _, r := range o.roles {
		in := map[string]int{}
		for _, h := range slices.Concat(r.healthy, r.chosen) {
			r.count(in, &o.hosts[h], 1)
		}
		s.left, s.in = append(s.left, max(0, r.got+more[r]-len(r.chosen))), append(s.in, in)
		hosts = slices.DeleteFunc(hosts, func(h int) bool { return slices.Contains(r.chosen, h) })
	}
	failed := map[string]bool{}
	var try func(at int) bool
	try = func(at int) bool {
		if max(0, slices.Max(append([]int{0}, s.left...)), slices.Max(append([]int{0}, s.keep...))) == 0 {
			return true
		}
		if at == len(hosts) {
			return false
		}
		known := fmt.Sprint(at, s.left, s.in, s.keep)
		if failed[known] {
			return false
		}
		h := &o.hosts[hosts[at]]
		for k, r := range o.roles {
			if s.left[k] == 0 || !r.selects(h) || !r.room(s.in[k], h) || o.closed(h, r.namespace()) {
				continue
			}
			s.left[k]--
			r.count(s.in[k], h, 1)
			is := try(at + 1)
			s.left[k]++
			r.count(s.in[k], h, -1)
			if is {
				return true
			}
		}
		for n, by := range o.reserved {
			if s.keep[n] == 0 || !chosen(by.selector, h) || by.namespace != "" && o.closed(h, by.namespace) {
				continue
			}
			s.keep[n]--
			is := try(at + 1)
			s.keep[n]++
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

// keep keeps what is reserved, as far as there are hosts.
func (o *oracle) keep() {
	for _, by := range o.reserved {
		lacks := by.count
		for _, r := range o.roles {
			for _, h := range slices.Concat(r.healthy, r.leaving) {
				if by.namespace == r.namespace() && chosen(by.selector, &o.hosts[h]) {
					lacks--
				}
			}
		}
		for by.could = max(0, lacks); !o.possible(nil); by.could-- {
		}
	}
}

// replace gives the role one host for one that is gone: a spare if no other will do, and else one that is kept for its
// cluster.
func (o *oracle) replace(r *oracleRole) bool {
	one := map[*oracleRole]int{r: 1}
	if o.possible(one) {
		r.got++
		return true
	}
	for _, by := range o.reserved {
		if by.namespace != "" || o.kept(by, nil) == 0 {
			continue
		}
		if by.spent++; o.possible(one) {
			r.got++
			return true
		}
		by.spent--
	}
	return o.own(r)
}

// own gives a role one host that is kept for its cluster, though it selects others: the first by name.
func (o *oracle) own(r *oracleRole) bool {
	for _, by := range o.reserved {
		if by.namespace != r.namespace() || o.isFor(by, r) || o.kept(by, nil) == 0 {
			continue
		}
		by.spent++
		in := map[string]int{}
		for _, h := range slices.Concat(r.healthy, r.chosen) {
			r.count(in, &o.hosts[h], 1)
		}
		for _, h := range o.free {
			host := &o.hosts[h]
			taken := slices.ContainsFunc(o.roles, func(r *oracleRole) bool { return slices.Contains(r.chosen, h) })
			if taken || !r.selects(host) || !chosen(by.selector, host) || o.closed(host, r.namespace()) ||
				!r.room(in, host) {
				continue
			}
			if r.chosen = append(r.chosen, h); !o.possible(map[*oracleRole]int{r: 1}) {
				r.chosen = r.chosen[:len(r.chosen)-1]
				continue
			}
			r.got++
			for _, other := range o.reserved {
				if other != by && other.namespace == r.namespace() && !o.isFor(other, r) && o.kept(other, nil) > 0 &&
					chosen(other.selector, host) {
					other.spent++
				}
			}
			return true
		}
		by.spent--
	}
	return false
}

// again tries a cluster once more: each role takes what is kept for the cluster first.
func (o *oracle) again(roles []*oracleRole, need map[*oracleRole]int) bool {
	spent := map[*oracleReserve]int{}
	for _, by := range o.reserved {
		spent[by] = by.spent
	}
	for _, r := range roles {
		r.promised = need[r]
	}
	placed := true
	for _, r := range roles {
		for r.got < need[r] && placed && o.own(r) {
		}
		if placed = placed && o.possible(map[*oracleRole]int{r: need[r] - r.got}); placed {
			r.got = need[r]
		}
	}
	for _, r := range roles {
		if r.promised = 0; !placed {
			r.got, r.chosen = 0, nil
		}
	}
	for _, by := range o.reserved {
		if !placed {
			by.spent = spent[by]
		}
	}
	return placed
}

// place serves the clusters by the page: "Who is served first", "How a host leaves".
func (o *oracle) place() {
	o.keep()
	clusters := o.clusters()
	for _, c := range clusters {
		need, gone := map[*oracleRole]int{}, map[*oracleRole]int{}
		for _, r := range c {
			lacks := max(0, r.active-len(r.healthy))
			gone[r] = min(r.gone, lacks)
			need[r] = lacks - gone[r]
		}
		placed := o.possible(need)
		for _, r := range c {
			if placed {
				r.got += need[r]
			}
		}
		placed = placed || o.again(c, need)
		for _, r := range c {
			for ; gone[r] > 0; gone[r]-- {
				placed = o.replace(r) && placed
			}
		}
		for _, r := range c {
			r.placed = placed
		}
	}
	for _, c := range clusters {
		for _, r := range c {
			for n := r.standby - max(0, len(r.healthy)-r.active); r.placed && n > 0 &&
				o.possible(map[*oracleRole]int{r: 1}); n-- {
				r.got++
			}
		}
	}
}

// clusters are the roles by cluster, in the order served.
func (o *oracle) clusters() (clusters [][]*oracleRole) {
	running := map[string]bool{}
	for _, r := range o.roles {
		running[r.cluster] = running[r.cluster] || len(r.healthy)+len(r.leaving)+r.gone > 0
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
