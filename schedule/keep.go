package schedule

import (
	"cmp"
	"slices"
	"strings"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/internal/order"
	"github.com/airshipit/sipgen/inventory"
)

// named reads the annotations of every cluster that name hosts.
func (s *site) named() {
	for _, c := range s.clusters {
		c.approved = s.namedBy(c, v1.ApproveReleaseAnnotation)
		s.neverApproved(c)
		c.marked = s.namedBy(c, v1.RemoveAnnotation)
	}
}

// neverApproved takes hosts that Cluster API keeps for a cluster's next machine out of those that are approved: that machine would come up
// on a host that is another tenant's by then. The sync guard denies such a release too, and one whose approval does not say the host's uid.
func (s *site) neverApproved(c *cluster) {
	for i := range c.approved {
		if s.hosts[i].UID == "" {
			delete(c.approved, i)
			c.warn(ApprovedWithoutUID{v1.ApproveReleaseAnnotation, s.hosts[i].key()})
		} else if h := &s.hosts[i]; h.State.Consumer != nil && h.State.Consumer.Kind == inventory.ClusterKind {
			delete(c.approved, i)
			c.warn(NeverApproved{v1.ApproveReleaseAnnotation, h.key(), h.State.Consumer.String()})
		}
	}
}

// mostNames is how many of the names in an annotation have a warning each.
const mostNames = 10

// namedBy finds the hosts of a cluster that one of its annotations names. A host that the cluster
// does not hold, or that the inventory does not have, is a warning: an approval or a removal that was carried
// out, and a host that was taken away after it, must not stop the site. Neither must a name that several of its hosts have, which none of
// them is meant by.
func (s *site) namedBy(c *cluster, annotation string) map[int32]bool {
	if c.spec == nil || c.spec.Annotations[annotation] == "" {
		return nil
	}
	found := map[int32]bool{}
	var wrong []Warning
	for _, word := range strings.Split(c.spec.Annotations[annotation], ",") {
		word = strings.TrimSpace(word)
		if word == "" {
			continue
		}
		var mine, others, free []int32
		for _, i := range s.called(word) {
			h := &s.hosts[i]
			if c.named == nil {
				c.named = map[int32]bool{}
			}
			c.named[i] = true
			switch {
			case h.role != nil && h.role.cluster == c:
				mine = append(mine, i)
			case h.role != nil:
				others = append(others, i)
			default:
				free = append(free, i)
			}
		}
		switch {
		case len(mine) > 1:
			wrong = append(wrong, NamesSeveralHosts{annotation, word, [2]HostKey{s.hosts[mine[0]].key(), s.hosts[mine[1]].key()}})
		case len(mine) == 1:
			found[mine[0]] = true
		case len(others) > 0:
			h := &s.hosts[others[0]]
			c.without(others)
			wrong = append(wrong, NamesHostOfOthers{annotation, h.key(), h.role.key()})
		case len(free) > 0:
			c.without(free)
			for _, i := range free {
				wrong = append(wrong, NamesFreeHost{annotation, s.hosts[i].key()})
			}
		default:
			wrong = append(wrong, NamesUnknownHost{annotation, word})
		}
	}
	if more := len(wrong) - mostNames; more > 0 {
		wrong = append(wrong[:mostNames:mostNames], NamesMore{annotation, more})
	}
	c.warnings = append(c.warnings, wrong...)
	return found
}

// called are the hosts that an annotation may mean by a word: those of the name, and the one of the namespace/name.
func (s *site) called(word string) []int32 {
	if s.names == nil {
		s.names = make(map[string][]int32, 2*len(s.hosts))
		for i := range s.hosts {
			h := &s.hosts[i]
			s.names[h.Name] = append(s.names[h.Name], int32(i))
			s.names[h.Key()] = append(s.names[h.Key()], int32(i))
		}
	}
	return s.names[word]
}

// without keeps hosts from the cluster: it asked to release them.
func (c *cluster) without(hosts []int32) {
	if c.never == nil {
		c.never = map[int32]bool{}
	}
	for _, i := range hosts {
		c.never[i] = true
	}
}

// keep decides which claimed hosts of the role stay, and which go.
func (s *site) keep(r *role) {
	r.pending, r.why = map[int32]Reason{}, map[int32]Reason{}
	if len(r.cluster.refused) > 0 {
		s.freeze(r)
		return
	}
	var healthy, bad, leaving []int32
	for _, i := range r.claimed {
		h := &s.hosts[i]
		trouble := failed(h)
		if trouble == reportedError(h) && r.cluster.marked[i] {
			trouble = MarkedForRemoval{trouble}
		}
		if trouble != nil {
			r.why[i] = trouble
		}
		if h.releasing && inUse(h) != nil && !r.cluster.approved[i] && !h.Untouchable() {
			h.releasing = false // somebody began to use it before its labels were gone
		}
		switch {
		case h.disputed != nil:
			s.letGo(r, i, h.disputed)
		case h.releasing:
			leaving = append(leaving, i)
		case trouble != nil:
			bad = append(bad, i)
		default:
			healthy = append(healthy, i)
		}
	}
	why := r.surplusReason()
	if r.cluster.spec == nil && slices.ContainsFunc(r.claimed, func(i int32) bool { return s.hosts[i].unwanted }) {
		why = SiteAsks{}
	}
	goes, healthy := s.tooMany(r, nil, healthy)
	for _, i := range goes {
		s.letGo(r, i, why)
	}
	healthy, leaving = s.holdAgain(r, healthy, bad, leaving)
	s.approvedButWanted(r, healthy)
	for _, i := range leaving {
		s.letGo(r, i, ReleasedBefore{})
	}
	r.held = append(healthy, s.keepBad(r, healthy, bad, why)...)
	slices.Sort(r.held)
	s.wants(r)
}

// approvedButWanted warns of hosts whose release is approved and that the role keeps all the same: an approval lowers no count.
func (s *site) approvedButWanted(r *role, kept []int32) {
	var hosts []HostKey
	for _, i := range kept {
		if r.cluster.approved[i] {
			hosts = append(hosts, s.hosts[i].key())
		}
	}
	if len(hosts) > 0 {
		slices.SortFunc(hosts, func(a, b HostKey) int { return strings.Compare(a.String(), b.String()) })
		r.warn(ApprovedButWanted{v1.ApproveReleaseAnnotation, hosts})
	}
}

// surplusReason is why a host that the role does not want is released.
func (r *role) surplusReason() Reason {
	switch {
	case r.cluster.spec == nil:
		return NoSpec{Evicted: r.cluster.evicted}
	case r.cluster.gone:
		return ClusterDeleted{}
	case r.want() == 0:
		return NoneWanted{}
	}
	return Surplus{r.want()}
}

// keepBad decides about failed and marked hosts. They stand in for hosts that are missing; beyond
// that they stay only until the hosts that replace them have been seen with their labels. It gives those of
// them that serve, and so are not to be replaced.
//
// Who goes now is decided among the hosts that were seen, and only then who lingers, among those that stay and all healthy ones: the run before
// decided the first without the replacements, and the run that sees them decides the second.
func (s *site) keepBad(r *role, healthy, bad []int32, why Reason) (serving []int32) {
	seen := slices.DeleteFunc(slices.Clone(healthy), func(i int32) bool { return s.hosts[i].origin != FromLive })
	gone, stay := s.tooMany(r, seen, bad)
	for _, i := range gone {
		if len(seen) >= r.want() && r.want() > 0 {
			s.letGo(r, i, Replaced{r.why[i]})
		} else {
			s.letGo(r, i, Unwanted{r.why[i], why})
		}
	}
	r.lingering, stay = s.tooMany(r, healthy, stay)
	for _, i := range stay {
		if s.serves(r, i) {
			serving = append(serving, i)
		} else {
			r.standIn = append(r.standIn, i)
		}
	}
	slices.Sort(r.standIn)
	slices.Sort(r.lingering)
	return serving
}

// tooMany parts hosts into those that are more than the role wants beside others, which stay, and the rest. As many are of a kind of slot,
// active or standby, as there are too many of it: if a standby host went for an active one, an active host would become standby in its
// place, and Cluster API does not look for those. So those that go do not depend on whether some of them went before.
func (s *site) tooMany(r *role, stay, of []int32) (tooMany, others []int32) {
	active, standby := s.slotsBeyond(r, append(slices.Clone(stay), of...))
	n := min(len(of), max(0, active+standby))
	slices.SortFunc(of, func(a, b int32) int { return s.compareRelease(r, a, b) })
	var last []int32 // of slots that there are not too many of
	for _, i := range of {
		over := &active
		if s.waits(i) {
			over = &standby
		}
		if *over > 0 {
			*over--
			tooMany = append(tooMany, i)
		} else {
			last = append(last, i)
		}
	}
	all := append(tooMany, last...)
	return all[:n:n], all[n:]
}

// letGo releases a host, or makes it pending: a host that is provisioned or in use stays until it
// is let go of or its release is approved, and one of which no patch may be written until that is mended. What is released already stays so.
func (s *site) letGo(r *role, i int32, why Reason) {
	h := &s.hosts[i]
	if h.Untouchable() {
		if !h.releasing {
			r.pending[i] = ReleaseWaits{why, unpatchable(h)}
			return
		}
	} else if use := inUse(h); use != nil && !r.cluster.approved[i] {
		r.pending[i] = ReleaseWaits{why, use}
		return
	} else if use != nil {
		why = Approved{why, use}
	}
	h.reject = BeingReleased{}
	since := New
	if h.releasing {
		since = FromTree
	}
	r.released = append(r.released, release{i, why, since})
}

// unpatchable is why no patch of a host may be written.
func unpatchable(h *host) Reason {
	n := slices.IndexFunc(h.Faults, func(f inventory.Fault) bool { return f.Kind == inventory.FaultPatch })
	return Faulty{h.Faults[n].Kind, h.Faults[n].String()}
}

// holdAgain takes back hosts that were released and still carry the labels, where slots are empty and the domain has room: those that were
// active first. A failed host that serves fills one. It gives the hosts that are held and those that still leave.
func (s *site) holdAgain(r *role, healthy, bad, leaving []int32) (held, left []int32) {
	want, in := r.want(), map[int32]int{} // by domain
	count := func(i int32) {
		for d := s.domain(r, i); d >= 0; d = r.tree.above(d) {
			in[d]++
		}
	}
	room := func(i int32) bool {
		for d := s.domain(r, i); d >= 0; d = r.tree.above(d) {
			if in[d] >= r.most(d) {
				return false
			}
		}
		return true
	}
	for _, i := range healthy {
		count(i)
	}
	for _, i := range bad {
		if s.serves(r, i) {
			count(i)
			want--
		}
	}
	slices.SortStableFunc(leaving, func(a, b int32) int { return order.Bool(s.hosts[a].standby, s.hosts[b].standby) })
	for _, i := range leaving {
		if len(healthy) < want && r.why[i] == nil && room(i) && !s.hosts[i].Untouchable() {
			count(i)
			healthy = append(healthy, i)
			s.hosts[i].releasing = false
			continue
		}
		left = append(left, i)
	}
	return healthy, left
}

// slotsBeyond is how many more of the hosts are active, and standby, than the role wants; below 0: fewer.
func (s *site) slotsBeyond(r *role, hosts []int32) (active, standby int) {
	active, standby = len(hosts)-r.active, -r.standby
	for _, i := range hosts {
		if s.waits(i) {
			active--
			standby++
		}
	}
	return active, standby
}

// waits: the host is standby, and nobody uses it for all that.
func (s *site) waits(i int32) bool { return s.hosts[i].standby && inUse(&s.hosts[i]) == nil }

// compareRelease orders hosts by who goes first: idle, then approved, then the last name.
func (s *site) compareRelease(r *role, a, b int32) int {
	x, y := &s.hosts[a], &s.hosts[b]
	return cmp.Or(order.Bool(inUse(x) != nil, inUse(y) != nil), order.Bool(r.cluster.approved[b], r.cluster.approved[a]), cmp.Compare(b, a))
}

// wants says how many new hosts the role is to get.
func (s *site) wants(r *role) {
	held := len(r.held) + len(r.standIn)
	r.must = max(0, r.active-held)
	if s.options.StandbyRequired {
		r.must = max(0, r.want()-held)
	}
	r.spare = max(0, r.want()-held-r.must)
	r.replaceActive = min(len(r.standIn), max(0, r.active-len(r.held)-r.must))
	r.replaceSpare = len(r.standIn) - r.replaceActive
}
