package render

import (
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/render/infra"
	"github.com/airshipit/sipgen/render/object"
	"github.com/airshipit/sipgen/schedule"
)

// accountFile is, in a cluster's folder of rights, the account that its overlay is applied as, with its rights.
const accountFile = "account.yaml"

// rightsFolder has what only the site may give: the rights of a cluster's overlay and of its services.
func rightsFolder(c schedule.ClusterKey) string { return "rights/" + c.Namespace + "/" + c.Name }

// renderRights renders rights/: for each cluster with services the account that its overlay is applied as, and what
// its services may do. With Argo CD there are no accounts, and a project of Argo CD's in their place. Where the
// services go with this commit, the account stays for one more: an engine deletes nothing as an account that is gone.
func (s *rendering) renderRights() error {
	var problems manifest.Problems
	for _, c := range s.clusters {
		if s.hasInfra(c) {
			problems.Add(s.renderClusterRights(c))
		}
	}
	for _, key := range s.leftBehind() {
		if !s.fluxEngine() {
			continue
		}
		account := rightsFolder(key) + "/" + accountFile
		s.tree[account] = s.Previous[account]
		problems.Add(s.renderRightsKustomization(key, accountFile))
	}
	return problems.Err()
}

func (s *rendering) renderClusterRights(c *schedule.Cluster) error {
	files, err := s.serviceRights(c)
	if err != nil {
		return ofCluster(c.Key, err)
	}
	if err := s.addQuota(c.Key, files); err != nil {
		return err
	}
	if s.fluxEngine() {
		if files[accountFile], err = object.Marshal(s.account(c)...); err != nil {
			return err
		}
	}
	if len(files) == 0 {
		return nil
	}
	s.add(rightsFolder(c.Key), files)
	return s.renderRightsKustomization(c.Key, slices.Sorted(maps.Keys(files))...)
}

// renderRightsKustomization has the site's defaults, as services have them.
func (s *rendering) renderRightsKustomization(key schedule.ClusterKey, files ...string) error {
	k := object.NewKustomization(files...)
	if labels := s.Site.Spec.Defaults.Labels; len(labels) > 0 {
		k.Labels = []object.Label{{Pairs: labels}}
	}
	k.CommonAnnotations = s.Site.Spec.Defaults.Annotations
	content, err := object.Marshal(k)
	s.tree[rightsFolder(key)+"/kustomization.yaml"] = content
	return err
}

// serviceRights returns the rights of a cluster's services: rendered again, or as they were where its services are.
func (s *rendering) serviceRights(c *schedule.Cluster) (map[string][]byte, error) {
	folder := rightsFolder(c.Key) + "/"
	files := map[string][]byte{}
	switch {
	case s.keepsServices(c):
		before := Tree{}
		for name, content := range s.Previous {
			if inside, found := strings.CutPrefix(name, folder); found && inside != accountFile &&
				inside != "kustomization.yaml" {
				before[name] = content
			}
		}
		lost := s.lostBy(c)
		for name, content := range before {
			kept, err := lost.rights(name, content)
			if err != nil {
				return nil, err
			}
			files[strings.TrimPrefix(name, folder)] = kept
		}
		return files, nil
	}
	in, err := s.infraInput(c)
	if err != nil {
		return nil, err
	}
	return infra.Rights(in)
}

// leftBehind returns the clusters whose services go with this commit, and whose account or project was there. Sorted.
func (s *rendering) leftBehind() []schedule.ClusterKey {
	const services = "/infra/kustomization.yaml"
	var keys []schedule.ClusterKey
	for name := range s.Previous {
		cluster, found := strings.CutSuffix(name, services)
		parts := strings.Split(cluster, "/")
		if !found || len(parts) != 3 || parts[0] != "clusters" {
			continue
		}
		key := schedule.ClusterKey{Namespace: parts[1], Name: parts[2]}
		_, account := s.Previous[rightsFolder(key)+"/"+accountFile]
		_, project := s.Previous["argocd/"+projectFile(key)]
		if _, ok := s.tree[name]; !ok && (account || project) {
			keys = append(keys, key)
		}
	}
	slices.SortFunc(keys, func(a, b schedule.ClusterKey) int { return strings.Compare(a.String(), b.String()) })
	return keys
}

// hasRights reports whether a cluster has a folder of rights.
func (s *rendering) hasRights(c schedule.ClusterKey) bool {
	_, found := s.tree[rightsFolder(c)+"/kustomization.yaml"]
	return found
}

// account returns what a cluster's overlay is applied as with Flux, which looks for it in its own namespace. It has
// the name of the Kustomization, and has the role that all clusters share, in the cluster's namespace and nowhere
// else.
func (s *rendering) account(c *schedule.Cluster) []any {
	name, namespace := s.syncName(c.Key, "infra"), s.Site.Spec.Flux.Namespace
	return []any{
		serviceAccount(s.meta(namespace, name), true),
		bind(s.meta(c.Key.Namespace, name), "ClusterRole",
			s.ownAccounts().services, accountOf(namespace, name)),
	}
}

// quotaFile is, in a cluster's folder of rights, what the Site lets the cluster's namespace have.
const quotaFile = "quota.yaml"

// addQuota renders the tenant's quota and limit range for a cluster's namespace, next to the cluster's rights: the
// account that applies the services cannot change it. Each cluster of a namespace has one of its own, of the same
// content: together they bound no more than one does, and none has to move when a cluster leaves. It follows the Site
// even if the services stay as they were.
func (s *rendering) addQuota(key schedule.ClusterKey, files map[string][]byte) (err error) {
	delete(files, quotaFile)
	tenant := s.Site.TenantOf(key.Namespace)
	if !bounded(tenant) {
		return nil
	}
	meta := s.meta(key.Namespace, "sipgen-"+key.Name)
	version := corev1.SchemeGroupVersion.String()
	var objects []any
	if len(tenant.Quota) > 0 {
		objects = append(objects, corev1.ResourceQuota{
			TypeMeta: metav1.TypeMeta{APIVersion: version,
				Kind: "ResourceQuota"}, ObjectMeta: meta, Spec: corev1.ResourceQuotaSpec{Hard: tenant.Quota},
		})
	}
	if tenant.LimitRange != nil {
		objects = append(objects, corev1.LimitRange{
			TypeMeta: metav1.TypeMeta{APIVersion: version, Kind: "LimitRange"}, ObjectMeta: meta,
			Spec: corev1.LimitRangeSpec{Limits: []corev1.LimitRangeItem{tenant.LimitRange.Item()}},
		})
	}
	files[quotaFile], err = object.Marshal(objects...)
	return err
}

func bounded(tenant *v1alpha1.Tenant) bool {
	return tenant != nil && (len(tenant.Quota) > 0 || tenant.LimitRange != nil)
}
