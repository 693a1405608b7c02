package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
)

// FluxNamespace is where kustomize-controller lives, and most of its objects.
const FluxNamespace = "flux-system"

// SyncTimeout bounds every wait for an engine, its start, and what it serves. It is for machines that are busy; a sync
// takes a second or two. SIPGEN_E2E_TIMEOUT sets another, for those who write tests.
var SyncTimeout = syncTimeout()

func syncTimeout() time.Duration {
	if d, err := time.ParseDuration(os.Getenv("SIPGEN_E2E_TIMEOUT")); err == nil {
		return d
	}
	return 4 * time.Minute
}

// Flux is a real kustomize-controller. The test plays source-controller's part: it serves a
// commit as an archive, and writes that into the status of the GitRepository.
type Flux struct {
	api       *APIServer
	process   *process
	artifacts *artifacts
	ready     func() error
}

// StartFlux installs Flux's definitions and starts kustomize-controller with a service account
// that is cluster-admin, as Flux's own installation does. flags replace those of the tests, which wait for less.
func StartFlux(t testing.TB, api *APIServer, flags ...string) *Flux {
	t.Helper()
	return startFlux(t, api, api.controllerAccount(t, FluxNamespace, "kustomize-controller"), flags...)
}

// StartLockedFlux is StartFlux as its documentation has it for a cluster with several tenants: what names no
// account is applied as one that has no rights, and nothing refers to another namespace. It reaches the API server
// only through the proxy.
func StartLockedFlux(t testing.TB, api *APIServer, through *Faulty) *Flux {
	t.Helper()
	return startFlux(t, api, through.Config(api.controllerAccount(t, FluxNamespace, "kustomize-controller")),
		"--default-service-account=default", "--no-cross-namespace-refs=true", "--no-remote-bases=true")
}

func startFlux(t testing.TB, api *APIServer, config *rest.Config, flags ...string) *Flux {
	t.Helper()
	controller := Binary(t, "kustomize-controller")
	api.InstallCRDs(t, FluxCRDs(t)...)
	ports := need.Ports(t, 1)
	health := fmt.Sprintf("127.0.0.1:%d", ports[0])
	f := &Flux{api: api, artifacts: serveArtifacts(t),
		ready: func() error { return httpOK("http://" + health + "/readyz") }}
	flags = append([]string{
		"--watch-all-namespaces=true", "--metrics-addr=0", "--health-addr=" + health, "--concurrent=8",
		"--requeue-dependency=1s",
		"--kube-api-qps=500", "--kube-api-burst=1000", "--min-retry-delay=500ms", "--max-retry-delay=2s",
		"--interval-jitter-percentage=0", "--log-level=info"}, flags...)
	f.process = start(t, "kustomize-controller", []string{"RUNTIME_NAMESPACE=" + FluxNamespace, "KUBECONFIG=" +
		Kubeconfig(t, config)}, controller, flags...)
	f.process.await(t, f.ready)
	return f
}

// Restart kills kustomize-controller, whatever it is doing, and starts it again.
func (f *Flux) Restart(t testing.TB) {
	t.Helper()
	f.process.restart(t, f.ready)
}

// PID is kustomize-controller's.
func (f *Flux) PID() int { return f.process.pid() }

// Logs returns the last lines of the controller's output that contain all of the words.
func (f *Flux) Logs(n int, words ...string) string { return f.process.log.last(n, words...) }

// Source creates a GitRepository for a repository, where the test does not bring its own.
func (f *Flux) Source(t testing.TB, namespace, name string, repo *Repo) {
	t.Helper()
	f.api.Apply(t, "e2e", fmt.Sprintf(`
apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: {namespace: %s, name: %s}
spec: {interval: 1h, url: "https://git.invalid/site.git", ref: {branch: %s}}
`, namespace, name, repo.Branch))
}

// Publish does what source-controller does when it sees a new commit: it offers the newest commit
// of the repository as the artifact of a GitRepository. It gives the revision by which Flux knows it.
func (f *Flux) Publish(t testing.TB, namespace, name string, repo *Repo) string {
	t.Helper()
	revision := repo.Branch + "@sha1:" + repo.Head(t)
	archive := repo.archive(t)
	path := fmt.Sprintf("/%s/%s/%s.tar.gz", namespace, name, repo.Head(t))
	f.artifacts.put(path, archive)
	digest := sha256.Sum256(archive)
	now := time.Now().UTC().Format(time.RFC3339)
	live, err := f.api.Dynamic.Resource(GitRepos).Namespace(namespace).Get(context.Background(), name, metav1.GetOptions{})
	require.NoError(t, err)
	patch, err := json.Marshal(map[string]any{"status": map[string]any{
		"observedGeneration": live.GetGeneration(),
		"artifact": map[string]any{
			"path": strings.TrimPrefix(path, "/"), "url": f.artifacts.server.URL + path, "revision": revision,
			"digest": "sha256:" + hex.EncodeToString(digest[:]), "lastUpdateTime": now, "size": len(archive),
		},
		"conditions": []any{map[string]any{
			"type": "Ready", "status": "True", "reason": "Succeeded", "message": "stored artifact for revision '" + revision +
				"'", "lastTransitionTime": now,
		}},
	}})
	require.NoError(t, err)
	if _, err := f.api.Dynamic.Resource(GitRepos).Namespace(namespace).Patch(context.Background(), name,
		types.MergePatchType, patch,
		metav1.PatchOptions{FieldManager: "source-controller"}, "status"); err != nil {
		t.Fatalf("GitRepository %s/%s: %v", namespace, name, err)
	}
	return revision
}

// WaitApplied waits until a Kustomization has applied a revision and is ready.
func (f *Flux) WaitApplied(t testing.TB, namespace, name, revision string) {
	t.Helper()
	f.wait(t, namespace, name, "applied "+revision, func(k *unstructured.Unstructured) error {
		applied, _, _ := unstructured.NestedString(k.Object, "status", "lastAppliedRevision")
		ready := Condition(k, "Ready")
		if applied != revision || ready.Status != "True" || !observed(k) {
			return fmt.Errorf("last applied %q, %s", applied, ready)
		}
		return nil
	})
}

// WaitFailed waits until a Kustomization has tried a revision and failed with a message that
// contains the words, or waits for another one that is not ready, with the word "dependency".
func (f *Flux) WaitFailed(t testing.TB, namespace, name, revision, words string) {
	t.Helper()
	f.wait(t, namespace, name, "failed on "+revision+" with "+strconv.Quote(words),
		func(k *unstructured.Unstructured) error {
			attempted, _, _ := unstructured.NestedString(k.Object, "status", "lastAttemptedRevision")
			ready := Condition(k, "Ready")
			if waits := words == "dependency" && ready.Reason == "DependencyNotReady"; waits {
				return nil
			}
			if attempted != revision || ready.Status != "False" || !strings.Contains(ready.Message, words) {
				return fmt.Errorf("last attempted %q, %s", attempted, ready)
			}
			return nil
		})
}

// NoFolder reports whether a Kustomization has not found its folder in a revision.
func NoFolder(k *unstructured.Unstructured, revision string) bool {
	ready := Condition(k, "Ready")
	return ready.Status == "False" && strings.Contains(ready.Message, "path not found") &&
		strings.Contains(Condition(k, "Reconciling").Message, revision)
}

// WaitDependency asks for a sync, waits until it was tried and waits for another one, and gives up at once where never
// gives an error.
func (f *Flux) WaitDependency(t testing.TB, namespace, name, other string, never func() error) {
	t.Helper()
	token := f.Request(t, namespace, name)
	f.wait(t, namespace, name, "waits for "+other, func(k *unstructured.Unstructured) error {
		if err := never(); err != nil {
			return Final(err)
		}
		ready := Condition(k, "Ready")
		if ready.Reason != "DependencyNotReady" || !strings.Contains(ready.Message, namespace+"/"+other+"'") {
			return fmt.Errorf("%s", ready)
		}
		return handled(k, token)
	})
}

// Request asks for a sync, as flux reconcile does, and gives the token by which the controller answers.
func (f *Flux) Request(t testing.TB, namespace, name string) string {
	t.Helper()
	token := fmt.Sprintf("e2e-%d-%d", time.Now().UnixNano(), requests.Add(1))
	f.api.Edit(t, "flux", Kustomizations, namespace, name, "", func(o map[string]any) {
		_ = unstructured.SetNestedField(o, token, "metadata", "annotations", "reconcile.fluxcd.io/requestedAt")
	})
	return token
}

// Reconcile asks for a sync and waits until it was tried.
func (f *Flux) Reconcile(t testing.TB, namespace, name string) {
	t.Helper()
	token := f.Request(t, namespace, name)
	f.wait(t, namespace, name, "tried again", func(k *unstructured.Unstructured) error {
		return handled(k, token)
	})
}

// handled is an error until the controller has tried the sync of a token.
func handled(o *unstructured.Unstructured, token string) error {
	if last, _, _ := unstructured.NestedString(o.Object, "status", "lastHandledReconcileAt"); last != token {
		return fmt.Errorf("last handled %q, want %q", last, token)
	}
	return nil
}

var requests atomic.Int64

func (f *Flux) wait(t testing.TB, namespace, name, what string, check func(*unstructured.Unstructured) error) {
	t.Helper()
	var last *unstructured.Unstructured
	err := Eventually(SyncTimeout, f.process.while(func() error {
		k, err := f.api.Dynamic.Resource(Kustomizations).Namespace(namespace).Get(context.Background(), name,
			metav1.GetOptions{})
		if err != nil {
			return err
		}
		last = k
		return check(k)
	}))
	if err == nil {
		return
	}
	var conditions any
	if last != nil {
		conditions = Conditions(last)
	}
	t.Fatalf("Kustomization %s/%s: waited %s until %s: %v\nconditions: %v\nlast lines:\n%s",
		namespace, name, SyncTimeout, what, err, conditions, f.Logs(15, `"name":"`+name+`"`))
}

// observed reports whether the controller has seen an object's newest spec.
func observed(o *unstructured.Unstructured) bool {
	seen, _, _ := unstructured.NestedInt64(o.Object, "status", "observedGeneration")
	return seen == o.GetGeneration()
}

// controllerAccount makes a service account with all rights, and gives its configuration, with a token of its own.
func (a *APIServer) controllerAccount(t testing.TB, namespace, name string) *rest.Config {
	t.Helper()
	a.Namespaces(t, namespace)
	a.Apply(t, "e2e", fmt.Sprintf(`
apiVersion: v1
kind: ServiceAccount
metadata: {namespace: %[1]s, name: %[2]s}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: %[1]s-%[2]s}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}
subjects: [{kind: ServiceAccount, namespace: %[1]s, name: %[2]s}]
`, namespace, name))
	return a.ServiceAccount(t, namespace, name)
}

// ServiceAccount returns a configuration with a token of a service account that exists.
func (a *APIServer) ServiceAccount(t testing.TB, namespace, name string) *rest.Config {
	t.Helper()
	body := []byte(`{"apiVersion":"authentication.k8s.io/v1","kind":"TokenRequest","spec":{"expirationSeconds":86400}}`)
	answer, err := a.rest.Post().AbsPath("/api/v1/namespaces", namespace, "serviceaccounts", name, "token").
		SetHeader("Content-Type", "application/json").Body(body).DoRaw(context.Background())
	if err != nil {
		t.Fatalf("token for %s/%s: %v", namespace, name, err)
	}
	var request struct {
		Status struct {
			Token string `json:"token"`
		} `json:"status"`
	}
	require.NoError(t, json.Unmarshal(answer, &request))
	return a.WithToken(request.Status.Token)
}

// artifacts serves archives over HTTP on loopback.
type artifacts struct {
	server *httptest.Server
	mu     sync.Mutex
	files  map[string][]byte
}

func serveArtifacts(t testing.TB) *artifacts {
	a := &artifacts{files: map[string][]byte{}}
	a.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a.mu.Lock()
		content, found := a.files[r.URL.Path]
		a.mu.Unlock()
		if !found {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write(content)
	}))
	t.Cleanup(a.server.Close)
	return a
}

func (a *artifacts) put(path string, content []byte) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.files[path] = content
}
