package schedule

import (
	"cmp"
	"slices"

	"github.com/airshipit/sipgen/internal/holdings"
	"github.com/airshipit/sipgen/internal/order"
)

// keep decides which claimed hosts of the role stay, in which slots, and which go. A held host stays in its slot, but for one that fillSlots
// moves.
func (s *site) keep(r *role) {
	r.pending, r.why, r.standbySlot, r.fresh = map[int32]Reason{}, map[int32]Reason{}, map[int32]bool{}, map[int32]bool{}
	if len(r.cluster.refused) > 0 {
		s.freeze(r)
		return
	}
	var holds, leaving []int32
	for _, i := range r.claimed {
		h := &s.hosts[i]
		trouble := failed(h)
		if r.cluster.marked[i] && (trouble == nil || inError(trouble)) {
			trouble = MarkedForRemoval{trouble}
		}
		if trouble != nil {
			r.why[i] = trouble
		}
		if h.releasing {
			leaving = append(leaving, i)
			continue
		}
		holds = append(holds, i)
		r.standbySlot[i] = h.standby
	}
	active, standby := s.good(r, holds, false), s.good(r, holds, true)
	holds, leaving = s.holdAgain(r, holds, leaving)
	s.fillSlots(r, holds)
	filled := [2]int{min(s.good(r, holds, false), r.active) - active, min(s.good(r, holds, true), r.standby) - standby}
	holds = s.tooMany(r, holds, filled)
	for _, i := range leaving {
		s.noteLeaving(r, i)
	}
	for _, i := range holds {
		if s.fails(r, i) {
			r.standIn = append(r.standIn, i)
		} else {
			r.held = append(r.held, i)
		}
	}
	s.warnStillWanted(r, r.held)
	s.countWanted(r)
}

// fails: another host is to have the slot of the host.
func (s *site) fails(r *role, i int32) bool { return r.why[i] != nil && !s.serves(r, i) }

// good is how many hosts that have not failed are in active slots, or in standby slots.
func (s *site) good(r *role, holds []int32, standby bool) (n int) {
	for _, i := range holds {
		if r.standbySlot[i] == standby && !s.fails(r, i) {
			n++
		}
	}
	return n
}

// fillSlots has standby hosts, the first by name, fill the active slots that no good host fills. Where the role has too many good active hosts,
// those that would go first fill such standby slots.
func (s *site) fillSlots(r *role, holds []int32) {
	active, standby := s.good(r, holds, false), s.good(r, holds, true)
	for _, i := range holds {
		if active < r.active && r.standbySlot[i] && !s.fails(r, i) {
			r.standbySlot[i] = false
			active++
		}
	}
	for _, i := range s.firstToGo(r, holds) {
		if active > r.active && standby < r.standby && !r.standbySlot[i] && !s.fails(r, i) {
			r.standbySlot[i] = true
			active--
			standby++
		}
	}
}

// firstToGo is hosts in the order in which they are let go.
func (s *site) firstToGo(r *role, holds []int32) []int32 {
	return slices.SortedFunc(slices.Values(holds), func(a, b int32) int { return s.compareRelease(r, a, b) })
}

// tooMany lets hosts go, of the active ones and of the standby ones as many as the role has too many of, and gives the others. So many slots
// of both kinds were filled in this run: that many failed hosts lose theirs to others.
func (s *site) tooMany(r *role, holds []int32, filled [2]int) (stay []int32) {
	slots := [2][]int32{}
	for _, i := range s.firstToGo(r, holds) {
		slot := 0
		if r.standbySlot[i] {
			slot = 1
		}
		slots[slot] = append(slots[slot], i)
	}
	for slot, want := range []int{r.active, r.standby} {
		enough := want > 0 && s.good(r, holds, slot == 1) >= want
		n := max(0, len(slots[slot])-want)
		for _, i := range slots[slot][:n] {
			why := s.surplusReason(r)
			switch {
			case !s.fails(r, i):
			case enough:
				why = Replaced{Trouble: r.why[i]}
			default:
				why = Replaced{r.why[i], why}
			}
			if enough && filled[slot] > 0 && s.fails(r, i) {
				r.fresh[i] = !s.hosts[i].wasPending
				filled[slot]--
			}
			s.letGo(r, i, why)
		}
		stay = append(stay, slots[slot][n:]...)
	}
	slices.Sort(stay)
	return stay
}

// surplusReason is why a host that the role does not want is released.
func (s *site) surplusReason(r *role) Reason {
	switch {
	case r.cluster.spec == nil && slices.ContainsFunc(r.claimed, func(i int32) bool { return s.hosts[i].holding.By == holdings.BySite }):
		return Decommissioned{BySite: true}
	case r.cluster.gone:
		return Decommissioned{}
	}
	return Surplus{r.want()}
}

// noteLeaving is for a host whose release is in the tree.
func (s *site) noteLeaving(r *role, i int32) {
	h := &s.hosts[i]
	var why Reason = ReleasedBefore{}
	if use := inUse(h); use != nil && h.holding.Claim.Use != "" && !h.Untouchable() {
		why = Approved{why, use}
	}
	h.reject = BeingReleased{}
	r.released = append(r.released, release{i, why, FromTree})
}

// letGo releases a host, or makes it pending: a host that is provisioned or in use stays until it
// is let go of or its release is approved, and one of which no patch may be written until that is mended.
func (s *site) letGo(r *role, i int32, why Reason) {
	h := &s.hosts[i]
	if h.Untouchable() {
		r.pending[i] = ReleaseWaits{why, unpatchable(h)}
		return
	}
	if use := inUse(h); use != nil && !r.cluster.approved[i] {
		r.pending[i] = ReleaseWaits{why, use}
		return
	} else if use != nil {
		why = Approved{why, use}
	}
	h.reject = BeingReleased{}
	r.released = append(r.released, release{i, why, New})
}

// holdAgain takes back hosts that were released and still carry the labels, where no good host fills a slot and the domain has room: active
// slots first, and those that were active first. It gives the hosts that are held and those that still leave.
func (s *site) holdAgain(r *role, holds, leaving []int32) (held, left []int32) {
	in := map[int32]int{} // by domain
	count := func(i int32) {
		for d := s.domain(r, i); d >= 0; d = r.tree.above(d) {
			in[d]++
		}
	}
	room := func(i int32) bool {
		for d := s.domain(r, i); d >= 0; d = r.tree.above(d) {
			if in[d] >= r.most(d) {
				return false
			}
		}
		return true
	}
	for _, i := range holds {
		if !s.fails(r, i) {
			count(i)
		}
	}
	active, standby := s.good(r, holds, false), s.good(r, holds, true)
	slices.SortStableFunc(leaving, func(a, b int32) int { return order.Bool(s.hosts[a].standby, s.hosts[b].standby) })
	for _, i := range leaving {
		if active+standby < r.want() && r.why[i] == nil && room(i) && !s.hosts[i].Untouchable() {
			count(i)
			r.standbySlot[i] = active >= r.active
			if active < r.active {
				active++
			} else {
				standby++
			}
			holds = append(holds, i)
			s.hosts[i].releasing = false
			continue
		}
		left = append(left, i)
	}
	slices.Sort(holds)
	return holds, left
}

// compareRelease orders hosts by who goes first: failed ones and those that are named, then idle, then approved, then the last name.
func (s *site) compareRelease(r *role, a, b int32) int {
	x, y := &s.hosts[a], &s.hosts[b]
	return cmp.Or(order.Bool(s.fails(r, b), s.fails(r, a)), order.Bool(inUse(x) != nil, inUse(y) != nil),
		order.Bool(r.cluster.approved[b], r.cluster.approved[a]), cmp.Compare(b, a))
}

// slots is how many of the role's active and standby slots are filled.
func (r *role) slots() (active, standby int) {
	for _, list := range [][]int32{r.held, r.standIn} {
		for _, i := range list {
			if r.standbySlot[i] {
				standby++
			} else {
				active++
			}
		}
	}
	return active, standby
}

// countWanted says how many new hosts the role is to get.
func (s *site) countWanted(r *role) {
	active, standby := r.slots()
	r.newActive = max(0, r.active-active)
	r.must, r.spare = r.newActive, max(0, r.standby-standby)
	if s.options.StandbyRequired {
		r.must, r.spare = r.must+r.spare, 0
	}
	for _, i := range r.standIn {
		if r.standbySlot[i] {
			r.replaceSpare++
		} else {
			r.replaceActive++
		}
	}
}
