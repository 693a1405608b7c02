package kustomization

import (
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

// spec is a SIPCluster as far as this package looks at it.
func spec(name, count string) string {
	return "apiVersion: airship.airshipit.org/v1\nkind: SIPCluster\nmetadata: {name: " + name +
		"}\nspec:\n  nodes: {Worker: {count: {active: " + count + "}}}\n"
}

func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, name)
		need.Write(t, path, content)
		if target, ok := strings.CutPrefix(content, "-> "); ok {
			require.NoError(t, errors.Join(os.Remove(path), os.Symlink(target, path)))
		} else if content == "a pipe" {
			require.NoError(t, errors.Join(os.Remove(path), syscall.Mkfifo(path, 0o644)))
		}
	}
	return dir
}

// count is the one in an object.
func count(object []byte) string {
	_, after, found := strings.Cut(string(object), `"active":`)
	if !found {
		return "none"
	}
	return after[:strings.IndexAny(after, "},")]
}

func TestSpecs(t *testing.T) {
	const notBuilt = " not built: want the output of kubectl kustomize in its place, or, without tenants' files, its folder in -f or the Site's spec.inputs.specs"
	const remote = ": found a remote file or folder, want a local one: sipgen fetches nothing\n"
	const fails = "top: kustomize: the folder does not build; kubectl kustomize top shows why"
	for _, row := range []struct {
		why   string
		files map[string]string
		paths []string // "top" by default
		owned string   // the folders of tenants
		want  string   // a line for each document, and the errors
	}{
		{why: "a named kustomization: only what it builds, with the file of each object", files: map[string]string{
			"top/kustomization.yaml": "namespace: bank\nresources: [a/a.yaml]\n", "top/a/a.yaml": spec("a", "1"),
			"top/b.yaml": spec("b", "1"), "top/broken.yaml": "a: ["},
			want: "SIPCluster bank/a of top/a/a.yaml, count 1"},
		{why: "a base beside it, a patch, and a prefix", files: map[string]string{
			"base/kustomization.yaml": "resources: [a.yaml]\n", "base/a.yaml": spec("a", "1"),
			"top/kustomization.yml": "namespace: shop\nnamePrefix: x-\nresources: [../base]\npatches:\n- target: {kind: SIPCluster}\n  patch: '[{\"op\": \"replace\", \"path\": \"/spec/nodes/Worker/count/active\", \"value\": 7}]'\n"},
			want: "SIPCluster shop/x-a of base/a.yaml, count 7"},
		{why: "a component, and an object that is generated", files: map[string]string{
			"top/Kustomization": "resources: [a.yaml]\ncomponents: [c]\nconfigMapGenerator: [{name: m, literals: [a=b], options: {disableNameSuffixHash: true}}]\n", "top/a.yaml": spec("a", "1"),
			"top/c/kustomization.yaml": "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nnamespace: c\n"},
			want: "SIPCluster c/a of top/a.yaml, count 1\nConfigMap c/m of top/Kustomization, count none"},
		{why: "a folder that is named twice",
			files: map[string]string{"top/kustomization.yaml": "resources: [a.yaml]\n", "top/a.yaml": spec("a", "1")},
			paths: []string{"top", "top/"},
			want:  "SIPCluster /a of top/a.yaml, count 1"},
		{why: "Flux' object of that name is another thing", files: map[string]string{
			"top/kustomization.yaml": "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: x, namespace: z}\n", "top/a.yaml": spec("a", "1")},
			want: "SIPCluster /a of top/a.yaml: document 1: line 1, count 1\nKustomization z/x of top/kustomization.yaml: document 1: line 1, count none"},
		{why: "one below a named folder, and what is below it", files: map[string]string{
			"top/a/kustomization.yaml": "namespace: bank\nresources: [a.yaml]\n", "top/a/a.yaml": spec("a", "1"),
			"top/a/b/b.yaml": spec("b", "1"), "top/c.yaml": spec("c", "1")},
			want: "SIPCluster /c of top/c.yaml: document 1: line 1, count 1\ntop/a/kustomization.yaml:" + notBuilt},
		{why: "one that cannot be read, or has nothing in it", files: map[string]string{
			"top/a/kustomization.yaml": "resources: [\n", "top/a/a.yaml": spec("a", "1"),
			"top/b/kustomization.yml": "# resources: []\n", "top/b/b.yaml": spec("b", "1"),
			"top/c.yaml": spec("c", "1")},
			want: "SIPCluster /c of top/c.yaml: document 1: line 1, count 1\ntop/a/kustomization.yaml: document 1: line 1: not valid YAML: did not find expected node content\ntop/b/kustomization.yml: nothing in it but comments"},
		{why: "one below a named folder that is named, too", files: map[string]string{
			"top/a/kustomization.yaml": "namespace: bank\nresources: [a.yaml]\n", "top/a/a.yaml": spec("a", "1"),
			"top/c.yaml": spec("c", "1")}, paths: []string{"top", "top/a"},
			want: "SIPCluster bank/a of top/a/a.yaml, count 1\nSIPCluster /c of top/c.yaml: document 1: line 1, count 1"},
		{why: "files that are named themselves",
			files: map[string]string{"top/kustomization.yaml": "resources: [a.yaml]\n", "top/a.yaml": spec("a", "1")},
			paths: []string{"top/a.yaml", "top/kustomization.yaml"},
			want:  "SIPCluster /a of top/a.yaml: document 1: line 1, count 1\n / of top/kustomization.yaml: document 1: line 1, count none"},
		{why: "in a tenant's folder: its files alone", files: map[string]string{
			"top/bank/kustomization.yaml": "resources: [a.yaml]\n", "top/bank/a.yaml": spec("a", "1"),
			"top/shop/b.yaml": spec("b", "1")}, owned: "top/bank top/shop",
			want: "SIPCluster /b of top/shop/b.yaml: document 1: line 1, count 1\ntop/bank/kustomization.yaml:" +
				notBuilt},
		{why: "over tenants' folders: none of their files", files: map[string]string{
			"top/all/kustomization.yaml": "resources: [a.yaml]\n", "top/all/a.yaml": spec("a", "1"),
			"top/all/bank/b.yaml": spec("b", "1")}, owned: "top/all/bank",
			want: "SIPCluster /b of top/all/bank/b.yaml: document 1: line 1, count 1\ntop/all/kustomization.yaml:" +
				notBuilt},
		{why: "a tenant's folder that is named",
			files: map[string]string{"top/kustomization.yaml": "resources: [a.yaml]\n", "top/a.yaml": spec("a", "1")},
			owned: "top",
			want:  "top/kustomization.yaml: in a tenant's folder, top, and the kustomization in top is" + notBuilt},
		{why: "one that reads a tenant's file",
			files: map[string]string{"top/kustomization.yaml": "resources: [bank/b.yaml]\n",
				"top/bank/b.yaml": spec("b", "1")}, owned: "top/bank",
			want: "top/bank/b.yaml: in a tenant's folder, top/bank, and the kustomization in top is" + notBuilt},
		{why: "or a tenant's kustomization, by a link",
			files: map[string]string{"top/kustomization.yaml": "resources: [link]\n", "top/link": "-> ../bank",
				"bank/kustomization.yaml": "resources: [b.yaml]\n", "bank/b.yaml": spec("b", "1")}, owned: "bank",
			want: "bank/kustomization.yaml: in a tenant's folder, bank, and the kustomization in top is" + notBuilt},
		{why: "nothing is fetched, and no address is shown", files: map[string]string{
			"top/kustomization.yaml": "resources:\n- https://root:hunter2@git.example.org/x.git//y?ref=z\n- git@github.com:airshipit/sip\n- GitHub.com/airshipit/sip\n- git::ssh://hunter2.example.org/x\ncomponents: ['file:///x']\npatches:\n- path: https://hunter2.example.org/p.yaml\nconfigMapGenerator:\n- {name: x, files: [a=http://hunter2.example.org], envs: ['http:hunter2']}\npatchesStrategicMerge: ['http://hunter2.example.org']\nreplacements: [{path: 'https://hunter2.example.org'}]\n"},
			want: "top/kustomization.yaml: document 1: line 6: components[0]" + remote +
				"top/kustomization.yaml: document 1: line 10: configMapGenerator[0].envs[0]" + remote +
				"top/kustomization.yaml: document 1: line 10: configMapGenerator[0].files[0]" + remote +
				"top/kustomization.yaml: document 1: line 8: patches[0].path" + remote +
				"top/kustomization.yaml: document 1: line 11: patchesStrategicMerge[0]" + remote +
				"top/kustomization.yaml: document 1: line 12: replacements[0].path" + remote +
				"top/kustomization.yaml: document 1: line 2: resources[0]" + remote +
				"top/kustomization.yaml: document 1: line 3: resources[1]" + remote +
				"top/kustomization.yaml: document 1: line 4: resources[2]" + remote +
				strings.TrimSuffix("top/kustomization.yaml: document 1: line 5: resources[3]"+remote, "\n")},
		{why: "nor by a base", files: map[string]string{"top/kustomization.yaml": "resources: [../base]\n",
			"base/kustomization.yaml": "resources: ['https://hunter2.example.org/x.yaml']\n"},
			want: strings.TrimSuffix("base/kustomization.yaml: document 1: line 1: resources[0]"+remote, "\n")},
		{why: "nor by a link to it", files: map[string]string{"top/kustomization.yaml": "resources: [../base]\n",
			"base/kustomization.yaml": "-> k.txt", "base/k.txt": "resources: ['https://hunter2.example.org/x.yaml']\n"},
			want: "base/kustomization.yaml: a link to a file of another name, want a regular file"},
		{why: "a link to one of the same name, as in a mounted ConfigMap",
			files: map[string]string{"top/kustomization.yaml": "-> ..data/kustomization.yaml", "top/..data": "-> ..1",
				"top/..1/kustomization.yaml": "resources: [a.yaml]\n", "top/a.yaml": "-> ..data/a.yaml",
				"top/..1/a.yaml": spec("a", "1")},
			want: "SIPCluster /a of top/a.yaml, count 1"},
		{why: "addresses in patches and annotations", files: map[string]string{
			"top/kustomization.yaml": "resources: [a.yaml]\ncommonAnnotations: {docs: 'https://example.org'}\npatchesStrategicMerge:\n- |\n  apiVersion: airship.airshipit.org/v1\n  kind: SIPCluster\n  metadata: {name: a, annotations: {args: 'a=https://example.org'}}\n", "top/a.yaml": spec("a", "1")},
			want: "SIPCluster /a of top/a.yaml, count 1"},
		{why: "a file out of its folder",
			files: map[string]string{"top/kustomization.yaml": "configMapGenerator: [{name: x, files: [../x]}]\n",
				"x": "x"}, want: fails},
		{why: "or a link to one", files: map[string]string{"top/kustomization.yaml": "configMapGenerator: [{name: x, files: [link]}]\n", "top/link": "-> /etc/passwd"}, want: fails},
		{why: "a pipe", files: map[string]string{"top/kustomization.yaml": "resources: [a.yaml]\n",
			"top/a.yaml": "a pipe"}, want: "top/a.yaml: a named pipe, want a regular file"},
		{why: "no programs", files: map[string]string{"top/kustomization.yaml": "generators: [x]\ntransformers: [x]\nvalidators: [x]\nhelmCharts: [x]\n"},
			want: "top/kustomization.yaml: document 1: line 1: generators: not built: it fetches files or runs programs\n" +
				"top/kustomization.yaml: document 1: line 2: transformers: not built: it fetches files or runs programs\n" +
				"top/kustomization.yaml: document 1: line 3: validators: not built: it fetches files or runs programs\n" +
				"top/kustomization.yaml: document 1: line 4: helmCharts: not built: it fetches files or runs programs"},
		{why: "two documents", files: map[string]string{"top/kustomization.yaml": "resources: []\n---\nresources: []\n"}, want: "top/kustomization.yaml: found 2 documents, want one kustomization"},
		{why: "two kustomizations", files: map[string]string{"top/kustomization.yaml": "resources: [a.yaml]\n",
			"top/kustomization.yml": "resources: [a.yaml]\n", "top/a.yaml": spec("a", "1")}, want: fails},
		{why: "a circle", files: map[string]string{"top/kustomization.yaml": "resources: [../b]\n",
			"b/kustomization.yaml": "resources: [../top]\n"}, want: fails},
		{why: "what kustomize does not build",
			files: map[string]string{"top/kustomization.yaml": "resources: [a.yaml]\n",
				"top/a.yaml": "kind: Secret\nstringData: {password: hunter2}\n"}, want: fails},
		{why: "aliases", files: map[string]string{"top/kustomization.yaml": "resources: [a.yaml]\n",
			"top/a.yaml": "a: &a {b: " + strings.Repeat("x", 1<<20) + "}\nc: [" + strings.Repeat("*a,", 30) + "]\n"},
			want: "top/a.yaml: its aliases stand for more than 16 MiB"},
		{why: "an object that is too deep",
			files: map[string]string{"top/kustomization.yaml": "resources: [a.yaml]\n",
				"top/a.yaml": spec("a", strings.Repeat("[", 200)+strings.Repeat("]", 200))},
			want: "top/a.yaml: document 1: line 1: mappings and lists within one another more than 100 deep"},
	} {
		t.Run(row.why, func(t *testing.T) {
			t.Chdir(write(t, row.files))
			if row.paths == nil {
				row.paths = []string{"top"}
			}
			docs, err := Specs(row.paths, nil, func(file string) string {
				for _, folder := range strings.Fields(row.owned) {
					if strings.HasPrefix(file, folder+"/") {
						return folder
					}
				}
				return ""
			})
			var out strings.Builder
			for i := range docs {
				fmt.Fprintf(&out, "%s %s/%s of %s, count %s\n", docs[i].Kind, docs[i].Namespace, docs[i].Name,
					docs[i].Where(), count(docs[i].JSON))
				assert.NotContains(t, string(docs[i].JSON), "config.kubernetes.io/origin",
					"kustomize's annotation is left in")
			}
			if err != nil {
				out.WriteString(err.Error() + "\n")
				if inFile := new(manifest.FileError); !errors.As(err, &inFile) ||
					!strings.Contains(strings.ToLower(inFile.File), "kustomization") {
					t.Errorf("%v is no problem of the kustomization", err)
				}
			}
			assert.Equal(t, row.want, strings.TrimSuffix(out.String(), "\n"))
		})
	}
}

// TestKustomizePrintsNothing has kustomizations over which kustomize prints to the log, or to os.Stderr: advice on
// fields and flags of its command.
func TestKustomizePrintsNothing(t *testing.T) {
	files := map[string]string{"a.yaml": spec("a", "1"), "base/b.yaml": spec("b", "1"),
		"base/kustomization.yaml": "resources: [b.yaml]\n", "p.yaml": spec("a", "2"),
		"j.json": `[{"op": "add", "path": "/x", "value": 1}]`}
	for why, text := range map[string]string{
		"the order of sorting": "resources: [a.yaml]\nsortOptions: {order: fifo}\n",
		"labels":               "resources: [a.yaml]\ncommonLabels: {a: b}\n",
		"bases":                "resources: [a.yaml]\nbases: [base]\n",
		"images":               "resources: [a.yaml]\nimageTags: [{name: a, newTag: b}]\n",
		"merges":               "resources: [a.yaml]\npatchesStrategicMerge: [p.yaml]\n",
		"patches":              "resources: [a.yaml]\npatchesJson6902: [{target: {kind: SIPCluster, name: a}, path: j.json}]\n",
		"variables": "resources: [a.yaml]\nvars: [{name: A, objref: {apiVersion: airship.airshipit.org/v1, " +
			"kind: SIPCluster, name: a}}]\n",
	} {
		read, write, err := os.Pipe()
		require.NoError(t, err)
		stderr := os.Stderr
		os.Stderr = write
		log.SetOutput(write)
		disk := filesys.MakeFsInMemory()
		for name, content := range files {
			require.NoError(t, disk.WriteFile("/top/"+name, []byte(content)))
		}
		require.NoError(t, disk.WriteFile("/top/kustomization.yaml", []byte(text)))
		_, err = Run(disk, "/top")
		os.Stderr = stderr
		log.SetOutput(stderr)
		require.NoError(t, write.Close())
		assert.Truef(t, err == nil, "%s: %v", why, err)
		assert.Empty(t, string(need.Value(io.ReadAll(read))(t)), why+": printed")
	}
}

// TestHosts: a kustomization below a named folder is no set of raw files.
func TestHosts(t *testing.T) {
	const notBuilt = ": not built: want the output of kubectl kustomize in its place, or a kustomization in the named folder " +
		"that has this one among its resources"
	host := func(name string) string {
		return "apiVersion: metal3.io/v1alpha1\nkind: BareMetalHost\nmetadata: {name: " + name + "}\n"
	}
	for _, row := range []struct {
		why         string
		files       map[string]string
		names, want string
	}{
		{"below the named folder, two", map[string]string{"top/c.yaml": host("c"),
			"top/a/kustomization.yaml": "resources: [a.yaml]\n",
			"top/a/a.yaml":             host("a"), "top/b/Kustomization": "namePrefix: x\nresources: [b.yaml]\n",
			"top/b/b.yaml": host("b")},
			"", "top/a/kustomization.yaml" + notBuilt + "\ntop/b/Kustomization" + notBuilt},
		{"among the resources of the named one", map[string]string{"top/kustomization.yaml": "resources: [a]\n",
			"top/a/kustomization.yaml": "resources: [a.yaml]\nnamePrefix: x-\n", "top/a/a.yaml": host("a")}, "x-a", ""},
		{"Flux' object of that name", map[string]string{"top/a.yaml": host("a"),
			"top/b/kustomization.yaml": "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: x}\n"}, "a x", ""},
		{"letters of any case", map[string]string{"top/A.YAML": host("a"), "top/B.Yml": host("b"),
			"top/C.JSON": `{"apiVersion": "metal3.io/v1alpha1", "kind": "BareMetalHost", "metadata": {"name": "c"}}`},
			"a b c", ""},
		{"UTF-16", map[string]string{"top/a.yaml": host("a"), "top/b.yaml": "\xfe\xff\x00k"}, "",
			"top/b.yaml: UTF-16, want UTF-8"},
		{"UTF-16 that kustomize leaves out",
			map[string]string{"top/kustomization.yaml": "resources: [a.yaml, b.yaml]\n",
				"top/a.yaml": host("a"), "top/b.yaml": "\xff\xfek\x00"}, "", "top/b.yaml: UTF-16, want UTF-8"},
		{"what is left out of a file that kustomize builds",
			map[string]string{"top/kustomization.yaml": "resources: [a.yaml]\n",
				"top/a.yaml": " # x\n  apiVersion: metal3.io/v1alpha1\n  kind: BareMetalHost\n  metadata: {name: a}\nspec: {online: true}\n"}, "",
			"top/a.yaml: document 1: line 5: " + manifest.ErrRest.Error()},
		{"what is left out of a patch", map[string]string{"top/a.yaml": host("a"),
			"top/kustomization.yaml": "resources: [a.yaml]\npatches:\n- target: {kind: BareMetalHost}\n  patch: |-\n    # x\n      kind: BareMetalHost\n    spec: {online: true}\n"}, "",
			"top/kustomization.yaml: document 1: line 4: patches[0].patch: an object in it ends before its last line, and the " +
				"rest would not be read: want all its lines indented alike"},
		{"a patch as a list", map[string]string{"top/a.yaml": host("a"),
			"top/p.yaml":             "- {op: add, path: /spec, value: {online: true}}\n",
			"top/kustomization.yaml": "resources: [a.yaml]\npatches:\n- {target: {kind: BareMetalHost}, path: p.yaml}\n"}, "a", ""},
	} {
		t.Run(row.why, func(t *testing.T) {
			t.Chdir(write(t, row.files))
			docs, err := Hosts([]string{"top"}, nil)
			if row.want != "" || err != nil {
				assert.Equal(t, row.want, fmt.Sprint(err), "the error")
				return
			}
			var found []string
			for i := range docs {
				found = append(found, docs[i].Name)
			}
			assert.Equal(t, row.names, strings.Join(found, " "), "the hosts")
		})
	}
}

// TestBound: few files that name one another very often are no build without an end.
func TestBound(t *testing.T) {
	files := map[string]string{"k0/kustomization.yaml": "resources: [a.yaml]\n", "k0/a.yaml": spec("a", "1")}
	for level := 1; level < 30; level++ {
		for side := range 2 {
			files[fmt.Sprintf("side%d-%d/kustomization.yaml", level,
				side)] = fmt.Sprintf("nameSuffix: -x%d\nresources: [../k%d]\n", side, level-1)
		}
		files[fmt.Sprintf("k%d/kustomization.yaml", level)] = fmt.Sprintf("resources: [../side%d-0, ../side%d-1]\n",
			level, level)
	}
	t.Chdir(write(t, files))
	limits := manifest.Specs
	limits.Total = 16 << 20
	if _, _, err := read(limits, []string{"k29"}, nil, func(string) string { return "" }); err == nil ||
		!strings.Contains(err.Error(), ": this kustomization reads more than 16 MiB") {
		t.Errorf("bases that double: %v", err)
	}
	endless := &localFiles{FileSystem: filesys.MakeFsOnDisk(), limits: manifest.Specs, left: 64 << 20, folder: "k29",
		root: filepath.Join(need.Value(os.Getwd())(t), "k29"), owner: func(string) string { return "" }}
	_, err := endless.build(time.Millisecond)
	assert.Truef(t, errors.Is(err, errTooLong), "a build that takes long: %v", err)
}
