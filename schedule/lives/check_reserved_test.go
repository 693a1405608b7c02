package lives

import (
	"fmt"
	"slices"
)

// What other clusters, or later ones, may not have: reserved hosts, and those that a cluster before them lacks.

// outOfReserve: reserved hosts of a kind go to cluster a alone. Of those that are kept, as far as there were free ones
// and in the order of the list, other clusters get none of the minimum, and no cluster spares, but for what failed or
// is gone.
func (r *run) outOfReserve() string {
	for _, kind := range []string{"a", "b"} {
		has, others, all, free := 0, 0, 0, 0
		for i := range r.hosts {
			h := &r.hosts[i]
			e, is := r.after.of(h.name)
			switch fresh := r.free(h); {
			case h.kind != kind:
				continue
			case !fresh && is && e.cluster == "a":
				has++
			case fresh && is && !e.leaving:
				if all++; e.cluster != "a" {
					others++
				}
				fallthrough
			case fresh:
				free++
			}
		}
		left, minimum, spare := free, 0, 0
		for _, by := range r.reserved {
			switch {
			case by.kind != kind:
			case by.count == 0 && others > 0:
				return fmt.Sprintf("%d of kind %s: %v, then %v", others, kind, r.before, r.after)
			case by.first:
				minimum = min(left, max(0, by.count-has))
				left -= minimum
			default:
				spare = min(left, by.count)
				left -= spare
			}
		}
		if n := r.successors(); others > free-minimum || others-n > free-minimum-spare || all-n > free-spare {
			return fmt.Sprintf("%d of %d, %d of them not to a, for %d that failed; a minimum of %d, and %d spares: %v, then %v",
				all, free, others, n, minimum, spare, r.before, r.after)
		}
	}
	return ""
}

// turns: a cluster that comes later has no host that one before it could have, which lacks nothing else.
func (r *run) turns() string {
	if r.old || r.limit > 0 || len(r.reserved) > 0 {
		return ""
	}
	for i := range r.hosts {
		h := &r.hosts[i]
		e, is := r.after.of(h.name)
		if !is || e.leaving || !r.free(h) {
			continue
		}
		for name, s := range r.specs {
			role, lacks := r.lacks(name)
			w := s.roles[role]
			if lacks != 1 || w.perRack > 0 || w.kind != "" && w.kind != h.kind ||
				w.vendor != "" && w.vendor != h.vendor ||
				slices.Contains(s.remove, h.name) || slices.Contains(s.approve, h.name) ||
				!r.goesBefore(name, e.cluster) {
				continue
			}
			return fmt.Sprintf("%s gets %s, and %s lacks one: %v, then %v", e.cluster, h.name, name, r.before, r.after)
		}
	}
	return ""
}

// lacks is how many active hosts a cluster lacks that may get some, and a role that does.
func (r *run) lacks(cluster string) (role string, n int) {
	s := r.specs[cluster]
	frozen := slices.ContainsFunc(r.hosts, func(h host) bool {
		was, _ := r.ownBefore(&h)
		return r.disputed(&h) && (was.cluster == cluster || h.label.cluster == cluster)
	})
	if !s.here || s.fault || s.deleted || r.asks[cluster] > 0 || frozen {
		return "", 0
	}
	for name, w := range s.roles {
		for _, entries := range r.after.hosts {
			if e := entries[0]; e.cluster == cluster && e.role == name && !e.standby && !e.leaving && !e.pending {
				w.active--
			}
		}
		if w.active > 0 {
			role, n = name, n+w.active
		}
	}
	return role, n
}

// goesBefore says whether a cluster surely comes before another: by priority, then those that have slots in the tree
// before new ones, then by name.
func (r *run) goesBefore(cluster, other string) bool {
	running := func(name string) (is, may bool) {
		for _, entries := range r.before.all() {
			is = is || entries[0].cluster == name && !entries[0].leaving
			may = may || entries[0].cluster == name
		}
		is = is || r.before != nil && r.before.empty[name] > 0
		return is, is || may || slices.ContainsFunc(r.hosts, func(h host) bool { return h.label.cluster == name })
	}
	runs, mayRun := running(cluster)
	otherRuns, otherMayRun := running(other)
	a, b := r.specs[cluster].priority, r.specs[other].priority
	return a > b || a == b && (runs && !otherMayRun ||
		runs == mayRun && otherRuns == otherMayRun && runs == otherRuns && cluster < other)
}
