// Package admit says, before anything is placed, which clusters are served and which are frozen, and why: their specs are wrong, beyond their
// tenants' grants, or claim what another one has. A frozen cluster keeps what it has, as it is.
package admit

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1/validation"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/finding"
	"github.com/airshipit/sipgen/internal/holdings"
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
	// Problems that reading the specs found.
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
	// Options of the site; Known, Absent and Refused are set here.
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
	s.Options.Refused = s.Frozen
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
			s.freezeFor(p)
		}
	}
}

// freezeFor freezes the cluster that a problem is about.
func (s *Clusters) freezeFor(p *Problem) {
	for _, why := range flatten(p.Err) {
		s.freeze(p.Cluster, p.Code, why)
	}
	//guard: a spec that asks for too much at once gets it by leaving
	if p.Keeps {
		s.stays(p.Cluster, s.Claims.Leaving[p.Cluster])
	}
}

// Freeze freezes more clusters, for what a placement of these, or its tree, showed.
func (s *Clusters) Freeze(problems []Problem) {
	s.Problems = append(slices.Clone(s.Problems), problems...)
	for i := range problems {
		s.freezeFor(&problems[i])
	}
}

// lose notes a problem that freezes nobody.
func (s *Clusters) lose(p Problem) {
	s.Lost = append(s.Lost, p)
	s.Findings = append(s.Findings, p.Finding())
}

// flatten is each of the errors that were joined.
func flatten(err error) []error {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
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
	const most = validation.MaxProblems + 1 // the last of a spec's own says how many more it has
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

// IsFrozen are the clusters that are frozen.
func (s *Clusters) IsFrozen() map[schedule.ClusterKey]bool {
	out := map[schedule.ClusterKey]bool{}
	for key := range s.Frozen {
		out[key] = true
	}
	return out
}

// LostFindings are the problems that freeze nobody, for a report.
func (s *Clusters) LostFindings() []finding.Finding {
	var out []finding.Finding
	for i := range s.Lost {
		p := &s.Lost[i]
		words := "left out: " + s.InTree.Replace(p.Err.Error())
		s.here[words] = "left out: " + p.Err.Error()
		out = append(out, finding.Finding{Code: p.Code, Severity: finding.Error, Object: p.Finding().Object, Message: words, Fix: finding.Remedy(p.Code)})
	}
	return out
}

func keyOf(c *v1.SIPCluster) schedule.ClusterKey {
	return schedule.ClusterKey{Namespace: c.Namespace, Name: c.Name}
}
