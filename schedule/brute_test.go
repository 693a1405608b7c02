package schedule

import (
	"fmt"
	"slices"
	"strings"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/inventory"
)

// brute is the definition of the result, by trying everything.
type brute struct {
	hosts []inventory.Host
	roles []bruteRole
}

type bruteRole struct {
	name   string
	can    []bool
	levels []bruteLevel
	need   int
	chosen []int
}

// bruteLevel is a topology key: the domains of all hosts, and how many one may have.
type bruteLevel struct {
	domain []string
	max    int
}

func newBruteRole(name string, set *v1.NodeSet, hosts []inventory.Host) bruteRole {
	r := bruteRole{name: name}
	keys := set.TopologyKeys
	if set.TopologyKey != "" {
		keys = []string{set.TopologyKey}
	}
	for _, key := range keys {
		level := bruteLevel{max: max(1, set.MaxPerDomain, int(set.MaxPerDomainByKey[key]))}
		for i := range hosts {
			level.domain = append(level.domain, hosts[i].Labels[key])
		}
		r.levels = append(r.levels, level)
	}
	return r
}

// bruteIn counts a role's hosts by level and domain.
type bruteIn map[[2]string]int

func (in bruteIn) add(r *bruteRole, h, n int) {
	for k, level := range r.levels {
		in[[2]string{fmt.Sprint(k), level.domain[h]}] += n
	}
}

func (in bruteIn) room(r *bruteRole, h int) bool {
	for k, level := range r.levels {
		if d := level.domain[h]; d != "" && in[[2]string{fmt.Sprint(k), d}] >= level.max {
			return false
		}
	}
	return true
}

// feasible says whether every role can have its need, with the hosts it has chosen already.
func (b *brute) feasible() bool {
	taken := make([]bool, len(b.hosts))
	for _, r := range b.roles {
		for _, h := range r.chosen {
			taken[h] = true
		}
	}
	var try func(role, from, left int, in bruteIn) bool
	start := func(role int) bool {
		if role == len(b.roles) {
			return true
		}
		r := &b.roles[role]
		in := bruteIn{}
		for _, h := range r.chosen {
			in.add(r, h, 1)
		}
		return try(role, 0, r.need-len(r.chosen), in)
	}
	try = func(role, from, left int, in bruteIn) bool {
		if left == 0 {
			return start(role + 1)
		}
		r := &b.roles[role]
		for h := from; h < len(b.hosts); h++ {
			if taken[h] || !r.can[h] || !in.room(r, h) {
				continue
			}
			taken[h] = true
			in.add(r, h, 1)
			fits := try(role, h+1, left-1, in)
			taken[h] = false
			in.add(r, h, -1)
			if fits {
				return true
			}
		}
		return false
	}
	return start(0)
}

// bruteForce serves clusters as Plan documents it and gives what summary gives.
func bruteForce(clusters []v1.SIPCluster, hosts []inventory.Host) (string, *brute) {
	clusters = slices.Clone(clusters)
	slices.SortFunc(clusters, func(a, b v1.SIPCluster) int {
		if a.Spec.Priority != b.Spec.Priority {
			return int(b.Spec.Priority - a.Spec.Priority)
		}
		return strings.Compare(a.Name, b.Name)
	})
	order := []string{v1.RoleControlPlane, v1.RoleWorker, "Edge"}
	b := &brute{hosts: hosts}
	unschedulable := map[string]bool{}
	for _, c := range clusters {
		for _, name := range order {
			set, is := c.Spec.Nodes[name]
			if !is {
				continue
			}
			r := newBruteRole(c.Name+" "+name, &set, hosts)
			selector, _ := set.HostSelector()
			for i := range hosts {
				h := &hosts[i]
				ok := matches(selector, h) && !h.State.Paused && carries(&set, h) && ofVendor(&set, h)
				for _, network := range c.Networks(name) {
					ok = ok && len(h.On(network)) > 0
				}
				r.can = append(r.can, ok)
			}
			b.roles = append(b.roles, r)
		}
	}
	at := func(c, name string) *bruteRole {
		for i := range b.roles {
			if b.roles[i].name == c+" "+name {
				return &b.roles[i]
			}
		}
		return nil
	}
	for _, c := range clusters {
		for name, set := range c.Spec.Nodes {
			at(c.Name, name).need = set.Count.Active
		}
		if contradicts(&c, hosts) || !b.feasible() {
			unschedulable[c.Name] = true
			for name := range c.Spec.Nodes {
				at(c.Name, name).need = 0
			}
		}
	}
	for _, c := range clusters {
		if unschedulable[c.Name] {
			continue
		}
		for _, name := range order {
			set := c.Spec.Nodes[name]
			if set.Count == nil {
				continue
			}
			for range set.Count.Standby {
				at(c.Name, name).need++
				if !b.feasible() {
					at(c.Name, name).need--
					break
				}
			}
		}
	}
	for i := range b.roles {
		r := &b.roles[i]
		in := bruteIn{}
		for h := range hosts {
			used := false
			for j := range b.roles {
				used = used || slices.Contains(b.roles[j].chosen, h)
			}
			if len(r.chosen) == r.need || used || !r.can[h] || !in.room(r, h) {
				continue
			}
			r.chosen = append(r.chosen, h)
			if !b.feasible() {
				r.chosen = r.chosen[:len(r.chosen)-1]
				continue
			}
			in.add(r, h, 1)
		}
	}
	var out strings.Builder
	for _, c := range clusters {
		for _, name := range order {
			set := c.Spec.Nodes[name]
			if set.Count == nil {
				continue
			}
			r := at(c.Name, name)
			fmt.Fprintf(&out, "%s:", r.name)
			for n, h := range r.chosen {
				if n < set.Count.Active {
					fmt.Fprintf(&out, " +%s", hosts[h].Name)
				} else {
					fmt.Fprintf(&out, " +~%s", hosts[h].Name)
				}
			}
			active := min(len(r.chosen), set.Count.Active)
			if active < set.Count.Active || len(r.chosen)-active < set.Count.Standby {
				fmt.Fprintf(&out, " short %d/%d", set.Count.Active-active, set.Count.Standby-(len(r.chosen)-active))
			}
			if unschedulable[c.Name] {
				out.WriteString(" unschedulable")
			}
			out.WriteString("\n")
		}
	}
	return out.String(), b
}

// carries says whether a role may have a host as far as topology keys go.
func carries(set *v1.NodeSet, h *inventory.Host) bool {
	return set.Unlabelled == v1.UnlabelledAllow || !slices.ContainsFunc(set.Keys(), func(key string) bool { return h.Labels[key] == "" })
}

// contradicts says whether a role of the cluster wants hosts, and has a topology key that none of those it selects carries.
func contradicts(c *v1.SIPCluster, hosts []inventory.Host) bool {
	for _, set := range c.Spec.Nodes {
		selector, _ := set.HostSelector()
		selected, labeled := 0, map[string]bool{}
		keys := append(slices.Clone(set.TopologyKeys), set.TopologyKey)
		for i := range hosts {
			if matches(selector, &hosts[i]) {
				selected++
				for _, key := range keys {
					labeled[key] = labeled[key] || hosts[i].Labels[key] != ""
				}
			}
		}
		for _, key := range keys {
			if set.Count.Active+set.Count.Standby > 0 && key != "" && selected > 0 && !labeled[key] {
				return true
			}
		}
	}
	return false
}

// certified holds a shortage against counting: its roles cannot have what they need, and together they can have just its capacity.
func certified(b *brute, short Shortage, needs map[string]int) error {
	sub := &brute{hosts: b.hosts}
	for _, key := range short.Roles {
		for _, r := range b.roles {
			if r.name == key.Cluster.Name+" "+key.Role {
				r.chosen, r.need = nil, needs[r.name]
				sub.roles = append(sub.roles, r)
			}
		}
	}
	total := 0
	for _, r := range sub.roles {
		total += r.need
	}
	if total != short.Need {
		return fmt.Errorf("need %d, the roles need %d", short.Need, total)
	}
	if sub.feasible() {
		return fmt.Errorf("the roles can have what they need")
	}
	var most func(i, sum int) int
	most = func(i, sum int) int {
		if i == len(sub.roles) {
			if sub.feasible() {
				return sum
			}
			return 0
		}
		best, need := 0, sub.roles[i].need
		for n := range need + 1 {
			sub.roles[i].need = n
			best = max(best, most(i+1, sum+n))
		}
		sub.roles[i].need = need
		return best
	}
	if got := most(0, 0); got != short.Capacity {
		return fmt.Errorf("capacity %d, but the roles can have %d", short.Capacity, got)
	}
	return addsUp(&short)
}

// addsUp says whether the domains of a shortage are all of its capacity, and those within one another all of theirs.
func addsUp(short *Shortage) error {
	if len(short.Domains) == 0 {
		return nil
	}
	sum, hosts := short.Loose, short.Loose
	for _, d := range short.Domains {
		sum, hosts = sum+d.Capacity, hosts+d.Hosts
		if d.Capacity > d.Hosts || d.Capacity < 0 {
			return fmt.Errorf("%d of %d in %s", d.Capacity, d.Hosts, d.Name)
		}
		if len(d.Within) > 0 {
			inner := Shortage{Domains: d.Within, Loose: d.Hosts, Capacity: d.Capacity, Hosts: d.Hosts}
			for _, narrow := range d.Within {
				inner.Loose -= narrow.Hosts
			}
			if err := addsUp(&inner); err != nil {
				return fmt.Errorf("in %s: %w", d.Name, err)
			}
		}
	}
	if sum != short.Capacity || hosts != short.Hosts {
		return fmt.Errorf("%d of %d hosts, the domains allow %d of %d: %+v", short.Capacity, short.Hosts, sum, hosts, short.Domains)
	}
	return nil
}
