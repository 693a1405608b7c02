package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/internal/tenancy"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/render"
	"github.com/airshipit/sipgen/schedule"
)

// settled are the clusters that hosts are handed out to: those of the specs, and with an empty spec for each that is frozen and has none that could be read.
type settled struct {
	clusters []v1.SIPCluster
	// frozen says why clusters keep what they have, as it is.
	frozen map[schedule.ClusterKey][]string
	// here are the reasons as they read on this machine, by how they stand in frozen: with the paths of files as they were given.
	here map[string]string
	// reasons is how many problems each of them has, of which frozen has the first.
	reasons map[schedule.ClusterKey]int
	// inTree as loaded has it: the reasons and what lostWords says get into the tree and into commits.
	inTree *strings.Replacer
	// lost are the findings that freeze nobody.
	lost []finding
	// beyond are the reasons that are about what tenants are granted, and clashing those about what two clusters claim.
	beyond, clashing []v1.ClusterError
	// known are the clusters that the tree has, held is what each cluster holds.
	held  tenancy.Holdings
	known map[schedule.ClusterKey]bool
	// leaving are the clusters that leave, and words what is said about the Site's list of them.
	leaving map[schedule.ClusterKey]bool
	words   []string
}

// settle finds out which clusters are frozen.
func (l *loaded) settle(before previousTree, claims schedule.Previous) settled {
	s := settled{clusters: slices.Clone(l.clusters), frozen: map[schedule.ClusterKey][]string{}, here: map[string]string{},
		known: map[schedule.ClusterKey]bool{}, leaving: map[schedule.ClusterKey]bool{}, inTree: l.inTree}
	known := clustersIn(before.files, claims)
	for _, key := range known {
		s.known[key] = true
	}
	s.leave(l, claims)
	for _, f := range l.findings {
		switch {
		//guard: a tenant writes the name of another one's cluster, which is then frozen by that
		case f.strange, f.beside && (s.has(f.cluster) || !slices.Contains(known, f.cluster)):
			s.lost = append(s.lost, f)
		case f.cluster == schedule.ClusterKey{}:
			s.lost = append(s.lost, f)
		//guard: a mistake in its spec keeps a cluster that the Site lets leave
		case s.leaving[f.cluster] && !s.has(f.cluster):
			s.lost = append(s.lost, f)
		default:
			for _, why := range flatten(f.err) {
				s.freeze(f.cluster, why)
			}
			//guard: a spec that asks for too much at once gets it by leaving
			if f.keeps {
				s.stays(f.cluster, claims.Leaving[f.cluster])
			}
		}
	}
	s.freezeAbsent(known)
	s.addMissing()
	options := options(l.site)
	options.Known, options.LabelsOlder = s.known, l.labelsOlder(before)
	held := tenancy.Held(s.clusters, claims, l.hosts.Hosts, options)
	s.leaveAlone(l, held)
	gone := s.gone(claims)
	kept := slices.DeleteFunc(known, func(key schedule.ClusterKey) bool { return !gone[key.String()] && !s.has(key) })
	s.beyond = l.tenants.Clusters(s.clusters, kept, s.isFrozen())
	s.complain(s.beyond)
	beyond := l.tenants.Hosts(s.clusters, held, s.isFrozen())
	s.complain(beyond)
	s.beyond = append(s.beyond, beyond...)
	s.held = held
	//guard: a tenant's load balancer gets an address that Ironic gives to a machine
	s.overlaps(l, before.files, gone, held)
	s.clashes(l, before.files, gone)
	s.crowds(l, append(kept, held.Clusters()...))
	return s
}

// mostNewcomers are of one tenant the frozen clusters that have nothing yet, and are planned and said.
const mostNewcomers = 20

// crowds leaves out what a tenant has too many of: clusters that are frozen and have neither files in the tree nor hosts. Whoever writes thousands of them
// would fill the plan, PLAN.md and the pull request, and nobody would find the other tenants in them. Those in no tenant's namespace count together.
func (s *settled) crowds(l *loaded, known []schedule.ClusterKey) {
	has := map[schedule.ClusterKey]bool{}
	for _, key := range known {
		has[key] = true
	}
	left, names := map[schedule.ClusterKey]bool{}, map[string][]string{}
	for i := range s.clusters { // sorted by name
		key := keyOf(&s.clusters[i])
		if len(s.frozen[key]) == 0 || has[key] {
			continue
		}
		whose := "no tenant"
		if tenant := l.tenants.Of(key.Namespace); tenant != nil {
			whose = "tenant " + tenant.Name
		}
		if names[whose] = append(names[whose], key.String()); len(names[whose]) > mostNewcomers {
			left[key] = true
		}
	}
	//guard: a tenant writes thousands of clusters that are frozen, and nobody finds the others in the plan
	if len(left) == 0 {
		return
	}
	s.clusters = slices.DeleteFunc(s.clusters, func(c v1.SIPCluster) bool { return left[keyOf(&c)] })
	for key := range left {
		delete(s.frozen, key)
	}
	for _, whose := range slices.Sorted(maps.Keys(names)) {
		if more := names[whose][min(mostNewcomers, len(names[whose])):]; len(more) > 0 {
			s.lost = append(s.lost, finding{err: fmt.Errorf("%d clusters of %s are frozen and have nothing yet: %d of them are not planned, from %s to %s",
				len(names[whose]), whose, len(more), more[0], more[len(more)-1])})
		}
	}
}

// clustersIn are the clusters that the tree knows.
func clustersIn(tree render.Tree, claims schedule.Previous) []schedule.ClusterKey {
	found := map[schedule.ClusterKey]bool{}
	for _, claim := range claims.Claims {
		found[claim.Cluster] = true
	}
	for name, content := range tree {
		if parts := strings.SplitN(name, "/", 4); len(parts) == 4 && parts[0] == "clusters" && !render.IsEmptied(content) {
			found[schedule.ClusterKey{Namespace: parts[1], Name: parts[2]}] = true
		}
	}
	return slices.SortedFunc(maps.Keys(found), func(a, b schedule.ClusterKey) int { return strings.Compare(a.String(), b.String()) })
}

// has says whether a cluster has a spec.
func (s *settled) has(key schedule.ClusterKey) bool {
	return slices.ContainsFunc(s.clusters, func(c v1.SIPCluster) bool { return keyOf(&c) == key })
}

// freeze notes why a cluster is frozen: the first reasons, which all who read the plan get to see, and how many more there are.
func (s *settled) freeze(key schedule.ClusterKey, why error) {
	if s.reasons == nil {
		s.reasons = map[schedule.ClusterKey]int{}
	}
	s.reasons[key]++
	const most = v1.MaxProblems + 1 // the last of a spec's own says how many more it has
	if more := s.reasons[key] - most; more > 0 {
		s.frozen[key] = append(s.frozen[key][:most], fmt.Sprintf("and %d more problems", more))
		return
	}
	s.frozen[key] = append(s.frozen[key], s.said(why))
}

// said is a reason as it may stand in the tree. here has it as it reads on this machine.
func (s *settled) said(why error) string {
	words := s.inTree.Replace(why.Error())
	s.here[words] = why.Error()
	return words
}

// stays: a cluster is not let go in this run, though it is to leave. One that left before this run goes on later, with or without its spec.
func (s *settled) stays(key schedule.ClusterKey, left bool) {
	if !left {
		delete(s.leaving, key)
	}
	for i := range s.clusters {
		if c := &s.clusters[i]; keyOf(c) == key {
			c.DeletionTimestamp, c.Annotations = nil, maps.Clone(c.Annotations)
			delete(c.Annotations, v1.DecommissionAnnotation)
		}
	}
}

// leave finds the clusters that leave: by their own objects, by the Site, and those that left already and whose specs are gone.
func (s *settled) leave(l *loaded, claims schedule.Previous) {
	for i := range s.clusters {
		c := &s.clusters[i]
		if l.siteLets(c.Key()) {
			c.Annotations = maps.Clone(c.Annotations)
			metav1.SetMetaDataAnnotation(&c.ObjectMeta, v1.DecommissionAnnotation, c.Key())
		}
		if c.Leaves() {
			s.leaving[keyOf(c)] = true
		}
	}
	//guard: a cluster whose spec is deleted while its hosts leave stops half-way
	for key := range claims.Leaving {
		if !s.has(key) {
			s.leaving[key] = true
		}
	}
	for _, name := range l.site.Spec.Decommission {
		namespace, short, _ := strings.Cut(name, "/")
		key := schedule.ClusterKey{Namespace: namespace, Name: short}
		s.leaving[key] = true
		//guard: a slip of the pen lets nothing leave, and nobody says so
		if words := s.idleEntry(key); words != "" {
			s.words = append(s.words, fmt.Sprintf("%s: spec.decommission: %s: %s", l.site.Name, name, words))
		}
	}
}

// idleEntry says why an entry of the Site's list lets nothing leave, empty if it does.
func (s *settled) idleEntry(key schedule.ClusterKey) string {
	switch {
	case s.known[key]:
		return ""
	case s.has(key):
		return "the tree does not have this cluster, and it gets no hosts; take the entry out if it is to get some"
	}
	var names []string
	for near := range s.known {
		names = append(names, near.String())
	}
	slices.Sort(names)
	hint := "take the entry out"
	if near := manifest.Nearest(key.String(), names); near != "" {
		hint = fmt.Sprintf("did you mean %q?", near)
	}
	return "neither the specs nor the tree have this cluster; " + hint
}

// siteLets says that the Site lets a cluster leave.
func (l *loaded) siteLets(cluster string) bool {
	return slices.Contains(l.site.Spec.Decommission, cluster)
}

// freezeAbsent freezes the clusters of the tree that have no spec: -f may name a part of the specs, and a file may be lost.
func (s *settled) freezeAbsent(known []schedule.ClusterKey) {
	for _, key := range known {
		if s.has(key) || len(s.frozen[key]) > 0 || s.leaving[key] {
			continue
		}
		//guard: a run with -f of one tenant's folder decommissions every other tenant
		s.freeze(key, fmt.Errorf("its spec is not among the inputs: nothing of it changes; to let it go, list %s in the Site's spec.decommission", key))
	}
}

// addMissing gives frozen clusters without a spec an empty one: they are not gone.
func (s *settled) addMissing() {
	for _, key := range slices.SortedFunc(maps.Keys(s.frozen), func(a, b schedule.ClusterKey) int { return strings.Compare(a.String(), b.String()) }) {
		if !s.has(key) {
			stub := v1.SIPCluster{Source: key.String()}
			stub.Namespace, stub.Name = key.Namespace, key.Name
			//guard: a spec with a mistake is a cluster that is gone: its hosts are released
			s.clusters = append(s.clusters, stub)
		}
	}
	slices.SortFunc(s.clusters, func(a, b v1.SIPCluster) int { return compareNames(&a, &b) })
}

func (s *settled) isFrozen() map[schedule.ClusterKey]bool {
	out := map[schedule.ClusterKey]bool{}
	for key := range s.frozen {
		out[key] = true
	}
	return out
}

func (s *settled) complain(errs []v1.ClusterError) {
	for _, e := range errs {
		s.freeze(keyOf(e.Cluster), e.Cluster.Problem(e.Path, "%s", e.Message))
	}
}

// overlaps freezes those who ask for what the site's services, or hosts, have: what they have in the tree stays as it is. A host that no cluster holds
// and nothing uses freezes nobody who has its address in the tree: it gets a fault.
func (s *settled) overlaps(l *loaded, tree render.Tree, gone map[string]bool, holders tenancy.Holdings) {
	inTree := sync.OnceValue(func() map[string]v1.Held { return s.inUse(tree, gone) })
	l.network.Yield(func(cluster string) v1.Held { return inTree()[cluster] }, func(host *inventory.Host) bool {
		_, held := holders.Holder(schedule.HostKey{Namespace: host.Namespace, Name: host.Name})
		return held || host.State.InUse()
	})
	//guard: a host with the address of a tenant's service is handed out
	l.network.Faults(l.hosts.Hosts)
	was := s.isFrozen()
	for _, refused := range l.network.Refused() {
		key := keyOf(refused.Cluster)
		if !s.has(key) || was[key] {
			continue
		}
		short := refused.Cluster.Problem(refused.Field, "%s", refused.Short)
		s.freeze(key, short)
		s.here[s.inTree.Replace(short.Error())] = refused.Cluster.Problem(refused.Field, "%s", refused.Message).Error()
	}
}

// clashes freezes the newcomers of those who claim the same thing: who has it in the tree keeps it. A frozen cluster has what its services in the
// tree have, and one without a spec as long as it has hosts, because its services stay so long; that may be what another one claims. So it is
// looked again until nobody is frozen any more.
func (s *settled) clashes(l *loaded, tree render.Tree, gone map[string]bool) {
	ports := l.site.Spec.NodePorts
	if len(s.frozen)+len(gone) == 0 && len(v1.ValidateSite(s.clusters, ports.Start, ports.End)) == 0 {
		return
	}
	held := s.inUse(tree, gone)
	for {
		var active []v1.SIPCluster
		for i := range s.clusters {
			if len(s.frozen[keyOf(&s.clusters[i])]) == 0 && !s.clusters[i].Leaves() {
				active = append(active, s.clusters[i])
			}
		}
		clashes := v1.ValidateHeld(active, held, ports.Start, ports.End)
		if len(clashes) == 0 {
			return
		}
		s.clashing = append(s.clashing, clashes...)
		s.complain(clashes)
	}
}

// inUse is what the services in the tree have, of clusters that have a spec, or hosts.
func (s *settled) inUse(tree render.Tree, gone map[string]bool) map[string]v1.Held {
	given := map[string]bool{}
	for i := range s.clusters {
		given[s.clusters[i].Key()] = true
	}
	held := tenancy.Served(tree)
	maps.DeleteFunc(held, func(key string, _ v1.Held) bool { return !given[key] && !gone[key] })
	return held
}

// gone are the clusters, "namespace/name", that have hosts and no spec: their services stay until the last of them is released.
func (s *settled) gone(claims schedule.Previous) map[string]bool {
	gone := map[string]bool{}
	for _, claim := range claims.Claims {
		//guard: the port of a cluster that waits for its release is handed out while its Service has it
		gone[claim.Cluster.String()] = true
	}
	for i := range s.clusters {
		delete(gone, s.clusters[i].Key())
	}
	return gone
}

// lostWords are the findings that freeze nobody, for the report.
func (s *settled) lostWords() []string {
	var out []string
	for _, f := range s.lost {
		words := "left out: " + s.inTree.Replace(f.err.Error())
		s.here[words] = "left out: " + f.err.Error()
		out = append(out, words)
	}
	return out
}
