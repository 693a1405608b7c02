package schedule

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/labels"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/internal/redact"
	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/inventory"
)

// shownSelector returns a selector for a message. A trailing "=" looks like base64, and is no secret here.
func shownSelector(selector string) string {
	if key, empty := strings.CutSuffix(selector, "="); empty && redact.Plain(key) == key {
		return strconv.Quote(selector)
	}
	return redact.Value(selector)
}

// Without returns the hosts that the selector does not match, and the number of those that it does. A selector
// without a match is an error, because the question would not change the site.
func Without(hosts []inventory.Host, selector labels.Selector) ([]inventory.Host, int, error) {
	var left []inventory.Host
	for i := range hosts {
		if !matches(selector, &hosts[i]) {
			left = append(left, hosts[i])
		}
	}
	gone := len(hosts) - len(left)
	if gone == 0 {
		return nil, 0, fmt.Errorf("selector %s: matches none of the %s", shownSelector(selector.String()),
			text.Count(len(hosts), "host"))
	}
	return left, gone, nil
}

// WithCount returns the clusters with another number of active hosts in one role. The input does not change.
func WithCount(clusters []v1.SIPCluster, cluster ClusterKey, name string, active int) ([]v1.SIPCluster, error) {
	if active < 0 || active > v1.MaxCount {
		return nil, fmt.Errorf("%s %s: found count %d, want 0 to %d", cluster, name, active, v1.MaxCount)
	}
	out := slices.Clone(clusters)
	for i := range out {
		if KeyOf(&out[i]) != cluster {
			continue
		}
		set, ok := out[i].Spec.Nodes[name]
		if !ok {
			roles := slices.Sorted(maps.Keys(out[i].Spec.Nodes))
			if near := manifest.Nearest(name, roles); near != "" {
				return nil, fmt.Errorf("%s has no role %s, did you mean %s?", cluster, name, near)
			}
			return nil, fmt.Errorf("%s has no role %s, only %s", cluster, name, strings.Join(roles, ", "))
		}
		_, standby := set.Want()
		set.Count = &v1.NodeCount{Active: active, Standby: standby}
		nodes := maps.Clone(out[i].Spec.Nodes)
		nodes[name] = set
		out[i].Spec.Nodes = nodes
		return out, nil
	}
	return nil, fmt.Errorf("%s: no such cluster", cluster)
}

// Counted returns the clusters with a number of active hosts in the role of the question, and the options for that
// number: it may affect who is refused.
type Counted func(active int) ([]v1.SIPCluster, Options, error)

// LargestUpTo returns the largest active count of a role, at most limit, with which its cluster is placed and no
// other cluster is worse off than in the plan for the given clusters. It returns -1 if there is none. The role's
// standby count stays, and failed hosts do not count as hosts of the role. A cluster is worse off if it becomes
// unschedulable, has fewer active or standby slots filled, or more of them by failed hosts.
//
// More hosts for one cluster can cost a second one its hosts, and so give a third one more than before: a number that
// does not fit proves nothing about smaller ones. So every number is planned, from the largest that leaves all others
// their hosts downward. counted returns the input for each number; without it, only the count of the role changes.
func LargestUpTo(
	clusters []v1.SIPCluster, hosts []inventory.Host, previous Previous, options Options, cluster ClusterKey, name string,
	limit int, counted Counted,
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
	// Whether the cluster itself is placed is another matter: it is served before later clusters, and with fewer
	// hosts it needs no others.
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

// arrange assigns hosts as Plan does.
func arrange(clusters []v1.SIPCluster, hosts []inventory.Host, previous Previous, options Options) (*planner, error) {
	s, err := prepare(clusters, hosts, previous, options)
	if err == nil {
		s.assign()
	}
	return s, err
}

// standing is how well a role is supplied.
type standing struct {
	placed bool // its cluster is
	// active and standby are the slots filled, failed those of them that failed hosts fill, and failing the active
	// ones of these.
	active, standby, failed, failing int
	// empty are its slots that no host fills.
	empty int
}

// standings returns those of all roles, once the hosts are assigned.
func (s *planner) standings() map[RoleKey]standing {
	all := make(map[RoleKey]standing, len(s.roles))
	for _, r := range s.roles {
		at := standing{
			placed: !r.cluster.unschedulable && !r.cluster.gone,
			active: r.active - r.shortActive, standby: r.standby - r.shortStandby,
			failed: len(r.standIn), empty: r.shortActive + r.shortStandby,
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

// worse reports whether a role is worse off than it was.
func (is standing) worse(was standing) bool {
	return was.placed && !is.placed || is.active < was.active || is.standby < was.standby || is.failed > was.failed
}

// leavesAll reports whether the cluster of the role is placed, with its active slots filled by good hosts, and no
// other role is worse off.
func leavesAll(now, after map[RoleKey]standing, asked RoleKey) bool {
	if mine := after[asked]; !mine.placed || mine.failing > 0 {
		return false
	}
	for key, ok := range after {
		was := now[key]
		if key.Cluster != asked.Cluster && ok.worse(was) {
			return false
		}
	}
	return true
}

// MoreLike returns how many more clusters like one get all their active and standby hosts, planned after all others,
// while no other cluster is worse off. If n do not fit, no larger number fits. The shortage is that of the first one
// that does not fit, nil if another cluster would be worse off.
func MoreLike(clusters []v1.SIPCluster, hosts []inventory.Host, previous Previous, options Options,
	like ClusterKey) (int, *Shortage, error) {
	at := slices.IndexFunc(clusters, func(c v1.SIPCluster) bool {
		return c.Namespace == like.Namespace &&
			c.Name == like.Name
	})
	if at < 0 {
		return 0, nil, fmt.Errorf("%s: no such cluster", like)
	}
	one := clusters[at]
	one.Annotations, one.Spec.Priority = nil, math.MinInt32
	want := 0
	for _, set := range one.Spec.Nodes {
		active, standby := set.Want()
		want += active + standby
	}
	if want == 0 {
		return 0, nil, fmt.Errorf("%s: asks for no host: any number of such clusters fits", like)
	}
	s, err := arrange(clusters, hosts, previous, options)
	if err != nil {
		return 0, nil, err
	}
	now, free := s.standings(), 0
	for i := range s.classes {
		free += len(s.classes[i].hosts)
	}
	for _, r := range s.roles {
		free -= len(r.picks)
	}
	var failed error
	var last *planner
	fit := func(n int) bool {
		with, asIf := slices.Clone(clusters), options
		asIf.Granted = maps.Clone(options.Granted)
		for i := range n {
			one.Name = fmt.Sprintf("%s.like.%d", like.Name, i+1) // a cluster has no dot in its name
			with = append(with, one)
			if granted := options.Granted[like]; granted != nil {
				asIf.Granted[KeyOf(&one)] = granted
			}
		}
		s, err := arrange(with, hosts, previous, asIf)
		if err != nil {
			failed = err
			return false
		}
		last = s
		for key, ok := range s.standings() {
			if was, known := now[key]; known && ok.worse(was) || !known && (!ok.placed || ok.empty > 0) {
				return false
			}
		}
		return true
	}
	more := sort.Search(free/want, func(n int) bool { return !fit(n + 1) })
	if fit(more + 1); failed != nil {
		return 0, nil, failed
	}
	for i := range last.shortages {
		if _, known := now[last.shortages[i].Short]; !known {
			return more, &last.shortages[i], nil
		}
	}
	return more, nil, nil
}

// bound returns an upper bound for the role: the hosts that claim it, and those that it selects.
func (s *planner) bound(asked RoleKey) int {
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
