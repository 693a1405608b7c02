package render

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/render/infra"
	"github.com/airshipit/sipgen/render/object"
)

// policy renders policy/: what the syncing identity may do, and the admission policies that hold
// whatever an engine or a person tries.
func (s *site) policy() error {
	var (
		errs  []error
		files []string
	)
	put := func(name, about string, objects ...any) {
		for _, object := range objects {
			if policy, ok := object.(admissionv1.ValidatingAdmissionPolicy); ok {
				//guard: Flux takes a denial for an immutable field, and deletes and recreates an object that has its force annotation
				infra.Forbid(policy.Spec.Validations)
			}
		}
		content, err := object.Described(about, objects...)
		errs = append(errs, err)
		files = append(files, name)
		s.tree["policy/"+name] = content
	}
	//guard(TestGuards/flux/the_engine_changes_the_spec): the guard of syncs is there, and holds for nobody
	put("sync-guard.yaml", s.aboutSyncGuard(), s.syncGuard(), s.binding(syncGuard, admissionv1.Deny))
	if objects := s.rbac(s.ownAccounts()); len(objects) > 0 {
		put("rbac.yaml", aboutRBAC, objects...)
	}
	if s.merge() {
		// An overlay's hosts are in git, and their namespaces may come after the policy.
		put("reader.yaml", aboutReader, s.reader(s.ownAccounts())...)
		//guard: an account that writes to the cluster is there though nobody asked for it
		if s.writesStatus() {
			put("status.yaml", aboutStatus, s.statusWriter()...)
		}
	}
	//guard(TestGuards/flux/a_person_deletes_a_host_with_the_label_cluster-name): the guard of deletions is there, and holds for nobody
	put("delete-guard.yaml", aboutDeleteGuard, s.deleteGuard(), s.binding(deleteGuard, admissionv1.Deny))
	put("label-guard.yaml", s.aboutLabelGuard(), s.labelGuard(), s.binding(labelGuard, s.labelGuardAction()))
	if s.waves() {
		//guard: the guard of tenants is in force nowhere
		put("tenant-guard.yaml", aboutTenantGuard, s.tenantGuard(), s.tenantBinding())
	}
	if s.hasServices() {
		// It is for all namespaces: those of services are not those of hosts.
		binding := s.binding(serviceGuard, admissionv1.Deny)
		binding.Spec.MatchResources = nil
		put("service-guard.yaml", aboutServiceGuard, s.serviceGuard(), binding)
	}
	slices.Sort(files)
	put("kustomization.yaml", "", object.NewKustomization(files...))
	return errors.Join(errs...)
}

func (s *site) fluxEngine() bool { return s.Site.Spec.Engine != v1alpha1.EngineArgoCD }

func (s *site) merge() bool { return s.Site.Spec.Hosts.Apply == v1alpha1.ApplyMerge }

// identities are the users that an engine applies host patches as.
func (s *site) identities() []string {
	if s.Site.Spec.Engine == v1alpha1.EngineArgoCD {
		//guard(TestGuards/argocd/the_engine_changes_the_spec): the guard looks at another identity than that which syncs
		return []string{s.Site.Spec.ArgoCD.Identity}
	}
	//guard(TestGuards/flux/the_engine_changes_the_spec): the guard looks at another identity than that which syncs
	return []string{s.fluxUser(s.ownAccounts().hosts)}
}

func (s *site) fluxUser(account string) string {
	return "system:serviceaccount:" + s.Site.Spec.Flux.Namespace + ":" + account
}

// What the files of policy/ are for, at their heads.
const (
	aboutRBAC = "The account that hosts are patched as: it can neither make nor delete one.\n" +
		"And the role that each cluster's services are applied with, in the cluster's namespace and nowhere else.\n"
	aboutReader = "The account that sipgen reads with, if it runs in the cluster: it writes nothing.\n" +
		"It lists hosts and SIPClusters everywhere, and gets Secrets, BMCs' passwords included, where hosts are.\n"
	aboutStatus      = "The account that writes the status of SIPClusters, and nothing else.\n"
	aboutDeleteGuard = "Nobody but the break-glass groups deletes a host that belongs to a cluster: its server may be wiped and switched off.\n" +
		"Nor the definition of hosts, with which the API server deletes all hosts and asks no guard about them.\n"
	aboutTenantGuard = "An Application of a tenant's services and hosts makes services in the tenant's namespace only.\n" +
		"It takes over no object that is another Application's.\n"
	aboutServiceGuard = "Nobody but the break-glass groups deletes what provisions hosts, or a definition of its kinds.\n" +
		"A Vino has credentials: without them everybody may switch its hosts.\n"
)

func (s *site) aboutSyncGuard() string {
	if !s.merge() {
		return "A sync of the hosts' manifests takes no host in use from its cluster, but by an approved release.\n" +
			"All else in the manifests is what people wrote, and this guard does not look at it.\n"
	}
	return "Whatever is in git, a sync only updates hosts: it makes and deletes none, and changes no spec, finalizer, owner or foreign label.\n" +
		"It takes no host in use from its cluster, but by a release that was approved for this use.\n"
}

func (s *site) aboutLabelGuard() string {
	about := "Only the engine, and whom the Site names, writes the labels that say whose a host is, and approves its release.\n"
	if s.labelGuardAction() == admissionv1.Deny {
		return about + "Everybody else but the break-glass groups is denied.\n"
	}
	return about + "The Site does not enforce it: what others write is noted in the audit log, and done.\n"
}

// rbac is, with Flux, the account that hosts are patched as, unless they are in git, and the role of the accounts of clusters' services. The
// account may read and patch hosts: no create, no update, no delete. A server-side apply of an object that is not there needs create, so it is
// refused. Argo CD's controller brings roles of its own; there the admission policy alone holds.
func (s *site) rbac(names accounts) []any {
	if !s.fluxEngine() {
		return nil
	}
	services := clusterRole(names.services, infra.OverlayRules())
	if !s.merge() {
		return []any{services}
	}
	hostsIdentity := names.hosts
	namespace := s.Site.Spec.Flux.Namespace
	subject := []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: namespace, Name: hostsIdentity}}
	role := rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: hostsIdentity}
	objects := []any{
		corev1.ServiceAccount{
			TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ServiceAccount"},
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: hostsIdentity},
		},
		clusterRole(hostsIdentity, hostsRules()),
		services,
	}
	//guard(TestRights/sipgen-guards-hosts/rights-other/baremetalhosts): the identity that syncs may patch hosts of namespaces that are not the site's
	if len(s.Site.Spec.Hosts.Namespaces) == 0 {
		return append(objects, rbacv1.ClusterRoleBinding{
			TypeMeta:   metav1.TypeMeta{APIVersion: rbacv1.SchemeGroupVersion.String(), Kind: "ClusterRoleBinding"},
			ObjectMeta: metav1.ObjectMeta{Name: hostsIdentity}, Subjects: subject, RoleRef: role,
		})
	}
	for _, hosts := range slices.Sorted(slices.Values(s.Site.Spec.Hosts.Namespaces)) {
		objects = append(objects, rbacv1.RoleBinding{
			TypeMeta:   metav1.TypeMeta{APIVersion: rbacv1.SchemeGroupVersion.String(), Kind: "RoleBinding"},
			ObjectMeta: metav1.ObjectMeta{Namespace: hosts, Name: hostsIdentity}, Subjects: subject, RoleRef: role,
		})
	}
	return objects
}

func hostsRules() []rbacv1.PolicyRule {
	//guard(TestRights/sipgen-guards-hosts/rights-own/baremetalhosts): the identity that syncs may create hosts: an empty one is a server wiped
	return []rbacv1.PolicyRule{{
		APIGroups: []string{"metal3.io"}, Resources: []string{"baremetalhosts"}, Verbs: []string{"get", "list", "watch", "patch"},
	}}
}

// syncGuard lets the syncing identity only update hosts, and of them only our labels and the tools' own
// keys. Written with has(): a spec that was removed is an absent key.
//
// With an overlay that identity applies whole hosts, from manifests that are people's: it has to make them and to write what is in them. What is
// left to guard is whose a host in use is.
func (s *site) syncGuard() admissionv1.ValidatingAdmissionPolicy {
	if !s.merge() {
		policy := s.guard(syncGuard, admissionv1.Update)
		//guard: with hosts in git the guard is for an account that does not sync
		policy.Spec.MatchConditions = syncing(s.labelWriters())
		policy.Spec.Variables = append(metadataVariables(everyMetadata...), inUseVariables(s.Site.Spec.LabelKeys)...)
		//guard(TestFluxRows/overlay-in-use): with hosts in git a rollback gives a running server to another tenant, or to nobody
		policy.Spec.Validations = inUseValidations("")
		return policy
	}
	keys := s.Site.Spec.LabelKeys
	same := func(path string) string {
		//guard(TestGuards/flux/the_engine_takes_the_spec_away): an engine takes the whole spec of a host away
		return fmt.Sprintf("has(object.%[1]s) == has(oldObject.%[1]s) &&\n  (!has(object.%[1]s) || object.%[1]s == oldObject.%[1]s)", path)
	}
	const update = "request.operation != 'UPDATE' ||\n"
	policy := s.guard(syncGuard, admissionv1.Create, admissionv1.Update, admissionv1.Delete)
	policy.Spec.MatchConditions = syncing(s.identities())
	policy.Spec.Variables = slices.Concat(metadataVariables(everyMetadata...), changedVariables(), []admissionv1.Variable{
		{Name: "ourLabels", Expression: celList(append(claimKeys(keys), keys.Standby))},
		{Name: "toolPrefixes", Expression: "['kustomize.toolkit.fluxcd.io/', 'argocd.argoproj.io/']"},
	}, inUseVariables(keys))
	tools := "k == 'app.kubernetes.io/instance' || variables.toolPrefixes.exists(p, k.startsWith(p))"
	//guard(TestMovedHosts/it_goes_to_another_cluster): a rollback gives a running server to another tenant, or to nobody
	policy.Spec.Validations = append([]admissionv1.Validation{
		//guard(TestGuards/flux/the_engine_creates_a_host): an engine with many rights creates and deletes hosts
		{Expression: "request.operation == 'UPDATE'",
			Message: "the GitOps identity may only update a BareMetalHost: sipgen neither creates nor deletes hosts"},
		//guard(TestGuards/flux/the_engine_changes_the_spec): an engine changes the spec of a host, or takes it away
		{Expression: update + same("spec"),
			Message: "the GitOps identity may not change a BareMetalHost's spec: that would reprovision a server"},
		//guard(TestGuards/flux/the_engine_changes_a_foreign_label): an engine changes labels by which others find a host
		{Expression: update + "variables.changedLabels.all(k,\n  k in variables.ourLabels || " + tools + ")",
			Message: "the GitOps identity may only change sipgen's labels on a BareMetalHost"},
		//guard(TestGuards/flux/the_engine_pauses_the_host): an engine pauses a host, detaches it or restarts it by an annotation
		{Expression: update + "variables.changedAnnotations.all(k,\n  k == '" + releaseOf + "' || " + tools + ")",
			Message: "the GitOps identity may only change the GitOps tools' annotations on a BareMetalHost"},
		//guard(TestGuards/flux/the_engine_takes_metal3's_finalizer_away): an engine takes metal3's finalizer away: the server is forgotten as it is
		{Expression: update + same("metadata.finalizers") + " &&\n" + same("metadata.ownerReferences"),
			Message: "the GitOps identity may not change a BareMetalHost's finalizers or owners"},
	}, inUseValidations(update)...)
	return policy
}

// syncing leaves everybody out but the users that an engine applies hosts as.
func syncing(users []string) []admissionv1.MatchCondition {
	return []admissionv1.MatchCondition{{Name: "syncing-identity", Expression: "request.userInfo.username in " + celList(users)}}
}

// everyMetadata are all that metadataVariables has.
var everyMetadata = []string{"oldLabels", "newLabels", "oldAnnotations", "newAnnotations"}

// metadataVariables are the labels and annotations before and after, of those that are named, empty where there are none. An apply of an empty map
// that owns all of them leaves null, which has() finds.
func metadataVariables(names ...string) []admissionv1.Variable {
	var variables []admissionv1.Variable
	for _, name := range names {
		object, field := "object", strings.ToLower(name[len("old"):])
		if strings.HasPrefix(name, "old") {
			object = "oldObject"
		}
		//guard(TestEmptiedLabels): a host whose labels were emptied can never be synced again
		variables = append(variables, admissionv1.Variable{Name: name, Expression: fmt.Sprintf(
			"%[1]s != null && has(%[1]s.metadata.%[2]s) && dyn(%[1]s.metadata.%[2]s) != null ? %[1]s.metadata.%[2]s : {}", object, field)})
	}
	return variables
}

// changedVariables are the keys of the labels and annotations that come, go or get another value.
func changedVariables() []admissionv1.Variable {
	var variables []admissionv1.Variable
	for _, of := range []string{"Labels", "Annotations"} {
		//guard(TestGuards/flux/the_engine_takes_a_foreign_label_away): an engine takes labels and annotations of others away
		variables = append(variables, admissionv1.Variable{Name: "changed" + of, Expression: fmt.Sprintf(
			"(variables.old%[1]s.map(k, k) + variables.new%[1]s.map(k, k)).filter(k,\n"+
				"  !(k in variables.old%[1]s) || !(k in variables.new%[1]s) || variables.old%[1]s[k] != variables.new%[1]s[k])", of)})
	}
	return variables
}

// deleteGuard keeps everybody but the break-glass groups from deleting a host that carries our labels, and the definition of hosts.
func (s *site) deleteGuard() admissionv1.ValidatingAdmissionPolicy {
	policy := s.guard(deleteGuard, admissionv1.Delete)
	//guard: the definition takes every host with it, past the rule about labels
	policy.Spec.MatchConstraints.ResourceRules = append(policy.Spec.MatchConstraints.ResourceRules, definitionRule())
	policy.Spec.Variables = append(metadataVariables("oldLabels"),
		admissionv1.Variable{Name: "claimLabels", Expression: celList(claimKeys(s.Site.Spec.LabelKeys))})
	//guard(TestGuards/flux/break-glass_deletes_an_assigned_host): nobody at all can delete a host, whatever happens
	policy.Spec.MatchConditions = []admissionv1.MatchCondition{s.notBreakGlass()}
	policy.Spec.Validations = []admissionv1.Validation{{
		//guard(TestGuards/flux/a_person_deletes_a_host_with_the_label_cluster-namespace): a host with some of the labels can be deleted
		Expression: "!variables.claimLabels.exists(k, k in variables.oldLabels)",
		Message:    "this BareMetalHost belongs to a tenant cluster, and deleting it may deprovision its server: release it first, or delete it as a member of " + strings.Join(s.Site.Spec.BreakGlassGroups, ", "),
	}, s.keepDefinitions("baremetalhosts.metal3.io")}
	return policy
}

// celList writes strings as a CEL list.
func celList(items []string) string {
	quoted := make([]string, len(items))
	for i, item := range items {
		//guard: a name with a quote changes what a guard says
		quoted[i] = "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`, "\n", `\n`, "\r", `\r`).Replace(item) + "'"
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}
