package infra

import (
	"maps"
	"os"
	"strings"
	"testing"
)

func file(t *testing.T, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// A configuration that differs from the one before in the frontend's name only is left as it was; anything else brings the new name.
func TestKeepNames(t *testing.T) {
	const folder = "../../golden/two-tenants/clusters/tenant-a/edge-a/infra/"
	now := map[string][]byte{}
	for _, name := range []string{"loadbalancer-controlplane-edge-a.cfg", "loadbalancer-controlplane-edge-a.yaml", "loadbalancer-worker-edge-a.cfg", "loadbalancer-worker-edge-a.yaml"} {
		now[name] = file(t, folder+name)
	}
	for _, row := range []struct {
		why, name, old string
		// change is made to the files before, besides the name of the frontend.
		file, was, is string
		keeps         bool
	}{
		{why: "the name only", name: "loadbalancer-controlplane-edge-a.cfg", old: "kube-apiservers", keeps: true},
		{why: "the name only", name: "loadbalancer-worker-edge-a.cfg", old: "workers", keeps: true},
		{why: "a server, too", name: "loadbalancer-controlplane-edge-a.cfg", old: "kube-apiservers", file: "loadbalancer-controlplane-edge-a.cfg", was: "    server ", is: "    server x-"},
		{why: "another image", name: "loadbalancer-worker-edge-a.cfg", old: "workers", file: "loadbalancer-worker-edge-a.yaml", was: " image: ", is: " image: x"},
		{why: "another name", name: "loadbalancer-worker-edge-a.cfg", old: "mine"},
		{why: "more in the manifest, the same image", name: "loadbalancer-worker-edge-a.cfg", old: "workers", file: "loadbalancer-worker-edge-a.yaml", was: "kind: NetworkPolicy", is: "kind: Other", keeps: true},
	} {
		before := maps.Clone(now)
		before[row.name] = []byte(strings.Replace(string(before[row.name]), "frontend clients\n", "frontend "+row.old+"\n", 1))
		if row.file != "" {
			changed := strings.Replace(string(before[row.file]), row.was, row.is, 1)
			if changed == string(before[row.file]) {
				t.Fatalf("%s: %s has no %q", row.why, row.file, row.was)
			}
			before[row.file] = []byte(changed)
		}
		files := maps.Clone(now)
		KeepNames(files, func(name string) []byte { return before[name] })
		for name, content := range files {
			want := now[name]
			if row.keeps && name == row.name {
				want = before[name]
			}
			if string(content) != string(want) {
				t.Errorf("%s: %s is\n%s", row.why, name, content)
			}
		}
	}
}
