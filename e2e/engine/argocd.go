package engine

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/airshipit/sipgen/hack/need"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// ArgoNamespace is where Argo CD and its Applications live.
const ArgoNamespace = "argocd"

// ArgoServer is the API server as Applications name it.
const ArgoServer = "https://kubernetes.default.svc"

// Argo is a real Argo CD without its user interface: application controller, repository server and Redis.
type Argo struct {
	api        *APIServer
	controller *process
	repo       *process
	// addresses at which they listen when they are ready.
	controllerAddress, repoAddress string
}

// StartArgo installs Argo CD's definitions and settings and starts its parts. The application controller's service
// account is cluster-admin, as Argo CD's own installation does. Repositories are file://, as
// Repo.URL gives them.
func StartArgo(t testing.TB, api *APIServer) *Argo {
	t.Helper()
	binary, kustomize := Binary(t, "argocd"), Binary(t, "kustomize")
	redisServer, err := exec.LookPath("redis-server")
	if err != nil {
		unavailable(t, fmt.Errorf("redis-server is not on PATH: install the package redis-server: %w", ErrUnavailable))
	}
	api.InstallCRDs(t, ArgoCRDs(t)...)
	config := api.controllerAccount(t, ArgoNamespace, "argocd-application-controller")
	api.Apply(t, "e2e", argoSettings)

	ports := need.Ports(t, 4)
	redis, repo := fmt.Sprintf("127.0.0.1:%d", ports[0]), fmt.Sprintf("127.0.0.1:%d", ports[1])
	redisProcess := start(t, "redis", nil, redisServer, "--bind", "127.0.0.1", "--port", fmt.Sprint(ports[0]), "--save",
		"", "--appendonly", "no")
	a := &Argo{api: api, repoAddress: repo, controllerAddress: fmt.Sprintf("127.0.0.1:%d", ports[3])}
	env := []string{
		"KUBECONFIG=" + Kubeconfig(t, config), "ARGOCD_FAKE_IN_CLUSTER=true", "ARGOCD_GPG_ENABLED=false",
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null",
		"PATH=" + filepath.Dir(kustomize) + string(os.PathListSeparator) + os.Getenv("PATH"),
	}
	a.repo = start(t, "argocd-repo-server", append(env, "ARGOCD_BINARY_NAME=argocd-repo-server",
		"ARGOCD_ASK_PASS_SOCK="+filepath.Join(t.TempDir(), "askpass.sock")), binary,
		"--address=127.0.0.1", fmt.Sprintf("--port=%d",
			ports[1]), "--metrics-address=127.0.0.1", fmt.Sprintf("--metrics-port=%d", ports[2]),
		"--redis="+redis, "--disable-tls")
	redisProcess.await(t, redisProcess.listens(redis))
	a.repo.await(t, a.repo.listens(repo))
	a.controller = start(t, "argocd-application-controller",
		// Argo CD waits two seconds after each wave. One is enough here, and none is too little: it would take the old
		// health of a Deployment that it has just changed for the new one.
		append(env, "ARGOCD_BINARY_NAME=argocd-application-controller", "ARGOCD_SYNC_WAVE_DELAY=1"), binary,
		"--namespace="+ArgoNamespace, "--repo-server="+repo, "--repo-server-plaintext", "--redis="+redis,
		fmt.Sprintf("--metrics-port=%d", ports[3]),
		// The tests ask for every refresh; what changes in the cluster is seen by watching.
		"--app-resync=3600", "--app-resync-jitter=0", "--self-heal-timeout-seconds=1",
		"--self-heal-backoff-timeout-seconds=0",
		"--enable-k8s-event=none", "--loglevel=info")
	a.controller.await(t, a.controller.listens(a.controllerAddress))
	return a
}

// PIDs are the application controller's and the repository server's.
func (a *Argo) PIDs() []int { return []int{a.controller.pid(), a.repo.pid()} }

// Restart kills the application controller and the repository server, whatever they are doing, and starts them again.
func (a *Argo) Restart(t testing.TB) {
	t.Helper()
	a.repo.restart(t, a.repo.listens(a.repoAddress))
	a.controller.restart(t, a.controller.listens(a.controllerAddress))
}

// argoSettings are the objects that Argo CD's installation brings and its controllers don't start without.
const argoSettings = `
apiVersion: v1
kind: ConfigMap
metadata: {namespace: argocd, name: argocd-cm, labels: {app.kubernetes.io/part-of: argocd, app.kubernetes.io/name: argocd-cm}}
data: {}
---
apiVersion: v1
kind: ConfigMap
metadata: {namespace: argocd, name: argocd-rbac-cm, labels: {app.kubernetes.io/part-of: argocd, app.kubernetes.io/name: argocd-rbac-cm}}
data: {}
---
apiVersion: v1
kind: Secret
metadata: {namespace: argocd, name: argocd-secret, labels: {app.kubernetes.io/part-of: argocd, app.kubernetes.io/name: argocd-secret}}
stringData: {server.secretkey: only-for-tests}
---
apiVersion: argoproj.io/v1alpha1
kind: AppProject
metadata: {namespace: argocd, name: default}
spec:
  sourceRepos: ['*']
  destinations: [{namespace: '*', server: '*'}]
  clusterResourceWhitelist: [{group: '*', kind: '*'}]
`

// Logs returns the last lines of the application controller's output that contain all of the words.
func (a *Argo) Logs(n int, words ...string) string { return a.controller.log.last(n, words...) }

// Refresh asks for a look at the repository, as argocd app get --refresh does.
func (a *Argo) Refresh(t testing.TB, name string) {
	t.Helper()
	a.api.Edit(t, "argocd", Applications, ArgoNamespace, name, "", askRefresh)
}

// KeepRefreshing asks for a look now and then until stop is called, as Wait does while it waits.
func (a *Argo) KeepRefreshing(names ...string) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-time.After(refreshEvery):
			}
			for _, name := range names {
				_ = a.api.TryEdit("argocd", Applications, ArgoNamespace, name, "", askRefresh)
			}
		}
	}()
	return cancel
}

// askRefresh changes the annotation. Argo CD takes it away when it has looked; where that failed it is still there,
// and setting what is set already would be no event.
func askRefresh(o map[string]any) {
	ask, _, _ := unstructured.NestedString(o, "metadata", "annotations", "argocd.argoproj.io/refresh")
	if ask == "normal" {
		ask = "hard"
	} else {
		ask = "normal"
	}
	_ = unstructured.SetNestedField(o, ask, "metadata", "annotations", "argocd.argoproj.io/refresh")
}

// refreshEvery is how often a wait asks for a refresh.
const refreshEvery = 8 * time.Second

// WaitSynced waits until an Application is in sync with a commit and no sync is under way.
func (a *Argo) WaitSynced(t testing.TB, name, commit string) {
	t.Helper()
	a.waitState(t, name, "synced to "+commit, func(state argoState) bool {
		return state.sync == "Synced" && state.revision == commit && (state.phase == "" || state.phase == "Succeeded")
	})
}

func (a *Argo) waitState(t testing.TB, name, what string, is func(argoState) bool) {
	t.Helper()
	a.Wait(t, name, what, func(app *unstructured.Unstructured) error {
		if state := readArgoState(app); !is(state) {
			return fmt.Errorf("%s", state)
		}
		return nil
	})
}

// WaitFailed waits until a sync to a commit, or the comparison before it, has failed with a message
// that contains the words. Where the Application retries forever, one failed try counts.
func (a *Argo) WaitFailed(t testing.TB, name, commit, words string) {
	t.Helper()
	a.waitState(t, name, "failed on "+commit+" with "+words, func(state argoState) bool {
		tried := state.operation == commit && strings.Contains(state.messages, words)
		// Argo CD names no commit where it could not build one.
		compared := (state.revision == commit || state.sync == "Unknown") && strings.Contains(state.conditions, words)
		return tried || compared
	})
}

// WaitOutOfSync waits until an Application has compared a commit and is out of sync, with no sync under way.
func (a *Argo) WaitOutOfSync(t testing.TB, name, commit string) {
	t.Helper()
	a.waitState(t, name, "out of sync with "+commit, func(state argoState) bool {
		return state.sync == "OutOfSync" && state.revision == commit && state.phase != "Running"
	})
}

// Wait waits until check is content with an Application. It asks for a refresh now and then, in
// place of the one that Argo CD makes every few minutes: an Application that was looked at while something
// was in the way is looked at again only then.
func (a *Argo) Wait(t testing.TB, name, what string, check func(*unstructured.Unstructured) error) {
	t.Helper()
	refreshed := time.Now()
	err := Eventually(SyncTimeout, a.controller.while(a.repo.while(func() error {
		app, err := a.api.Dynamic.Resource(Applications).Namespace(ArgoNamespace).Get(context.Background(), name,
			metav1.GetOptions{})
		if err != nil {
			return err
		}
		if time.Since(refreshed) > refreshEvery {
			refreshed = time.Now()
			// A conflict with the controller's own write is no matter: there is a next time.
			_ = a.api.TryEdit("argocd", Applications, ArgoNamespace, name, "", askRefresh)
		}
		return check(app)
	})))
	if err == nil {
		return
	}
	t.Fatalf("Application %s: waited %s until %s: %v\nlast lines:\n%s", name, SyncTimeout, what, err,
		a.Logs(15, `"application":"`+name+`"`))
}

// argoState is what an Application's status says.
type argoState struct {
	sync, revision             string
	phase, operation, messages string
	conditions                 string
}

func (s argoState) String() string {
	return fmt.Sprintf("%s at %q, last operation %s of %q: %s; conditions: %s", s.sync, s.revision, s.phase, s.operation,
		s.messages, s.conditions)
}

func readArgoState(app *unstructured.Unstructured) argoState {
	text := func(fields ...string) string {
		s, _, _ := unstructured.NestedString(app.Object, fields...)
		return s
	}
	messages := []string{text("status", "operationState", "message")}
	resources, _, _ := unstructured.NestedSlice(app.Object, "status", "operationState", "syncResult", "resources")
	for _, r := range resources {
		resource, _ := r.(map[string]any)
		if message, _ := resource["message"].(string); message != "" {
			messages = append(messages, message)
		}
	}
	var conditions []string
	for _, c := range Conditions(app) {
		conditions = append(conditions, c.Type+": "+c.Message)
	}
	// A sync that is tried again has the newest commit here, and below operation the first one.
	operation := text("status", "operationState", "syncResult", "revision")
	if operation == "" {
		operation = text("status", "operationState", "operation", "sync", "revision")
	}
	return argoState{
		conditions: strings.Join(conditions, "; "),
		sync:       text("status", "sync", "status"), revision: text("status", "sync", "revision"),
		phase: text("status", "operationState", "phase"), operation: operation,
		messages: strings.Join(messages, "; "),
	}
}
