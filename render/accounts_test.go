package render

import (
	"slices"
	"testing"

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

// The rights of the account that a Site names have an end, and it deletes no guard. A person applies it: nobody can give himself rights.
func TestRootAccount(t *testing.T) {
	tree := guarded(t, func(s *v1alpha1.Site) { s.Spec.Flux.ServiceAccountName = "fleet" })
	rules := rulesOf(t, tree, "flux/")
	if len(rules) != 2 || len(rules["everywhere sipgen-dc1"]) == 0 || len(rules["flux-system sipgen-dc1"]) == 0 {
		t.Errorf("found %v, want the roles of the root", rules)
	}
	for name, all := range rules {
		for _, rule := range all {
			for _, word := range slices.Concat(rule.Verbs, rule.APIGroups, rule.Resources, rule.ResourceNames, rule.NonResourceURLs) {
				if word == "*" || word == "escalate" || word == "impersonate" || word == "deletecollection" {
					t.Errorf("%s: found %q in %+v", name, word, rule)
				}
			}
			if slices.Contains(rule.Verbs, "delete") && slices.Contains(rule.Resources, "validatingadmissionpolicies") {
				t.Errorf("%s deletes guards: %+v", name, rule)
			}
			if len(rule.ResourceNames) == 0 && (slices.Contains(rule.Resources, "clusterroles") || slices.Contains(rule.Resources, "clusterrolebindings") ||
				slices.Contains(rule.Resources, "validatingadmissionpolicies") && !slices.Equal(rule.Verbs, []string{"list"})) {
				t.Errorf("%s: found %+v, want it by name", name, rule)
			}
		}
	}
	wantNot(t, tree, "flux/kustomization.yaml", "root-account.yaml")
	want(t, tree, "flux/root-account.yaml", "kind: ServiceAccount\nmetadata:\n  labels:\n    sipgen.airshipit.org/site: dc1\n  name: fleet\n")
	for _, file := range []string{"flux/root.yaml", "flux/policy.yaml"} {
		want(t, tree, file, "serviceAccountName: fleet")
		wantNot(t, guarded(t, nil), file, "serviceAccountName")
	}
	if guarded(t, nil)["flux/root-account.yaml"] != nil {
		t.Error("an account of the root that nobody asked for")
	}
	// It could not give what comes later: its rights do not depend on what the site has at the moment.
	empty := render(t, Input{Site: testSite(func(s *v1alpha1.Site) { s.Spec.Flux.ServiceAccountName = "fleet" }), Placement: &schedule.Placement{}})
	if string(empty["flux/root-account.yaml"]) != string(tree["flux/root-account.yaml"]) {
		t.Errorf("the root's account is another one with clusters:\n%s", tree["flux/root-account.yaml"])
	}
}
