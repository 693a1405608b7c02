package schedule

import (
	"slices"

	"github.com/airshipit/sipgen/internal/holdings"
	"github.com/airshipit/sipgen/internal/order"
)

// keep decides for the role's claimed hosts: which stay, in which slots, and which leave. A held host stays in its
// slot, unless fillSlots moves it.
func (s *planner) keep(r *role) {
	r.pending, r.why, r.standbySlot, r.fresh = map[int32]Reason{}, map[int32]Reason{}, map[int32]bool{}, map[int32]bool{}
	r.gone = s.empty[r.key()]
	for _, t := range s.lost[r.key()] {
		if !t.Standby && !t.Pending {
			r.gone++
		}
	}
	if len(r.cluster.refused) > 0 {
		s.freeze(r)
		return
	}
	var holds, leaving, goes []int32
	for _, i := range r.claimed {
		h := &s.hosts[i]
		trouble := failed(h)
		if r.cluster.marked[i] && (trouble == nil || inError(trouble)) {
			trouble = MarkedForRemoval{trouble}
		}
		if trouble != nil {
			r.why[i] = trouble
		}
		switch {
		case h.releasing:
			leaving = append(leaving, i)
			continue
		case h.wasPending && s.fails(r, i) && !r.cluster.gone && r.want() > 0:
			r.standbySlot[i] = h.standby
			goes = append(goes, i) // its slot was filled, or given up, when its release began: it gets no second successor
			continue
		}
		holds = append(holds, i)
		r.standbySlot[i] = h.standby
	}
	active, standby := s.good(r, holds, false), s.good(r, holds, true)
	holds, leaving = s.holdAgain(r, holds, leaving)
	s.fillSlots(r, holds)
	filled := [2]int{min(s.good(r, holds, false), r.active) - active, min(s.good(r, holds, true), r.standby) - standby}
	holds = s.releaseSurplus(r, holds, filled)
	for _, i := range goes {
		s.startRelease(r, i, Replaced{Trouble: r.why[i]})
	}
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

// fails reports whether another host should take the slot of the host.
func (s *planner) fails(r *role, i int32) bool { return r.why[i] != nil && !s.serves(r, i) }

// good returns how many hosts in active slots, or in standby slots, have not failed.
func (s *planner) good(r *role, holds []int32, standby bool) (n int) {
	for _, i := range holds {
		if r.standbySlot[i] == standby && !s.fails(r, i) {
			n++
		}
	}
	return n
}

// fit reports whether the host can serve a machine of its cluster: see Unfit of package holdings.
func (s *planner) fit(i int32) bool { return holdings.Unfit(s.hosts[i].Host) == holdings.Why{} }

// fillSlots promotes fit standby hosts, the first by name, to the active slots that no good host fills. If the role has
// too many good active hosts, those that would be released first become standby hosts.
func (s *planner) fillSlots(r *role, holds []int32) {
	active, standby := s.good(r, holds, false), s.good(r, holds, true)
	for _, i := range holds {
		if active < r.active && r.standbySlot[i] && !s.fails(r, i) && s.fit(i) {
			r.standbySlot[i] = false
			active++
		}
	}
	if n := min(active-r.active, r.standby-standby); n > 0 {
		serving := slices.DeleteFunc(slices.Clone(holds), func(i int32) bool { return r.standbySlot[i] || s.fails(r, i) })
		for _, i := range s.firstToGo(r, serving, s.crowd(r, holds), n) {
			r.standbySlot[i] = true
		}
	}
}

// releaseSurplus releases surplus active and standby hosts, and returns the others. filled are the active and standby
// slots that were filled in this run: as many failed hosts lose their slots.
func (s *planner) releaseSurplus(r *role, holds []int32, filled [2]int) (stay []int32) {
	slots := [2][]int32{}
	for _, i := range holds {
		slot := 0
		if r.standbySlot[i] {
			slot = 1
		}
		slots[slot] = append(slots[slot], i)
	}
	in := s.crowd(r, holds)
	for slot, want := range []int{r.active, r.standby} {
		enough := want > 0 && s.good(r, holds, slot == 1) >= want
		goes := s.firstToGo(r, slots[slot], in, len(slots[slot])-want)
		for _, i := range goes {
			why := s.surplusReason(r)
			switch {
			case !s.fails(r, i):
			case filled[slot] > 0:
				r.fresh[i] = !s.hosts[i].wasPending
				filled[slot]--
				why = Replaced{Trouble: r.why[i]}
			case enough:
				why = Replaced{Trouble: r.why[i]}
			default:
				why = Replaced{r.why[i], why}
			}
			s.startRelease(r, i, why)
		}
		slices.Sort(goes)
		for _, i := range slots[slot] {
			if _, gone := slices.BinarySearch(goes, i); !gone {
				stay = append(stay, i)
			}
		}
	}
	slices.Sort(stay)
	return stay
}

// surplusReason returns why the role releases a host that it does not need.
func (s *planner) surplusReason(r *role) Reason {
	switch {
	case r.cluster.spec == nil && slices.ContainsFunc(r.claimed,
		func(i int32) bool { return s.hosts[i].holding.By == holdings.BySite }):
		return Decommissioned{BySite: true}
	case r.cluster.gone:
		return Decommissioned{}
	}
	return Surplus{r.want()}
}

// noteLeaving records a host whose release is already in the tree, or whose object was made anew.
func (s *planner) noteLeaving(r *role, i int32) {
	h := &s.hosts[i]
	var why Reason = ReleasedBefore{}
	since := FromTree
	switch use := inUse(h); {
	case h.holding.Recreated:
		why, since = condition(h.Host, h.holding.Why), New
	case h.holding.Why.Code == holdings.KeptForReuse:
		why = condition(h.Host, h.holding.Why)
	case use != nil && h.holding.Claim.Use != "" && !h.Untouchable():
		why = Approved{why, use}
	}
	h.reject = BeingReleased{}
	r.released = append(r.released, release{i, why, since})
}

// startRelease releases a host, or makes its release pending. The release of a host that is provisioned or in use
// waits for its user or for an approval; that of an unpatchable host waits until it can be patched, and any release
// until the hosts are read again if they are older than the tree.
func (s *planner) startRelease(r *role, i int32, why Reason) {
	h := &s.hosts[i]
	if h.Untouchable() {
		r.pending[i] = ReleaseWaits{why, unpatchable(h)}
		return
	}
	use := inUse(h)
	switch {
	case s.options.Old:
		r.pending[i] = ReleaseWaits{why, Condition{Why: holdings.Why{Code: holdings.Unsure}}}
		return
	case use != nil && !r.cluster.approved[i]:
		r.pending[i] = ReleaseWaits{why, use}
		return
	case use != nil:
		why = Approved{why, use}
	}
	h.reject = BeingReleased{}
	r.released = append(r.released, release{i, why, New})
}

// holdAgain cancels releases: hosts that still carry the labels fill slots without a good host, where the domain has
// room. Active slots are filled first, and formerly active hosts come first. It returns the held hosts and those that
// still leave.
func (s *planner) holdAgain(r *role, holds, leaving []int32) (held, left []int32) {
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
		if active+standby < r.want() && r.why[i] == nil && room(i) && s.mayStay(i) {
			count(i)
			r.standbySlot[i] = active >= r.active
			if active < r.active {
				active++
			} else {
				standby++
			}
			holds = append(holds, i)
			s.hosts[i].releasing = false
			s.takeBack(r, i)
			continue
		}
		left = append(left, i)
	}
	slices.Sort(holds)
	return holds, left
}

// takeBack has a host that was made anew fill its own slot.
func (s *planner) takeBack(r *role, i int32) {
	own := slices.IndexFunc(s.lost[r.key()], func(t *PreviousClaim) bool { return t.Host == s.hosts[i].key() })
	if own < 0 {
		return
	}
	if t := s.lost[r.key()][own]; !t.Standby && !t.Pending {
		r.gone--
	}
	s.lost[r.key()] = slices.Delete(s.lost[r.key()], own, own+1)
}

// mayStay reports whether the release of a leaving host may be cancelled: it is fit, and its labels may be written. A
// host that is in use without any label was released with an approval, or someone else took it.
func (s *planner) mayStay(i int32) bool {
	h := &s.hosts[i]
	return s.fit(i) && !h.Untouchable() && (h.holding.Labels.Any || !h.State.InUse())
}

// warnUnfit warns of the role's active hosts that no machine can take, apart from failed ones.
func (s *planner) warnUnfit(r *role) {
	for _, i := range slices.Concat(r.held, r.frozen) {
		h := &s.hosts[i]
		standby, moved := r.standbySlot[i]
		if why := holdings.Unfit(h.Host); why.Code != "" && failed(h) == nil && !(standby || !moved && h.standby) {
			r.warn(Unfit{h.key(), condition(h.Host, why)})
		}
	}
}

// slots returns how many active and standby slots of the role are filled.
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

// countWanted sets how many new hosts the role should get.
func (s *planner) countWanted(r *role) {
	active, standby := r.slots()
	r.newActive = max(0, r.active-active)
	r.refill = min(r.gone, r.newActive)
	r.must, r.spare = r.newActive-r.refill, max(0, r.standby-standby)
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
