package treefs

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/airshipit/sipgen/hack/need"
)

// Whatever an ownership file holds, it is refused with ErrOwnership on one line, or is a list of paths that may be
// deleted: names of a tree, each with a sum, and the same list when it is written again.
func FuzzOwnership(f *testing.F) {
	good := string(FormatOwnership(map[string][]byte{"a/b": []byte("1"), "c.yaml": []byte("2")}))
	f.Add(good)
	f.Add(string(FormatOwnership(nil)))
	f.Add(strings.Replace(good, "c.yaml", "../c.yaml", 1))
	f.Add("<<<<<<< ours\n" + good)
	f.Add("apiVersion: \"a\\nb\"\nkind: \"\\e[31m\"\n")
	f.Add(good + "---\n" + good)
	f.Add(strings.Replace(good, "files:", "files: &f\n- *f", 1))
	f.Fuzz(func(t *testing.T, text string) {
		// The digest is put right where there is one, so that what it guards is reached.
		var list ownership
		if yaml.Unmarshal([]byte(text), &list) == nil && list.Digest != "" {
			text = strings.Replace(text, list.Digest, list.digest(), 1)
		}
		owned, err := ParseOwnership([]byte(text))
		if err != nil {
			need.That(t, errors.Is(err, ErrOwnership) && !strings.ContainsAny(err.Error(), "\n"), "found %q", err)
			return
		}
		for _, name := range slices.Sorted(maps.Keys(owned)) {
			if err := CheckName(name); err != nil || strings.EqualFold(name, OwnershipFile) {
				t.Errorf("%q is owned: %v", name, err)
			}
		}
	})
}
