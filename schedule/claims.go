package schedule

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
)

// liveClaim is what the labels of a host say.
type liveClaim struct {
	cluster ClusterKey
	role    string
	standby bool
	// labels is how many of the four keys the host carries; complete: the three that make a claim.
	labels   int
	complete bool
}

func (s *site) live(h *host) liveClaim {
	var c liveClaim
	keys := &s.options.Keys
	namespace, n := h.Labels[keys.ClusterNamespace]
	name, m := h.Labels[keys.ClusterName]
	role, t := h.Labels[keys.NodeType]
	standby, b := h.Labels[keys.Standby]
	for _, is := range []bool{n, m, t, b} {
		if is {
			c.labels++
		}
	}
	if c.labels == 0 {
		return c
	}
	c.cluster, c.role, c.standby = ClusterKey{namespace, name}, role, standby == "true"
	c.complete = namespace != "" && name != "" && role != ""
	return c
}

// agrees says whether every label that the host carries is one that the claim of the tree would set.
func (c liveClaim) agrees(t *PreviousClaim) bool {
	same := func(live, tree string) bool { return live == "" || live == tree }
	return same(c.cluster.Namespace, t.Cluster.Namespace) && same(c.cluster.Name, t.Cluster.Name) && same(c.role, t.Role)
}

// claim finds out who holds which host: live labels first, then the previous tree.
func (s *site) claim(previous Previous) {
	tree := s.treeClaims(previous)
	for i := range s.hosts {
		h := &s.hosts[i]
		c := s.live(h)
		t := tree[int32(i)]
		switch {
		case c.labels == 0 && t == nil:
		case c.labels == 0 && t.Releasing: // seen clean: free again
		case c.complete:
			s.claimLive(int32(i), c, t)
		case t == nil:
			h.reject = "incomplete labels of ours"
			h.detail = "carries some of " + s.keyNames() + ", but not a whole claim"
			s.warn("host %s: %s: nobody gets it until they are removed or completed", h.Key(), h.detail)
		case !c.agrees(t):
			s.problem("host %s: carries labels of ours that contradict the claim of %s in %s", h.Key(), t.Cluster, t.Source)
		default:
			s.hold(int32(i), t.Cluster, t.Role, FromTree, t.Standby, t.Releasing, t.Source)
		}
	}
}

func (s *site) keyNames() string {
	k := s.options.Keys
	return strings.Join([]string{k.ClusterNamespace, k.ClusterName, k.NodeType, k.Standby}, ", ")
}

// claimLive is for a host with a whole claim in its labels. The tree may only add to it.
func (s *site) claimLive(i int32, c liveClaim, t *PreviousClaim) {
	h := &s.hosts[i]
	standby, releasing := c.standby, false
	switch {
	case t == nil:
	case t.Cluster != c.cluster && !t.Releasing:
		s.problem("host %s: its labels say cluster %s, but %s says cluster %s", h.Key(), c.cluster, t.Source, t.Cluster)
		return
	case t.Cluster != c.cluster:
		s.warn("host %s: %s is releasing it from cluster %s, but its labels already say cluster %s, which keeps it", h.Key(), t.Source, t.Cluster, c.cluster)
	case t.Role != c.role && !t.Releasing:
		s.warn("host %s: its labels say %s %s, but %s says role %s: the labels count", h.Key(), c.cluster, c.role, t.Source, t.Role)
	case t.Role != c.role:
	default:
		// A change between active and standby that has not been synced yet is in the tree only.
		standby, releasing = t.Standby, t.Releasing
	}
	s.hold(i, c.cluster, c.role, FromLive, standby, releasing, "its labels")
}

// hold records a claim, and remembers clusters and roles that have no spec any more.
func (s *site) hold(i int32, key ClusterKey, name string, origin Origin, standby, releasing bool, source string) {
	h := &s.hosts[i]
	c := s.byKey[key]
	if c == nil {
		for _, value := range []string{key.Namespace, key.Name} {
			if len(validation.IsDNS1123Label(value)) > 0 {
				h.reject, h.detail = "claimed by a name that is none", "claimed by cluster "+strconv.Quote(key.String())+", which is no valid name"
				s.warn("host %s: %s, says %s: nobody gets it", h.Key(), h.detail, source)
				return
			}
		}
		c = s.addCluster(nil, key)
	}
	r := c.role(name)
	if r == nil {
		if len(validation.IsValidLabelValue(name)) > 0 || name == "" {
			h.reject, h.detail = "claimed by a name that is none", "claimed for role "+strconv.Quote(name)+", which is no valid name"
			s.warn("host %s: %s, says %s: nobody gets it", h.Key(), h.detail, source)
			return
		}
		r = s.addRole(c, name)
	}
	h.role, h.origin, h.standby, h.releasing = r, origin, standby, releasing
	r.claimed = append(r.claimed, i)
}

// treeClaims gives the claims of the previous tree that still mean something, by host.
func (s *site) treeClaims(previous Previous) map[int32]*PreviousClaim {
	order := make([]*PreviousClaim, len(previous.Claims))
	for i := range previous.Claims {
		order[i] = &previous.Claims[i]
	}
	byHost := func(a, b *PreviousClaim) int {
		return cmp.Or(strings.Compare(a.Host.Namespace, b.Host.Namespace), strings.Compare(a.Host.Name, b.Host.Name),
			strings.Compare(a.Cluster.Namespace, b.Cluster.Namespace), strings.Compare(a.Cluster.Name, b.Cluster.Name),
			strings.Compare(a.Source, b.Source), strings.Compare(a.Role, b.Role))
	}
	if !slices.IsSortedFunc(order, byHost) {
		slices.SortFunc(order, byHost)
	}
	tree := make(map[int32]*PreviousClaim, len(order))
	for _, t := range order {
		i := s.find(t.Host)
		if i < 0 {
			if !t.Releasing {
				s.clusterWarn(t.Cluster, "host %s: %s gives it to %s, but it is not in the inventory: its slot counts as empty", t.Host, t.Source, t.Role)
			}
			continue
		}
		h := &s.hosts[i]
		if t.UID != "" && h.UID != "" && t.UID != h.UID {
			s.clusterWarn(t.Cluster, "host %s: %s knows it by uid %s, now it has uid %s: it was created anew, and the claim is void", t.Host, t.Source, t.UID, h.UID)
			continue
		}
		if first := tree[i]; first != nil {
			s.problem("host %s: claimed twice in the previous tree: by %s %s in %s and by %s %s in %s", t.Host, first.Cluster, first.Role, first.Source, t.Cluster, t.Role, t.Source)
			continue
		}
		tree[i] = t
	}
	return tree
}

// clusterWarn puts a warning to the cluster if there is one, else to the site.
func (s *site) clusterWarn(key ClusterKey, format string, args ...any) {
	if c := s.byKey[key]; c != nil {
		c.warn(format, args...)
		return
	}
	s.warn("cluster "+key.String()+": "+format, args...)
}
