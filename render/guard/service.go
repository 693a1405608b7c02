package guard

import (
	"strings"

	admissionv1 "k8s.io/api/admissionregistration/v1"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/render/site/virtualhosts"
)

// serviceGuard keeps everybody but the break-glass groups from deleting an object of the site's services, or a
// definition of their kinds: Ironic takes its database and its certificate with it, a Vino its virtual machines, and
// with them the hosts that are tenants'.
func (s guards) serviceGuard() admissionv1.ValidatingAdmissionPolicy {
	policy := s.guard(serviceGuard, admissionv1.Delete)
	resources := func(group string, names ...string) admissionv1.NamedRuleWithOperations {
		return admissionv1.NamedRuleWithOperations{RuleWithOperations: admissionv1.RuleWithOperations{
			Operations: []admissionv1.OperationType{admissionv1.Delete},
			Rule:       admissionv1.Rule{APIGroups: []string{group}, APIVersions: []string{"*"}, Resources: names},
		}}
	}
	policy.Spec.MatchConstraints.ResourceRules = []admissionv1.NamedRuleWithOperations{
		resources("ironic.metal3.io", "ironics"),
		resources("airship.airshipit.org", "vinoes"),
		resources("placement.openstack.org", "placementapis"),
		resources("k8s.mariadb.com", "mariadbs"),
		{RuleWithOperations: admissionv1.RuleWithOperations{
			Operations: []admissionv1.OperationType{admissionv1.Create, admissionv1.Update},
			Rule: admissionv1.Rule{APIGroups: []string{"airship.airshipit.org"}, APIVersions: []string{"*"},
				Resources: []string{"vinoes"}},
		}},
		definitionRule(),
	}
	policy.Spec.MatchConditions = []admissionv1.MatchCondition{s.notBreakGlass()}
	policy.Spec.Variables = metadataVariables("oldLabels")
	policy.Spec.Validations = []admissionv1.Validation{{
		Expression: "request.operation != 'DELETE' || !('" + inventory.SiteLabel +
			"' in variables.oldLabels) || variables.oldLabels['" + inventory.SiteLabel + "'] != '" + s.Site.Name + "'",
		Message: "this is a service of site " + s.Site.Name +
			", which provisions its hosts: take it out of the Site, and then delete it as one of " +
			strings.Join(s.Site.Spec.BreakGlassGroups, ", "),
	}, s.vinoCredentials(),
		s.keepDefinitions("ironics.ironic.metal3.io", "vinoes.airship.airshipit.org",
			"placementapis.placement.openstack.org", "mariadbs.k8s.mariadb.com")}
	return policy
}

// vinoCredentials: without credentials everybody may switch a Vino's hosts.
func (s guards) vinoCredentials() admissionv1.Validation {
	const given = "[object.spec.bmcCredentials.username, object.spec.bmcCredentials.password].all(v, v != '' && !v.contains('${'))"
	if s.Site.Spec.Engine == v1alpha1.EngineArgoCD {
		return admissionv1.Validation{
			Expression: "request.operation == 'DELETE' || has(object.spec.bmcCredentials) && has(object.spec.bmcCredentials.username) && " +
				"has(object.spec.bmcCredentials.password) && " + given,
			Message: "spec.bmcCredentials of a Vino is missing, empty or a variable: git has none, and Argo CD puts none in; make the Vino as PLAN.md says",
		}
	}
	return admissionv1.Validation{
		// Flux puts nothing in place of a key that its Secret does not have.
		Expression: "request.operation == 'DELETE' || " + given,
		Message: "spec.bmcCredentials of a Vino is empty or a variable: the Secret that Flux takes it from needs " +
			virtualhosts.UsernameVariable + " and " +
			virtualhosts.PasswordVariable,
	}
}
