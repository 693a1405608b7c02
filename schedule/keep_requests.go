package schedule

import (
	"slices"
	"strings"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/internal/holdings"
	"github.com/airshipit/sipgen/inventory"
)

// readRequests reads the annotations of every cluster that name hosts.
func (s *site) readRequests() {
	for _, c := range s.clusters {
		c.approved = s.namedBy(c, v1.ApproveReleaseAnnotation)
		s.dropApprovals(c)
		c.marked = s.namedBy(c, v1.RemoveAnnotation)
	}
}

// dropApprovals takes hosts that Cluster API keeps for a cluster's next machine out of those that are approved: that machine would come up
// on a host that is another tenant's by then. The sync guard denies such a release too, and one whose approval does not say the host's uid.
func (s *site) dropApprovals(c *cluster) {
	for i := range c.approved {
		h := &s.hosts[i]
		switch {
		case h.UID == "":
			delete(c.approved, i)
			c.warn(NotApproved{Annotation: v1.ApproveReleaseAnnotation, Hosts: []HostKey{h.key()}})
		case h.State.Consumer != nil && h.State.Consumer.Kind == inventory.ClusterKind:
			delete(c.approved, i)
			c.warn(NotApproved{Annotation: v1.ApproveReleaseAnnotation, Hosts: []HostKey{h.key()}, Consumer: h.State.Consumer.String()})
		//guard: an approval of one use of a host approves the next
		case s.approvedBefore(i):
			delete(c.approved, i)
		}
	}
}

// approvedBefore says whether the tree has an approval of a host's release, for another use than today's.
func (s *site) approvedBefore(i int32) bool {
	h := &s.hosts[i]
	t := h.holding.Claim
	return t != nil && t.Cluster == h.role.cluster.key && t.Use != "" && t.Use != holdings.Use(h.Host)
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
			wrong = append(wrong, NamesNothing{Annotation: annotation, Name: word, Hosts: []HostKey{s.hosts[mine[0]].key(), s.hosts[mine[1]].key()}})
		case len(mine) == 1:
			found[mine[0]] = true
		case len(others) > 0:
			h := &s.hosts[others[0]]
			c.exclude(others)
			wrong = append(wrong, NamesNothing{Annotation: annotation, Name: word, Hosts: []HostKey{h.key()}, Holder: h.role.key()})
		case len(free) > 0:
			c.exclude(free)
			for _, i := range free {
				wrong = append(wrong, NamesNothing{Annotation: annotation, Name: word, Hosts: []HostKey{s.hosts[i].key()}})
			}
		default:
			wrong = append(wrong, NamesNothing{Annotation: annotation, Name: word})
		}
	}
	if more := len(wrong) - mostNames; more > 0 {
		wrong = append(wrong[:mostNames:mostNames], NamesNothing{Annotation: annotation, More: more})
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

// exclude keeps hosts from the cluster: it asked to release them.
func (c *cluster) exclude(hosts []int32) {
	if c.never == nil {
		c.never = map[int32]bool{}
	}
	for _, i := range hosts {
		c.never[i] = true
	}
}

// warnStillWanted warns of hosts whose release is approved and that the role keeps all the same: an approval lowers no count.
func (s *site) warnStillWanted(r *role, kept []int32) {
	var hosts []HostKey
	for _, i := range kept {
		if r.cluster.approved[i] {
			hosts = append(hosts, s.hosts[i].key())
		}
	}
	if len(hosts) > 0 {
		slices.SortFunc(hosts, func(a, b HostKey) int { return strings.Compare(a.String(), b.String()) })
		r.warn(NotApproved{Annotation: v1.ApproveReleaseAnnotation, Hosts: hosts, Wanted: true})
	}
}

// names says whether an annotation names a host.
func names(annotation string, h *inventory.Host) bool {
	for word := range strings.SplitSeq(annotation, ",") {
		if word = strings.TrimSpace(word); word == h.Name || word == h.Key() {
			return true
		}
	}
	return false
}

// approves says whether the annotation of a cluster approves the release of a host that it has.
func (s *site) approves(key ClusterKey, h *inventory.Host) bool {
	spec := s.specOf(key)
	return spec != nil && names(spec.Annotations[v1.ApproveReleaseAnnotation], h)
}

// warnReleaseOfNothing warns of hosts that the Site asks to release and that are not what it says: done, or meant for something else; and of
// hosts in use, for which such a request is no approval.
func (s *site) warnReleaseOfNothing(answer *holdings.Holdings) {
	for key, cluster := range s.options.Release { // warnings are sorted
		i := s.find(key)
		if i < 0 {
			s.warn(ReleaseOfNothing{Host: key, Cluster: cluster})
			continue
		}
		c := answer.Hosts[i].Labels.Cluster
		if c != cluster || s.specOf(cluster) != nil {
			s.warn(ReleaseOfNothing{Host: key, Cluster: cluster, Labels: c, Found: true, Spec: s.specOf(cluster) != nil})
			continue
		}
		if use := inUse(&s.hosts[i]); use != nil {
			s.warn(ReleaseOfNothing{Host: key, Cluster: cluster, Labels: c, Found: true, Use: use})
		}
	}
}
