package schedule

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// result puts what was decided into words.
func (s *site) result() *Placement {
	p := &Placement{Shortages: s.shortages, Moves: s.moves, site: s}
	s.lines(p)
	for _, c := range s.clusters {
		out := Cluster{Key: c.key, Priority: c.priority(), Gone: c.gone, Unschedulable: c.unschedulable}
		slices.Sort(c.refused)
		out.Refused = slices.Compact(c.refused)
		for _, r := range c.roles {
			out.Roles = append(out.Roles, s.roleResult(r, p.Hosts))
		}
		slices.Sort(c.warnings)
		out.Warnings = c.warnings
		p.Clusters = append(p.Clusters, out)
	}
	slices.Sort(s.warnings)
	p.Warnings = s.warnings
	return p
}

// roleResult lists the role's hosts, and notes them in the lines of the inventory.
func (s *site) roleResult(r *role, lines []HostLine) Role {
	out := Role{
		Name: r.name, Active: r.active, Standby: r.standby, TopologyKeys: r.keys,
		ShortActive: r.shortActive, ShortStandby: r.shortStandby, Rejected: r.rejected,
	}
	if total := len(r.held) + len(r.standIn) + len(r.spares) + len(r.lingering) + len(r.frozen) + len(r.pending) + len(r.picks); total > 0 {
		out.Assigned = make([]Assignment, 0, total)
	}
	put := func(i int32, a Assignment, verdict Verdict) {
		h := &s.hosts[i]
		a.Host, a.Domain = h.Host, s.domainName(r, i)
		if len(r.cluster.refused) > 0 && h.domain != "" {
			a.Domain = h.domain // its label, or the key in the spec, may be what is wrong
		}
		out.Assigned = append(out.Assigned, a)
		lines[i] = HostLine{Host: h.Host, Verdict: verdict, Cluster: r.cluster.key, Role: r.name, Reason: a.Reason}
	}
	standby := s.standbySlots(r)
	for _, i := range r.held {
		put(i, Assignment{Standby: standby[i], Origin: s.hosts[i].origin, Reason: heldReason(s.hosts[i].origin)}, Held)
	}
	for _, i := range r.standIn {
		put(i, Assignment{Standby: standby[i], Origin: s.hosts[i].origin, Reason: r.why[i] + ": to be replaced, no other host can take its place"}, Held)
	}
	for _, i := range r.spares {
		put(i, Assignment{Standby: true, Origin: s.hosts[i].origin, Reason: r.why[i] + ": replaced, but no other host can take the standby slot"}, Held)
	}
	for _, i := range r.lingering {
		put(i, Assignment{Standby: s.hosts[i].standby, Origin: s.hosts[i].origin, Reason: r.why[i] + ": kept until its replacement carries its labels"}, Held)
	}
	for _, i := range r.frozen {
		put(i, Assignment{Standby: s.hosts[i].standby, Origin: s.hosts[i].origin, Reason: heldReason(s.hosts[i].origin) + "; " + refusedReason(r.cluster)}, Held)
	}
	for i, reason := range r.pending { // sorted below
		put(i, Assignment{Standby: s.hosts[i].standby, Origin: s.hosts[i].origin, Pending: true, Reason: reason}, Pending)
	}
	slots := 0
	for i := range standby {
		if !standby[i] {
			slots++
		}
	}
	for n := range r.picks {
		put(r.picks[n].host, Assignment{Standby: slots+n >= r.active, Origin: New, Reason: r.picks[n].reason}, Assigned)
	}
	slices.SortFunc(out.Assigned, func(a, b Assignment) int {
		return cmp.Or(compareBool(a.Standby, b.Standby), compareHosts(a.Host, b.Host))
	})
	for _, gone := range r.released {
		h := &s.hosts[gone.host]
		out.Releasing = append(out.Releasing, Release{Host: h.Host, Reason: gone.reason, Since: gone.since})
		lines[gone.host] = HostLine{Host: h.Host, Verdict: Releasing, Cluster: r.cluster.key, Role: r.name, Reason: gone.reason}
	}
	slices.SortFunc(out.Releasing, func(a, b Release) int { return compareHosts(a.Host, b.Host) })
	slices.Sort(r.warnings)
	out.Warnings = r.warnings
	return out
}

func heldReason(origin Origin) string {
	if origin == FromLive {
		return "held: its labels say so"
	}
	return "held: the previous tree says so, its labels do not yet"
}

// standbySlots says which of the hosts that fill slots are standby. Active slots are filled first by
// hosts that were active, then by standby hosts, by name; where too many were active, those that
// would be released first become standby.
func (s *site) standbySlots(r *role) map[int32]bool {
	all := append(slices.Clone(r.held), r.standIn...)
	standIn := func(i int32) bool { return r.why[i] != "" }
	slices.SortFunc(all, func(a, b int32) int {
		x, y := &s.hosts[a], &s.hosts[b]
		return cmp.Or(compareBool(x.standby, y.standby), compareBool(x.standby && standIn(a), y.standby && standIn(b)), s.compareRelease(r, b, a))
	})
	standby := make(map[int32]bool, len(all))
	for n, i := range all {
		standby[i] = n >= r.active
	}
	return standby
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// lines says what became of the hosts that no cluster has.
func (s *site) lines(p *Placement) {
	p.Hosts = make([]HostLine, len(s.hosts))
	texts := make([]string, len(s.matched.classes))
	verdicts := make([]Verdict, len(s.matched.classes))
	for id := range texts {
		verdicts[id], texts[id] = s.classLine(int32(id))
	}
	for i := range s.hosts {
		h := &s.hosts[i]
		line := HostLine{Host: h.Host, Verdict: NotEligible, Reason: h.detail}
		if h.class >= 0 {
			line.Verdict, line.Reason = verdicts[h.class], texts[h.class]
			if network, is := strings.CutPrefix(line.Reason, noAddressOn); is && line.Verdict == NotEligible {
				line.Reason += why(h.Host, network)
			}
		}
		p.Hosts[i] = line
	}
}

const noAddressOn = "no address on "

// classLine says what is true of all hosts of a class that nobody got.
func (s *site) classLine(id int32) (Verdict, string) {
	c := &s.matched.classes[id]
	if c.shapes > 0 {
		roles := 0
		for _, r := range s.roles {
			if r.want() > 0 && r.shape.uses[id] {
				roles++
			}
		}
		return Free, "free: fits " + strconv.Itoa(roles) + " of the roles, and none needs it"
	}
	for _, sh := range s.shapes {
		if _, is := slices.BinarySearch(sh.kinds, c.kind); is {
			return NotEligible, noAddressOn + c.missing(sh.networks)
		}
	}
	return NotEligible, "no role selects it"
}
