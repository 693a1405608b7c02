package objdiff

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

const hostsOfA = "clusters/tenant-a/edge-a/hosts/"

func host(name string, labels ...string) []byte {
	text := "# Rendered by sipgen.\napiVersion: metal3.io/v1alpha1\nkind: BareMetalHost\nmetadata:\n  name: " + name + "\n  namespace: metal3\n"
	if len(labels) > 0 {
		text += "  labels:\n"
	}
	for _, label := range labels {
		text += "    " + label + "\n"
	}
	return []byte(text)
}

func compare(t *testing.T, old, new map[string][]byte) *Diff {
	t.Helper()
	diff, err := Compare(old, new)
	if err != nil {
		t.Fatal(err)
	}
	return diff
}

func written(t *testing.T, write func(io.Writer) error) string {
	t.Helper()
	var out bytes.Buffer
	if err := write(&out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func human(t *testing.T, d *Diff) string {
	return written(t, func(w io.Writer) error { return d.Human(w, false, false) })
}

func TestFields(t *testing.T) {
	for _, row := range []struct {
		why, old, new string
		want          []Field
	}{
		{"a label's key has dots, so it stands in quotes",
			"metadata: {labels: {example.org/rack: r1}}", "metadata: {labels: {example.org/rack: r2}}",
			[]Field{{`metadata.labels["example.org/rack"]`, FieldChanged, "r1", "r2"}}},
		{"keys that a mapping gains and loses are fields of their own",
			"a: {x: 1, y: 2}", "a: {z: 3, w: [1]}",
			[]Field{{"a.x", FieldRemoved, json.Number("1"), nil}, {"a.y", FieldRemoved, json.Number("2"), nil},
				{"a.z", FieldAdded, nil, json.Number("3")}, {"a.w", FieldAdded, nil, []any{json.Number("1")}}}},
		{"a container is known by its name, wherever it stands",
			"c: [{name: a, image: x}, {name: b, image: y}]", "c: [{name: a, image: x}, {name: b, image: z}]",
			[]Field{{"c[name=b].image", FieldChanged, "y", "z"}}},
		{"an item that a list gains",
			"c: [{name: a}]", "c: [{name: a}, {name: b}]",
			[]Field{{"c[]", FieldAdded, nil, map[string]any{"name": "b"}}}},
		{"the same items in another order are no new items",
			"c: [x, y]", "c: [y, x]",
			[]Field{{"c", FieldReordered, []any{"x", "y"}, []any{"y", "x"}}}},
		{"a number is not the text of the same digits: a port in quotes is another thing to an API server",
			"port: 80", `port: "80"`,
			[]Field{{"port", FieldChanged, json.Number("80"), "80"}}},
		{"true and null keep their types",
			"a: {b: true, c: 1}", "a: {b: false, c: null}",
			[]Field{{"a.b", FieldChanged, true, false}, {"a.c", FieldChanged, json.Number("1"), nil}}},
		{"an item's name that is no plain word is quoted, so that a path cannot be forged",
			`c: [{name: "a].b", v: 1}, {name: c, v: 1}]`, `c: [{name: "a].b", v: 2}, {name: c, v: 1}]`,
			[]Field{{`c[name="a].b"].v`, FieldChanged, json.Number("1"), json.Number("2")}}},
		{"the same object under another apiVersion is the same object",
			"apiVersion: v1beta1\nkind: A\nmetadata: {name: a}", "apiVersion: v1\nkind: A\nmetadata: {name: a}",
			[]Field{{"apiVersion", FieldChanged, "v1beta1", "v1"}}},
	} {
		diff := compare(t, map[string][]byte{"f.yaml": []byte(row.old)}, map[string][]byte{"f.yaml": []byte(row.new)})
		if len(diff.Files) != 1 || len(diff.Files[0].Objects) != 1 {
			t.Errorf("%s: want one object, found %+v", row.why, diff.Files)
			continue
		}
		if got := diff.Files[0].Objects[0].Fields; !reflect.DeepEqual(got, row.want) {
			t.Errorf("%s:\n got %#v\nwant %#v", row.why, got, row.want)
		}
	}
}

func TestObjectsArePairedByName(t *testing.T) {
	object := func(name, value string) string {
		return "kind: ConfigMap\nmetadata: {name: " + name + ", namespace: n}\ndata: {k: " + value + "}\n"
	}
	diff := compare(t,
		map[string][]byte{"f.yaml": []byte(object("a", "1") + "---\n" + object("b", "1") + "---\n" + object("gone", "1"))},
		map[string][]byte{"f.yaml": []byte(object("new", "1") + "---\n" + object("b", "2") + "---\n" + object("a", "1"))})
	var got []string
	for _, o := range diff.Files[0].Objects {
		got = append(got, o.String()+" "+string(o.Status))
	}
	want := []string{"ConfigMap n/new added", "ConfigMap n/b changed", "ConfigMap n/gone removed"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestTwoObjectsOfOneNameAreBothCompared(t *testing.T) {
	diff := compare(t,
		map[string][]byte{"f.yaml": []byte("kind: A\nv: 1\n---\nkind: A\nv: 2\n")},
		map[string][]byte{"f.yaml": []byte("kind: A\nv: 1\n---\nkind: A\nv: 3\n")})
	if o := diff.Files[0].Objects; len(o) != 1 || o[0].Document != 2 || o[0].Fields[0].Path != "v" {
		t.Errorf("found %+v, want v of document 2", o)
	}
}

// What cannot be compared by field is compared by line, and never left out.
func TestByLine(t *testing.T) {
	for _, row := range []struct{ why, name, old, new, note string }{
		{"no YAML at all", "haproxy.cfg", "a\nb\n", "a\nc\n", ""},
		{"a conflict marker makes it invalid", "f.yaml", "a: 1\n", "<<<<<<< ours\na: [\n", "compared by line: new: line 2: not valid YAML"},
		{"an alias that holds itself", "f.yaml", "a: &a [*a]\n", "a: &a [*a, 1]\n", "compared by line: old: line 1: a YAML anchor, want the value itself"},
		{"a key that stands twice hides a value", "f.yaml", "a: 1\n", "a: 1\na: 2\n", "compared by line: new: line 2: a key is there twice"},
		{"a comment is part of the file", "f.yaml", "a: 1 # one\n", "a: 1 # two\n", "only its layout or its comments differ"},
		{"a huge file would take the square of its items", "f.yaml", "a: 1\n", "a: " + strings.Repeat("x", bounds.Bytes), "compared by line: new: 1048579 bytes, want at most 1048576"},
	} {
		diff := compare(t, map[string][]byte{row.name: []byte(row.old)}, map[string][]byte{row.name: []byte(row.new)})
		if len(diff.Files) != 1 {
			t.Fatalf("%s: %d files", row.why, len(diff.Files))
		}
		f := diff.Files[0]
		if len(f.Objects) != 0 || f.LinesAdded == 0 || f.Note != row.note {
			t.Errorf("%s: found objects %v, %d lines added, note %q; want none, some, %q", row.why, f.Objects, f.LinesAdded, f.Note, row.note)
		}
	}
}

func TestHostsComeFirst(t *testing.T) {
	tree := map[string][]byte{}
	want := []string{hostsOfA + "metal3.b.yaml", hostsOfA + "metal3.c.yaml", hostsOfA + "kustomization.yaml",
		"clusters/tenant-a/edge-a/assignments.yaml", "clusters/tenant-a/edge-a/infra/lb.cfg", "policy/rbac.yaml", ".sipgen.yaml", "PLAN.md"}
	for _, name := range want {
		tree[name] = []byte("a: 1\n")
	}
	var got []string
	for _, f := range compare(t, nil, tree).Files {
		got = append(got, f.Path)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

func TestEqualTreesDifferInNothing(t *testing.T) {
	tree := map[string][]byte{"a.yaml": []byte("a: 1\n"), "b": nil}
	diff := compare(t, tree, tree)
	if !diff.Empty() || human(t, diff) != "" || written(t, diff.Unified) != "" || written(t, diff.GitHub) != "" {
		t.Errorf("found %+v", diff)
	}
	if got := written(t, func(w io.Writer) error { return diff.JSON(w, "example.org/v1") }); !strings.Contains(got, "\"files\": []") {
		t.Errorf("JSON %q: want a list, not null", got)
	}
}

func TestPathsOutsideTheTreeAreAllReported(t *testing.T) {
	_, err := Compare(map[string][]byte{"../a": nil, "/b": nil}, map[string][]byte{"c/../d": nil, "e": nil})
	if err == nil || strings.Count(err.Error(), "want a path below the tree") != 3 {
		t.Errorf("found %v, want three complaints", err)
	}
}

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

// The files below testdata are what people and machines are shown; UPDATE=1 rewrites them.
func TestWriters(t *testing.T) {
	old, new := site()
	diff := compare(t, old, new)
	for name, write := range map[string]func(io.Writer) error{
		"human.txt":    func(w io.Writer) error { return diff.Human(w, false, false) },
		"colour.txt":   func(w io.Writer) error { return diff.Human(w, true, false) },
		"unified.diff": diff.Unified, "diff.json": func(w io.Writer) error { return diff.JSON(w, "example.org/v1") }, "markdown.md": diff.Markdown, "github.txt": diff.GitHub,
	} {
		got := written(t, write)
		path := filepath.Join("testdata", name)
		if os.Getenv("UPDATE") != "" {
			if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("%s differs from testdata (UPDATE=1 rewrites it):\n%s", name, got)
		}
		again, _ := Compare(old, new)
		diff = again
		if second := written(t, write); second != got {
			t.Errorf("%s: another run, other bytes", name)
		}
	}
}

// TestMarkdownWithoutNoise: a reader is shown no digests and no JSON; programs are.
func TestMarkdownWithoutNoise(t *testing.T) {
	sum := func(of string) string { return "sha256:" + strings.Repeat(of, 64) }
	doc := func(digest, rest string) map[string][]byte {
		return map[string][]byte{"a.yaml": []byte("kind: Assignments\nmetadata: {name: a}\ndigest: " + digest + "\n" + rest)}
	}
	diff := compare(t, doc(sum("0"), "roles: [a, b]\nhosts: [{name: x, role: cp}]\nkeep: {a: 1}\n"), doc(sum("1"), "roles: [a, b, c]\nhosts: [{name: x, role: cp}, {name: y, at: {rack: r1}}]\nkeep: {a: 1, b: {c: 2}}\nempty: {}\n"))
	for name, text := range map[string]string{"markdown": written(t, diff.Markdown), "human": human(t, diff)} {
		if strings.Contains(text, "sha256") {
			t.Errorf("%s has digests:\n%s", name, text)
		}
	}
	if text := written(t, diff.GitHub); strings.Contains(text, "digest") || !strings.Contains(text, "roles[]") {
		t.Errorf("what CI says names a digest:\n%s", text)
	}
	if page := written(t, diff.Markdown); strings.Contains(page, "&#123;") {
		t.Errorf("JSON:\n%s", page)
	}
	if text := written(t, func(w io.Writer) error { return diff.JSON(w, "example.org/v1") }); !strings.Contains(text, sum("1")) {
		t.Errorf("no digest in the JSON:\n%s", text)
	}
}

func TestWordsOf(t *testing.T) {
	for want, value := range map[string]any{
		"a": "a", "a, b": []any{"a", "b"}, "a: 1, b: true": map[string]any{"b": true, "a": 1}, "empty": []any{}, "2 items": []any{map[string]any{}, "b"},
		"1 field": map[string]any{"a": []any{}}, "7 items": []any{1, 2, 3, 4, 5, 6, 7}, "3": 3, "null": nil,
	} {
		if got := wordsOf(value); got != want {
			t.Errorf("%v: got %q, want %q", value, got, want)
		}
	}
}

// TestBrief: a folder that is new as a whole is summed up, with its hosts; one that was there, and a file that stands alone, is not.
func TestBrief(t *testing.T) {
	host := func(name, role string) []byte {
		return []byte("apiVersion: metal3.io/v1alpha1\nkind: BareMetalHost\nmetadata:\n  namespace: m\n  name: " + name + "\n  uid: u\n  labels: {example.org/role: " + role + ", plain: x}\n")
	}
	object := func(kind string) []byte {
		return []byte("apiVersion: v1\nkind: " + kind + "\nmetadata: {name: x}\nspec: {a: 1}\n")
	}
	list := []byte("apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [x.yaml]\n")
	old := map[string][]byte{"clusters/t/b/hosts/m.b.yaml": host("b", "w"), "policy/a.yaml": object("Role")}
	diff, err := Compare(old, map[string][]byte{
		"clusters/t/a/hosts/m.a.yaml": host("a", "cp"), "clusters/t/a/hosts/kustomization.yaml": list, "clusters/t/a/assignments.yaml": object("Assignments"),
		"clusters/t/a/infra/x.yaml": object("Service"), "clusters/t/a/infra/y.yaml": object("Deployment"), "clusters/t/a/infra/kustomization.yaml": list,
		"clusters/t/b/hosts/m.b.yaml": host("b", "w"), "clusters/t/b/hosts/m.c.yaml": host("c", "w"), "clusters/t/b/hosts/kustomization.yaml": list,
		"policy/a.yaml": object("Role"), "policy/b.yaml": object("ClusterRole"), "policy/kustomization.yaml": list, "PLAN.md": []byte("plan\n"),
	})
	if err != nil {
		t.Fatal(err)
	}
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
PLAN.md follows

11 files added; --all shows each file of what is new
`
	if got := written(t, func(w io.Writer) error { return diff.Human(w, false, true) }); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if all := written(t, func(w io.Writer) error { return diff.Human(w, false, false) }); strings.Contains(all, "--all") || !strings.Contains(all, "clusters/t/a/infra/x.yaml: added\n  + Service x\n") {
		t.Error(all)
	}
}

// Objects in lists are read by their fields, a line each, and not as JSON.
func TestObjectsAreWords(t *testing.T) {
	file := func(text string) map[string][]byte {
		return map[string][]byte{"a.yaml": []byte("kind: Assignments\napiVersion: v1\nmetadata: {name: a}\n" + text)}
	}
	d, err := Compare(file("hosts:\n- {name: h1, role: Worker, addresses: {oam: [10.0.0.1]}}\n- {name: h2}\n"), file("hosts:\n- {name: h2}\nreleasing:\n- {name: h1, role: Worker}\n- {name: h3, standby: true}\n"))
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := d.Human(&out, false, false); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"    + releasing[]: name: h1, role: Worker\n    + releasing[]: name: h3, standby: true\n", "    - hosts[]: addresses: {oam: [\"10.0.0.1\"]}, name: h1, role: Worker\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("want %q in\n%s", want, out.String())
		}
	}
}

func TestKindsOf(t *testing.T) {
	for kind, want := range map[string]string{"Deployment": "Deployments", "NetworkPolicy": "NetworkPolicies", "Gateway": "Gateways", "Ingress": "Ingresses", "Vino": "Vinos", "y": "ies"} {
		if got := kindsOf(kind); got != want {
			t.Errorf("%s: found %s, want %s", kind, got, want)
		}
	}
}
