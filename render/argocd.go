package render

import (
	"errors"
	"path"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/render/infra"
	"github.com/airshipit/sipgen/render/object"
	"github.com/airshipit/sipgen/schedule"
)

// argoFinalizer makes the deletion of an Application delete what it applied. Hosts never get it.
const argoFinalizer = "resources-finalizer.argocd.argoproj.io"

// argoFailOnShared has a sync fail on an object that another Application has.
const argoFailOnShared = "FailOnSharedResource=true"

const argoWave = "argocd.argoproj.io/sync-wave"

// argocd renders argocd/: a project and a root Application to bootstrap from, and one file per
// cluster with an Application for its services and one for its hosts.
func (s *site) argocd() error {
	var errs []error
	files := []string{"root.yaml", "policy.yaml"}
	put := func(name string, objects ...any) {
		content, err := object.Marshal(objects...)
		errs = append(errs, err)
		s.tree["argocd/"+name] = s.once("argocd/"+name, content)
	}
	root := s.argoPruning(s.rootName(), "argocd")
	root.Spec.Destination.Server = v1alpha1.ArgoCDInCluster
	put("root.yaml", s.argoProject(), root)
	policy := s.argoKeeping(s.policyName(), "policy")
	// The roles of the account that reads are the same for all sites on an API server; the guards have the site's name.
	policy.Spec.SyncPolicy.SyncOptions = slices.DeleteFunc(policy.Spec.SyncPolicy.SyncOptions, func(option string) bool { return option == argoFailOnShared })
	put("policy.yaml", wave(policy, "-2"))
	if s.hasSiteObjects() {
		files = append(files, "site.yaml")
		put("site.yaml", wave(s.argoKeeping(s.siteName(), "site"), "-1"))
	}
	if s.hasFolder(claimsFolder) {
		files = append(files, "claims.yaml")
		put("claims.yaml", s.argoClaims())
	}
	files = append(files, s.argoServices(put)...)
	if s.Site.Spec.Runner != nil {
		files = append(files, "runner.yaml")
		runner := s.argoPruning(s.serviceName("runner"), runnerFolder)
		runner.Finalizers = []string{argoFinalizer}
		put("runner.yaml", wave(runner, "-1"))
	}
	for _, c := range s.clusters {
		var objects []any
		if s.hasInfra(c) {
			if s.hasRights(c.Key) {
				objects = append(objects, wave(s.argoRights(c.Key), "-1"))
			}
			services := s.argoPruning(s.syncName(c.Key, "infra"), Folder(c.Key)+"/infra")
			services.Finalizers = []string{argoFinalizer}
			files = append(files, projectFile(c.Key))
			project := s.argoTenant(c.Key)
			if s.ownAccount(c) {
				services.Spec.Project, services.Spec.Destination.Namespace = services.Name, c.Key.Namespace
			}
			if s.inWaves(c) {
				s.argoInWaves(services)
				s.permitHosts(c, project)
			}
			put(projectFile(c.Key), project)
			objects = append(objects, wave(services, "0"))
		}
		if s.merge() && s.hasHosts(c) && !s.inWaves(c) {
			objects = append(objects, wave(s.argoHosts(s.syncName(c.Key, "hosts"), Folder(c.Key)+"/hosts"), hostsWave(c)))
		}
		if len(objects) > 0 {
			file := c.Key.Namespace + "." + c.Key.Name + ".yaml"
			files = append(files, file)
			put(file, objects...)
		}
	}
	for _, key := range s.leftBehind() {
		files = append(files, projectFile(key))
		s.tree["argocd/"+projectFile(key)] = s.Previous["argocd/"+projectFile(key)]
	}
	if !s.merge() {
		files = append(files, "hosts.yaml")
		put("hosts.yaml", wave(s.argoHosts(s.siteHostsName(), "hosts"), "1"))
	}
	slices.Sort(files)
	put("kustomization.yaml", object.NewKustomization(files...))
	return errors.Join(errs...)
}

// projectFile has the project of a cluster's services.
func projectFile(key schedule.ClusterKey) string {
	return key.Namespace + "." + key.Name + ".project.yaml"
}

// argoTenant is the project of a cluster's services, and has the name of their Application: what an overlay may have, in the cluster's namespace.
// What else is in the folder Argo CD does not apply, and what else is live it does not delete, though its own account may do everything.
func (s *site) argoTenant(key schedule.ClusterKey) *argoProject {
	project := s.newProject(s.syncName(key, "infra"), "Services of the tenant cluster "+key.String())
	project.Annotations = map[string]string{argoWave: "-1"}
	project.Spec.Destinations = []argoDestination{{Server: s.Site.Spec.ArgoCD.Server, Namespace: key.Namespace}}
	project.Spec.ClusterResourceWhitelist = []metav1.GroupKind{}
	for _, kind := range infra.OverlayKinds {
		project.Spec.NamespaceResourceWhitelist = append(project.Spec.NamespaceResourceWhitelist, metav1.GroupKind{Group: kind.Group, Kind: kind.Kind})
	}
	return project
}

// argoRights syncs what only the site may give: what a cluster's services may do. It takes over what was among the services once, and so does
// not fail on what is another Application's.
func (s *site) argoRights(key schedule.ClusterKey) *argoApplication {
	app := s.argoPruning(s.syncName(key, "rights"), rightsFolder(key))
	app.Finalizers = []string{argoFinalizer}
	app.Spec.SyncPolicy.SyncOptions = slices.DeleteFunc(app.Spec.SyncPolicy.SyncOptions, func(option string) bool { return option == argoFailOnShared })
	return app
}

// hostsWave puts hosts after the services, and those of a cluster that is gone beside them: its
// services may be broken for ever.
func hostsWave(c *schedule.Cluster) string {
	if c.Gone {
		return "0"
	}
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
	app.Annotations = map[string]string{argoCompare: "ServerSideDiff=true"}
	app.Spec.SyncPolicy.SyncOptions = []string{
		"ServerSideApply=true", "ClientSideApplyMigration=false", "Prune=false", "Delete=false",
	}
	if !s.merge() {
		app.Spec.SyncPolicy.SyncOptions = append(app.Spec.SyncPolicy.SyncOptions, argoFailOnShared)
	}
	return app
}

// argoKeeping is an Application that deletes nothing, not even when it is deleted itself.
func (s *site) argoKeeping(name, folder string) *argoApplication {
	app := s.argoPruning(name, folder)
	app.Spec.SyncPolicy.Automated.Prune = false
	app.Spec.SyncPolicy.SyncOptions = []string{"ServerSideApply=true", argoFailOnShared, "Prune=false", "Delete=false"}
	return app
}

// argoPruning is an Application that deletes what leaves the tree.
func (s *site) argoPruning(name, folder string) *argoApplication {
	return &argoApplication{
		TypeMeta:   metav1.TypeMeta{APIVersion: argoAPIVersion, Kind: "Application"},
		ObjectMeta: metav1.ObjectMeta{Namespace: s.Site.Spec.ArgoCD.Namespace, Name: name, Labels: s.ofSite()},
		Spec: argoApplicationSpec{
			Project: s.Site.Spec.ArgoCD.Project,
			Source: argoSource{
				RepoURL:        s.Site.Spec.Repository.URL,
				TargetRevision: s.Site.Spec.Repository.Branch,
				Path:           path.Join(s.Site.Spec.Repository.Path, folder),
				// In a folder without a kustomization Argo CD would take every YAML file for an object to apply, assignments.yaml among them. Said to be
				// kustomize's, the folder is an error, and nothing is synced. An empty struct Argo CD takes away; this is the one field
				// that changes nothing, as no Application has components.
				Kustomize: argoKustomize{IgnoreMissingComponents: true},
			},
			Destination: argoDestination{Server: s.Site.Spec.ArgoCD.Server, Namespace: s.Site.Spec.ArgoCD.Namespace},
			SyncPolicy: argoSyncPolicy{
				Automated:   argoAutomated{Prune: true, SelfHeal: true},
				SyncOptions: []string{"ServerSideApply=true", argoFailOnShared},
				// Without refresh a sync that fails is tried for ever with its own commit, and the one that fixes it never comes.
				Retry: argoRetry{Limit: -1, Refresh: true, Backoff: argoBackoff{Duration: "10s", Factor: 2, MaxDuration: "3m"}},
			},
		},
	}
}

func (s *site) argoProject() *argoProject {
	argocd := s.Site.Spec.ArgoCD
	destinations := []argoDestination{{Server: argocd.Server, Namespace: "*"}}
	if argocd.Server != v1alpha1.ArgoCDInCluster {
		// The root's own objects, Applications and this project, stay where Argo CD is.
		destinations = append(destinations, argoDestination{Server: v1alpha1.ArgoCDInCluster, Namespace: argocd.Namespace})
	}
	project := s.newProject(argocd.Project, "Tenant clusters rendered by sipgen")
	project.Spec.Destinations = destinations
	project.Spec.ClusterResourceWhitelist = []metav1.GroupKind{
		{Group: "admissionregistration.k8s.io", Kind: "ValidatingAdmissionPolicy"},
		{Group: "admissionregistration.k8s.io", Kind: "ValidatingAdmissionPolicyBinding"},
		{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"},
		{Group: "rbac.authorization.k8s.io", Kind: "ClusterRole"},
		{Group: "rbac.authorization.k8s.io", Kind: "ClusterRoleBinding"},
	}
	project.Spec.NamespaceResourceWhitelist = []metav1.GroupKind{{Group: "*", Kind: "*"}}
	return project
}

// ofSite is the label by which people find all of a site's sync objects and accounts.
func (s *site) ofSite() map[string]string { return map[string]string{inventory.SiteLabel: s.Site.Name} }

// newProject permits nothing yet but the repository.
func (s *site) newProject(name, description string) *argoProject {
	return &argoProject{
		TypeMeta:   metav1.TypeMeta{APIVersion: argoAPIVersion, Kind: "AppProject"},
		ObjectMeta: metav1.ObjectMeta{Namespace: s.Site.Spec.ArgoCD.Namespace, Name: name, Labels: s.ofSite()},
		Spec:       argoProjectSpec{Description: description, SourceRepos: []string{s.Site.Spec.Repository.URL}},
	}
}
