package overlay

import (
	"strings"
	"testing"

	"github.com/airshipit/sipgen/internal/objdiff"
	"github.com/stretchr/testify/assert"
)

// TestSignature: changes that differ in the names of their clusters alone have one signature, and no others.
func TestSignature(t *testing.T) {
	const kustomization = "resources: [lb.yaml]\nconfigMapGenerator:\n- {name: lb-NAME, files: [haproxy.cfg=lb.cfg, authorized_keys=keys]}\n"
	files := func(cluster string, changes ...string) map[string][]byte {
		namespace, name, _ := strings.Cut(cluster, "/")
		out := map[string][]byte{}
		for file, text := range map[string]string{"kustomization.yaml": kustomization, "lb.cfg": "old", "keys": "alice",
			"other.yaml": "x",
			"lb.yaml":    "kind: Deployment\nmetadata: {name: lb-NAME, namespace: NAMESPACE}\nspec: {image: old}\n"} {
			for i := 0; i+2 < len(changes); i += 3 {
				if changes[i] == file {
					text = strings.Replace(text, changes[i+1], changes[i+2], 1)
				}
			}
			out[file] = []byte(strings.NewReplacer("NAMESPACE", namespace, "NAME", name).Replace(text))
		}
		return out
	}
	of := func(cluster string, changes ...string) Signature {
		return SignatureOf(cluster, [2]map[string][]byte{files(cluster), files(cluster, changes...)})
	}
	// Clusters have node ports of their own in a document that does not change.
	ports := func(cluster, port string, changes ...string) Signature {
		own := []string{"lb.yaml", "image: old}\n", "image: old}\n---\nkind: Service\nspec: {nodePort: " + port + "}\n"}
		return SignatureOf(cluster, [2]map[string][]byte{files(cluster, own...),
			files(cluster, append(own, changes...)...)})
	}
	for _, row := range []struct {
		why  string
		a, b Signature
		want bool
	}{
		{"one image", of("t/a", "lb.yaml", "old", "new"), of("u/b", "lb.yaml", "old", "new"), true},
		{"other images", of("t/a", "lb.yaml", "old", "new"), of("t/b", "lb.yaml", "old", "newer"), false},
		{"what a configuration says", of("t/a", "lb.cfg", "old", "10.0.0.1"), of("t/b", "lb.cfg", "old", "10.0.0.2"),
			true},
		{"who may log in", of("t/a", "keys", "alice", "bob"), of("t/b", "keys", "alice", "carol"), false},
		{"an image and a configuration", of("t/a", "lb.yaml", "old", "new"),
			of("t/b", "lb.yaml", "old", "new", "lb.cfg", "old", "x"), false},
		{"another kustomization", of("t/a", "kustomization.yaml", "lb.cfg", "keys"), of("t/b", "lb.cfg", "old", "a"),
			false},
		{"a cluster that is called like a word of the files", of("t/image", "lb.yaml", "old", "new"),
			of("t/b", "lb.yaml", "old", "new"), false},
		{"one image beside other ports", ports("t/a", "1", "lb.yaml", "old", "new"),
			ports("t/b", "2", "lb.yaml", "old", "new"), true},
		{"other ports", ports("t/a", "1", "lb.yaml", "Port: 1", "Port: 3"),
			ports("t/b", "2", "lb.yaml", "Port: 2", "Port: 4"), false},
		{"one image and kustomization beside other ports",
			ports("t/a", "1", "lb.yaml", "old", "new", "kustomization.yaml", "haproxy.cfg", "h.cfg"),
			ports("t/b", "2", "lb.yaml", "old", "new", "kustomization.yaml", "haproxy.cfg", "h.cfg"), false},
		{"all is new", SignatureOf("t/a", [2]map[string][]byte{nil, files("t/a")}),
			SignatureOf("t/b", [2]map[string][]byte{nil, files("t/b")}), true},
		{"all is new, with another key", SignatureOf("t/a", [2]map[string][]byte{nil, files("t/a")}),
			SignatureOf("t/b", [2]map[string][]byte{nil, files("t/b", "keys", "alice", "bob")}), false},
	} {
		assert.Equal(t, row.want, row.a == row.b, row.why)
	}
}

// TestRenamed: what one cluster's change does is said of another one by its own names, or not at all.
func TestRenamed(t *testing.T) {
	found, ok := Renamed([]objdiff.Effect{{Object: "RoleBinding t.a.infra", Added: true},
		{Object: "Deployment lb-a", Fields: []string{"spec.replicas 2 → 3"}}}, "t/a", "u/b-c")
	assert.Truef(t, ok, "not renamed")
	assert.Equal(t, "RoleBinding u.b-c.infra", found[0].Object)
	assert.Equal(t, "Deployment lb-b-c", found[1].Object)
	_, ok = Renamed([]objdiff.Effect{{Object: "Deployment lb-spec", Fields: []string{"spec.replicas 2 → 3"}}}, "t/spec",
		"t/b")
	assert.Truef(t, !ok, "a field with the cluster's name is said of another cluster")
}
