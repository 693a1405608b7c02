package flux

import (
	"path"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/inventory"
)

// maxPoll is the longest time between two looks at the repository: a commit is to be synced soon,
// however seldom drift is corrected.
const maxPoll = time.Minute

// Keeping returns a Kustomization that deletes nothing, not even when it is deleted itself.
func Keeping(site *v1alpha1.Site, source, name, folder string) *Kustomization {
	k := Pruning(site, source, name, folder)
	k.Spec.Prune = false
	k.Spec.DeletionPolicy = Orphan
	return k
}

// Pruning returns a Kustomization that deletes what leaves the tree, applied as the account that the Site names, or as
// Flux itself. source is the repository that it is in.
func Pruning(site *v1alpha1.Site, source, name, folder string) *Kustomization {
	return &Kustomization{
		TypeMeta: metav1.TypeMeta{APIVersion: kustomizationVersion, Kind: "Kustomization"},
		ObjectMeta: metav1.ObjectMeta{Namespace: site.Spec.Flux.Namespace, Name: name,
			Labels: inventory.LabelsOf(site.Name)},
		Spec: KustomizationSpec{
			Interval: *site.Spec.Flux.Interval,
			// An API server that was busy for a moment is no reason to wait as long as for drift.
			RetryInterval:      &metav1.Duration{Duration: min(site.Spec.Flux.Interval.Duration, maxPoll)},
			Path:               "./" + path.Join(site.Spec.Repository.Path, folder),
			Prune:              true,
			SourceRef:          Source{Kind: gitRepository, Name: source},
			ServiceAccountName: site.Spec.Flux.ServiceAccountName,
		},
	}
}

// NewRepository returns the repository of the site, as Flux reads it.
func NewRepository(site *v1alpha1.Site, name string) *Repository {
	repository := &Repository{
		TypeMeta: metav1.TypeMeta{APIVersion: sourceVersion, Kind: gitRepository},
		ObjectMeta: metav1.ObjectMeta{Namespace: site.Spec.Flux.Namespace, Name: name,
			Labels: inventory.LabelsOf(site.Name)},
		Spec: RepositorySpec{
			Interval:  metav1.Duration{Duration: min(site.Spec.Flux.Interval.Duration, maxPoll)},
			URL:       site.Spec.Repository.FluxURL(),
			Provider:  site.Spec.Flux.Provider,
			Reference: Branch{Branch: site.Spec.Repository.Branch},
		},
	}
	if name := site.Spec.Flux.SecretName; name != "" {
		repository.Spec.SecretRef = &Reference{Name: name}
	}
	return repository
}
