package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestHAProxyLinesAreSaid: a spec with lines of HAProxy's configuration is said so in the plan and in PLAN.md, by name.
func TestHAProxyLinesAreSaid(t *testing.T) {
	single := filepath.Join("..", "..", "examples", "single")
	spec, err := os.ReadFile(filepath.Join(single, "cluster.yaml"))
	check(t, err)
	for _, lines := range []bool{true, false} {
		folder := t.TempDir()
		text := string(spec)
		if lines {
			text = strings.Replace(text, "      - nodeInterfaceId: management\n", "      - nodeInterfaceId: management\n        haproxy: {lines: {defaults: [option tcpka]}}\n", 1)
		}
		file := filepath.Join(folder, "cluster.yaml")
		check(t, os.WriteFile(file, []byte(text), 0o600))
		site := filepath.Join(folder, "site.yaml")
		check(t, os.WriteFile(site, []byte("apiVersion: sipgen.airshipit.org/v1alpha1\nkind: Site\nmetadata: {name: single}\nspec:\n  repository: {url: 'https://git.example.org/a.git'}\n  tenants:\n  - {name: lab, namespaces: [lab], patches: any, nodePorts: [{start: 31443, end: 31443}]}\n"), 0o600))
		inputs := []string{"--site", site, "-f", file, "--inventory", filepath.Join(single, "hosts.yaml")}
		var plan, said strings.Builder
		run(t.Context(), append([]string{"plan", "-o", "markdown"}, inputs...), strings.NewReader(""), &plan, &said)
		run(t.Context(), append([]string{"render", "--out", filepath.Join(folder, "tree")}, inputs...), strings.NewReader(""), io.Discard, &said)
		page, err := os.ReadFile(filepath.Join(folder, "tree", "PLAN.md"))
		if err != nil {
			t.Fatalf("%v\n%s", err, &said)
		}
		if got := strings.Contains(strings.ReplaceAll(plan.String(), "`", ""), "lab/lab has lines of HAProxy's configuration"); got != lines {
			t.Errorf("lines %t: the plan says so: %t\n%s%s", lines, got, &plan, &said)
		}
		if got := strings.Contains(string(page), "**Lines of HAProxy:** they may do anything in its load balancers: `spec.services.loadBalancerControlPlane[0].haproxy.lines.defaults`."); got != lines {
			t.Errorf("lines %t: PLAN.md says so: %t\n%s", lines, got, page)
		}
	}
}
