package render

import (
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// serviceAccount returns an account. The pods of a tokenless one get no token.
func serviceAccount(meta metav1.ObjectMeta, tokenless bool) corev1.ServiceAccount {
	account := corev1.ServiceAccount{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ServiceAccount"}, ObjectMeta: meta}
	if tokenless {
		account.AutomountServiceAccountToken = new(bool)
	}
	return account
}

// accountOf returns an account as the subject of a binding.
func accountOf(namespace, name string) rbacv1.Subject {
	return rbacv1.Subject{Kind: rbacv1.ServiceAccountKind, Namespace: namespace, Name: name}
}

func rbacType(kind string) metav1.TypeMeta {
	return metav1.TypeMeta{APIVersion: rbacv1.SchemeGroupVersion.String(), Kind: kind}
}

func (s *rendering) clusterRole(name string, rules []rbacv1.PolicyRule) rbacv1.ClusterRole {
	return rbacv1.ClusterRole{TypeMeta: rbacType("ClusterRole"), ObjectMeta: s.meta("", name), Rules: rules}
}

// bind gives subjects a role of a kind: in the namespace of the binding, or without one everywhere.
func bind(meta metav1.ObjectMeta, kind, role string, subjects ...rbacv1.Subject) any {
	ref := rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: kind, Name: role}
	if meta.Namespace == "" {
		return rbacv1.ClusterRoleBinding{TypeMeta: rbacType("ClusterRoleBinding"), ObjectMeta: meta, RoleRef: ref,
			Subjects: subjects}
	}
	return rbacv1.RoleBinding{TypeMeta: rbacType("RoleBinding"), ObjectMeta: meta, RoleRef: ref, Subjects: subjects}
}
