package schedule

import (
	"cmp"
	"slices"

	"github.com/airshipit/sipgen/internal/order"
	"github.com/airshipit/sipgen/schedule/solve"
)

// assign gives the free hosts to the roles: package solve says to whom.
func (s *site) assign() {
	for _, r := range s.roles {
		slices.SortFunc(r.standIn, func(a, b int32) int {
			return cmp.Or(order.Bool(r.standbySlot[a], r.standbySlot[b]), s.compareRelease(r, a, b))
		})
	}
	found := solve.Solve(s.inNumbers())
	for n, c := range s.clusters {
		c.unschedulable = len(c.refused) > 0 || !found.Placed[n] && !c.gone
		for _, r := range c.roles {
			s.got(r, &found.Roles[r.index])
		}
	}
	for i := range found.Shortages {
		s.shortages = append(s.shortages, s.shortage(&found.Shortages[i]))
	}
}

// got notes what a role gets.
func (s *site) got(r *role, got *solve.Got) {
	for _, i := range got.Hosts {
		r.picks = append(r.picks, pick{i, s.chosen(r, i)})
	}
	for _, n := range got.Replaced {
		i := r.standIn[n]
		r.fresh[i] = true
		if !r.standbySlot[i] {
			r.newActive++
		}
		s.letGo(r, i, Replaced{Trouble: r.why[i]})
	}
	r.standIn = slices.DeleteFunc(r.standIn, func(i int32) bool { return r.fresh[i] })
	slices.Sort(r.standIn)
	if r.cluster.unschedulable {
		s.shortOf(r)
		return
	}
	r.shortStandby = got.ShortStandby
}

// shortOf counts the empty slots of a role that gets nothing new. Where it is frozen, standby hosts stay standby,
// whatever is missing.
func (s *site) shortOf(r *role) {
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
	r.shortActive, r.shortStandby = max(0, r.active-active), max(0, r.standby-standby)
}
