package schedule

import (
	"cmp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/schedule/solve"
)

// Shortage is a minimum cut in numbers that can be checked by hand: the slots of Roles can use only the
// Hosts counted, which lie in Domains, and so at most Capacity of the Need can be filled.
type Shortage struct {
	// Short is the role whose slots stay empty, at its turn.
	Short RoleKey
	// Roles that compete, a minimal set, in the order served, and what each of them needs.
	Roles []RoleKey
	Needs []int
	// Groups are the roles by name and selector, those that need most first, mostGroups at most. Others are those of
	// all other groups together.
	Groups []RoleGroup
	Others RoleGroup
	// Holding: some of them hold hosts already, in addition to what they need.
	Holding bool
	// Standby: the short slots are standby slots only.
	Standby bool
	// Need slots, of which Capacity can be filled.
	Need, Capacity int
	// Hosts that the roles can use.
	Hosts int
	// TopologyKeys that all the roles share, none where they differ in them.
	TopologyKeys []string
	// Domains of the TopologyKeys that the hosts lie in, by name.
	Domains []Domain
	// Loose are the hosts in no domain.
	Loose int
	// Full counts hosts that fit, but lie where every role that could use them has all it may have.
	Full int
	// Rejected counts hosts that match a selector of the roles but are not eligible, per reason.
	Rejected []ReasonCount
	// Unmatched: no host matches the selector of the only role, whatever its state. Unmet is a requirement of the
	// selector that no host meets, empty if each is met by some; Near is the same with a key or value that hosts
	// have and that looks alike.
	Unmatched   bool
	Unmet, Near string
	// Packed is the domain that the role which is short is to be packed into, the one with the most hosts for it;
	// zero if it may lie anywhere.
	Packed Room
	// Missing is the kind of host that is missing.
	Missing Missing
}

// Missing is hosts with which the role that is short would have what it lacks at its turn.
type Missing struct {
	Count int
	// Selector of labels is the role's. Namespaces are those in one of which the hosts have to be, none where that
	// does not matter, and Networks those on which they need an address.
	Selector             string
	Namespaces, Networks []string
	// Hardware is what the role asks for, in words.
	Hardware string
	// Keys are the topology keys in whose domains they lie alone, none where these do not bound the role. Domains
	// are a few of those with room, in which they may lie instead; MoreDomains: there are others.
	Keys        []string
	Domains     []Room
	MoreDomains bool
}

// Room is a domain with room for one more host of a role.
type Room struct{ Key, Name string }

// RoleGroup is roles of one name with one selector, and what they need together.
type RoleGroup struct {
	Role, Selector string
	Roles, Need    int
}

// Domain is what a set of roles can use of one topology domain: hosts, and how many of them at once.
type Domain struct {
	// Key is the topology key, Name the value of it.
	Key, Name       string
	Hosts, Capacity int
	// Within are the narrower domains in it, by name, that allow fewer hosts than they have, where that is why it
	// allows no more.
	Within []Domain
}

// mostRooms is how many domains with room a shortage names.
const mostRooms = 8

// shortage puts names to a cut.
func (s *site) shortage(cut *solve.Shortage) Shortage {
	short := s.roles[cut.Role]
	out := Shortage{
		Short: short.key(), Standby: cut.Standby, Needs: cut.Needs, Need: cut.Need, Capacity: cut.Capacity,
		Hosts: cut.Hosts, Loose: cut.Loose, Full: cut.Full, Missing: s.missing(short, cut),
	}
	if cut.Packed != solve.None {
		out.Packed = Room{short.pack, s.topology[short.packed].names[cut.Packed]}
	}
	var roles []*role
	for _, n := range cut.Roles {
		r := s.roles[n]
		roles = append(roles, r)
		out.Roles = append(out.Roles, r.key())
		out.Holding = out.Holding || len(r.held)+len(r.standIn) > 0
	}
	out.Groups, out.Others = grouped(roles, cut.Needs)
	out.Rejected = s.rejectedOf(roles)
	if cut.Tree != solve.None {
		t := s.topology[cut.Tree]
		out.TopologyKeys, out.Domains = t.keys, t.named(cut.Domains)
	}
	if len(roles) == 1 && out.Hosts+out.Full+len(out.Rejected) == 0 {
		out.Unmatched, out.Unmet, out.Near = s.unmatched(short)
	}
	return out
}

// missing is the kind of host that a role lacks.
func (s *site) missing(r *role, cut *solve.Shortage) Missing {
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
	for _, d := range cut.Rooms {
		out.Domains = append(out.Domains, Room{r.tree.key(d), r.tree.names[d]})
	}
	slices.SortFunc(out.Domains, func(a, b Room) int { return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Key, b.Key)) })
	if out.MoreDomains = len(out.Domains) > mostRooms; out.MoreDomains {
		out.Domains = out.Domains[:mostRooms]
	}
	return out
}

// named puts the domains of a cut into those around them. A domain that is bound by its own limit needs no others to
// explain it.
func (t *topology) named(found []solve.Domain) (outer []Domain) {
	in, limits := make([]Domain, len(t.names)), make([]int, len(t.names))
	for _, d := range found {
		in[d.Domain].Hosts, in[d.Domain].Capacity, limits[d.Domain] = d.Hosts, d.Capacity, d.Limit
	}
	for d := len(in) - 1; d >= 0; d-- { // those within come before
		at := &in[d]
		at.Key, at.Name = t.key(int32(d)), t.names[d]
		if limits[d] > 0 {
			at.Within = nil
		}
		slices.SortFunc(at.Within, compareDomains)
		up := t.above(int32(d))
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

// grouped sums up what roles need by name and selector, those first that need most: a few, and all others together.
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
