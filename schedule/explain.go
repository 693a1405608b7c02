package schedule

import (
	"cmp"
	"slices"
)

// Explanation explains one host: its state, and why each role that selects it has it or not.
type Explanation struct {
	Line *HostLine
	// Roles are the roles that select the host and do not have it, at most mostNear: those closest to having it
	// first, then in the order served.
	Roles []RoleReason
	// More counts the other roles that select it, by reason. The reasons have only the fields that are the same for
	// all counted roles.
	More []ReasonCount
	// Others counts the roles that do not select it.
	Others int
}

// mostNear is how many roles an Explanation names. If only one more exists, it is named as well.
const mostNear = 10

// RoleReason is why a role does not have a host.
type RoleReason struct {
	Role   RoleKey
	Reason Reason
}

// ExplainHost explains the state of a host. It returns false for a host that is not in the inventory.
func (p *Placement) ExplainHost(key HostKey) (Explanation, bool) {
	if p.site == nil {
		return Explanation{}, false
	}
	s := p.site
	i := s.find(key)
	if i < 0 {
		return Explanation{}, false
	}
	out := Explanation{Line: &p.Hosts[i]}
	for _, r := range s.roles {
		switch {
		case out.Line.Cluster == r.cluster.key && out.Line.Role == r.name:
		case r.want() == 0 && matches(r.asked(), s.hosts[i].Host):
			out.Roles = append(out.Roles, RoleReason{r.key(), AsksForNone{}})
		case !matches(r.selector, s.hosts[i].Host):
			if r.wide != nil && matches(r.wide, s.hosts[i].Host) {
				out.Roles = append(out.Roles, RoleReason{r.key(), NotGranted{}})
				continue
			}
			out.Others++
		default:
			out.Roles = append(out.Roles, RoleReason{r.key(), s.whyNot(r, i)})
		}
	}
	slices.SortStableFunc(out.Roles, func(a, b RoleReason) int {
		return cmp.Compare(distance(a.Reason),
			distance(b.Reason))
	})
	if len(out.Roles) > mostNear+1 {
		for _, far := range out.Roles[mostNear:] {
			reason := general(far.Reason)
			at := slices.IndexFunc(out.More, func(c ReasonCount) bool { return compareValues(c.Reason, reason) == 0 })
			if at < 0 {
				at, out.More = len(out.More), append(out.More, ReasonCount{Reason: reason})
			}
			out.More[at].Count++
		}
		out.Roles = out.Roles[:mostNear:mostNear]
		slices.SortFunc(out.More, func(a, b ReasonCount) int {
			return cmp.Or(cmp.Compare(b.Count, a.Count), compareValues(a.Reason, b.Reason))
		})
	}
	return out, true
}

// distance orders the reasons why a role lacks a host that it selects: the smaller, the closer the role is to having
// it.
func distance(r Reason) int {
	switch r.(type) {
	case Outranked, KeptBack:
		return 0
	case DomainFull:
		return 1
	case NothingNew:
		return 2
	case Satisfied:
		return 3
	case NoAddress, NoLabel, CrossingLabel, NotGranted, ReservedFor:
		return 4
	}
	return 5
}

// whyNot returns why a role that selects a host does not have it.
func (s *planner) whyNot(r *role, i int32) Reason {
	h := &s.hosts[i]
	switch {
	case h.role != nil && h.reject == nil:
		return HeldBy{h.role.key()}
	case h.reject == (BeingReleased{}) && r.cluster.named[i]:
		return NamedByCluster{}
	case h.reject != nil:
		return h.reject
	}
	if why := s.lacks(r.shape, i); why != nil {
		return why
	}
	if len(r.cluster.refused) > 0 {
		return NothingNew{Frozen: true}
	}
	full, yields := s.fullDomain(r, i)
	named := slices.ContainsFunc(r.standIn, func(i int32) bool { return s.onlyNamed(r, i) })
	if name := s.keptFrom(r, i, named); name != "" && (full == nil || yields) {
		return KeptBack{name}
	}
	switch {
	case r.cluster.unschedulable:
		return NothingNew{}
	case full != nil:
		return full
	case len(r.has()) < r.want():
		return Outranked{}
	}
	return Satisfied{r.want()}
}

// fullDomain returns the domain of a host that has as many hosts of a role as it may, nil if none has. It yields if one
// of them has failed: its successor may lie there.
func (s *planner) fullDomain(r *role, i int32) (full Reason, yields bool) {
	for d := s.domain(r, i); d >= 0; d = r.tree.above(d) {
		var there []HostKey
		for _, j := range r.has() {
			if r.tree.lies(s.domain(r, j), d) {
				there = append(there, s.hosts[j].key())
			}
		}
		if len(there) >= r.most(d) {
			inside := func(j int32) bool { return r.tree.lies(s.domain(r, j), d) }
			return DomainFull{r.tree.key(d), r.tree.names[d], there}, slices.ContainsFunc(r.standIn, inside)
		}
	}
	return nil, false
}

// has returns the hosts in the role's slots.
func (r *role) has() []int32 {
	var hosts []int32
	for _, list := range [][]int32{r.held, r.standIn, r.frozen} {
		hosts = append(hosts, list...)
	}
	for _, p := range r.picks {
		hosts = append(hosts, p.host)
	}
	return hosts
}

// Counts are the numbers of a role's hosts.
type Counts struct{ Held, New, Pending, Releasing int }

// Counts counts the role's hosts: held from before, new in this run, pending release, releasing.
func (r *Role) Counts() Counts {
	n := Counts{Releasing: len(r.Releasing)}
	for _, a := range r.Assigned {
		switch {
		case a.Pending:
			n.Pending++
		case a.Origin == New:
			n.New++
		default:
			n.Held++
		}
	}
	return n
}
