package render

import (
	"slices"
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/schedule"
)

// rulesOf are the rules in the roles of a folder or file, by kind and name.
func rulesOf(t *testing.T, tree Tree, folder string) map[string][]rbacv1.PolicyRule {
	t.Helper()
	rules := map[string][]rbacv1.PolicyRule{}
	for name, role := range objectsOf(t, tree, folder, "ClusterRole", func(r *rbacv1.ClusterRole) string { return r.Name }) {
		rules["everywhere "+name] = role.Rules
	}
	for name, role := range objectsOf(t, tree, folder, "Role", func(r *rbacv1.Role) string { return r.Namespace + " " + r.Name }) {
		rules[name] = role.Rules
	}
	return rules
}

// contains says whether each part of a rule is in one of the rules.
func contains(rules []rbacv1.PolicyRule, part rbacv1.PolicyRule) bool {
	subset := func(all, some []string) bool {
		return !slices.ContainsFunc(some, func(one string) bool { return !slices.Contains(all, one) })
	}
	return slices.ContainsFunc(rules, func(rule rbacv1.PolicyRule) bool {
		return subset(rule.Verbs, part.Verbs) && subset(rule.APIGroups, part.APIGroups) && subset(rule.Resources, part.Resources) &&
			(len(rule.ResourceNames) == 0 || len(part.ResourceNames) > 0 && subset(rule.ResourceNames, part.ResourceNames))
	})
}

// Nobody's rights have no end, guards are never deleted, and the root has what the others have: else it could not give it to them.
func TestAccounts(t *testing.T) {
	const root = "everywhere sipgen-dc1"
	tree := guarded(t, func(s *v1alpha1.Site) { s.Spec.Flux.ServiceAccountName = "fleet" })
	rules := rulesOf(t, tree, "flux/")
	if len(rules) != 8 {
		t.Errorf("found the roles of %d accounts in two scopes, want 8: %v", len(rules), rules)
	}
	for name, all := range rules {
		scope, account, _ := strings.Cut(name, " ")
		for _, rule := range all {
			for _, word := range slices.Concat(rule.Verbs, rule.APIGroups, rule.Resources, rule.ResourceNames, rule.NonResourceURLs) {
				if word == "*" || word == "escalate" || word == "impersonate" || word == "deletecollection" {
					t.Errorf("%s: found %q in %+v", name, word, rule)
				}
			}
			if slices.Contains(rule.Verbs, "delete") && (account == "sipgen-dc1-policy" || slices.Contains(rule.Resources, "validatingadmissionpolicies")) {
				t.Errorf("%s deletes: %+v", name, rule)
			}
			if len(rule.ResourceNames) == 0 && (slices.Contains(rule.Resources, "clusterroles") || slices.Contains(rule.Resources, "clusterrolebindings") ||
				slices.Contains(rule.Resources, "validatingadmissionpolicies") && !slices.Equal(rule.Verbs, []string{"list"})) {
				t.Errorf("%s: found %+v, want it by name", name, rule)
			}
			if !contains(rules[scope+" sipgen-dc1"], rule) {
				t.Errorf("the root does not have what %s has: %+v", name, rule)
			}
		}
	}
	if len(rules[root]) == 0 {
		t.Errorf("found no %s", root)
	}
	// A person applies it: with what the root applies it would try to give itself rights.
	want(t, tree, "flux/kustomization.yaml", "- accounts.yaml")
	wantNot(t, tree, "flux/kustomization.yaml", "root-account.yaml")
	want(t, tree, "flux/root-account.yaml", "kind: ServiceAccount\nmetadata:\n  labels:\n    sipgen.airshipit.org/site: dc1\n  name: fleet\n")
	want(t, tree, "flux/root.yaml", "serviceAccountName: fleet")
	without := guarded(t, nil)
	wantNot(t, without, "flux/root.yaml", "serviceAccountName")
	if without["flux/root-account.yaml"] != nil {
		t.Error("an account of the root that nobody asked for")
	}
}

// A root could not give what comes later: the accounts' rights do not depend on what the site has at the moment.
func TestAccountsStayAsTheyAre(t *testing.T) {
	empty := render(t, Input{Site: testSite(nil), Placement: &schedule.Placement{}})
	for _, file := range []string{"flux/accounts.yaml", "policy/account-guard.yaml"} {
		if full := guarded(t, nil); string(empty[file]) != string(full[file]) || len(full[file]) == 0 {
			t.Errorf("%s is another one with clusters:\n%s", file, full[file])
		}
	}
}

// The guard of accounts is in force in every namespace, and nobody takes it for a guard of hosts. What it denies, the e2e tests ask the API server.
func TestAccountGuard(t *testing.T) {
	tree := guarded(t, func(s *v1alpha1.Site) {
		s.Spec.Hosts.Namespaces, s.Spec.Flux.ServiceAccountName = []string{"metal3"}, "fleet"
	})
	const name = "sipgen-dc1-account-guard-v1"
	binding := objectsOf(t, tree, "policy/", "ValidatingAdmissionPolicyBinding", func(b *admissionv1.ValidatingAdmissionPolicyBinding) string { return b.Name })[name]
	if binding == nil || binding.Spec.MatchResources != nil || len(binding.Labels) > 0 || binding.Spec.PolicyName != name || !slices.Equal(binding.Spec.ValidationActions, []admissionv1.ValidationAction{admissionv1.Deny}) {
		t.Errorf("found %+v", binding)
	}
	guard := func(tree Tree) *admissionv1.ValidatingAdmissionPolicy {
		return objectsOf(t, tree, "policy/", "ValidatingAdmissionPolicy", func(p *admissionv1.ValidatingAdmissionPolicy) string { return p.Name })[name]
	}
	rule := func(tree Tree) (all string) {
		for _, validation := range guard(tree).Spec.Validations {
			all += validation.Expression + "\n"
		}
		return all + guard(tree).Spec.MatchConditions[0].Expression
	}
	for _, words := range []string{"system:serviceaccount:flux-system:fleet", "request.namespace in ['metal3']", "startsWith('kube-')", "'capi-system'"} {
		if !strings.Contains(rule(tree), words) {
			t.Errorf("no %s in %s", words, rule(tree))
		}
	}
	policy := guard(tree)
	guards := func(group, resource string) bool {
		return slices.ContainsFunc(policy.Spec.MatchConstraints.ResourceRules, func(rule admissionv1.NamedRuleWithOperations) bool {
			return slices.Contains(rule.APIGroups, group) && slices.Contains(rule.Resources, resource)
		})
	}
	// Whatever an account may write without a name to hold it to, the guard knows, but for what only the site has.
	for name, rules := range rulesOf(t, tree, "flux/accounts.yaml") {
		for _, rule := range rules {
			if len(rule.ResourceNames) > 0 || strings.HasSuffix(name, "-site") || !slices.Contains(rule.Verbs, "patch") {
				continue
			}
			for _, resource := range rule.Resources {
				if !guards(rule.APIGroups[0], resource) {
					t.Errorf("%s writes %s, and the guard does not know them", name, resource)
				}
			}
		}
	}
	if _, found := guarded(t, func(s *v1alpha1.Site) { s.Spec.Engine = v1alpha1.EngineArgoCD })["policy/account-guard.yaml"]; found {
		t.Error("Argo CD has no accounts to guard")
	}
	granted := guarded(t, func(s *v1alpha1.Site) {
		s.Spec.Hosts.Namespaces, s.Spec.Tenants = []string{"metal3"}, []v1alpha1.Tenant{{Name: "lab", Namespaces: []string{"lab", "lab2"}}}
	})
	if got := rule(granted); !strings.Contains(got, "(request.namespace in ['lab', 'lab2', 'metal3'])") || strings.Contains(got, "kube-") {
		t.Errorf("found %s", got)
	}
}
