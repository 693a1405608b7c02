package e2e_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/airshipit/sipgen/hack/need"
)

// facts is an API server with both engines and without any policy: here the engines may do what they do.
type facts struct {
	api  *engine.APIServer
	flux *engine.Flux
	argo *engine.Argo
}

var withoutPolicy = engine.Shared(func(t testing.TB) *facts {
	api := engine.StartAPIServer(t, engine.Options{})
	api.InstallCRDs(t, engine.HostCRDs(t)...)
	return &facts{api: api, flux: engine.StartFlux(t, api), argo: engine.StartArgo(t, api)}
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
	// policy puts the admission policy in the engine's way.
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
	// before is done to the host, by kubectl, before the sync; restore applies its manifest again.
	before  []string
	restore bool
	// guard replaces the row's, and unguarded takes the row's policy away.
	guard     string
	unguarded bool
	// fails is what the failure says; "" is for a sync that succeeds.
	fails string
	// outOfSync: the engine is done, and says that the cluster is not as git says.
	outOfSync bool
	// wantLabel is the live host's label afterwards.
	wantLabel string
	// harm is what happens to the host that should not, by words in the difference.
	harm []string
	// wantOwner is a manager that owns the spec afterwards.
	wantOwner string
}

var (
	assign  = factStep{name: "assign", patch: true, label: "edge-a", uid: "live", wantLabel: "edge-a"}
	release = factStep{name: "release", patch: true, uid: "live"}
	dropped = factStep{name: "object dropped", wantLabel: "edge-a"}
	removed = []string{"annotate", "kubectl.kubernetes.io/last-applied-configuration-"}
)

func (s factStep) with(change func(*factStep)) factStep {
	change(&s)
	return s
}

func wiped(s *factStep) { s.harm = []string{"spec is null"} }

var measured = []fact{
	{row: "1+2", engine: "flux", what: "merge sets a label and takes it back", made: "kubectl apply", guard: fluxGuard, steps: []factStep{assign, release}},
	{row: "1+2", engine: "flux", what: "the same on a host by server-side apply", made: "server-side apply", guard: fluxGuard, steps: []factStep{assign, release}},
	{row: "3", engine: "flux", what: "an object dropped from the set leaves its labels", made: "kubectl create", guard: fluxGuard, steps: []factStep{assign, dropped}},
	{row: "4", engine: "flux", what: "without a uid a host that is not there is created, empty", guard: fluxGuard, steps: []factStep{
		{name: "assign", patch: true, label: "edge-a", wantLabel: "edge-a", harm: []string{"was created, with spec null"}},
	}},
	{row: "5", engine: "flux", what: "with a uid a host that is not there is not created", guard: fluxGuard, steps: []factStep{
		{name: "assign", patch: true, label: "edge-a", uid: "other", fails: "uid mismatch"},
	}},
	{row: "5", engine: "flux", what: "with a uid a host that was re-created is not touched", made: "controller", guard: fluxGuard, steps: []factStep{
		{name: "assign", patch: true, label: "edge-a", uid: "other", fails: "field is immutable"},
	}},
	{row: "6", engine: "flux", what: "without merge the spec of a host by kubectl apply is wiped, as often as it is restored", made: "kubectl apply", guard: fluxUnguarded, steps: []factStep{
		assign.with(wiped),
		assign.with(wiped).with(func(s *factStep) { s.name, s.restore = "restore", true }),
	}},
	{row: "6+13", engine: "flux", what: "the policy stops that, but Flux owns the spec from then on, and without the policy even a merge wipes it", made: "kubectl apply", guard: fluxUnguarded, policy: true, steps: []factStep{
		assign.with(func(s *factStep) {
			s.fails, s.wantLabel, s.wantOwner = "spec may not change", "", "kustomize-controller"
			// The price of a policy that looks at the spec only: kubectl's annotation is gone.
			s.harm = []string{"foreign annotations"}
		}),
		assign.with(wiped).with(func(s *factStep) { s.name, s.guard, s.unguarded = "merge, without the policy", fluxGuard, true }),
	}},
	{row: "7+13", engine: "argocd", what: "without migration the policy stops it, but Argo CD owns the spec from then on", made: "kubectl apply", guard: argoGuard, options: argoSafe, policy: true, steps: []factStep{
		assign.with(func(s *factStep) { s.fails, s.wantOwner = "spec may not change", "argocd-controller" }),
		assign.with(func(s *factStep) {
			s.name, s.before, s.harm = "the annotation removed, too late", removed, []string{"foreign annotations"}
			s.fails, s.wantOwner = "spec may not change", "argocd-controller"
		}),
	}},
	{row: "7", engine: "argocd", what: "the spec of a host by kubectl apply is wiped", made: "kubectl apply", guard: argoGuard, options: argoMigrating, steps: []factStep{
		assign.with(wiped),
	}},
	{row: "7", engine: "argocd", what: "the same without migration", made: "kubectl apply", guard: argoGuard, options: argoSafe, steps: []factStep{
		assign.with(wiped),
	}},
	{row: "8", engine: "argocd", what: "the same with migration and without the annotation", made: "kubectl apply", fix: removed, guard: argoGuard, options: argoMigrating, steps: []factStep{
		assign.with(wiped),
	}},
	{row: "9", engine: "argocd", what: "neither annotation nor migration: intact", made: "kubectl apply", fix: removed, guard: argoGuard, options: argoSafe, steps: []factStep{assign, release}},
	{row: "10+11", engine: "argocd", what: "a host by kubectl create", made: "kubectl create", guard: argoGuard, options: argoSafe, steps: []factStep{assign, release}},
	{row: "10+11", engine: "argocd", what: "a host by server-side apply", made: "server-side apply", guard: argoGuard, options: argoSafe, steps: []factStep{assign, release}},
	{row: "10+11", engine: "argocd", what: "a host by a controller", made: "controller", guard: argoGuard, options: argoSafe, steps: []factStep{assign, release}},
	{row: "12", engine: "argocd", what: "an object dropped leaves its labels, and the Application out of sync", made: "controller", guard: argoGuard, options: argoSafe, steps: []factStep{
		assign, dropped.with(func(s *factStep) { s.outOfSync = true }),
	}},
	{row: "12", engine: "argocd", what: "with IgnoreExtraneous on the host the Application stays in sync", made: "controller", guard: argoGuard + ", argocd.argoproj.io/compare-options: IgnoreExtraneous", options: argoSafe, steps: []factStep{
		assign, dropped,
	}},
	{row: "5", engine: "argocd", what: "with a uid a host that is not there is not created", guard: argoGuard, options: argoSafe, steps: []factStep{
		{name: "assign", patch: true, label: "edge-a", uid: "other", fails: "uid mismatch"},
	}},
	{row: "5", engine: "argocd", what: "with a uid a host that was re-created is not touched", made: "controller", guard: argoGuard, options: argoSafe, steps: []factStep{
		{name: "assign", patch: true, label: "edge-a", uid: "other", fails: "field is immutable"},
	}},
	{row: "force", engine: "flux", what: "force deletes a host that was re-created since", made: "controller", guard: fluxGuard + ", kustomize.toolkit.fluxcd.io/force: enabled", steps: []factStep{
		{name: "assign", patch: true, label: "edge-a", uid: "other", fails: "uid mismatch", harm: []string{"is gone"}},
	}},
	{row: "co-owned", engine: "flux", what: "a label that another manager set to the same value stays when it is dropped; with another value first it goes", made: "controller", guard: fluxGuard, steps: []factStep{
		assign.with(func(s *factStep) {
			s.before = []string{"label", clusterName + "=edge-a", "--field-manager=sip-operator"}
		}),
		release.with(func(s *factStep) { s.wantLabel = "edge-a" }),
		assign.with(func(s *factStep) { s.name, s.label, s.wantLabel = "take over", "sipgen-releasing", "sipgen-releasing" }),
		release,
	}},
	{row: "co-owned", engine: "argocd", what: "the same on Argo CD", made: "controller", guard: argoGuard, options: argoSafe, steps: []factStep{
		assign.with(func(s *factStep) {
			s.before = []string{"label", clusterName + "=edge-a", "--field-manager=sip-operator"}
		}),
		release.with(func(s *factStep) { s.wantLabel = "edge-a" }),
		assign.with(func(s *factStep) { s.name, s.label, s.wantLabel = "take over", "sipgen-releasing", "sipgen-releasing" }),
		release,
	}},
}

// TestWhatEnginesDo holds the rows on which the rendering rests against the engines themselves, the harmful ones too: a row
// that no longer holds is a reason to think again. What the rendered policy lets through and keeps out is in the rows of
// sites, and in TestGuards.
func TestWhatEnginesDo(t *testing.T) {
	env := withoutPolicy(t)
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
		env.kubectl(t, ns, f.fix)
	}
	if f.policy {
		env.api.Apply(t, "e2e", factPolicy(ns))
		env.waitForPolicy(t, ns)
	}
	untouched := engine.WantUntouched(t, env.api, ns)
	repo := engine.NewRepo(t)
	if f.engine == "flux" {
		env.flux.Source(t, ns, "site", repo)
	}
	for i, s := range f.steps {
		if len(s.before) > 0 {
			env.kubectl(t, ns, s.before)
		}
		if s.restore {
			env.api.Kubectl(t, hostManifest(ns, "node-1", "r1"), "apply", "-f", "-")
			untouched.Accept(t)
		}
		if s.unguarded {
			env.api.Delete(t, bindings, "", "fact-"+ns)
			engine.Wait(t, "the end of the policy", engine.SyncTimeout, func() error { return env.tryCreate(ns) })
		}
		if s.guard != "" {
			f.guard = s.guard
		}
		commit := repo.Commit(t, s.name, factFiles(ns, uid, f, s))
		env.sync(t, f, s, ns, repo, commit, i == 0)
		got := untouched.Differences(t)
		for _, harm := range s.harm {
			need.That(t, slices.ContainsFunc(got, func(d string) bool { return strings.Contains(d, harm) }),
				"after %s: harm %q has not happened: %q", s.name, harm, got)
		}
		if len(s.harm) == 0 && len(got) > 0 {
			t.Errorf("after %s: %s", s.name, strings.Join(got, "\n"))
		}
		if !env.api.Exists(t, engine.Hosts, ns, "node-1") {
			continue
		}
		need.Equal(t, "after "+s.name, env.api.OurLabels(t, ns, "node-1")[clusterName], s.wantLabel)
		if s.wantOwner != "" && !owns(env.api.Get(t, engine.Hosts, ns, "node-1"), s.wantOwner) {
			t.Errorf("after %s: %s does not own the spec: %v", s.name, s.wantOwner, env.api.Get(t, engine.Hosts, ns, "node-1").GetManagedFields())
		}
	}
}

var bindings = schema.GroupVersionResource{Group: "admissionregistration.k8s.io", Version: "v1", Resource: "validatingadmissionpolicybindings"}

// factPolicy lets the engines only update a namespace's hosts, and not their spec.
func factPolicy(ns string) string {
	return strings.ReplaceAll(`
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: fact-NS}
spec:
  failurePolicy: Fail
  matchConstraints:
    resourceRules: [{apiGroups: [metal3.io], apiVersions: ['*'], resources: [baremetalhosts], operations: [CREATE, UPDATE, DELETE]}]
  matchConditions: [{name: engines, expression: "request.userInfo.username.startsWith('system:serviceaccount:')"}]
  validations:
  - {expression: "request.operation == 'UPDATE'", message: "engines may only update"}
  - expression: "request.operation != 'UPDATE' || (has(object.spec) == has(oldObject.spec) && (!has(object.spec) || object.spec == oldObject.spec))"
    message: "spec may not change"
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: fact-NS}
spec:
  policyName: fact-NS
  validationActions: [Deny]
  matchResources: {namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: NS}}}
`, "NS", ns)
}

// waitForPolicy waits until the API server, which learns of policies a little later, denies what it is to deny.
func (env *facts) waitForPolicy(t *testing.T, ns string) {
	t.Helper()
	waitWhile(t, "the policy", func() (bool, any) {
		err := env.tryCreate(ns)
		return err == nil || !strings.Contains(err.Error(), "only update"), err
	})
}

// tryCreate is a dry run of what the policy forbids.
func (env *facts) tryCreate(ns string) error {
	manifest := fmt.Sprintf("apiVersion: metal3.io/v1alpha1\nkind: BareMetalHost\nmetadata: {namespace: %s, name: probe}\n", ns)
	config := env.api.As("system:serviceaccount:flux-system:kustomize-controller", "system:masters")
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return err
	}
	_, err = client.Resource(engine.Hosts).Namespace(ns).Patch(context.Background(), "probe", types.ApplyPatchType, []byte(manifest),
		metav1.PatchOptions{FieldManager: "probe", DryRun: []string{metav1.DryRunAll}})
	return err
}

func (env *facts) kubectl(t *testing.T, ns string, args []string) {
	t.Helper()
	args = append([]string{args[0], "--overwrite", "-n", ns, "baremetalhosts.metal3.io/node-1"}, args[1:]...)
	env.api.Kubectl(t, "", args...)
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
metadata: {namespace: argocd, name: %s, annotations: {argocd.argoproj.io/compare-options: ServerSideDiff=true}}
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
	case s.outOfSync:
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
		return map[string][]byte{"hosts/kustomization.yaml": []byte(kustomization + "resources: [other.yaml]\n"), "hosts/other.yaml": []byte(other)}
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
	patch := fmt.Sprintf("apiVersion: metal3.io/v1alpha1\nkind: BareMetalHost\nmetadata: {namespace: %s, name: node-1%s, labels: %s, annotations: {%s}}\n", ns, identity, labels, f.guard)
	return map[string][]byte{
		"hosts/kustomization.yaml": []byte(kustomization + "resources: [host.yaml, other.yaml]\n"),
		"hosts/host.yaml":          []byte(patch), "hosts/other.yaml": []byte(other),
	}
}
