package main

import (
	"crypto/sha256"
	"maps"
	"slices"
	"strings"
	"sync"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/internal/overlay"
	"github.com/airshipit/sipgen/internal/tenancy"
	"github.com/airshipit/sipgen/render"
	"github.com/airshipit/sipgen/schedule"
)

// podUses is what the services of all clusters take of their tenants' pods, by the specs: what patches make of it is known when the services are built
// (checkPods). kept are the clusters in the tree that have a spec, or hosts.
func (s *settled) podUses(l *loaded, tree render.Tree, kept []schedule.ClusterKey) []tenancy.PodUse {
	was := sync.OnceValue(func() map[string]map[string][]byte { return filesOfServices(tree) })
	has := func(key string) func() int { return func() int { return l.built.podsBefore(key, was()[key]) } }
	var uses []tenancy.PodUse
	for i := range s.clusters {
		c := &s.clusters[i]
		//guard: the pods of a cluster whose spec is wrong count nothing
		uses = append(uses, tenancy.PodUse{Cluster: c, Wants: tenancy.Pods(c), Stays: len(s.frozen[keyOf(c)]) > 0, Has: has(c.Key())})
	}
	for _, key := range kept {
		if !s.has(key) {
			uses = append(uses, tenancy.PodUse{Cluster: clusterNamed(key), Stays: true, Has: has(key.String())})
		}
	}
	return uses
}

func clusterNamed(key schedule.ClusterKey) *v1.SIPCluster {
	c := &v1.SIPCluster{}
	c.Namespace, c.Name = key.Namespace, key.Name
	return c
}

// checkPods reports the clusters whose services have more pods than their tenant may have, by what patches make of them. was and is are as in
// checkServices. Where there are no patches, the specs said all of it.
func (c *checked) checkPods(services []render.Services, was, is map[string]map[string][]byte) []error {
	if !slices.ContainsFunc(services, func(s render.Services) bool { return len(s.Cluster.Spec.Patches) > 0 }) {
		return nil
	}
	var errs []error
	for _, e := range c.tenants.MaxPods(c.podUses(services, was, is)) {
		errs = append(errs, &render.ClusterError{Cluster: keyOf(e.Cluster), Err: e.Cluster.Problem(e.Path, "%s", e.Message)})
	}
	return errs
}

// podUses is what services take of their tenants' pods: as many as they have by the spec, or by its patches if those are more.
func (c *checked) podUses(services []render.Services, was, is map[string]map[string][]byte) []tenancy.PodUse {
	has := func(key string) func() int { return func() int { return c.built.podsBefore(key, was[key]) } }
	var uses []tenancy.PodUse
	rendered := map[string]bool{}
	for _, s := range services {
		key := s.Cluster.Key()
		rendered[key] = true
		//guard: a patch makes more pods than the tenant may have
		uses = append(uses, tenancy.PodUse{Cluster: s.Cluster, Wants: max(tenancy.Pods(s.Cluster), c.built.pods[identity(s)]), Has: has(key)})
	}
	for _, key := range slices.Sorted(maps.Keys(is)) {
		if !rendered[key] {
			namespace, name, _ := strings.Cut(key, "/")
			uses = append(uses, tenancy.PodUse{Cluster: clusterNamed(schedule.ClusterKey{Namespace: namespace, Name: name}), Stays: true, Has: has(key)})
		}
	}
	return uses
}

// podsBefore is how many pods the services of a cluster have in the tree before. With patches they are built for that, if it is no more work than a tenant's
// patches may be: whoever can push may have put more there.
func (b *serviceBuilds) podsBefore(key string, files map[string][]byte) int {
	if files == nil {
		return 0
	}
	namespace, name, _ := strings.Cut(key, "/")
	id := identity(render.Services{Cluster: clusterNamed(schedule.ClusterKey{Namespace: namespace, Name: name}), Files: files})
	n, done := b.pods[id]
	if !done {
		n = tenancy.PodsIn(files)
		if folder, err := overlay.Parse(files); err == nil && len(folder.Kustomization.Patches) > 0 {
			if _, heavy := overlay.Weight(files, -1); heavy == nil {
				//guard: a smaller grant freezes a cluster whose pods come by a patch, though it asks for nothing new
				if built, err := folder.Built(); err == nil {
					n = max(n, tenancy.PodsOf(built.Objects))
				}
			}
		}
		b.notePods(id, n)
	}
	return n
}

func (b *serviceBuilds) notePods(id [sha256.Size]byte, n int) {
	if b.pods == nil {
		b.pods = map[[sha256.Size]byte]int{}
	}
	b.pods[id] = n
}
