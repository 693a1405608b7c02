package overlay

import (
	"fmt"
	"strings"
	"testing"
)

// What anybody may have pushed is built only if it is what sipgen writes: nothing is fetched, run or read from elsewhere.
func TestParseRefusesWhatSipgenDoesNotWrite(t *testing.T) {
	for _, row := range []struct{ why, old, new, want string }{
		{"a resource from elsewhere", "resources:\n", "resources:\n- https://evil.example/x.git//y?ref=main\n", "want files of the folder"},
		{"a folder above", "resources:\n", "resources:\n- ../../other/infra\n", "want files of the folder"},
		{"a component", "kind: Kustomization", "kind: Component", "fields that sipgen does not write"},
		{"helm charts", "kind: Kustomization", "kind: Kustomization\nhelmCharts: [{name: x, repo: 'https://evil.example'}]", "fields that sipgen does not write"},
		{"a transformer", "kind: Kustomization", "kind: Kustomization\ntransformers: [x.yaml]", "fields that sipgen does not write"},
		{"a generator", "kind: Kustomization", "kind: Kustomization\ngenerators: [x.yaml]", "fields that sipgen does not write"},
		{"a schema", "kind: Kustomization", "kind: Kustomization\nopenapi: {path: x.json}", "fields that sipgen does not write"},
		{"replacements", "kind: Kustomization", "kind: Kustomization\nreplacements: [{path: x.yaml}]", "fields that sipgen does not write"},
		{"a field that kustomize has not", "kind: Kustomization", "kind: Kustomization\nnonsense: 1", "not a kustomization"},
		{"a file from elsewhere", "haproxy.cfg=loadbalancer-controlplane-bank.cfg", "haproxy.cfg=/etc/passwd", "want files of the folder"},
		{"a patch from a file", "patches:\n", "patches:\n- path: ../x.yaml\n", "fields that sipgen does not write"},
		{"a patch that may rename", "patches:\n", "patches:\n- {patch: 'a: b', options: {allowNameChange: true}}\n", "fields that sipgen does not write"},
		{"a patch that grows", "patches:\n", "patches:\n- patch: |\n    a: &a [x]\n    b: [*a, *a]\n", "patches[0]: line 1: a YAML anchor"},
		{"aliases", "kind: Kustomization", "kind: &k Kustomization\nnamePrefix: *k", "a YAML anchor"},
	} {
		files := bankFiles(t)
		text := string(files["kustomization.yaml"])
		files["kustomization.yaml"] = []byte(strings.Replace(text, row.old, row.new, 1))
		if string(files["kustomization.yaml"]) == text {
			t.Fatalf("%s: nothing is changed", row.why)
		}
		if _, err := Parse(files); err == nil || !strings.Contains(err.Error(), row.want) || strings.Contains(err.Error(), "evil") {
			t.Errorf("%s: got %v, want %q in it", row.why, err, row.want)
		}
	}
	files := bankFiles(t)
	files["dex-bank.yaml"] = []byte("a: &a [x, x]\nb: [*a, *a]\n")
	if _, err := Parse(files); err == nil || !strings.Contains(err.Error(), "dex-bank.yaml: line 1: a YAML anchor") {
		t.Errorf("got %v", err)
	}
	for why, grow := range map[string]func(map[string][]byte){
		"many files": func(files map[string][]byte) {
			for i := range maxFiles {
				files[fmt.Sprintf("%d.cfg", i)] = nil
			}
		},
		"a large one": func(files map[string][]byte) { files["x.cfg"] = make([]byte, maxBytes) },
	} {
		large := bankFiles(t)
		grow(large)
		if _, err := Parse(large); err == nil || !strings.Contains(err.Error(), "want at most 2000 of 16777216") {
			t.Errorf("%s: got %v, want it refused", why, err)
		}
	}
	delete(files, "kustomization.yaml")
	if _, err := Parse(files); err == nil {
		t.Error("no kustomization, no error")
	}
}

func TestChanges(t *testing.T) {
	before := bank(t)
	if same := changes(t, before, bank(t)); len(same) > 0 {
		t.Fatalf("got %v of two that are equal", same)
	}
	after := bank(t)
	after.Files["loadbalancer-controlplane-bank.cfg"] = []byte("# another\n")
	after.Files["jumphost-bank/authorized_keys"] = []byte("# nobody\n")
	after.Files["dex-bank.yaml"] = []byte(strings.Replace(string(after.Files["dex-bank.yaml"]), "rotationPolicy: Always", "rotationPolicy: Never", 1))
	after = after.with(
		operations(balancer, `[{"op": "replace", "path": "/spec/replicas", "value": 5}]`),
		container(jump, "image: registry.example.org/bank/jump:2, env: [{name: NOTE, value: s3cret}]"),
	)
	found := changes(t, before, after)
	want := map[string]string{
		"ConfigMap jumphost-bank-keys":              "data.authorized_keys",
		"Deployment loadbalancer-controlplane-bank": "rolls spec.replicas 3 → 5, configuration haproxy.cfg",
		"Deployment jumphost-bank": "rolls spec.template.spec.containers[jumphost].env[NOTE], spec.template.spec.containers[jumphost].image " +
			"registry.example.org/mirror/airshipit/jump-host:sipgen-v1 → registry.example.org/bank/jump:2",
		"Certificate dex-bank": "spec.privateKey.rotationPolicy",
	}
	for _, c := range found {
		text := strings.Join(c.Fields, ", ")
		if c.Rolls {
			text = "rolls " + text
		}
		if want[c.Object] != text || c.Added || c.Gone {
			t.Errorf("%s: got %q, want %q", c.Object, text, want[c.Object])
		}
		delete(want, c.Object)
	}
	for object := range want {
		t.Errorf("nothing is said of %s", object)
	}

	less := bank(t)
	less.Kustomization.Resources = less.Kustomization.Resources[1:]
	found = changes(t, before, less)
	gone := 0
	for _, c := range found {
		if c.Gone {
			gone++
		}
	}
	if gone != 4 {
		t.Errorf("got %v, want a Deployment, a Service, a NetworkPolicy and a PodDisruptionBudget that are gone", found)
	}
	if found := changes(t, less, before); len(found) != 4 || !found[0].Added {
		t.Errorf("got %v, want four that are added", found)
	}
}

func changes(t *testing.T, before, after Folder) []Change {
	t.Helper()
	was, err := before.Built()
	if err != nil {
		t.Fatal(err)
	}
	is, err := after.Built()
	if err != nil {
		t.Fatal(err)
	}
	return Changes(was, is)
}
