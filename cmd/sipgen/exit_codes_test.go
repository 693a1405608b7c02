package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/cmd/sipgen/internal/terminal"
)

// TestExitCodePage: docs/exit-codes.md has a row for every command, and each command that ends with 1 does so in the case that the row tells.
func TestExitCodePage(t *testing.T) {
	page, err := os.ReadFile("../../docs/exit-codes.md")
	check(t, err)
	rows := map[string]string{}
	for _, match := range regexp.MustCompile("(?m)^\\| `([a-z-]+)` \\| (.*) \\|$").FindAllStringSubmatch(string(page), -1) {
		rows[match[1]] = match[2]
	}
	examples, err := filepath.Abs("../../examples/two-tenants")
	check(t, err)
	t.Chdir(t.TempDir())
	check(t, os.CopyFS(".", os.DirFS(examples)))
	check(t, exec.Command("git", "init", "-q", "--bare", "-b", "main", "fleet.git").Run())
	in := []string{"--site", "site.yaml", "-f", "tenants", "--inventory", "hosts"}
	here := append([]string{"--previous", "none"}, in...) // not from the repository of the example
	wantCode := func(code int, args ...string) {
		t.Helper()
		var out, errs bytes.Buffer
		if found := run(context.Background(), args, strings.NewReader(""), &out, &errs); found != code {
			t.Errorf("sipgen %s: exit code %d, want %d: %s\n%s%s", strings.Join(args, " "), found, code, rows[args[0]], &out, &errs)
		}
	}
	findings := map[string][]string{
		"plan": here, "lint": here, "render": append([]string{"--out", "new"}, in...), "publish": append([]string{"--repo", "fleet.git"}, in...),
		"diff": append([]string{"--out", "empty"}, in...), "tenants": here,
		"takeover": {"-f", "old.yaml"}, "capacity": append([]string{"--min-free", "=100"}, here...),
		"history": {"nobody", "--site", "site.yaml", "--repo", "fleet.git"},
		"status":  {"--site", "site.yaml", "--inventory", "hosts/rack-1.yaml", "--previous", "tree"},
	}
	wantCode(0, append([]string{"render", "--out", "tree"}, in...)...)
	wantCode(1, append([]string{"capacity"}, findings["capacity"]...)...)
	wantCode(1, append([]string{"history"}, findings["history"]...)...)
	wantCode(1, append([]string{"diff"}, findings["diff"]...)...)
	wantCode(1, append([]string{"status"}, findings["status"]...)...)
	edit(t, "tenants/edge-a.yaml", "active: 3", "active: 2")
	wantCode(1, append([]string{"lint"}, findings["lint"]...)...)
	edit(t, "tenants/edge-a.yaml", "active: 2", "active: 3")
	edit(t, "tenants/edge-a.yaml", "active: 4", "active: 90")
	for _, command := range []string{"plan", "render", "publish"} {
		wantCode(1, append([]string{command}, findings[command]...)...)
	}
	edit(t, "tenants/edge-a.yaml", "active: 90", "active: 190")
	wantCode(1, append([]string{"tenants"}, here...)...)
	check(t, os.WriteFile("old.yaml", []byte("apiVersion: airship.airshipit.org/v1\nkind: SIPCluster\nmetadata: {name: old, namespace: clusterA}\nspec: {}\n"), 0o600))
	wantCode(1, append([]string{"takeover"}, findings["takeover"]...)...)
	wantCode(2, "plan", "--site", "none.yaml")

	for _, command := range newRoot(&terminal.UI{}).Commands() {
		if rows[command.Name()] == "" && !command.Hidden {
			t.Errorf("docs/exit-codes.md: no row for %s", command.Name())
		}
	}
	for command, means := range rows {
		if (findings[command] == nil) != (means == "never") {
			t.Errorf("docs/exit-codes.md: %s: %q, and the test says otherwise", command, means)
		}
	}
}
