package infra

import (
	"maps"
	"slices"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
)

// powerRoles lets the entry's ServiceAccount read and patch exactly the cluster's hosts: a Role and a RoleBinding in
// each namespace with such hosts. RBAC cannot limit fields; the site's policy for jump hosts does.
func (o *overlay) powerRoles(s service) []any {
	names := map[string][]string{}
	for _, h := range o.Hosts {
		names[h.Host.Namespace] = append(names[h.Host.Namespace], h.Host.Name)
	}
	var out []any
	for _, namespace := range slices.Sorted(maps.Keys(names)) {
		// Clusters of one name in two namespaces may have hosts in one.
		meta := metav1.ObjectMeta{Name: s.name + "." + o.Cluster.Namespace, Namespace: namespace, Labels: s.labels()}
		out = append(out, o.grant(s, meta, powerRules(names[namespace]))...)
	}
	return out
}

// grant returns a Role and its RoleBinding, which give the entry's ServiceAccount a right where they are.
func (o *overlay) grant(s service, meta metav1.ObjectMeta, rule rbacv1.PolicyRule) []any {
	version := rbacv1.SchemeGroupVersion.String()
	return []any{
		&rbacv1.Role{TypeMeta: metav1.TypeMeta{APIVersion: version, Kind: "Role"}, ObjectMeta: meta,
			Rules: []rbacv1.PolicyRule{rule}},
		&rbacv1.RoleBinding{TypeMeta: metav1.TypeMeta{APIVersion: version, Kind: "RoleBinding"}, ObjectMeta: meta,
			RoleRef:  rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: meta.Name},
			Subjects: []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Name: s.name, Namespace: o.Cluster.Namespace}}},
	}
}

func powerRules(hosts []string) rbacv1.PolicyRule {
	return rbacv1.PolicyRule{APIGroups: []string{"metal3.io"}, Resources: []string{"baremetalhosts"},
		ResourceNames: hosts, Verbs: []string{"get", "patch"}}
}

func secretName(name string) bool { return len(validation.IsDNS1123Subdomain(name)) == 0 }
