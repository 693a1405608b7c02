package manifest

import "testing"

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
