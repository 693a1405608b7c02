package schedule

import (
	"sort"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/inventory"
)

// Counted gives the clusters with a number of active hosts in the role that is asked about, and the options that
// hold then: who is refused may depend on the number.
type Counted func(active int) ([]v1.SIPCluster, Options, error)

// LargestUpTo is the largest active count of a role, at most limit, with which its cluster is placed and no other
// cluster is worse off than in the plan for the clusters as they are given. It is -1 if there is none. The role's standby count stays,
// and hosts that have failed do not count as hosts of the role. Worse off is a cluster that cannot be placed any
// more, that has fewer active or standby slots filled now, or more of them by failed hosts.
//
// More for one cluster can leave another one without its hosts, and so a third one with more than before: a number
// that does not fit says nothing about smaller ones. So every number is planned, from the largest down that leaves
// all others what they have.
// Each number is planned as counted gives it; without that, nothing but the count of the role changes.
func LargestUpTo(
	clusters []v1.SIPCluster, hosts []inventory.Host, previous Previous, options Options, cluster ClusterKey, name string, limit int, counted Counted,
) (int, error) {
	if _, err := WithCount(clusters, cluster, name, 0); err != nil {
		return 0, err
	}
	if counted == nil {
		counted = func(active int) ([]v1.SIPCluster, Options, error) {
			changed, err := WithCount(clusters, cluster, name, active)
			return changed, options, err
		}
	}
	asked := RoleKey{cluster, name}
	s, err := arrange(clusters, hosts, previous, options)
	if err != nil {
		return 0, err
	}
	now := s.standings()
	plans := map[int]map[RoleKey]standing{}
	planned := func(n int) (map[RoleKey]standing, error) {
		if plans[n] == nil {
			changed, options, err := counted(n)
			if err != nil {
				return nil, err
			}
			s, err := arrange(changed, hosts, previous, options)
			if err != nil {
				return nil, err
			}
			plans[n] = s.standings()
		}
		return plans[n], nil
	}
	// Whether the cluster itself is placed is another matter: it asks for its hosts before those that come after it,
	// and with fewer it needs no others.
	var failed error
	most := sort.Search(s.bound(asked), func(n int) bool {
		after, err := planned(n + 1)
		if err != nil {
			failed = err
		}
		return err != nil || !after[asked].placed
	})
	for n := min(most, limit); n >= 0; n-- {
		after, err := planned(n)
		if err != nil {
			return 0, err
		}
		if leavesAll(now, after, asked) {
			return n, nil
		}
		delete(plans, n)
	}
	return -1, failed
}

// arrange gives hosts away as Plan does.
func arrange(clusters []v1.SIPCluster, hosts []inventory.Host, previous Previous, options Options) (*site, error) {
	s, err := prepare(clusters, hosts, previous, options)
	if err == nil {
		s.assign()
	}
	return s, err
}

// standing is how well a role is off.
type standing struct {
	placed bool // its cluster is
	// active and standby are the slots filled, failed those of them that failed hosts fill, and failing the active
	// ones of these.
	active, standby, failed, failing int
}

// standings are those of all roles, once the hosts are assigned.
func (s *site) standings() map[RoleKey]standing {
	all := make(map[RoleKey]standing, len(s.roles))
	for _, r := range s.roles {
		at := standing{
			placed: !r.cluster.unschedulable && !r.cluster.gone,
			active: r.active - r.shortActive, standby: r.standby - r.shortStandby,
			failed: len(r.standIn),
		}
		for _, i := range r.standIn {
			if !r.standbySlot[i] {
				at.failing++
			}
		}
		all[r.key()] = at
	}
	return all
}

// leavesAll says whether the cluster of the role is placed, its active slots with hosts that have not failed, and no
// other is worse off than now.
func leavesAll(now, after map[RoleKey]standing, asked RoleKey) bool {
	if mine := after[asked]; !mine.placed || mine.failing > 0 {
		return false
	}
	for key, is := range after {
		was := now[key]
		if key.Cluster != asked.Cluster &&
			(was.placed && !is.placed || is.active < was.active || is.standby < was.standby || is.failed > was.failed) {
			return false
		}
	}
	return true
}

// bound is a number that the role cannot exceed: the hosts that claim it, and those that it selects.
func (s *site) bound(asked RoleKey) int {
	c := s.byKey[asked.Cluster]
	r := c.role(asked.Role)
	if c.gone {
		return 0
	}
	n := len(r.claimed)
	for i := range s.hosts {
		if h := &s.hosts[i]; h.role != r && matches(r.selector, h.Host) {
			n++
		}
	}
	return min(n, v1.MaxCount)
}
