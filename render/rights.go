package render

import (
	"bytes"
	"maps"
	"path"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/render/infra"
	"github.com/airshipit/sipgen/render/object"
	"github.com/airshipit/sipgen/schedule"
)

// accountFile is, in a cluster's folder of rights, the account that its overlay is applied as, with its rights.
const accountFile = "account.yaml"

// rightsFolder has what only the site may give: the rights of a cluster's overlay and of its services.
func rightsFolder(c schedule.ClusterKey) string { return "rights/" + c.Namespace + "/" + c.Name }

// rights renders rights/: for each cluster with services the account that its overlay is applied as, and what its services may do. With Argo CD
// there are no accounts, and a project of Argo CD's in their place. Where the services go with this commit, the account stays for one more: an engine
// deletes nothing as an account that is gone.
func (s *site) rights() error {
	var problems manifest.Problems
	for _, c := range s.clusters {
		if s.hasInfra(c) && (s.keepsServices(c) || !s.previews(c)) {
			problems.Add(s.clusterRights(c))
		}
	}
	for _, key := range s.leftBehind() {
		if !s.fluxEngine() {
			continue
		}
		account := rightsFolder(key) + "/" + accountFile
		s.tree[account] = s.Previous[account]
		problems.Add(s.rightsKustomization(key, accountFile))
	}
	return problems.Err()
}

func (s *site) clusterRights(c *schedule.Cluster) error {
	files, err := s.serviceRights(c)
	if err != nil {
		return ofCluster(c.Key, err)
	}
	if err := s.quota(c.Key, files); err != nil {
		return err
	}
	if s.fluxEngine() {
		if files[accountFile], err = object.Marshal(s.account(c, files)...); err != nil {
			return err
		}
	}
	if len(files) == 0 {
		return nil
	}
	s.add(rightsFolder(c.Key), files)
	return s.rightsKustomization(c.Key, slices.Sorted(maps.Keys(files))...)
}

// rightsKustomization has the site's defaults, as services have them.
func (s *site) rightsKustomization(key schedule.ClusterKey, files ...string) error {
	k := object.NewKustomization(files...)
	if labels := s.Site.Spec.Defaults.Labels; len(labels) > 0 {
		k.Labels = []object.Label{{Pairs: labels}}
	}
	k.CommonAnnotations = s.Site.Spec.Defaults.Annotations
	content, err := object.Marshal(k)
	s.tree[rightsFolder(key)+"/kustomization.yaml"] = content
	return err
}

// serviceRights are the rights of a cluster's services: rendered anew, or as they were where its services are.
func (s *site) serviceRights(c *schedule.Cluster) (map[string][]byte, error) {
	folder := rightsFolder(c.Key) + "/"
	files := map[string][]byte{}
	switch {
	case s.keepsServices(c):
		before := Tree{}
		for name, content := range s.Previous {
			if inside, found := strings.CutPrefix(name, folder); found && inside != accountFile && inside != "kustomization.yaml" {
				before[name] = content
			}
		}
		kept, err := s.withoutLost(c, before)
		for name, content := range kept {
			files[strings.TrimPrefix(name, folder)] = content
		}
		return files, err
	case s.rightsStay(c.Key):
		return files, nil
	}
	in, err := s.infraInput(c)
	if err != nil {
		return nil, err
	}
	return infra.Rights(in)
}

// rightsStay says that the tree that is live has a cluster's rights among its services, and not yet marked to be kept when they leave them: they
// go to a folder of their own with the commit after this one. An engine that prunes the services before it applies the rights
// would take the power over hosts away for a moment.
func (s *site) rightsStay(c schedule.ClusterKey) bool {
	if s.rightsWere == nil {
		s.rightsWere = rightsAmongServices(s.Previous)
	}
	return slices.ContainsFunc(s.rightsWere[c], func(right metav1.PartialObjectMetadata) bool {
		//guard: the rights leave the services before they are marked to be kept: jump hosts are without power for a moment
		return right.Annotations[infra.KeepByFlux] != "disabled"
	})
}

// ownAccount says that a cluster's overlay is applied as an account of its own: not as long as it has rights, which no such account can give.
// It is asked when all services are rendered.
func (s *site) ownAccount(c *schedule.Cluster) bool {
	if s.rightsAre == nil {
		s.rightsAre = rightsAmongServices(s.tree)
	}
	return s.hasInfra(c) && len(s.rightsAre[c.Key]) == 0
}

// rightsAmongServices are the Roles and RoleBindings among the services of clusters in a tree.
func rightsAmongServices(tree Tree) map[schedule.ClusterKey][]metav1.PartialObjectMetadata {
	found := map[schedule.ClusterKey][]metav1.PartialObjectMetadata{}
	for name, content := range tree {
		parts := strings.Split(name, "/")
		if len(parts) != 5 || parts[0] != "clusters" || parts[3] != "infra" || path.Ext(name) != ".yaml" || !bytes.Contains(content, []byte("\nkind: Role")) {
			continue
		}
		key := schedule.ClusterKey{Namespace: parts[1], Name: parts[2]}
		found[key] = append(found[key], rightsIn(content)...)
	}
	return found
}

func rightsIn(file []byte) []metav1.PartialObjectMetadata {
	var found []metav1.PartialObjectMetadata
	for _, document := range strings.Split(string(file), "\n---\n") {
		var right metav1.PartialObjectMetadata
		if yaml.Unmarshal([]byte(document), &right) == nil && (right.Kind == "Role" || right.Kind == "RoleBinding") {
			found = append(found, right)
		}
	}
	return found
}

// leftBehind are the clusters whose services go with this commit, and whose account or project was there. Sorted.
func (s *site) leftBehind() []schedule.ClusterKey {
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
		//guard: an account goes together with what it applied, and the engine leaves the load balancers behind
		if _, is := s.tree[name]; !is && (account || project) {
			keys = append(keys, key)
		}
	}
	slices.SortFunc(keys, func(a, b schedule.ClusterKey) int { return strings.Compare(a.String(), b.String()) })
	return keys
}

// hasRights says that a cluster has a folder of rights.
func (s *site) hasRights(c schedule.ClusterKey) bool {
	_, found := s.tree[rightsFolder(c)+"/kustomization.yaml"]
	return found
}

// account is what a cluster's overlay is applied as with Flux, which looks for it in its own namespace. It has the name of the Kustomization, and
// may write what an overlay may have, in the cluster's namespace and nowhere else. The rights of the services it may look at: they were in the
// overlay once, and Flux fails where it cannot see that what left the overlay is another Kustomization's.
func (s *site) account(c *schedule.Cluster, services map[string][]byte) []any {
	name := s.syncName(c.Key, "infra")
	subject := []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: s.Site.Spec.Flux.Namespace, Name: name}}
	rights := func(namespace string, rules []rbacv1.PolicyRule) []any {
		version := rbacv1.SchemeGroupVersion.String()
		return []any{
			rbacv1.Role{
				TypeMeta: metav1.TypeMeta{APIVersion: version, Kind: "Role"}, ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: s.ofSite()}, Rules: rules,
			},
			rbacv1.RoleBinding{
				TypeMeta: metav1.TypeMeta{APIVersion: version, Kind: "RoleBinding"}, ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: s.ofSite()},
				Subjects: subject, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: name},
			},
		}
	}
	rules := map[string][]rbacv1.PolicyRule{c.Key.Namespace: infra.OverlayRules()}
	for namespace, names := range namesOf(services) {
		rules[namespace] = append(rules[namespace], rbacv1.PolicyRule{
			APIGroups: []string{rbacv1.GroupName}, Resources: []string{"roles", "rolebindings"}, ResourceNames: names, Verbs: []string{"get"},
		})
	}
	objects := []any{corev1.ServiceAccount{
		TypeMeta:                     metav1.TypeMeta{APIVersion: "v1", Kind: "ServiceAccount"},
		ObjectMeta:                   metav1.ObjectMeta{Namespace: s.Site.Spec.Flux.Namespace, Name: name, Labels: s.ofSite()},
		AutomountServiceAccountToken: new(bool),
	}}
	for _, namespace := range slices.Sorted(maps.Keys(rules)) {
		objects = append(objects, rights(namespace, rules[namespace])...)
	}
	return objects
}

// namesOf are the names in files of rights, by namespace, sorted.
func namesOf(files map[string][]byte) map[string][]string {
	names := map[string][]string{}
	for _, content := range files {
		for _, right := range rightsIn(content) {
			names[right.Namespace] = append(names[right.Namespace], right.Name)
		}
	}
	for namespace := range names {
		slices.Sort(names[namespace])
		names[namespace] = slices.Compact(names[namespace])
	}
	return names
}
