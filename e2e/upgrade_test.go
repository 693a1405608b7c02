package e2e_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/airshipit/sipgen/e2e/trees"
	"github.com/airshipit/sipgen/internal/manifest"
)

// TestUpgradeLive: trees of earlier commits, live, with hosts that Cluster API consumes, are upgraded by today's sipgen. Nobody gets or loses
// a host, nothing is made anew, and at no moment is a guard away, or a jump host's right to restart its hosts.
func TestUpgradeLive(t *testing.T) {
	t.Parallel()
	all, err := trees.All()
	if err != nil || len(all) == 0 {
		t.Fatalf("%d trees, %v", len(all), err)
	}
	// A site has an API server of its own. Two at a time, one for either engine.
	for _, e := range []v1alpha1.Engine{v1alpha1.EngineFlux, v1alpha1.EngineArgoCD} {
		t.Run(string(e), func(t *testing.T) {
			t.Parallel()
			for _, tree := range all {
				if tree.Engine == string(e) {
					t.Run(tree.Commit+"/"+tree.Example, func(t *testing.T) { newUpgrade(t, tree).run(t) })
				}
			}
		})
	}
}

// upgrade is a site with a tree of an earlier commit.
type upgrade struct {
	*circle
	from trees.Tree
	// sitePath is the Site's file, with the repository's URL.
	sitePath string
	// old is the tree that is live, and objects are what the engine applies from it.
	old     map[string][]byte
	objects map[string]*unstructured.Unstructured
	// hostNames are the hosts that the operator has, by namespace.
	hostNames map[string][]string
}

// newUpgrade makes the site live: its hosts, registered by the operator, the tree, synced, and on the active hosts consumers.
func newUpgrade(t *testing.T, from trees.Tree) *upgrade {
	t.Helper()
	r := newRigWithoutOperator(t, v1alpha1.Engine(from.Engine))
	r.alone = true
	u := &upgrade{circle: &circle{rig: r, repo: engine.NewRepo(t)}, from: from, hostNames: map[string][]string{}}
	u.read(t)
	r.api.InstallCRDs(t, engine.CertManagerCRDs(t)...)
	base := u.makeHosts(t)
	r.startOperator(t)
	for namespace, names := range u.hostNames {
		r.api.Operator.WaitState(t, "available", namespace, names...)
		t.Cleanup(func() { r.wantNoHarm(t, namespace, "all of it") })
	}
	r.startEngine(t)

	files := map[string][]byte{}
	if folder := u.site.Spec.Hosts.Base; folder != "" {
		files[folder+"/kustomization.yaml"] = []byte("resources: [hosts.yaml]\n")
		files[folder+"/hosts.yaml"] = base
	}
	for name, content := range u.old {
		files[path.Join(u.site.Spec.Repository.Path, name)] = content
	}
	u.repo.Commit(t, "the tree of "+from.Commit, files)
	u.readTree(t)
	u.bootstrapByHand(t)
	u.sync(t, nil)
	u.consumeActive(t)
	u.untouched = engine.WantUntouched(t, r.api, slices.Sorted(maps.Keys(u.hostNames))...)
	return u
}

// read reads the tree and its site. Argo CD clones the repository that the tree names, so that there the URL is that of the test's.
func (u *upgrade) read(t *testing.T) {
	t.Helper()
	var err error
	if u.old, err = trees.Read(u.from.Folder); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(u.from.Site)
	if err != nil {
		t.Fatal(err)
	}
	if u.rig.engine == v1alpha1.EngineArgoCD {
		url := regexp.MustCompile(`(?m)^ *url: (\S+)$`).FindSubmatch(text)[1]
		text = bytes.ReplaceAll(text, url, []byte(u.repo.URL()))
		u.old = withURL(t, u.old, url, []byte(u.repo.URL()))
	}
	u.sitePath = filepath.Join(t.TempDir(), "site.yaml")
	if err := os.WriteFile(u.sitePath, text, 0o600); err != nil {
		t.Fatal(err)
	}
	// The notes on upgrading: the grants that the specs need are pasted into the Site first.
	cmd := exec.Command(sipgenBinary(t), "tenants", "--suggest", "--site", u.sitePath, "-f", u.from.Specs, "--inventory", u.from.Inventory, "--previous", "none")
	grants, err := cmd.Output()
	if err != nil {
		t.Fatalf("sipgen tenants: %v", err)
	}
	text = append(text, bytes.TrimPrefix(grants, []byte("spec:\n"))...)
	if err := os.WriteFile(u.sitePath, text, 0o600); err != nil {
		t.Fatal(err)
	}
	docs, err := manifest.Read([]string{u.sitePath}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if u.site, err = v1alpha1.FromDocuments(docs); err != nil {
		t.Fatal(err)
	}
	if u.objects, err = trees.Objects(u.old); err != nil {
		t.Fatal(err)
	}
}

// withURL puts another repository's URL into a tree, and its sums into the list of files that sipgen owns: else the tree looks edited.
func withURL(t *testing.T, tree map[string][]byte, url, with []byte) map[string][]byte {
	t.Helper()
	const list = ".sipgen.yaml"
	tree = maps.Clone(tree)
	digest := sha256.New()
	entry := regexp.MustCompile(`  - path: (\S+)\n    sha256: ([0-9a-f]{64})\n`)
	owned := entry.ReplaceAllFunc(tree[list], func(text []byte) []byte {
		name := string(entry.FindSubmatch(text)[1])
		tree[name] = bytes.ReplaceAll(tree[name], url, with)
		sum := sha256.Sum256(tree[name])
		fmt.Fprintf(digest, "%x  %s\n", sum, name)
		return []byte(fmt.Sprintf("  - path: %s\n    sha256: %x\n", name, sum))
	})
	tree[list] = regexp.MustCompile(`digest: sha256:[0-9a-f]{64}`).ReplaceAll(owned, []byte("digest: sha256:"+hex.EncodeToString(digest.Sum(nil))))
	return tree
}

// makeHosts makes the hosts of the fixture, with their Secrets and their uids, and gives their manifests.
func (u *upgrade) makeHosts(t *testing.T) []byte {
	t.Helper()
	files, err := trees.Read(u.from.Inventory)
	if err != nil {
		t.Fatal(err)
	}
	api := u.rig.api
	var all []byte
	for _, name := range slices.Sorted(maps.Keys(files)) {
		all = append(append(all, files[name]...), "\n---\n"...)
		for _, o := range engine.Objects(t, files[name]) {
			api.Namespaces(t, o.GetNamespace())
			uid := string(o.GetUID())
			for _, field := range []string{"uid", "managedFields", "resourceVersion", "creationTimestamp"} {
				unstructured.RemoveNestedField(o.Object, "metadata", field)
			}
			unstructured.RemoveNestedField(o.Object, "status")
			if err := api.TryApply(o, "people", false); err != nil {
				t.Fatal(err)
			}
			if o.GetKind() != "BareMetalHost" {
				continue
			}
			// The operator leaves a paused host as it is.
			if _, paused := o.GetAnnotations()["baremetalhost.metal3.io/paused"]; !paused {
				u.hostNames[o.GetNamespace()] = append(u.hostNames[o.GetNamespace()], o.GetName())
			}
			credentials, _, _ := unstructured.NestedString(o.Object, "spec", "bmc", "credentialsName")
			api.Create(t, "people", engine.BMCSecret(o.GetNamespace(), credentials))
			if uid != "" {
				api.SetUID(t, engine.Hosts, o.GetNamespace(), o.GetName(), uid)
			}
		}
	}
	return all
}

// bootstrapByHand is the README's: the policy by kubectl, and the namespaces that a tree does not make. The root follows with the sync.
func (u *upgrade) bootstrapByHand(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	for name, content := range u.old {
		if strings.HasPrefix(name, "policy/") {
			if err := os.MkdirAll(filepath.Join(dir, "policy"), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), content, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, o := range u.objects {
		if o.GetNamespace() != "" {
			u.rig.api.Namespaces(t, o.GetNamespace())
		}
	}
	u.rig.api.Kubectl(t, "", "apply", "-k", filepath.Join(dir, "policy"))
}

// patches are the hosts' patches of the tree that is live.
func (u *upgrade) patches() []*unstructured.Unstructured {
	var out []*unstructured.Unstructured
	for _, id := range slices.Sorted(maps.Keys(u.objects)) {
		if o := u.objects[id]; o.GetKind() == "BareMetalHost" {
			out = append(out, o)
		}
	}
	return out
}

// consumeActive has Cluster API take the hosts that are not on standby.
func (u *upgrade) consumeActive(t *testing.T) {
	t.Helper()
	active := map[string][]string{}
	for _, o := range u.patches() {
		if got := u.rig.api.OurLabels(t, o.GetNamespace(), o.GetName()); !maps.Equal(got, engine.OurLabels(o)) {
			t.Fatalf("host %s/%s has labels %v, want %v", o.GetNamespace(), o.GetName(), got, engine.OurLabels(o))
		}
		if o.GetLabels()["sip.airshipit.org/standby"] == "" {
			active[o.GetNamespace()] = append(active[o.GetNamespace()], o.GetName())
		}
	}
	for namespace, names := range active {
		u.rig.consume(t, namespace, names...)
	}
}

// sipgen runs today's command on the live hosts, as the account that the live tree has for it. Where hosts are in git the tree has none, and
// the hosts' manifests are the inventory.
func (u *upgrade) sipgen(t *testing.T, want int, command string) {
	t.Helper()
	namespace := engine.FluxNamespace
	if u.rig.argo != nil {
		namespace = engine.ArgoNamespace
	}
	args := []string{command, "--site", u.sitePath, "-f", u.from.Specs, "--repo", u.repo.Dir, "--inventory"}
	if u.site.Spec.Hosts.Apply == v1alpha1.ApplyOverlay {
		args = append(args, u.from.Inventory)
	} else {
		account := u.rig.api.As("system:serviceaccount:" + namespace + ":sipgen-reader")
		args = append(args, "cluster", "--kubeconfig", engine.Kubeconfig(t, account))
	}
	cmd := exec.Command(sipgenBinary(t), args...)
	out, err := cmd.CombinedOutput()
	u.said = string(out)
	if code := cmd.ProcessState.ExitCode(); code != want {
		t.Fatalf("sipgen %s: exit code %d, want %d: %v\n%s", command, code, want, err, out)
	}
}

func (u *upgrade) run(t *testing.T) {
	uids := u.uids(t)
	watch := u.watchRights(t)
	for turn := 1; ; turn++ {
		tip := u.repo.Head(t)
		live := u.tree
		u.sipgen(t, 0, "publish")
		u.readTree(t)
		u.wantNothingLost(t, live)
		for _, name := range append(u.syncs(t), u.root()) {
			if slices.Contains(u.synced, name) || name == u.root() {
				u.reconcile(t, name)
			}
		}
		u.sync(t, nil)
		if u.repo.Head(t) == tip {
			break
		}
		if turn == 3 {
			t.Fatalf("still something to commit after %d turns\n%s", turn, u.said)
		}
	}
	u.sipgen(t, 0, "diff")
	watch.end(t)
	u.deleteReplacedGuards(t)
	u.sharedProjectIsGone(t)

	now := u.uids(t)
	for _, id := range slices.Sorted(maps.Keys(now)) {
		if now[id] != uids[id] {
			t.Errorf("%s was made anew: uid %q, was %q", id, now[id], uids[id])
		}
	}
	u.ownAccounts(t)
	u.wantHeld(t)
	u.untouched.Check(t, "the upgrade")
	for namespace := range u.hostNames {
		u.rig.wantNoHarm(t, namespace, "the upgrade")
	}
}
