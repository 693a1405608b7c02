package schedule

import (
	"cmp"
	"slices"

	"github.com/airshipit/sipgen/internal/order"
	"github.com/airshipit/sipgen/schedule/solve"
)

// assign gives the free hosts to the roles that package solve chooses.
func (s *planner) assign() {
	for _, r := range s.roles {
		slices.SortFunc(r.standIn, func(a, b int32) int {
			return cmp.Or(order.Bool(r.standbySlot[a], r.standbySlot[b]), s.compareRelease(r, a, b))
		})
	}
	problem := s.inNumbers()
	found := solve.Solve(problem)
	s.noteKept(problem.Kept, found)
	for n, c := range s.clusters {
		c.unschedulable = len(c.refused) > 0 || !found.Placed[n] && !c.gone
		for _, r := range c.roles {
			s.noteGot(r, &found.Roles[r.index])
		}
	}
	s.noteStays()
	for i := range found.Shortages {
		s.shortages = append(s.shortages, s.shortage(&found.Shortages[i]))
	}
	for i := range found.Limits {
		s.shortages = append(s.shortages, s.limited(&found.Limits[i]))
	}
}

// noteStays names the hosts that wait to leave, for the failed hosts that keep their slots because of them.
func (s *planner) noteStays() {
	others := s.othersWait()
	for _, r := range s.roles {
		for i, why := range r.stays { // each by itself
			if _, waits := why.(WaitsForOthers); waits {
				r.stays[i] = others
			}
		}
	}
}

// noteGot records the new hosts of a role.
func (s *planner) noteGot(r *role, got *solve.Got) {
	for _, i := range got.Hosts {
		r.picks = append(r.picks, pick{i, s.chosen(r, i)})
	}
	r.refilled = got.Refilled
	for _, n := range got.Waiting {
		r.stays[r.standIn[n]] = WaitsForOthers{}
	}
	for _, n := range got.Crowded {
		r.stays[r.standIn[n]] = NoRoom{s.options.Limits[r.cluster.key]}
	}
	for _, n := range got.Replaced {
		i := r.standIn[n]
		s.replace(r, i)
		if !r.standbySlot[i] {
			r.newActive++
		}
		s.startRelease(r, i, Replaced{Trouble: r.why[i]})
	}
	r.standIn = slices.DeleteFunc(r.standIn, func(i int32) bool { return r.fresh[i] })
	slices.Sort(r.standIn)
	if r.cluster.unschedulable {
		s.countShort(r)
		return
	}
	r.shortStandby = got.ShortStandby
}

// countShort counts the empty slots of a role that gets no new host. In a frozen cluster, standby hosts are not
// counted as active.
func (s *planner) countShort(r *role) {
	if len(r.cluster.refused) > 0 {
		active, standby := len(r.frozen), 0
		for _, i := range r.frozen {
			if s.hosts[i].standby {
				active--
				standby++
			}
		}
		r.shortActive, r.shortStandby = max(0, r.active-active), max(0, r.standby-standby)
		return
	}
	active, standby := r.slots()
	r.shortActive, r.shortStandby = max(0, r.active-active-len(r.picks)), max(0, r.standby-standby)
}

// inNumbers converts the free hosts and the roles' needs to the form of package solve.
func (s *planner) inNumbers() *solve.Problem {
	out := s.frame(func(i int) *role { return s.hosts[i].role })
	for n, c := range s.clusters {
		for _, r := range c.roles {
			out.Roles = append(out.Roles, s.wantedBy(r))
			out.Clusters[n].Standby += max(0, out.Roles[len(out.Roles)-1].Active-(r.newActive-r.refill))
		}
	}
	return out
}

// frame is inNumbers without the roles' needs. holder returns the role that has a host, nil for none.
func (s *planner) frame(holder func(i int) *role) *solve.Problem {
	out := &solve.Problem{Kinds: make([]int32, len(s.hosts)), Kept: s.keptInNumbers(holder), Alone: s.alone()}
	for i := range s.hosts {
		out.Kinds[i] = s.hosts[i].class
	}
	for _, t := range s.topology {
		out.Trees = append(out.Trees, solve.Tree{Of: t.dom, Parent: t.parent, Level: t.levels, Names: t.names})
	}
	budgets, from := map[*Limit]int{}, 0
	for _, c := range s.clusters {
		group := solve.Group{From: from, To: from + len(c.roles), Budget: solve.None}
		from = group.To
		if limit := s.options.Limits[c.key]; limit != nil {
			n, known := budgets[limit]
			if !known {
				n = len(out.Budgets)
				budgets[limit] = n
				out.Budgets = append(out.Budgets, solve.Budget{Hosts: limit.Hosts, Standby: limit.Standby})
			}
			group.Budget = n
			hosts, standby, leaving := s.counted(c)
			out.Budgets[n].Hosts -= hosts
			out.Budgets[n].Standby -= standby
			out.Budgets[n].Leaving += leaving
		}
		out.Clusters = append(out.Clusters, group)
	}
	s.paceInNumbers(out)
	for n := range out.Budgets {
		out.Budgets[n].Hosts += min(out.Budgets[n].Leaving, out.Number)
	}
	return out
}

// counted returns how many hosts of the cluster count towards its tenant's limit, how many of these are in standby
// slots, and how many are failed ones in use that are to leave: those that it has, and those that it lets go.
func (s *planner) counted(c *cluster) (hosts, standby, leaving int) {
	note := func(i int32) {
		hosts++
		if s.died(i) && inUse(&s.hosts[i]) != nil {
			leaving++
		}
	}
	for _, r := range c.roles {
		active, spare := r.slots()
		hosts, standby = hosts+active+spare, standby+spare
		for i := range r.pending { // a sum
			note(i)
		}
		for _, gone := range r.released {
			note(gone.host)
		}
		for _, i := range r.frozen {
			if s.hosts[i].wasPending {
				note(i)
			} else {
				hosts++
			}
		}
	}
	return hosts, standby, leaving
}

// wantedBy returns the needs of one role.
func (s *planner) wantedBy(r *role) solve.Request {
	out := solve.Request{Fits: r.shape.fits, Tree: int(r.topo), Most: r.limits, Spread: int(r.even), Pack: int(r.packed),
		PackAt: s.packedAt(r)}
	if r.must+r.spare+r.refill+r.replaceActive+r.replaceSpare == 0 {
		out.Fits = nil
		return out
	}
	out.Active, out.Standby, out.Refill = r.must, r.spare, r.refill
	out.ReplaceActive = r.replaceActive
	for _, list := range [][]int32{r.held, r.standIn} {
		for _, i := range list {
			out.Held = append(out.Held, s.domain(r, i))
			if r.even >= 0 {
				out.Even = append(out.Even, s.topology[r.even].dom[i])
			}
		}
	}
	out.Skew = 1
	if r.spread != nil {
		out.Skew = max(1, r.spread.MaxSkew)
	}
	for _, i := range r.standIn {
		out.Failed = append(out.Failed, solve.Failed{Domain: s.domain(r, i), Named: s.onlyNamed(r, i),
			Used: inUse(&s.hosts[i]) != nil})
	}
	return out
}

// packedAt returns the domain with the most hosts of a packed role, the first by name among equals; solve.None if the
// role has no host in a domain.
func (s *planner) packedAt(r *role) int32 {
	best := int32(solve.None)
	if r.packed < 0 {
		return best
	}
	t, in := s.topology[r.packed], map[int32]int{}
	for _, list := range [][]int32{r.held, r.standIn} {
		for _, i := range list {
			d := t.dom[i]
			if d < 0 {
				continue
			}
			in[d]++
			if best < 0 || in[d] > in[best] || in[d] == in[best] && t.names[d] < t.names[best] {
				best = d
			}
		}
	}
	return best
}
