package objdiff

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const hostsOfA = "clusters/tenant-a/edge-a/hosts/"

func compare(t *testing.T, old, new map[string][]byte) *Diff {
	t.Helper()
	diff := need.Value(Compare(old, new))(t)
	return diff
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
		{"a mode in octal is the same number, however it is written",
			"a: {mode: 292, other: 288}", "a: {mode: 0444, other: 0400}",
			[]Field{{"a.other", FieldChanged, json.Number("288"), json.Number("256")}}},
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
		got := diff.Files[0].Objects[0].Fields
		assert.Truef(t, reflect.DeepEqual(got, row.want), "%s:\n got %#v\nwant %#v", row.why, got, row.want)
	}
}

func TestObjectsArePairedByName(t *testing.T) {
	object := func(name, value string) string {
		return "kind: ConfigMap\nmetadata: {name: " + name + ", namespace: n}\ndata: {k: " + value + "}\n"
	}
	diff := compare(t,
		map[string][]byte{"f.yaml": []byte(object("a", "1") + "---\n" + object("b", "1") + "---\n" + object("gone",
			"1"))},
		map[string][]byte{"f.yaml": []byte(object("new", "1") + "---\n" + object("b", "2") + "---\n" + object("a",
			"1"))})
	var got []string
	for _, o := range diff.Files[0].Objects {
		got = append(got, o.String()+" "+string(o.Status))
	}
	assert.Equal(t, []string{"ConfigMap n/new added", "ConfigMap n/b changed", "ConfigMap n/gone removed"}, got)
}

func TestTwoObjectsOfOneNameAreBothCompared(t *testing.T) {
	diff := compare(t,
		map[string][]byte{"f.yaml": []byte("kind: A\nv: 1\n---\nkind: A\nv: 2\n")},
		map[string][]byte{"f.yaml": []byte("kind: A\nv: 1\n---\nkind: A\nv: 3\n")})
	o := diff.Files[0].Objects
	assert.Truef(t, len(o) == 1 && o[0].Document == 2 && o[0].Fields[0].Path == "v", "found %+v, want v of document 2",
		o)
}

// What cannot be compared by field is compared by line, and never left out.
func TestByLine(t *testing.T) {
	for _, row := range []struct{ why, name, old, new, note string }{
		{"no YAML at all", "haproxy.cfg", "a\nb\n", "a\nc\n", ""},
		{"a conflict marker makes it invalid", "f.yaml", "a: 1\n", "<<<<<<< ours\na: [\n",
			"compared by line: new: line 2: not valid YAML"},
		{"an alias that holds itself", "f.yaml", "a: &a [*a]\n", "a: &a [*a, 1]\n",
			"compared by line: old: line 1: a YAML anchor, want the value itself"},
		{"a key that stands twice hides a value", "f.yaml", "a: 1\n", "a: 1\na: 2\n",
			"compared by line: new: line 2: a key is there twice"},
		{"a comment is part of the file", "f.yaml", "a: 1 # one\n", "a: 1 # two\n",
			"only its layout or its comments differ"},
		{"a huge file would take the square of its items", "f.yaml", "a: 1\n",
			"a: " + strings.Repeat("x", bounds.Bytes), "compared by line: new: 1048579 bytes, want at most 1048576"},
	} {
		diff := compare(t, map[string][]byte{row.name: []byte(row.old)}, map[string][]byte{row.name: []byte(row.new)})
		require.Truef(t, len(diff.Files) == 1, "%s: %d files", row.why, len(diff.Files))
		f := diff.Files[0]
		assert.Truef(t, len(f.Objects) == 0 && f.LinesAdded != 0 && f.Note == row.note,
			"%s: found objects %v, %d lines added, note %q; want none, some, %q", row.why, f.Objects, f.LinesAdded,
			f.Note, row.note)
	}
}

func TestHostsComeFirst(t *testing.T) {
	tree := map[string][]byte{}
	want := []string{hostsOfA + "metal3.b.yaml", hostsOfA + "metal3.c.yaml", hostsOfA + "kustomization.yaml",
		"clusters/tenant-a/edge-a/assignments.yaml", "clusters/tenant-a/edge-a/infra/lb.cfg", "policy/rbac.yaml",
		".sipgen.yaml", "PLAN.md"}
	for _, name := range want {
		tree[name] = []byte("a: 1\n")
	}
	var got []string
	for _, f := range compare(t, nil, tree).Files {
		got = append(got, f.Path)
	}
	assert.Equal(t, want, got)
}

func TestEqualTreesDifferInNothing(t *testing.T) {
	tree := map[string][]byte{"a.yaml": []byte("a: 1\n"), "b": nil}
	diff := compare(t, tree, tree)
	assert.Truef(t, diff.Empty(), "found %+v", diff)
}

func TestPathsOutsideTheTreeAreAllReported(t *testing.T) {
	_, err := Compare(map[string][]byte{"../a": nil, "/b": nil}, map[string][]byte{"c/../d": nil, "e": nil})
	assert.Truef(t, err != nil && strings.Count(err.Error(), "want a path below the tree") == 3,
		"found %v, want three complaints", err)
}
