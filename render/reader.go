package render

import (
	"slices"

	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/airshipit/sipgen/inventory"
)

// reader renders the account that sipgen reads with, and no right more than that takes: hosts, what inspection found,
// SIPClusters, services and the engine's objects are listed everywhere. Secrets are fetched by name, in the namespaces
// of hosts: the site's, or where it names none those of the inventory that are not reserved. RBAC cannot tell network
// data from other Secrets there, such as the BMCs' passwords. The bindings do not depend on which hosts name network
// data: Cluster API names it on every host that it takes, and the first host of a namespace would wait for a sync.
func (s *rendering) reader(names accounts) []any {
	accounts := s.engineNamespace()
	subjects := []rbacv1.Subject{accountOf(accounts, names.reader)}
	if s.writesStatus() && names.status != "" {
		// It plans before it writes.
		subjects = append(subjects, accountOf(accounts, names.status))
	}
	objects := []any{
		serviceAccount(s.meta(accounts, names.reader), false),
		s.clusterRole(names.reader, readerLists()),
		bind(s.meta("", names.reader), "ClusterRole", names.reader, subjects...),
		s.clusterRole(names.networkData, networkDataRules()),
	}
	for _, namespace := range s.hostNamespaces() {
		objects = append(objects, bind(s.meta(namespace, names.networkData), "ClusterRole",
			names.networkData, subjects...))
	}
	return objects
}

// readerLists returns what the reader lists everywhere, and networkDataRules what it fetches where the hosts are.
func readerLists() []rbacv1.PolicyRule {
	lists := []rbacv1.PolicyRule{{APIGroups: []string{"airship.airshipit.org"}, Resources: []string{"sipclusters"},
		Verbs: []string{"list"}}}
	lists = append(lists, slices.DeleteFunc(inventory.ReaderRules(), readsSecrets)...)
	// Who owns the tenants' services, what has become of them and of the tree: plan and status look. Vinos are left
	// out: one holds the BMCs' password.
	for _, kinds := range []struct{ group, resource string }{
		{"", "services"}, {"apps", "deployments"}, {"ironic.metal3.io", "ironics"},
		{"placement.openstack.org", "placementapis"}, {"kustomize.toolkit.fluxcd.io", "kustomizations"},
		{"source.toolkit.fluxcd.io", "gitrepositories"}, {"argoproj.io", "applications"},
		{"argoproj.io", "appprojects"},
	} {
		lists = append(lists, rbacv1.PolicyRule{APIGroups: []string{kinds.group}, Resources: []string{kinds.resource},
			Verbs: []string{"list"}})
	}
	return lists
}

func networkDataRules() []rbacv1.PolicyRule {
	return slices.DeleteFunc(inventory.ReaderRules(), func(rule rbacv1.PolicyRule) bool { return !readsSecrets(rule) })
}

func readsSecrets(rule rbacv1.PolicyRule) bool { return slices.Contains(rule.Resources, "secrets") }

// writesStatus reports whether the site reports to its tenants.
func (s *rendering) writesStatus() bool {
	return s.Site.Spec.Runner != nil && s.Site.Spec.Runner.Status != nil
}

// statusWriter renders the account that writes the status of SIPClusters. The reader's roles have what it reads; it
// may write this one subresource, of existing objects: neither their specs, labels and finalizers, nor anything else.
func (s *rendering) statusWriter() []any {
	name, namespace := s.ownAccounts().status, s.engineNamespace()
	return []any{
		serviceAccount(s.meta(namespace, name), false),
		s.clusterRole(name, statusRules()),
		bind(s.meta("", name), "ClusterRole", name, accountOf(namespace, name)),
	}
}

func statusRules() []rbacv1.PolicyRule {
	return []rbacv1.PolicyRule{
		{APIGroups: []string{"airship.airshipit.org"}, Resources: []string{"sipclusters"}, Verbs: []string{"get"}},
		{APIGroups: []string{"airship.airshipit.org"}, Resources: []string{"sipclusters/status"},
			Verbs: []string{"patch"}},
	}
}
