package argocd

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/inventory"
)

const (
	// projectWave is before every Application: in a project that is not there Argo CD syncs nothing, the root not
	// either.
	projectWave = "-3"
	// pruneLast has a project leave after all Applications have left it.
	pruneLast = "PruneLast=true"
)

// Every is every kind, or namespace.
const Every = "*"

// Kinds returns kinds of one API group.
func Kinds(group string, names ...string) []metav1.GroupKind {
	list := []metav1.GroupKind{}
	for _, name := range names {
		list = append(list, metav1.GroupKind{Group: group, Kind: name})
	}
	return list
}

// NewProject permits kinds in some namespaces and of those that are in none, from the site's repository. An
// Application has a project of its own, of the same name, that permits what is rendered into its folder.
func NewProject(site *v1alpha1.Site, name, description string, namespaces []string,
	cluster, namespaced []metav1.GroupKind) *Project {
	project := &Project{
		TypeMeta: metav1.TypeMeta{APIVersion: apiVersion, Kind: "AppProject"},
		ObjectMeta: metav1.ObjectMeta{
			Namespace: site.Spec.ArgoCD.Namespace, Name: name, Labels: inventory.LabelsOf(site.Name),
			Annotations: map[string]string{Wave: projectWave, SyncOptions: pruneLast + "," + staysWithoutRoot},
		},
		Spec: ProjectSpec{
			Description: description, SourceRepos: []string{site.Spec.Repository.URL}, Destinations: []Destination{},
			ClusterResourceWhitelist: cluster, NamespaceResourceWhitelist: namespaced,
		},
	}
	if len(cluster) == 0 {
		project.Spec.ClusterResourceWhitelist = Kinds("")
	}
	if len(namespaced) == 0 {
		// Where the list of permitted kinds is missing Argo CD permits all, and one that is empty may go missing.
		project.Spec.NamespaceResourceWhitelist, project.Spec.NamespaceResourceBlacklist = Kinds(""), Kinds(Every, Every)
	}
	for _, namespace := range slices.Compact(slices.Sorted(slices.Values(namespaces))) {
		project.Spec.Destinations = append(project.Spec.Destinations,
			Destination{Server: site.Spec.ArgoCD.Server, Namespace: namespace})
	}
	return project
}
