package render

import (
	"slices"
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/schedule"
	kustomizev1 "github.com/fluxcd/kustomize-controller/api/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	rbacv1 "k8s.io/api/rbac/v1"
)

// rulesOf are the rules in the roles of a folder or file, by kind and name.
func rulesOf(t *testing.T, tree Tree, folder string) map[string][]rbacv1.PolicyRule {
	t.Helper()
	rules := map[string][]rbacv1.PolicyRule{}
	for name, role := range objectsOf(t, tree, folder, "ClusterRole",
		func(r *rbacv1.ClusterRole) string { return r.Name }) {
		rules["everywhere "+name] = role.Rules
	}
	for name, role := range objectsOf(t, tree, folder, "Role",
		func(r *rbacv1.Role) string { return r.Namespace + " " + r.Name }) {
		rules[name] = role.Rules
	}
	return rules
}

func overlaid(s *v1alpha1.Site) {
	s.Spec.Hosts.Apply, s.Spec.Hosts.Base = v1alpha1.ApplyOverlay, "hosts"
}

// The rights of the account that a Site names have an end, and it deletes no guard. A person applies it: nobody can
// give himself rights.
func TestRootAccount(t *testing.T) {
	tree := guarded(t, func(s *v1alpha1.Site) { s.Spec.Flux.ServiceAccountName = "fleet" })
	rules := rulesOf(t, tree, "flux/")
	assert.Truef(t,
		len(rules) == 2 && len(rules["everywhere sipgen-dc1"]) != 0 && len(rules["flux-system sipgen-dc1"]) != 0,
		"found %v, want the roles of the root", rules)
	for name, all := range rules {
		for _, rule := range all {
			for _, word := range slices.Concat(rule.Verbs, rule.APIGroups, rule.Resources, rule.ResourceNames,
				rule.NonResourceURLs) {
				assert.Truef(t,
					word != "*" && word != "escalate" && word != "impersonate" && word != "deletecollection",
					"%s: found %q in %+v", name, word, rule)
			}
			if slices.Contains(rule.Verbs, "delete") && slices.Contains(rule.Resources, "validatingadmissionpolicies") {
				t.Errorf("%s deletes guards: %+v", name, rule)
			}
			if len(rule.ResourceNames) == 0 && (slices.Contains(rule.Resources, "clusterroles") ||
				slices.Contains(rule.Resources, "clusterrolebindings") ||
				slices.Contains(rule.Resources, "validatingadmissionpolicies") && !slices.Equal(rule.Verbs,
					[]string{"list"})) {
				t.Errorf("%s: found %+v, want it by name", name, rule)
			}
		}
	}
	wantNot(t, tree, "flux/kustomization.yaml", "root-account.yaml")
	want(t, tree, "flux/root-account.yaml",
		"kind: ServiceAccount\nmetadata:\n  labels:\n    sipgen.airshipit.org/site: dc1\n  name: fleet\n")
	for _, file := range []string{"flux/root.yaml", "flux/policy.yaml"} {
		want(t, tree, file, "serviceAccountName: fleet")
		wantNot(t, guarded(t, nil), file, "serviceAccountName")
	}
	// It holds what it grants, patches of hosts among that, and the sync guard lets it change none.
	const root = "system:serviceaccount:flux-system:fleet"
	const rule = "!(request.userInfo.username in ['" + root + "'])"
	for why, row := range map[string]struct {
		change func(*v1alpha1.Site)
		denied bool
	}{
		"merge":      {func(s *v1alpha1.Site) { s.Spec.Flux.ServiceAccountName = "fleet" }, true},
		"no account": {nil, false},
		"Argo CD":    {func(s *v1alpha1.Site) { s.Spec.Engine = v1alpha1.EngineArgoCD }, false},
		"overlay":    {func(s *v1alpha1.Site) { overlaid(s); s.Spec.Flux.ServiceAccountName = "fleet" }, true},
		"it applies hosts": {func(s *v1alpha1.Site) {
			overlaid(s)
			s.Spec.Flux.ServiceAccountName, s.Spec.Flux.Identity = "fleet", root
		}, false},
	} {
		text := string(guarded(t, row.change)["policy/sync-guard.yaml"])
		require.Truef(t, text != "", "%s: no sync guard", why)
		assert.Truef(t, strings.Contains(text, "the account of the root applies no BareMetalHost") == row.denied &&
			strings.Contains(text, rule) == row.denied, "%s: the root's account is denied, want %t:\n%s", why,
			row.denied, text)
	}
	assert.Truef(t, guarded(t, nil)["flux/root-account.yaml"] == nil, "an account of the root that nobody asked for")
	// It could not give what comes later: its rights do not depend on what the site has at the moment.
	empty := render(t, Input{Site: testSite(func(s *v1alpha1.Site) { s.Spec.Flux.ServiceAccountName = "fleet" }),
		Placement: &schedule.Placement{}})
	assert.Equal(t, string(tree["flux/root-account.yaml"]), string(empty["flux/root-account.yaml"]),
		"the root's account is another one with clusters")
}

// A frozen cluster keeps the rights of its services, and its services are applied as their own account.
func TestFrozenKeepsRights(t *testing.T) {
	jump := testCluster("a")
	jump.Spec.Services.JumpHost = []v1.JumpHost{{NodeInterface: "oam", NodePort: 30022}}
	turn := func(previous Tree, c schedule.Cluster) Tree {
		return render(t, Input{Site: testSite(nil), Clusters: []v1.SIPCluster{jump},
			Placement: &schedule.Placement{Clusters: []schedule.Cluster{c}}, Previous: previous})
	}
	const power = "rights/lab/a/jumphost-a.yaml"
	before := turn(nil, placed("a"))
	want(t, before, power, "kind: Role\n", "kind: RoleBinding\n")
	frozen := placed("a")
	frozen.Unschedulable, frozen.Refused = true, []schedule.Refusal{schedule.Contradiction{Problem: "so"}}
	tree := turn(before, frozen)
	account := objectsOf(t, tree, "flux/lab.a", "Kustomization",
		func(k *kustomizev1.Kustomization) string { return k.Name })["lab.a.infra"].Spec.ServiceAccountName
	assert.Truef(t, string(tree[power]) == string(before[power]) && account == "lab.a.infra",
		"its rights changed, or its services are applied as %q", account)
}

// TestReaderNamespaces: hosts are data from outside, and one in kube-system must not make the Secrets there readable.
func TestReaderNamespaces(t *testing.T) {
	placement := &schedule.Placement{}
	for _, namespace := range []string{"metal3", "kube-system", "flux-system", "cert-manager"} {
		placement.Hosts = append(placement.Hosts,
			schedule.HostLine{Host: &inventory.Host{Namespace: namespace, Name: "h"}})
	}
	bound := func(site *v1alpha1.Site) string {
		var out []string
		tree := render(t, Input{Site: site, Placement: placement})
		where := func(b *rbacv1.RoleBinding) string { return b.Name + " " + b.Namespace }
		for name := range objectsOf(t, tree, "policy/", "RoleBinding", where) {
			if namespace, is := strings.CutPrefix(name, "sipgen-dc1-network-data "); is {
				out = append(out, namespace)
			}
		}
		return strings.Join(out, " ")
	}
	assert.Equal(t, "metal3", bound(testSite(nil)))
	named := testSite(func(s *v1alpha1.Site) { s.Spec.Hosts.Namespaces = []string{"kube-system"} })
	assert.Equal(t, "kube-system", bound(named), "of a Site that names the namespace: found bindings in")
}
