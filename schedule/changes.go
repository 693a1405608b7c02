package schedule

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/airshipit/sipgen/internal/holdings"
)

// lose notes that a host of the tree is not there any more, for whoever takes its slot.
func (s *site) lose(t *PreviousClaim) {
	if t.Releasing {
		return
	}
	key := RoleKey{t.Cluster, t.Role}
	s.lost[key] = append(s.lost[key], t)
}

// replacements says whose slot each host takes that is new in it: those of active hosts go to promoted hosts and then to new ones, those of
// standby hosts and of promoted ones to new hosts. Within that, by name.
func (s *site) replacements(r *role, assigned []Assignment) {
	var active, standby, promoted []Replacement // slots that came free
	for _, t := range s.lost[r.key()] {
		at := &active
		if t.Standby {
			at = &standby
		}
		why := holdings.Gone
		if s.find(t.Host) >= 0 {
			why = holdings.Recreated
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
			promoted = append(promoted, Replacement{HostKey{Namespace: a.Host.Namespace, Name: a.Host.Name}, Promoted{}})
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
