package schedule

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/airshipit/sipgen/internal/holdings"
	"github.com/airshipit/sipgen/internal/order"
)

// result builds the Placement from the decisions.
func (s *planner) result() *Placement {
	p := &Placement{Shortages: s.shortages, Kept: s.reserves(), Holdings: s.holdings, site: s}
	s.fillLines(p)
	for _, c := range slices.SortedFunc(slices.Values(s.clusters), compareClusters) {
		out := Cluster{Key: c.key, Priority: c.priority(), Gone: c.gone, Unschedulable: c.unschedulable}
		out.Refused = c.refused
		for _, r := range c.roles {
			out.Roles = append(out.Roles, s.roleResult(r, p.Hosts))
		}
		sortValues(c.warnings)
		out.Warnings = c.warnings
		p.Clusters = append(p.Clusters, out)
	}
	sortValues(s.warnings)
	p.Warnings = s.warnings
	return p
}

// domainsOf returns the Domain and the MachineDomain of a role's host.
func (s *planner) domainsOf(r *role, i int32) (domain, ofMachine string) {
	h := &s.hosts[i]
	domain = s.domainName(r, i)
	switch runs := h.State.Image || h.State.ExternallyProvisioned; {
	case h.domain == "":
	case len(r.cluster.refused) > 0:
		domain = h.domain // its label, or the key in the spec, may be wrong
	case runs && h.domain != domain && h.holding.Claim.Role == r.name:
		ofMachine = h.domain
	}
	return domain, ofMachine
}

// roleResult lists the role's hosts, and records them in the lines of the inventory.
func (s *planner) roleResult(r *role, lines []HostLine) Role {
	out := Role{
		Name: r.name, Active: r.active, Standby: r.standby, TopologyKeys: r.keys, PerDomain: r.limits,
		ShortActive: r.shortActive, ShortStandby: r.shortStandby, Rejected: r.rejected,
		Empty: r.refill - r.refilled,
	}
	if len(r.cluster.refused) > 0 {
		out.Empty = r.gone
	}
	if total := len(r.held) + len(r.standIn) + len(r.frozen) + len(r.pending) + len(r.picks); total > 0 {
		out.Assigned = make([]Assignment, 0, total)
	}
	put := func(i int32, a Assignment, verdict Verdict) {
		h := &s.hosts[i]
		a.Host = h.Host
		a.Domain, a.MachineDomain = s.domainsOf(r, i)
		a.Trouble, a.WasStandby, a.Adopted = r.why[i], h.standby, h.adopted
		if a.Origin != New {
			a.Approval = h.holding.Approval
		}
		a.WasPending = h.wasPending && !a.Pending
		a.HasSuccessor = a.Pending && (h.wasReplaced || r.fresh[i])
		if len(r.cluster.refused) > 0 {
			a.Trouble = failed(h)
		}
		out.Assigned = append(out.Assigned, a)
		lines[i] = HostLine{Host: h.Host, Verdict: verdict, Cluster: r.cluster.key, Role: r.name, Reason: a.Reason}
	}
	for _, i := range r.held {
		put(i, Assignment{Standby: r.standbySlot[i], Origin: s.hosts[i].origin,
			Reason: Kept{Origin: s.hosts[i].origin, Use: inUse(&s.hosts[i]), Trouble: r.why[i]}}, Held)
	}
	reserved := map[bool]string{false: s.reservedFrom(r, false), true: s.reservedFrom(r, true)} // by onlyNamed
	for _, i := range r.standIn {
		put(i, Assignment{Standby: r.standbySlot[i], Origin: s.hosts[i].origin,
			Reason: Kept{Origin: s.hosts[i].origin, Trouble: r.why[i], StandIn: true,
				Reserved: reserved[s.onlyNamed(r, i)], Stays: r.stays[i]}}, Held)
	}
	for _, i := range r.frozen {
		h, verdict := &s.hosts[i], Held
		if h.wasPending {
			verdict = Pending
		}
		put(i, Assignment{Standby: h.standby, Origin: h.origin, Pending: h.wasPending,
			Reason: Kept{Origin: h.origin, Refused: r.cluster.refused}}, verdict)
	}
	for i, reason := range r.pending { // sorted below
		put(i, Assignment{Standby: r.standbySlot[i], Origin: s.hosts[i].origin, Pending: true, Reason: reason,
			Replaced: r.fresh[i] && !s.onlyNamed(r, i)}, Pending)
	}
	for n := range r.picks {
		put(r.picks[n].host, Assignment{Standby: n >= r.newActive, Origin: New, Reason: r.picks[n].reason}, Assigned)
	}
	slices.SortFunc(out.Assigned, func(a, b Assignment) int {
		return cmp.Or(order.Bool(a.Standby, b.Standby), compareHosts(a.Host, b.Host))
	})
	s.pairReplaced(r, out.Assigned)
	for _, gone := range r.released {
		h := &s.hosts[gone.host]
		leaves := Release{Host: h.Host, Reason: gone.reason, Since: gone.since, Approval: h.holding.Approval,
			Replaced: r.fresh[gone.host] && !s.onlyNamed(r, gone.host)}
		if gone.since == FromTree {
			leaves.Use = h.holding.Claim.Use
		} else if _, ok := gone.reason.(Approved); ok {
			leaves.Use = holdings.Use(h.Host)
		}
		out.Releasing = append(out.Releasing, leaves)
		lines[gone.host] = HostLine{Host: h.Host, Verdict: Releasing, Cluster: r.cluster.key, Role: r.name,
			Reason: gone.reason}
	}
	slices.SortFunc(out.Releasing, func(a, b Release) int { return compareHosts(a.Host, b.Host) })
	sortValues(r.warnings)
	out.Warnings = r.warnings
	return out
}

// fillLines records the state of the hosts without a cluster.
func (s *planner) fillLines(p *Placement) {
	p.Hosts = make([]HostLine, len(s.hosts))
	verdicts, reasons := s.classLines()
	idle := s.selectedByIdle()
	for c := range s.classes {
		if reasons[c] == (NotSelected{}) && idle[s.hosts[s.classes[c].hosts[0]].kind] {
			reasons[c] = AsksForNone{}
		}
	}
	for i := range s.hosts {
		h := &s.hosts[i]
		line := HostLine{Host: h.Host, Verdict: NotEligible, Reason: h.reject}
		if h.class >= 0 {
			line.Verdict, line.Reason, line.Unused = verdicts[h.class], reasons[h.class], true
			if lack, ok := line.Reason.(NoAddress); ok { // of the first host of the class
				if problem := h.NoAddress(lack.Network); problem != lack.Problem {
					line.Reason = NoAddress{lack.Network, problem}
				}
			}
		}
		p.Hosts[i] = line
	}
}

// classLines returns the verdict on the hosts of each class that were not assigned, and for hosts that roles select,
// what they lack for the first shape of these roles.
func (s *planner) classLines() ([]Verdict, []Reason) {
	verdicts, reasons := make([]Verdict, len(s.classes)), make([]Reason, len(s.classes))
	useless := map[int32][]int{} // classes that fit no role, by kind
	for c := range s.classes {
		if n := s.classes[c].roles; n > 0 {
			verdicts[c], reasons[c] = Free, Fits{n}
			continue
		}
		verdicts[c], reasons[c] = Free, NotSelected{}
		kind := s.hosts[s.classes[c].hosts[0]].kind
		useless[kind] = append(useless[kind], c)
	}
	for _, r := range s.roles {
		if r.wide == nil || r.want() == 0 {
			continue
		}
		for _, kind := range s.selects(r.wide).All() {
			if s.ungranted(r, kind) {
				for _, c := range useless[kind] {
					reasons[c] = NotGranted{}
				}
			}
		}
	}
	for _, sh := range s.shapes {
		for _, kind := range sh.selected.All() {
			for _, c := range useless[kind] {
				lacks := s.lacks(sh, s.classes[c].hosts[0])
				if lacks != nil && (verdicts[c] == Free || lackOrder(lacks) < lackOrder(reasons[c])) {
					verdicts[c], reasons[c] = NotEligible, lacks
				}
			}
		}
	}
	return verdicts, reasons
}

// selectedByIdle returns for each kind whether a role that asks for no hosts selects it.
func (s *planner) selectedByIdle() []bool {
	out := make([]bool, len(s.kinds))
	for _, r := range s.roles {
		if r.want() > 0 {
			continue
		}
		for _, kind := range s.selects(r.asked()).All() {
			out[kind] = true
		}
	}
	return out
}

// lackOrder orders reasons: the smaller, the easier to fix.
func lackOrder(why Reason) int {
	switch why.(type) {
	case NoAddress:
		return 0
	case NoLabel:
		return 1
	}
	return 2
}

// pairReplaced finds for each new host the host whose slot it takes: slots of active hosts go to promoted hosts
// first, then to new ones; slots of standby and promoted hosts go to new ones. Within that, the order is by name.
func (s *planner) pairReplaced(r *role, assigned []Assignment) {
	var active, standby, promoted []Replacement // freed slots
	for _, t := range s.lost[r.key()] {
		at := &active
		if t.Standby {
			at = &standby
		}
		why := holdings.Gone
		switch {
		case s.find(t.Host) >= 0:
			why = holdings.Recreated
		case s.options.Outside(t.Host):
			why = holdings.Outside
		}
		*at = append(*at, Replacement{t.Host, Condition{Why: holdings.Why{Code: why}}})
	}
	var toActive, toStandby []*Assignment
	for _, i := range slices.Sorted(maps.Keys(r.fresh)) {
		slot := &active
		if r.standbySlot[i] {
			slot = &standby
		}
		if r.fresh[i] {
			*slot = append(*slot, Replacement{s.hosts[i].key(), r.why[i]})
		}
	}
	for i := range assigned {
		if a := &assigned[i]; a.Promoted() {
			promoted = append(promoted, Replacement{holdings.KeyOf(a.Host), Promoted{}})
			toActive = append(toActive, a)
		}
	}
	for i := range assigned {
		switch a := &assigned[i]; {
		case a.Origin != New:
		case a.Standby:
			toStandby = append(toStandby, a)
		default:
			toActive = append(toActive, a)
		}
	}
	standby = append(standby, promoted...)
	for _, give := range []struct {
		slots []Replacement
		to    []*Assignment
	}{{active, toActive}, {standby, toStandby}} {
		slices.SortStableFunc(give.slots, func(a, b Replacement) int {
			return cmp.Or(strings.Compare(a.Host.Namespace, b.Host.Namespace), strings.Compare(a.Host.Name, b.Host.Name))
		})
		for i := range min(len(give.slots), len(give.to)) {
			give.to[i].Replaces = &give.slots[i]
		}
	}
}
