package guard

import (
	"fmt"
	"slices"

	admissionv1 "k8s.io/api/admissionregistration/v1"
)

// tenantGuard: a project permits kinds and namespaces, each kind in each namespace. One that permits services in the
// tenant's namespace and hosts in theirs permits services among the hosts, and their Secrets are there. Argo CD writes
// into each object whose it is, after all that a tenant or a commit has to say, and so the guard knows it from there.
func (s guards) tenantGuard() admissionv1.ValidatingAdmissionPolicy {
	policy := s.guard(tenantGuard)
	policy.Spec.MatchConstraints.ResourceRules = nil
	var groups []string
	for _, kind := range s.Overlay {
		groups = append(groups, kind.Group)
	}
	slices.Sort(groups)
	for _, group := range slices.Compact(groups) {
		var resources []string
		for _, kind := range s.Overlay {
			if kind.Group == group {
				resources = append(resources, kind.Resource)
			}
		}
		slices.Sort(resources)
		policy.Spec.MatchConstraints.ResourceRules = append(policy.Spec.MatchConstraints.ResourceRules,
			admissionv1.NamedRuleWithOperations{
				RuleWithOperations: admissionv1.RuleWithOperations{
					Operations: []admissionv1.OperationType{admissionv1.Create, admissionv1.Update},
					Rule:       admissionv1.Rule{APIGroups: []string{group}, APIVersions: []string{"*"}, Resources: resources},
				},
			})
	}
	policy.Spec.MatchConditions = []admissionv1.MatchCondition{{
		Name: "syncing-identity", Expression: "request.userInfo.username in " + celList(s.identities()),
	}}
	// By default Argo CD tracks by annotation, APP:GROUP/KIND:NAMESPACE/NAME; otherwise by label. It overwrites one of
	// the two, and a commit may have written the other, so both are held against the rules. An Application outside Argo
	// CD's own namespace is NAMESPACE_APP.
	const (
		tracking = "'argocd.argoproj.io/tracking-id'"
		instance = "'app.kubernetes.io/instance'"
	)
	tenants, owner := `.matches('^([^_]+_)?[^._]+[.][^._]+[.]infra$')`, `'^([^_]+_)?'`
	if site := s.Site.InNames(); site != "" { // an Application without the site is another's
		tenants = `.matches('^([^_]+_)?([^._]+[.])?[^._]+[.][^._]+[.]infra$')`
		owner = `'^([^_]+_)?` + site + `[.]'`
	}
	variable := func(name, of, key, suffix string) admissionv1.Variable {
		return admissionv1.Variable{Name: name, Expression: fmt.Sprintf("%[2]s in variables.%[1]s ? string(variables.%[1]s[%[2]s])%[3]s : ''", of, key, suffix)}
	}
	policy.Spec.Variables = append(metadataVariables(everyMetadata...),
		variable("oldTracked", "oldAnnotations", tracking, ".split(':')[0]"), variable("newTracked", "newAnnotations",
			tracking, ".split(':')[0]"),
		variable("oldInstance", "oldLabels", instance, ""), variable("newInstance", "newLabels", instance, ""),
	)
	policy.Spec.Validations = []admissionv1.Validation{
		{
			Expression: "[variables.newTracked, variables.newInstance].all(a, !a" + tenants +
				" || a.matches(" + owner + " + request.namespace + '[.]'))",
			Message: "the Application of a tenant's services and hosts may write services into the tenant's namespace only",
		},
		{
			Expression: "(!variables.newTracked" + tenants + " || variables.oldTracked in ['', variables.newTracked]) && " +
				"(!variables.newInstance" + tenants + " || variables.oldInstance in ['', variables.newInstance])",
			Message: "this object is another Application's: the Application of a tenant's services and hosts may not take it over",
		},
	}
	return policy
}

// tenantBinding puts the guard of tenants into force where the hosts are, and where the clusters in waves are.
func (s guards) tenantBinding() admissionv1.ValidatingAdmissionPolicyBinding {
	binding := s.binding(tenantGuard, admissionv1.Deny)
	if binding.Spec.MatchResources == nil {
		return binding
	}
	in := &binding.Spec.MatchResources.NamespaceSelector.MatchExpressions[0]
	in.Values = append(in.Values, s.InWaves...)
	slices.Sort(in.Values)
	in.Values = slices.Compact(in.Values)
	return binding
}
