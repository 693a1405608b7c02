package show

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/internal/objdiff"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const hostsOfA = "clusters/tenant-a/edge-a/hosts/"

func host(name string, labels ...string) []byte {
	text := "# Rendered by sipgen.\napiVersion: metal3.io/v1alpha1\nkind: BareMetalHost\nmetadata:\n  name: " + name +
		"\n  namespace: metal3\n"
	if len(labels) > 0 {
		text += "  labels:\n"
	}
	for _, label := range labels {
		text += "    " + label + "\n"
	}
	return []byte(text)
}

func compare(t *testing.T, old, new map[string][]byte) *objdiff.Diff {
	t.Helper()
	diff := need.Value(objdiff.Compare(old, new))(t)
	return diff
}

func written(t *testing.T, d *objdiff.Diff, write func(io.Writer, *objdiff.Diff) error) string {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, write(&out, d))
	return out.String()
}

func human(t *testing.T, d *objdiff.Diff) string { return written(t, d, plain) }

func plain(w io.Writer, d *objdiff.Diff) error { return Human(w, d, false, false) }

func colored(w io.Writer, d *objdiff.Diff) error { return Human(w, d, true, false) }

func brief(w io.Writer, d *objdiff.Diff) error { return Human(w, d, false, true) }

func inMarkdown(w io.Writer, d *objdiff.Diff) error { return Markdown(w, d, false) }

// inMarkdownBrief is what a comment has.
func inMarkdownBrief(w io.Writer, d *objdiff.Diff) error { return Markdown(w, d, true) }

func inJSON(w io.Writer, d *objdiff.Diff) error { return JSON(w, d, "example.org/v1") }

func site() (old, new map[string][]byte) {
	old = map[string][]byte{
		hostsOfA + "metal3.a.yaml":               host("a", "role: cp", "cluster: edge-a"),
		hostsOfA + "metal3.b.yaml":               host("b", "role: cp"),
		hostsOfA + "metal3.gone.yaml":            host("gone", "role: wk"),
		"clusters/tenant-a/edge-a/infra/lb.yaml": []byte("kind: Service\nmetadata: {name: lb, namespace: n}\nspec: {ports: [{name: api, nodePort: 30001}]}\n"),
		"clusters/tenant-a/edge-a/infra/lb.cfg":  []byte("defaults\n  timeout 1s\n"),
		"PLAN.md":                                []byte("old\n"),
		"policy/same.yaml":                       []byte("a: 1\n"),
	}
	new = map[string][]byte{
		hostsOfA + "metal3.a.yaml":               host("a"),
		hostsOfA + "metal3.b.yaml":               host("b", "role: wk"),
		hostsOfA + "metal3.new.yaml":             host("new", "role: wk"),
		"clusters/tenant-a/edge-a/infra/lb.yaml": []byte("kind: Service\nmetadata: {name: lb, namespace: n}\nspec: {ports: [{name: api, nodePort: 30002}]}\ndata:\n  text: |\n    one\n    two\n"),
		"clusters/tenant-a/edge-a/infra/lb.cfg":  []byte("defaults\n  timeout 2s\n"),
		"PLAN.md":                                []byte("new\n"),
		"policy/same.yaml":                       []byte("a: 1\n"),
	}
	return old, new
}

func TestNoDifference(t *testing.T) {
	tree := map[string][]byte{"a.yaml": []byte("a: 1\n"), "b": nil}
	diff := compare(t, tree, tree)
	assert.Empty(t, human(t, diff))
	assert.Contains(t, written(t, diff, inJSON), "\"files\": []", "JSON")
}

// The files below testdata are what people and machines are shown; UPDATE=1 rewrites them.
func TestWriters(t *testing.T) {
	old, new := site()
	diff := compare(t, old, new)
	for name, write := range map[string]func(io.Writer, *objdiff.Diff) error{
		"human.txt": plain, "color.txt": colored, "diff.json": inJSON, "markdown.md": inMarkdown,
	} {
		got := written(t, diff, write)
		path := filepath.Join("testdata", name)
		if os.Getenv("UPDATE") != "" {
			require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
		}
		assert.Equal(t, string(need.Read(t, path)), got, name)
		assert.Equal(t, got, written(t, compare(t, old, new), write), name)
	}
}

// TestMarkdownWithoutNoise: a reader is shown no digests and no JSON; programs are.
func TestMarkdownWithoutNoise(t *testing.T) {
	sum := func(of string) string { return "sha256:" + strings.Repeat(of, 64) }
	doc := func(digest, rest string) map[string][]byte {
		return map[string][]byte{"a.yaml": []byte("kind: Assignments\nmetadata: {name: a}\ndigest: " + digest + "\n" +
			rest)}
	}
	diff := compare(t, doc(sum("0"), "roles: [a, b]\nhosts: [{name: x, role: cp}]\nkeep: {a: 1}\n"),
		doc(sum("1"), "roles: [a, b, c]\nhosts: [{name: x, role: cp}, {name: y, at: {rack: r1}}]\nkeep: {a: 1, b: {c: 2}}\nempty: {}\n"))
	for name, text := range map[string]string{"markdown": written(t, diff, inMarkdown), "human": human(t, diff)} {
		assert.NotContains(t, text, "sha256", name)
	}
	page := written(t, diff, inMarkdown)
	assert.Truef(t, !strings.Contains(page, "&#123;"), "JSON:\n%s", page)
	assert.Contains(t, written(t, diff, inJSON), sum("1"), "no digest in the JSON")
}

// TestBrief: a folder that is new as a whole is summed up, with its hosts; one that was there, and a file that stands
// alone, is not.
func TestBrief(t *testing.T) {
	host := func(name, role string) []byte {
		return []byte("apiVersion: metal3.io/v1alpha1\nkind: BareMetalHost\nmetadata:\n  namespace: m\n  name: " +
			name + "\n  uid: u\n  labels: {example.org/role: " + role + ", plain: x}\n")
	}
	object := func(kind string) []byte {
		return []byte("apiVersion: v1\nkind: " + kind + "\nmetadata: {name: x}\nspec: {a: 1}\n")
	}
	list := []byte("apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [x.yaml]\n")
	old := map[string][]byte{"clusters/t/b/hosts/m.b.yaml": host("b", "w"), "policy/a.yaml": object("Role")}
	diff, err := objdiff.Compare(old, map[string][]byte{
		"clusters/t/a/hosts/m.a.yaml": host("a", "cp"), "clusters/t/a/hosts/kustomization.yaml": list,
		"clusters/t/a/assignments.yaml": object("Assignments"),
		"clusters/t/a/infra/x.yaml":     object("Service"), "clusters/t/a/infra/y.yaml": object("Deployment"),
		"clusters/t/a/infra/kustomization.yaml": list,
		"clusters/t/b/hosts/m.b.yaml":           host("b", "w"), "clusters/t/b/hosts/m.c.yaml": host("c", "w"),
		"clusters/t/b/hosts/kustomization.yaml": list,
		"policy/a.yaml":                         object("Role"), "policy/b.yaml": object("ClusterRole"),
		"policy/kustomization.yaml": list,
		"PLAN.md":                   []byte("plan\n"),
	})
	require.NoError(t, err)
	const want = `clusters/t/a/hosts/: added, 2 files
  + BareMetalHost m/a: role=cp, plain=x
clusters/t/b/hosts/m.c.yaml: added
  + BareMetalHost m/c
    + metadata.labels["example.org/role"]: w
    + metadata.labels.plain: x
clusters/t/b/hosts/kustomization.yaml: added
  + Kustomization
clusters/t/a/assignments.yaml: added
  + Assignments x
clusters/t/a/infra/: added, 3 files
  + 1 Deployment, 1 Service
policy/b.yaml: added
  + ClusterRole x
policy/kustomization.yaml: added
  + Kustomization
PLAN.md changes accordingly

11 files added; --all shows each file of what is new
`
	assert.Equal(t, want, written(t, diff, brief))
	page := written(t, diff, inMarkdownBrief)
	for _, word := range []string{
		"| added | <code>clusters/t/a/hosts/</code> | 2 files, 1 BareMetalHost |  |  |\n",
		"| added | <code>clusters/t/a/infra/</code> | 3 files, 1 Deployment, 1 Service |  |  |\n",
		"| added | <code>BareMetalHost m/c</code> |",
	} {
		assert.Contains(t, page, word)
	}
	assert.Truef(t, !strings.Contains(page, "m/a") && !strings.Contains(page, "Deployment x"),
		"a new folder is not summed up:\n%s", page)
	if all := written(t, diff, plain); strings.Contains(all, "--all") ||
		!strings.Contains(all, "clusters/t/a/infra/x.yaml: added\n  + Service x\n") {
		t.Error(all)
	}
}
