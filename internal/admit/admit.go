// Package admit decides, before anything is placed, which clusters are served and which are frozen, and why: their
// specs are invalid, exceed their tenants' grants, or claim what another cluster has. A frozen cluster keeps its
// hosts and services unchanged.
package admit

import (
	"cmp"
	"errors"
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
	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/render"
	"github.com/airshipit/sipgen/schedule"
)

// Problem is a fault of the specs of one tenant. Its object is the cluster that it freezes. If the cluster is unknown,
// it may be any cluster of those who write the file.
type Problem struct {
	finding.Finding
	Effect Effect
	// Grantable: a grant would allow it. None allows a port outside the site's range, or makes an image.
	Grantable bool
}

// Effect is what a problem does to its cluster.
type Effect int

// The effects.
const (
	// Freezes: the cluster keeps its hosts and services, unless it is to leave.
	Freezes Effect = iota
	// Keeps: it freezes the cluster although an object of the cluster says that it is to leave.
	Keeps
	// Beside: the author has no say in the cluster, which keeps its own spec. A cluster without a spec is frozen, and
	// not gone, because this may have been its spec.
	Beside
	// Strange: it is in a folder of another tenant, who could write it at any time. It proves nothing about the
	// cluster.
	Strange
)

// Problems returns the errors joined in an error about a cluster, which is the zero value if it is unknown.
func Problems(code string, cluster schedule.ClusterKey, err error) (out []Problem) {
	for _, f := range finding.FromErrors(code, finding.To(v1.Kind, cluster.Namespace, cluster.Name), err) {
		out = append(out, Problem{Finding: f})
	}
	return out
}

// Key returns the cluster.
func (p *Problem) Key() schedule.ClusterKey {
	return schedule.ClusterKey{Namespace: p.Object.Namespace, Name: p.Object.Name}
}

// Input is the input of Of.
type Input struct {
	Site     *v1alpha1.Site
	Clusters []v1.SIPCluster
	// Problems that reading the specs found.
	Problems []Problem
	Hosts    []inventory.Host
	Tenants  *tenancy.Tenants
	// Network is the plan of all addresses. Faults that keep a host from being assigned are added to Hosts.
	Network *netplan.Comparison
	// Unpatchable is why no patch of a host may be written, by "namespace/name".
	Unpatchable map[string][]finding.Finding
	// Tree is the previous tree, and Claims its claims of hosts.
	Tree   render.Tree
	Claims schedule.Previous
	// Options of the site; Known, Absent, Refused, Granted, Limits and Leaving are set here.
	Options schedule.Options
	// Files has the file of each cluster.
	Files tenancy.Files
}

// Clusters are the served and the frozen clusters.
type Clusters struct {
	Input
	// All are the clusters of the specs; frozen ones without a readable spec have an empty one.
	All []v1.SIPCluster
	// Frozen has the reasons why clusters keep what they have.
	Frozen map[schedule.ClusterKey][]finding.Finding
	// Lost are the problems that freeze no cluster. Notes are about the Site's list of leaving clusters.
	Lost  []finding.Finding
	Notes []string
	// Findings are the reasons for frozen clusters, and Lost.
	Findings []finding.Finding
	// Known are the clusters of the tree, Leaving the leaving ones. Held are the claims of each cluster.
	Known, Leaving map[schedule.ClusterKey]bool
	Held           tenancy.Counts

	// reasons counts the problems of each cluster, of which Frozen has the first.
	reasons map[schedule.ClusterKey]int
	// blamed are the fields of specs with a problem: each gets one.
	blamed map[specField]bool
}

// specField is a field of a cluster's spec.
type specField struct {
	cluster schedule.ClusterKey
	path    string
}

// Of decides which clusters are frozen, and why, with all reasons at once: who corrects one must not wait for a run to
// learn of the next. They come in this order: problems of a spec by itself and missing grants, missing specs,
// contradictions with the hosts, and claims of two clusters.
func Of(in Input) *Clusters {
	s := &Clusters{Input: in, All: slices.Clone(in.Clusters), Frozen: map[schedule.ClusterKey][]finding.Finding{},
		reasons: map[schedule.ClusterKey]int{}, blamed: map[specField]bool{}, Known: map[schedule.ClusterKey]bool{},
		Leaving: map[schedule.ClusterKey]bool{}}
	s.Options.Leaving = map[schedule.ClusterKey]bool{}
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
	s.freezeDisputed()
	s.freezeContradicted()
	gone := s.gone()
	kept := slices.DeleteFunc(known, func(key schedule.ClusterKey) bool { return !gone[key.String()] && !s.has(key) })
	s.complain(finding.Grant, in.Tenants.Clusters(s.All, kept, s.Options.Leaves, s.IsFrozen()))
	s.freezeOverlaps(gone)
	s.freezeClashes(gone)
	s.leaveOutCrowds(append(kept, s.Held.Clusters()...))
	s.Options.Refused = s.refused()
	s.Options.Limits, s.Options.Granted = in.Tenants.Limits(s.clusters()), in.Tenants.Granted(s.clusters())
	return s
}

// blame freezes the clusters of the problems, if the author of a problem has a say in its cluster.
func (s *Clusters) blame(known []schedule.ClusterKey) {
	for i := range s.Problems {
		p, key := &s.Problems[i], s.Problems[i].Key()
		switch {
		case p.Code == finding.Edited && s.Leaving[key]: // its services stay as they are anyhow, and no longer than its hosts
		case p.Effect == Strange, p.Effect == Beside && (s.has(key) || !slices.Contains(known, key)):
			s.lose(p.Finding)
		case key == schedule.ClusterKey{}:
			s.lose(p.Finding)
		case s.Leaving[key] && (p.Effect != Keeps || !s.has(key) || s.listed(key)): // whatever its spec says
			s.lose(p.Finding)
		default:
			s.freezeFor(p)
		}
	}
}

// freezeFor freezes the cluster of a problem.
func (s *Clusters) freezeFor(p *Problem) {
	key := p.Key()
	s.freeze(key, p.Finding)
	if p.Effect == Keeps {
		s.stays(key, s.Claims.Leaving[key])
	}
}

// Freeze freezes more clusters, for problems that the placement or the tree showed.
func (s *Clusters) Freeze(problems []Problem) {
	s.Problems = append(slices.Clone(s.Problems), problems...)
	for i := range problems {
		s.freezeFor(&problems[i])
	}
	s.Options.Refused = s.refused()
}

// lose records a problem that freezes no cluster.
func (s *Clusters) lose(found ...finding.Finding) {
	for i := range found {
		found[i].Place.Written = cmp.Or(found[i].Place.Written, s.Files[found[i].Object.Key()])
	}
	s.Lost, s.Findings = append(s.Lost, found...), append(s.Findings, found...)
}

// mostNewcomers is how many frozen clusters that have nothing yet are planned and reported for each tenant.
const mostNewcomers = 20

// leaveOutCrowds leaves out the frozen clusters beyond that number that have neither files in the tree nor hosts. A
// tenant with thousands of them would fill the plan, PLAN.md and the pull request, and hide the other tenants.
// Clusters outside all tenants' namespaces count together.
func (s *Clusters) leaveOutCrowds(known []schedule.ClusterKey) {
	has := map[schedule.ClusterKey]bool{}
	for _, key := range known {
		has[key] = true
	}
	left, names := map[schedule.ClusterKey]bool{}, map[string][]string{}
	for i := range s.All { // sorted by name
		key := schedule.KeyOf(&s.All[i])
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
	if len(left) == 0 {
		return
	}
	s.All = slices.DeleteFunc(s.All, func(c v1.SIPCluster) bool { return left[schedule.KeyOf(&c)] })
	for key := range left {
		delete(s.Frozen, key)
	}
	for _, whose := range slices.Sorted(maps.Keys(names)) {
		if more := names[whose][min(mostNewcomers, len(names[whose])):]; len(more) > 0 {
			s.lose(faultOf(schedule.ClusterKey{}, finding.Invalid, fmt.Sprintf(
				"%d clusters of %s are frozen and have nothing yet: %d of them are not planned, from %s to %s",
				len(names[whose]), whose, len(more), more[0], more[len(more)-1])))
		}
	}
}

// inTree returns the clusters of the tree.
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
	return slices.SortedFunc(maps.Keys(found), func(a,
		b schedule.ClusterKey) int {
		return strings.Compare(a.String(), b.String())
	})
}

// clusters returns all that have a spec, are in the tree, or hold hosts.
func (s *Clusters) clusters() []schedule.ClusterKey {
	out := append(slices.Collect(maps.Keys(s.Known)), s.Held.Clusters()...)
	for i := range s.All {
		out = append(out, schedule.KeyOf(&s.All[i]))
	}
	return out
}

// Spec returns a cluster's spec, nil for none.
func (s *Clusters) Spec(key schedule.ClusterKey) *v1.SIPCluster {
	for i := range s.All {
		if c := &s.All[i]; schedule.KeyOf(c) == key {
			return c
		}
	}
	return nil
}

// has reports whether a cluster has a spec.
func (s *Clusters) has(key schedule.ClusterKey) bool { return s.Spec(key) != nil }

// faultOf returns a finding about a cluster as a whole.
func faultOf(key schedule.ClusterKey, code, message string) finding.Finding {
	return finding.FromError(code, finding.To(v1.Kind, key.Namespace, key.Name), errors.New(message))
}

// fieldFault returns a finding about a field of a cluster's spec.
func fieldFault(c *v1.SIPCluster, code, path, message string) finding.Finding {
	return finding.FromError(code, finding.To(v1.Kind, c.Namespace, c.Name), c.Problem(path, "%s", message))
}

// freeze records why a cluster is frozen: the first reasons for the plan, and the number of the others.
func (s *Clusters) freeze(key schedule.ClusterKey, found finding.Finding) {
	found.Place.Written = cmp.Or(found.Place.Written, s.Files[key.String()])
	s.Findings = append(s.Findings, found)
	s.blamed[specField{key, found.Field}] = true
	s.reasons[key]++
	const most = validation.MaxProblems + 1 // the last of a spec's own counts the others
	if more := s.reasons[key] - most; more > 0 {
		s.Frozen[key] = append(s.Frozen[key][:most], finding.Finding{Message: text.MoreProblems(more)})
		return
	}
	s.Frozen[key] = append(s.Frozen[key], found)
}

// refused returns the reasons as they may be in the tree.
func (s *Clusters) refused() map[schedule.ClusterKey][]string {
	out := map[schedule.ClusterKey][]string{}
	for key, reasons := range s.Frozen {
		for _, r := range reasons {
			out[key] = append(out[key], r.InTree())
		}
	}
	return out
}

// IsFrozen returns the frozen clusters.
func (s *Clusters) IsFrozen() map[schedule.ClusterKey]bool {
	out := map[schedule.ClusterKey]bool{}
	for key := range s.Frozen {
		out[key] = true
	}
	return out
}

// Unplaceable returns the frozen clusters whose specs say nothing sound of their hosts, with the reasons: they are
// missing, or invalid elsewhere than in services, patches and annotations.
func (s *Clusters) Unplaceable() map[schedule.ClusterKey][]string {
	out := map[schedule.ClusterKey][]string{}
	for key := range s.Frozen {
		if c := s.Spec(key); c == nil || c.Document == nil {
			out[key] = s.Options.Refused[key]
		}
	}
	for i := range s.Problems {
		p, key := &s.Problems[i], s.Problems[i].Key()
		isIn := func(part string) bool { return strings.HasPrefix(p.Field, part) }
		if p.Code == finding.Invalid && len(s.Frozen[key]) > 0 &&
			!slices.ContainsFunc([]string{"spec.services", "spec.patches", "metadata.annotations"}, isIn) {
			out[key] = s.Options.Refused[key]
		}
	}
	return out
}

// HasProblem reports whether a problem of one of the codes is known of a cluster.
func (s *Clusters) HasProblem(cluster schedule.ClusterKey, code string) bool {
	return slices.ContainsFunc(s.Problems, func(p Problem) bool { return p.Key() == cluster && p.Code == code })
}
