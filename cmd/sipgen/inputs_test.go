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
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestInputs plans what the world writes: published samples, and network data in the formats that there are.
func TestInputs(t *testing.T) {
	folders, err := filepath.Glob("../../testdata/inputs/*/site.yaml")
	require.Truef(t, err == nil && len(folders) >= 4, "%d folders, %v", len(folders), err)
	for _, site := range folders {
		dir := filepath.Dir(site)
		args := append([]string{"plan"}, inputsIn(t, dir)...)
		if strings.Contains(read(t, site), "virtualHosts:") {
			args = append(args, "--with-virtual-hosts")
		}
		var out bytes.Buffer
		code := run(t.Context(), args, strings.NewReader(""), &out, &out)
		text := strings.ReplaceAll(out.String(), dir+"/", "")
		text = regexp.MustCompile(`(?m)[ \t]+$`).ReplaceAllString(text,
			"") + "exit code " + string(rune('0'+code)) + "\n"
		same(t, filepath.Join(dir, "plan.txt"), text)
	}
}

// inputsIn are the flags that name what a folder has, but for what its Site names.
func inputsIn(t *testing.T, dir string) []string {
	t.Helper()
	args := []string{"--site", filepath.Join(dir, "site.yaml")}
	if strings.Contains(read(t, args[1]), "\n  inputs:\n") {
		return args
	}
	inputs := "-f=tenants -f=cluster.yaml -f=specs -f=spec.yaml --inventory=hosts --inventory=hosts.yaml"
	for _, input := range strings.Fields(inputs) {
		flag, name, _ := strings.Cut(input, "=")
		if path := filepath.Join(dir, name); need.Err(os.Stat(path)) == nil {
			args = append(args, flag, path)
		}
	}
	return args
}

// TestLintOfExamples: lint finds nothing in any example.
func TestLintOfExamples(t *testing.T) {
	examples := need.Value(filepath.Glob("../../examples/*/site.yaml"))(t)
	require.Truef(t, len(examples) >= 6, "%d examples", len(examples))
	finding := regexp.MustCompile(`(?m)(error|warning) (SIP\d+)`)
	for _, site := range examples {
		dir := filepath.Dir(site)
		args := append([]string{"lint"}, inputsIn(t, dir)...)
		code, out, said := ran(t, args...)
		assert.Truef(t, !finding.MatchString(out) && code == 0, "%s: exit code %d, want no finding\n%s%s", dir, code,
			out, said)
	}
}

// TestDemosAreQuiet: the demos run, and warn a newcomer of nothing; nor does a plan of the example that README.md
// shows.
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
		assert.Truef(t, err == nil, "%s: %v\n%s", script, err, out)
		for line := range strings.Lines(string(out)) {
			assert.Truef(t, !strings.Contains(line, "warning"), "%s: %s", script, line)
		}
	}
}

// TestHAProxyLinesAreSaid: a spec with lines of HAProxy's configuration is said so in the plan and in PLAN.md, by name.
func TestHAProxyLinesAreSaid(t *testing.T) {
	single := filepath.Join("..", "..", "examples", "single")
	const service = "      - nodeInterfaceId: management\n"
	folder, spec := t.TempDir(), read(t, filepath.Join(single, "cluster.yaml"))
	file, site := filepath.Join(folder, "cluster.yaml"), filepath.Join(folder, "site.yaml")
	need.Write(t, file, strings.Replace(spec, service, service+"        haproxy: {lines: {defaults: [option tcpka]}}\n",
		1))
	need.Write(t, site, "apiVersion: sipgen.airshipit.org/v1alpha1\nkind: Site\nmetadata: {name: single}\nspec:\n"+
		"  repository: {url: 'https://git.example.org/a.git'}\n  tenants:\n  - {name: lab, namespaces: [lab], patches: any, nodePorts: [{start: 31443, end: 31443}]}\n")
	inputs := []string{"--site", site, "-f", file, "--inventory", filepath.Join(single, "hosts.yaml")}
	_, plan, _ := ran(t, append([]string{"plan"}, inputs...)...)
	assert.Contains(t, strings.Join(strings.Fields(plan), " "), "lab/lab has lines of HAProxy's configuration")
	ran(t, append([]string{"render", "--out", filepath.Join(folder, "tree")}, inputs...)...)
	assert.Contains(t, read(t, filepath.Join(folder, "tree", "clusters", "lab", "lab", "PLAN.md")),
		"**Lines of HAProxy:** they may do anything in its load balancers: "+
			"`spec.services.loadBalancerControlPlane[0].haproxy.lines.defaults`.")
}

// TestPatchesWithoutAGrant: patches that freeze their cluster, because no grant allows them, are not said to be
// granted.
func TestPatchesWithoutAGrant(t *testing.T) {
	single := filepath.Join("..", "..", "examples", "single")
	file := filepath.Join(t.TempDir(), "cluster.yaml")
	need.Write(t, file, read(t, filepath.Join(single, "cluster.yaml"))+
		"  patches: [{target: {kind: Service}, patch: 'kind: Service'}]\n")
	_, plan, _ := ran(t, "plan", "--site", filepath.Join(single, "site.yaml"), "-f", file, "--inventory",
		filepath.Join(single, "hosts.yaml"), "--previous", "none")
	for _, word := range []string{"frozen: lab/lab: ", "is granted no patches", "danger: lab/lab is frozen"} {
		assert.Contains(t, plan, word)
	}
	assert.NotContains(t, plan, "its tenant's grant")
}
