// Package placement loads the ledgers that sipgen renders into a real OpenStack Placement, by the script that users have, and asks Placement
// who has what. The answers are held against PLAN.md and assignments.yaml, with ids that Python computes.
package placement

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"sigs.k8s.io/yaml"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1alpha1"
	loader "github.com/airshipit/sipgen/ci/placement"
	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/inventory"
	inventoryfiles "github.com/airshipit/sipgen/inventory/files"
	"github.com/airshipit/sipgen/render"
	"github.com/airshipit/sipgen/render/site/ledger"
	"github.com/airshipit/sipgen/schedule"
)

func TestMain(m *testing.M) { engine.Main(m) }

// fleet is a site under way: its specs, its hosts, and the tree that was rendered last.
type fleet struct {
	site     *v1alpha1.Site
	clusters []v1.SIPCluster
	hosts    []inventory.Host
	tree     render.Tree
}

// shared is the Placement of all tests. Each has a site of its own in it: they are in nobody's way, and show it.
var shared = engine.Shared(engine.StartPlacement)

// twoTenants is examples/two-tenants with a ledger, as a site of that name.
func twoTenants(t *testing.T, name string) *fleet {
	t.Helper()
	const example = "../../examples/two-tenants/"
	read := func(path string) []manifest.Document {
		docs, err := manifest.Read([]string{example + path}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return docs
	}
	f := &fleet{}
	var err error
	if f.site, err = v1alpha1.FromDocuments(read("site.yaml")); err != nil {
		t.Fatal(err)
	}
	f.site.Name = name
	f.site.Spec.Services.Ledger = &v1alpha1.Ledger{Traits: []v1alpha1.LedgerTrait{{Name: "RACK", Label: "vino.airshipit.org/rack"}}}
	if f.clusters, err = v1.FromDocuments(read("tenants")); err != nil {
		t.Fatal(err)
	}
	hosts, err := inventoryfiles.Load([]string{example + "hosts"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	f.hosts = hosts.Hosts
	return f
}

// render renders the tree on top of the one before.
func (f *fleet) render(t *testing.T) {
	t.Helper()
	previous, err := render.Previous("tree", f.tree, f.site)
	if err != nil {
		t.Fatal(err)
	}
	placement, err := schedule.Plan(f.clusters, f.hosts, previous, schedule.Options{Keys: schedule.LabelKeys(f.site.Spec.LabelKeys)})
	if err != nil {
		t.Fatal(err)
	}
	if f.tree, _, err = render.Site(render.Input{Site: f.site, Clusters: f.clusters, Placement: placement, Previous: f.tree}); err != nil {
		t.Fatal(err)
	}
}

// sync does to the hosts' labels what an engine does with the tree.
func (f *fleet) sync(t *testing.T) {
	t.Helper()
	keys := f.site.Spec.LabelKeys
	for i := range f.hosts {
		path := "/hosts/" + f.hosts[i].Namespace + "." + f.hosts[i].Name + ".yaml"
		for file, content := range f.tree {
			if !strings.HasSuffix(file, path) {
				continue
			}
			var patch struct {
				Metadata struct{ Labels map[string]string }
			}
			if err := yaml.Unmarshal(content, &patch); err != nil {
				t.Fatal(err)
			}
			for _, key := range []string{keys.ClusterNamespace, keys.ClusterName, keys.NodeType, keys.Standby} {
				delete(f.hosts[i].Labels, key)
				if value, found := patch.Metadata.Labels[key]; found {
					f.hosts[i].Labels[key] = value
				}
			}
		}
	}
}

func (f *fleet) cluster(t *testing.T, name string) *v1.SIPCluster {
	t.Helper()
	for i := range f.clusters {
		if f.clusters[i].Name == name {
			return &f.clusters[i]
		}
	}
	t.Fatalf("no cluster %s", name)
	return nil
}

// planned is who has which hosts by PLAN.md: "namespace/name" of clusters and hosts. assignments.yaml has to say the same.
func (f *fleet) planned(t *testing.T) map[string][]string {
	t.Helper()
	plan, cluster := map[string][]string{}, ""
	row := regexp.MustCompile(`^\| ([a-z0-9-]+/[a-z0-9.-]+) \|`)
	for line := range strings.Lines(string(f.tree["PLAN.md"])) {
		if name, found := strings.CutPrefix(line, "## "); found {
			cluster = strings.TrimSpace(name)
		}
		if match := row.FindStringSubmatch(line); match != nil {
			plan[cluster] = append(plan[cluster], match[1])
		}
	}
	assigned := map[string][]string{}
	for path, content := range f.tree {
		if filepath.Base(path) != "assignments.yaml" {
			continue
		}
		var file struct {
			Metadata         struct{ Namespace, Name string }
			Hosts, Releasing []struct{ Namespace, Name string }
		}
		if err := yaml.Unmarshal(content, &file); err != nil {
			t.Fatal(err)
		}
		key := file.Metadata.Namespace + "/" + file.Metadata.Name
		for _, host := range slices.Concat(file.Hosts, file.Releasing) {
			assigned[key] = append(assigned[key], host.Namespace+"/"+host.Name)
		}
	}
	if got, want := fmt.Sprint(sorted(assigned)), fmt.Sprint(sorted(plan)); got != want {
		t.Fatalf("assignments.yaml: found %s, PLAN.md says %s", got, want)
	}
	return plan
}

func sorted(m map[string][]string) map[string][]string {
	for _, list := range m {
		slices.Sort(list)
	}
	return m
}

// loading is one run of the script.
type loading struct {
	code           int
	stdout, stderr string
}

// hostID and clusterID are what a host and a cluster, "namespace/name", are in Placement.
func (f *fleet) hostID(host string) string { return ledger.HostID(f.site.Name, key(host)) }
func (f *fleet) clusterID(cluster string) string {
	return ledger.ClusterID(f.site.Name, schedule.ClusterKey(key(cluster)))
}

func key(name string) schedule.HostKey {
	namespace, name, _ := strings.Cut(name, "/")
	return schedule.HostKey{Namespace: namespace, Name: name}
}

// run runs the script on a ledger, for the fleet's site if no argument says otherwise.
func (f *fleet) run(t *testing.T, url string, ledger []byte, args ...string) loading {
	t.Helper()
	for _, program := range []string{"bash", "curl", "jq"} {
		if _, err := exec.LookPath(program); err != nil {
			need.Missing(t, "no %s: apt install %s", program, program)
		}
	}
	dir := t.TempDir()
	script, file := filepath.Join(dir, "load.sh"), filepath.Join(dir, "inventory.json")
	for path, content := range map[string][]byte{script: loader.Loader, file: ledger} {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Contains(args, "--site") {
		args = append(args, "--site", f.site.Name)
	}
	cmd := exec.Command("bash", append(append([]string{script}, args...), file)...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "TMPDIR=" + dir, "PLACEMENT_URL=" + url, "PLACEMENT_TOKEN=" + token}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	exit := (*exec.ExitError)(nil)
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	out := loading{cmd.ProcessState.ExitCode(), stdout.String(), strings.ReplaceAll(stderr.String(), file, "FILE")}
	if strings.Contains(out.stdout+out.stderr, canary) {
		t.Errorf("the token is repeated:\n%s%s", out.stdout, out.stderr)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 2 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	return out
}

// token is the administrator's, with something in it by which it is seen where it should not be.
const (
	canary = "canary-0f3a"
	token  = "admin:" + canary
)

// load runs the script on the tree's ledger and wants an exit code.
func (f *fleet) load(t *testing.T, url string, code int, args ...string) loading {
	t.Helper()
	out := f.run(t, url, f.tree[ledger.Path], args...)
	if out.code != code {
		t.Fatalf("exit code: found %d, want %d\nstdout:\n%s\nstderr:\n%s", out.code, code, out.stdout, out.stderr)
	}
	return out
}

// between is a server between the script and Placement that counts requests, and may do something before one goes on.
type between struct {
	URL string

	mu       sync.Mutex
	requests []string // method, path and status
}

// watch starts one. before is called for each request with its number, from 0.
func watch(t *testing.T, p *engine.Placement, before func(n int, r *http.Request)) *between {
	t.Helper()
	target, err := url.Parse(p.URL)
	if err != nil {
		t.Fatal(err)
	}
	b := &between{}
	n := 0
	proxy := httputil.NewSingleHostReverseProxy(target)
	proxy.ModifyResponse = func(r *http.Response) error {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.requests = append(b.requests, fmt.Sprintf("%s %s %d", r.Request.Method, r.Request.URL.Path, r.StatusCode))
		return nil
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if before != nil {
			b.mu.Lock()
			before(n, r)
			n++
			b.mu.Unlock()
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	b.URL = server.URL
	return b
}

// seen are the requests so far that match a regular expression.
func (b *between) seen(pattern string) []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	compiled := regexp.MustCompile(pattern)
	return slices.DeleteFunc(slices.Clone(b.requests), func(r string) bool { return !compiled.MatchString(r) })
}

const writes = `^(PUT|POST|DELETE|PATCH) `
