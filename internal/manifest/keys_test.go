package manifest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestStrayAnnotation: what was meant for sipgen and is read by nobody is found; what is another's is left alone.
func TestStrayAnnotation(t *testing.T) {
	known := []string{"sip.airshipit.org/approve-release", "sip.airshipit.org/remove", "sip.airshipit.org/address."}
	for _, row := range []struct {
		key, near string
		stray     bool
	}{
		{"sip.airshipit.org/remove", "", false},
		{"sip.airshipit.org/address.oam", "", false},
		{"example.org/remove", "", false},
		{"sip.airshipit.org/aprove-release", "sip.airshipit.org/approve-release", true},
		{"sip.airship.org/remove", "sip.airshipit.org/remove", true},
		{"sip.airshipt.org/removed", "sip.airshipit.org/remove", true},
		{"remove", "sip.airshipit.org/remove", true},
		{"sip.airshipit.org/adress.oam", "sip.airshipit.org/address.oam", true},
		{"sip.airshipit.org/address.", "sip.airshipit.org/address.", true},
		{"sip.airshipit.org/contact", "", true},
		{"sip.airshipt.org/contact", "", false},
	} {
		if near, stray := StrayAnnotation(row.key, known); near != row.near || stray != row.stray {
			t.Errorf("%s: got %q, %t; want %q, %t", row.key, near, stray, row.near, row.stray)
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
	assert.Truef(t, err != nil && err.Error() == want, "found %v\nwant  %s", err, want)
}

// TestOpenSecrets: what is a secret beyond doubt is found as a value and as a key, and a path never repeats a key that
// is one.
func TestOpenSecrets(t *testing.T) {
	token := "ghp_" + strings.Repeat("a1B2", 9)
	docs, err := Parse("a.yaml", []byte("apiVersion: v1\nkind: A\nmetadata: {name: a}\nspec:\n  plain: text\n  list: [x, "+token+"]\n  map: {"+token+": x}\n"))
	require.NoError(t, err)
	found := docs[0].OpenSecrets()
	assert.Truef(t, len(found) == 2 && found["spec.list[1]"] != "" && found["spec.map"] != "",
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
		"as kubectl writes it": {"apiVersion: v1\nitems:\n- " + item("a") + "- " + item("b") + "kind: List\n",
			[]int{3, 13}},
		"indented": {"kind: List\nitems:\n  - " + strings.ReplaceAll(item("a"), "\n",
			"\n  ") + "\n  - " + strings.ReplaceAll(item("b"), "\n", "\n  "), []int{3, 14}},
		"with comments": {"kind: List\nitems: \n# one\n- " + item("a") + "# two\n\n- " + item("b"),
			[]int{4, 16}},
		"JSON": {"{\"kind\": \"List\",\n\"x\": [\n1], \"items\": [\n" + jsonItem("a") + ",\n\n" +
			jsonItem("b") + "]}", []int{4, 7}},
		"a list of lists": {"kind: List\nitems:\n- kind: List\n  items:\n  - kind: Thing\n  - kind: Thing\n- kind: Thing\n", []int{3, 3, 7}},
	} {
		docs, err := Parse("f.yaml", []byte(row.text))
		require.Truef(t, err == nil, "%s: %v", why, err)
		var got []int
		for i := range docs {
			got = append(got, docs[i].Line)
		}
		assert.Equal(t, row.want, got, why)
	}
	docs := need.Value(Parse("f.yaml", []byte("kind: Thing\n---\nkind: List\nitems:\n- "+item("a")+"- "+item("b"))))(t)
	assert.Equal(t, 24, docs[2].LineOf("spec.count"), "the field's line: got")
	assert.Equal(t, "f.yaml: document 2: line 15", docs[2].Place().String())
}
