package lives

import (
	"fmt"
	"maps"
	"slices"
)

// lossOf is a host that a cluster had, and that is leaving or another's now, without its approval.
func (r *run) lossOf(of func(cluster string, s *spec) bool) string {
	for i := range r.hosts {
		h := &r.hosts[i]
		was, is := r.ownBefore(h)
		if !is || !h.here || was.leaving {
			continue
		}
		if s := r.specs[was.cluster]; s == nil || !of(was.cluster, s) {
			continue
		}
		if e, ok := r.after.of(h.name); (!ok || e.cluster != was.cluster || e.leaving) && !r.gives(h, was, e) {
			return fmt.Sprintf("%+v: %+v, then %+v", *h, was, e)
		}
	}
	return ""
}

// brake: what the tree gave to a cluster, and is not its own, is leaving or waits to leave now, is within the limit, or
// was accepted, by the spec or by the run. What goes instead of one that waited is no loss.
func (r *run) brake() string {
	if r.accepted || r.refused || r.before == nil {
		return ""
	}
	byName := map[string]*host{}
	for i := range r.hosts {
		byName[r.hosts[i].name] = &r.hosts[i]
	}
	var lost []string
	instead := 0
	for _, name := range slices.Sorted(maps.Keys(r.before.hosts)) {
		was := r.before.hosts[name][0]
		if s := r.specs[was.cluster]; was.leaving ||
			s != nil && s.acceptLoss > 0 && r.before.accepted[was.cluster] != s.acceptText {
			continue
		}
		e, ok := r.after.of(name)
		switch goes := !byName[name].here && !r.old || !ok || e.cluster != was.cluster || e.leaving || e.pending; {
		case was.pending && !goes:
			instead++
		case byName[name].here && byName[name].failed(): // another host may have its slot: then it is no loss
		case !was.pending && goes:
			lost = append(lost, name)
		}
	}
	if len(lost)-instead > allowed {
		return fmt.Sprintf("%v of %v, then %v", lost, r.before, r.after)
	}
	return ""
}

// outside: a host of the tree in a namespace that left the Site is in the next one, too, unless somebody accepts that
// it goes. The loss of one that waits to leave was counted when that was decided.
func (r *run) outside() string {
	for i := range r.hosts {
		h := &r.hosts[i]
		was, had := r.before.of(h.name)
		if _, has := r.after.of(h.name); r.left && h.annex && had && !was.leaving && !was.pending && !has &&
			!r.accepted && !r.refused {
			return fmt.Sprintf("%+v: %+v", *h, was)
		}
	}
	return ""
}

// some: a cluster that gets a new active host has all of its active hosts then.
func (r *run) some() string {
	gets, short, successors := map[string]string{}, map[string]string{}, map[slot]int{}
	active := map[slot]int{}
	for _, name := range slices.Sorted(maps.Keys(r.after.hosts)) {
		e := r.after.hosts[name][0]
		if e.leaving || e.standby {
			continue
		}
		active[slot{cluster: e.cluster, role: e.role}]++
		was, ok := r.before.of(name)
		if !ok || was.cluster != e.cluster {
			gets[e.cluster] = name
			if r.host(name).label.cluster != e.cluster { // else its labels may give it to the cluster
				successors[slot{cluster: e.cluster, role: e.role}]++
			}
		}
	}
	for cluster, s := range r.specs {
		for role, w := range s.roles {
			if s.here && active[slot{cluster: cluster, role: role}] < w.active {
				short[cluster] = role
			}
		}
	}
	for _, cluster := range slices.Sorted(maps.Keys(gets)) {
		h := r.host(gets[cluster])
		if short[cluster] != "" && h.label.cluster != cluster && !r.replaces(cluster) {
			return fmt.Sprintf("%s gets %s, and lacks %s", cluster, gets[cluster], short[cluster])
		}
		for role, w := range r.specs[cluster].roles {
			of := slot{cluster: cluster, role: role}
			if failed, empty := r.mayReplace(cluster); w.active-active[of] > empty && successors[of] > failed+empty {
				return fmt.Sprintf("%s %s gets %d hosts for %d that failed and %d that are gone, and lacks others: "+
					"%v, then %v", cluster, role, successors[of], failed, empty, r.before, r.after)
			}
		}
	}
	return ""
}
