package e2e_test

import (
	"encoding/base64"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/internal/foreign"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// fluxSources is a source-controller beside the Flux of fluxRig.
var fluxSources = engine.Shared(func(t testing.TB) *engine.Sources { return engine.StartSources(t, fluxRig(t).api) })

// TestSteering: what engines make of files that sipgen did not write, next to a folder that they sync and above it:
// Flux with its source-controller, and Argo CD.
func TestSteering(t *testing.T) {
	t.Parallel()
	t.Run("flux", func(t *testing.T) {
		t.Parallel()
		trySteering(t, fluxRig(t), fluxSources(t), onFlux)
	})
	t.Run("argocd", func(t *testing.T) {
		t.Parallel()
		trySteering(t, argoRig(t), nil, onArgo)
	})
}

func onFlux(row steeredRow) outcome { return row.flux }
func onArgo(row steeredRow) outcome { return row.argocd }

// TestSteeringIsRefused: where TestSteering has something else than the tree, internal/foreign refuses the files.
func TestSteeringIsRefused(t *testing.T) {
	for i, row := range steeredRows {
		s := steered{steeredRow: row, ns: fmt.Sprintf("steering-%d", i)}
		s.wantRefused(t, false, onFlux(row))
		s.wantRefused(t, true, onArgo(row))
	}
}

// steered are rows under way: one, or those of which the engine is to take no notice, and that have no file in common.
type steered struct {
	steeredRow
	ns   string
	repo *engine.Repo
	// commit is the second one, and revision what Flux calls it.
	commit, revision string
}

// tree is a folder with what sipgen renders: objects, and a file that a generator reads. What it is about differs
// between the commits.
func (s *steered) tree(text string) map[string]string {
	app := s.at(steeredApp)
	return map[string]string{
		app + "kustomization.yaml":              "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [plain.yaml]\ngeneratorOptions: {disableNameSuffixHash: true}\nconfigMapGenerator:\n- {name: generated, files: [x.cfg]}\n",
		app + "plain.yaml":                      "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: plain}\ndata: {text: " + text + "}\n",
		app + "x.cfg":                           configOf(text),
		path.Dir(app[:len(app)-1]) + "/PLAN.md": "# " + text + "\n",
	}
}

func configOf(text string) string { return "# $Id$ $Format:%H$\n" + text + "\n" }

// at is a path in the row's tree.
func (s *steered) at(name string) string {
	if below, ok := strings.CutPrefix(name, "fleet/"); ok && s.folder != "" {
		return s.folder + "/" + below
	}
	return name
}

func trySteering(t *testing.T, r *rig, sources *engine.Sources, want func(steeredRow) outcome) {
	var all []*steered
	var namespaces []string
	for _, row := range steeredRows {
		i := slices.IndexFunc(all, func(s *steered) bool {
			return !common(s.files, row.files) && want(row) == asWritten && want(s.steeredRow) == asWritten &&
				s.folder == row.folder && !s.alone && !row.alone
		})
		if i < 0 {
			i = len(all)
			namespaces = append(namespaces, fmt.Sprintf("steering-%d", i))
			all = append(all, &steered{steeredRow: row, ns: namespaces[i], repo: engine.NewRepo(t)})
			all[i].name, all[i].files = "", map[string]string{}
		}
		all[i].name += row.name + "; "
		maps.Copy(all[i].files, row.files)
	}
	r.api.Namespaces(t, namespaces...)
	for _, s := range all {
		s.commit = s.repo.Edit(t, "first", func(dir string) { s.write(t, dir, s.tree("first")) })
		s.revision = s.repo.Branch + "@sha1:" + s.commit
		s.start(t, r, sources)
	}
	for _, s := range all {
		if s.folder == "" {
			if got, said := s.done(t, r, "first"); got != asWritten {
				t.Errorf("%s: the first commit: %s %s", s.name, got, said)
			}
		}
	}
	for _, s := range all {
		s.commit = s.repo.Edit(t, "second", func(dir string) {
			s.write(t, dir, s.tree("second"))
			s.write(t, dir, s.files)
		})
		// A tag with the branch's name. Argo CD would take it for the branch by chance, if the Application did not give
		// the branch's whole name: among so many rows, in some.
		s.repo.Tag(t, s.repo.Branch, s.commit+"^")
		s.revision = s.repo.Branch + "@sha1:" + s.commit
		if sources != nil {
			sources.Ask(t, s.ns, "site")
		} else {
			r.argo.Refresh(t, s.ns)
		}
	}
	for _, s := range all {
		got, said := s.done(t, r, "second")
		t.Logf("%s%-8s %.300s", s.name, got, strings.ReplaceAll(said, "\n", " "))
		assert.Truef(t, got == want(s.steeredRow), "%s: found %q, want %q: %s", s.name, got, want(s.steeredRow), said)
		if r.argo != nil {
			r.forget("", s.ns)
		} else {
			r.forget(s.ns, "app")
		}
	}
}

// common says whether a file is in both.
func common(a, b map[string]string) bool {
	for name := range a {
		if _, both := b[name]; both {
			return true
		}
	}
	return false
}

// write writes files, links and submodules into a checkout.
func (s *steered) write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		content := files[name]
		file := filepath.Join(dir, filepath.FromSlash(strings.Replace(name, "APPLICATION", s.ns, 1)))
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		git := func(args ...string) { need.Output(t, exec.Command("git", append([]string{"-C", dir}, args...)...)) }
		if target, ok := strings.CutPrefix(content, "-> "); ok {
			require.NoError(t, os.Symlink(target, file))
			continue
		}
		if strings.HasPrefix(content, "=> ") {
			require.NoError(t, os.MkdirAll(file, 0o755))
			git("update-index", "--add", "--cacheinfo", "160000,"+strings.Repeat("12", 20)+","+name)
			continue
		}
		if path.Base(name) == ".gitattributes" {
			// What is there already is committed as it is, whatever the attributes would make of it.
			git("add", "--all")
			git("update-index", "--assume-unchanged", s.at(steeredApp)+"x.cfg")
		}
		need.Write(t, file, content)
	}
}

// start makes the engine sync the folder, as sipgen has it sync a cluster's services.
func (s *steered) start(t *testing.T, r *rig, sources *engine.Sources) {
	t.Helper()
	folder := strings.TrimSuffix(s.at(steeredApp), "/")
	if sources == nil {
		for _, o := range engine.Objects(t, need.Read(t, "../golden/single-argocd-waves/argocd/root.yaml")) {
			if o.GetKind() != "Application" {
				continue
			}
			o.SetName(s.ns)
			both(set("default", "spec", "project"), set(folder, "spec", "source", "path"),
				set(s.repo.URL(), "spec", "source", "repoURL"),
				set(s.ns, "spec", "destination", "namespace"))(o.Object)
			require.NoError(t, r.api.TryApply(o, "e2e", false))
		}
		return
	}
	r.api.Apply(t, "e2e", fmt.Sprintf(`
apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: {namespace: %[1]s, name: site}
spec: {interval: 1h, url: %[2]q, ref: {branch: %[3]s}}
---
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {namespace: %[1]s, name: app}
spec: {interval: 1h, retryInterval: 2s, path: ./%[4]s, prune: true, targetNamespace: %[1]s, sourceRef: {kind: GitRepository, name: site}}
`, s.ns, s.repo.Serve(t), s.repo.Branch, folder))
	sources.Ask(t, s.ns, "site")
}

// done waits until the engine has done with the commit, and says what came of it and what the engine says.
func (s *steered) done(t *testing.T, r *rig, text string) (got outcome, said string) {
	t.Helper()
	failed := false
	applied := func() (waits bool, found any) {
		k := r.api.Get(t, engine.Kustomizations, s.ns, "app")
		ready := engine.Condition(k, "Ready")
		attempted, _, _ := unstructured.NestedString(k.Object, "status", "lastAttemptedRevision")
		said, failed = ready.Message, ready.Status == "False"
		done := attempted == s.revision && ready.Status != "Unknown" && ready.Status != ""
		return !done && !engine.NoFolder(k, s.revision), fmt.Sprintf("attempted %q: %s", attempted, ready)
	}
	synced := func(app *unstructured.Unstructured) error {
		sync, _, _ := unstructured.NestedString(app.Object, "status", "sync", "status")
		revision, _, _ := unstructured.NestedString(app.Object, "status", "sync", "revision")
		phase, _, _ := unstructured.NestedString(app.Object, "status", "operationState", "phase")
		said, failed = "", false
		for _, c := range engine.Conditions(app) {
			said, failed = said+c.Type+": "+c.Message+" ", failed || c.Type == "ComparisonError"
		}
		if !failed && (sync != "Synced" || revision != s.commit || phase == "Running") {
			return fmt.Errorf("%s at %q, %s %s", sync, revision, phase, said)
		}
		return nil
	}
	if r.argo != nil {
		r.argo.Wait(t, s.ns, s.name+": "+text, synced)
	} else {
		waitWhile(t, s.name+": "+text, applied)
	}
	live := map[string]string{}
	for _, o := range r.api.List(t, engine.ConfigMaps, s.ns) {
		if o.GetName() == "kube-root-ca.crt" {
			continue
		}
		data, _, _ := unstructured.NestedStringMap(o.Object, "data")
		binary, _, _ := unstructured.NestedStringMap(o.Object, "binaryData")
		for key, value := range binary {
			raw, _ := base64.StdEncoding.DecodeString(value)
			live[o.GetName()+" "+key] = string(raw)
		}
		for key, value := range data {
			live[o.GetName()+" "+key] = value
		}
	}
	is := func(text string) bool {
		return maps.Equal(live, map[string]string{"plain text": text, "generated x.cfg": configOf(text)})
	}
	switch {
	case failed && (is("first") || s.folder != "" && len(live) == 0):
		return fails, said
	case failed:
		return "failed halfway", fmt.Sprintf("%s %q", said, live)
	case is(text):
		return asWritten, said
	case len(live) == 0:
		return pruned, said
	}
	return differs, fmt.Sprintf("%s %q", said, live)
}

// wantRefused compares what internal/foreign says of the commit with what the engine makes of it.
func (s *steered) wantRefused(t *testing.T, argo bool, got outcome) {
	t.Helper()
	in := foreign.Input{ArgoCD: argo, Prefix: strings.TrimSuffix(s.at("fleet/"), "/")}
	for name := range s.tree("second") {
		in.Tree = append(in.Tree, strings.TrimPrefix(name, in.Prefix+"/"))
	}
	for _, name := range slices.Sorted(maps.Keys(s.files)) {
		content := s.files[name]
		below, inside := strings.CutPrefix(name, in.Prefix+"/")
		above := inside && !strings.Contains(below, "/") || name == path.Base(name)
		switch name = strings.Replace(name, "APPLICATION", s.ns, 1); {
		case strings.HasPrefix(name, s.at(steeredApp)):
			in.Others = append(in.Others, strings.TrimPrefix(name, in.Prefix+"/"))
		case above && slices.Contains(foreign.Names, path.Base(name)):
			link := strings.HasPrefix(content, "-> ") || strings.HasPrefix(content, "=> ")
			in.Around = append(in.Around, foreign.File{Path: name, Text: []byte(content), NoFile: link})
		}
	}
	err := foreign.Check(in)
	switch {
	case got == asWritten && err != nil && s.careful == "" && len(in.Others) == 0:
		t.Errorf("%s: the engine applies what the tree says, and sipgen refuses it: %v", s.name, err)
	case (got != asWritten || len(in.Others) > 0) && err == nil && s.unseen == "":
		t.Errorf("%s: %q, and sipgen says nothing", s.name, got)
	}
}
