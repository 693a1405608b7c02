package render

import (
	"maps"
	"slices"
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/render/infra"
	"github.com/airshipit/sipgen/schedule"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

// guarded is a site with a cluster that has hosts and services, one that is gone, and something for the whole site.
func guarded(t *testing.T, change func(*v1alpha1.Site)) Tree {
	t.Helper()
	jump := testCluster("a")
	jump.Spec.Services.JumpHost = []v1.JumpHost{{NodeInterface: "oam", NodePort: 30022}}
	left := testCluster("b")
	left.Spec.Services.LoadBalancerControlPlane[0].NodePort = 30001
	site := testSite(change)
	before := render(t, Input{Site: site, Clusters: []v1.SIPCluster{jump, left},
		Placement: &schedule.Placement{Clusters: []schedule.Cluster{placed("a"), placed("b")}}})
	gone := placed("b")
	gone.Gone = true
	return render(t, Input{Site: site, Clusters: []v1.SIPCluster{jump},
		Placement: &schedule.Placement{Clusters: []schedule.Cluster{placed("a"), gone}}, Previous: before})
}

// objectsOf reads the objects of a folder, strictly, by their names.
func objectsOf[T any](t *testing.T, tree Tree, folder, kind string, name func(*T) string) map[string]*T {
	t.Helper()
	out := map[string]*T{}
	for path, content := range tree {
		if !strings.HasPrefix(path, folder) || strings.HasSuffix(path, "kustomization.yaml") {
			continue
		}
		for _, document := range strings.Split(string(content), "\n---\n") {
			var meta metav1.TypeMeta
			require.NoError(t, yaml.Unmarshal([]byte(document), &meta))
			if meta.Kind != kind {
				continue
			}
			object := new(T)
			err := yaml.UnmarshalStrict([]byte(document), object)
			require.Truef(t, err == nil, "%s: %v", path, err)
			out[name(object)] = object
		}
	}
	return out
}

// A host patch says which host, its labels and what keeps its engine from deleting it. Whatever else it said, an apply
// would take for the host's new state.
func TestHostPatchesSayNothingElse(t *testing.T) {
	for _, engine := range []v1alpha1.Engine{v1alpha1.EngineFlux, v1alpha1.EngineArgoCD} {
		patches := 0
		for path, content := range guarded(t, func(s *v1alpha1.Site) { s.Spec.Engine = engine }) {
			if !strings.Contains(path, "/hosts/metal3.") {
				continue
			}
			patches++
			for _, word := range map[v1alpha1.Engine][]string{
				v1alpha1.EngineFlux:   {"ssa: Merge", "prune: disabled"},
				v1alpha1.EngineArgoCD: {"Prune=false,Delete=false,ServerSideApply=true", "IgnoreExtraneous"},
			}[engine] {
				assert.Contains(t, string(content), word, path)
			}
			var patch map[string]any
			require.NoError(t, yaml.Unmarshal(content, &patch))
			metadata, _ := patch["metadata"].(map[string]any)
			for key := range patch {
				assert.Truef(t, slices.Contains([]string{"apiVersion", "kind", "metadata"}, key),
					"%s: %s: a patch says %s", engine, path, key)
			}
			for key := range metadata {
				assert.Truef(t, slices.Contains([]string{"namespace", "name", "uid", "labels", "annotations"}, key),
					"%s: %s: a patch says metadata.%s", engine, path, key)
			}
		}
		assert.Equal(t, 4, patches, engine)
	}
}

// TestGuardsFailClosed is contract 27: a guard that cannot be evaluated denies, and what it is bound to is denied, not
// logged.
func TestGuardsFailClosed(t *testing.T) {
	for _, engine := range []v1alpha1.Engine{v1alpha1.EngineFlux, v1alpha1.EngineArgoCD} {
		tree := guarded(t, func(s *v1alpha1.Site) { s.Spec.Engine = engine })
		for _, folder := range []string{"policy/", "site/"} {
			policies := objectsOf(t, tree, folder, "ValidatingAdmissionPolicy",
				func(p *admissionv1.ValidatingAdmissionPolicy) string { return p.Name })
			bindings := objectsOf(t, tree, folder, "ValidatingAdmissionPolicyBinding",
				func(b *admissionv1.ValidatingAdmissionPolicyBinding) string { return b.Spec.PolicyName })
			assert.Truef(t, len(policies) != 0, "%s: no policy in %s", engine, folder)
			for name, policy := range policies {
				// An absent failurePolicy is Fail too, but nobody who reviews a tree has to know that.
				assert.Truef(t, policy.Spec.FailurePolicy != nil && *policy.Spec.FailurePolicy == admissionv1.Fail,
					"%s: %s: failurePolicy is %v, want Fail", engine, name, policy.Spec.FailurePolicy)
				want := admissionv1.Deny
				if name == "sipgen-dc1-label-guard-v1" {
					want = admissionv1.Audit // until the Site enforces it
				}
				if b := bindings[name]; b == nil ||
					!slices.Equal(b.Spec.ValidationActions, []admissionv1.ValidationAction{want}) ||
					b.Spec.MatchResources != nil {
					t.Errorf("%s: %s: the binding is %v, want one for all namespaces that says %s", engine, name, b,
						want)
				}
			}
		}
	}
}

// TestGuardsForbid is contract 27: every rule of every guard denies with the reason Forbidden. Flux takes a denial
// without a reason for an immutable field: it deletes and recreates an object that has its force annotation.
func TestGuardsForbid(t *testing.T) {
	overlay := func(s *v1alpha1.Site) {
		s.Spec.Hosts.Apply, s.Spec.Hosts.Base = v1alpha1.ApplyOverlay, "metal"
		s.Spec.Flux.Identity = v1alpha1.KustomizeController("flux-system")
	}
	rules := map[string]int{}
	for _, tree := range []Tree{
		guarded(t, func(*v1alpha1.Site) {}), guarded(t, overlay), guarded(t, inWaves),
		services(t, siteOf(t, "flux", ironicPlain), nil),
	} {
		for _, folder := range []string{"policy/", "site/"} {
			for name, policy := range objectsOf(t, tree, folder, "ValidatingAdmissionPolicy",
				func(p *admissionv1.ValidatingAdmissionPolicy) string { return p.Name }) {
				for i, rule := range policy.Spec.Validations {
					rules[strings.TrimSuffix(strings.TrimPrefix(name, "sipgen-dc1-"), "-v1")]++
					assert.Truef(t, rule.Reason != nil && *rule.Reason == metav1.StatusReasonForbidden,
						"%s: spec.validations[%d].reason: found %v, want Forbidden", name, i, rule.Reason)
				}
			}
		}
	}
	want := []string{"delete-guard", "in-use-guard", "jump-host-guard", "label-guard", "service-guard", "sync-guard",
		"tenant-guard"}
	assert.Equal(t, want, slices.Sorted(maps.Keys(rules)), "guards with rules: found")
}

// TestGuardsOfManifestsInGit: with the hosts' manifests in git, the guard of what an engine syncs is the same for both
// engines but for whom it is for.
func TestGuardsOfManifestsInGit(t *testing.T) {
	guard := func(engine v1alpha1.Engine) admissionv1.ValidatingAdmissionPolicySpec {
		tree := guarded(t, func(s *v1alpha1.Site) {
			s.Spec.Engine, s.Spec.Hosts.Apply, s.Spec.Hosts.Base = engine, v1alpha1.ApplyOverlay, "metal"
			s.Spec.Flux.Identity = v1alpha1.KustomizeController("flux-system")
		})
		found := objectsOf(t, tree, "policy/", "ValidatingAdmissionPolicy",
			func(p *admissionv1.ValidatingAdmissionPolicy) string { return p.Name })["sipgen-dc1-sync-guard-v1"]
		require.NotNil(t, found, engine)
		spec := found.Spec
		require.Len(t, spec.MatchConditions, 1)
		require.NotEmpty(t, spec.Validations)
		spec.MatchConditions = nil
		return spec
	}
	assert.Equal(t, guard(v1alpha1.EngineFlux), guard(v1alpha1.EngineArgoCD))
}

// Sites on one API server have guards of their own, for their own namespaces, and nothing prunes them.
func TestGuardsOfASite(t *testing.T) {
	for _, apply := range []v1alpha1.ApplyMode{v1alpha1.ApplyMerge, v1alpha1.ApplyOverlay} {
		tree := guarded(t, func(s *v1alpha1.Site) {
			s.Spec.Hosts.Namespaces, s.Spec.LabelGuard.Enforce = []string{"metal3", "edge", "metal3"}, true
			if s.Spec.Hosts.Apply = apply; apply == v1alpha1.ApplyOverlay {
				s.Spec.Hosts.Base, s.Spec.Flux.Identity = "metal", v1alpha1.KustomizeController("flux-system")
			}
		})
		names := []string{"sipgen-dc1-delete-guard-v1", "sipgen-dc1-in-use-guard-v1", "sipgen-dc1-label-guard-v1",
			"sipgen-dc1-sync-guard-v1"}
		writer, synced := v1alpha1.KustomizeController("flux-system"), "'"+v1alpha1.KustomizeController("flux-system")+
			"'"
		if apply == v1alpha1.ApplyMerge {
			writer = "system:serviceaccount:flux-system:sipgen-dc1-hosts"
			synced = "'" + writer + "'"
		}
		bindings := objectsOf(t, tree, "policy/", "ValidatingAdmissionPolicyBinding",
			func(b *admissionv1.ValidatingAdmissionPolicyBinding) string { return b.Name })
		assert.Equal(t, names, slices.Sorted(maps.Keys(bindings)), apply)
		for name, b := range bindings {
			assert.Truef(t,
				slices.Equal(b.Spec.ValidationActions, []admissionv1.ValidationAction{admissionv1.Deny}) &&
					b.Spec.PolicyName == name && b.Labels["sipgen.airshipit.org/site"] == "dc1",
				"%s: %s: found %+v", apply, name, b)
			assert.Truef(t,
				b.Spec.MatchResources != nil &&
					metav1.FormatLabelSelector(b.Spec.MatchResources.NamespaceSelector) == "kubernetes.io/metadata.name in (edge,metal3)",
				"%s: %s: found %v, want the site's namespaces", apply, name, b.Spec.MatchResources)
			assert.Truef(t, maps.Equal(b.Annotations, neverPruned[v1alpha1.EngineFlux]),
				"%s: %s: found %v, want it never pruned", apply, name, b.Annotations)
		}
		want(t, tree, "policy/label-guard.yaml", "username in ['"+writer+"'])")
		want(t, tree, "policy/in-use-guard.yaml", "username in ['"+writer+"'])", "operations: [UPDATE]\n")
		policies := objectsOf(t, tree, "policy/", "ValidatingAdmissionPolicy",
			func(p *admissionv1.ValidatingAdmissionPolicy) string { return p.Name })
		guard := policies["sipgen-dc1-sync-guard-v1"]
		if got := guard.Spec.MatchConditions; len(got) != 1 ||
			got[0].Expression != "request.userInfo.username in ["+synced+"]" {
			t.Errorf("%s: the sync guard is for %v, want %s", apply, got, synced)
		}
		// Whole hosts are applied from an overlay: they are made by it, too.
		if operations := guard.Spec.MatchConstraints.ResourceRules[0].Operations; slices.Contains(operations,
			admissionv1.Create) != (apply == v1alpha1.ApplyMerge) || !slices.Contains(operations, admissionv1.Update) {
			t.Errorf("%s: the sync guard is for %v", apply, operations)
		}
	}
}

// neverPruned is what keeps each engine from deleting an object.
var neverPruned = map[v1alpha1.Engine]map[string]string{
	v1alpha1.EngineFlux: {"kustomize.toolkit.fluxcd.io/prune": "disabled"},
	v1alpha1.EngineArgoCD: {"argocd.argoproj.io/sync-options": "Prune=false,Delete=false",
		"argocd.argoproj.io/compare-options": "IgnoreExtraneous"},
}

// Dex keeps its state in resources of its own, signing keys among them. Without their definitions all of it is gone.
func TestDefinitionsStay(t *testing.T) {
	dex := testCluster("a")
	dex.Spec.Services.Dex = []v1.Dex{{
		Issuer: "https://dex.example", TLS: v1.DexTLS{SecretName: "dex-tls"},
		Connectors:    []apiextensionsv1.JSON{{Raw: []byte(`{"type":"mockCallback","id":"mock","name":"Mock"}`)}},
		StaticClients: []v1.DexClient{{ID: "kubernetes", Public: true}},
	}}
	for engine, annotations := range neverPruned {
		objects, err := infra.SiteObjects(testSite(func(s *v1alpha1.Site) { s.Spec.Engine = engine }),
			[]v1.SIPCluster{dex})
		require.NoError(t, err)
		definitions := objectsOf(t, objects, "dex-crds.yaml", "CustomResourceDefinition",
			func(d *apiextensionsv1.CustomResourceDefinition) string { return d.Name })
		require.Truef(t, len(definitions) != 0, "no definitions")
		for name, d := range definitions {
			assert.Truef(t, maps.Equal(d.Annotations, annotations), "%s: %s: found %v, want it never pruned", engine,
				name, d.Annotations)
		}
	}
}
