package engine

import (
	"fmt"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Sources is a real source-controller, for the GitRepositories that are shown to it. With Flux.Publish the test plays
// its part for all others.
type Sources struct {
	api     *APIServer
	process *process
}

// shownTo is the label of what source-controller looks after.
const shownTo = "e2e.sipgen.airshipit.org/sources"

// StartSources starts source-controller on an API server that has Flux's definitions, with a service account that is
// cluster-admin, as Flux's own installation does.
func StartSources(t testing.TB, api *APIServer) *Sources {
	t.Helper()
	controller := Binary(t, "source-controller")
	api.InstallCRDs(t, sourceCRDs(t, "helmcharts", "helmrepositories")...)
	config := api.controllerAccount(t, FluxNamespace, "source-controller")
	ports := need.Ports(t, 2)
	health, storage := fmt.Sprintf("127.0.0.1:%d", ports[0]), fmt.Sprintf("127.0.0.1:%d", ports[1])
	s := &Sources{api: api}
	s.process = start(t, "source-controller", []string{"RUNTIME_NAMESPACE=" + FluxNamespace, "KUBECONFIG=" +
		Kubeconfig(t, config)}, controller,
		"--watch-all-namespaces=true", "--watch-label-selector="+shownTo, "--metrics-addr=0", "--health-addr="+health,
		"--concurrent=4",
		"--storage-path="+t.TempDir(), "--storage-addr="+storage, "--storage-adv-addr="+storage,
		"--kube-api-qps=500", "--kube-api-burst=1000", "--min-retry-delay=500ms", "--max-retry-delay=2s",
		"--interval-jitter-percentage=0", "--log-level=info")
	s.process.await(t, func() error { return httpOK("http://" + health + "/readyz") })
	return s
}

// Ask shows a GitRepository to source-controller, and asks for a look at the repository.
func (s *Sources) Ask(t testing.TB, namespace, name string) {
	t.Helper()
	token := fmt.Sprintf("e2e-%d-%d", time.Now().UnixNano(), requests.Add(1))
	s.api.Edit(t, "e2e", GitRepos, namespace, name, "", func(o map[string]any) {
		_ = unstructured.SetNestedField(o, "real", "metadata", "labels", shownTo)
		_ = unstructured.SetNestedField(o, token, "metadata", "annotations", "reconcile.fluxcd.io/requestedAt")
	})
}

// Serve serves a repository by HTTP until the test ends, as git's own server program does, and gives its URL.
func (r *Repo) Serve(t testing.TB) string {
	t.Helper()
	git, err := exec.LookPath("git")
	require.NoError(t, err)
	server := httptest.NewServer(&cgi.Handler{Path: git, Args: []string{"http-backend"}, Env: []string{
		"GIT_PROJECT_ROOT=" + filepath.Dir(r.Dir), "GIT_HTTP_EXPORT_ALL=1", "GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_CONFIG_NOSYSTEM=1",
	}, Logger: nil, Stderr: nil})
	t.Cleanup(server.Close)
	if answer, err := http.Get(server.URL + "/" + filepath.Base(r.Dir) +
		"/info/refs?service=git-upload-pack"); err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("git http-backend: %v %v", answer, err)
	} else {
		_ = answer.Body.Close()
	}
	return strings.TrimSuffix(server.URL, "/") + "/" + filepath.Base(r.Dir)
}
