package e2e_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/airshipit/sipgen/render/object"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// facts is an API server with engines and without any policy: here the engines may do what they do.
type facts struct {
	api  *engine.APIServer
	flux *engine.Flux
	argo *engine.Argo
}

var withoutPolicy = engine.Shared(func(t testing.TB) *facts {
	api := engine.StartAPIServer(t, engine.Options{})
	api.InstallCRDs(t, engine.HostCRDs(t)...)
	return &facts{api: api, flux: engine.StartFlux(t, api)}
})

// bothWithoutPolicy has Argo CD, too.
var bothWithoutPolicy = engine.Shared(func(t testing.TB) *facts {
	both := *withoutPolicy(t)
	both.argo = engine.StartArgo(t, both.api)
	return &both
})

const clusterName = "sip.airshipit.org/cluster-name"

// The sync options of Argo CD, with and without what keeps it from taking a host's spec over.
const (
	argoSafe      = "ServerSideApply=true, ClientSideApplyMigration=false, Prune=false, Delete=false, FailOnSharedResource=true"
	argoMigrating = "ServerSideApply=true, Prune=false, Delete=false"
	fluxGuard     = "kustomize.toolkit.fluxcd.io/ssa: Merge, kustomize.toolkit.fluxcd.io/prune: disabled"
	fluxUnguarded = "kustomize.toolkit.fluxcd.io/prune: disabled"
	argoGuard     = `argocd.argoproj.io/sync-options: "Prune=false,Delete=false,ServerSideApply=true"`
)

// fact is one row of what the engines were measured to do.
type fact struct {
	row    string
	engine string
	what   string
	// made is how the host came to be; "" means that there is none.
	made string
	// fix is done to the host before the first sync, with kubectl.
	fix []string
	// guard are the annotations in the patch, options the sync options of an Argo CD Application.
	guard, options string
	// policy: the API server denies the engine a change of the spec.
	policy bool
	steps  []factStep
}

type factStep struct {
	name string
	// patch is in the folder that is synced; without one the folder is empty.
	patch bool
	// label is the value of the cluster's name in the patch, "" for none.
	label string
	// uid is what the patch says: "live", "other", or "" for nothing.
	uid string
	// fails is what the failure says; "" is for a sync that succeeds.
	fails string
	// wantLabel is the live host's label afterwards.
	wantLabel string
	// harm is what happens to the host that should not, by words in the difference.
	harm string
	// restore: before, its manifest is applied again. merge: before, the policy ends, and the patch is a merge from now
	// on.
	restore, merge bool
	// owner is a manager that owns the spec afterwards.
	owner string
}

var (
	assign  = factStep{name: "assign", patch: true, label: "edge-a", uid: "live", wantLabel: "edge-a"}
	release = factStep{name: "release", patch: true, uid: "live"}
	removed = []string{"annotate", "kubectl.kubernetes.io/last-applied-configuration-"}
)

func (s factStep) with(change func(*factStep)) factStep {
	change(&s)
	return s
}

var wiped = []factStep{assign.with(func(s *factStep) { s.harm = "spec is null" })}

func otherUID(fails, harm string) []factStep {
	return []factStep{{name: "assign", patch: true, label: "edge-a", uid: "other", fails: fails, harm: harm}}
}

// What else is in a patch, and what comes of it, is in the rows of sites: rowRelease takes labels back from hosts that
// were made in each way, rowDeleted has the uids with Flux, and rowFileDeleted what is dropped from the set.
var measured = []fact{
	{row: "4", engine: "flux", what: "without a uid a host that is not there is created, empty", guard: fluxGuard,
		steps: []factStep{
			{name: "assign", patch: true, label: "edge-a", wantLabel: "edge-a", harm: "was created, with spec null"},
		}},
	{row: "6", engine: "flux", what: "without merge the spec of a host by kubectl apply is wiped, as often as it is restored",
		made: "kubectl apply", guard: fluxUnguarded,
		steps: []factStep{wiped[0], wiped[0].with(func(s *factStep) { s.name, s.restore = "restore", true })}},
	{row: "6+13", engine: "flux",
		what: "a policy stops that, but Flux owns the spec from then on, and without the policy even a merge wipes it",
		made: "kubectl apply", guard: fluxUnguarded, policy: true,
		steps: []factStep{
			// The price of a policy that looks at the spec only: kubectl's annotation is gone.
			assign.with(func(s *factStep) {
				s.fails, s.wantLabel, s.harm, s.owner = "spec may not change", "", "foreign annotations", "kustomize-controller"
			}),
			wiped[0].with(func(s *factStep) { s.name, s.merge = "merge, without the policy", true }),
		}},
	{row: "7+13", engine: "argocd", what: "without migration a policy stops it, but Argo CD owns the spec from then on",
		made: "kubectl apply", guard: argoGuard, options: argoSafe, policy: true,
		steps: []factStep{assign.with(func(s *factStep) { s.fails, s.owner = "spec may not change", "argocd-controller" })}},
	{row: "7", engine: "argocd", what: "the spec of a host by kubectl apply is wiped",
		made: "kubectl apply", guard: argoGuard, options: argoMigrating, steps: wiped},
	{row: "7", engine: "argocd", what: "the same without migration",
		made: "kubectl apply", guard: argoGuard, options: argoSafe, steps: wiped},
	{row: "8", engine: "argocd", what: "the same with migration and without the annotation",
		made: "kubectl apply", fix: removed, guard: argoGuard, options: argoMigrating, steps: wiped},
	{row: "12", engine: "argocd", what: "an object dropped leaves its labels, and the Application out of sync",
		made: "controller", guard: argoGuard, options: argoSafe,
		steps: []factStep{assign, {name: "object dropped", wantLabel: "edge-a"}}},
	{row: "5", engine: "argocd", what: "with a uid a host that is not there is not created",
		guard: argoGuard, options: argoSafe, steps: otherUID("uid mismatch", "")},
	{row: "5", engine: "argocd", what: "with a uid a host that was re-created is not touched",
		made: "controller", guard: argoGuard, options: argoSafe, steps: otherUID("field is immutable", "")},
	{row: "force", engine: "flux", what: "force deletes a host that was re-created since",
		made: "controller", guard: fluxGuard + ", kustomize.toolkit.fluxcd.io/force: enabled",
		steps: otherUID("uid mismatch", "is gone")},
	{row: "co-owned", engine: "flux", what: "a label that another manager set to the same value stays, and goes after another value",
		made: "controller", fix: []string{"label", clusterName + "=edge-a", "--field-manager=sip-operator"},
		guard: fluxGuard,
		steps: []factStep{
			assign,
			release.with(func(s *factStep) { s.wantLabel = "edge-a" }),
			assign.with(func(s *factStep) { s.name, s.label, s.wantLabel = "take over", "sipgen-releasing", "sipgen-releasing" }),
			release,
		}},
}

// TestWhatEnginesDo holds the rows on which the rendering rests against the engines themselves, the harmful ones too: a
// row that no longer holds is a reason to think again.
func TestWhatEnginesDo(t *testing.T) {
	env := bothWithoutPolicy(t)
	for i, f := range measured {
		t.Run(fmt.Sprintf("%s/row %s/%s", f.engine, f.row, f.what), func(t *testing.T) {
			t.Parallel()
			env.run(t, f, fmt.Sprintf("fact-%d", i))
		})
	}
}

func (env *facts) run(t *testing.T, f fact, ns string) {
	env.api.Namespaces(t, ns)
	uid := ""
	if f.made != "" {
		uid = makeHost(t, env.api, f.made, ns, "node-1", "r1")
	}
	if len(f.fix) > 0 {
		host := []string{"--overwrite", "-n", ns, "baremetalhosts.metal3.io/node-1"}
		env.api.Kubectl(t, "", slices.Concat(f.fix[:1], host, f.fix[1:])...)
	}
	if f.policy {
		env.api.Apply(t, "e2e", strings.ReplaceAll(specPolicy, "NS", ns))
		env.api.WaitPolicies(t, ns)
	}
	untouched := engine.WantUntouched(t, env.api, ns)
	repo := engine.NewRepo(t)
	if f.engine == "flux" {
		env.flux.Source(t, ns, "site", repo)
	}
	for i, s := range f.steps {
		if s.restore {
			env.api.Kubectl(t, hostManifest(ns, "node-1", "r1"), "apply", "-f", "-")
			untouched.Accept(t)
		}
		if s.merge {
			f.guard = fluxGuard
			env.endPolicy(t, ns)
		}
		commit := repo.Commit(t, s.name, factFiles(ns, uid, f, s))
		env.sync(t, f, s, ns, repo, commit, i == 0)
		got := strings.Join(untouched.Differences(t), "\n")
		assert.Truef(t, strings.Contains(got, s.harm) && (got == "") == (s.harm == ""),
			"after %s: want the harm %q, found %q", s.name, s.harm, got)
		if env.api.Exists(t, engine.Hosts, ns, "node-1") {
			assert.Equal(t, s.wantLabel, env.api.OurLabels(t, ns, "node-1")[clusterName], "after "+s.name)
		}
		if s.owner != "" {
			live := env.api.Get(t, engine.Hosts, ns, "node-1")
			is := func(m metav1.ManagedFieldsEntry) bool {
				return m.Manager == s.owner && m.FieldsV1 != nil && strings.Contains(string(m.FieldsV1.GetRawBytes()),
					`"f:spec":`)
			}
			assert.Truef(t, slices.ContainsFunc(live.GetManagedFields(), is), "after %s: %s does not own the spec: %v",
				s.name, s.owner, live.GetManagedFields())
		}
	}
}

// specPolicy lets service accounts change everything of a namespace's hosts but their spec.
const specPolicy = `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: fact-NS}
spec:
  failurePolicy: Fail
  matchConstraints:
    resourceRules: [{apiGroups: [metal3.io], apiVersions: ['*'], resources: [baremetalhosts], operations: [UPDATE]}]
  matchConditions: [{name: engines, expression: "request.userInfo.username.startsWith('system:serviceaccount:')"}]
  validations:
  - expression: "has(object.spec) == has(oldObject.spec) && (!has(object.spec) || object.spec == oldObject.spec)"
    message: "spec may not change"
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: fact-NS}
spec:
  policyName: fact-NS
  validationActions: [Deny]
  matchResources: {namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: NS}}}
`

// endPolicy takes specPolicy back, and waits until an engine may change a spec.
func (env *facts) endPolicy(t *testing.T, ns string) {
	t.Helper()
	env.api.Delete(t, guardBindings, "", "fact-"+ns)
	probe := engine.Objects(t, []byte("apiVersion: metal3.io/v1alpha1\nkind: BareMetalHost\n"+
		"metadata: {namespace: "+ns+", name: node-1}\nspec: {online: false}\n"))[0]
	client := engine.NewClient(t, env.api.As("system:serviceaccount:flux-system:kustomize-controller",
		"system:masters"))
	engine.Wait(t, "the end of the policy", engine.SyncTimeout,
		func() error { return client.TryApply(probe, "probe", true) })
}

// sync has the engine sync a commit, and waits for the outcome.
func (env *facts) sync(t *testing.T, f fact, s factStep, ns string, repo *engine.Repo, commit string, first bool) {
	t.Helper()
	if f.engine == "flux" {
		revision := env.flux.Publish(t, ns, "site", repo)
		if first {
			env.api.Apply(t, "e2e", fmt.Sprintf(`
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {namespace: %s, name: hosts}
spec: {interval: 1h, retryInterval: 2s, path: ./hosts, prune: false, force: false, deletionPolicy: Orphan, sourceRef: {kind: GitRepository, name: site}}
`, ns))
		}
		if s.fails != "" {
			env.flux.WaitFailed(t, ns, "hosts", revision, s.fails)
			return
		}
		env.flux.WaitApplied(t, ns, "hosts", revision)
		return
	}
	if first {
		env.api.Apply(t, "e2e", fmt.Sprintf(`
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {namespace: argocd, name: %s}
spec:
  project: default
  source: {repoURL: %q, targetRevision: main, path: hosts}
  destination: {server: %s, namespace: argocd}
  syncPolicy: {automated: {prune: false, selfHeal: true, allowEmpty: true}, syncOptions: [%s]}
`, ns, repo.URL(), engine.ArgoServer, f.options))
	} else {
		env.argo.Refresh(t, ns)
	}
	switch {
	case s.fails != "":
		env.argo.WaitFailed(t, ns, commit, s.fails)
	case !s.patch:
		env.argo.WaitOutOfSync(t, ns, commit)
	default:
		env.argo.WaitSynced(t, ns, commit)
	}
}

func factFiles(ns, uid string, f fact, s factStep) map[string][]byte {
	kustomization := "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n"
	// Flux refuses a kustomization without anything in it.
	other := fmt.Sprintf("apiVersion: v1\nkind: ConfigMap\nmetadata: {namespace: %s, name: other}\n", ns)
	if !s.patch {
		return map[string][]byte{"hosts/kustomization.yaml": []byte(kustomization + "resources: [other.yaml]\n"),
			"hosts/other.yaml": []byte(other)}
	}
	labels := "{}"
	if s.label != "" {
		labels = fmt.Sprintf("{%s: %s}", clusterName, s.label)
	}
	identity := ""
	switch s.uid {
	case "live":
		identity = ", uid: " + uid
	case "other":
		identity = ", uid: 00000000-0000-4000-8000-000000000000"
	}
	patch := fmt.Sprintf("apiVersion: metal3.io/v1alpha1\nkind: BareMetalHost\n"+
		"metadata: {namespace: %s, name: node-1%s, labels: %s, annotations: {%s}}\n", ns, identity, labels, f.guard)
	return map[string][]byte{
		"hosts/kustomization.yaml": []byte(kustomization + "resources: [host.yaml, other.yaml]\n"),
		"hosts/host.yaml":          []byte(patch), "hosts/other.yaml": []byte(other),
	}
}

// TestModesOfFiles: kubectl and both engines read a mode of files in octal, as trees have it: each engine's kustomize
// and whatever reads what kustomize wrote.
func TestModesOfFiles(t *testing.T) {
	env := bothWithoutPolicy(t)
	deployments := appsv1.SchemeGroupVersion.WithResource("deployments")
	mode := func(ns string) {
		t.Helper()
		live := env.api.Get(t, deployments, ns, "modes")
		var d appsv1.Deployment
		require.NoError(t, runtime.DefaultUnstructuredConverter.FromUnstructured(live.Object, &d))
		assert.Equal(t, int32(0o440), *d.Spec.Template.Spec.Volumes[0].Secret.DefaultMode, ns)
	}
	synced := factStep{patch: true}
	for _, row := range []fact{{engine: "flux"}, {engine: "argocd", options: "ServerSideApply=true"}} {
		ns := "modes-" + row.engine
		env.api.Namespaces(t, ns)
		text, err := object.Marshal(modes(ns))
		require.NoError(t, err)
		assert.Contains(t, string(text), "defaultMode: 0440\n")
		repo := engine.NewRepo(t)
		if row.engine == "flux" {
			env.flux.Source(t, ns, "site", repo)
		}
		commit := repo.Commit(t, "modes",
			map[string][]byte{"hosts/modes.yaml": text, "hosts/kustomization.yaml": []byte(
				"apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [modes.yaml]\n")})
		env.sync(t, row, synced, ns, repo, commit, true)
		mode(ns)
	}
	env.api.Namespaces(t, "modes-kubectl")
	text, err := object.Marshal(modes("modes-kubectl"))
	require.NoError(t, err)
	env.api.Kubectl(t, string(text), "apply", "-f", "-")
	mode("modes-kubectl")
}

// modes is a Deployment with a volume for the pod's group alone.
func modes(ns string) *appsv1.Deployment {
	labels := map[string]string{"app": "modes"}
	d := &appsv1.Deployment{TypeMeta: metav1.TypeMeta{APIVersion: "apps/v1", Kind: "Deployment"},
		ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "modes"}}
	none, readable := int32(0), int32(0o440)
	d.Spec.Replicas, d.Spec.Selector = &none, &metav1.LabelSelector{MatchLabels: labels}
	d.Spec.Template.Labels = labels
	d.Spec.Template.Spec = corev1.PodSpec{
		Containers: []corev1.Container{{Name: "c", Image: "i"}},
		Volumes: []corev1.Volume{{Name: "keys", VolumeSource: corev1.VolumeSource{
			Secret: &corev1.SecretVolumeSource{SecretName: "keys", DefaultMode: &readable}}}},
	}
	return d
}
