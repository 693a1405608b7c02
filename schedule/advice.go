package schedule

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"slices"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/inventory"
)

// Advice is hosts with which a cluster would be placed that cannot be placed as it is, or with which all its standby slots would be filled. It was found by
// planning the site with them, so it holds with all that others before it would take of them. The zero value is none.
type Advice struct {
	Cluster ClusterKey
	// Standby: the cluster is placed, and standby slots are what would be filled.
	Standby bool
	// Hosts by role of the cluster, in the order served.
	Hosts []AdvisedHosts
	// Fewest: fewer of these hosts were tried, each number of them, and do not do.
	Fewest bool
	// Untried: the site is too large to try hosts for every cluster in each plan.
	Untried bool
}

// AdvisedHosts is a number of hosts that are alike but for the domains they lie in.
type AdvisedHosts struct {
	Role  string
	Count int
	// Namespace that they are in, empty where it does not matter.
	Namespace string
	// Labels are what the role selects, "key=value", sorted. Networks are those on which the hosts need an address.
	Labels, Networks []string
	// Key is the role's topology key, empty if it has none: each host lies in a domain of its own. Domains are those with hosts in which one of them
	// may lie instead, by name.
	Key     string
	Domains []string
	// MoreDomains: others were not tried, and may do as well.
	MoreDomains bool
	// Spread is the key of the role's spread, where the hosts need that label: without it no host that the role selects has it. Empty elsewhere.
	Spread string
	// Narrower are the role's other topology keys, in whose domains each host lies alone.
	Narrower []string
}

const (
	// adviceWork bounds the hosts, and roles twice, that are planned again to advise on one site's clusters; mostTries the plans for one cluster.
	adviceWork = 60_000
	mostTries  = 40
)

// anyNamespace is where a host is tried that may be in any: no namespace has this name.
const anyNamespace = "~"

// advisedAddress is the first address of hosts that are tried: no host has one in its prefix (RFC 6666).
var advisedAddress = netip.MustParseAddr("100::")

// errFrozen: with the hosts that were tried the cluster would be frozen.
var errFrozen = errors.New("frozen")

// given is what a placement was made from.
type given struct {
	clusters []v1.SIPCluster
	hosts    []inventory.Host
	previous Previous
}

// advise finds advice for the clusters that cannot be placed, and then for those with empty standby slots, in the order served, and puts it to their
// first shortage.
func (s *site) advise() {
	if s.options.unadvised {
		return
	}
	each := max(1, len(s.hosts)+2*len(s.roles))
	type subject struct {
		cluster ClusterKey
		standby bool
	}
	first := map[subject]int{}
	for at := len(s.shortages) - 1; at >= 0; at-- {
		first[subject{s.shortages[at].Short.Cluster, s.shortages[at].Standby}] = at
	}
	for _, standby := range []bool{false, true} {
		for _, c := range s.clusters {
			at, is := first[subject{c.key, standby}]
			if !is || !c.lacks(standby) {
				continue
			}
			if s.advising+2*each > adviceWork {
				s.shortages[at].Advice = Advice{Cluster: c.key, Standby: standby, Untried: true}
				continue
			}
			advice, tries := s.advice(c, standby, min(mostTries, (adviceWork-s.advising)/each))
			s.advising += tries * each
			s.shortages[at].Advice = advice
		}
	}
}

// lacks says that a cluster cannot be placed, or that it is and has empty standby slots.
func (c *cluster) lacks(standby bool) bool {
	if len(c.refused) > 0 || c.gone || c.unschedulable == standby {
		return false
	}
	return !standby || slices.ContainsFunc(c.roles, func(r *role) bool { return r.shortStandby > 0 })
}

// Advise finds hosts with which a cluster would be placed, or its standby slots filled, however large the site. It is the zero value for a cluster that
// lacks neither, or that more hosts do not help, as far as was tried.
func (p *Placement) Advise(key ClusterKey) Advice {
	c := p.site.byKey[key]
	for _, standby := range []bool{false, true} {
		if c != nil && c.lacks(standby) {
			advice, _ := p.site.advice(c, standby, mostTries)
			return advice
		}
	}
	return Advice{}
}

// lack is how many hosts a role is short of, by the standby slots or those that the cluster is not placed without.
func (r *role) lack(standby bool) int {
	if standby {
		return r.shortStandby
	}
	return r.missing
}

func (s *site) advice(c *cluster, standby bool, most int) (Advice, int) {
	a := &attempt{s: s, c: c, standby: standby, n: make([]int, len(c.roles)), move: map[int]string{}}
	short := 0
	for k, r := range c.roles {
		if a.n[k] = r.lack(standby); a.n[k] > 0 {
			short++
		}
		if a.n[k] > 0 && r.template() == nil {
			return Advice{}, 0
		}
	}
	if !a.enlarge(most) {
		return Advice{}, a.tries
	}
	// Clusters that waited in vain, or whose hosts stay, may wait or give hosts up where there are more: tries do not see that. Nor do they see that hosts which
	// are being released may do in a later run.
	fewest := a.reduce(most) && len(s.noWait)+len(s.stay) == 0 && !s.leavingFor(c, standby)
	kinds := 0
	for _, n := range a.n {
		kinds += min(n, 1)
	}
	out := Advice{Cluster: c.key, Standby: standby}
	if fewest && !a.promised && short == 1 && kinds == 1 {
		out.Fewest = a.nowhere(slices.IndexFunc(a.n, func(n int) bool { return n > 0 }), most)
	}
	for k := range c.roles {
		if a.n[k] > 0 {
			out.Hosts = append(out.Hosts, a.hosts(k, most))
		}
	}
	return out, a.tries
}

// leavingFor says whether a role of the cluster that is short of hosts may have one that is being released, once it was seen without labels.
func (s *site) leavingFor(c *cluster, standby bool) bool {
	return slices.ContainsFunc(c.roles, func(r *role) bool {
		return r.lack(standby) > 0 && slices.ContainsFunc(s.hosts, func(h host) bool {
			return h.reject == (BeingReleased{}) && matches(r.selector, h.Host)
		})
	})
}

// alikeIn are the labels of topology keys that all hosts in a domain have in common: of a rack, its row.
func (s *site) alikeIn(key, domain string) map[string]string {
	var shared map[string]string
	for i := range s.hosts {
		h := &s.hosts[i]
		if h.Labels[key] != domain {
			continue
		}
		if shared == nil {
			shared = map[string]string{}
			for _, t := range s.topology {
				for _, k := range t.keys {
					shared[k] = h.Labels[k]
				}
			}
		}
		maps.DeleteFunc(shared, func(k, value string) bool { return value == "" || h.Labels[k] != value })
	}
	return shared
}

// own are the topology keys that the labels leave open.
func (r *role) own(template map[string]string) (keys []string) {
	for _, key := range r.keys {
		if template[key] == "" {
			keys = append(keys, key)
		}
	}
	return keys
}

// advised is the i-th host for a role: free, with an address on every network, and alone in its domains.
func advised(r *role, template map[string]string, networks []string, i int, domain string, spread bool) inventory.Host {
	name := fmt.Sprintf("advised-%s-%d", r.name, i)
	h := inventory.Host{
		Namespace: cmp.Or(template[v1.HostNamespaceKey], anyNamespace), Name: "~" + name, // no host of the inventory has such a name
		Labels: maps.Clone(template),
		State:  inventory.State{Known: true, Provisioning: stateAvailable, Operational: "OK"},
	}
	if h.Labels == nil {
		h.Labels = map[string]string{}
	}
	delete(h.Labels, v1.HostNamespaceKey)
	keys := r.keys
	if spread && r.spread != nil {
		keys = append(slices.Clone(keys), r.spread.TopologyKey)
	}
	for _, key := range keys {
		if h.Labels[key] == "" {
			h.Labels[key] = name
		}
	}
	if i == 0 && domain != "" {
		h.Labels[r.own(template)[0]] = domain
	}
	for n, network := range networks {
		ip := advisedAddress.As16()
		binary.BigEndian.PutUint32(ip[8:], uint32(r.index)+1)
		binary.BigEndian.PutUint16(ip[12:], uint16(n))
		binary.BigEndian.PutUint16(ip[14:], uint16(i+1))
		h.Addresses = append(h.Addresses, inventory.Address{Network: network, IP: netip.AddrFrom16(ip), Origin: inventory.FromHostAnnotation})
	}
	return h
}

// template is the labels that the role's selector asks for, the namespace among them, nil if no labels were found that it matches.
func (r *role) template() map[string]string {
	template := map[string]string{}
	requirements, selectable := r.selector.Requirements()
	if !selectable {
		return nil
	}
	for _, q := range requirements {
		switch q.Operator() {
		case selection.Equals, selection.DoubleEquals, selection.In:
			for _, value := range slices.SortedFunc(maps.Keys(q.Values()), cmp.Compare[string]) {
				if value != "" && meetsAll(requirements, q.Key(), value) {
					template[q.Key()] = value
					break
				}
			}
		case selection.Exists:
			if template[q.Key()] == "" && meetsAll(requirements, q.Key(), "true") {
				template[q.Key()] = "true"
			}
		}
	}
	if !r.selector.Matches(labels.Set(template)) {
		return nil
	}
	return template
}

// meetsAll says whether a value meets all requirements of its key.
func meetsAll(requirements labels.Requirements, key, value string) bool {
	for _, q := range requirements {
		if q.Key() == key && !q.Matches(labels.Set{key: value}) {
			return false
		}
	}
	return true
}
