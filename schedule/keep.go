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
	r.stays = map[int32]Reason{}
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
	var holds, leaving, goes, waits []int32
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
		case h.wasPending && s.fails(r, i) && r.want() > 0:
			r.standbySlot[i] = h.standby
			goes = append(goes, i) // its slot was filled, or given up, when its release began: it gets no second successor
			continue
		case h.wasPending && s.options.Old && r.want() > 0:
			r.standbySlot[i] = h.standby
			waits = append(waits, i)
			continue
		}
		holds = append(holds, i)
		r.standbySlot[i] = h.standby
	}
	holds, goes = s.waitOn(r, holds, goes, waits)
	holds, leaving = s.holdAgain(r, holds, leaving)
	s.fillSlots(r, holds)
	holds = s.releaseSurplus(r, holds)
	for _, i := range goes {
		var why Reason = Replaced{Trouble: r.why[i]}
		if r.why[i] == nil {
			why = s.surplusReason(r)
		}
		s.startRelease(r, i, why)
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

// waitOn has hosts that wait to leave wait on, unless their slots are empty: hosts that are older than the tree do not
// say which of them failed. It returns the held hosts and those that leave.
func (s *planner) waitOn(r *role, holds, goes, waits []int32) (held, leave []int32) {
	for _, i := range waits {
		standby, want := s.hosts[i].standby, r.active
		if standby {
			want = r.standby
		}
		if r.filled(holds, standby) < want {
			holds = append(holds, i)
		} else {
			goes = append(goes, i)
		}
	}
	slices.Sort(holds)
	return holds, goes
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

// filled returns how many hosts are in active slots, or in standby slots. A failed host is until another one got its
// slot.
func (r *role) filled(holds []int32, standby bool) (n int) {
	for _, i := range holds {
		if r.standbySlot[i] == standby && !r.fresh[i] {
			n++
		}
	}
	return n
}

// failing are the failed hosts in active slots, or in standby slots, in the order in which they lose them.
func (s *planner) failing(r *role, holds []int32, standby bool) (hosts []int32) {
	for _, i := range holds {
		if r.standbySlot[i] == standby && s.fails(r, i) {
			hosts = append(hosts, i)
		}
	}
	slices.SortFunc(hosts, func(a, b int32) int { return s.compareRelease(r, a, b) })
	return hosts
}

// yield has the first of some failed hosts that may, and in whose place the other host has room, lose its slot, and
// returns its index, -1 for none.
func (s *planner) yield(r *role, hosts []int32, room func(instead int32) bool) int {
	n := slices.IndexFunc(hosts, func(i int32) bool { return s.mayReplace(r, i) && room(i) })
	if n >= 0 {
		s.replace(r, hosts[n])
	}
	return n
}

// fit reports whether the host can serve a machine of its cluster: see Unfit of package holdings.
func (s *planner) fit(i int32) bool { return holdings.Unfit(s.hosts[i].Host) == holdings.Why{} }

// fillSlots promotes fit standby hosts, the first by name, to the empty active slots and to those of failed hosts. If
// the role has too many good active hosts, those that would be released first become standby hosts.
func (s *planner) fillSlots(r *role, holds []int32) {
	active, standby := s.good(r, holds, false), s.good(r, holds, true)
	filled, failing := r.filled(holds, false), s.failing(r, holds, false)
	for _, i := range holds {
		if active >= r.active || !r.standbySlot[i] || s.fails(r, i) || !s.fit(i) {
			continue
		}
		if filled < r.active {
			filled++
		} else if n := s.yield(r, failing, func(int32) bool { return true }); n >= 0 {
			failing = slices.Delete(failing, n, n+1)
		} else {
			break
		}
		r.standbySlot[i] = false
		active, standby = active+1, standby-1
	}
	if n := min(active-r.active, r.standby-standby); n > 0 {
		serving := slices.DeleteFunc(slices.Clone(holds), func(i int32) bool { return r.standbySlot[i] || s.fails(r, i) })
		for _, i := range s.firstToGo(r, serving, s.crowd(r, holds), n) {
			r.standbySlot[i] = true
		}
	}
}

// releaseSurplus releases the failed hosts whose slots others got, and surplus active and standby hosts. It returns
// the others.
func (s *planner) releaseSurplus(r *role, holds []int32) (stay []int32) {
	slots, here := [2][]int32{}, []int32{}
	for _, i := range holds {
		slot := 0
		if r.standbySlot[i] {
			slot = 1
		}
		if r.fresh[i] {
			s.startRelease(r, i, Replaced{Trouble: r.why[i]})
			continue
		}
		here = append(here, i)
		slots[slot] = append(slots[slot], i)
	}
	in := s.crowd(r, here)
	for slot, want := range []int{r.active, r.standby} {
		enough := want > 0 && s.good(r, here, slot == 1) >= want
		goes := s.firstToGo(r, slots[slot], in, len(slots[slot])-want)
		for _, i := range goes {
			why := s.surplusReason(r)
			switch {
			case !s.fails(r, i):
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
		s.countWaiting(i)
		return
	case use != nil:
		why = Approved{why, use}
	}
	h.reject = BeingReleased{}
	r.released = append(r.released, release{i, why, New})
}

// holdAgain cancels releases: fit hosts fill empty slots, and those of failed hosts, where the domain has room. Active
// slots are filled first, and formerly active hosts come first. It returns the held hosts and those that still leave.
func (s *planner) holdAgain(r *role, holds, leaving []int32) (held, left []int32) {
	in := map[int32]int{} // by domain
	count := func(i int32, n int) {
		for d := s.domain(r, i); d >= 0; d = r.tree.above(d) {
			in[d] += n
		}
	}
	for _, i := range holds {
		count(i, 1)
	}
	good := s.good(r, holds, false) + s.good(r, holds, true)
	filled := [2]int{r.filled(holds, false), r.filled(holds, true)}
	failing := [2][]int32{s.failing(r, holds, false), s.failing(r, holds, true)}
	slices.SortStableFunc(leaving, func(a, b int32) int { return order.Bool(s.hosts[a].standby, s.hosts[b].standby) })
	for _, i := range leaving {
		slot, instead := -1, int32(-1)
		if good < r.want() && r.why[i] == nil && s.mayStay(i) {
			room := func(instead int32) bool {
				if instead >= 0 {
					count(instead, -1)
					defer count(instead, 1)
				}
				for d := s.domain(r, i); d >= 0; d = r.tree.above(d) {
					if in[d] >= r.most(d) {
						return false
					}
				}
				return true
			}
			slot, instead = s.slotAgain(r, &filled, &failing, room)
		}
		if slot < 0 {
			left = append(left, i)
			continue
		}
		if count(i, 1); instead >= 0 {
			count(instead, -1)
		}
		r.standbySlot[i] = slot == 1
		good++
		holds = append(holds, i)
		s.hosts[i].releasing = false
		s.takeBack(r, i)
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

// slotAgain returns the slot of a host that is taken back, 0 for an active and 1 for a standby one, -1 for none: an
// empty one, else that of the failed host instead.
func (s *planner) slotAgain(
	r *role, filled *[2]int, failing *[2][]int32, room func(instead int32) bool,
) (slot int, instead int32) {
	for slot, want := range []int{r.active, r.standby} {
		if filled[slot] < want && room(-1) {
			filled[slot]++
			return slot, -1
		}
	}
	for slot, want := range []int{r.active, r.standby} {
		if filled[slot]-len(failing[slot]) >= want {
			continue // its failed hosts are surplus
		}
		if n := s.yield(r, failing[slot], room); n >= 0 {
			instead = failing[slot][n]
			failing[slot] = slices.Delete(failing[slot], n, n+1)
			return slot, instead
		}
	}
	return -1, -1
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
