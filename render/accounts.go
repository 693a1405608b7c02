package render

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/render/infra"
	"github.com/airshipit/sipgen/render/site/ironic"
)

const (
	// accountsFile has, in flux/, the accounts that Flux applies the site's own folders as. The root applies them, before the Kustomizations that name them.
	accountsFile = "accounts.yaml"
	// rootAccountFile has the root's own account, where the Site names one. The root does not apply it: nobody can give himself rights, so a person does.
	rootAccountFile = "root-account.yaml"
)

// siteAccount is what Flux applies a part of the site as. Its rights are the same whatever the site has at the moment: what is gone is still to be deleted,
// and a root with an account of its own could give no right that comes later.
type siteAccount struct {
	name string
	// everywhere are its rights in all namespaces and over what is in none, engine those in the engine's namespace.
	everywhere, engine []rbacv1.PolicyRule
}

// siteAccounts are those that apply the guards with the accounts that hosts are read and patched as, the rights of clusters' services, and the
// site's services.
func (s *site) siteAccounts() []siteAccount {
	return []siteAccount{s.policyAccount(), s.rightsAccount(), s.servicesAccount()}
}

// apply is what it takes to apply objects server-side, and prune to delete them, too, when they leave the tree. Flux gets an object before it deletes it.
var (
	apply = []string{"get", "create", "patch"}
	prune = append(slices.Clone(apply), "delete")
)

// may is one rule. Without names it is for all objects. A server-side apply creates by name, so that names hold for that, too.
func may(verbs []string, group string, names []string, resources ...string) rbacv1.PolicyRule {
	return rbacv1.PolicyRule{Verbs: verbs, APIGroups: []string{group}, ResourceNames: names, Resources: resources}
}

// policyAccount deletes nothing: guards are never pruned, and people have bound tokens to the accounts.
func (s *site) policyAccount() siteAccount {
	own := s.ownAccounts()
	accounts := []string{own.hosts, own.reader, own.status}
	var guards []string
	for _, guard := range []string{accountGuard, deleteGuard, labelGuard, serviceGuard, syncGuard} {
		guards = append(guards, s.guardName(guard))
	}
	roles := append(slices.Clone(accounts), own.networkData)
	return siteAccount{
		name: own.policy,
		everywhere: append([]rbacv1.PolicyRule{
			//guard: the account of the policies may delete guards
			may(apply, inventory.GuardGroup, guards, "validatingadmissionpolicies", inventory.GuardResource),
			// Flux tries a role and its binding together, before either is there: that takes bind.
			//guard: a role of policy/ and its binding cannot come together
			may(append(slices.Clone(apply), "bind"), rbacv1.GroupName, roles, "clusterroles"),
			may(apply, rbacv1.GroupName, roles, "clusterrolebindings", "rolebindings"),
		}, givenByPolicy()...),
		engine: []rbacv1.PolicyRule{may(apply, "", accounts, "serviceaccounts")},
	}
}

// givenByPolicy are the rights that policy/ gives to other accounts. Nobody can give what he does not have; the account guard keeps those
// that have them for this from using them.
func givenByPolicy() []rbacv1.PolicyRule {
	//guard: the account of the policies cannot give the right to patch hosts
	return slices.Concat(hostsRules(), readerLists(), networkDataRules(), statusRules())
}

// rightsAccount gives the accounts of overlays and services their rights. The account guard says in which namespaces: a binding in each would have to
// come from the root, which one namespace that is missing would stop.
func (s *site) rightsAccount() siteAccount {
	return siteAccount{
		name: s.ownAccounts().rights,
		everywhere: append([]rbacv1.PolicyRule{
			//guard: a new cluster never gets its rights
			may(append(slices.Clone(prune), "bind"), rbacv1.GroupName, nil, "roles"),
			//guard: the rights of a cluster that is gone stay
			may(prune, rbacv1.GroupName, nil, "rolebindings"),
			may(prune, "", nil, "resourcequotas", "limitranges"),
		}, infra.GivenRules()...),
		engine: []rbacv1.PolicyRule{may(prune, "", nil, "serviceaccounts")},
	}
}

// servicesAccount applies what the site itself has: below site/, claims/ and runner/. Of that only the last two are ever pruned.
func (s *site) servicesAccount() siteAccount {
	return siteAccount{
		name: s.ownAccounts().services,
		everywhere: []rbacv1.PolicyRule{
			may(apply, inventory.GuardGroup, []string{infra.JumpGuardName(s.Site)}, "validatingadmissionpolicies", inventory.GuardResource),
			may(apply, "apiextensions.k8s.io", infra.DefinitionNames(), "customresourcedefinitions"),
			may(apply, "", []string{ironic.ConfigMap}, "configmaps"),
			may(apply, "ironic.metal3.io", nil, "ironics"),
			may(apply, "k8s.mariadb.com", nil, "mariadbs", "databases", "users", "grants"),
			may(apply, "airship.airshipit.org", nil, "vinoes"),
			may(apply, "placement.openstack.org", nil, "placementapis"),
			may(apply, "k8s.cni.cncf.io", nil, "network-attachment-definitions"),
			may(apply, "metallb.io", nil, "ipaddresspools"),
			//guard: a namespace that is taken out of the Site may have hosts for ever
			may(prune, "metal3.io", []string{s.rootName()}, "hostdeploypolicies"),
		},
		engine: []rbacv1.PolicyRule{
			//guard(TestAccounts/site/another_CronJob): the site's account makes any CronJob in Flux's namespace
			may(prune, "batch", []string{s.runnerName(), s.statusJobName()}, "cronjobs"),
			may(prune, "networking.k8s.io", []string{s.runnerName()}, "networkpolicies"),
		},
	}
}

// rootAccount can give every other account of the tree its rights, because it has them all, and makes Kustomizations. It is named in the Site.
func (s *site) rootAccount() siteAccount {
	var names []string
	var everywhere, engine []rbacv1.PolicyRule
	for _, account := range s.siteAccounts() {
		names = append(names, account.name)
		//guard: the root cannot give what the site's accounts need
		everywhere, engine = append(everywhere, account.everywhere...), append(engine, account.engine...)
	}
	bind := append(slices.Clone(prune), "bind")
	return siteAccount{
		name: s.Site.Spec.Flux.ServiceAccountName,
		everywhere: append([]rbacv1.PolicyRule{
			may(bind, rbacv1.GroupName, names, "clusterroles"), may(prune, rbacv1.GroupName, names, "clusterrolebindings"),
		}, everywhere...),
		engine: append([]rbacv1.PolicyRule{
			may(prune, "kustomize.toolkit.fluxcd.io", nil, "kustomizations"),
			may(apply, "source.toolkit.fluxcd.io", []string{s.rootName()}, "gitrepositories"),
			may(prune, "", names, "serviceaccounts"),
			may(bind, rbacv1.GroupName, names, "roles"), may(prune, rbacv1.GroupName, names, "rolebindings"),
		}, engine...),
	}
}

// accountObjects are an account and its rights, in roles of the name.
func (s *site) accountObjects(account siteAccount, roles string) []any {
	namespace, version := s.Site.Spec.Flux.Namespace, rbacv1.SchemeGroupVersion.String()
	meta := func(namespace, name string) metav1.ObjectMeta {
		return metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: s.ofSite()}
	}
	subjects := []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: namespace, Name: account.name}}
	objects := []any{
		corev1.ServiceAccount{
			TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ServiceAccount"}, ObjectMeta: meta(namespace, account.name), AutomountServiceAccountToken: new(bool),
		},
		rbacv1.ClusterRole{TypeMeta: metav1.TypeMeta{APIVersion: version, Kind: "ClusterRole"}, ObjectMeta: meta("", roles), Rules: account.everywhere},
		rbacv1.ClusterRoleBinding{
			TypeMeta: metav1.TypeMeta{APIVersion: version, Kind: "ClusterRoleBinding"}, ObjectMeta: meta("", roles), Subjects: subjects,
			RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: roles},
		},
	}
	return append(objects,
		rbacv1.Role{TypeMeta: metav1.TypeMeta{APIVersion: version, Kind: "Role"}, ObjectMeta: meta(namespace, roles), Rules: account.engine},
		rbacv1.RoleBinding{
			TypeMeta: metav1.TypeMeta{APIVersion: version, Kind: "RoleBinding"}, ObjectMeta: meta(namespace, roles), Subjects: subjects,
			RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: roles},
		})
}

// fluxAccounts renders the accounts of the site's Kustomizations, and of the root, where it has one.
func (s *site) fluxAccounts(put func(name string, objects ...any)) {
	var objects []any
	for _, account := range s.siteAccounts() {
		objects = append(objects, s.accountObjects(account, account.name)...)
	}
	put(accountsFile, objects...)
	if s.Site.Spec.Flux.ServiceAccountName != "" {
		put(rootAccountFile, s.accountObjects(s.rootAccount(), s.rootName())...)
	}
}
