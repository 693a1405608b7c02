package guard

import (
	"strings"

	admissionv1 "k8s.io/api/admissionregistration/v1"
)

// deleteGuard allows only the break-glass groups to delete a host that carries sipgen's labels, and the definition of
// hosts.
func (s guards) deleteGuard() admissionv1.ValidatingAdmissionPolicy {
	policy := s.guard(deleteGuard, admissionv1.Delete)
	policy.Spec.MatchConstraints.ResourceRules = append(policy.Spec.MatchConstraints.ResourceRules, definitionRule())
	policy.Spec.Variables = append(metadataVariables("oldLabels"),
		admissionv1.Variable{Name: "claimLabels", Expression: celList(claimKeys(s.Site.Spec.LabelKeys))})
	policy.Spec.MatchConditions = []admissionv1.MatchCondition{s.notBreakGlass()}
	policy.Spec.Validations = []admissionv1.Validation{{
		Expression: "!variables.claimLabels.exists(k, k in variables.oldLabels)",
		Message:    "this BareMetalHost belongs to a tenant cluster, and deleting it may deprovision its server: release it first, or delete it as a member of " + strings.Join(s.Site.Spec.BreakGlassGroups, ", "),
	}, s.keepDefinitions("baremetalhosts.metal3.io")}
	return policy
}
