package schedule

import (
	"cmp"
	"maps"
	"net/netip"
	"slices"
	"strings"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/internal/order"
	"github.com/airshipit/sipgen/inventory"
)

// attempt is a number of hosts for each role of a cluster.
type attempt struct {
	s       *site
	c       *cluster
	standby bool           // for the standby slots
	n       []int          // by role
	move    map[int]string // by role: the domain with hosts that its first host lies in
	tries   int
	// spread: the hosts have the labels of spread. Without these the cluster would be frozen.
	spread bool
	// promised: where it was not enough, hosts were promised to a cluster. A plan holds each promise to what comes of it, and gives up those that are not
	// kept; a try does not, and so a plan may place the cluster with these hosts.
	promised bool
}

// enlarge adds hosts until the cluster is placed with them, and says whether it is.
func (a *attempt) enlarge(most int) bool {
	for {
		missing, err := a.try()
		if err != nil || missing == nil {
			return err == nil
		}
		if a.tries >= most {
			return false
		}
		for k, more := range missing {
			if more > 0 && a.tries > 8 { // clusters before it take what there is
				more = max(more, a.n[k])
			}
			if a.n[k] += min(more, 1+a.n[k]); a.n[k] > v1.MaxCount || more > 0 && a.c.roles[k].template() == nil {
				return false
			}
		}
	}
}

// hosts are those that a role needs: how many, with which labels, and in which domains.
func (a *attempt) hosts(k, most int) AdvisedHosts {
	r := a.c.roles[k]
	hosts := AdvisedHosts{Role: r.name, Count: a.n[k], Networks: r.shape.networks}
	template := r.template()
	for _, key := range slices.Sorted(maps.Keys(template)) {
		if key == v1.HostNamespaceKey {
			hosts.Namespace = template[key]
			continue
		}
		hosts.Labels = append(hosts.Labels, key+"="+template[key])
	}
	if own := r.own(template); len(own) > 0 {
		hosts.Key, hosts.Narrower = own[0], own[1:]
		hosts.Domains, hosts.MoreDomains = a.domains(k, own[0], most)
	}
	if a.spread && r.spread != nil && template[r.spread.TopologyKey] == "" && !slices.Contains(r.keys, r.spread.TopologyKey) {
		hosts.Spread = r.spread.TopologyKey
	}
	return hosts
}

// reduce takes hosts away as long as the cluster lacks nothing without. It goes round again after each role that needs fewer, because others may
// need fewer then. It says whether every smaller number was tried, where only one role needs any.
func (a *attempt) reduce(most int) (all bool) {
	for again := true; again; {
		again = false
		for k := range a.n {
			for n := a.n[k] - 1; n >= 0 && a.n[k] > 0; n-- {
				if a.tries >= most {
					return false
				}
				was := a.n[k]
				a.n[k] = n
				if missing, err := a.try(); err != nil || missing != nil {
					a.n[k] = was
				} else {
					again = true
				}
			}
		}
	}
	return true
}

// nowhere says whether fewer hosts for the role do not do in domains with hosts either: reduce tries them in domains of their own. Of two hosts, one is tried in each
// domain. Of more, not all ways to lie in domains are tried, and nothing is claimed.
func (a *attempt) nowhere(k, most int) bool {
	r := a.c.roles[k]
	own := r.own(r.template())
	switch {
	case len(own) == 0 || a.n[k] == 1:
		return true
	case len(own) > 1 || r.anyLabels || a.n[k] > 2:
		return false
	}
	a.n[k] = 1
	good, more := a.domains(k, own[0], most)
	a.n[k] = 2
	return len(good) == 0 && !more
}

// domains are those with hosts of the inventory, up to a few, in which the first of the role's hosts may lie instead, by name: first those are tried in which
// the role selects hosts. It says whether some were not tried.
func (a *attempt) domains(k int, key string, most int) (good []string, more bool) {
	r := a.c.roles[k]
	t, of, selected := r.tree, a.s.selects(r), map[string]bool{}
	for i := range a.s.hosts {
		if h := &a.s.hosts[i]; of.kinds.has(h.kind) {
			selected[h.Labels[key]] = true
		}
	}
	var names []string
	for d, name := range t.names {
		if t.key(int32(d)) == key {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, func(x, y string) int {
		return cmp.Or(order.Bool(selected[y], selected[x]), strings.Compare(x, y))
	})
	for _, name := range slices.Compact(names) {
		if more = a.tries >= most || len(good) >= 8; more {
			break
		}
		a.move[k] = name
		if missing, err := a.try(); err == nil && missing == nil {
			good = append(good, name)
		}
	}
	delete(a.move, k)
	slices.Sort(good)
	return good, more
}

// try plans the site with the hosts, up to the cluster. It gives the hosts that are missing, by role; nil if the cluster is placed, or has its standby slots
// filled.
func (a *attempt) try() (missing []int, err error) {
	a.tries++
	hosts := slices.Clone(a.s.given.hosts)
	var networks []string // hosts that people add have addresses on all of them, and so others can use them too
	for _, sh := range a.s.shapes {
		networks = append(networks, sh.networks...)
	}
	slices.Sort(networks)
	networks = slices.Compact(networks)
	for k, r := range a.c.roles {
		template := r.template()
		for i := range a.n[k] {
			h := advised(r, template, networks, i, a.move[k], a.spread)
			if domain := a.move[k]; i == 0 && domain != "" {
				for key, value := range a.s.alikeIn(r.own(template)[0], domain) {
					if !slices.Contains(r.keys, key) && template[key] == "" {
						h.Labels[key] = value
					}
				}
			}
			hosts = append(hosts, h)
		}
	}
	next, err := prepare(a.s.given.clusters, hosts, a.s.given.previous, a.options())
	if err != nil {
		return nil, err
	}
	next.noWait, next.stay, next.until, next.untilStandby = a.s.noWait, a.s.stay, &a.c.key, a.standby
	next.assign()
	c := next.byKey[a.c.key]
	if len(c.refused) > 0 && !a.spread {
		a.spread = true
		return a.try()
	} else if len(c.refused) > 0 {
		return nil, errFrozen
	}
	lacking := c.unschedulable
	for _, r := range c.roles {
		missing = append(missing, r.lack(a.standby && !c.unschedulable))
		lacking = lacking || a.standby && r.shortStandby > 0
	}
	if !lacking {
		return a.check(next, hosts)
	}
	a.promised = a.promised || slices.ContainsFunc(next.clusters, func(c *cluster) bool { return c.way != nil && c.way.Way == Done })
	return missing, nil
}

// options are those of the site, with addresses for the hosts that are tried on all networks that the site lists: those that people add have some that fit.
func (a *attempt) options() Options {
	options := a.s.options
	options.Networks = slices.Clone(options.Networks)
	for i := range options.Networks {
		network := &options.Networks[i]
		network.Addresses = append(slices.Clone(network.Addresses), netip.PrefixFrom(advisedAddress, 64))
		if len(network.Namespaces) > 0 {
			network.Namespaces = append(slices.Clone(network.Namespaces), anyNamespace)
		}
	}
	return options
}

// check asks a whole plan, where the cluster would be placed by waiting for hosts, or others before it would: what comes of that is seen then only. It gives the
// hosts that are missing then, as try does.
func (a *attempt) check(next *site, hosts []inventory.Host) (missing []int, err error) {
	if !slices.ContainsFunc(next.clusters, func(c *cluster) bool { return c.way != nil && c.way.Way == Done }) {
		return nil, nil
	}
	a.tries += 2
	options := a.options()
	options.unadvised = true
	p, err := Plan(a.s.given.clusters, hosts, a.s.given.previous, options)
	if err != nil {
		return nil, err
	}
	c := p.site.byKey[a.c.key]
	if !c.unschedulable && !(a.standby && c.lacks(true)) {
		return nil, nil
	}
	for _, r := range c.roles {
		missing = append(missing, r.lack(a.standby && !c.unschedulable))
	}
	return missing, nil
}
