package schedule

import (
	"maps"
	"slices"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/internal/holdings"
	"github.com/airshipit/sipgen/inventory"
)

// Holdings returns the owner of each host before anything is planned: what Plan keeps, and what it may assign.
func Holdings(clusters []v1.SIPCluster, hosts []inventory.Host, previous Previous,
	options Options) (*holdings.Holdings, error) {
	specs, approvals := make(map[ClusterKey]bool, len(clusters)), map[ClusterKey]string{}
	for i := range clusters {
		key := KeyOf(&clusters[i])
		specs[key] = !options.Absent[key]
		if text := clusters[i].Annotations[v1.ApproveReleaseAnnotation]; text != "" {
			approvals[key] = text
		}
	}
	namesakes := countNames(approvals, hosts, previous, options)
	approved := func(key ClusterKey, h *inventory.Host) bool {
		return names(approvals[key], h, namesakes[clusterName{key, h.Name}] > 1)
	}
	return holdings.Of(holdings.Input{
		Hosts: hosts, Tree: previous.Claims, Specs: specs, Known: options.Known, Release: options.Release,
		Approved: approved, Keys: options.Keys,
	})
}

// clusterName is the name of hosts of a cluster, in any namespace.
type clusterName struct {
	cluster ClusterKey
	name    string
}

// countNames counts the hosts of each name that clusters with approvals have, by the tree, else by labels: an approval
// by a name that two of them share approves neither.
func countNames(approvals map[ClusterKey]string, hosts []inventory.Host, previous Previous,
	options Options) map[clusterName]int {
	if len(approvals) == 0 {
		return nil
	}
	claimed := make(map[HostKey]ClusterKey, len(previous.Claims))
	for i := range previous.Claims {
		if c := &previous.Claims[i]; c.Releasing {
			claimed[c.Host] = ClusterKey{}
		} else {
			claimed[c.Host] = c.Cluster
		}
	}
	count := map[clusterName]int{}
	for i := range hosts {
		h := &hosts[i]
		cluster, has := claimed[holdings.KeyOf(h)]
		if !has {
			cluster = holdings.LabelsOf(h, options.Keys).Cluster
		}
		if approvals[cluster] != "" {
			count[clusterName{cluster, h.Name}]++
		}
	}
	return count
}

// takeHoldings takes over the owners that package holdings found. The hosts are in its order.
func (s *planner) takeHoldings(clusters []v1.SIPCluster, hosts []inventory.Host, previous Previous) {
	answer, err := Holdings(clusters, hosts, previous, s.options)
	if err != nil {
		s.problems = append(s.problems, err)
		return
	}
	s.holdings = answer
	for i := range answer.Hosts {
		s.take(int32(i), &answer.Hosts[i])
	}
	for i := range answer.Gone {
		t := &answer.Gone[i]
		s.clusterWarn(t.Cluster,
			NotInInventory{t.Host, t.Source, t.Role, s.options.Outside(t.Host), t.Pending, t.Releasing})
		s.lose(t)
	}
	for i := range answer.Recreated {
		s.lose(&answer.Recreated[i])
	}
	s.empty, s.running = previous.Empty, map[ClusterKey]bool{}
	for key := range previous.Empty { // in no order: roles are sorted later
		s.running[key.Cluster] = true
		s.noteEmpty(key)
	}
	for i := range answer.Hosts {
		if h := &answer.Hosts[i]; h.State == holdings.Held {
			s.running[h.Cluster] = true
		}
	}
	for _, t := range answer.Tree {
		s.running[t.Cluster] = s.running[t.Cluster] || !t.Releasing
	}
	s.warnReleaseOfNothing(answer)
	for key, hosts := range s.foreign { // warnings are sorted
		s.warn(LeftAlone{key, hosts})
	}
}

// take records the owner of a host.
func (s *planner) take(i int32, is *holdings.Holding) {
	h := &s.hosts[i]
	h.holding = is
	for n := range h.Faults {
		if kind := h.Faults[n].Kind; kind == inventory.FaultPatch || kind == inventory.FaultOld {
			continue // reported elsewhere: the cluster is refused, or the host's release waits
		}
		s.warn(NotHandedOut{h.key(), Condition{Why: holdings.Why{Code: holdings.Faulty, Detail: h.Faults[n].String()},
			Fault: h.Faults[n].Kind}})
	}
	t := is.Claim
	if t != nil && (h.Unsure() || h.UID == "" && h.Untouchable()) && t.UID != "" && t.UID != h.UID {
		// The labels do not prove that the host was recreated, and the patch names the host that was meant.
		known := *h.Host
		known.UID, h.Host = t.UID, &known
	}
	if is.Restored {
		s.clusterWarn(t.Cluster, AnotherUID{Host: t.Host, Source: t.Source, Role: t.Role, Was: t.UID, Is: h.UID,
			Restored: true})
	}
	switch is.State {
	case holdings.Free:
		h.reject = condition(h.Host, is.Why)
	case holdings.LeftAlone:
		s.leaveAlone(i)
	default:
		s.warnDiffer(i)
		s.hold(i)
	}
}

// warnDiffer warns of an idle host whose labels differ from the tree's: the next sync puts them back. Package report
// lists such hosts in use among the dangers, unless their release is approved: their labels are to go.
func (s *planner) warnDiffer(i int32) {
	h := &s.hosts[i]
	is, t := h.holding, h.holding.Claim
	if t == nil {
		return
	}
	l := &is.Labels
	switch {
	case is.By == holdings.ByUse && t.Cluster != is.Cluster:
		s.checkAge(i)
	case is.Relabeled || is.By != holdings.ByTree || is.Rival != ClusterKey{}:
	case differs(l.Cluster.Namespace, t.Cluster.Namespace) || differs(l.Cluster.Name, t.Cluster.Name) ||
		differs(l.Role, t.Role):
		s.warn(LabelsDiffer{Host: h.key(), Labels: RoleKey{l.Cluster, l.Role}, Tree: RoleKey{t.Cluster, t.Role},
			Source: t.Source, Approved: t.Approved(h.Host), Unsure: h.Unsure(), Unpatchable: h.Untouchable()})
	}
}

// differs reports whether a label is set and differs from the tree's.
func differs(label, tree string) bool { return label != "" && label != tree }

// checkAge reports a host in use that its labels give to another cluster than the tree's, if the labels may be older
// than the tree.
func (s *planner) checkAge(i int32) {
	h := &s.hosts[i]
	if is, t := h.holding, h.holding.Claim; !s.options.LabelsNewer {
		s.problem("host %s: its labels name cluster %s, but %s names cluster %s, and the hosts may have been read before that was committed: plan from the cluster (--inventory cluster), or from a new snapshot of it with --repo (sipgen inventory records when the hosts were read, and a commit when it was made; other files do not); if these labels were written into a file by hand, remove them",
			h.Key(), is.Labels.Cluster.Quoted(), t.Source, t.Cluster)
	}
}

// leaveAlone handles a host that has sipgen's labels and is neither held nor leaving. It may belong to another site
// or tool: no cluster gets it, and its labels stay.
func (s *planner) leaveAlone(i int32) {
	h := &s.hosts[i]
	is, key := h.holding, h.holding.Labels.Cluster
	h.reject = condition(h.Host, is.Why)
	switch is.Why.Code {
	case holdings.IncompleteLabels, holdings.InvalidRole, holdings.OldLabels, holdings.SIPLabels:
		s.warn(NotHandedOut{h.key(), h.reject})
	default:
		s.foreign[key] = append(s.foreign[key], h.key())
	}
}

// hold gives a host to the role that claims it, and adds clusters and roles whose spec is gone.
func (s *planner) hold(i int32) {
	h := &s.hosts[i]
	is := h.holding
	c := s.byKey[is.Cluster]
	if c == nil {
		c = s.addCluster(nil, is.Cluster)
	}
	r := c.role(is.Role)
	if r == nil {
		r = s.addRole(c, is.Role)
	}
	h.role, h.origin, h.standby, h.releasing = r, FromTree, is.Standby, is.State == holdings.Leaving
	if is.Labels.Complete && is.Labels.Cluster == is.Cluster && is.Labels.Role == is.Role {
		h.origin = FromLive
	}
	h.adopted = is.Claim == nil
	r.claimed = append(r.claimed, i)
	switch t := is.Claim; {
	case t == nil:
	case t.Cluster == is.Cluster:
		s.keepAddresses(i, t)
		h.keepDomain(t)
		h.wasPending, h.wasReplaced = t.Pending, t.Pending && t.Replaced
	case !t.Releasing: // another cluster gives the host, which goes on running
		s.keepAddresses(i, t)
	}
}

// mislabelled reports whether the host may carry labels that were not read.
func (h *candidate) mislabelled() bool {
	return h.Unsure() || slices.ContainsFunc(h.Faults,
		func(f inventory.Fault) bool { return f.Kind == inventory.FaultLabel })
}

// keepDomain restores the domain that a held host had when it was assigned, for a host whose label cannot be read.
func (h *candidate) keepDomain(t *PreviousClaim) {
	h.domain = t.Domain
	if h.role == nil || len(h.role.keys) != 1 || t.Domain == "" || !h.mislabelled() || h.Labels[h.role.keys[0]] != "" {
		return
	}
	known := *h.Host
	known.Labels = map[string]string{h.role.keys[0]: t.Domain}
	maps.Copy(known.Labels, h.Labels)
	h.Host = &known
}

// clusterWarn adds a warning to the cluster, or to the site if the cluster does not exist.
func (s *planner) clusterWarn(key ClusterKey, w Warning) {
	if c := s.byKey[key]; c != nil {
		c.warn(w)
		return
	}
	s.warn(OfCluster{key, w})
}

// Outside reports whether the namespace of a host is none of the site's.
func (o *Options) Outside(host HostKey) bool {
	return len(o.Namespaces) > 0 && !slices.Contains(o.Namespaces, host.Namespace)
}

// warnRecreated warns of hosts of the tree that were made anew, once it is known which of them their roles take back.
func (s *planner) warnRecreated() {
	for i := range s.holdings.Recreated {
		t := &s.holdings.Recreated[i]
		h := &s.hosts[s.find(t.Host)]
		s.clusterWarn(t.Cluster, AnotherUID{Host: t.Host, Source: t.Source, Role: t.Role, Was: t.UID, Is: h.UID,
			Releasing: t.Releasing, TakenBack: !h.releasing})
	}
}

// lose records that a host of the tree is gone, for the host that takes its slot.
func (s *planner) lose(t *PreviousClaim) {
	if t.Releasing {
		return
	}
	key := RoleKey{t.Cluster, t.Role}
	s.lost[key] = append(s.lost[key], t)
	s.noteEmpty(key)
}

// noteEmpty has a cluster without a spec keep the role of a host that is gone: the tree notes its slot there.
func (s *planner) noteEmpty(key RoleKey) {
	if c := s.byKey[key.Cluster]; c != nil && c.role(key.Role) == nil && s.options.Absent[key.Cluster] {
		s.addRole(c, key.Role)
	}
}
