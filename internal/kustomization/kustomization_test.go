package kustomization

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// spec is a SIPCluster as far as this package looks at it. Line 5 is the count.
func spec(name, count string) string {
	return "apiVersion: airship.airshipit.org/v1\nkind: SIPCluster\nmetadata: {name: " + name + "}\nspec:\n  nodes: {Worker: {count: {active: " + count + "}}}\n"
}

// write makes a folder of files.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if target, ok := strings.CutPrefix(content, "-> "); ok {
			if err := os.Symlink(target, path); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// owners are folders that are somebody's, below dir.
func owners(dir string, folders ...string) func(string) string {
	return func(file string) string {
		for _, folder := range folders {
			if strings.HasPrefix(file, filepath.Join(dir, folder)+"/") {
				return folder
			}
		}
		return ""
	}
}

// count is the one in an object.
func count(object []byte) string {
	_, after, found := strings.Cut(string(object), `"active":`)
	if !found {
		return "none"
	}
	return after[:strings.IndexAny(after, "},")]
}

// result writes what was read, a line for each document, beside and error, without the folder's name.
func result(dir string, read *Read, err error) string {
	var out strings.Builder
	for i := range read.Documents {
		d := &read.Documents[i]
		fmt.Fprintf(&out, "%s %s/%s of %s, count %s\n", d.Kind, d.Namespace, d.Name, d.Where(), count(d.JSON))
	}
	for i := range read.Beside {
		fmt.Fprintf(&out, "beside: %s\n", read.Beside[i].Where())
	}
	if err != nil {
		out.WriteString(err.Error() + "\n")
	}
	return strings.ReplaceAll(strings.ReplaceAll(out.String(), dir+"/", ""), dir, "DIR")
}

func TestOf(t *testing.T) {
	hostile := "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n"
	for _, row := range []struct {
		why    string
		files  map[string]string
		owners []string
		want   string
	}{
		{"a folder without one is read as ever", map[string]string{"a/a.yaml": spec("a", "1")}, nil,
			"SIPCluster /a of a/a.yaml: document 1: line 1, count 1"},
		{"the namespace is what the kustomization sets, and the place that of the file", map[string]string{
			"a/kustomization.yaml": "namespace: bank\nresources: [a.yaml]\n", "a/a.yaml": hostile + "---\n" + spec("a", "1"), "b.yaml": spec("b", "1")}, nil,
			"SIPCluster /b of b.yaml: document 1: line 1, count 1\n" +
				"ConfigMap bank/x of a/a.yaml: document 1: line 1 (built by a/kustomization.yaml), count none\n" +
				"SIPCluster bank/a of a/a.yaml: document 2: line 5 (built by a/kustomization.yaml), count 1"},
		{"a base is no root, an overlay changes it, and what nobody names is said", map[string]string{
			"base/kustomization.yaml": "resources: [a.yaml]\n", "base/a.yaml": spec("a", "1"), "base/left.yaml": spec("left", "1"),
			"over/kustomization.yml": "namespace: shop\nnamePrefix: x-\nresources: [../base]\npatches:\n- target: {kind: SIPCluster}\n  patch: '[{\"op\": \"replace\", \"path\": \"/spec/nodes/Worker/count/active\", \"value\": 7}]'\n"}, nil,
			"SIPCluster shop/x-a of base/a.yaml: document 1: line 1 (built by over/kustomization.yml), count 7\nbeside: base/left.yaml: document 1: line 1"},
		{"a component is not built by itself", map[string]string{
			"kustomization.yaml": "resources: [a.yaml]\ncomponents: [c]\n", "a.yaml": spec("a", "1"), "c/kustomization.yaml": "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nnamespace: c\n",
			"d/kustomization.yaml": "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nnamespace: d\n"}, nil,
			"SIPCluster c/a of a.yaml: document 1: line 1 (built by kustomization.yaml), count 1"},
		{"Flux' object of that name is another thing", map[string]string{
			"kustomization.yaml": "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: x, namespace: z}\n", "a.yaml": spec("a", "1")}, nil,
			"SIPCluster /a of a.yaml: document 1: line 1, count 1\nKustomization z/x of kustomization.yaml: document 1: line 1, count none"},
		{"one tenant does not change what another wrote", map[string]string{
			"bank/kustomization.yaml": "namespace: bank\nresources: [../shop]\n", "shop/kustomization.yaml": "namespace: shop\nresources: [a.yaml]\n", "shop/a.yaml": spec("a", "1")}, []string{"bank", "shop"},
			"SIPCluster shop/a of shop/a.yaml: document 1: line 1 (built by shop/kustomization.yaml), count 1\n" +
				"bank/kustomization.yaml: document 1: line 2: resources[0]: belongs to another tenant's folder than this kustomization: want one kustomization in each tenant's folder"},
		{"nor by a link", map[string]string{
			"bank/kustomization.yaml": "namespace: bank\nresources: [a.yaml]\n", "bank/a.yaml": "-> ../shop/a.yaml", "shop/a.yaml": spec("a", "1")}, []string{"bank", "shop"},
			"SIPCluster /a of shop/a.yaml: document 1: line 1, count 1\n" +
				"bank/kustomization.yaml: document 1: line 2: resources[0]: belongs to another tenant's folder than this kustomization: want one kustomization in each tenant's folder"},
		{"a kustomization over tenants' folders passes over none of their files", map[string]string{
			"kustomization.yaml": "resources: [a.yaml]\n", "a.yaml": spec("a", "1"), "bank/b.yaml": spec("b", "1")}, []string{"bank"},
			"SIPCluster /b of bank/b.yaml: document 1: line 1, count 1\nSIPCluster /a of a.yaml: document 1: line 1 (built by kustomization.yaml), count 1"},
		{"nothing is fetched, and no address is shown", map[string]string{
			"kustomization.yaml": "resources:\n- https://root:hunter2@git.example.org/x.git//y?ref=z\n- git@github.com:airshipit/sip\npatches:\n- path: https://hunter2.example.org/p.yaml\nconfigMapGenerator:\n- {name: x, files: [a=http://hunter2.example.org]}\npatchesStrategicMerge: ['http://hunter2.example.org']\n"}, nil,
			"kustomization.yaml: document 1: line 2: resources[0]: found a remote one, want a file or folder beside it: nothing is fetched\n" +
				"kustomization.yaml: document 1: line 3: resources[1]: no such file or folder below DIR; nothing is fetched\n" +
				"kustomization.yaml: document 1: line 5: patches[0].path: found a remote one, want a file or folder beside it: nothing is fetched\n" +
				"kustomization.yaml: document 1: line 8: patchesStrategicMerge[0]: found a remote one, want a file or folder beside it: nothing is fetched\n" +
				"kustomization.yaml: document 1: line 7: configMapGenerator[0].files[0]: found a remote one, want a file or folder beside it: nothing is fetched"},
		{"nor read elsewhere", map[string]string{"kustomization.yaml": "resources: [/etc/passwd, ../../x, link]\n", "link": "-> /etc/passwd"}, nil,
			"kustomization.yaml: document 1: line 1: resources[0]: found an absolute path, want one relative to the kustomization\n" +
				"kustomization.yaml: document 1: line 1: resources[1]: leads out of DIR: want a file or folder in it\n" +
				"kustomization.yaml: document 1: line 1: resources[2]: not readable, or a link that leads out of DIR"},
		{"no charts, no plugins, no copies", map[string]string{"kustomization.yaml": "helmCharts: []\ngenerators: [x]\ntransformers: []\nreplacements: []\nopenapi: {}\nresource: []\n"}, nil,
			refused("generators", 2) + refused("helmCharts", 1) + refused("openapi", 5) + refused("replacements", 4) + refused("resource", 6) + strings.TrimSuffix(refused("transformers", 3), "\n")},
		{"a copy in a patch", map[string]string{"kustomization.yaml": "resources: [a.yaml]\npatches:\n- target: {kind: SIPCluster}\n  path: p.json\n", "a.yaml": spec("a", "1"), "p.json": `[{"op":"copy","from":"/spec","path":"/spec/x"}]`}, nil,
			"kustomization.yaml: document 1: line 4: patches[0].path: line 1: op: copy is not taken"},
		{"aliases in a patch", map[string]string{"kustomization.yaml": "resources: [a.yaml]\npatches:\n- patch: |\n    kind: SIPCluster\n    metadata: {name: a}\n    x: &x [1]\n    y: *x\n", "a.yaml": spec("a", "1")}, nil,
			"kustomization.yaml: document 1: line 3: patches[0].patch: line 3: a YAML anchor, want the value itself"},
		{"a circle is not passed over", map[string]string{"a/kustomization.yaml": "resources: [../b]\n", "b/kustomization.yaml": "resources: [../a]\n", "b/b.yaml": spec("b", "1")}, nil,
			"beside: b/b.yaml: document 1: line 1\na/kustomization.yaml: document 1: line 1: kustomizations that name one another in a circle\nb/kustomization.yaml: document 1: line 1: kustomizations that name one another in a circle"},
		{"a file that does not parse is that file's", map[string]string{"kustomization.yaml": "resources: [a.yaml]\n", "a.yaml": "a: [\n"}, nil,
			"a.yaml: document 1: line 1: not valid YAML: did not find expected node content"},
		{"what kustomize does not build", map[string]string{"kustomization.yaml": "resources: [a.yaml]\n", "a.yaml": "kind: Secret\nstringData: {password: hunter2}\n"}, nil,
			"DIR: kustomize: the folder does not build; kubectl kustomize DIR shows why"},
		{"two in one folder", map[string]string{"kustomization.yaml": "resources: []\n", "kustomization.yml": "resources: []\n"}, nil,
			"DIR: more than one kustomization in this folder, want one"},
		{"the mark of the document is the tenant's to change, and nothing to rely on", map[string]string{
			"kustomization.yaml": "resources: [a.yaml]\npatches:\n- target: {kind: SIPCluster}\n  patch: '[{\"op\": \"replace\", \"path\": \"/metadata/annotations\", \"value\": {\"sipgen-document\": \"99\", \"keep\": \"me\"}}]'\n", "a.yaml": spec("a", "1")}, nil,
			"SIPCluster /a of kustomization.yaml: document 1: line 1 (built by kustomization.yaml), count 1"},
	} {
		t.Run(row.why, func(t *testing.T) {
			dir := write(t, row.files)
			read, err := Of([]string{dir}, nil, owners(dir, row.owners...))
			if got := strings.TrimSuffix(result(dir, read, err), "\n"); got != row.want {
				t.Errorf("got\n%s\nwant\n%s", got, row.want)
			}
			for i := range read.Documents {
				if strings.Contains(string(read.Documents[i].JSON), originKey) && row.owners == nil && !strings.Contains(row.why, "mark") {
					t.Errorf("the mark is left in %s", read.Documents[i].JSON)
				}
			}
		})
	}
}

func refused(field string, line int) string {
	return fmt.Sprintf("kustomization.yaml: document 1: line %d: %s: not built for specs, want one of %s\n", line, field, strings.Join(fields, ", "))
}

// TestBounds: something small is nothing huge. Each level names the one below twice.
func TestBounds(t *testing.T) {
	files := map[string]string{"k0/kustomization.yaml": "resources: [a.yaml]\n", "k0/a.yaml": spec("a", "1")}
	for level := 1; level < 13; level++ {
		for side := range 2 {
			files[fmt.Sprintf("side%d-%d/kustomization.yaml", level, side)] = fmt.Sprintf("nameSuffix: -x%d\nresources: [../k%d]\n", side, level-1)
		}
		files[fmt.Sprintf("k%d/kustomization.yaml", level)] = fmt.Sprintf("resources: [../side%d-0, ../side%d-1]\n", level, level)
	}
	start := time.Now()
	_, err := Of([]string{write(t, files)}, nil, nil)
	if err == nil || !strings.Contains(err.Error(), "builds more than 200 objects") || time.Since(start) > 20*time.Second {
		t.Errorf("bases that double: %v after %s", err, time.Since(start))
	}
	var patches strings.Builder
	patches.WriteString("resources: [a.yaml]\npatches:\n")
	for range 2000 {
		patches.WriteString("- {target: {kind: SIPCluster}, patch: '[{\"op\": \"add\", \"path\": \"/metadata/labels\", \"value\": {}}]'}\n")
	}
	if _, err := Of([]string{write(t, map[string]string{"kustomization.yaml": patches.String(), "a.yaml": strings.Repeat(spec("a", "1")+"---\n", 100)})}, nil, nil); err == nil || !strings.Contains(err.Error(), "MiB of patched objects") {
		t.Errorf("many patches of many objects: %v", err)
	}
}

// TestWork: what is small and would take kustomize minutes or a gibibyte is refused, as that file's, before it is built. What people write builds.
func TestWork(t *testing.T) {
	many := func(n int, format string) string {
		var out strings.Builder
		for i := range n {
			fmt.Fprintf(&out, format, i)
		}
		return out.String()
	}
	const deployment = "---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: x%d}\nspec: {template: {spec: {containers: [{name: a, image: i1}]}}}\n"
	one := func(objects, fields string) map[string]string {
		return map[string]string{"bank/kustomization.yaml": "resources: [a.yaml]\n" + fields, "bank/a.yaml": objects}
	}
	chain := map[string]string{"bank/k31/kustomization.yaml": "resources: [a.yaml]\n", "bank/k31/a.yaml": many(150, deployment)}
	for i := range 31 {
		chain[fmt.Sprintf("bank/k%d/kustomization.yaml", i)] = fmt.Sprintf("namePrefix: a-\nresources: [../k%d]\n", i+1)
	}
	folders, files := map[string]string{}, map[string]string{}
	for i := range 60 {
		folders[fmt.Sprintf("bank/%d/kustomization.yaml", i)] = "namespace: bank\nresources: [a.yaml]\n"
		folders[fmt.Sprintf("bank/%d/a.yaml", i)] = many(10, deployment)
	}
	for i := range 20 {
		files[fmt.Sprintf("bank/%02d/kustomization.yaml", i)] = "configMapGenerator: [{name: a, files: [a.txt]}]\n"
		files[fmt.Sprintf("bank/%02d/a.txt", i)] = strings.Repeat("x", 900_000)
	}
	const tooMuch, tooMany = "want less in one kustomization", "all kustomizations of its owner take more than one folder may"
	for _, row := range []struct {
		why   string
		files map[string]string
		want  string // in the error, which is one of the file
	}{
		{"labels", one(many(190, deployment), "labels:\n"+many(60, "- {pairs: {i%d: b}}\n")), tooMuch},
		{"common labels", one(many(190, deployment), "commonLabels:\n"+many(60, "  i%d: b\n")), tooMuch},
		{"annotations", one(many(190, deployment), "commonAnnotations:\n"+many(60, "  i%d: b\n")), tooMuch},
		{"images", one(many(190, deployment), "images:\n"+many(60, "- {name: i%d, newTag: b}\n")), tooMuch},
		{"patches", one(many(190, deployment), "patches:\n"+many(30, "- {target: {kind: Deployment}, patch: '[{\"op\": \"add\", \"path\": \"/metadata/labels\", \"value\": {\"a%d\": \"b\"}}]'}\n")), tooMuch},
		{"a long annotation", one(many(100, deployment), "commonAnnotations: {a: "+strings.Repeat("x", 100_000)+"}\n"), tooMuch},
		{"a long list", one("kind: A\nmetadata: {name: a}\nspec: ["+strings.Repeat("1,", 120_000)+"1]\n", ""), tooMuch},
		{"a chain", chain, tooMuch},
		{"generated", one(spec("a", "1"), "configMapGenerator:\n"+many(201, "- {name: c%d, literals: [a=b]}\n")), tooMuch},
		{"generated of one file", map[string]string{"bank/kustomization.yaml": "configMapGenerator:\n" + many(50, "- {name: c%d, files: [a.txt]}\n"), "bank/a.txt": strings.Repeat("x", 900_000)}, tooMuch},
		{"many folders", folders, tooMany},
		{"many files", files, "a.txt: with this file more is read for its owner's kustomizations than may be: want at most 6 MiB"},
		{"50 clusters with all of it", one(many(50, "---\napiVersion: airship.airshipit.org/v1\nkind: SIPCluster\nmetadata: {name: x%d}\n"), "namespace: bank\nnamePrefix: a-\ncommonLabels: {a: b}\ncommonAnnotations: {a: b}\n"+
			"patches:\n- target: {kind: SIPCluster}\n  patch: '[{\"op\": \"add\", \"path\": \"/spec\", \"value\": {}}]'\n"), ""},
	} {
		t.Run(row.why, func(t *testing.T) {
			row.files["shop/kustomization.yaml"], row.files["shop/a.yaml"] = "namespace: shop\nresources: [a.yaml]\n", spec("a", "1")
			dir := write(t, row.files)
			read, err := Of([]string{dir}, nil, owners(dir, "bank", "shop"))
			switch got := fmt.Sprint(err); {
			case row.want == "" && err != nil, !strings.Contains(got, row.want) && err != nil, row.want != "" && err == nil:
				t.Errorf("found %.600s", got)
			case row.want != "" && (!strings.HasPrefix(got, filepath.Join(dir, "bank")+"/") || len(got) > 20_000):
				t.Errorf("found an error of %d bytes: %.600s", len(got), got)
			}
			if !strings.Contains(result(dir, read, nil), "SIPCluster shop/a of ") {
				t.Error("another tenant's specs are not read")
			}
		})
	}
}

// TestUnknownKeys: a field of a kustomization may be a secret in the wrong place, or 200 kB.
func TestUnknownKeys(t *testing.T) {
	long := strings.Repeat("x", 120)
	_, err := Of([]string{write(t, map[string]string{"kustomization.yaml": long + ": 1\n"})}, nil, nil)
	if got := fmt.Sprint(err); strings.Contains(got, long) || !strings.Contains(got, "line 1: a value of 120 characters (not shown): not built for specs") {
		t.Errorf("a long key: %s", got)
	}
	var keys strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&keys, "key%d: 1\n", i)
	}
	_, err = Of([]string{write(t, map[string]string{"kustomization.yaml": keys.String()})}, nil, nil)
	if got := fmt.Sprint(err); strings.Count(got, "not built for specs, want") != 20 || !strings.Contains(got, "980 more fields") {
		t.Errorf("many keys: %d bytes", len(got))
	}
}

// TestSilent: kustomize's words about old fields, which say neither file nor tenant, are not printed.
func TestSilent(t *testing.T) {
	said, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
	if err != nil {
		t.Fatal(err)
	}
	before := os.Stderr
	os.Stderr = said
	_, err = Of([]string{write(t, map[string]string{"kustomization.yaml": "commonLabels: {a: b}\nresources: [a.yaml]\n", "a.yaml": spec("a", "1")})}, nil, nil)
	after := os.Stderr
	os.Stderr = before
	if err != nil || after != said {
		t.Errorf("%v, and stderr is %v", err, after.Name())
	}
	if text, err := os.ReadFile(said.Name()); err != nil || len(text) > 0 {
		t.Errorf("said %q, %v", text, err)
	}
}
