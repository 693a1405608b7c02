package manifest

import (
	"fmt"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/airshipit/sipgen/hack/need"
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
			TopologyKey string `json:"topologyKey"`
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
		"two unknown fields": {"kind: A\nspec:\n  cuont: 3\n  zzzzzz: 4\n",
			`1: line 3: spec.cuont: unknown field, did you mean "count"?` + "\n" +
				`1: line 4: spec.zzzzzz: unknown field, want one of count, roles, selector, services`},
		"a field at the wrong parent": {"kind: A\nspec:\n  topologyKey: x\n",
			`1: line 3: spec.topologyKey: unknown field here: it belongs into spec.roles.*`},
		"a document behind the end of one": {"kind: A\n...\n# B is next\nkind: B\n",
			`1: line 4: another document begins here, and is not read: want a line of --- by itself before it`},
		"a document behind a separator with something in it": {"kind: A\n--- {kind: B}\n",
			`1: line 2: another document begins here, and is not read: want a line of --- by itself before it`},
		"a document behind line ends that editors do not show": {"kind: A\n# x\u2028---\u2028kind: B\n",
			`1: line 3: another document begins here, and is not read: want a line of --- by itself before it`},
		"in a list": {"kind: A\nspec:\n  services:\n  - nodePort: 1\n  - nodPort: 2\n",
			`1: line 5: spec.services[1].nodPort: unknown field, did you mean "nodePort"?`},
		"in a map of structs": {"kind: A\nspec:\n  roles:\n    Worker:\n      topologykey: x\n",
			`1: line 5: spec.roles.Worker.topologykey: unknown field, did you mean "topologyKey"?`},
		"second document: the file's line, not the document's": {"kind: A\n---\nkind: B\nspec:\n  count: many\n",
			`2: line 5: spec.count: found "many", want a whole number`},
		"in a map: its key is named": {"kind: A\nspec:\n  roles:\n    Worker:\n      topologyKey: [x]\n",
			`1: line 5: spec.roles.Worker.topologyKey: found a list, want a string`},
		"every wrong type": {"kind: A\nspec:\n  count: x\n  services: [{nodePort: 1}, {nodePort: true}]\n",
			`1: line 3: spec.count: found "x", want a whole number` + "\n" +
				`1: line 4: spec.services[1].nodePort: found true, want a whole number`},
		"a number with a fraction": {"kind: A\nspec:\n  count: 1.5\n",
			`1: line 3: spec.count: found 1.5, want a whole number`},
		"a number in quotes": {"kind: A\nspec:\n  count: \"3\"\n",
			`1: line 3: spec.count: found "3", want a whole number, without quotes`},
		"a share": {"kind: A\nspec:\n  count: 10%\n", `1: line 3: spec.count: found "10%", want a whole number`},
		"what may be a password": {"kind: A\nspec:\n  count: hunter2\n",
			`1: line 3: spec.count: found a string, want a whole number`},
		"a number that may be a PIN": {"kind: A\nspec:\n  count: 12345678901.5\n",
			`1: line 3: spec.count: found a number, want a whole number`},
		"a template": {"kind: A\nspec:\n  # {{ the number }}\n  count: {{ .Values.n }}\n",
			`1: line 4: not valid YAML: is this a template? sipgen reads plain YAML`},
		"a template's block": {"kind: A\n{{- if .x }}\nspec:\n  count: 1\n",
			`1: line 2: not valid YAML: is this a template? sipgen reads plain YAML`},
		"a list where a mapping belongs": {"kind: A\nspec: []\n",
			`1: line 2: spec: found a list, want a mapping with count, roles, selector, services`},
		"a field twice": {"kind: A\nkind: B\n", `1: line 2: not valid YAML: key "kind" already set in map`},
		"two fields twice": {"a: 1\nb: 1\na: 2\nb: 2\n",
			`1: line 3: not valid YAML: key "a" already set in map; line 4: key "b" already set in map`},
		"a reference with a field twice": {"apiVersion: v1\nkind: A\nspec:\n  kind: B\n  apiVersion: v1\n  kind: B\n",
			`1: line 6: not valid YAML: key "kind" already set in map`},
		"a quote that is not closed": {"kind: A\nspec:\n  a: \"it's\" # don't\n  b: 'it''s'\n  c: \"x\\\"\n  d: 1\n",
			`1: line 5: not valid YAML: a quote is opened here and not closed`},
		"a line that is not indented enough": {"kind: A\n---\nspec:\n  a:\n    b: 1\n   c: 2\n  d: 1\n",
			`2: line 6: not valid YAML: did not find expected key: is it indented like the lines that it belongs to?`},
		"a line that is indented too far": {"kind: A\nspec:\n  a: 1\n   b: 2\n",
			`1: line 4: not valid YAML: mapping values are not allowed in this context: is the line indented too far, or does the one before it lack its colon, or the space behind the colon?`},
		"an entry of a list that is not indented enough": {"kind: A\nspec:\n   - a\n   - b\n  - c\n",
			`1: line 5: not valid YAML: did not find expected key: is it indented like the lines that it belongs to?`},
		"not YAML": {"kind: A\n---\nspec: [\n", `2: line 3: not valid YAML: did not find expected node content`},
		"a merge conflict": {"kind: A\n---\nspec:\n<<<<<<< HEAD\n  count: 1\n=======\n  count: 2\n>>>>>>> theirs\n",
			`2: line 4: an unresolved merge conflict`},
		"JSON, a field twice": {`{"kind": "A", "spec": {"count": 1, "count": 2}}`, `1: line 1: spec.count: given twice`},
	} {
		t.Run(name, func(t *testing.T) {
			docs, err := Parse("f.yaml", []byte(c.text))
			if err == nil {
				err = docs[len(docs)-1].Decode(new(spec))
			}
			need.Equal(t, "what Decode says of f.yaml", strings.ReplaceAll(fmt.Sprint(err), "f.yaml: document ", ""), c.want)
		})
	}
}

// TestEndsOfDocuments: an end of a document hides nothing where nothing follows it, and what looks like a mark within a text is none.
func TestEndsOfDocuments(t *testing.T) {
	for text, want := range map[string]int{
		"kind: A\n...\n": 1, "kind: A\n...\n# the end\n\n...\n": 1, "kind: A\n...\n---\nkind: B\n...\n": 2, "%YAML 1.1\n--- {kind: A}\n": 1, "# x\n--- {kind: A}\n": 1,
		"kind: A\ntext: |\n  ...\n  --- x\n": 1, "kind: A\nx: ...\n": 1, "kind: A\r\n...\r\n": 1, "kind: A\n...x: y\n": 1,
	} {
		docs, err := Parse("f.yaml", []byte(text))
		need.That(t, err == nil && len(docs) == want, "%q: %d documents and %v, want %d", text, len(docs), err, want)
	}
}

func TestListsAreSplit(t *testing.T) {
	docs := need.Value(Parse("f.yaml", []byte("apiVersion: v1\nkind: List\nitems:\n- kind: A\n  apiVersion: v1\n  metadata: {name: one}\n"+
		"- kind: A\n  apiVersion: v1\n  metadata: {name: two}\n  spec: {cuont: 1}\n")))(t)
	need.Must(t, len(docs) == 2 && docs[1].Name == "two" && docs[1].Prefix == "items[1]", "found %+v", docs)
	need.Error(t, "", docs[1].Decode(new(spec)), `f.yaml: document 1: line 10: spec.cuont: unknown field, did you mean "count"?`)
}

func TestListThatEndsEarly(t *testing.T) {
	for text, found := range map[string]string{
		"kind: List\nmetadata: {continue: abc, remainingItemCount: 5}\nitems: [{kind: A}]": "a string",
		`{"kind":"AList","apiVersion":"v1","metadata":{"continue":"abc"},"items":[]}`:      "a string",
		"kind: List\nmetadata: {continue: 0}\nitems: [{kind: A}]":                          "a number",
		"kind: List\nmetadata: {continue: [a]}\nitems: [{kind: A}]":                        "a list",
		"kind: List\nmetadata: {resourceVersion: '5', continue: ''}\nitems: [{kind: A}]":   "",
		"kind: A\nmetadata: {continue: abc}":                                               "",
	} {
		if _, err := Parse("f.yaml", []byte(text)); found == "" {
			need.OK(t, err)
		} else {
			need.Error(t, text, err, "metadata.continue: found "+found+", so the list ends early: want all of it")
		}
	}
}

func TestTypedListsGiveTheirKind(t *testing.T) {
	docs, err := Parse("f.json", []byte(`{"kind":"BareMetalHostList","apiVersion":"metal3.io/v1alpha1","items":[{"metadata":{"name":"a"}}]}`))
	need.That(t, err == nil && len(docs) == 1 && docs[0].Kind == "BareMetalHost" && docs[0].APIVersion == "metal3.io/v1alpha1",
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
			need.Must(t, len(lines) == len(c.lines), "found documents at lines %v, want %v", lines, c.lines)
			for i := range lines {
				need.That(t, lines[i] == c.lines[i], "found documents at lines %v, want %v", lines, c.lines)
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
	need.Equal(t, "", kinds, "ABCS")
	_, err := Read([]string{filepath.Join(dir, "none.yaml"), filepath.Join(dir, "sub", "none")}, nil)
	need.That(t, err != nil && strings.Count(err.Error(), "no such file") == 2, "found %v, want both missing files", err)
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
			need.That(t, docs[i].Line >= 1 && docs[i].Line <= lines, "document at line %d of %d", docs[i].Line, lines)
			_ = docs[i].Decode(new(spec))
		}
	})
}

// TestStrayAnnotation: what was meant for sipgen and is read by nobody is found; what is another's is left alone.
func TestStrayAnnotation(t *testing.T) {
	known := []string{"sip.airshipit.org/approve-release", "sip.airshipit.org/remove", "sip.airshipit.org/address."}
	for _, row := range []struct {
		key, near string
		stray     bool
	}{
		{"sip.airshipit.org/remove", "", false},
		{"sip.airshipit.org/address.oam", "", false},
		{"baremetalhost.metal3.io/paused", "", false},
		{"example.org/remove", "", false},
		{"description", "", false},
		{"sip.airshipit.org/aprove-release", "sip.airshipit.org/approve-release", true},
		{"sip.airshipit.org/Remove", "sip.airshipit.org/remove", true},
		{"sip.airship.org/remove", "sip.airshipit.org/remove", true},
		{"sip.airshipt.org/removed", "sip.airshipit.org/remove", true},
		{"remove", "sip.airshipit.org/remove", true},
		{"sip.airshipit.org/adress.oam", "sip.airshipit.org/address.oam", true},
		{"sip.airshipt.org/address.oam", "sip.airshipit.org/address.oam", true},
		{"sip.airshipit.org/address.", "sip.airshipit.org/address.", true},
		{"sip.airshipit.org/contact", "", true},
		{"sip.airshipt.org/contact", "", false},
	} {
		if near, stray := StrayAnnotation(row.key, known); near != row.near || stray != row.stray {
			t.Errorf("%s: got %q, %t; want %q, %t", row.key, near, stray, row.near, row.stray)
		}
	}
}

// TestNamesThatAreNumbers: what sigs.k8s.io/yaml, and so kubectl, takes for a number is one here, and its place is named.
func TestNamesThatAreNumbers(t *testing.T) {
	for name, text := range map[string]bool{"0b-1": false, "0b-10": false, "1e_-3": false, "0o7": false, "0x1f": false, "0o-7": true, `"0b-1"`: true, "0b-2": true, "02-1": true} {
		docs, err := Parse("hosts.yaml", []byte("kind: A\nmetadata:\n  name: "+name+"\n"))
		if text && (err != nil || len(docs) != 1 || docs[0].Name == "") {
			t.Errorf("%s: %v, %v", name, docs, err)
		}
		if want := "hosts.yaml: document 1: line 3: metadata.name: found a "; !text && (err == nil || len(err.Error()) < len(want) || err.Error()[:len(want)] != want) {
			t.Errorf("%s: found %v, want %s...", name, err, want)
		}
	}
}

// TestKeysOfMapsAreNotRepeated: a key that somebody chose may be a secret, and so is no part of a field's path.
func TestKeysOfMapsAreNotRepeated(t *testing.T) {
	docs := need.Value(Parse("f.yaml", []byte("kind: A\nlimits:\n  cpu: x\n  'administrator:Zt7Kw2Qp9Xv4Lm8R': z\n")))(t)
	var into struct {
		Kind   string         `json:"kind"`
		Limits map[string]int `json:"limits"`
	}
	want := "f.yaml: document 1: line 2: limits: found \"z\", want a whole number\n" +
		"f.yaml: document 1: line 3: limits.cpu: found \"x\", want a whole number"
	err := docs[0].Decode(&into)
	need.That(t, err != nil && err.Error() == want, "found %v\nwant  %s", err, want)
}

// TestOpenSecrets: what is a secret beyond doubt is found as a value and as a key, and a path never repeats a key that is one.
func TestOpenSecrets(t *testing.T) {
	token := "ghp_" + strings.Repeat("a1B2", 9)
	docs, err := Parse("a.yaml", []byte("apiVersion: v1\nkind: A\nmetadata: {name: a}\nspec:\n  plain: text\n  list: [x, "+token+"]\n  map: {"+token+": x}\n"))
	need.OK(t, err)
	found := docs[0].OpenSecrets()
	need.That(t, len(found) == 2 && found["spec.list[1]"] != "" && found["spec.map"] != "",
		"found %v, want spec.list[1] and spec.map", found)
}

// TestItemLines: each item of a List has its own line, and a problem that of its field.
func TestItemLines(t *testing.T) {
	item := func(name string) string {
		return fmt.Sprintf("apiVersion: v1\n  kind: Thing\n  metadata:\n    name: %s\n    annotations:\n      text: |\n        items:\n        - a\n\n  spec: {count: x}\n", name)
	}
	jsonItem := func(name string) string { return `{"kind": "Thing",` + "\n" + `"metadata": {"name": "` + name + `"}}` }
	for why, row := range map[string]struct {
		text string
		want []int
	}{
		"as kubectl writes it":    {"apiVersion: v1\nitems:\n- " + item("a") + "- " + item("b") + "kind: List\n", []int{3, 13}},
		"indented":                {"kind: List\nitems:\n  - " + strings.ReplaceAll(item("a"), "\n", "\n  ") + "\n  - " + strings.ReplaceAll(item("b"), "\n", "\n  "), []int{3, 14}},
		"with comments":           {"kind: List\nitems: \n# one\n- " + item("a") + "# two\n\n- " + item("b"), []int{4, 16}},
		"behind another document": {"kind: Thing\n---\nkind: List\nitems:\n- " + item("a"), []int{1, 5}},
		"JSON":                    {"{\"kind\": \"List\",\n\"x\": [\n1], \"items\": [\n" + jsonItem("a") + ",\n\n" + jsonItem("b") + "]}", []int{4, 7}},
		"flow":                    {"kind: List\nitems: [{kind: Thing}, {kind: Thing}]\n", []int{1, 1}},
		"a list of lists":         {"kind: List\nitems:\n- kind: List\n  items:\n  - kind: Thing\n  - kind: Thing\n- kind: Thing\n", []int{3, 3, 7}},
	} {
		docs, err := Parse("f.yaml", []byte(row.text))
		need.Must(t, err == nil, "%s: %v", why, err)
		var got []int
		for i := range docs {
			got = append(got, docs[i].Line)
		}
		need.Same(t, why, got, row.want)
	}
	docs := need.Value(Parse("f.yaml", []byte("kind: Thing\n---\nkind: List\nitems:\n- "+item("a")+"- "+item("b"))))(t)
	need.Equal(t, "the field's line: got", docs[2].LineOf("spec.count"), 24)
	need.Equal(t, "", docs[2].Place().String(), "f.yaml: document 2: line 15")
}

var perhapsHugePattern = regexp.MustCompile(`[0-9.][eE][+-]?[0-9]{4}|[0-9.]{30}`)

// FuzzPerhapsHuge holds the search by hand against the expression that says what is looked for.
func FuzzPerhapsHuge(f *testing.F) {
	for _, text := range []string{
		"1e999", "1e9999", "1E+9999", ".e-0001", "x1e12.34", "1e1e1234", "1ee1234", "1e+-1234", "e1234", "1e123.1e1234", "7f3a9c1e-0000", "1e-000", "1e", "1e+", "e9999",
		strings.Repeat("1.", 14) + "1", strings.Repeat("1.", 15), strings.Repeat("1", 29) + "e1" + strings.Repeat("2", 29), "1e12" + strings.Repeat(".", 28),
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		need.Equal(t, text, perhapsHuge([]byte(text)), perhapsHugePattern.MatchString(text))
	})
}

type ring struct {
	Next *ring
	Last []map[string][1]*struct{ resource.Quantity }
}

func TestHasQuantities(t *testing.T) {
	for _, row := range []struct {
		of   any
		want bool
	}{
		{&struct{ Data map[string]string }{}, false},
		{&metav1.ObjectMeta{}, false},
		{&corev1.Secret{}, false},
		{&corev1.PodSpec{}, true},
		{&corev1.ResourceList{}, true},
		{resource.Quantity{}, true},
		{ring{}, true},
		{new(any), false},
	} {
		for range 2 { // the second time it is known
			need.Equal(t, row.of, hasQuantities(reflect.TypeOf(row.of)), row.want)
		}
	}
}

// TestTypesThatDecodeThemselves: what they cannot read has its field, and the value is not repeated.
func TestTypesThatDecodeThemselves(t *testing.T) {
	type object struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
		Spec       struct {
			Limits   corev1.ResourceList `json:"limits"`
			Interval *metav1.Duration    `json:"interval"`
			Since    metav1.Time         `json:"since"`
			Name     string              `json:"name"`
		} `json:"spec"`
	}
	for _, row := range []struct{ why, spec, want string }{
		{"values that are fine", "{limits: {cpu: 1, memory: 2Gi}, interval: 10m, since: '2026-01-31T12:00:00Z'}", ""},
		{"no quantity", "{limits: {cpu: 1, memory: hunter2}}", `line 3: spec.limits.memory: found a string, want a quantity as in "500m" or "2Gi"`},
		{"a list for a quantity", "{limits: {cpu: [1]}}", "spec.limits.cpu: found a list, want a quantity"},
		{"a quantity in words, beside another mistake", "{limits: {cpu: two}, name: 7}", "spec.name: found a whole number, want a string"},
		{"no duration", "{interval: soon}", `spec.interval: found "soon", want a duration as in "10m"`},
		{"a number for a duration", "{interval: 10}", "spec.interval: found 10, want a duration"},
		{"no time", "{since: yesterday}", "spec.since: found a string, want a time as in"},
	} {
		docs, err := Parse("x.yaml", []byte("apiVersion: v1\nkind: X\nspec: "+row.spec+"\n"))
		need.Must(t, err == nil, "%s: %v", row.why, err)
		for _, decode := range []func(any) error{docs[0].Decode, docs[0].DecodeLoose} {
			switch err := decode(&object{}); {
			case row.want == "" && err != nil, row.want != "" && (err == nil || !strings.Contains(err.Error(), row.want)):
				t.Errorf("%s: got %v, want %q", row.why, err, row.want)
			case err != nil && strings.Contains(err.Error(), "hunter2"):
				t.Errorf("%s: the value is repeated: %v", row.why, err)
			}
		}
	}
}

// TestHugeQuantities: Kubernetes' decoder never comes back from some of these, so what is not refused before hangs the test.
func TestHugeQuantities(t *testing.T) {
	type spec struct {
		Resources corev1.ResourceRequirements `json:"resources"`
		Labels    map[string]string           `json:"labels"`
		Sizes     []*resource.Quantity        `json:"sizes"`
	}
	type object struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
		Spec       spec   `json:"spec"`
	}
	for _, row := range []struct{ why, spec, bad string }{
		{"what people write", "{resources: {limits: {cpu: 1, memory: 2Gi, ephemeral-storage: 1.5e3}, requests: {cpu: 100m, memory: 1E}}}", ""},
		{"a label is no number", "{labels: {commit: 1e99999999, long: '1234567890123456789012345678901234567890'}}", ""},
		{"an exponent that would come to an end", "{resources: {limits: {memory: 1E1000}}}", "spec.resources.limits.memory"},
		{"an exponent without end", "{resources: {limits: {memory: 1E999999999999}}}", "spec.resources.limits.memory"},
		{"in quotes", "{resources: {requests: {cpu: '1e+99999999'}}}", "spec.resources.requests.cpu"},
		{"below zero", "{resources: {requests: {cpu: '1e-99999999'}}}", "spec.resources.requests.cpu"},
		{"behind zeros", "{resources: {requests: {cpu: '1e0000000099999999'}}}", "spec.resources.requests.cpu"},
		{"a field in another case", "{Resources: {Limits: {memory: 1E999999999999}}}", "spec.Resources.Limits.memory"},
		{"digits without end", "{resources: {limits: {memory: '" + strings.Repeat("9", 100_000) + "'}}}", "spec.resources.limits.memory"},
		{"in a list", "{sizes: [1Gi, 1E999999999999]}", "spec.sizes[1]"},
	} {
		docs, err := Parse("x.yaml", []byte("apiVersion: v1\nkind: X\nspec: "+row.spec+"\n"))
		need.Must(t, err == nil, "%s: %v", row.why, err)
		for _, decode := range []func(any) error{docs[0].Decode, docs[0].DecodeLoose} {
			err := decode(&object{})
			switch {
			case row.bad == "" && err != nil, row.bad != "" && (err == nil || !strings.Contains(err.Error(), row.bad+": out of range")):
				t.Fatalf("%s: got %v, want %q", row.why, err, row.bad) // the next one may have no end
			case err != nil && len(err.Error()) > 200:
				t.Errorf("%s: the error repeats the value: %.200s", row.why, err)
			}
		}
	}
}
