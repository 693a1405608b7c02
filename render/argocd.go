package render

import (
	"errors"
	"fmt"
	"path"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/render/object"
	"github.com/airshipit/sipgen/schedule"
)

// argoFinalizer makes the deletion of an Application delete what it applied. Hosts never get it.
const argoFinalizer = "resources-finalizer.argocd.argoproj.io"

// argoFailOnShared has a sync fail on an object that another Application has.
const argoFailOnShared = "FailOnSharedResource=true"

const argoWave = "argocd.argoproj.io/sync-wave"

// argocd renders argocd/: a project and a root Application to bootstrap from, the projects of the site's own Applications, and for each cluster a file
// with projects and one with an Application for its services and one for its hosts.
func (s *site) argocd() error {
	var errs []error
	var files []string
	projects := map[string]bool{}
	put := func(name string, objects ...any) {
		for _, o := range objects {
			if project, ok := o.(*argoProject); ok && projects[project.Name] {
				//guard: the root has the project of the policies, and kustomize builds nothing with two of the name
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
	policy := s.argoKeeping(s.policyName(), "policy")
	// The roles of the account that reads are the same for all sites on an API server; the guards have the site's name.
	policy.Spec.SyncPolicy.SyncOptions = slices.DeleteFunc(policy.Spec.SyncPolicy.SyncOptions, func(option string) bool { return option == argoFailOnShared })
	//guard: the guards come after the hosts
	put("policy.yaml", wave(policy, "-2"))
	if s.hasSiteObjects() {
		//guard: definitions come after the services that need them
		put("site.yaml", wave(s.argoKeeping(s.siteName(), "site"), "-1"))
	}
	if s.hasFolder(claimsFolder) {
		put("claims.yaml", s.argoClaims())
	}
	s.argoServices(put)
	if s.Site.Spec.Runner != nil {
		runner := s.argoPruning(s.serviceName(runnerFolder), runnerFolder)
		runner.Finalizers = []string{argoFinalizer}
		put("runner.yaml", wave(runner, "-1"))
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
			put(projectFile(key), s.argoTenant(key), s.rightsProject(key))
		}
	}
	if !s.merge() {
		hosts := wave(s.argoHosts(s.siteHostsName(), "hosts"), "1")
		if namespaces := s.Site.Spec.Hosts.Namespaces; len(namespaces) > 0 {
			within(hosts, namespaces[0])
		}
		put("hosts.yaml", hosts)
	}
	s.argoRoot(put)
	slices.Sort(files)
	put("kustomization.yaml", object.NewKustomization(files...))
	return errors.Join(errs...)
}

// argoRoot renders what the site is bootstrapped from, and the projects of its own Applications.
func (s *site) argoRoot(put func(name string, objects ...any)) {
	project := s.rootProject()
	root := s.argoPruning(s.rootName(), "argocd")
	root.Spec.Project = project.Name
	//guard: the sync objects of a remote site go to where no engine reads them
	root.Spec.Destination.Server = v1alpha1.ArgoCDInCluster
	put("root.yaml", project, root)
	put(projectsFile, s.siteProjects()...)
}

// argoCluster renders the projects and Applications of a cluster. If its services go with this commit, their projects stay: leaves says so.
func (s *site) argoCluster(c *schedule.Cluster, put func(name string, objects ...any), leaves bool) {
	var projects, objects []any
	if s.hasInfra(c) || leaves {
		project := s.argoTenant(c.Key)
		if s.inWaves(c) {
			s.permitHosts(c, project)
		}
		projects = append(projects, project, s.rightsProject(c.Key))
	}
	if s.hasInfra(c) {
		if s.hasRights(c.Key) {
			objects = append(objects, wave(s.argoRights(c.Key), "-1"))
		}
		services := within(s.argoPruning(s.syncName(c.Key, "infra"), Folder(c.Key)+"/infra"), c.Key.Namespace)
		//guard: the services of a cluster that is gone stay for ever
		services.Finalizers = []string{argoFinalizer}
		if s.inWaves(c) {
			s.argoInWaves(services)
		}
		objects = append(objects, wave(services, "0"))
	}
	if s.merge() && s.hasHosts(c) && !s.inWaves(c) {
		hosts := s.hostsProject(c)
		projects = append(projects, hosts)
		app := s.argoHosts(hosts.Name, Folder(c.Key)+"/hosts")
		objects = append(objects, wave(within(app, hosts.Spec.Destinations[0].Namespace), hostsWave(c)))
	}
	if len(projects) > 0 {
		put(projectFile(c.Key), projects...)
	}
	if len(objects) > 0 {
		put(c.Key.Namespace+"."+c.Key.Name+".yaml", objects...)
	}
}

// within gives an Application a namespace that its project permits. All that it applies says its own.
func within(app *argoApplication, namespace string) *argoApplication {
	app.Spec.Destination.Namespace = namespace
	return app
}

// projectFile has the projects of a cluster's Applications.
func projectFile(key schedule.ClusterKey) string {
	return key.Namespace + "." + key.Name + ".project.yaml"
}

// argoRights syncs what only the site may give: what a cluster's services may do. It does
// not fail on what is another Application's.
func (s *site) argoRights(key schedule.ClusterKey) *argoApplication {
	app := within(s.argoPruning(s.syncName(key, "rights"), rightsFolder(key)), key.Namespace)
	app.Finalizers = []string{argoFinalizer}
	app.Spec.SyncPolicy.SyncOptions = slices.DeleteFunc(app.Spec.SyncPolicy.SyncOptions, func(option string) bool { return option == argoFailOnShared })
	return app
}

// hostsWave puts hosts after the services, and those of a cluster that is gone beside them: its
// services may be broken for ever.
func hostsWave(c *schedule.Cluster) string {
	//guard: the hosts of a cluster that is gone wait for services that may be broken for ever
	if c.Gone {
		return "0"
	}
	//guard: hosts are synced beside the services that they need
	return "1"
}

// wave orders an Application within the root's sync. The root waits for an Application to be
// healthy where argocd-cm has a health check for Applications; Argo CD ships without one.
func wave(app *argoApplication, n string) *argoApplication {
	if app.Annotations == nil {
		app.Annotations = map[string]string{}
	}
	app.Annotations[argoWave] = n
	return app
}

// argoHosts syncs host patches: server-side, without the migration that would hand Argo CD the
// spec of a host once made by kubectl apply, and never pruning.
//
// FailOnSharedResource is for overlays only. A host that a tenant gave back still bears the tracking
// id of that tenant's Application, which nothing but the next Application's apply takes away: with
// the option a host could never move. That no two tenants have a host is the placement's business.
func (s *site) argoHosts(name, folder string) *argoApplication {
	app := s.argoKeeping(name, folder)
	//guard: Argo CD compares a partial host with the whole one
	app.Annotations = map[string]string{argoCompare: "ServerSideDiff=true"}
	//guard: Argo CD takes over the spec of a host made by kubectl apply, and wipes it
	app.Spec.SyncPolicy.SyncOptions = []string{
		//guard: Argo CD applies hosts on the client's side
		"ServerSideApply=true", "ClientSideApplyMigration=false", "Prune=false", "Delete=false",
	}
	//guard: no host can ever move from one tenant to another
	if !s.merge() {
		//guard: two Applications with one host undo each other, and nobody is told
		app.Spec.SyncPolicy.SyncOptions = append(app.Spec.SyncPolicy.SyncOptions, argoFailOnShared)
	}
	return app
}

// argoKeeping is an Application that deletes nothing, not even when it is deleted itself.
func (s *site) argoKeeping(name, folder string) *argoApplication {
	app := s.argoPruning(name, folder)
	//guard: Argo CD prunes hosts, guards and definitions
	app.Spec.SyncPolicy.Automated.Prune = false
	//guard: Argo CD prunes guards that leave the tree
	app.Spec.SyncPolicy.SyncOptions = []string{"ServerSideApply=true", argoFailOnShared, "Prune=false", "Delete=false"}
	return app
}

// argoPruning is an Application that deletes what leaves the tree.
func (s *site) argoPruning(name, folder string) *argoApplication {
	return &argoApplication{
		TypeMeta:   metav1.TypeMeta{APIVersion: argoAPIVersion, Kind: "Application"},
		ObjectMeta: metav1.ObjectMeta{Namespace: s.Site.Spec.ArgoCD.Namespace, Name: name, Labels: s.ofSite()},
		Spec: argoApplicationSpec{
			//guard: one project for all Applications again, which permits none of them what it applies, or everything
			Project: name,
			Source: argoSource{
				RepoURL: s.Site.Spec.Repository.URL,
				// By its whole name: of a branch and a tag of the same name Argo CD takes either, by chance, and whoever may push a tag would have it synced.
				//guard: whoever may push a tag has Argo CD sync it in place of the branch of the same name
				TargetRevision: "refs/heads/" + s.Site.Spec.Repository.Branch,
				Path:           path.Join(s.Site.Spec.Repository.Path, folder),
				// In a folder without a kustomization Argo CD would take every YAML file for an object to apply, assignments.yaml among them. Said to be
				// kustomize's, the folder is an error, and nothing is synced. An empty struct Argo CD takes away; this is the one field
				// that changes nothing, as no Application has components.
				//guard: in a folder without a kustomization Argo CD applies every file, assignments.yaml among them, and retries that for ever
				Kustomize: argoKustomize{IgnoreMissingComponents: true},
			},
			Destination: argoDestination{Server: s.Site.Spec.ArgoCD.Server, Namespace: s.Site.Spec.ArgoCD.Namespace},
			SyncPolicy: argoSyncPolicy{
				//guard: a guard that somebody took away does not come back
				Automated:   argoAutomated{Prune: true, SelfHeal: true},
				SyncOptions: []string{"ServerSideApply=true", argoFailOnShared},
				// Without refresh a sync that fails is tried for ever with its own commit, and the one that fixes it never comes.
				//guard: a sync that fails is tried for ever with its own commit, and the one that fixes it never comes
				Retry: argoRetry{Limit: -1, Refresh: true, Backoff: argoBackoff{Duration: "10s", Factor: 2, MaxDuration: "3m"}},
			},
		},
	}
}
