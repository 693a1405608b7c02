package schedule

import (
	"math"
	"slices"

	"github.com/airshipit/sipgen/schedule/solve"
)

// pace bounds how many failed hosts lose their slots at a time: as long as fewer than the number of the brake wait to
// leave clusters that stay, over all runs, or none of the same tenant. A host that nothing uses counts in the run that
// replaces it alone, and one that only RemoveAnnotation of package v1 names not at all: it is its spec's own loss.
type pace struct {
	most    int
	counted map[int32]bool
	tenants map[any]int // hosts of counted, by tenant
}

// startPace counts the hosts that wait by earlier runs. Those of frozen clusters wait, too.
func (s *planner) startPace() {
	s.pace = pace{most: math.MaxInt, counted: map[int32]bool{}, tenants: map[any]int{}}
	if s.options.Brake != nil {
		s.pace.most = s.options.Brake(len(hadBy(s.holdings)))
	}
	for i := range s.hosts {
		if s.hosts[i].wasPending {
			s.countWaiting(int32(i))
		}
	}
}

// died reports whether a held host failed by itself, whatever an annotation of its cluster says.
func (s *planner) died(i int32) bool {
	h := &s.hosts[i]
	trouble := failed(h)
	return trouble != nil && !(inError(trouble) && inUse(h) != nil)
}

// onlyNamed reports whether RemoveAnnotation of package v1 alone has the host replaced.
func (s *planner) onlyNamed(r *role, i int32) bool { return r.cluster.marked[i] && !s.died(i) }

// countWaiting counts a failed host that waits to leave, unless its user has begun to let it go.
func (s *planner) countWaiting(i int32) {
	h := &s.hosts[i]
	runs := h.State.Image || h.State.ExternallyProvisioned
	if h.role != nil && !h.releasing && !h.role.cluster.gone && s.died(i) && inUse(h) != nil && runs {
		s.count(h.role, i)
	}
}

func (s *planner) count(r *role, i int32) {
	if !s.pace.counted[i] {
		s.pace.counted[i] = true
		s.pace.tenants[s.tenant(r.cluster)]++
	}
}

// mayReplace reports whether a failed host may lose its slot in this run, and replace notes that it does.
func (s *planner) mayReplace(r *role, i int32) bool {
	return s.onlyNamed(r, i) || len(s.pace.counted) < s.pace.most || s.pace.tenants[s.tenant(r.cluster)] == 0
}

func (s *planner) replace(r *role, i int32) {
	r.fresh[i] = true
	if !s.onlyNamed(r, i) {
		s.count(r, i)
	}
}

// tenant returns what clusters of one tenant have in common.
func (s *planner) tenant(c *cluster) any {
	if limit := s.options.Limits[c.key]; limit != nil {
		return limit
	}
	return c.key.Namespace
}

// paceInNumbers converts what is left of the pace to the form of package solve.
func (s *planner) paceInNumbers(out *solve.Problem) {
	out.Number, out.Places = s.pace.most, max(0, s.pace.most-len(s.pace.counted))
	known := map[any]int{}
	for n, c := range s.clusters {
		tenant := s.tenant(c)
		if _, ok := known[tenant]; !ok {
			known[tenant] = len(out.Busy)
			out.Busy = append(out.Busy, s.pace.tenants[tenant] > 0)
		}
		out.Clusters[n].Tenant = known[tenant]
	}
}

// othersWait returns why failed hosts keep their slots, once all hosts are assigned.
func (s *planner) othersWait() Reason {
	out := WaitsForOthers{Most: s.pace.most}
	for i := range s.pace.counted { // sorted below
		out.Hosts = append(out.Hosts, s.hosts[i].key())
	}
	slices.SortFunc(out.Hosts, compareKeys)
	return out
}
