package manifest

import (
	"strings"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
)

// TestOpenSecrets: what is a secret beyond doubt is found as a value and as a key, and a path never repeats a key that is one.
func TestOpenSecrets(t *testing.T) {
	token := "ghp_" + strings.Repeat("a1B2", 9)
	docs, err := Parse("a.yaml", []byte("apiVersion: v1\nkind: A\nmetadata: {name: a}\nspec:\n  plain: text\n  list: [x, "+token+"]\n  map: {"+token+": x}\n"))
	need.OK(t, err)
	found := docs[0].OpenSecrets()
	if len(found) != 2 || found["spec.list[1]"] == "" || found["spec.map"] == "" {
		t.Errorf("found %v, want spec.list[1] and spec.map", found)
	}
}
