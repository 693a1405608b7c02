// Package admit says, before anything is placed, which clusters are served and which are frozen, and why: their specs are wrong, beyond their
// tenants' grants, or claim what another one has. A frozen cluster keeps what it has, as it is.
package admit

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/finding"
	"github.com/airshipit/sipgen/internal/holdings"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/internal/netplan"
	"github.com/airshipit/sipgen/internal/tenancy"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/render"
	"github.com/airshipit/sipgen/schedule"
)

// Problem is what is wrong with the specs of one tenant.
type Problem struct {
	// Cluster that it is about, and that is frozen for it; the zero value if that is not known.
	Cluster schedule.ClusterKey
	// File that it is in, as package tenancy names files: where the cluster is not known, it may be any of those who write there.
	File string
	// Beside: whoever wrote it has no say in the cluster, which goes on by its own spec. If it has none, it may have been this: then it is
	// frozen, and not gone.
	Beside bool
	// Strange: it is in a folder of another tenant, who could write it at any time. It says nothing of the cluster, whether that has a spec or not.
	Strange bool
	// Keeps: the cluster keeps its hosts for it, though it is to leave.
	Keeps bool
	// Code is one of package finding.
	Code string
	Err  error
}

// Finding is the problem as all others are said.
func (p *Problem) Finding() finding.Finding {
	object := v1.Kind
	if p.Cluster != (schedule.ClusterKey{}) {
		object += " " + p.Cluster.String()
	}
	return finding.FromError(p.Code, object, p.Err)
}

// Input is what the answer depends on.
type Input struct {
	Site     *v1alpha1.Site
	Clusters []v1.SIPCluster
	// Problems that reading the specs, or an earlier round of the same run, found.
	Problems []Problem
	Hosts    []inventory.Host
	Tenants  *tenancy.Tenants
	// Network of all addresses. What a host may not be handed out for is noted on Hosts.
	Network *netplan.Plan
	// Unpatchable is why no patch of a host may be written, by "namespace/name".
	Unpatchable map[string][]finding.Finding
	// Tree that was there before, and Claims what it says of hosts.
	Tree   render.Tree
	Claims schedule.Previous
	// Options of the site; Known and Absent are set here.
	Options schedule.Options
	// InTree writes the paths of specs as they may stand in the tree.
	InTree *strings.Replacer
}

// Clusters are those that hosts are handed out to, and the others.
type Clusters struct {
	Input
	// All are the clusters of the specs, and with an empty spec each that is frozen and has none that could be read.
	All []v1.SIPCluster
	// Frozen says why clusters keep what they have, as it is, in words that may stand in the tree.
	Frozen map[schedule.ClusterKey][]string
	// Lost are the problems that freeze nobody, and Notes what is said about the Site's list of leaving clusters.
	Lost  []Problem
	Notes []string
	// Findings are why each cluster is frozen, and what is lost.
	Findings []finding.Finding
	// Known are the clusters that the tree has, Leaving those that leave, and Held is what each cluster holds.
	Known, Leaving map[schedule.ClusterKey]bool
	Held           tenancy.Counts

	// here are the reasons as they read on this machine, by how they stand in Frozen: with the paths of files as they were given.
	here map[string]string
	// reasons is how many problems each of them has, of which Frozen has the first.
	reasons map[schedule.ClusterKey]int
}

// Of says which clusters are frozen, and why. Its order is that of the reasons: what is wrong with a spec by itself, what is missing, what the
// hosts contradict, what is beyond the grants, and at last what two claim.
func Of(in Input) *Clusters {
	s := &Clusters{Input: in, All: slices.Clone(in.Clusters), Frozen: map[schedule.ClusterKey][]string{}, here: map[string]string{},
		reasons: map[schedule.ClusterKey]int{}, Known: map[schedule.ClusterKey]bool{}, Leaving: map[schedule.ClusterKey]bool{}}
	known := inTree(in.Tree, in.Claims)
	for _, key := range known {
		s.Known[key] = true
	}
	s.leave()
	s.blame(known)
	absent := s.freezeAbsent(known)
	s.addMissing()
	s.Options.Known, s.Options.Absent = s.Known, absent
	s.Held = tenancy.Held(s.All, in.Claims, in.Hosts, s.Options)
	s.leaveAlone()
	s.contradicted()
	gone := s.gone()
	kept := slices.DeleteFunc(known, func(key schedule.ClusterKey) bool { return !gone[key.String()] && !s.has(key) })
	s.complain(finding.Grant, in.Tenants.Clusters(s.All, kept, s.IsFrozen()))
	s.complain(finding.Grant, in.Tenants.Hosts(s.All, s.Held, s.IsFrozen()))
	//guard: a tenant's load balancer gets an address that Ironic gives to a machine
	s.overlaps(gone)
	s.clashes(gone)
	s.crowds(append(kept, s.Held.Clusters()...))
	return s
}

// blame freezes the clusters that the problems are about, as far as whoever wrote these has a say in them.
func (s *Clusters) blame(known []schedule.ClusterKey) {
	for i := range s.Problems {
		p := &s.Problems[i]
		switch {
		//guard: a tenant writes the name of another one's cluster, which is then frozen by that
		case p.Strange, p.Beside && (s.has(p.Cluster) || !slices.Contains(known, p.Cluster)):
			s.lose(*p)
		case p.Cluster == schedule.ClusterKey{}:
			s.lose(*p)
		//guard: a mistake in its spec keeps a cluster that the Site lets leave
		case s.Leaving[p.Cluster] && !s.has(p.Cluster):
			s.lose(*p)
		default:
			for _, why := range flatten(p.Err) {
				s.freeze(p.Cluster, p.Code, why)
			}
			//guard: a spec that asks for too much at once gets it by leaving
			if p.Keeps {
				s.stays(p.Cluster, s.Claims.Leaving[p.Cluster])
			}
		}
	}
}

// lose notes a problem that freezes nobody.
func (s *Clusters) lose(p Problem) {
	s.Lost = append(s.Lost, p)
	s.Findings = append(s.Findings, p.Finding())
}

// flatten is each of the errors that were joined.
func flatten(err error) []error {
	joined, is := err.(interface{ Unwrap() []error })
	if !is {
		return []error{err}
	}
	var out []error
	for _, e := range joined.Unwrap() {
		out = append(out, flatten(e)...)
	}
	return out
}

// mostNewcomers are of one tenant the frozen clusters that have nothing yet, and are planned and said.
const mostNewcomers = 20

// crowds leaves out what a tenant has too many of: clusters that are frozen and have neither files in the tree nor hosts. Whoever writes thousands of them
// would fill the plan, PLAN.md and the pull request, and nobody would find the other tenants in them. Those in no tenant's namespace count together.
func (s *Clusters) crowds(known []schedule.ClusterKey) {
	has := map[schedule.ClusterKey]bool{}
	for _, key := range known {
		has[key] = true
	}
	left, names := map[schedule.ClusterKey]bool{}, map[string][]string{}
	for i := range s.All { // sorted by name
		key := keyOf(&s.All[i])
		if len(s.Frozen[key]) == 0 || has[key] {
			continue
		}
		whose := "no tenant"
		if tenant := s.Tenants.Of(key.Namespace); tenant != nil {
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
	s.All = slices.DeleteFunc(s.All, func(c v1.SIPCluster) bool { return left[keyOf(&c)] })
	for key := range left {
		delete(s.Frozen, key)
	}
	for _, whose := range slices.Sorted(maps.Keys(names)) {
		if more := names[whose][min(mostNewcomers, len(names[whose])):]; len(more) > 0 {
			s.lose(Problem{Code: finding.Invalid, Err: fmt.Errorf("%d clusters of %s are frozen and have nothing yet: %d of them are not planned, from %s to %s",
				len(names[whose]), whose, len(more), more[0], more[len(more)-1])})
		}
	}
}

// inTree are the clusters that the tree knows.
func inTree(tree render.Tree, claims schedule.Previous) []schedule.ClusterKey {
	found := map[schedule.ClusterKey]bool{}
	for _, key := range holdings.Clusters(claims.Claims) {
		found[key] = true
	}
	for name, content := range tree {
		if parts := strings.SplitN(name, "/", 4); len(parts) == 4 && parts[0] == "clusters" && !render.IsEmptied(content) {
			found[schedule.ClusterKey{Namespace: parts[1], Name: parts[2]}] = true
		}
	}
	return slices.SortedFunc(maps.Keys(found), func(a, b schedule.ClusterKey) int { return strings.Compare(a.String(), b.String()) })
}

// has says whether a cluster has a spec.
func (s *Clusters) has(key schedule.ClusterKey) bool {
	return slices.ContainsFunc(s.All, func(c v1.SIPCluster) bool { return keyOf(&c) == key })
}

// freeze notes why a cluster is frozen: the first reasons, which all who read the plan get to see, and how many more there are.
func (s *Clusters) freeze(key schedule.ClusterKey, code string, why error) {
	problem := Problem{Cluster: key, Code: code, Err: why}
	s.Findings = append(s.Findings, problem.Finding())
	s.reasons[key]++
	const most = v1.MaxProblems + 1 // the last of a spec's own says how many more it has
	if more := s.reasons[key] - most; more > 0 {
		s.Frozen[key] = append(s.Frozen[key][:most], fmt.Sprintf("and %d more problems", more))
		return
	}
	s.Frozen[key] = append(s.Frozen[key], s.say(why))
}

// say is a reason as it may stand in the tree.
func (s *Clusters) say(why error) string {
	words := s.InTree.Replace(why.Error())
	s.here[words] = why.Error()
	return words
}

// Here is a reason, or what is said of a problem that freezes nobody, as it reads on this machine.
func (s *Clusters) Here(words string) string { return cmp.Or(s.here[words], words) }

// stays: a cluster is not let go in this run, though it is to leave. One that left before this run goes on later, with or without its spec.
func (s *Clusters) stays(key schedule.ClusterKey, left bool) {
	if !left {
		delete(s.Leaving, key)
	}
	for i := range s.All {
		if c := &s.All[i]; keyOf(c) == key {
			c.DeletionTimestamp, c.Annotations = nil, maps.Clone(c.Annotations)
			delete(c.Annotations, v1.DecommissionAnnotation)
		}
	}
}

// leave finds the clusters that leave: by their own objects, by the Site, and those that left already and whose specs are gone.
func (s *Clusters) leave() {
	for i := range s.All {
		c := &s.All[i]
		if slices.Contains(s.Site.Spec.Decommission, c.Key()) {
			c.Annotations = maps.Clone(c.Annotations)
			metav1.SetMetaDataAnnotation(&c.ObjectMeta, v1.DecommissionAnnotation, c.Key())
		}
		if c.Leaves() {
			s.Leaving[keyOf(c)] = true
		}
	}
	//guard: a cluster whose spec is deleted while its hosts leave stops half-way
	for key := range s.Claims.Leaving {
		if !s.has(key) {
			s.Leaving[key] = true
		}
	}
	for _, name := range s.Site.Spec.Decommission {
		namespace, short, _ := strings.Cut(name, "/")
		key := schedule.ClusterKey{Namespace: namespace, Name: short}
		s.Leaving[key] = true
		//guard: a slip of the pen lets nothing leave, and nobody says so
		if words := s.idleEntry(key); words != "" {
			s.Notes = append(s.Notes, fmt.Sprintf("%s: spec.decommission: %s: %s", s.Site.Name, name, words))
		}
	}
}

// idleEntry says why an entry of the Site's list lets nothing leave, empty if it does.
func (s *Clusters) idleEntry(key schedule.ClusterKey) string {
	switch {
	case s.Known[key]:
		return ""
	case s.has(key):
		return "the tree does not have this cluster, and it gets no hosts; take the entry out if it is to get some"
	}
	var names []string
	for near := range s.Known {
		names = append(names, near.String())
	}
	slices.Sort(names)
	hint := "take the entry out"
	if near := manifest.Nearest(key.String(), names); near != "" {
		hint = fmt.Sprintf("did you mean %q?", near)
	}
	return "neither the specs nor the tree have this cluster; " + hint
}

// freezeAbsent freezes the clusters of the tree that have no spec: -f may name a part of the specs, and a file may be lost.
func (s *Clusters) freezeAbsent(known []schedule.ClusterKey) (absent map[schedule.ClusterKey]bool) {
	absent = map[schedule.ClusterKey]bool{}
	for _, key := range known {
		if s.has(key) || len(s.Frozen[key]) > 0 || s.Leaving[key] {
			continue
		}
		//guard: a run with -f of one tenant's folder decommissions every other tenant
		s.freeze(key, finding.Absent, fmt.Errorf("its spec is not among the inputs: nothing of it changes; to let it go, list %s in the Site's spec.decommission", key))
		absent[key] = true
	}
	return absent
}

// addMissing gives frozen clusters without a spec an empty one: they are not gone.
func (s *Clusters) addMissing() {
	for _, key := range slices.SortedFunc(maps.Keys(s.Frozen), func(a, b schedule.ClusterKey) int { return strings.Compare(a.String(), b.String()) }) {
		if !s.has(key) {
			stub := v1.SIPCluster{Source: key.String()}
			stub.Namespace, stub.Name = key.Namespace, key.Name
			//guard: a spec with a mistake is a cluster that is gone: its hosts are released
			s.All = append(s.All, stub)
		}
	}
	slices.SortFunc(s.All, func(a, b v1.SIPCluster) int {
		return cmp.Or(strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Name, b.Name))
	})
}

// IsFrozen are the clusters that are frozen.
func (s *Clusters) IsFrozen() map[schedule.ClusterKey]bool {
	out := map[schedule.ClusterKey]bool{}
	for key := range s.Frozen {
		out[key] = true
	}
	return out
}

// complain freezes the clusters that complaints are about.
func (s *Clusters) complain(code string, errs []v1.ClusterError) {
	for _, e := range errs {
		s.freeze(keyOf(e.Cluster), cmp.Or(code, clashCode(e)), e.Cluster.Problem(e.Path, "%s", e.Message))
	}
}

// overlaps freezes those who ask for what the site's services, or hosts, have: what they have in the tree stays as it is. A host that no cluster holds
// and nothing uses freezes nobody who has its address in the tree: it gets a fault.
func (s *Clusters) overlaps(gone map[string]bool) {
	inTree := sync.OnceValue(func() map[string]v1.Held { return s.inUse(gone) })
	s.Network.Yield(func(cluster string) v1.Held { return inTree()[cluster] }, func(host *inventory.Host) bool {
		_, held := s.Held.Holder(schedule.HostKey{Namespace: host.Namespace, Name: host.Name})
		return held || host.State.InUse()
	})
	//guard: a host with the address of a tenant's service is handed out
	s.Network.Faults(s.Hosts)
	was := s.IsFrozen()
	for _, refused := range s.Network.Refused() {
		key := keyOf(refused.Cluster)
		if !s.has(key) || was[key] {
			continue
		}
		short := refused.Cluster.Problem(refused.Field, "%s", refused.Short)
		s.freeze(key, finding.Network, short)
		s.here[s.InTree.Replace(short.Error())] = refused.Cluster.Problem(refused.Field, "%s", refused.Message).Error()
	}
}

// clashes freezes the newcomers of those who claim the same thing: who has it in the tree keeps it. A frozen cluster has what its services in the
// tree have, and one without a spec as long as it has hosts, because its services stay so long; that may be what another one claims. So it is
// looked again until nobody is frozen any more.
func (s *Clusters) clashes(gone map[string]bool) {
	ports := s.Site.Spec.NodePorts
	held := s.inUse(gone)
	for {
		var active []v1.SIPCluster
		for i := range s.All {
			if len(s.Frozen[keyOf(&s.All[i])]) == 0 && !s.All[i].Leaves() {
				active = append(active, s.All[i])
			}
		}
		clashes := v1.ValidateHeld(active, held, ports.Start, ports.End)
		if len(clashes) == 0 {
			return
		}
		s.complain("", clashes)
	}
}

// inUse is what the services in the tree have, of clusters that have a spec, or hosts.
func (s *Clusters) inUse(gone map[string]bool) map[string]v1.Held {
	given := map[string]bool{}
	for i := range s.All {
		given[s.All[i].Key()] = true
	}
	held := tenancy.Served(s.Tree)
	maps.DeleteFunc(held, func(key string, _ v1.Held) bool { return !given[key] && !gone[key] })
	return held
}

// gone are the clusters, "namespace/name", that have hosts and no spec: their services stay until the last of them is released.
func (s *Clusters) gone() map[string]bool {
	gone := map[string]bool{}
	for _, key := range holdings.Clusters(s.Claims.Claims) {
		//guard: the port of a cluster that waits for its release is handed out while its Service has it
		gone[key.String()] = true
	}
	for i := range s.All {
		delete(gone, s.All[i].Key())
	}
	return gone
}

// LostWords are the problems that freeze nobody, for a report.
func (s *Clusters) LostWords() []string {
	var out []string
	for i := range s.Lost {
		why := s.Lost[i].Err.Error()
		words := "left out: " + s.InTree.Replace(why)
		s.here[words] = "left out: " + why
		out = append(out, words)
	}
	return out
}

// Newcomers are the clusters that claim what one has that the placement refused: nobody knew before that it keeps what it has.
func (s *Clusters) Newcomers(refused map[schedule.ClusterKey]bool) (out []Problem) {
	if len(refused) == 0 {
		return nil
	}
	active := slices.DeleteFunc(slices.Clone(s.All), func(c v1.SIPCluster) bool { return refused[keyOf(&c)] || c.Leaves() })
	for _, e := range v1.ValidateHeld(active, s.inUse(s.gone()), s.Site.Spec.NodePorts.Start, s.Site.Spec.NodePorts.End) {
		out = append(out, Problem{Cluster: keyOf(e.Cluster), Code: clashCode(e), Err: e.Cluster.Problem(e.Path, "%s", e.Message)})
	}
	return out
}

// grantCode is the code of what a cluster is not granted. No grant allows a port beyond the site's range.
func grantCode(e v1.FieldError) string {
	if strings.HasSuffix(e.Message, "the site's range") {
		return finding.NodePortRange
	}
	return finding.Grant
}

// BeyondGrants are the problems that a valid spec has with what its tenant is granted, whatever hosts there are.
func BeyondGrants(tenants *tenancy.Tenants, c *v1.SIPCluster) (out []Problem) {
	for _, e := range append(tenants.Namespace(c), tenants.Spec(c)...) {
		out = append(out, Problem{Cluster: keyOf(c), Code: grantCode(e), Err: &BeyondError{c.Problem(e.Path, "%s", e.Message)}})
	}
	return out
}

// BeyondError is that a spec asks for what its tenant is not granted.
type BeyondError struct{ Err error }

func (e *BeyondError) Error() string { return e.Err.Error() }

// Unwrap gives the place.
func (e *BeyondError) Unwrap() error { return e.Err }

// clashCode is the code of what two clusters claim.
func clashCode(e v1.ClusterError) string {
	port := strings.HasSuffix(e.Path, ".nodePort") || strings.HasSuffix(e.Path, ".nodePortRange")
	switch {
	case port && strings.HasPrefix(e.Message, "found "):
		return finding.NodePortRange
	case port:
		return finding.NodePort
	case strings.HasPrefix(e.Path, "spec.services."+v1.ListDex+"[") && strings.HasSuffix(e.Path, "]"):
		return finding.DexNamespace
	}
	return finding.Address
}

func keyOf(c *v1.SIPCluster) schedule.ClusterKey {
	return schedule.ClusterKey{Namespace: c.Namespace, Name: c.Name}
}
