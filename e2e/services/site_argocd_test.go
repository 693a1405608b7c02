package services

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"
)

var (
	attachments = schema.GroupVersionResource{Group: "k8s.cni.cncf.io", Version: "v1",
		Resource: "network-attachment-definitions"}
	pools = schema.GroupVersionResource{Group: "metallb.io", Version: "v1beta1", Resource: "ipaddresspools"}
)

// argoSite is examples/whole-site as a Site for Argo CD, with a PlacementAPI and networks. It renders with the command.
type argoSite struct {
	dir  string
	repo *engine.Repo
	tree map[string][]byte
}

func newArgoSite(t *testing.T, repo *engine.Repo) *argoSite {
	t.Helper()
	s := &argoSite{dir: t.TempDir(), repo: repo}
	require.NoError(t, os.CopyFS(s.dir, os.DirFS(filepath.Join("..", "..", "examples", "whole-site"))))
	s.change(t,
		"  engine: flux\n", "  engine: argocd\n  argocd: {order: none}\n",
		"ssh://git@git.example.org/fleet/whole-site.git", repo.URL(),
		"      credentialsSecret: vino-bmc\n", "",
		"  services:\n", `  services:
    placement:
    - name: placement
      namespace: openstack
      spec: {containerImage: quay.io/podified-antelope-centos9/openstack-placement-api:current-podified, databaseInstance: openstack, secret: placement-secret, networkAttachments: [storage]}
    networks:
    - {name: storage, namespace: openstack, attachment: '{"cniVersion": "0.3.1", "type": "macvlan", "master": "enp7s0"}'}
    - {name: internal, namespace: metallb-system, pool: {addresses: [172.17.0.200-172.17.0.210], autoAssign: false}}
`)
	return s
}

// change replaces parts of the Site: old, new, old, new.
func (s *argoSite) change(t *testing.T, pairs ...string) {
	t.Helper()
	file := filepath.Join(s.dir, "site.yaml")
	text := need.Read(t, file)
	for i := 0; i < len(pairs); i += 2 {
		require.Truef(t, strings.Count(string(text), pairs[i]) == 1, "site.yaml has %q %d times, want once", pairs[i],
			strings.Count(string(text), pairs[i]))
	}
	require.NoError(t, os.WriteFile(file, []byte(strings.NewReplacer(pairs...).Replace(string(text))), 0o600))
}

// commit renders on top of the tree before, and commits. The commit is its own.
func (s *argoSite) commit(t *testing.T, message string) string {
	t.Helper()
	out := filepath.Join(s.dir, "tree")
	render := exec.Command(engine.Sipgen(t), "render", "--out", out)
	render.Dir = s.dir
	need.Output(t, render)
	s.tree = readTree(t, out)
	s.repo.Commit(t, message, s.tree)
	return s.repo.Head(t)
}

// run is what a person does in the folder of the tree. The credentials are gone afterwards.
func (s *argoSite) run(t *testing.T, api *engine.APIServer, lines ...string) {
	t.Helper()
	cmd := exec.Command("bash", "-euo", "pipefail", "-c", strings.Join(lines, "\n"))
	cmd.Dir = filepath.Join(s.dir, "tree")
	cmd.Env = []string{
		"PATH=" + filepath.Dir(engine.Binary(t, "kubectl")) + string(os.PathListSeparator) + os.Getenv("PATH"),
		"KUBECONFIG=" + engine.Kubeconfig(t, api.Config()), "HOME=" + t.TempDir(),
	}
	out, err := cmd.CombinedOutput()
	_ = os.Remove(filepath.Join(cmd.Dir, "credentials.yaml"))
	require.Truef(t, err == nil, "%v\n%s\n---\n%s", err, strings.Join(lines, "\n"), out)
}

// credentials writes credentials.yaml, in the form that PLAN.md has, with values in it.
func (s *argoSite) credentials(t *testing.T, username, password string) {
	t.Helper()
	var file map[string]any
	require.NoError(t,
		yaml.Unmarshal([]byte(strings.Join(s.plan(t,
			func(line string) bool { return !strings.HasPrefix(line, "kubectl ") }), "\n")), &file))
	require.NoError(t,
		unstructured.SetNestedStringMap(file, map[string]string{"username": username, "password": password}, "spec",
			"bmcCredentials"))
	need.Write(t, filepath.Join(s.dir, "tree", "credentials.yaml"), text(t, file))
}

// plan gives the lines of PLAN.md's part about the Vino's credentials.
func (s *argoSite) plan(t *testing.T, is func(line string) bool) []string {
	t.Helper()
	_, part, found := strings.Cut(string(s.tree["PLAN.md"]), "Git has no credentials for its BMCs")
	if part, _, _ = strings.Cut(part, "\n##"); !found {
		t.Fatalf("PLAN.md says nothing of credentials:\n%s", s.tree["PLAN.md"])
	}
	var lines []string
	for line := range strings.Lines(part) {
		if command, found := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "    "); found && is(command) {
			lines = append(lines, command)
		}
	}
	return lines
}

// TestWholeSiteOnArgoCD syncs examples/whole-site, with a PlacementAPI and networks, by the real Argo CD: each part by
// an Application of its own, in the waves' order; a Vino without credentials is denied, and made with the commands of
// PLAN.md word by word it keeps them through every sync, while git, Argo CD's other objects and its log never have
// them; what leaves the tree stays.
func TestWholeSiteOnArgoCD(t *testing.T) {
	api := siteServer(t)
	api.InstallCRDs(t, engine.UpstreamCRD("network-attachment-definitions.yaml"),
		engine.UpstreamCRD("ipaddresspools.yaml"))
	argo := engine.StartArgo(t, api)
	engine.StartControllers(t, api) // Argo CD deletes in the foreground, which the garbage collector ends
	repo := engine.NewRepo(t)
	site := newArgoSite(t, repo)
	// The hosts of the example, as ViNO would make them; Argo CD wants to know who made a host.
	hosts := filepath.Join(site.dir, "hosts.yaml")
	made := api.MakeHosts(t, need.Read(t, hosts))
	live := api.Kubectl(t, "", "-n", "vino-system", "get", "baremetalhosts,secrets", "-o", "yaml",
		"--show-managed-fields")
	need.Write(t, hosts, live)
	commit := site.commit(t, "whole-site")
	site.run(t, api, "kubectl apply -k policy", "kubectl apply -f argocd/root.yaml")

	const root, vino = "sipgen-whole-site", "sipgen-whole-site-vino-vino.subclusters"
	healthy := []string{
		root, root + "-policy", root + "-networks", root + "-claims", root + "-ironic", root + "-placement",
		"red.edge.infra", "red.edge.hosts", "blue.edge.infra", "blue.edge.hosts",
	}
	for _, name := range healthy {
		argo.WaitSynced(t, name, commit)
	}
	argo.WaitFailed(t, vino, commit, "spec.bmcCredentials: Required value") // nobody has made it yet, and ViNO's own definition wants them
	require.Truef(t, !api.Exists(t, vinoes, "vino", "subclusters"), "a Vino without credentials")
	var before metav1.Time
	for _, step := range []string{root + "-policy", root + "-networks", "red.edge.infra", "red.edge.hosts",
		root + "-ironic", vino} {
		// The API server says seconds, and Argo CD may make two in one.
		at := api.Get(t, engine.Applications, engine.ArgoNamespace, step).GetCreationTimestamp()
		assert.Truef(t, !at.Before(&before), "%s was made at %s, want it after the step before it, at %s", step, at,
			before)
		before = at
	}
	labeled := map[string]int{}
	for _, was := range made {
		is := api.Get(t, engine.Hosts, was.GetNamespace(), was.GetName())
		labeled[is.GetLabels()["sip.airshipit.org/cluster-namespace"]]++
		assert.Equal(t, text(t, was.Object["spec"]), text(t, is.Object["spec"]), was.GetName())
	}
	assert.Equal(t, map[string]int{"red": 6, "blue": 6}, labeled, "hosts of")

	// Values that YAML would read as something else.
	const username, password = "0123", `true: #{` + canary + `} & "x\y'`
	commands := site.plan(t, func(line string) bool { return strings.HasPrefix(line, "kubectl ") })
	require.Truef(t, len(commands) == 2, "PLAN.md has the commands %q, want two", commands)
	page := strings.TrimSpace(engine.Procedure(t, "vino-credentials")[0])
	assert.Equal(t, strings.Join(commands, "\n"), page, "docs/virtual-hosts.md")
	site.credentials(t, username, password)
	site.run(t, api, commands...)
	argo.Refresh(t, vino)
	argo.WaitSynced(t, vino, commit)
	wantVino(t, api, site.tree, username, password)
	wantOwner := func() {
		t.Helper()
		for _, entry := range api.Get(t, vinoes, "vino", "subclusters").GetManagedFields() {
			has := strings.Contains(entry.FieldsV1.GetRawString(), "f:bmcCredentials")
			assert.Truef(t, has == (entry.Manager == "bmc-credentials"), "manager %s has the credentials: %t",
				entry.Manager, has)
		}
	}
	wantOwner()
	status := exec.Command(engine.Sipgen(t), "status", "--inventory", "cluster", "--previous", "tree", "-o", "wide",
		"--kubeconfig", engine.Kubeconfig(t, api.Config()))
	status.Dir = site.dir
	said, _ := status.CombinedOutput() // services that are not ready are somebody's to act
	for _, want := range []string{
		`Ironic baremetal-operator-system/ironic +.*ready`, `Vino vino/subclusters +.*not ready`,
		`Deployment \S+ +red/edge +`,
	} {
		assert.Truef(t, regexp.MustCompile(want).Match(said), "sipgen status: no %q in\n%s", want, said)
	}

	// What leaves the Vino in git leaves the live one, and the credentials stay; the last command alone changes them.
	site.change(t, "        configuration:\n          cpuExclude: 0-1\n", "")
	commit = site.commit(t, "all processors")
	argo.Refresh(t, vino)
	argo.WaitSynced(t, vino, commit)
	wantVino(t, api, site.tree, username, password)
	site.credentials(t, "operator", "changed-"+canary)
	site.run(t, api, commands[1])
	argo.Refresh(t, vino)
	argo.WaitSynced(t, vino, commit)
	wantVino(t, api, site.tree, "operator", "changed-"+canary)
	wantOwner()
	wantNowhereElse(t, api, argo.Logs, repo)

	// The services leave the tree: their Applications go, they stay.
	withoutServices(t, repo, "argocd", "ironic.yaml", "placement.yaml", "networks.yaml", "vino.vino.subclusters.yaml")
	argo.Refresh(t, root)
	argo.WaitSynced(t, root, repo.Head(t))
	for _, name := range []string{vino, root + "-ironic", root + "-placement", root + "-networks"} {
		api.WaitGone(t, engine.Applications, engine.ArgoNamespace, name)
	}
	for _, row := range []struct {
		resource        schema.GroupVersionResource
		namespace, name string
	}{
		{ironics, "baremetal-operator-system", "ironic"}, {vinoes, "vino", "subclusters"},
		{placementAPIs, "openstack", "placement"},
		{attachments, "openstack", "storage"}, {pools, "metallb-system", "internal"},
	} {
		assert.Truef(t, api.Get(t, row.resource, row.namespace, row.name).GetDeletionTimestamp() == nil,
			"%s %s is being deleted", row.resource.Resource, row.name)
	}
	for _, was := range made {
		is := api.Get(t, engine.Hosts, was.GetNamespace(), was.GetName())
		assert.Truef(t, is.GetDeletionTimestamp() == nil && text(t, is.Object["spec"]) == text(t, was.Object["spec"]),
			"host %s is being deleted, or has another spec", was.GetName())
	}
}

func text(t *testing.T, value any) string {
	t.Helper()
	return string(need.Value(json.Marshal(value))(t))
}
