package schedule

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/schedule/solve"
)

// Shortage is a minimum cut, in numbers that a reader can check: the slots of Roles can use only the Hosts counted,
// which lie in Domains. So at most Capacity of the Need slots can be filled.
type Shortage struct {
	// Short is the role that lacks hosts, at its turn.
	Short RoleKey
	// Roles is a minimal set of competing roles, in the order served, with the need of each.
	Roles []RoleKey
	Needs []int
	// Groups are the roles by name and selector, at most mostGroups, the largest need first. Others sums up the
	// remaining groups.
	Groups []RoleGroup
	Others RoleGroup
	// Kept are the hosts among Need and Capacity that reservations keep from them.
	Kept []KeptFor
	// Behind are clusters that were served before, and in a second try took hosts that are kept for them: others might
	// have left hosts for the role, and the numbers are no proof.
	Behind []ClusterKey
	// Holding: some of these roles hold hosts already, in addition to their need.
	Holding bool
	// Standby: only standby slots are short.
	Standby bool
	// Need slots, of which Capacity can be filled.
	Need, Capacity int
	// Hosts that the roles can use.
	Hosts int
	// TopologyKeys that all the roles share, none if they differ.
	TopologyKeys []string
	// Domains of the TopologyKeys that the hosts lie in, by name.
	Domains []Domain
	// Loose are the hosts in no domain.
	Loose int
	// Full counts hosts that fit, in domains where every role that could use them is at its limit.
	Full int
	// Rejected counts hosts that match a selector of the roles and are not eligible, by reason.
	Rejected []ReasonCount
	// Unmatched: the selector of the only role matches no host, in any state. Unmet is a requirement that no host
	// meets, "" if each is met by some host. Near is a similar requirement that hosts meet.
	Unmatched   bool
	Unmet, Near string
	// Packed is the domain into which the short role is packed: the one with the most hosts for it. It is zero if the
	// role may lie anywhere.
	Packed Room
	// Elsewhere counts the free hosts that the packed role could use, in other domains than Packed.
	Elsewhere int
	// Missing is the kind of host that is missing.
	Missing Missing
	// Limit is that of the tenant, nil if hosts are lacking. Need of the cluster's hosts, or of its standby hosts, are
	// new, and Capacity of them within the limit.
	Limit *Limit
}

// Missing describes the hosts that the short role lacks at its turn.
type Missing struct {
	Count int
	// Selector is the role's. The hosts have to be in one of Namespaces, if any are listed, with an address on each
	// of Networks.
	Selector             string
	Namespaces, Networks []string
	// Hardware is what the role asks for, as text.
	Hardware string
	// Keys are the topology keys whose domains must hold no other host of the role. Domains are a few domains that
	// have room instead; MoreDomains: there are others.
	Keys        []string
	Domains     []Room
	MoreDomains bool
}

// Room is a domain with room for one more host of a role.
type Room struct{ Key, Name string }

// RoleGroup is the roles of one name with one selector, and their need in all.
type RoleGroup struct {
	Role, Selector string
	Roles, Need    int
}

// Domain is a topology domain: its usable hosts, and how many of them can be used at once.
type Domain struct {
	// Key is the topology key, Name its value.
	Key, Name       string
	Hosts, Capacity int
	// Within are the narrower domains in it, by name, whose limits are the reason for Capacity.
	Within []Domain
}

// mostRooms is how many domains with room a shortage names.
const mostRooms = 8

// shortage adds names to a cut.
func (s *planner) shortage(cut *solve.Shortage) Shortage {
	short := s.roles[cut.Role]
	out := Shortage{
		Short: short.key(), Standby: cut.Standby, Needs: cut.Needs, Need: cut.Need, Capacity: cut.Capacity,
		Hosts: cut.Hosts, Loose: cut.Loose, Full: cut.Full, Missing: s.missing(short, cut),
	}
	if cut.Packed != solve.None {
		out.Packed = Room{short.pack, s.topology[short.packed].names[cut.Packed]}
		out.Elsewhere = s.outside(short, cut.Packed)
	}
	var roles []*role
	for _, n := range cut.Roles {
		r := s.roles[n]
		roles = append(roles, r)
		out.Roles = append(out.Roles, r.key())
		out.Holding = out.Holding || len(r.held)+len(r.standIn) > 0
	}
	for i, n := range cut.Kept {
		out.Kept = append(out.Kept, KeptFor{s.kept[n].Name, cut.KeptHosts[i]})
	}
	for _, n := range cut.Behind {
		out.Behind = append(out.Behind, s.clusters[n].key)
	}
	out.Groups, out.Others = grouped(roles, cut.Needs)
	out.Rejected = s.rejectedOf(roles)
	if cut.Tree != solve.None {
		t := s.topology[cut.Tree]
		out.TopologyKeys, out.Domains = t.keys, t.nest(cut.Domains)
	}
	if len(roles) == 1 && out.Hosts+out.Full+len(out.Rejected) == 0 {
		out.Unmatched, out.Unmet, out.Near = s.unmatched(short)
	}
	return out
}

// outside counts the free hosts that a packed role could use in other domains than one.
func (s *planner) outside(r *role, domain int32) (n int) {
	for _, c := range r.shape.fits.All() {
		for _, i := range s.classes[c].hosts {
			if s.topology[r.packed].dom[i] != domain {
				n++
			}
		}
	}
	return n
}

// limited is the shortage of a cluster whose tenant has as many hosts as it may have.
func (s *planner) limited(found *solve.Limit) Shortage {
	c := s.clusters[found.Cluster]
	out := Shortage{Limit: s.options.Limits[c.key], Standby: found.Standby, Need: found.Need, Capacity: found.Left}
	for _, r := range c.roles {
		if r.must+r.spare+r.refill > 0 {
			out.Roles = append(out.Roles, r.key())
		}
	}
	out.Short = out.Roles[0]
	return out
}

// missing describes the hosts that a role lacks.
func (s *planner) missing(r *role, cut *solve.Shortage) Missing {
	out := Missing{Count: cut.Missing, Networks: r.shape.networks, Hardware: r.shape.hardware.String()}
	ofLabels := labels.NewSelector()
	requirements, _ := r.selector.Requirements()
	for _, q := range requirements {
		if q.Key() == v1.HostNamespaceKey && q.Operator() == selection.In {
			out.Namespaces = q.Values().List()
			continue
		}
		ofLabels = ofLabels.Add(q)
	}
	out.Selector = ofLabels.String()
	if !cut.Bound {
		return out
	}
	out.Keys = r.keys
	out.MoreDomains = len(cut.Rooms) > mostRooms
	for _, d := range cut.Rooms { // there can be one for each of thousands of clusters
		room := Room{r.tree.key(d), r.tree.names[d]}
		at, _ := slices.BinarySearchFunc(out.Domains, room, func(a, b Room) int {
			return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Key, b.Key))
		})
		if at < mostRooms {
			out.Domains = slices.Insert(out.Domains, at, room)
			out.Domains = out.Domains[:min(mostRooms, len(out.Domains))]
		}
	}
	return out
}

// nest nests the domains of a cut. Domains within one that is bound by its own limit are left out.
func (t *topology) nest(found []solve.Domain) (outer []Domain) {
	in, limits := map[int32]*Domain{}, map[int32]int{}
	for _, one := range found {
		d := int32(one.Domain)
		for around := d; around >= 0; around = t.above(around) {
			if in[around] == nil {
				in[around] = &Domain{Key: t.key(around), Name: t.names[around]}
			}
		}
		in[d].Hosts, in[d].Capacity, limits[d] = one.Hosts, one.Capacity, one.Limit
	}
	inner := slices.Sorted(maps.Keys(in))
	slices.Reverse(inner)
	for _, d := range inner { // a domain has a higher number than those around it
		at := in[d]
		if limits[d] > 0 {
			at.Within = nil
		}
		slices.SortFunc(at.Within, compareDomains)
		up := t.above(d)
		switch {
		case at.Hosts == 0:
		case up < 0:
			outer = append(outer, *at)
		default:
			in[up].Hosts += at.Hosts
			in[up].Capacity += at.Capacity
			if at.Capacity < at.Hosts {
				in[up].Within = append(in[up].Within, *at)
			}
		}
	}
	slices.SortFunc(outer, compareDomains)
	return outer
}

func compareDomains(a, b Domain) int {
	return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Key, b.Key))
}

// mostGroups is how many groups of roles a shortage names.
const mostGroups = 16

// grouped sums up the needs of roles by name and selector: the groups with the largest need, and the others together.
func grouped(roles []*role, needs []int) (most []RoleGroup, others RoleGroup) {
	number := map[RoleGroup]int{}
	for i, r := range roles {
		id := RoleGroup{Role: r.name, Selector: r.selector.String()}
		n, known := number[id]
		if !known {
			n = len(most)
			number[id] = n
			most = append(most, id)
		}
		most[n].Roles++
		most[n].Need += needs[i]
	}
	slices.SortFunc(most, func(a, b RoleGroup) int {
		return cmp.Or(cmp.Compare(b.Need, a.Need), strings.Compare(a.Role, b.Role), strings.Compare(a.Selector, b.Selector))
	})
	if len(most) > mostGroups {
		for _, group := range most[mostGroups:] {
			others.Roles += group.Roles
			others.Need += group.Need
		}
		most = most[:mostGroups:mostGroups]
	}
	return most, others
}
