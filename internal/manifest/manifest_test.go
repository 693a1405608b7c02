package manifest

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type spec struct {
	APIVersion string            `json:"apiVersion"`
	Kind       string            `json:"kind"`
	Metadata   map[string]string `json:"metadata"`
	Spec       struct {
		Count    int               `json:"count"`
		Selector map[string]string `json:"selector"`
		Services []struct {
			NodePort int `json:"nodePort"`
		} `json:"services"`
		Roles map[string]struct {
			TopologyKey string   `json:"topologyKey"`
			Key         string   `json:"key"`
			Keys        []string `json:"keys"`
		} `json:"roles"`
	} `json:"spec"`
}

// TestDecodeNamesThePlace: the errors begin with the document in f.yaml.
func TestDecodeNamesThePlace(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"unknown field, with what was meant": {"kind: A\nspec:\n  cuont: 3\n",
			`1: line 3: spec.cuont: unknown field, did you mean "count"?`},
		"unknown field that is like nothing": {"kind: A\nspec:\n  zzzzzz: 3\n",
			`1: line 3: spec.zzzzzz: unknown field, want one of count, roles, selector, services`},
		"a field at the wrong parent": {"kind: A\nspec:\n  topologyKey: x\n",
			`1: line 3: spec.topologyKey: unknown field here: it belongs into spec.roles.*`},
		"a document behind the end of one": {"kind: A\n...\n# B is next\nkind: B\n",
			"1: line 4: " + ErrRest.Error()},
		"a document behind a separator with something in it": {"kind: A\n--- {kind: B}\n",
			"1: line 2: " + ErrRest.Error()},
		"a mapping whose first line is indented further": {"# x\n  kind: A\nspec: {}\n",
			"1: line 3: " + ErrRest.Error()},
		"a comma behind an object": {"{\"kind\": \"A\"},\n{\"kind\": \"B\"}\n",
			"1: line 1: " + ErrRest.Error()},
		"a directive that is none": {"kind: A\n%x\n",
			"1: line 2: not valid YAML: found unknown directive name"},
		"a mapping behind nothing":         {"null # x\nkind: A\n", "1: line 2: " + ErrRest.Error()},
		"a closing brace too many":         {"--- # x\n{kind: A}\n}\n", "1: line 3: " + ErrRest.Error()},
		"UTF-16":                           {"\xff\xfek\x00", "f.yaml: UTF-16, want UTF-8"},
		"UTF-16 without a byte order mark": {"\x00k\x00i", "f.yaml: UTF-16, want UTF-8"},
		"a list without a kind": {"items:\n- {kind: A, apiVersion: v1}\n",
			`1: line 1: kind: missing, and its items are objects: want "List"`},
		"a list of another kind": {"kind: Lits\nitems:\n- {kind: A, apiVersion: v1}\n",
			`1: line 1: kind: found "Lits", and its items are objects: want "List"`},
		"a document behind line ends that editors do not show": {"kind: A\n# x\u2028---\u2028kind: B\n",
			"1: line 4: " + ErrRest.Error()},
		"in a list": {"kind: A\nspec:\n  services:\n  - nodePort: 1\n  - nodPort: 2\n",
			`1: line 5: spec.services[1].nodPort: unknown field, did you mean "nodePort"?`},
		"second document: the file's line, not the document's": {"kind: A\n---\nkind: B\nspec:\n  count: many\n",
			`2: line 5: spec.count: found "many", want a whole number`},
		"in a map: its key is named": {"kind: A\nspec:\n  roles:\n    Worker:\n      topologyKey: [x]\n",
			`1: line 5: spec.roles.Worker.topologyKey: found a list, want a string`},
		"a list for one of a pair": {"kind: A\nspec:\n  roles:\n    Worker:\n      key: [x]\n",
			`1: line 5: spec.roles.Worker.key: found a list, want a string; keys takes a list`},
		"every wrong type": {"kind: A\nspec:\n  count: x\n  services: [{nodePort: 1}, {nodePort: true}]\n",
			`1: line 3: spec.count: found "x", want a whole number` + "\n" +
				`1: line 4: spec.services[1].nodePort: found true, want a whole number`},
		"a number in quotes": {"kind: A\nspec:\n  count: \"3\"\n",
			`1: line 3: spec.count: found "3", want a whole number, without quotes`},
		"a share": {"kind: A\nspec:\n  count: 10%\n", `1: line 3: spec.count: found "10%", want a whole number`},
		"what may be a password": {"kind: A\nspec:\n  count: hunter2\n",
			`1: line 3: spec.count: found a string, want a whole number`},
		"a number that may be a PIN": {"kind: A\nspec:\n  count: 12345678901.5\n",
			`1: line 3: spec.count: found a number, want a whole number`},
		"a template": {"kind: A\nspec:\n  # {{ the number }}\n  count: {{ .Values.n }}\n",
			`1: line 4: not valid YAML: is this a template? sipgen reads plain YAML`},
		"a list where a mapping belongs": {"kind: A\nspec: []\n",
			`1: line 2: spec: found a list, want a mapping with count, roles, selector, services`},
		"two fields twice": {"a: 1\nb: 1\na: 2\nb: 2\n",
			`1: line 3: not valid YAML: key "a" already set in map; line 4: key "b" already set in map`},
		"a quote that is not closed": {"kind: A\nspec:\n  a: \"it's\" # don't\n  b: 'it''s'\n  c: \"x\\\"\n  d: 1\n",
			`1: line 5: not valid YAML: a quote is opened here and not closed`},
		"a line that is not indented enough": {"kind: A\n---\nspec:\n  a:\n    b: 1\n   c: 2\n  d: 1\n",
			`2: line 6: not valid YAML: did not find expected key: is it indented like the lines that it belongs to?`},
		"a line that is indented too far": {"kind: A\nspec:\n  a: 1\n   b: 2\n",
			`1: line 4: not valid YAML: mapping values are not allowed in this context: is the line indented too far, or does the one before it lack its colon, or the space behind the colon?`},
		"not YAML": {"kind: A\n---\nspec: [\n", `2: line 3: not valid YAML: did not find expected node content`},
		"a merge conflict": {"kind: A\n---\nspec:\n<<<<<<< HEAD\n  count: 1\n=======\n  count: 2\n>>>>>>> theirs\n",
			`2: line 4: an unresolved merge conflict`},
		"JSON, a field twice": {`{"kind": "A", "spec": {"count": 1, "count": 2}}`,
			`1: line 1: spec.count: given twice`},
	} {
		t.Run(name, func(t *testing.T) {
			docs, err := Parse("f.yaml", []byte(c.text))
			if err == nil {
				err = docs[len(docs)-1].Decode(new(spec))
			}
			assert.Equal(t, c.want, strings.ReplaceAll(fmt.Sprint(err), "f.yaml: document ", ""),
				"what Decode says of f.yaml")
		})
	}
}

// TestEndsOfDocuments: an end of a document hides nothing where nothing follows it, and what looks like a mark within a
// text is none.
func TestEndsOfDocuments(t *testing.T) {
	for text, want := range map[string]int{
		"kind: A\n...\n": 1, "kind: A\n...\n# the end\n\n...\n": 1, "kind: A\n...\n---\nkind: B\n...\n": 2,
		"%YAML 1.1\n--- {kind: A}\n": 1, "# x\n--- {kind: A}\n": 1,
		"kind: A\ntext: |\n  ...\n  --- x\n": 1, "kind: A\nx: ...\n": 1, "kind: A\r\n...\r\n": 1,
		"kind: A\n...x: y\n": 1,
	} {
		docs, err := Parse("f.yaml", []byte(text))
		assert.Truef(t, err == nil && len(docs) == want, "%q: %d documents and %v, want %d", text, len(docs), err, want)
	}
}

func TestListsAreSplit(t *testing.T) {
	docs := need.Value(Parse("f.yaml", []byte("apiVersion: v1\nkind: List\nitems:\n- kind: A\n  apiVersion: v1\n  metadata: {name: one}\n"+
		"- kind: A\n  apiVersion: v1\n  metadata: {name: two}\n  spec: {cuont: 1}\n")))(t)
	require.Truef(t, len(docs) == 2 && docs[1].Name == "two" && docs[1].Prefix == "items[1]", "found %+v", docs)
	assert.ErrorContains(t, docs[1].Decode(new(spec)),
		`f.yaml: document 1: line 10: spec.cuont: unknown field, did you mean "count"?`)
}

// TestTwiceInJSON: of a field or a key that is given twice the first would be left out, where another's field may be
// unknown, too.
func TestTwiceInJSON(t *testing.T) {
	for text, want := range map[string]string{
		`{"kind": "A", "spec": {"count": 1}, "spec": null}`:                                   "spec: given twice",
		`{"kind": "A", "spec": {"count": 1, "\u0063ount": 2}}`:                                "spec.count: given twice",
		`{"kind": "A", "spec": {"roles": {"a": {"key": "x"}, "a": {}}}}`:                      "spec.roles.a: given twice",
		`{"kind": "A", "spec": {"services": [{}, {"nodePort": 1, "nodePort": 2}]}}`:           "services[1].nodePort: given twice",
		`{"kind": "List", "items": [{"kind": "A"}], "items": []}`:                             "items: given twice",
		`{"kind": "A", "spec": {"count": 1, "services": [{"nodePort": 1}, {"nodePort": 1}]}}`: "",
		`{"kind": "A", "spec": {"newer": {"a": 1, "a": 2}}}`:                                  "",
	} {
		docs, err := Parse("f.json", []byte(text))
		if err == nil {
			err = docs[0].DecodeLoose(new(spec))
		}
		need.Error(t, text, err, want)
	}
}

// TestCaseOfFields: of two fields that differ in case only, the API server knows one. The other is no spelling of it,
// and is not ignored like a field of a newer API either.
func TestCaseOfFields(t *testing.T) {
	for text, want := range map[string]string{
		`{"kind": "List", "items": [{"kind": "A"}], "Items": []}`:          `Items: unknown field, did you mean "items"?`,
		`{"kind": "List", "Items": [{"kind": "A"}]}`:                       `Items: unknown field, did you mean "items"?`,
		`{"kind": "List", "Kind": "A", "items": [{"kind": "A"}]}`:          `Kind: unknown field, did you mean "kind"?`,
		`{"kind": "AList", "items": [{"kind": "A"}], "METADATA": {}}`:      `METADATA: unknown field, did you mean "metadata"?`,
		`{"kind": "A", "spec": {"count": 1}, "Spec": {"count": 2}}`:        `Spec: unknown field, did you mean "spec"?`,
		`{"kind": "A", "spec": {"Count": 1}}`:                              `spec.Count: unknown field, did you mean "count"?`,
		`{"kind": "A", "spec": {"services": [{"nodeport": 1}]}}`:           `spec.services[0].nodeport: unknown field, did you mean "nodePort"?`,
		`{"kind": "A", "spec": {"roles": {"a": {"key": "x"}, "A": {}}}}`:   "",
		`{"kind": "A", "spec": {"newer": 1, "Newer": 2}, "status": {}}`:    "",
		`{"kind": "List", "items": [{"kind": "A"}], "newer": 1}`:           "",
		`{"kind": "List", "items": [{"kind": "A", "spec": {"COUNT": 1}}]}`: `spec.COUNT: unknown field, did you mean "count"?`,
	} {
		docs, err := Parse("f.json", []byte(text))
		if err == nil {
			err = docs[0].DecodeLoose(new(spec))
		}
		need.Error(t, text, err, want)
	}
	docs := need.Value(Parse("f.json", []byte(`{"apiVersion": "v1", "Kind": "A", "metadata": {"name": "a"}}`)))(t)
	assert.True(t, docs[0].NoKind(), "Kind is not kind")
}

// TestTwiceBehindManyUnknown: of an object with many fields of a newer API, a field given twice is still found.
func TestTwiceBehindManyUnknown(t *testing.T) {
	for _, unknown := range []int{99, 100, 101, 1000} {
		var fields strings.Builder
		for i := range unknown {
			fmt.Fprintf(&fields, `"newer%d": 1, `, i)
		}
		docs := need.Value(Parse("f.json", []byte(`{"kind": "A", `+fields.String()+
			`"spec": {"count": 1, "count": 2}}`)))(t)
		need.Error(t, fmt.Sprint(unknown), docs[0].DecodeLoose(new(spec)), "spec.count: given twice")
	}
}

func TestListThatEndsEarly(t *testing.T) {
	for text, found := range map[string]string{
		"kind: List\nmetadata: {continue: abc, remainingItemCount: 5}\nitems: [{kind: A}]": "a string",
		`{"kind":"AList","apiVersion":"v1","metadata":{"continue":"abc"},"items":[]}`:      "a string",
		"kind: List\nmetadata: {continue: 0}\nitems: [{kind: A}]":                          "a whole number",
		"kind: List\nmetadata: {continue: [a]}\nitems: [{kind: A}]":                        "a list",
		"kind: List\nmetadata: {resourceVersion: '5', continue: ''}\nitems: [{kind: A}]":   "",
		"kind: A\nmetadata: {continue: abc}":                                               "",
	} {
		if _, err := Parse("f.yaml", []byte(text)); found == "" {
			require.NoError(t, err)
		} else {
			assert.ErrorContains(t, err, "metadata.continue: found "+found+", so the list ends early: want all of it",
				text)
		}
	}
}

func TestTypedListsGiveTheirKind(t *testing.T) {
	docs, err := Parse("f.json", []byte(`{"kind":"BareMetalHostList","apiVersion":"metal3.io/v1alpha1","items":[{"metadata":{"name":"a"}}]}`))
	assert.Truef(t,
		err == nil && len(docs) == 1 && docs[0].Kind == "BareMetalHost" && docs[0].APIVersion == "metal3.io/v1alpha1",
		"found %+v, %v", docs, err)
}

func TestStreamsAreSplit(t *testing.T) {
	for name, c := range map[string]struct {
		text  string
		lines []int
	}{
		"separators, comments and empty documents": {"# head\n---\nkind: A\n--- # next\n---\n\nkind: B\n", []int{3, 6}},
		"windows line ends":                        {"kind: A\r\n---\r\nkind: B\r\n", []int{1, 3}},
		"a stream of JSON objects":                 {"{\"kind\":\"A\"}\n{\n\"kind\":\"B\"}", []int{1, 2}},
		"a separator inside a block scalar's line": {"kind: A\nx: |\n  --- not one\n", []int{1}},
		"a byte order mark":                        {"\xef\xbb\xbfkind: A\n", []int{1}},
		"nothing":                                  {"", nil},
	} {
		t.Run(name, func(t *testing.T) {
			docs := need.Value(Parse("f", []byte(c.text)))(t)
			var lines []int
			for _, d := range docs {
				lines = append(lines, d.Line)
			}
			require.Truef(t, len(lines) == len(c.lines), "found documents at lines %v, want %v", lines, c.lines)
			for i := range lines {
				assert.Truef(t, lines[i] == c.lines[i], "found documents at lines %v, want %v", lines, c.lines)
			}
		})
	}
}

func TestReadFolders(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"b.yaml": "kind: B", "a.json": `{"kind":"A"}`, "sub/c.yml": "kind: C",
		"notes.txt": "kind: X", ".hidden.yaml": "kind: X", ".git/x.yaml": "kind: X",
	} {
		need.Write(t, filepath.Join(dir, name), text)
	}
	docs := need.Value(Read([]string{dir, filepath.Join(dir, "b.yaml"), "-"}, strings.NewReader("kind: S")))(t)
	kinds := ""
	for _, d := range docs {
		kinds += d.Kind
	}
	assert.Equal(t, "ABCS", kinds)
	_, err := Read([]string{filepath.Join(dir, "none.yaml"), filepath.Join(dir, "sub", "none")}, nil)
	assert.Truef(t, err != nil && strings.Count(err.Error(), "no such file") == 2, "found %v, want both missing files",
		err)
}

func FuzzParse(f *testing.F) {
	f.Add("kind: A\n---\nkind: B\n")
	f.Add("{\"kind\":\"A\"}{")
	f.Add("kind: List\nitems: [{kind: List, items: [1]}]")
	f.Add("a: &x [*x]")
	f.Fuzz(func(t *testing.T, text string) {
		docs, _ := Parse("f", []byte(text))
		lines := 1 + strings.Count(text, "\n")
		for i := range docs {
			assert.Truef(t, docs[i].Line >= 1 && docs[i].Line <= lines, "document at line %d of %d", docs[i].Line,
				lines)
			_ = docs[i].Decode(new(spec))
		}
	})
}
