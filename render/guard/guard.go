package guard

import (
	"slices"
	"strings"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/airshipit/sipgen/inventory"
	siteobject "github.com/airshipit/sipgen/render/site"
)

// The guards of a site. guardName makes the names of their objects.
const (
	syncGuard   = "sync-guard"
	deleteGuard = "delete-guard"
	labelGuard  = "label-guard"
	// inUseGuard is a label guard that always denies, for hosts in use.
	inUseGuard = "in-use-guard"
	// tenantGuard keeps Applications of tenants, which with order waves have hosts too, from writing services anywhere
	// else than in the tenant's namespace.
	tenantGuard = "tenant-guard"
	// serviceGuard keeps the objects of the site's services from being deleted.
	serviceGuard = inventory.ServiceGuard
	// jumpGuard keeps jump hosts to rebooting the hosts of their clusters.
	jumpGuard = inventory.JumpGuard
)

// guardVersion is of the rules. Rules that the ones before them contradict come under the next version: a tree then
// has both for one commit.
const guardVersion = "v1"

// guardName returns that of a guard's objects. They are cluster-scoped, and every site on an API server has its own.
func (s guards) guardName(guard string) string {
	return "sipgen-" + s.Site.Name + "-" + guard + "-" + guardVersion
}

// guard returns a policy over hosts, without rules.
func (s guards) guard(name string, operations ...admissionv1.OperationType) admissionv1.ValidatingAdmissionPolicy {
	fail := admissionv1.Fail
	return admissionv1.ValidatingAdmissionPolicy{
		TypeMeta:   metav1.TypeMeta{APIVersion: admissionv1.SchemeGroupVersion.String(), Kind: "ValidatingAdmissionPolicy"},
		ObjectMeta: siteobject.Meta(s.Site, "", s.guardName(name)),
		Spec: admissionv1.ValidatingAdmissionPolicySpec{
			FailurePolicy: &fail,
			MatchConstraints: &admissionv1.MatchResources{ResourceRules: []admissionv1.NamedRuleWithOperations{{
				RuleWithOperations: admissionv1.RuleWithOperations{
					Operations: operations,
					Rule: admissionv1.Rule{APIGroups: []string{"metal3.io"}, APIVersions: []string{"*"},
						Resources: []string{"baremetalhosts"}},
				},
			}}},
		},
	}
}

// binding puts a guard into force, in the site's namespaces, or where it names none in all: the guards of several
// sites on one API server are ANDed, and each would deny what the others' engines do.
func (s guards) binding(guard string,
	action admissionv1.ValidationAction) admissionv1.ValidatingAdmissionPolicyBinding {
	name := s.guardName(guard)
	binding := admissionv1.ValidatingAdmissionPolicyBinding{
		TypeMeta: metav1.TypeMeta{APIVersion: admissionv1.SchemeGroupVersion.String(),
			Kind: "ValidatingAdmissionPolicyBinding"},
		ObjectMeta: siteobject.Meta(s.Site, "", name),
		Spec: admissionv1.ValidatingAdmissionPolicyBindingSpec{
			PolicyName: name, ValidationActions: []admissionv1.ValidationAction{action},
		},
	}
	if namespaces := slices.Compact(slices.Sorted(slices.Values(s.Site.Spec.Hosts.Namespaces))); len(namespaces) > 0 {
		binding.Spec.MatchResources = &admissionv1.MatchResources{NamespaceSelector: &metav1.LabelSelector{
			MatchExpressions: []metav1.LabelSelectorRequirement{{Key: corev1.LabelMetadataName,
				Operator: metav1.LabelSelectorOpIn, Values: namespaces}},
		}}
	}
	return binding
}

// notBreakGlass leaves the break-glass groups out.
func (s guards) notBreakGlass() admissionv1.MatchCondition {
	return admissionv1.MatchCondition{
		Name: "not-break-glass",
		Expression: "!has(request.userInfo.groups) || !request.userInfo.groups.exists(g, g in " +
			celList(s.Site.Spec.BreakGlassGroups) + ")",
	}
}

// definitionRule matches the deletion of any CustomResourceDefinition, in every Site: no namespace selector excludes a
// cluster-scoped object.
func definitionRule() admissionv1.NamedRuleWithOperations {
	return admissionv1.NamedRuleWithOperations{RuleWithOperations: admissionv1.RuleWithOperations{
		Operations: []admissionv1.OperationType{admissionv1.Delete},
		Rule: admissionv1.Rule{APIGroups: []string{"apiextensions.k8s.io"}, APIVersions: []string{"*"},
			Resources: []string{"customresourcedefinitions"}},
	}}
}

// keepDefinitions denies the deletion of the named definitions. The API server deletes all objects of a kind with its
// definition, and asks no guard of the objects. A request that deletes a collection has no name, so the rule reads the
// object's.
func (s guards) keepDefinitions(names ...string) admissionv1.Validation {
	return admissionv1.Validation{
		Expression: "request.resource.resource != 'customresourcedefinitions' ||\n!(oldObject.metadata.name in " +
			celList(names) + ")",
		Message: "deleting this CustomResourceDefinition deletes every object of its kind, which may deprovision servers: delete it as a member of " +
			strings.Join(s.Site.Spec.BreakGlassGroups, ", "),
	}
}

// celList writes strings as a CEL list.
func celList(items []string) string {
	quoted := make([]string, len(items))
	for i, item := range items {
		quoted[i] = "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`, "\n", `\n`, "\r", `\r`).Replace(item) + "'"
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

// forbid sets the reason of each rule to Forbidden (status 403). Flux takes a denial without a reason (422) for an
// immutable field: it deletes and recreates an object that has the annotation kustomize.toolkit.fluxcd.io/force:
// enabled.
func forbid(rules []admissionv1.Validation) {
	forbidden := metav1.StatusReasonForbidden
	for i := range rules {
		rules[i].Reason = &forbidden
	}
}
