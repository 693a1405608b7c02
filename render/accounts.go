package render

import (
	"slices"

	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/render/guard"
	"github.com/airshipit/sipgen/render/infra"
	"github.com/airshipit/sipgen/render/site/ironic"
	"github.com/airshipit/sipgen/render/site/runner"
)

// rootAccountFile has the account that the Site names for all of the tree but hosts and clusters' services, with its
// rights. The root does not apply it: an account cannot grant itself rights, so an operator applies it.
const rootAccountFile = "root-account.yaml"

// apply is what it takes to apply objects server-side, and prune to delete them, too, when they leave the tree. Flux
// gets an object before it deletes it.
var (
	apply = []string{"get", "create", "patch"}
	prune = append(slices.Clone(apply), "delete")
)

// guardResources are the resources of guards.
var guardResources = []string{"validatingadmissionpolicies", inventory.GuardResource}

// may returns one rule. Without names it is for all objects. A server-side apply creates by name, so that names hold
// for that, too.
func may(verbs []string, group string, names []string, resources ...string) rbacv1.PolicyRule {
	return rbacv1.PolicyRule{Verbs: verbs, APIGroups: []string{group}, ResourceNames: names, Resources: resources}
}

// rootRules returns the rights of the account that applies flux/, policy/, rights/, site/, claims/ and runner/: in
// all namespaces, and in the engine's. They do not depend on the present site: removed objects are still to be
// deleted, and an account cannot grant itself later needs. An account can grant only what it holds, so the rights of
// hosts' accounts and of clusters' services are among them.
func (s *rendering) rootRules() (everywhere, engine []rbacv1.PolicyRule) {
	own := s.ownAccounts()
	everywhere = slices.Concat([]rbacv1.PolicyRule{
		may(apply, inventory.GuardGroup, guard.Names(s.Site), guardResources...),
		// Flux tries a role and its binding together, before either is there: that takes bind.
		may(append(slices.Clone(apply), "bind"), rbacv1.GroupName,
			[]string{own.hosts, own.reader, own.status, own.networkData, own.services}, "clusterroles"),
		may(apply, rbacv1.GroupName, []string{own.hosts, own.reader, own.status}, "clusterrolebindings"),
		may(append(slices.Clone(prune), "bind"), rbacv1.GroupName, nil, "roles"),
		may(prune, rbacv1.GroupName, nil, "rolebindings"),
		may(prune, "", nil, "resourcequotas", "limitranges"),
		may(apply, "apiextensions.k8s.io", infra.DefinitionNames(), "customresourcedefinitions"),
		may(apply, "", []string{ironic.ConfigMap}, "configmaps"),
		may(apply, "ironic.metal3.io", nil, "ironics"),
		may(apply, "k8s.mariadb.com", nil, "mariadbs", "databases", "users", "grants"),
		may(apply, "airship.airshipit.org", nil, "vinoes"),
		may(apply, "placement.openstack.org", nil, "placementapis"),
		may(apply, "k8s.cni.cncf.io", nil, "network-attachment-definitions"),
		may(apply, "metallb.io", nil, "ipaddresspools"),
		may(prune, "metal3.io", []string{s.rootName()}, "hostdeploypolicies"),
	}, hostsRules(), readerLists(), networkDataRules(), statusRules(), infra.GivenRules())
	engine = []rbacv1.PolicyRule{
		may(prune, "kustomize.toolkit.fluxcd.io", nil, "kustomizations"),
		may(apply, "source.toolkit.fluxcd.io", []string{s.rootName()}, "gitrepositories"),
		may(prune, "", nil, "serviceaccounts"),
		may(prune, "batch", []string{runner.Name(s.Site), runner.StatusName(s.Site)}, "cronjobs"),
		may(prune, "networking.k8s.io", []string{runner.Name(s.Site)}, "networkpolicies"),
	}
	return everywhere, engine
}

// rootAccount returns the account that the Site names, and its rights.
func (s *rendering) rootAccount() []any {
	namespace, roles, account := s.Site.Spec.Flux.Namespace, s.rootName(), s.Site.Spec.Flux.ServiceAccountName
	everywhere, engine := s.rootRules()
	subject := accountOf(namespace, account)
	return []any{
		serviceAccount(s.meta(namespace, account), true),
		s.clusterRole(roles, everywhere),
		bind(s.meta("", roles), "ClusterRole", roles, subject),
		rbacv1.Role{TypeMeta: rbacType("Role"), ObjectMeta: s.meta(namespace, roles), Rules: engine},
		bind(s.meta(namespace, roles), "Role", roles, subject),
	}
}
