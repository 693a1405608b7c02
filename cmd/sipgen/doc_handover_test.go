package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
)

// TestHandOverStops: the functions of the procedure "switch to-argocd" hand over what kubectl finds of a tree, folder by folder, and fail where
// there is no tree, where kubectl cannot read, and where an object has changed meanwhile. TestProcedures runs them on a real API server.
func TestHandOverStops(t *testing.T) {
	for _, name := range []string{"bash", "jq"} {
		if _, err := exec.LookPath(name); err != nil {
			need.Missing(t, name)
		}
	}
	var functions string
	for _, text := range namedBlocks(t, "switch to-argocd") {
		if strings.HasPrefix(text, "hand_over()") {
			functions = text
		}
	}
	if functions == "" {
		t.Fatal("no page has a function hand_over")
	}
	const found = `{"kind":"Service","metadata":{"name":"lb","namespace":"a","managedFields":[{"manager":"x","operation":"Apply"},{"manager":"old","operation":"Apply"}]}}`
	for _, row := range []struct {
		why, kubectl, tree, want string
		fails                    bool
	}{
		{"a tree", `if [ $1 = get ]; then echo '` + found + `'; else echo "$@"; fi`, "tree", "/metadata/managedFields/1/manager", false},
		{"no tree", "exit 9", "none", "no tree in none: nothing was handed over", true},
		{"no API server", "exit 9", "tree", "not handed over: tree/policy", true},
		{"an object that changed", `if [ $1 = get ]; then echo '` + found + `'; else exit 9; fi`, "tree", "not handed over: tree/policy", true},
	} {
		t.Run(row.why, func(t *testing.T) {
			dir := t.TempDir()
			for name, text := range map[string]string{
				"tree/policy/kustomization.yaml": "", "tree/clusters/a/b/hosts/kustomization.yaml": "", "bin/kubectl": "#!/bin/sh\n" + row.kubectl + "\n",
			} {
				check(t, os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755))
				check(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755))
			}
			cmd := exec.Command("bash", "-c", functions+"\nhand_over_tree "+row.tree+" old new")
			cmd.Dir, cmd.Env = dir, append(os.Environ(), "PATH="+filepath.Join(dir, "bin")+":"+os.Getenv("PATH"))
			out, err := cmd.CombinedOutput()
			if (err != nil) != row.fails || !strings.Contains(string(out), row.want) {
				t.Errorf("%v:\n%s", err, out)
			}
			if !row.fails && strings.Count(string(out), row.want) != 4 {
				t.Errorf("want a test and a replacement in each of two folders:\n%s", out)
			}
		})
	}
}
