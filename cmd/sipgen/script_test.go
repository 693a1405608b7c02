package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/hack/orphans"
	"github.com/airshipit/sipgen/internal/garbage"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

func TestMain(m *testing.M) {
	// The examples' repositories are nowhere. The commands of scripts are this program, too, and have an environment of
	// their own.
	if _, set := os.LookupEnv("SIPGEN_PREVIOUS"); !set {
		if err := os.Setenv("SIPGEN_PREVIOUS", "none"); err != nil {
			panic(err)
		}
	}
	// Garbage is collected as the program does it, whatever make test says: most tests call it, and some ask how much
	// memory it took.
	if err := os.Unsetenv("GOGC"); err != nil {
		panic(err)
	}
	garbage.CollectLate()
	testscript.Main(orphans.Tests{M: m}, map[string]func(){"sipgen": main, workerName: work})
}

const scripts = "testdata/script"

// TestScripts runs whole commands: testdata/script/*.txtar.
func TestScripts(t *testing.T) {
	examples := need.Value(filepath.Abs("../../examples"))(t)
	workers := newWorkers()
	t.Cleanup(func() { require.NoError(t, workers.stop()) })
	testscript.Run(t, testscript.Params{
		Dir: scripts,
		Setup: func(env *testscript.Env) error {
			env.Setenv("EXAMPLES", examples)
			env.Setenv("INPUTS", filepath.Join(filepath.Dir(examples), "testdata", "inputs"))
			env.Setenv("HOME", env.WorkDir)
			env.Setenv("GIT_CONFIG_NOSYSTEM", "1")
			env.Setenv("SIPGEN_PREVIOUS", "none")
			// What a user types, with the two-tenants example.
			env.Setenv("TWO", "--site="+filepath.Join(examples, "two-tenants", "site.yaml"))
			process, err := newScriptProcess(workers, env)
			if err != nil {
				return err
			}
			env.Values[processKey{}] = process
			return os.CopyFS(filepath.Join(env.WorkDir, "two"), os.DirFS(filepath.Join(examples, "two-tenants")))
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"exits":   exits,
			"leaves":  leavesDo,
			"sync":    syncLabels,
			"replace": replace,
			"site":    siteOf,
		},
		UpdateScripts:   os.Getenv("UPDATE_SCRIPTS") != "",
		ContinueOnError: os.Getenv("CONTINUE") != "",
	})
}

// leavesDo writes the list of the clusters that leave into a Site: leaves FILE [NAMESPACE/NAME…]
func leavesDo(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: leaves FILE [NAMESPACE/NAME…]")
	}
	file := ts.MkAbs(args[0])
	text := regexp.MustCompile(`(?m)^  decommission: .*\n`).ReplaceAllString(ts.ReadFile(file), "")
	if len(args) > 1 {
		text = strings.Replace(text, "\nspec:\n", "\nspec:\n  decommission: ["+strings.Join(args[1:], ", ")+"]\n", 1)
	}
	ts.Check(os.WriteFile(file, []byte(text), 0o600))
}

// siteOf writes a Site of a fleet with an example's hosts, from the script's file site.txt: site NAME WAVE
func siteOf(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: site NAME WAVE")
	}
	folder := ts.MkAbs(filepath.Join("sites", args[0]))
	ts.Check(os.MkdirAll(folder, 0o755))
	text := strings.NewReplacer("NAME", args[0], "WAVE", args[1]).Replace(ts.ReadFile("site.txt"))
	ts.Check(os.WriteFile(filepath.Join(folder, "site.yaml"), []byte(text), 0o644))
	edge := ts.ReadFile(filepath.Join(ts.Getenv("EXAMPLES"), "fleet", "base", "tenants", "edge.yaml"))
	ts.Check(os.WriteFile(filepath.Join(folder, "edge.yaml"), []byte(edge), 0o644))
	hosts := ts.ReadFile(filepath.Join(ts.Getenv("EXAMPLES"), "fleet", "sites", "dc2", "hosts.yaml"))
	hosts = strings.ReplaceAll(hosts, "uid: 00000002", "uid: "+args[0])
	ts.Check(os.WriteFile(filepath.Join(folder, "hosts.yaml"), []byte(hosts), 0o644))
}

// exits runs a command of sipgen and wants exactly one exit code: exits 2 sipgen render … A worker runs it, without
// standard input.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 || args[1] != "sipgen" {
		ts.Fatalf("usage: exits CODE sipgen …")
	}
	answer := inWorker(ts, args[2:])
	_, err := fmt.Fprint(ts.Stdout(), answer.Stdout)
	ts.Check(err)
	_, err = fmt.Fprint(ts.Stderr(), answer.Stderr)
	ts.Check(err)
	if fmt.Sprint(answer.Code) != args[0] {
		ts.Fatalf("exit code %d, want %s", answer.Code, args[0])
	}
}

// replace changes a text that must be in a file: replace FILE OLD NEW. Both may hold \n.
func replace(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: replace FILE OLD NEW")
	}
	path := ts.MkAbs(args[0])
	content, err := os.ReadFile(path)
	ts.Check(err)
	unescape := strings.NewReplacer(`\n`, "\n")
	old, text := unescape.Replace(args[1]), unescape.Replace(args[2])
	if !strings.Contains(string(content), old) {
		ts.Check(fmt.Errorf("%s: no %q in it", args[0], old))
	}
	ts.Check(os.WriteFile(path, []byte(strings.Replace(string(content), old, text, 1)), 0o644))
}

// syncLabels plays the GitOps engine for hosts in files: sync TREE HOSTS gives every host of the tree the
// labels that its patch has, and takes the others of ours off. The real engines are in e2e.
func syncLabels(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: sync TREE HOSTS")
	}
	syncHosts(ts.Check, ts.MkAbs(args[0]), ts.MkAbs(args[1]))
}

// syncHosts sets the labels of a tree's patches on the hosts in a folder, as an engine does on live ones.
func syncHosts(check func(error), tree, hosts string) {
	patches, err := filepath.Glob(filepath.Join(tree, "clusters/*/*/hosts/*.*.yaml"))
	check(err)
	wanted := map[string]map[string]any{}
	for _, path := range patches {
		docs, err := manifest.Read([]string{path}, nil)
		check(err)
		var patch map[string]any
		check(yaml.Unmarshal(docs[0].JSON, &patch))
		labels, _ := patch["metadata"].(map[string]any)["labels"].(map[string]any)
		wanted[docs[0].Namespace+"/"+docs[0].Name] = labels
	}
	files, err := filepath.Glob(filepath.Join(hosts, "*.yaml"))
	check(err)
	for _, file := range files {
		docs, err := manifest.Read([]string{file}, nil)
		check(err)
		var out []string
		for _, doc := range docs {
			var object map[string]any
			check(yaml.Unmarshal(doc.JSON, &object))
			if labels, found := wanted[doc.Namespace+"/"+doc.Name]; found && doc.Kind == "BareMetalHost" {
				live := object["metadata"].(map[string]any)["labels"].(map[string]any)
				for key := range live {
					if strings.HasPrefix(key, "sip.airshipit.org/") {
						delete(live, key)
					}
				}
				for key, value := range labels {
					live[key] = value
				}
			}
			text, err := yaml.Marshal(object)
			check(err)
			out = append(out, string(text))
		}
		check(os.WriteFile(file, []byte(strings.Join(out, "---\n")), 0o644))
	}
}
