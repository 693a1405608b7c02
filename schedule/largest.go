package schedule

import (
	"sort"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/inventory"
)

// Largest is the largest active count of a role with which its cluster is placed and no other cluster is worse off than in
// the plan for the clusters as they are given. It is -1 if there is none. The role's standby count stays, and hosts that have
// failed do not count as hosts of the role. Worse off is a cluster that cannot be placed any more, that has fewer active or standby
// slots filled now, or more of them by failed hosts.
//
// More for one cluster can leave another one without its hosts, and so a third one with more than before: a number that does not
// fit says nothing about smaller ones. So every number is planned, from the largest down that leaves all others what they have.
func Largest(clusters []v1.SIPCluster, hosts []inventory.Host, previous Previous, options Options, cluster ClusterKey, name string) (int, error) {
	return LargestUpTo(clusters, hosts, previous, options, cluster, name, v1.MaxCount, nil)
}

// Counted gives the clusters with a number of active hosts in the role that is asked about, and the options that hold then: who is refused, and how many failed
// hosts get a successor, may depend on the number.
type Counted func(active int) ([]v1.SIPCluster, Options, error)

// LargestUpTo is Largest among the counts up to limit, each of them planned as counted says. Without that, nothing but the count of the role changes.
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
	options.asked = asked
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
			options.asked = asked
			s, err := arrange(changed, hosts, previous, options)
			if err != nil {
				return nil, err
			}
			plans[n] = s.standings()
		}
		return plans[n], nil
	}
	// Whether the cluster itself is placed is another matter: it asks for its hosts before those that come after it, and with fewer
	// it needs no others.
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

// arrange gives hosts away as Plan does, without saying which.
func arrange(clusters []v1.SIPCluster, hosts []inventory.Host, previous Previous, options Options) (*site, error) {
	plan := func(options Options) (*site, error) { return arranged(clusters, hosts, previous, options) }
	s, err := plan(options.with(nil, false))
	if err != nil {
		return nil, err
	}
	return s.keepPromises(plan)
}

// arranged is arrange without a thought for what was promised before: a cluster that would wait in vain does not wait.
func arranged(clusters []v1.SIPCluster, hosts []inventory.Host, previous Previous, options Options) (*site, error) {
	noWait := map[ClusterKey]bool{}
	for known := false; ; {
		s, err := prepare(clusters, hosts, previous, options)
		if err != nil {
			return nil, err
		}
		s.noWait, s.given = noWait, given{clusters, hosts, previous}
		s.assign()
		if s.withhold() {
			known = false
			continue
		}
		if known || !s.contested() {
			if !options.standbyBack && s.standbyBack() {
				options.standbyBack = true
				continue
			}
			return s, nil
		}
		s.choose()
		broken := s.broken(s.result())
		known = len(broken) == 0 // done again all the same: choosing has moved hosts
		for _, c := range broken {
			noWait[c] = true
		}
	}
}

// standing is how well a role is off.
type standing struct {
	placed bool // its cluster is
	// active and standby are the slots filled, failed those of them that failed hosts fill, and failing the active ones of these.
	active, standby, failed, failing int
}

// standings are those of all roles, once the hosts are assigned.
func (s *site) standings() map[RoleKey]standing {
	all := make(map[RoleKey]standing, len(s.roles))
	for _, r := range s.roles {
		at := standing{
			placed: !r.cluster.unschedulable && !r.cluster.gone,
			active: r.active - r.shortActive, standby: r.standby - r.shortStandby,
			failed: len(r.standIn) + len(r.spares),
		}
		standby := s.standbySlots(r)
		for _, i := range r.standIn {
			if !standby[i] {
				at.failing++
			}
		}
		all[r.key()] = at
	}
	return all
}

// leavesAll says whether the cluster of the role is placed, its active slots with hosts that have not failed, and no other is worse off than now.
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

// bound is a number that the role cannot exceed without taking from other clusters what they were assigned: the hosts that claim it, the free
// hosts that a flow can still bring to it, and those that may come free.
func (s *site) bound(asked RoleKey) int {
	c := s.byKey[asked.Cluster]
	r := c.role(asked.Role)
	if c.gone {
		return 0
	}
	for _, sibling := range c.roles {
		for sibling != r && sibling.units > sibling.must {
			s.net.drop(sibling, s.net.edges[sibling.edges[len(sibling.edges)-1]].bucket)
		}
	}
	for _, i := range r.standIn {
		r.open(s.domain(r, i))
	}
	s.fill(r, len(s.hosts))
	return min(len(r.claimed)+r.units+s.mayComeFree(r), v1.MaxCount)
}

// mayComeFree counts the hosts that the role could have by its selector, and that others let go of or may be moved from.
func (s *site) mayComeFree(r *role) int {
	n := 0
	for _, other := range s.roles {
		if other == r {
			continue
		}
		for _, gone := range other.released {
			if matches(r.selector, s.hosts[gone.host].Host) {
				n++
			}
		}
		for _, i := range other.held {
			if s.options.AllowMoves && matches(r.selector, s.hosts[i].Host) {
				n++
			}
		}
	}
	return n
}
