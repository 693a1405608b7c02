package guard

import (
	"fmt"
	"slices"

	admissionv1 "k8s.io/api/admissionregistration/v1"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/inventory"
)

// identities returns the users that an engine applies host patches as.
func (s guards) identities() []string {
	if s.Site.Spec.Engine == v1alpha1.EngineArgoCD {
		return []string{s.Site.Spec.ArgoCD.Identity}
	}
	return []string{"system:serviceaccount:" + s.Site.Spec.Flux.Namespace + ":" + s.HostsAccount}
}

// root returns the account that the Site names for the rest of the tree, "" for none. An account grants only what it
// holds, so that one may patch hosts. Where it applies the hosts as well, its hosts are guarded as those of any engine.
func (s guards) root() string {
	if s.Site.Spec.Engine == v1alpha1.EngineArgoCD || s.Site.Spec.Flux.ServiceAccountName == "" {
		return ""
	}
	root := "system:serviceaccount:" + s.Site.Spec.Flux.Namespace + ":" + s.Site.Spec.Flux.ServiceAccountName
	if slices.Contains(s.labelWriters(), root) {
		return ""
	}
	return root
}

// syncGuard lets the syncing identity only update hosts, and of them only our labels and the tools' own
// keys. Written with has(): a spec that was removed is an absent key. The account of the root may change no host.
//
// With an overlay that identity applies whole hosts, from manifests that are people's: it has to make them and to
// write what is in them. What is left to guard is whose a host in use is.
func (s guards) syncGuard() admissionv1.ValidatingAdmissionPolicy {
	root := s.root()
	if !s.merge() {
		policy := s.guard(syncGuard, admissionv1.Update)
		policy.Spec.MatchConditions = syncing(s.labelWriters(), root)
		policy.Spec.Variables = append(metadataVariables(everyMetadata...), inUseVariables(s.Site.Spec.LabelKeys)...)
		policy.Spec.Validations = append(notRoot(root), inUseValidations("")...)
		return policy
	}
	keys := s.Site.Spec.LabelKeys
	same := func(path string) string {
		return fmt.Sprintf("has(object.%[1]s) == has(oldObject.%[1]s) &&\n  (!has(object.%[1]s) || object.%[1]s == oldObject.%[1]s)", path)
	}
	const update = "request.operation != 'UPDATE' ||\n"
	policy := s.guard(syncGuard, admissionv1.Create, admissionv1.Update, admissionv1.Delete)
	policy.Spec.MatchConditions = syncing(s.identities(), root)
	policy.Spec.Variables = slices.Concat(metadataVariables(everyMetadata...), changedVariables(), []admissionv1.Variable{
		{Name: "ourLabels", Expression: celList(append(claimKeys(keys), keys.Standby))},
		{Name: "toolPrefixes", Expression: celList(inventory.EnginePrefixes())},
	}, inUseVariables(keys))
	tools := "k == '" + inventory.EngineLabel + "' || variables.toolPrefixes.exists(p, k.startsWith(p))"
	policy.Spec.Validations = slices.Concat(notRoot(root), []admissionv1.Validation{
		{Expression: "request.operation == 'UPDATE'",
			Message: "the GitOps identity may only update a BareMetalHost: sipgen neither creates nor deletes hosts"},
		{Expression: update + same("spec"),
			Message: "the GitOps identity may not change a BareMetalHost's spec: that would reprovision a server"},
		{Expression: update + "variables.changedLabels.all(k,\n  k in variables.ourLabels || " + tools + ")",
			Message: "the GitOps identity may only change sipgen's labels on a BareMetalHost"},
		{Expression: update + "variables.changedAnnotations.all(k,\n  k == '" + ReleaseOf + "' || " + tools + ")",
			Message: "the GitOps identity may only change the GitOps tools' annotations on a BareMetalHost"},
		{Expression: update + same("metadata.finalizers") + " &&\n" + same("metadata.ownerReferences"),
			Message: "the GitOps identity may not change a BareMetalHost's finalizers or owners"},
	}, inUseValidations(update))
	return policy
}

// notRoot denies the root's account every change, if there is one.
func notRoot(root string) []admissionv1.Validation {
	if root == "" {
		return nil
	}
	return []admissionv1.Validation{{Expression: "!(request.userInfo.username in " + celList([]string{root}) + ")",
		Message: "the account of the root applies no BareMetalHost: it may change none"}}
}

// syncing leaves everybody out but the users that an engine applies hosts as, and the root's account.
func syncing(users []string, root string) []admissionv1.MatchCondition {
	if root != "" {
		users = append(slices.Clone(users), root)
	}
	return []admissionv1.MatchCondition{{Name: "syncing-identity", Expression: "request.userInfo.username in " +
		celList(users)}}
}
