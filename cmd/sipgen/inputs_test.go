package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
)

// TestInputs plans what the world writes: published samples, and network data in the formats that there are.
func TestInputs(t *testing.T) {
	folders, err := filepath.Glob("../../testdata/inputs/*/site.yaml")
	need.Must(t, err == nil && len(folders) >= 4, "%d folders, %v", len(folders), err)
	for _, site := range folders {
		dir := filepath.Dir(site)
		first := func(names ...string) string {
			for _, name := range names {
				if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
					return filepath.Join(dir, name)
				}
			}
			t.Fatalf("%s: none of %v", dir, names)
			return ""
		}
		args := []string{"plan", "--site", site, "-f", first("specs", "spec.yaml"), "--inventory", first("hosts", "hosts.yaml")}
		if strings.Contains(read(t, site), "virtualHosts:") {
			args = append(args, "--with-virtual-hosts")
		}
		var out bytes.Buffer
		code := run(t.Context(), args, strings.NewReader(""), &out, &out)
		text := strings.ReplaceAll(out.String(), dir+"/", "")
		text = regexp.MustCompile(`(?m)[ \t]+$`).ReplaceAllString(text, "") + "exit code " + string(rune('0'+code)) + "\n"
		want := filepath.Join(dir, "plan.txt")
		if *update {
			need.OK(t, os.WriteFile(want, []byte(text), 0o644))
			continue
		}
		if was, err := os.ReadFile(want); err != nil || string(was) != text {
			t.Errorf("%s: %v, now\n%s", want, err, text)
		}
	}
}

// TestLintOfExamples: lint finds nothing in any example.
func TestLintOfExamples(t *testing.T) {
	examples := need.Value(filepath.Glob("../../examples/*/site.yaml"))(t)
	need.Must(t, len(examples) >= 6, "%d examples", len(examples))
	finding := regexp.MustCompile(`(?m)(error|warning) (SIP\d+)`)
	for _, site := range examples {
		dir := filepath.Dir(site)
		args := []string{"lint", "--site", site}
		text := read(t, site)
		if !strings.Contains(text, "\n  inputs:\n") {
			for _, input := range [][]string{{"-f", "tenants", "cluster.yaml"}, {"--inventory", "hosts", "hosts.yaml"}} {
				for _, name := range input[1:] {
					if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
						args = append(args, input[0], filepath.Join(dir, name))
					}
				}
			}
		}
		code, out, said := ran(t, args...)
		need.That(t, !finding.MatchString(out) && code == 0, "%s: exit code %d, want no finding\n%s%s", dir, code, out, said)
	}
}

// TestDemosAreQuiet: the demos run, and warn a newcomer of nothing; nor does a plan of the example that README.md shows.
func TestDemosAreQuiet(t *testing.T) {
	for _, name := range []string{"bash", "git"} {
		if _, err := exec.LookPath(name); err != nil {
			need.Missing(t, name)
		}
	}
	for _, script := range []string{
		`bash hack/demo.sh "$(command -v sipgen)" "$1"`,
		`bash hack/demo-site.sh "$(command -v sipgen)" "$1"`,
		`sipgen plan --site examples/single/site.yaml --previous none`,
	} {
		cmd := exec.Command("bash", "-euc", script, "demo", filepath.Join(t.TempDir(), "demo"))
		cmd.Dir = filepath.Join("..", "..")
		out, err := cmd.CombinedOutput()
		need.That(t, err == nil, "%s: %v\n%s", script, err, out)
		for line := range strings.Lines(string(out)) {
			need.That(t, !strings.Contains(line, "warning"), "%s: %s", script, line)
		}
	}
}

// TestHAProxyLinesAreSaid: a spec with lines of HAProxy's configuration is said so in the plan and in PLAN.md, by name.
func TestHAProxyLinesAreSaid(t *testing.T) {
	single := filepath.Join("..", "..", "examples", "single")
	spec := read(t, filepath.Join(single, "cluster.yaml"))
	for _, lines := range []bool{true, false} {
		folder := t.TempDir()
		text := spec
		if lines {
			text = strings.Replace(text, "      - nodeInterfaceId: management\n", "      - nodeInterfaceId: management\n        haproxy: {lines: {defaults: [option tcpka]}}\n", 1)
		}
		file := filepath.Join(folder, "cluster.yaml")
		need.OK(t, os.WriteFile(file, []byte(text), 0o600))
		site := filepath.Join(folder, "site.yaml")
		need.OK(t, os.WriteFile(site, []byte("apiVersion: sipgen.airshipit.org/v1alpha1\nkind: Site\nmetadata: {name: single}\nspec:\n  repository: {url: 'https://git.example.org/a.git'}\n  tenants:\n  - {name: lab, namespaces: [lab], patches: any, nodePorts: [{start: 31443, end: 31443}]}\n"), 0o600))
		inputs := []string{"--site", site, "-f", file, "--inventory", filepath.Join(single, "hosts.yaml")}
		_, plan, said := ran(t, append([]string{"plan", "-o", "markdown"}, inputs...)...)
		_, _, written := ran(t, append([]string{"render", "--out", filepath.Join(folder, "tree")}, inputs...)...)
		page := read(t, filepath.Join(folder, "tree", "PLAN.md"))
		const inPage = "**Lines of HAProxy:** they may do anything in its load balancers: " +
			"`spec.services.loadBalancerControlPlane[0].haproxy.lines.defaults`."
		need.Equal(t, plan+said, strings.Contains(strings.ReplaceAll(plan, "`", ""), "lab/lab has lines of HAProxy's configuration"), lines)
		need.Equal(t, page+written, strings.Contains(page, inPage), lines)
	}
}
