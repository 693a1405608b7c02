package object

import (
	"encoding/json"
	"math"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	yamlv3 "go.yaml.in/yaml/v3"
	"sigs.k8s.io/yaml"
)

// everyText gives all texts of up to n characters of an alphabet.
func everyText(alphabet string, n int) []string {
	all, longest := []string{""}, []string{""}
	for range n {
		var next []string
		for _, text := range longest {
			for _, c := range alphabet {
				next = append(next, text+string(c))
			}
		}
		all, longest = append(all, next...), next
	}
	return all
}

// words are names that some version of YAML reads as true, false, nothing or a number, each in three cases.
func words() (all []string) {
	for _, word := range strings.Fields("y n yes no on off true false null ~ .inf -.inf +.inf .nan << = 0x1f 0b-1 0b-10 0o-7 0_o-7 1e_-3 -0o+7 0o+17 1_000 1:30 1:30:00.5 2026-11-25 2026-11-25T10:00:00Z 7e1 .5 -.5e+3 089 0o19 host-1") {
		all = append(all, word, strings.ToUpper(word), strings.ToUpper(word[:1])+word[1:])
	}
	return all
}

// TestEveryTextIsReadAsATextByAll: whatever a host, a label or a value is called, the readers of kubectl, of kustomize
// and of the engines have the same text, in each place of an object. The alphabets are the characters of numbers, and
// all marks.
func TestEveryTextIsReadAsATextByAll(t *testing.T) {
	ascii := "\t\n\r\x01\x7f\u0085é\u2028\ufeff"
	for c := ' '; c <= '~'; c++ {
		ascii += string(c)
	}
	texts := append(append(everyText("017beox_+-.:n<", 4), everyText(ascii, 2)...), words()...)
	texts = append(texts, everyText(" \n#:-a\"'|>", 3)...)
	var workers sync.WaitGroup
	for worker := range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for i := worker; i < len(texts); i += runtime.GOMAXPROCS(0) {
				readByAll(t, texts[i])
			}
		})
	}
	workers.Wait()
	t.Logf("%d texts", len(texts))
}

// readByAll writes a text as a field, a name, the key and the value of a label, and in a list.
func readByAll(t *testing.T, text string) {
	want := map[string]any{
		"metadata": map[string]any{"name": text, "labels": map[string]any{text: text}},
		"items":    []any{text, []any{text}, map[string]any{"k": text}},
		"type":     text,
	}
	content, err := Marshal(want)
	if err != nil {
		t.Errorf("%q: %v", text, err)
		return
	}
	var kubectl, kustomize any
	object, err := yaml.YAMLToJSONStrict(content)
	if err == nil {
		err = json.Unmarshal(object, &kubectl)
	}
	assert.Truef(t, err == nil && reflect.DeepEqual(kubectl, want), "%q: sigs.k8s.io/yaml reads %v, %v of\n%s", text,
		kubectl, err, content)
	err = yamlv3.Unmarshal(content, &kustomize)
	assert.Truef(t, err == nil && reflect.DeepEqual(kustomize, want), "%q: yaml.v3 reads %v, %v of\n%s", text,
		kustomize, err, content)
}

// TestQuotesWhatIsContested: what the two libraries read differently is in quotes, and nothing else is written
// otherwise for it.
func TestQuotesWhatIsContested(t *testing.T) {
	content, err := Marshal(map[string]any{"kind": "A",
		"metadata": map[string]any{"name": "0o-7", "x": []any{"yes", "1", "a", 1, true, 1.5, "0b-1"}}, "text": "a\nb\n",
		"empty": map[string]any{}})
	want := Header + `kind: A
metadata:
  name: "0o-7"
  x: ["yes", "1", a, 1, true, 1.5, "0b-1"]
empty: {}
text: |
  a
  b
`
	assert.Truef(t, err == nil && string(content) == want, "got %v\n%s\nwant\n%s", err, content, want)
}

// TestOneOrder: fields are in the order of their names, whatever is in them, and wherever they are.
func TestOneOrder(t *testing.T) {
	for _, text := range []string{"x", "0o-7"} {
		value := map[string]any{}
		for _, key := range []string{"a2", "a10", "a1b", "a1", "A", "a01", "a9", "a-1", "a_1", "a1-2", "b", "a100",
			"a0b"} {
			value[key] = text
		}
		content, err := Fragment([]any{value})
		var found []string
		for line := range strings.Lines(content) {
			key, _, _ := strings.Cut(strings.TrimLeft(line, "- "), ":")
			found = append(found, key)
		}
		got := strings.Join(found, " ")
		assert.Truef(t, err == nil && got == "A a-1 a01 a0b a1 a1-2 a10 a100 a1b a2 a9 a_1 b", "%s: %v, %s", text, err,
			got)
	}
}

// TestMarshal holds what is left out, and numbers.
func TestMarshal(t *testing.T) {
	content, err := Marshal(
		map[string]any{"status": 1, "a": map[string]any{"status": 1, "none": nil, "list": []any{nil, []any{}}}},
		map[string]any{"big": uint64(math.MaxUint64), "whole": int64(math.MinInt64), "e": 1e30, "zero": 0,
			"f": json.Number("1.50")})
	want := Header + "a:\n  list:\n  - null\n  - []\n  status: 1\n---\nbig: 18446744073709551615\ne: 1e+30\nf: 1.5\nwhole: -9223372036854775808\nzero: 0\n"
	assert.Truef(t, err == nil && string(content) == want, "got %v\n%s\nwant\n%s", err, content, want)
	_, err = Marshal(map[string]any{"a": math.NaN()})
	assert.ErrorContains(t, err, "map[string]interface {}: json: unsupported value: NaN", "NaN")
}

// TestModesAreOctal: both readers take a mode for the number that it is, as TestModesOfFiles has it on both engines.
func TestModesAreOctal(t *testing.T) {
	want := map[string]any{"volumes": []any{
		map[string]any{"secret": map[string]any{"defaultMode": 288.0, "secretName": "a"}},
		map[string]any{"secret": map[string]any{"defaultMode": 0.0, "secretName": "b"}},
		map[string]any{"secret": map[string]any{"defaultMode": 7.0, "secretName": "c"}},
	}}
	content, err := Marshal(want)
	require.NoError(t, err)
	assert.Equal(t, 1, strings.Count(string(content), "defaultMode: 0440\n"))
	var kubectl map[string]any
	var kustomize struct {
		Volumes []struct {
			Secret struct {
				Mode int `yaml:"defaultMode"`
			}
		}
	}
	require.NoError(t, yaml.UnmarshalStrict(content, &kubectl))
	assert.Equal(t, want, kubectl, "kubectl")
	require.NoError(t, yamlv3.Unmarshal(content, &kustomize))
	for i, mode := range []int{0o440, 0, 7} {
		assert.Equal(t, mode, kustomize.Volumes[i].Secret.Mode, "kustomize")
	}
}

// TestStyles: an object of words is a block, but for selectors, and a row where a line more is what a reviewer looks
// for.
func TestStyles(t *testing.T) {
	value := map[string]any{
		"kind":  "A",
		"hosts": []any{map[string]any{"name": "host-1", "role": "r"}},
		"spec": map[string]any{
			"nodeSelector":     map[string]any{"node": "infra"},
			"port":             map[string]any{"number": 80},
			"matchExpressions": []any{map[string]any{"key": "rack", "operator": "In", "values": []any{"a"}}},
		},
	}
	const selectors = "  nodeSelector: {node: infra}\n"
	blocks, err := Marshal(value)
	require.NoError(t, err)
	assert.Equal(t, Header+"kind: A\nhosts:\n- name: host-1\n  role: r\nspec:\n"+
		"  matchExpressions:\n  - {key: rack, operator: In, values: [a]}\n"+selectors+"  port:\n    number: 80\n",
		string(blocks), "Marshal")
	rows, err := Rows(value)
	require.NoError(t, err)
	assert.Equal(t, Header+"kind: A\nhosts:\n- {name: host-1, role: r}\nspec:\n"+
		"  matchExpressions:\n  - {key: rack, operator: In, values: [a]}\n"+selectors+"  port: {number: 80}\n",
		string(rows), "Rows")
}
