package manifest

import (
	"testing"

	"github.com/airshipit/sipgen/hack/need"
)

// TestKeysOfMapsAreNotRepeated: a key that somebody chose may be a secret, and so is no part of a field's path.
func TestKeysOfMapsAreNotRepeated(t *testing.T) {
	docs, err := Parse("f.yaml", []byte("kind: A\nlimits:\n  cpu: x\n  'administrator:Zt7Kw2Qp9Xv4Lm8R': z\n"))
	need.OK(t, err)
	var into struct {
		Kind   string         `json:"kind"`
		Limits map[string]int `json:"limits"`
	}
	want := "f.yaml: document 1: line 2: limits: found \"z\", want a whole number\n" +
		"f.yaml: document 1: line 3: limits.cpu: found \"x\", want a whole number"
	if err := docs[0].Decode(&into); err == nil || err.Error() != want {
		t.Errorf("found %v\nwant  %s", err, want)
	}
}
