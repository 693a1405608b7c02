//go:build bench

package e2e_test

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// TestManyClusters prints what Flux, Argo CD and the API server do with many small clusters on one site, each with one
// sync object: the figures of docs/performance.md. The clusters have one host and no services. It asserts no time, and
// so it is built with the tag bench only: make bench-engine.
func TestManyClusters(t *testing.T) {
	engine.CollectorPercent = 100 // as in a pod
	for _, e := range []v1alpha1.Engine{v1alpha1.EngineFlux, v1alpha1.EngineArgoCD} {
		for _, clusters := range sizes() {
			t.Run(fmt.Sprintf("%s/%d", e, clusters), func(t *testing.T) { manyClusters(t, e, clusters) })
		}
	}
}

// sizes are the numbers of clusters, or those of SIPGEN_CLUSTERS.
func sizes() (all []int) {
	for word := range strings.SplitSeq(cmp.Or(os.Getenv("SIPGEN_CLUSTERS"), "50,100,250"), ",") {
		n, err := strconv.Atoi(word)
		if err != nil {
			panic(err)
		}
		all = append(all, n)
	}
	return all
}

func manyClusters(t *testing.T, e v1alpha1.Engine, clusters int) {
	api := engine.StartAPIServer(t, engine.Options{})
	api.InstallCRDs(t, engine.HostCRDs(t)...)
	api.Namespaces(t, "metal3")
	dir, repo := t.TempDir(), engine.NewRepo(t)
	fields := `repository: {url: "ssh://git@git.invalid/hub.git"}`
	if e == v1alpha1.EngineArgoCD {
		fields = fmt.Sprintf("repository: {url: %q}\n  argocd: {order: waves}", repo.URL())
	}
	need.Write(t, filepath.Join(dir, "site.yaml"), fmt.Sprintf(`
apiVersion: sipgen.airshipit.org/v1alpha1
kind: Site
metadata: {name: hub}
spec:
  engine: %s
  hosts: {namespaces: [metal3]}
  %s
`, e, fields))
	var specs bytes.Buffer
	for i := range clusters {
		name, place := fmt.Sprintf("n%04d", i), fmt.Sprintf("place: p%d", i)
		host := strings.Replace(hostManifest("metal3", name, "r1"), "example.org/owner:", place+", example.org/owner:", 1)
		api.Apply(t, "e2e", host)
		setStatus(t, api, "metal3", name, "available")
		fmt.Fprintf(&specs, `---
apiVersion: airship.airshipit.org/v1
kind: SIPCluster
metadata: {namespace: edge-%d, name: edge}
spec:
  nodes:
    ControlPlane: {labelSelector: {matchLabels: {%s}}, count: {active: 1}}
`, i, place)
	}
	need.Write(t, filepath.Join(dir, "specs.yaml"), specs.String())
	need.Output(t, exec.Command(engine.Sipgen(t), "publish", "--site", filepath.Join(dir, "site.yaml"), "-f",
		filepath.Join(dir, "specs.yaml"), "--inventory", "cluster", "--kubeconfig", engine.Kubeconfig(t, api.Config()),
		"--repo", repo.Dir, "--branch", repo.Branch))
	by := startBoth[e](t, api, repo)
	for name, content := range repo.Files(t) {
		if strings.HasSuffix(name, string(e)+"/root.yaml") {
			api.Kubectl(t, string(content), "apply", "-f", "-")
		}
	}
	measure := func(what string) {
		before, began := usage(t, api, by.processes), time.Now()
		revision := by.publish(t)
		engine.Wait(t, what, time.Hour, func() error {
			list, err := api.Dynamic.Resource(by.resource).Namespace(by.namespace).List(context.Background(),
				metav1.ListOptions{ResourceVersion: "0"})
			if err != nil {
				return err
			}
			left := max(0, clusters-len(list.Items))
			for i := range list.Items {
				if got, _, _ := unstructured.NestedString(list.Items[i].Object, by.revision...); got != revision {
					left++
				}
			}
			time.Sleep(time.Second)
			if left > 0 {
				return fmt.Errorf("%d wait", left)
			}
			return nil
		})
		after := usage(t, api, by.processes)
		t.Logf("%5d clusters, %-26s %4.0f s; CPU: %s %5.1f s, API server %5.1f s; "+
			"memory: %s %v MB, API server %4d MB; %6.0f requests",
			clusters, what, time.Since(began).Seconds(), e, after.engine-before.engine, after.server-before.server, e,
			after.engineMB, after.serverMB, after.requests-before.requests)
	}
	measure("the first sync")
	repo.Edit(t, "a file beside the tree", func(dir string) { need.Write(t, filepath.Join(dir, "README"), "x") })
	measure("a commit without changes")
	if clusters > 100 {
		return // Each sync object unpacks the same files: some tell what many cost.
	}
	repo.Edit(t, "a fleet beside the tree", func(dir string) {
		for i := range fleetSites * filesOfASite {
			name := fmt.Sprintf("%d/%d.yaml", i/filesOfASite, i%filesOfASite)
			text := fmt.Sprintf("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: n%d}\ndata:\n%s", i,
				strings.Repeat("  key: a line of a manifest\n", 30))
			need.Write(t, filepath.Join(dir, "fleet", name), text)
		}
	})
	measure(fmt.Sprintf("beside %d sites", fleetSites))
}

// A fleet that shares the repository. A site with one cluster and a load balancer has this number of files.
const (
	fleetSites   = 1000
	filesOfASite = 23
)

// syncsBy is how an engine is asked for a commit and says that it has it.
type syncsBy struct {
	processes []int
	// publish shows the engine the newest commit, and gives its name as the sync objects' status has it.
	publish   func(t *testing.T) string
	resource  schema.GroupVersionResource
	namespace string
	revision  []string
}

var startBoth = map[v1alpha1.Engine]func(t *testing.T, api *engine.APIServer, repo *engine.Repo) syncsBy{
	v1alpha1.EngineFlux: func(t *testing.T, api *engine.APIServer, repo *engine.Repo) syncsBy {
		flux := engine.StartFlux(t, api, "--concurrent=4", "--kube-api-qps=50", "--kube-api-burst=300",
			"--requeue-dependency=30s", "--interval-jitter-percentage=5") // Flux's own defaults
		return syncsBy{processes: []int{flux.PID()}, resource: engine.Kustomizations, namespace: engine.FluxNamespace,
			revision: []string{"status", "lastAppliedRevision"},
			publish: func(t *testing.T) string {
				revision := flux.Publish(t, engine.FluxNamespace, "sipgen-hub", repo)
				flux.Reconcile(t, engine.FluxNamespace, "sipgen-hub")
				return revision
			}}
	},
	v1alpha1.EngineArgoCD: func(t *testing.T, api *engine.APIServer, repo *engine.Repo) syncsBy {
		argo := engine.StartArgo(t, api)
		return syncsBy{processes: argo.PIDs(), resource: engine.Applications, namespace: engine.ArgoNamespace,
			revision: []string{"status", "sync", "revision"},
			publish: func(t *testing.T) string {
				// As a webhook does: each Application looks at the repository.
				for _, app := range api.List(t, engine.Applications, engine.ArgoNamespace) {
					argo.Refresh(t, app.GetName())
				}
				return repo.Head(t)
			}}
	},
}

// spent is what the processes have used since they began.
type spent struct {
	engine, server float64
	// engineMB is of each process of the engine.
	engineMB []int
	serverMB int
	requests float64
}

func usage(t *testing.T, api *engine.APIServer, processes []int) (u spent) {
	t.Helper()
	for _, pid := range processes {
		seconds, memory := process(t, pid)
		u.engine += seconds
		u.engineMB = append(u.engineMB, memory)
	}
	u.server, u.serverMB = process(t, api.PID())
	text, err := api.Raw("/metrics")
	require.NoError(t, err)
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if line := lines.Text(); strings.HasPrefix(line, "apiserver_request_total{") {
			n, err := strconv.ParseFloat(line[strings.LastIndexByte(line, ' ')+1:], 64)
			require.NoError(t, err)
			u.requests += n
		}
	}
	return u
}

// process returns the seconds of processor that a process and the ones that it waited for have taken, and its largest
// memory in MB.
func process(t *testing.T, pid int) (seconds float64, memory int) {
	t.Helper()
	fields := strings.Fields(string(need.Read(t, fmt.Sprintf("/proc/%d/stat", pid))))
	for _, ticks := range fields[13:17] {
		n, err := strconv.ParseFloat(ticks, 64)
		require.NoError(t, err)
		seconds += n / 100
	}
	for line := range strings.Lines(string(need.Read(t, fmt.Sprintf("/proc/%d/status", pid)))) {
		if value, is := strings.CutPrefix(line, "VmHWM:"); is {
			n, err := strconv.Atoi(strings.Fields(value)[0])
			require.NoError(t, err)
			memory = n / 1000
		}
	}
	return seconds, memory
}
