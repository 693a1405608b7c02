package main

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/internal/overlay"
	"github.com/airshipit/sipgen/internal/tenancy"
	"github.com/airshipit/sipgen/render"
	"github.com/airshipit/sipgen/schedule"
)

// checkQuotas reports the clusters whose services do not fit into the quota that the Site gives their namespace. was are the services in the tree
// before, is those in this one, nil where there is none: what stays as it was takes its part, too. heavy are those that are refused
// for what their patches have to do: they are not built.
func (c *checked) checkQuotas(services []render.Services, was, is map[string]map[string][]byte, heavy map[string]bool) []error {
	var errs []error
	clusters := map[string]bool{}
	var usages []tenancy.Usage
	for _, s := range services {
		key := s.Cluster.Key()
		clusters[key] = true
		//guard: what is refused for its work is built to count its pods
		if heavy[key] || !c.tenants.Bounded(s.Cluster.Namespace) {
			continue
		}
		wants, wrong := c.use(s.Cluster.Namespace, s.Files)
		for _, err := range wrong {
			errs = append(errs, &render.ClusterError{Cluster: keyOf(s.Cluster), Err: fmt.Errorf("%s: %w", key, err)})
		}
		if len(wrong) == 0 && wants != nil {
			has, _ := c.use(s.Cluster.Namespace, was[key])
			usages = append(usages, tenancy.Usage{Cluster: *s.Cluster, Wants: wants, Has: has})
		}
	}
	for _, key := range slices.Sorted(maps.Keys(is)) {
		namespace, name, _ := strings.Cut(key, "/")
		if clusters[key] || !c.tenants.Bounded(namespace) {
			continue
		}
		kept := v1.SIPCluster{}
		kept.Namespace, kept.Name = namespace, name
		has, _ := c.use(namespace, is[key])
		usages = append(usages, tenancy.Usage{Cluster: kept, Has: has})
	}
	for _, e := range c.tenants.Quota(usages) {
		errs = append(errs, &render.ClusterError{
			Cluster: schedule.ClusterKey{Namespace: e.Cluster.Namespace, Name: e.Cluster.Name}, Err: e.Cluster.Problem(e.Path, "%s", e.Message),
		})
	}
	return errs
}

// use is what the services in some files take, once a run for those that are the same. nil: there are none, or they cannot be built, which is
// said elsewhere; a tree may have been edited.
func (c *checked) use(namespace string, files map[string][]byte) (corev1.ResourceList, []error) {
	if files == nil {
		return nil, nil
	}
	return c.used(namespace, files, func() ([]overlay.Object, error) {
		built, err := buildServices(files)
		return built.Objects, err
	})
}

// used is use of files that build gives the objects of, if nobody asked for it before.
func (c *checked) used(namespace string, files map[string][]byte, build func() ([]overlay.Object, error)) (corev1.ResourceList, []error) {
	of := &v1.SIPCluster{}
	of.Namespace = namespace
	id := identity(render.Services{Cluster: of, Files: files})
	found, done := c.built.used[id]
	if !done {
		if built, err := build(); err == nil {
			found.list, found.wrong = c.tenants.Use(namespace, built)
		}
		if c.built.used == nil {
			c.built.used = map[[sha256.Size]byte]serviceUse{}
		}
		c.built.used[id] = found
	}
	return found.list, found.wrong
}

// serviceUse is what services take, and what would be refused of them whatever else there is.
type serviceUse struct {
	list  corev1.ResourceList
	wrong []error
}
