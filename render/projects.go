package render

import (
	"maps"
	"slices"
	"strings"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/render/infra"
	"github.com/airshipit/sipgen/render/site/ironic"
	"github.com/airshipit/sipgen/render/site/networks"
	"github.com/airshipit/sipgen/render/site/placement"
	"github.com/airshipit/sipgen/render/site/virtualhosts"
	"github.com/airshipit/sipgen/schedule"
)

const (
	// projectsFile has the projects of the site's own Applications.
	projectsFile = "projects.yaml"
	// projectWave is before every Application: in a project that is not there Argo CD syncs nothing, the root not either.
	projectWave = "-3"
	// argoPruneLast has a project leave after all Applications have left it.
	argoPruneLast = "PruneLast=true"
)

// every is every kind, or namespace.
const every = "*"

// kinds are kinds of one API group.
func kinds(group string, names ...string) []metav1.GroupKind {
	list := []metav1.GroupKind{}
	for _, name := range names {
		list = append(list, metav1.GroupKind{Group: group, Kind: name})
	}
	return list
}

func guardKinds() []metav1.GroupKind {
	return kinds(admissionv1.GroupName, "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding")
}

// ofSite is the label by which people find all of a site's sync objects and accounts.
func (s *site) ofSite() map[string]string { return map[string]string{inventory.SiteLabel: s.Site.Name} }

// newProject permits kinds in some namespaces and of those that are in none, from the site's repository. An Application has a project of its
// own, of the same name, that permits what is rendered into its folder.
func (s *site) newProject(name, description string, namespaces []string, cluster, namespaced []metav1.GroupKind) *argoProject {
	project := &argoProject{
		TypeMeta: metav1.TypeMeta{APIVersion: argoAPIVersion, Kind: "AppProject"},
		//guard: a branch that is put back takes the root's project away before the root has left it, and the root syncs nothing any more
		ObjectMeta: metav1.ObjectMeta{
			Namespace: s.Site.Spec.ArgoCD.Namespace, Name: name, Labels: s.ofSite(), Annotations: map[string]string{argoWave: projectWave, argoSync: argoPruneLast},
		},
		Spec: argoProjectSpec{
			Description: description, SourceRepos: []string{s.Site.Spec.Repository.URL}, Destinations: []argoDestination{},
			ClusterResourceWhitelist: cluster, NamespaceResourceWhitelist: namespaced,
		},
	}
	if len(cluster) == 0 {
		//guard(TestArgoRows/smuggled): Argo CD makes namespaces, webhooks and rights over everything, if somebody pushes them among a tenant's services
		project.Spec.ClusterResourceWhitelist = kinds("")
	}
	if len(namespaced) == 0 {
		// Where the list of permitted kinds is missing Argo CD permits all, and one that is empty may go missing.
		//guard: whoever writes a project anew and leaves the empty list out permits every kind in its namespaces
		project.Spec.NamespaceResourceWhitelist, project.Spec.NamespaceResourceBlacklist = kinds(""), kinds(every, every)
	}
	for _, namespace := range sorted(namespaces) {
		//guard: a project permits a namespace in which nothing is
		project.Spec.Destinations = append(project.Spec.Destinations, argoDestination{Server: s.Site.Spec.ArgoCD.Server, Namespace: namespace})
	}
	return project
}

// sorted are names in order, each once.
func sorted(names []string) []string {
	return slices.Compact(slices.Sorted(slices.Values(names)))
}

// rootProject is the root's: sync objects, where Argo CD is.
func (s *site) rootProject() *argoProject {
	project := s.newProject(s.Site.Spec.ArgoCD.Project, "Applications of site "+s.Site.Name, nil, nil, kinds("argoproj.io", "AppProject", "Application"))
	project.Spec.Destinations = []argoDestination{{Server: v1alpha1.ArgoCDInCluster, Namespace: s.Site.Spec.ArgoCD.Namespace}}
	return project
}

// siteProjects are those of the site's own Applications. The ones whose Applications delete what they applied are always there: Argo CD deletes nothing of
// an Application whose project is gone.
func (s *site) siteProjects() []any {
	engine := s.Site.Spec.ArgoCD.Namespace
	service := func(name, folder string, namespaced ...metav1.GroupKind) any {
		return s.newProject(name, "What is in "+folder+" of site "+s.Site.Name, s.namespacesOf(folder), nil, namespaced)
	}
	projects := []any{
		s.newProject(s.policyName(), "Guards and accounts of site "+s.Site.Name, append(s.namespacesOf("policy"), engine), append(guardKinds(), kinds(rbacv1.GroupName, "ClusterRole", "ClusterRoleBinding")...),
			append(kinds("", "ServiceAccount"), kinds(rbacv1.GroupName, "RoleBinding")...)),
		s.newProject(s.siteName(), "What services of all clusters of site "+s.Site.Name+" need", []string{engine},
			append(guardKinds(), kinds("apiextensions.k8s.io", "CustomResourceDefinition")...), nil),
		s.newProject(s.serviceName(claimsFolder), "Who may claim hosts of site "+s.Site.Name, append(s.namespacesOf(claimsFolder), s.Site.Spec.Hosts.Namespaces...), nil, kinds("metal3.io", "HostDeployPolicy")),
		s.newProject(s.serviceName(runnerFolder), "sipgen's own runs of site "+s.Site.Name, []string{engine}, nil,
			append(kinds("batch", "CronJob"), kinds("networking.k8s.io", "NetworkPolicy")...)),
	}
	if s.hasFolder(networks.Folder) {
		projects = append(projects, service(s.serviceName("networks"), networks.Folder, append(kinds("k8s.cni.cncf.io", "NetworkAttachmentDefinition"), kinds("metallb.io", "IPAddressPool")...)...))
	}
	if s.hasFolder(placement.Folder) {
		projects = append(projects, service(s.serviceName("placement"), placement.Folder, kinds("placement.openstack.org", "PlacementAPI")...))
	}
	if s.hasFolder(ironic.Folder) {
		projects = append(projects, service(s.ironicName(), ironic.Folder,
			append(append(kinds("", "ConfigMap"), kinds("ironic.metal3.io", "Ironic")...), kinds("k8s.mariadb.com", "MariaDB", "Database", "User", "Grant")...)...))
	}
	for n := range s.Site.Spec.Services.VirtualHosts {
		v := &s.Site.Spec.Services.VirtualHosts[n]
		projects = append(projects, service(s.vinoName(v), virtualhosts.Folder(v), kinds("airship.airshipit.org", "Vino")...))
	}
	if !s.merge() {
		// What is in the hosts' base is people's, and where it is, too, unless the Site says where its hosts are.
		namespaces := []string{every}
		if len(s.Site.Spec.Hosts.Namespaces) > 0 {
			namespaces = s.Site.Spec.Hosts.Namespaces
		}
		projects = append(projects, s.newProject(s.siteHostsName(), "Hosts of site "+s.Site.Name, namespaces, nil, kinds(every, every)))
	}
	return projects
}

// argoTenant is the project of a cluster's services: what an overlay may have, in the cluster's namespace. What else is in the folder Argo CD does not
// apply, and what else is live it does not delete, though its own account may do everything.
func (s *site) argoTenant(key schedule.ClusterKey) *argoProject {
	var overlay []metav1.GroupKind
	for _, kind := range infra.OverlayKinds {
		overlay = append(overlay, metav1.GroupKind{Group: kind.Group, Kind: kind.Kind})
	}
	//guard: Argo CD makes a tenant's services in other namespaces
	return s.newProject(s.syncName(key, "infra"), "Services of the tenant cluster "+key.String(), []string{key.Namespace}, nil, overlay)
}

// rightsProject is that of a cluster's rights. They are where its hosts are, too: wherever the site has hosts, since rights that have to go
// may be where the cluster has none any more.
func (s *site) rightsProject(key schedule.ClusterKey) *argoProject {
	namespaces := append([]string{key.Namespace}, s.namespacesOf(rightsFolder(key))...)
	//guard: rights over hosts of a namespace that the cluster has left stay for ever: no project permits to delete them
	namespaces = append(namespaces, s.hostNamespaces()...)
	return s.newProject(s.syncName(key, "rights"), "Rights of the services of the tenant cluster "+key.String(), namespaces, nil,
		append(kinds(rbacv1.GroupName, "Role", "RoleBinding"), kinds("", "ResourceQuota", "LimitRange")...))
}

// hostsProject is that of a cluster's hosts, where it has some. Nothing deletes them.
func (s *site) hostsProject(c *schedule.Cluster) *argoProject {
	var namespaces []string
	add := func(host *inventory.Host) {
		key := schedule.HostKey{Namespace: host.Namespace, Name: host.Name}
		if _, patched := s.tree[Folder(c.Key)+"/hosts/"+HostFile(key)]; patched {
			namespaces = append(namespaces, host.Namespace)
		}
	}
	for i := range c.Roles {
		for _, a := range c.Roles[i].Assigned {
			add(a.Host)
		}
		for _, r := range c.Roles[i].Releasing {
			add(r.Host)
		}
	}
	//guard: rights that somebody pushes among a cluster's hosts are given, beside the hosts' Secrets
	return s.newProject(s.syncName(c.Key, "hosts"), "Labels of the hosts of the tenant cluster "+c.Key.String(), namespaces, nil, kinds("metal3.io", "BareMetalHost"))
}

// hostNamespaces are where the site has hosts: where it says so, or where the inventory has some, but for reserved namespaces. Sorted.
func (s *site) hostNamespaces() []string {
	if s.hostsIn == nil {
		namespaces := slices.Clone(s.Site.Spec.Hosts.Namespaces)
		if len(namespaces) == 0 {
			for i := range s.Placement.Hosts {
				// Hosts are data from outside: one in kube-system must open that to nobody. A Site that has hosts in such a namespace names it.
				//guard: a host in kube-system makes the Secrets there readable, and has Argo CD give rights there
				if namespace := s.Placement.Hosts[i].Host.Namespace; s.Site.Reserved(namespace) == "" {
					namespaces = append(namespaces, namespace)
				}
			}
		}
		s.hostsIn = append([]string{}, sorted(namespaces)...)
	}
	return s.hostsIn
}

// namespacesOf are the namespaces of the objects in a folder that an Application applies, in this tree and in the one before: what left it is still to be
// deleted. A tree can be edited by whoever can push: one that has an object in a reserved namespace opens that to nobody. Sorted.
func (s *site) namespacesOf(folder string) []string {
	in := map[string]bool{}
	for before, tree := range []Tree{s.tree, s.Previous} {
		for name, content := range tree {
			file, inside := strings.CutPrefix(name, folder+"/")
			if !inside || strings.Contains(file, "/") || file == "kustomization.yaml" {
				continue
			}
			docs, _ := manifest.Parse(name, content)
			for i := range docs {
				//guard: whoever can push writes a namespace of Kubernetes into the tree, and the next commit gives rights there
				if namespace := docs[i].Namespace; namespace != "" && (before == 0 || s.Site.Reserved(namespace) == "") {
					in[namespace] = true
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(in))
}
