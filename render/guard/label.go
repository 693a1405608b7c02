package guard

import (
	"slices"
	"strings"

	admissionv1 "k8s.io/api/admissionregistration/v1"

	"github.com/airshipit/sipgen/api/v1alpha1"
)

// labelGuard keeps sipgen's labels on hosts, and the approvals of releases, to those who write them. Hosts that come
// with labels are as good as hosts that get them.
func (s guards) labelGuard() admissionv1.ValidatingAdmissionPolicy {
	keys := s.Site.Spec.LabelKeys
	policy := s.guard(labelGuard, admissionv1.Create, admissionv1.Update)
	policy.Spec.MatchConditions = []admissionv1.MatchCondition{
		{Name: "not-a-writer", Expression: "!(request.userInfo.username in " +
			celList(append(s.labelWriters(), s.Site.Spec.LabelGuard.Writers...)) + ")"},
		s.notBreakGlass(),
	}
	policy.Spec.Variables = slices.Concat(metadataVariables(everyMetadata...), changedVariables(),
		[]admissionv1.Variable{{Name: "ourLabels", Expression: celList(append(claimKeys(keys), keys.Standby))}})
	policy.Spec.Validations = []admissionv1.Validation{
		{Expression: "!variables.changedLabels.exists(k, k in variables.ourLabels)",
			Message: "the GitOps identity of site " + s.Site.Name + " writes the labels that assign a BareMetalHost: " +
				"ask for hosts in a SIPCluster, or change the labels as a member of " +
				strings.Join(s.Site.Spec.BreakGlassGroups, ", ")},
		{Expression: "!('" + ReleaseOf + "' in variables.changedAnnotations)",
			Message: "the approval of a release is written by the GitOps identity of site " + s.Site.Name +
				": approve it in the SIPCluster"},
	}
	return policy
}

// labelWriters returns the users that an engine applies hosts as.
func (s guards) labelWriters() []string {
	if !s.merge() && s.Site.Spec.Engine != v1alpha1.EngineArgoCD {
		return []string{s.Site.Spec.Flux.Identity}
	}
	return s.identities()
}

func (s guards) labelGuardAction() admissionv1.ValidationAction {
	if s.Site.Spec.LabelGuard.Enforce {
		return admissionv1.Deny
	}
	return admissionv1.Audit
}
