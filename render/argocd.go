package render

import (
	"errors"
	"fmt"
	"slices"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/render/argocd"
	"github.com/airshipit/sipgen/render/object"
	"github.com/airshipit/sipgen/render/site/runner"
	"github.com/airshipit/sipgen/schedule"
)

// renderArgoCD renders argocd/: a project and a root Application to bootstrap from, the projects of the site's own
// Applications, and for each cluster a file with projects and one with an Application for its services and one for its
// hosts.
func (s *rendering) renderArgoCD() error {
	var errs []error
	var files []string
	projects := map[string]bool{}
	put := func(name string, objects ...any) {
		for _, o := range objects {
			if project, ok := o.(*argocd.Project); ok && projects[project.Name] {
				errs = append(errs, fmt.Errorf("spec.argocd.project: found %q, want another name: an Application of site %s has a project of this name", project.Name, s.Site.Name))
			} else if ok {
				projects[project.Name] = true
			}
		}
		content, err := object.Marshal(objects...)
		errs = append(errs, err)
		files = append(files, name)
		s.tree["argocd/"+name] = s.once("argocd/"+name, content)
	}
	policy := argocd.Keeping(s.Site, s.policyName(), "policy")
	// The roles of the account that reads are the same for all sites on an API server; the guards have the site's name.
	policy.Spec.SyncPolicy.SyncOptions = slices.DeleteFunc(policy.Spec.SyncPolicy.SyncOptions,
		func(option string) bool { return option == argocd.FailOnShared })
	put("policy.yaml", argocd.InWave(policy, "-2"))
	if s.hasSiteObjects() {
		put("site.yaml", argocd.InWave(argocd.Keeping(s.Site, s.siteName(), "site"), "-1"))
	}
	if s.hasFolder(claimsFolder) {
		put(claimsFile, s.argoClaims())
	}
	s.argoServices(put)
	if s.Site.Spec.Runner != nil {
		app := argocd.Pruning(s.Site, s.serviceName(runner.Folder), runner.Folder)
		app.Finalizers = []string{argocd.Finalizer}
		put(runnerFile, argocd.InWave(app, "-1"))
	}
	left, behind := map[schedule.ClusterKey]bool{}, s.leftBehind()
	for _, key := range behind {
		left[key] = true
	}
	for _, c := range s.clusters {
		s.argoCluster(c, put, left[c.Key])
		delete(left, c.Key)
	}
	for _, key := range behind {
		if left[key] {
			put(projectFile(key), s.tenantProjects(key, s.argoTenant(key))...)
		}
	}
	if !s.merge() {
		hosts := argocd.InWave(argocd.Hosts(s.Site, s.siteHostsName(), "hosts"), "1")
		if namespaces := s.Site.Spec.Hosts.Namespaces; len(namespaces) > 0 {
			argocd.Within(hosts, namespaces[0])
		}
		put("hosts.yaml", hosts)
	}
	s.argoRoot(put)
	slices.Sort(files)
	put("kustomization.yaml", object.NewKustomization(files...))
	return errors.Join(errs...)
}

// argoRoot renders what the site is bootstrapped from, and the projects of its own Applications.
func (s *rendering) argoRoot(put func(name string, objects ...any)) {
	project := s.rootProject()
	root := argocd.Pruning(s.Site, s.rootName(), "argocd")
	root.Spec.Project = project.Name
	root.Spec.Destination.Server = v1alpha1.ArgoCDInCluster
	put("root.yaml", project, root)
	put(projectsFile, s.siteProjects()...)
}

// argoCluster renders the projects and Applications of a cluster. leaves: its services are deleted with this commit,
// and their projects stay.
func (s *rendering) argoCluster(c *schedule.Cluster, put func(name string, objects ...any), leaves bool) {
	var projects, objects []any
	if s.hasInfra(c) || leaves {
		project := s.argoTenant(c.Key)
		if s.inWaves(c) {
			s.permitHosts(c, project)
		}
		projects = append(projects, s.tenantProjects(c.Key, project)...)
	}
	if s.hasInfra(c) {
		if s.hasRights(c.Key) {
			objects = append(objects, argocd.InWave(s.argoRights(c.Key), "-1"))
		}
		services := argocd.Within(argocd.Pruning(s.Site, s.syncName(c.Key, "infra"), Folder(c.Key)+"/infra"),
			c.Key.Namespace)
		services.Finalizers = []string{argocd.Finalizer}
		if s.inWaves(c) {
			s.argoInWaves(services)
		}
		objects = append(objects, argocd.InWave(services, "0"))
	}
	if s.merge() && s.hasHosts(c) && !s.inWaves(c) {
		hosts := s.hostsProject(c)
		projects = append(projects, hosts)
		app := argocd.Hosts(s.Site, hosts.Name, Folder(c.Key)+"/hosts")
		objects = append(objects, argocd.InWave(argocd.Within(app, hosts.Spec.Destinations[0].Namespace), hostsWave(c)))
	}
	if len(projects) > 0 {
		put(projectFile(c.Key), projects...)
	}
	if len(objects) > 0 {
		put(c.Key.Namespace+"."+c.Key.Name+".yaml", objects...)
	}
}

// projectFile has the projects of a cluster's Applications.
func projectFile(key schedule.ClusterKey) string {
	return key.Namespace + "." + key.Name + ".project.yaml"
}

// argoRights syncs what only the site may give: what a cluster's services may do. It does
// not fail on what is another Application's.
func (s *rendering) argoRights(key schedule.ClusterKey) *argocd.Application {
	app := argocd.Within(argocd.Pruning(s.Site, s.syncName(key, "rights"), rightsFolder(key)), key.Namespace)
	app.Finalizers = []string{argocd.Finalizer}
	app.Spec.SyncPolicy.SyncOptions = slices.DeleteFunc(app.Spec.SyncPolicy.SyncOptions,
		func(option string) bool { return option == argocd.FailOnShared })
	return app
}

// hostsWave puts hosts after the services, and those of a leaving cluster at the same time, because its services may
// be broken forever.
func hostsWave(c *schedule.Cluster) string {
	if c.Gone {
		return "0"
	}
	return "1"
}
