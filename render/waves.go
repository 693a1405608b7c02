package render

import (
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/render/argocd"
	"github.com/airshipit/sipgen/render/object"
	"github.com/airshipit/sipgen/schedule"
)

// hostWave is that of hosts that a cluster has or gets, in its Application: after its services, which are in wave 0. A
// host that is being released is in wave 0, too: it waits for no service, and where its release is denied the services
// are applied all the same.
const hostWave = "1"

// inWaves reports whether a cluster's services and hosts are one Application, in which Argo CD applies hosts when the
// services are healthy. The services of a cluster that is gone may be broken forever: its hosts do not wait.
func (s *rendering) inWaves(c *schedule.Cluster) bool {
	return s.waves() && !c.Gone && s.hasInfra(c) && s.hasHosts(c) && s.isOfNamespace(c.Key)
}

func (s *rendering) waves() bool {
	return s.merge() && !s.fluxEngine() && s.Site.Spec.ArgoCD.Order == v1alpha1.OrderWaves
}

// isOfNamespace reports whether the name of a cluster's Application has its namespace, by which the guard finds its
// owner: a name that is too long is cut.
func (s *rendering) isOfNamespace(key schedule.ClusterKey) bool {
	return v1.IsInSyncNameOf(s.Site.InNames(), key.Namespace, key.Name)
}

// renderTenantFiles renders, for each cluster in waves, the kustomization of its services and hosts. One that was in
// waves keeps it for its services: a failed or waiting sync of its Application continues in that folder, see
// emptyFolders.
func (s *rendering) renderTenantFiles() error {
	for _, c := range s.clusters {
		file := Folder(c.Key) + "/kustomization.yaml"
		_, was := s.Previous[file]
		var k object.Kustomization
		switch {
		case s.inWaves(c):
			k = object.NewKustomization("hosts", "infra")
		case was && s.hasInfra(c):
			k = object.NewKustomization("infra")
		default:
			continue
		}
		content, err := object.Marshal(k)
		if err != nil {
			return err
		}
		s.tree[file] = content
	}
	return nil
}

// argoInWaves is the Application of a cluster's services that has its hosts, too. Its name is the same in both orders,
// so that nothing is created again when a site changes the order. It deletes services that leave the tree. The hosts'
// annotations keep it from deleting hosts, and the guards do where those are gone.
//
// FailOnSharedResource would keep a host from moving, see argocd.Hosts. The guard of tenants has the same rule for
// services.
func (s *rendering) argoInWaves(app *argocd.Application) {
	app.Spec.Source.Path = strings.TrimSuffix(app.Spec.Source.Path, "/infra")
	app.Spec.SyncPolicy.SyncOptions = []string{"ServerSideApply=true", "ClientSideApplyMigration=false"}
}

// permitHosts has a cluster's project permit the hosts that the cluster has, where they are.
func (s *rendering) permitHosts(c *schedule.Cluster, project *argocd.Project) {
	project.Spec.NamespaceResourceWhitelist = append(project.Spec.NamespaceResourceWhitelist,
		metav1.GroupKind{Group: "metal3.io", Kind: "BareMetalHost"})
	namespaces := map[string]bool{c.Key.Namespace: true}
	for i := range c.Roles {
		for _, a := range c.Roles[i].Assigned {
			namespaces[a.Host.Namespace] = true
		}
		for _, r := range c.Roles[i].Releasing {
			namespaces[r.Host.Namespace] = true
		}
	}
	project.Spec.Destinations = nil
	for namespace := range namespaces {
		project.Spec.Destinations = append(project.Spec.Destinations,
			argocd.Destination{Server: s.Site.Spec.ArgoCD.Server, Namespace: namespace})
	}
	slices.SortFunc(project.Spec.Destinations, func(a,
		b argocd.Destination) int {
		return strings.Compare(a.Namespace, b.Namespace)
	})
}
