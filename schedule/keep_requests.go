package schedule

import (
	"slices"
	"strings"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/internal/holdings"
	"github.com/airshipit/sipgen/inventory"
)

// readRequests reads the annotations of clusters that name hosts.
func (s *planner) readRequests() {
	for _, c := range s.clusters {
		c.approved = s.namedBy(c, v1.ApproveReleaseAnnotation)
		s.dropApprovals(c)
		c.marked = s.namedBy(c, v1.RemoveAnnotation)
	}
}

// dropApprovals ignores approvals of another use than the present one, and those for hosts that Cluster API keeps for a
// cluster's next machine: that machine would start on a host that belongs to another tenant by then. The sync guard
// denies such releases, and an approval without the host's uid, as well.
func (s *planner) dropApprovals(c *cluster) {
	var older []HostKey
	for i := range c.approved {
		h := &s.hosts[i]
		switch {
		case h.UID == "":
			delete(c.approved, i)
			c.warn(NotApproved{Annotation: v1.ApproveReleaseAnnotation, Hosts: []HostKey{h.key()}})
		case h.State.Consumer != nil && h.State.Consumer.Kind == inventory.ClusterKind:
			delete(c.approved, i)
			c.warn(NotApproved{Annotation: v1.ApproveReleaseAnnotation, Hosts: []HostKey{h.key()},
				Consumer: h.State.Consumer.String()})
		case inUse(h) != nil && !h.holding.Approved():
			delete(c.approved, i)
			if !h.Unsure() {
				older = append(older, h.key())
			}
		}
	}
	if len(older) > 0 {
		slices.SortFunc(older, compareKeys)
		c.warn(NotApproved{Annotation: v1.ApproveReleaseAnnotation, Hosts: older, Older: true})
	}
}

// mostNames is how many names of an annotation get a warning of their own.
const mostNames = 10

// namedBy returns the cluster's hosts that one of its annotations names. A name without effect is a warning and does
// not stop the site: the request may have been carried out, or the host may be gone. An ambiguous name has no effect.
func (s *planner) namedBy(c *cluster, annotation string) map[int32]bool {
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
		for _, i := range s.hostsNamed(word) {
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
			wrong = append(wrong, NamesNothing{Annotation: annotation, Name: word,
				Hosts: []HostKey{s.hosts[mine[0]].key(), s.hosts[mine[1]].key()}})
		case len(mine) == 1:
			found[mine[0]] = true
		case len(others) > 0:
			h := &s.hosts[others[0]]
			c.exclude(others)
			if annotation == v1.ApproveReleaseAnnotation && c.gives(h) {
				continue
			}
			wrong = append(wrong, NamesNothing{Annotation: annotation, Name: word, Hosts: []HostKey{h.key()},
				Holder: h.role.key()})
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

// gives reports whether this run moves a host from the cluster to another one, as the cluster's approval asks.
func (c *cluster) gives(h *candidate) bool {
	t := h.holding.Claim
	return t != nil && t.Cluster == c.key && !t.Releasing
}

// hostsNamed returns the hosts with a name, or the one with a namespace/name.
func (s *planner) hostsNamed(word string) []int32 {
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

// exclude keeps hosts from the cluster that asked to release them.
func (c *cluster) exclude(hosts []int32) {
	if c.never == nil {
		c.never = map[int32]bool{}
	}
	for _, i := range hosts {
		c.never[i] = true
	}
}

// warnStillWanted warns of hosts that the role keeps despite an approval, because an approval lowers no count.
func (s *planner) warnStillWanted(r *role, kept []int32) {
	var hosts []HostKey
	for _, i := range kept {
		if r.cluster.approved[i] {
			hosts = append(hosts, s.hosts[i].key())
		}
	}
	if len(hosts) > 0 {
		slices.SortFunc(hosts, compareKeys)
		r.warn(NotApproved{Annotation: v1.ApproveReleaseAnnotation, Hosts: hosts, Wanted: true})
	}
}

func compareKeys(a, b HostKey) int { return strings.Compare(a.String(), b.String()) }

// names reports whether an annotation names a host. A shared name needs the namespace.
func names(annotation string, h *inventory.Host, shared bool) bool {
	for word := range strings.SplitSeq(annotation, ",") {
		if word = strings.TrimSpace(word); word == h.Key() || word == h.Name && !shared {
			return true
		}
	}
	return false
}

// warnReleaseOfNothing warns of the Site's release requests without effect: already done, or for a host of another
// state. For a host in use, a request is no approval.
func (s *planner) warnReleaseOfNothing(answer *holdings.Holdings) {
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
