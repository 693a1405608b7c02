package schedule

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/inventory"
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
	c.cluster, c.role, c.standby = ClusterKey{Namespace: namespace, Name: name}, role, standby == "true"
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
	clean := map[int32]*PreviousClaim{} // claims of hosts that were being released and are seen without labels
	for i := range s.hosts {
		h := &s.hosts[i]
		for n := range h.Faults {
			if h.Faults[n].Kind == inventory.FaultPatch {
				continue // said where it matters: the cluster is refused, or the host's release waits
			}
			s.warn(HasFault{h.key(), h.Faults[n].String()})
		}
		c := s.live(h)
		t := tree[int32(i)]
		switch {
		case c.labels == 0 && t == nil:
		case c.labels == 0 && t.Releasing && !s.options.LabelsOlder && !h.mislabelled(): // seen clean: free again
			clean[int32(i)] = t
		case t != nil && h.Untouchable():
			s.holdAsBefore(int32(i), c, t)
		case c.complete:
			s.claimLive(int32(i), c, t)
		case t == nil:
			h.reject = IncompleteLabels{s.options.Keys}
			s.warn(Unlabelled{h.key(), s.options.Keys})
		default:
			if !c.agrees(t) {
				s.warn(LabelsContradictTree{h.key(), s.options.Keys, t.Source, t.Cluster, false})
			}
			s.hold(int32(i), t.Cluster, t.Role, FromTree, t.Standby, t.Releasing, t.Source)
			s.keepWhere(int32(i), t)
		}
	}
	s.releaseOfNothing()
	s.releasedInUse(previous.StillUsed, clean)
	for key, hosts := range s.foreign { // warnings are sorted
		s.warn(LeftAlone{key, hosts})
	}
}

// sayLabelled warns of the hosts that are left alone though their labels give them to a cluster.
func (s *site) sayLabelled() {
	for cluster, hosts := range s.alone { // warnings are sorted
		slices.SortFunc(hosts, func(a, b HostKey) int { return strings.Compare(a.String(), b.String()) })
		s.warn(LabelledForFrozen{cluster, hosts})
	}
}

// mislabelled says whether labels that are not seen may be on the host all the same.
func (h *host) mislabelled() bool {
	return h.Unsure() || slices.ContainsFunc(h.Faults, func(f inventory.Fault) bool { return f.Kind == inventory.FaultLabel })
}

// claimLive is for a host with a whole claim in its labels. The tree may only add to it.
func (s *site) claimLive(i int32, c liveClaim, t *PreviousClaim) {
	if t == nil {
		s.claimAlone(i, c)
		return
	}
	h := &s.hosts[i]
	standby, releasing := c.standby, false
	switch {
	case t.Cluster != c.cluster:
		s.dispute(i, c, t)
		return
	case t.Role != c.role && !t.Releasing:
		s.warn(RolesDiffer{h.key(), c.cluster, c.role, t.Role, t.Source})
		h.wasRole = t.Role
	case t.Role != c.role:
	case t.Releasing:
		releasing = true // the tree says no more of its slot
	default:
		// A change between active and standby that has not been synced yet is in the tree only.
		standby = t.Standby
	}
	s.hold(i, c.cluster, c.role, FromLive, standby, releasing, "")
	s.keepWhere(i, t)
}

// claimAlone is for a host that only its labels give to a cluster.
func (s *site) claimAlone(i int32, c liveClaim) {
	h := &s.hosts[i]
	switch {
	case s.uses(h, c.cluster):
		h.adopted = true
	case s.specOf(c.cluster) == nil && c.cluster.Valid() && s.options.Release[h.key()] == c.cluster:
		h.adopted, h.unwanted = true, true
	case s.specOf(c.cluster) == nil && c.cluster.Valid():
		s.leaveAlone(i, c.cluster)
		return
	default:
		h.adopted = true
	}
	s.hold(i, c.cluster, c.role, FromLive, c.standby, false, "")
}

// uses says whether a host is in use and its labels name a cluster that the previous tree has, with a spec or without.
func (s *site) uses(h *host, key ClusterKey) bool {
	//guard: a server that runs for a cluster without a spec is nobody's, or the cluster's that an old tree names
	return s.options.Known[key] && inUse(h) != nil
}

// keepWhere has a held host stay where the tree has it: its addresses, its domain, and whether its release waits.
func (s *site) keepWhere(i int32, t *PreviousClaim) {
	h := &s.hosts[i]
	s.keepAddresses(i, t)
	h.keepDomain(t)
	h.wasPending = t.Pending
}

// holdAsBefore is for a host of which no patch may be written: the patch that is there says what the tree says, whatever its labels are.
func (s *site) holdAsBefore(i int32, c liveClaim, t *PreviousClaim) {
	h := &s.hosts[i]
	origin := FromTree
	if c.complete && c.agrees(t) {
		origin = FromLive
	}
	if !c.agrees(t) {
		s.warn(LabelsContradictTree{h.key(), s.options.Keys, t.Source, t.Cluster, c.complete})
	}
	s.hold(i, t.Cluster, t.Role, origin, t.Standby, t.Releasing, t.Source)
	s.keepWhere(i, t)
}

// releaseOfNothing warns of hosts that the Site asks to release and that are not what it says: done, or meant for something else; and of
// hosts in use, for which such a request is no approval.
func (s *site) releaseOfNothing() {
	for key, cluster := range s.options.Release { // warnings are sorted
		i := s.find(key)
		if i < 0 {
			s.warn(ReleaseOfNothing{Host: key, Cluster: cluster})
			continue
		}
		c := s.live(&s.hosts[i])
		if c.cluster != cluster || s.specOf(cluster) != nil {
			s.warn(ReleaseOfNothing{Host: key, Cluster: cluster, Labels: c.cluster, Found: true, Spec: s.specOf(cluster) != nil})
			continue
		}
		if use := inUse(&s.hosts[i]); use != nil {
			s.warn(ReleaseOfNothing{Host: key, Cluster: cluster, Labels: c.cluster, Found: true, Use: use})
		}
	}
}

// keepDomain notes the domain that a held host had when it was handed out. It still has it where the label cannot be read.
func (h *host) keepDomain(t *PreviousClaim) {
	h.domain = t.Domain
	if h.role == nil || len(h.role.keys) != 1 || t.Domain == "" || !h.mislabelled() || h.Labels[h.role.keys[0]] != "" {
		return
	}
	known := *h.Host
	known.Labels = map[string]string{h.role.keys[0]: t.Domain}
	maps.Copy(known.Labels, h.Labels)
	h.Host = &known
}

// specOf is the spec of a cluster, nil if it has none.
func (s *site) specOf(key ClusterKey) *v1.SIPCluster {
	if c := s.byKey[key]; c != nil {
		return c.spec
	}
	return nil
}

// leaveToFrozen leaves alone what labels alone give to clusters that are to get nothing new: they would have hosts that nobody gave them. What the tree has under
// another uid was theirs. Of a cluster that the tree does not have, labels are all that is known: it is being taken over.
func (s *site) leaveToFrozen() {
	for _, r := range s.roles {
		if len(r.cluster.refused) == 0 || !s.options.Known[r.cluster.key] {
			continue
		}
		r.claimed = slices.DeleteFunc(r.claimed, func(i int32) bool {
			h := &s.hosts[i]
			if !h.adopted || inUse(h) != nil || h.renewed == r.cluster.key {
				return false
			}
			h.role, h.standby, h.adopted = nil, false, false
			h.reject = LabelledAlone{r.cluster.key}
			s.alone[r.cluster.key] = append(s.alone[r.cluster.key], h.key())
			return true
		})
	}
}

// leaveAlone is for a host whose labels name a cluster that has no spec, where the tree does not say that it was sipgen
// who gave the host away: it may be another site's, or another tool's. Nobody gets it, and its labels stay.
func (s *site) leaveAlone(i int32, key ClusterKey) {
	h := &s.hosts[i]
	h.foreign = true
	h.reject = UnknownCluster{key}
	s.foreign[key] = append(s.foreign[key], h.key())
}

// dispute is for a host whose labels name another cluster than the tree does: the tree was rolled back, or the labels were
// set by hand. sipgen itself writes no such thing, because a host goes from one cluster to another by being released
// and seen clean. Where something runs on the host, the labels win: those who use it keep it. Where nothing does, it is
// released, and whoever needs it gets it when it was seen clean.
func (s *site) dispute(i int32, c liveClaim, t *PreviousClaim) {
	h := &s.hosts[i]
	differ := ClustersDiffer{Host: h.key(), Labels: c.cluster, Tree: t.Cluster, Source: t.Source}
	switch {
	case !s.options.LabelsNewer:
		s.problem("host %s: its labels say cluster %s, but %s says cluster %s, and the hosts may have been read before that was committed: plan from the cluster (--inventory cluster), or from a new snapshot of it (sipgen inventory records when the hosts were read; other files do not say); if somebody wrote these labels into a file, take them out",
			h.Key(), c.cluster.Quoted(), t.Source, t.Cluster)
		return
	case s.specOf(c.cluster) == nil && !s.uses(h, c.cluster):
		s.leaveAlone(i, c.cluster)
		differ.Foreign = true
	case inUse(h) != nil:
		differ.Use = inUse(h)
		s.hold(i, c.cluster, c.role, FromLive, c.standby, false, "")
	default:
		h.disputed = Disputed{c.cluster, t.Cluster}
		s.hold(i, t.Cluster, t.Role, FromTree, t.Standby, t.Releasing, t.Source)
		s.keepAddresses(i, t)
	}
	s.warn(differ)
}

// hold records a claim, and remembers clusters and roles that have no spec any more. source is the file that claims, empty for
// the host's labels.
func (s *site) hold(i int32, key ClusterKey, name string, origin Origin, standby, releasing bool, source string) {
	h := &s.hosts[i]
	c := s.byKey[key]
	if c == nil {
		if !key.Valid() {
			h.reject = InvalidCluster{key}
			s.warn(NobodyGets{h.key(), h.reject, source})
			return
		}
		c = s.addCluster(nil, key)
	}
	r := c.role(name)
	if r == nil {
		if invalidRole(name) {
			h.reject = InvalidRole{name}
			s.warn(NobodyGets{h.key(), h.reject, source})
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
				s.clusterWarn(t.Cluster, NotInInventory{t.Host, t.Source, t.Role})
			}
			s.lose(t)
			continue
		}
		h := &s.hosts[i]
		if t.UID != "" && t.UID != h.UID && (h.Unsure() || h.UID == "" && h.Untouchable()) {
			// It is no proof that the host was created anew, and the patch says which one it was.
			known := *h.Host
			known.UID, h.Host = t.UID, &known
		}
		switch renewed := t.UID != "" && h.UID != "" && t.UID != h.UID; {
		case renewed && s.restored(h, t):
			h.restored = true
			s.clusterWarn(t.Cluster, Restored{t.Host, t.Source, t.Role, t.UID, h.UID})
		case renewed:
			if !t.Releasing {
				h.renewed = t.Cluster
			}
			s.clusterWarn(t.Cluster, CreatedAnew{t.Host, t.Source, t.UID, h.UID, t.Releasing, s.labelled(h, t)})
			s.lose(t)
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

// restored says whether a host with another uid is the same machine: a backup that is restored and clusterctl move make objects anew, with the labels
// that say whose they are, and what uses them goes on. Nobody else puts a machine that is in use under these labels.
func (s *site) restored(h *host, t *PreviousClaim) bool {
	return !t.Releasing && h.State.InUse() && s.labelled(h, t)
}

// labelled says whether the labels of a host are a whole claim, and that of the tree.
func (s *site) labelled(h *host, t *PreviousClaim) bool {
	c := s.live(h)
	return c.complete && c.agrees(t)
}

// clusterWarn puts a warning to the cluster if there is one, else to the site.
func (s *site) clusterWarn(key ClusterKey, w Warning) {
	if c := s.byKey[key]; c != nil {
		c.warn(w)
		return
	}
	s.warn(OfCluster{key, w})
}
