package render

import (
	"slices"
	"strings"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/render/argocd"
	"github.com/airshipit/sipgen/render/flux"
)

// The guards of a site. guardName makes the names of their objects.
const (
	syncGuard   = "sync-guard"
	deleteGuard = "delete-guard"
	labelGuard  = "label-guard"
)

// guardVersion is of the rules. Rules that the ones before them contradict come under the next version: a tree then has both for one commit.
const guardVersion = "v1"

// guardName is that of a guard's objects. They are cluster-scoped, and every site on an API server has its own.
func (s *site) guardName(guard string) string {
	return "sipgen-" + s.Site.Name + "-" + guard + "-" + guardVersion
}

// guardMeta keeps a guard from being pruned, whatever it is synced by. An Application that no longer has one is in sync all the same.
func (s *site) guardMeta(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Name: name,
		//guard(TestTwoEngines): nothing says whose guards they are: no other site can publish beside it
		Labels: map[string]string{inventory.SiteLabel: s.Site.Name},
		Annotations: map[string]string{
			//guard: whoever turns pruning on takes the guards away
			flux.Prune: "disabled", argocd.SyncOptions: "Prune=false,Delete=false", argocd.CompareOptions: "IgnoreExtraneous",
		},
	}
}

// guard is a policy over hosts, without rules.
func (s *site) guard(name string, operations ...admissionv1.OperationType) admissionv1.ValidatingAdmissionPolicy {
	fail := admissionv1.Fail
	return admissionv1.ValidatingAdmissionPolicy{
		TypeMeta:   metav1.TypeMeta{APIVersion: admissionv1.SchemeGroupVersion.String(), Kind: "ValidatingAdmissionPolicy"},
		ObjectMeta: s.guardMeta(s.guardName(name)),
		Spec: admissionv1.ValidatingAdmissionPolicySpec{
			FailurePolicy: &fail,
			MatchConstraints: &admissionv1.MatchResources{ResourceRules: []admissionv1.NamedRuleWithOperations{{
				RuleWithOperations: admissionv1.RuleWithOperations{
					Operations: operations,
					Rule:       admissionv1.Rule{APIGroups: []string{"metal3.io"}, APIVersions: []string{"*"}, Resources: []string{"baremetalhosts"}},
				},
			}}},
		},
	}
}

// binding puts a guard into force, in the site's namespaces, or where it names none in all: the guards of several sites on one API server are
// ANDed, and each would deny what the others' engines do.
func (s *site) binding(guard string, action admissionv1.ValidationAction) admissionv1.ValidatingAdmissionPolicyBinding {
	name := s.guardName(guard)
	binding := admissionv1.ValidatingAdmissionPolicyBinding{
		TypeMeta:   metav1.TypeMeta{APIVersion: admissionv1.SchemeGroupVersion.String(), Kind: "ValidatingAdmissionPolicyBinding"},
		ObjectMeta: s.guardMeta(name),
		//guard(TestGuards/flux/the_engine_changes_the_spec): what the guards forbid is written to the audit log, and done
		Spec: admissionv1.ValidatingAdmissionPolicyBindingSpec{
			PolicyName: name, ValidationActions: []admissionv1.ValidationAction{action},
		},
	}
	//guard: the guards of two sites deny each other's syncs
	if namespaces := slices.Compact(slices.Sorted(slices.Values(s.Site.Spec.Hosts.Namespaces))); len(namespaces) > 0 {
		binding.Spec.MatchResources = &admissionv1.MatchResources{NamespaceSelector: &metav1.LabelSelector{
			MatchExpressions: []metav1.LabelSelectorRequirement{{Key: corev1.LabelMetadataName, Operator: metav1.LabelSelectorOpIn, Values: namespaces}},
		}}
	}
	return binding
}

// notBreakGlass leaves the break-glass groups out.
func (s *site) notBreakGlass() admissionv1.MatchCondition {
	return admissionv1.MatchCondition{
		Name:       "not-break-glass",
		Expression: "!has(request.userInfo.groups) || !request.userInfo.groups.exists(g, g in " + celList(s.Site.Spec.BreakGlassGroups) + ")",
	}
}

// definitionRule matches the deletion of any CustomResourceDefinition, in every Site: no namespace selector excludes a cluster-scoped object.
func definitionRule() admissionv1.NamedRuleWithOperations {
	return admissionv1.NamedRuleWithOperations{RuleWithOperations: admissionv1.RuleWithOperations{
		Operations: []admissionv1.OperationType{admissionv1.Delete},
		Rule:       admissionv1.Rule{APIGroups: []string{"apiextensions.k8s.io"}, APIVersions: []string{"*"}, Resources: []string{"customresourcedefinitions"}},
	}}
}

// keepDefinitions denies the deletion of the named definitions. The API server deletes all objects of a kind with its definition, and asks no
// guard of the objects. A request that deletes a collection has no name, so the rule reads the object's.
func (s *site) keepDefinitions(names ...string) admissionv1.Validation {
	return admissionv1.Validation{
		Expression: "request.resource.resource != 'customresourcedefinitions' ||\n!(oldObject.metadata.name in " + celList(names) + ")",
		Message: "deleting this CustomResourceDefinition deletes every object of its kind, which may deprovision servers: delete it as a member of " +
			strings.Join(s.Site.Spec.BreakGlassGroups, ", "),
	}
}

// labelGuard keeps sipgen's labels on hosts, and the approvals of releases, to those who write them. Hosts that come with labels are as good as
// hosts that get them.
func (s *site) labelGuard() admissionv1.ValidatingAdmissionPolicy {
	keys := s.Site.Spec.LabelKeys
	policy := s.guard(labelGuard, admissionv1.Create, admissionv1.Update)
	policy.Spec.MatchConditions = []admissionv1.MatchCondition{
		//guard(TestFluxRows/assign): an enforced label guard denies the engine what it is for: no live host can be handed out
		{Name: "not-a-writer", Expression: "!(request.userInfo.username in " + celList(append(s.labelWriters(), s.Site.Spec.LabelGuard.Writers...)) + ")"},
		//guard(TestLabelGuard/break-glass_changes_cluster-name): wrong labels can be set right by nobody
		s.notBreakGlass(),
	}
	policy.Spec.Variables = slices.Concat(metadataVariables(everyMetadata...), changedVariables(),
		[]admissionv1.Variable{{Name: "ourLabels", Expression: celList(append(claimKeys(keys), keys.Standby))}})
	policy.Spec.Validations = []admissionv1.Validation{
		//guard(TestLabelGuard/a_person_takes_node-type_away): who may update hosts takes them away from a tenant, or out of service
		{Expression: "!variables.changedLabels.exists(k, k in variables.ourLabels)",
			Message: "the GitOps identity of site " + s.Site.Name + " writes the labels that say whose a BareMetalHost is: " +
				"ask for hosts in a SIPCluster, or change the labels as a member of " + strings.Join(s.Site.Spec.BreakGlassGroups, ", ")},
		//guard(TestLabelGuard/a_person_approves_a_release): who may update hosts approves the move that a rollback makes
		{Expression: "!('" + releaseOf + "' in variables.changedAnnotations)",
			Message: "the approval of a release is written by the GitOps identity of site " + s.Site.Name + ": approve it in the SIPCluster"},
	}
	return policy
}

// labelWriters are the users that an engine applies hosts as.
func (s *site) labelWriters() []string {
	if !s.merge() && s.fluxEngine() {
		//guard: with hosts in git no host can be handed out
		return []string{s.Site.Spec.Flux.Identity}
	}
	return s.identities()
}

func (s *site) labelGuardAction() admissionv1.ValidationAction {
	if s.Site.Spec.LabelGuard.Enforce {
		//guard: a Site that enforces the label guard only gets lines in an audit log
		return admissionv1.Deny
	}
	//guard: an upgrade denies what people did until today, without a warning
	return admissionv1.Audit
}
