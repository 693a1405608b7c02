package admit

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/internal/finding"
	"github.com/airshipit/sipgen/internal/holdings"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/schedule"
)

// stays reports whether a cluster that is to leave stays in this run. One that left before this run continues to
// leave, with or without its spec.
func (s *Clusters) stays(key schedule.ClusterKey, left bool) {
	if !left {
		delete(s.Leaving, key)
	}
	s.Options.Leaving[key] = false
}

// listed reports whether the Site's list lets a cluster leave.
func (s *Clusters) listed(key schedule.ClusterKey) bool {
	return slices.Contains(s.Site.Spec.Decommission, key.String())
}

// leave finds the leaving clusters: by their own objects, by the Site, or by the tree if their specs are gone.
func (s *Clusters) leave() {
	for i := range s.All {
		c := &s.All[i]
		if key := schedule.KeyOf(c); s.listed(key) {
			s.Options.Leaving[key] = true
		}
		if s.Options.Leaves(c) {
			s.Leaving[schedule.KeyOf(c)] = true
		}
	}
	for key := range s.Claims.Leaving {
		if !s.has(key) {
			s.Leaving[key] = true
		}
	}
	for _, name := range s.Site.Spec.Decommission {
		key := holdings.ClusterNamed(name)
		s.Leaving[key] = true
		if words := s.idleEntry(key); words != "" {
			s.Notes = append(s.Notes, fmt.Sprintf("spec.decommission: %s: %s", name, words))
		}
	}
}

// idleEntry returns why an entry of the Site's list decommissions nothing, "" if it does.
func (s *Clusters) idleEntry(key schedule.ClusterKey) string {
	switch {
	case s.Known[key]:
		return ""
	case s.has(key):
		return "the tree does not have this cluster, and it gets no hosts; remove the entry if it is to get hosts"
	}
	words, hint := "neither the specs nor the tree have this cluster", "; remove the entry"
	switch named, perhaps := s.leftOut(key); {
	case named:
		return "the tree does not have this cluster, and its spec is left out"
	case perhaps:
		words, hint = "the tree does not have this cluster, and its spec may be in a file that is left out", ""
	}
	var names []string
	for near := range s.Known { // a cluster that has left is no slip of another one: one part of the name is right
		if near.Namespace == key.Namespace && like(near.Name, key.Name) ||
			near.Name == key.Name && like(near.Namespace, key.Namespace) {
			names = append(names, near.String())
		}
	}
	slices.Sort(names)
	if near := manifest.Nearest(key.String(), names); near != "" {
		hint = fmt.Sprintf("%s; or did you mean %q?", hint, near)
	}
	return words + hint
}

func like(a, b string) bool { return manifest.Nearest(a, []string{b}) != "" }

// leftOut reports whether a spec that is left out names a cluster, or perhaps does: a tenant of the cluster's namespace
// writes the file, or more than one tenant does, and the file cannot be read.
func (s *Clusters) leftOut(key schedule.ClusterKey) (named, perhaps bool) {
	for i := range s.Problems {
		p := &s.Problems[i]
		named = named || p.Key() == key
		if author := s.Tenants.Author(p.Place.Written); p.Key() == (schedule.ClusterKey{}) {
			perhaps = perhaps || author == nil || author == s.Tenants.Of(key.Namespace)
		}
	}
	return named, perhaps
}

// freezeAbsent freezes the clusters of the tree without a spec: -f may name only some specs, and a file may be lost.
// absent are also those with a spec that cannot be decoded: nothing is known of its annotations and roles.
func (s *Clusters) freezeAbsent(known []schedule.ClusterKey) (absent map[schedule.ClusterKey]bool) {
	absent = map[schedule.ClusterKey]bool{}
	for _, key := range known {
		if s.has(key) || s.Leaving[key] {
			continue
		}
		absent[key] = true
		if len(s.Frozen[key]) > 0 {
			continue
		}
		why := fmt.Sprintf("its spec is not among the inputs: the cluster stays as it is; to decommission it, list %s "+
			"in the Site's spec.decommission", key)
		if named, perhaps := s.leftOut(key); named || perhaps {
			why = "its spec is not among the inputs, or in a file that is left out: the cluster stays as it is"
		}
		fault := faultOf(key, finding.Absent, why)
		if name := s.renamed(key); name != "" {
			fault.Hint = fmt.Sprintf("; if %s, which is new and asks for as many hosts, is the same cluster, "+
				"put the name back: hosts do not move to another name", name)
		}
		s.freeze(key, fault)
	}
	return absent
}

// renamed returns the only new cluster with as many hosts in each role as a cluster of the tree without a spec, "" if
// there is none.
func (s *Clusters) renamed(absent schedule.ClusterKey) string {
	type slots struct{ active, standby int }
	had, found := map[string]slots{}, ""
	for i := range s.Claims.Claims {
		if c := &s.Claims.Claims[i]; c.Cluster == absent && !c.Releasing {
			role := had[c.Role]
			if c.Standby {
				role.standby++
			} else {
				role.active++
			}
			had[c.Role] = role
		}
	}
	for i := range s.All {
		asks := map[string]slots{}
		for name, set := range s.All[i].Spec.Nodes {
			if active, standby := set.Want(); active+standby > 0 {
				asks[name] = slots{active, standby}
			}
		}
		if s.Known[schedule.KeyOf(&s.All[i])] || len(had) == 0 || !maps.Equal(asks, had) {
			continue
		}
		if found != "" {
			return ""
		}
		found = s.All[i].Key()
	}
	return found
}

// addMissing gives frozen clusters without a spec an empty one, because they are not gone.
func (s *Clusters) addMissing() {
	for _, key := range slices.SortedFunc(maps.Keys(s.Frozen),
		func(a, b schedule.ClusterKey) int { return strings.Compare(a.String(), b.String()) }) {
		if !s.has(key) {
			stub := v1.SIPCluster{Source: manifest.Place{File: key.String()}}
			stub.Namespace, stub.Name = key.Namespace, key.Name
			s.All = append(s.All, stub)
		}
	}
	slices.SortFunc(s.All, func(a, b v1.SIPCluster) int {
		return cmp.Or(strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Name, b.Name))
	})
}
