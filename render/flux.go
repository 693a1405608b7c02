package render

import (
	"errors"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/airshipit/sipgen/render/flux"
	"github.com/airshipit/sipgen/render/object"
	"github.com/airshipit/sipgen/render/site/runner"
	"github.com/airshipit/sipgen/schedule"
)

// renderFlux renders flux/: a root to bootstrap from, and one file per cluster with a Kustomization
// for its services and one for its hosts.
func (s *rendering) renderFlux() error {
	var errs []error
	files := []string{"root.yaml", "policy.yaml"}
	put := func(name string, objects ...any) {
		content, err := object.Marshal(objects...)
		errs = append(errs, err)
		s.tree["flux/"+name] = s.once("flux/"+name, content)
	}
	put("root.yaml", flux.NewRepository(s.Site, s.rootName()), s.fluxRoot())
	if s.Site.Spec.Flux.ServiceAccountName != "" {
		put(rootAccountFile, s.rootAccount()...)
	}
	put("policy.yaml", flux.Keeping(s.Site, s.rootName(), s.policyName(), "policy"))
	var dependsOn []flux.Reference
	if s.hasSiteObjects() {
		files = append(files, "site.yaml")
		put("site.yaml", flux.Keeping(s.Site, s.rootName(), s.siteName(), "site"))
		dependsOn = append(dependsOn, flux.Reference{Name: s.siteName()})
	}
	if s.hasFolder(claimsFolder) {
		files = append(files, "claims.yaml")
		put("claims.yaml", s.fluxClaims())
	}
	files = append(files, s.fluxServices(put)...)
	if s.Site.Spec.Runner != nil {
		files = append(files, "runner.yaml")
		k := flux.Pruning(s.Site, s.rootName(), s.serviceName(runner.Folder), runner.Folder)
		k.Spec.DependsOn = []flux.Reference{{Name: s.policyName()}}
		put("runner.yaml", k)
	}
	for _, c := range s.clusters {
		var objects []any
		if s.hasInfra(c) {
			infra := flux.Pruning(s.Site, s.rootName(), s.syncName(c.Key, "infra"), Folder(c.Key)+"/infra")
			infra.Spec.Wait = true
			infra.Spec.Timeout = &metav1.Duration{Duration: s.Site.Spec.Flux.Interval.Duration / 2}
			infra.Spec.DependsOn = slices.Clone(dependsOn)
			if s.hasRights(c.Key) {
				rights := s.fluxRights(c.Key)
				// The account's role is in policy/.
				rights.Spec.DependsOn = append(slices.Clone(dependsOn), flux.Reference{Name: s.policyName()})
				infra.Spec.DependsOn = append(infra.Spec.DependsOn, flux.Reference{Name: rights.Name})
				objects = append(objects, rights)
			}
			infra.Spec.ServiceAccountName = infra.Name
			objects = append(objects, infra)
		}
		if s.merge() && s.hasHosts(c) {
			objects = append(objects, s.fluxHosts(c))
		}
		file := c.Key.Namespace + "." + c.Key.Name + ".yaml"
		if len(objects) > 0 {
			files = append(files, file)
			put(file, objects...)
		}
	}
	for _, key := range s.leftBehind() {
		file := key.Namespace + "." + key.Name + ".rights.yaml"
		files = append(files, file)
		put(file, s.fluxRights(key))
	}
	if !s.merge() {
		files = append(files, "hosts.yaml")
		hosts := flux.Keeping(s.Site, s.rootName(), s.siteHostsName(), "hosts")
		// Whole hosts are made by Flux itself.
		hosts.Spec.ServiceAccountName = ""
		hosts.Spec.DependsOn = []flux.Reference{{Name: s.policyName()}}
		put("hosts.yaml", hosts)
	}
	slices.Sort(files)
	put("kustomization.yaml", object.NewKustomization(files...))
	return errors.Join(errs...)
}

// fluxRoot deletes the sync objects of what leaves the tree. Deleted itself, it leaves them where they are, as Argo
// CD's does: with them would go every cluster's services, at once.
func (s *rendering) fluxRoot() *flux.Kustomization {
	root := flux.Pruning(s.Site, s.rootName(), s.rootName(), "flux")
	root.Spec.DeletionPolicy = flux.Orphan
	return root
}

// fluxRights syncs what only the site may give: the account of a cluster's overlay, and what the cluster's services
// may do.
func (s *rendering) fluxRights(key schedule.ClusterKey) *flux.Kustomization {
	return flux.Pruning(s.Site, s.rootName(), s.syncName(key, "rights"), rightsFolder(key))
}

// fluxHosts syncs a cluster's host patches. It can neither prune nor re-create a host, its deletion leaves the
// hosts alone, and it comes after the cluster's services, so that a host gets its labels only
// when what it will need is there. It does not wait: waiting on a host means waiting for
// "provisioned".
func (s *rendering) fluxHosts(c *schedule.Cluster) *flux.Kustomization {
	hosts := flux.Keeping(s.Site, s.rootName(), s.syncName(c.Key, "hosts"), Folder(c.Key)+"/hosts")
	hosts.Spec.ServiceAccountName = s.ownAccounts().hosts
	hosts.Spec.DependsOn = []flux.Reference{{Name: s.policyName()}}
	// Services of a cluster that is gone may be broken forever; its hosts are released all the same.
	if s.hasInfra(c) && !c.Gone {
		hosts.Spec.DependsOn = append(hosts.Spec.DependsOn, flux.Reference{Name: s.syncName(c.Key, "infra")})
	}
	return hosts
}
