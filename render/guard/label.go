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
	policy := s.guard(labelGuard, admissionv1.Create, admissionv1.Update)
	policy.Spec.MatchConditions = s.notLabelWriters()
	policy.Spec.Variables = s.labelVariables()
	policy.Spec.Validations = s.labelValidations("", "ask for hosts in a SIPCluster")
	return policy
}

// inUseGuard denies the changes to hosts in use that labelGuard may only audit: actions belong to a binding, so this
// is a policy of its own. It is for updates: "clusterctl move" and a restore create hosts.
func (s guards) inUseGuard() admissionv1.ValidatingAdmissionPolicy {
	policy := s.guard(inUseGuard, admissionv1.Update)
	policy.Spec.MatchConditions = s.notLabelWriters()
	policy.Spec.Variables = slices.Concat(s.labelVariables(), usedVariables())
	policy.Spec.Validations = s.labelValidations("!variables.used ||\n",
		"this one is in use; release it in its SIPCluster")
	return policy
}

// notLabelWriters leaves those out who write sipgen's labels.
func (s guards) notLabelWriters() []admissionv1.MatchCondition {
	return []admissionv1.MatchCondition{
		{Name: "not-a-writer", Expression: "!(request.userInfo.username in " +
			celList(append(s.labelWriters(), s.Site.Spec.LabelGuard.Writers...)) + ")"},
		s.notBreakGlass(),
	}
}

// labelVariables returns what labelValidations need.
func (s guards) labelVariables() []admissionv1.Variable {
	keys := s.Site.Spec.LabelKeys
	return slices.Concat(metadataVariables(everyMetadata...), changedVariables(),
		[]admissionv1.Variable{{Name: "ourLabels", Expression: celList(append(claimKeys(keys), keys.Standby))}})
}

// labelValidations deny changes of sipgen's labels and of approvals, except where a condition holds. The advice is for
// a user who wants other labels.
func (s guards) labelValidations(except, advice string) []admissionv1.Validation {
	return []admissionv1.Validation{
		{Expression: except + "!variables.changedLabels.exists(k, k in variables.ourLabels)",
			Message: "the GitOps identity of site " + s.Site.Name + " writes the labels that assign a BareMetalHost: " +
				advice + ", or change the labels as a member of " + strings.Join(s.Site.Spec.BreakGlassGroups, ", ")},
		{Expression: except + "!('" + ReleaseOf + "' in variables.changedAnnotations)",
			Message: "the approval of a release is written by the GitOps identity of site " + s.Site.Name +
				": approve it in the SIPCluster"},
	}
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
