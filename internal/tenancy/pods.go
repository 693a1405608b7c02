package tenancy

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/internal/overlay"
	"github.com/airshipit/sipgen/internal/text"
)

// PodUse is what the services of a cluster take of maxPods.
type PodUse struct {
	Cluster *v1.SIPCluster
	// Wants is how many pods they are to have.
	Wants int
	// Stays: they are to stay as the tree has them, whatever Wants says.
	Stays bool
	// Has is how many pods they have in the tree. It is asked only where that decides.
	Has func() int
}

// Pods is how many pods the services of a cluster ask for by its spec: their replicas. A service without pods counts as one, because it has all else
// that services have.
func Pods(c *v1.SIPCluster) int {
	sum := 0
	for _, e := range c.Entries() {
		//guard: a tenant fills the tree with services that have no pods
		sum += max(1, int(e.Replicas))
	}
	return sum
}

// PodsOf is how many pods services have as they are built, counted as by Pods. One that cannot be read counts as one pod.
func PodsOf(built []overlay.Object) int {
	sum := 0
	for i := range built {
		if built[i].Kind != "Deployment" {
			continue
		}
		replicas := int32(1) // the API server's default
		var d appsv1.Deployment
		if text, err := json.Marshal(built[i].Fields); err == nil && json.Unmarshal(text, &d) == nil && d.Spec.Replicas != nil {
			replicas = *d.Spec.Replicas
		}
		sum += max(1, int(replicas))
	}
	return sum
}

// MaxPods reports the clusters whose services ask for more pods than their tenant may have. What a cluster has it keeps: only clusters that ask for more
// than they have are complained about. Those that have services come first, then the higher priority, then the name: the newcomer goes without.
func (t *Tenants) MaxPods(uses []PodUse) []v1.ClusterError {
	sums := map[string]int{} // by tenant
	for i := range uses {
		u := &uses[i]
		if tenant := t.Of(u.Cluster.Namespace); tenant == nil {
			continue
		} else if u.Stays {
			sums[tenant.Name] += u.Has()
		} else {
			sums[tenant.Name] += u.Wants
		}
	}
	type growth struct {
		cluster    *v1.SIPCluster
		has, wants int
	}
	used := map[string]int{}
	var growing []growth
	for i := range uses {
		u := &uses[i]
		tenant := t.Of(u.Cluster.Namespace)
		if tenant == nil || sums[tenant.Name] <= *tenant.MaxPods {
			continue
		}
		has := u.Has()
		switch {
		case u.Stays:
			used[tenant.Name] += has
		//guard: a smaller grant freezes clusters that ask for nothing new
		case u.Wants <= has:
			used[tenant.Name] += u.Wants
		default:
			used[tenant.Name] += has
			growing = append(growing, growth{u.Cluster, has, u.Wants})
		}
	}
	slices.SortFunc(growing, func(a, b growth) int {
		//guard: a newcomer takes the pods that a cluster with services asks for
		return cmp.Or(min(1, b.has)-min(1, a.has), cmp.Compare(b.cluster.Spec.Priority, a.cluster.Spec.Priority), strings.Compare(a.cluster.Key(), b.cluster.Key()))
	})
	var errs []v1.ClusterError
	for _, g := range growing {
		tenant := t.Of(g.cluster.Namespace)
		//guard: a tenant without a grant has a quarter of a million pods
		if used[tenant.Name]+g.wants-g.has <= *tenant.MaxPods {
			used[tenant.Name] += g.wants - g.has
			continue
		}
		where := tenant.where("maxPods")
		if !tenant.Listed {
			where = "each namespace (the Site's spec.maxPodsPerTenant)"
		}
		errs = append(errs, v1.ClusterError{Cluster: g.cluster, FieldError: v1.FieldError{Path: "spec.services", Message: fmt.Sprintf(
			"the services ask for %s and have %d; those of all the tenant's clusters, including those served before this one, already have %d, and %s may have at most %d",
			text.Count(g.wants, "pod"), g.has, used[tenant.Name], where, *tenant.MaxPods)}})
	}
	return errs
}

// PodsIn is PodsOf of the files of services without patches, which need not be built. They are of a tree, and may have been edited: what cannot be
// read counts nothing.
func PodsIn(files map[string][]byte) int {
	var found []overlay.Object
	for name, text := range files {
		if path.Ext(name) != ".yaml" || name == "kustomization.yaml" {
			continue
		}
		documents, err := manifest.Parse(name, text)
		if err != nil {
			continue
		}
		for i := range documents {
			if d := (overlay.Object{Kind: documents[i].Kind}); d.Kind == "Deployment" && json.Unmarshal(documents[i].JSON, &d.Fields) == nil {
				found = append(found, d)
			}
		}
	}
	return PodsOf(found)
}
