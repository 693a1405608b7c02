package terminal

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/airshipit/sipgen/hack/need"
)

// TestPlainYAML: a value has quotes only where it needs them.
func TestPlainYAML(t *testing.T) {
	var out bytes.Buffer
	need.OK(t, (&UI{Out: &out}).YAML(map[string]string{"a": "plain words", "b": "two\nlines"}))
	if want := "a: plain words\nb: \"two\\nlines\"\n"; out.String() != want {
		t.Errorf("got %q, want %q", &out, want)
	}
}

// FuzzYAML: what another reader of YAML reads is what was written, and no line is a command of a CI system.
func FuzzYAML(f *testing.F) {
	for _, seed := range []string{
		"", "a", "true", "0x1", "~", "- a", "fd00::1", "a: b", strings.Repeat("::error::a ", 60), "a\n::error::b\n##vso[task.prependpath]/tmp/x", " ::a", "\t::a", `C:\n::x`, `he said "::x"`, `'"::x`,
		"x ##[error]", "#[", "##teamcity[a", "\u0085::a", "\u2028::a", "a\r::b",
	} {
		f.Add(seed, seed)
	}
	order := regexp.MustCompile(`(?m)^[\s\x{85}\x{2028}\x{2029}]*::|##[A-Za-z]*\[`)
	f.Fuzz(func(t *testing.T, key, value string) {
		in := map[string][]string{strings.ToValidUTF8(key, ""): {strings.ToValidUTF8(value, ""), "last"}}
		var out bytes.Buffer
		need.OK(t, (&UI{Out: &out}).YAML(in))
		var back map[string][]string
		if err := yaml.Unmarshal(out.Bytes(), &back); err != nil {
			t.Fatalf("%q: %v", &out, err)
		}
		for key, values := range in {
			if got := back[key]; len(got) != 2 || got[0] != values[0] {
				t.Fatalf("%q: %q became %q", &out, values, got)
			}
		}
		if found := order.FindString(out.String()); found != "" {
			t.Fatalf("%q has %q", &out, found)
		}
	})
}
