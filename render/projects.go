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
	"github.com/airshipit/sipgen/render/argocd"
	"github.com/airshipit/sipgen/render/infra"
	"github.com/airshipit/sipgen/render/site/ironic"
	"github.com/airshipit/sipgen/render/site/networks"
	"github.com/airshipit/sipgen/render/site/placement"
	"github.com/airshipit/sipgen/render/site/runner"
	"github.com/airshipit/sipgen/render/site/virtualhosts"
	"github.com/airshipit/sipgen/schedule"
)

const (
	// projectsFile has the projects of the site's own Applications.
	projectsFile = "projects.yaml"
	// claimsFile and runnerFile have the sync objects of these folders.
	claimsFile = "claims.yaml"
	runnerFile = "runner.yaml"
)

func guardKinds() []metav1.GroupKind {
	return argocd.Kinds(admissionv1.GroupName, "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding")
}

// ofSite returns the label by which people find a site's accounts.
func (s *rendering) ofSite() map[string]string {
	return map[string]string{inventory.SiteLabel: s.Site.Name}
}

// meta returns the metadata of an object with that label.
func (s *rendering) meta(namespace, name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: s.ofSite()}
}

// rootProject returns the root's: sync objects, where Argo CD is.
func (s *rendering) rootProject() *argocd.Project {
	project := argocd.NewProject(s.Site, s.Site.Spec.ArgoCD.Project, "Applications of site "+s.Site.Name, nil, nil,
		argocd.Kinds("argoproj.io", "AppProject", "Application"))
	project.Spec.Destinations = []argocd.Destination{{Server: v1alpha1.ArgoCDInCluster,
		Namespace: s.Site.Spec.ArgoCD.Namespace}}
	return project
}

// synced reports whether the tree has a file of argocd/, or had it: Argo CD deletes nothing of an Application whose
// project is gone, so the project of one that deletes what it applied stays for one more commit.
func (s *rendering) synced(file string) bool {
	_, there := s.tree["argocd/"+file]
	_, was := s.Previous["argocd/"+file]
	return there || was
}

// siteProjects returns those of the site's own Applications.
func (s *rendering) siteProjects() []any {
	engine := s.Site.Spec.ArgoCD.Namespace
	service := func(name, folder string, namespaced ...metav1.GroupKind) any {
		return argocd.NewProject(s.Site, name, "What is in "+folder+" of site "+s.Site.Name, s.namespacesOf(folder), nil,
			namespaced)
	}
	projects := []any{
		argocd.NewProject(s.Site, s.policyName(), "Guards and accounts of site "+s.Site.Name,
			append(s.namespacesOf("policy"), engine), append(guardKinds(),
				argocd.Kinds(rbacv1.GroupName, "ClusterRole", "ClusterRoleBinding")...),
			append(argocd.Kinds("", "ServiceAccount"), argocd.Kinds(rbacv1.GroupName, "RoleBinding")...)),
	}
	if s.hasSiteObjects() {
		projects = append(projects, argocd.NewProject(s.Site, s.siteName(),
			"What services of all clusters of site "+s.Site.Name+" need", []string{engine},
			append(guardKinds(), argocd.Kinds("apiextensions.k8s.io", "CustomResourceDefinition")...), nil))
	}
	if s.synced(claimsFile) {
		projects = append(projects, argocd.NewProject(s.Site, s.serviceName(claimsFolder),
			"Who may claim hosts of site "+s.Site.Name,
			append(s.namespacesOf(claimsFolder), s.Site.Spec.Hosts.Namespaces...), nil,
			argocd.Kinds("metal3.io", "HostDeployPolicy")))
	}
	if s.synced(runnerFile) {
		projects = append(projects, argocd.NewProject(s.Site, s.serviceName(runner.Folder),
			"sipgen's own runs of site "+s.Site.Name, []string{engine}, nil,
			append(argocd.Kinds("batch", "CronJob"), argocd.Kinds("networking.k8s.io", "NetworkPolicy")...)))
	}
	if s.hasFolder(networks.Folder) {
		projects = append(projects, service(s.serviceName("networks"), networks.Folder,
			append(argocd.Kinds("k8s.cni.cncf.io", "NetworkAttachmentDefinition"),
				argocd.Kinds("metallb.io", "IPAddressPool")...)...))
	}
	if s.hasFolder(placement.Folder) {
		projects = append(projects, service(s.serviceName("placement"), placement.Folder,
			argocd.Kinds("placement.openstack.org", "PlacementAPI")...))
	}
	if s.hasFolder(ironic.Folder) {
		projects = append(projects, service(s.ironicName(), ironic.Folder,
			append(append(argocd.Kinds("", "ConfigMap"), argocd.Kinds("ironic.metal3.io", "Ironic")...),
				argocd.Kinds("k8s.mariadb.com", "MariaDB", "Database", "User", "Grant")...)...))
	}
	for n := range s.Site.Spec.Services.VirtualHosts {
		v := &s.Site.Spec.Services.VirtualHosts[n]
		projects = append(projects, service(s.vinoName(v), virtualhosts.Folder(v),
			argocd.Kinds("airship.airshipit.org", "Vino")...))
	}
	if !s.merge() {
		// Operators write the hosts' base, with its namespaces, unless the Site lists the hosts' namespaces.
		namespaces := []string{argocd.Every}
		if len(s.Site.Spec.Hosts.Namespaces) > 0 {
			namespaces = s.Site.Spec.Hosts.Namespaces
		}
		projects = append(projects, argocd.NewProject(s.Site, s.siteHostsName(), "Hosts of site "+s.Site.Name, namespaces,
			nil, argocd.Kinds(argocd.Every, argocd.Every)))
	}
	return projects
}

// argoTenant returns the project of a cluster's services: what an overlay may have, in the cluster's namespace. What
// else is in the folder Argo CD does not apply, and what else is live it does not delete, though its own account may
// do everything.
func (s *rendering) argoTenant(key schedule.ClusterKey) *argocd.Project {
	var overlay []metav1.GroupKind
	for _, kind := range infra.OverlayKinds {
		overlay = append(overlay, metav1.GroupKind{Group: kind.Group, Kind: kind.Kind})
	}
	return argocd.NewProject(s.Site, s.syncName(key, "infra"), "Services of the tenant cluster "+key.String(),
		[]string{key.Namespace}, nil, overlay)
}

// tenantProjects returns the project of a cluster's services with that of its rights, where it has rights, or had them
// until this commit.
func (s *rendering) tenantProjects(key schedule.ClusterKey, services *argocd.Project) []any {
	_, synced := s.Previous["argocd/"+projectFile(key)]
	_, had := s.Previous[rightsFolder(key)+"/kustomization.yaml"]
	if !s.hasRights(key) && !(synced && had) {
		return []any{services}
	}
	return []any{services, s.rightsProject(key)}
}

// rightsProject returns that of a cluster's rights. They are where its hosts are, too: wherever the site has hosts,
// since rights that have to go may be where the cluster has none.
func (s *rendering) rightsProject(key schedule.ClusterKey) *argocd.Project {
	namespaces := append([]string{key.Namespace}, s.namespacesOf(rightsFolder(key))...)
	namespaces = append(namespaces, s.hostNamespaces()...)
	return argocd.NewProject(s.Site, s.syncName(key, "rights"),
		"Rights of the services of the tenant cluster "+key.String(), namespaces, nil,
		append(argocd.Kinds(rbacv1.GroupName, "Role", "RoleBinding"), argocd.Kinds("", "ResourceQuota", "LimitRange")...))
}

// hostsProject returns that of a cluster's hosts, where it has some. Nothing deletes them.
func (s *rendering) hostsProject(c *schedule.Cluster) *argocd.Project {
	var namespaces []string
	add := func(host *inventory.Host) {
		key := schedule.KeyOfHost(host)
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
	return argocd.NewProject(s.Site, s.syncName(c.Key, "hosts"),
		"Labels of the hosts of the tenant cluster "+c.Key.String(), namespaces, nil,
		argocd.Kinds("metal3.io", "BareMetalHost"))
}

// hostNamespaces returns the sorted namespaces of hosts: the Site's list, or those of the inventory without reserved
// ones.
func (s *rendering) hostNamespaces() []string {
	if s.hostsIn == nil {
		namespaces := slices.Clone(s.Site.Spec.Hosts.Namespaces)
		if len(namespaces) == 0 {
			for i := range s.Placement.Hosts {
				// Hosts are data from outside: one in kube-system must open that to nobody. A Site that has hosts in
				// such a namespace names it.
				if namespace := s.Placement.Hosts[i].Host.Namespace; s.Site.Reserved(namespace) == "" {
					namespaces = append(namespaces, namespace)
				}
			}
		}
		s.hostsIn = append([]string{}, slices.Compact(slices.Sorted(slices.Values(namespaces)))...)
	}
	return s.hostsIn
}

// namespacesOf returns the sorted namespaces of the objects in a folder that an Application applies, in this tree and
// in the previous one, whose objects are still to be deleted. A tree can be edited: an object in a reserved namespace
// does not open that namespace.
func (s *rendering) namespacesOf(folder string) []string {
	in := map[string]bool{}
	for before, tree := range []Tree{s.tree, s.Previous} {
		for name, content := range tree {
			file, inside := strings.CutPrefix(name, folder+"/")
			if !inside || strings.Contains(file, "/") || file == "kustomization.yaml" {
				continue
			}
			docs, _ := manifest.Parse(name, content)
			for i := range docs {
				if namespace := docs[i].Namespace; namespace != "" && (before == 0 || s.Site.Reserved(namespace) == "") {
					in[namespace] = true
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(in))
}
