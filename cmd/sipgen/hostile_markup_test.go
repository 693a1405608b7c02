package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// forged is a heading of another tenant's cluster, markup, commands of CI systems and terminals, and letters that nobody sees, in one name.
const forged = "x\n\n## good/g\n\n- owned\n\nowned by the security team <b>owned</b> <script>owned</script> <img src=owned> [owned](javascript:owned) ![owned](http://owned)\n" +
	"::error::owned\n##vso[task.complete]owned ##[error]owned\n\x1b[31mowned\x1b[2J\r\u2028\u202eowned\u2066\u200b\u3164\ufe0f\u115f\U000e0041\u00ad"

// forgeries are specs of a tenant with forged in one place each.
func forgeries() map[string]map[string]any {
	specs := map[string]map[string]any{}
	add := func(where string, change func(spec map[string]any)) {
		spec := map[string]any{
			"apiVersion": "airship.airshipit.org/v1", "kind": "SIPCluster",
			"metadata": map[string]any{"namespace": "evil", "name": where},
			"spec": map[string]any{
				"nodes":    map[string]any{"Worker": map[string]any{"labelSelector": map[string]any{}, "topologyKey": "rack", "count": map[string]any{"active": 1}}},
				"services": map[string]any{"jumpHost": []any{map[string]any{"nodeInterfaceId": "oam", "sshAuthorizedKeys": []any{"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIO/U3rjtwvmtGX2eLm0ewdPD/UWr+X9vypuJN2A5pqvV op"}}}},
			},
		}
		change(spec)
		specs[where] = spec
	}
	at := func(value any, path ...any) map[string]any {
		for _, step := range path {
			switch step := step.(type) {
			case string:
				value = value.(map[string]any)[step]
			case int:
				value = value.([]any)[step]
			}
		}
		return value.(map[string]any)
	}
	add("name", func(s map[string]any) { at(s, "metadata")["name"] = forged })
	add("namespace", func(s map[string]any) { at(s, "metadata")["namespace"] = forged })
	add("capitals", func(s map[string]any) { at(s, "metadata")["name"] = "G" })
	add("role", func(s map[string]any) {
		at(s, "spec")["nodes"] = map[string]any{forged: at(s, "spec", "nodes", "Worker")}
	})
	add("keys", func(s map[string]any) {
		delete(at(s, "spec", "nodes", "Worker"), "topologyKey")
		at(s, "spec", "nodes", "Worker")["topologyKeys"] = []any{"rack", forged}
	})
	add("topology", func(s map[string]any) { at(s, "spec", "nodes", "Worker")["topologyKey"] = forged })
	add("key", func(s map[string]any) {
		at(s, "spec", "nodes", "Worker", "labelSelector")["matchLabels"] = map[string]any{forged: "x"}
	})
	add("value", func(s map[string]any) {
		at(s, "spec", "nodes", "Worker", "labelSelector")["matchLabels"] = map[string]any{"rack": forged}
	})
	add("remove", func(s map[string]any) {
		at(s, "metadata")["annotations"] = map[string]any{"sip.airshipit.org/remove": forged}
	})
	add("ignore", func(s map[string]any) {
		at(s, "metadata")["annotations"] = map[string]any{"sip.airshipit.org/lint-ignore": "SIP013: " + forged}
	})
	add("network", func(s map[string]any) { at(s, "spec", "services", "jumpHost", 0)["nodeInterfaceId"] = forged })
	add("image", func(s map[string]any) { at(s, "spec", "services", "jumpHost", 0)["image"] = forged })
	add("label", func(s map[string]any) {
		at(s, "spec", "services", "jumpHost", 0)["labels"] = map[string]any{forged: forged}
	})
	add("unknown", func(s map[string]any) { at(s, "spec")[forged] = forged })
	add("patch", func(s map[string]any) {
		at(s, "spec")["patches"] = []any{map[string]any{"target": map[string]any{"kind": forged, "name": forged}, "patch": forged}}
	})
	return specs
}

// TestNamesFromOutsideMakeNoMarkup: what a tenant, or a host, writes into names, roles, keys, labels and networks is text wherever people read it: in PLAN.md
// and all of the tree, in the commit, in a pull request, and in what is printed. Nobody but sipgen writes a heading there.
func TestNamesFromOutsideMakeNoMarkup(t *testing.T) {
	folder := t.TempDir()
	t.Chdir(folder)
	t.Setenv("HOME", folder)
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("site.yaml", `apiVersion: sipgen.airshipit.org/v1alpha1
kind: Site
metadata: {name: lab}
spec:
  repository: {url: ssh://git@git.example.org/fleet.git, branch: main}
  images: {jumpHost: "registry.example.org/jump-host:1"}
  hosts: {namespaces: [metal3]}
  tenants:
  - {name: good, specs: [good], namespaces: [good], hosts: {max: 9}}
  - {name: evil, specs: [evil], namespaces: [evil], hosts: {max: 99}, maxClusters: 99}
`)
	write("specs/good/g.yaml", "apiVersion: airship.airshipit.org/v1\nkind: SIPCluster\nmetadata: {namespace: good, name: g}\nspec: {nodes: {Worker: {labelSelector: {}, count: {active: 2}}}}\n")
	for where, spec := range forgeries() {
		content, err := json.Marshal(spec)
		if err != nil {
			t.Fatal(err)
		}
		write("specs/evil/"+where+".yaml", string(content))
	}
	quoted, err := json.Marshal(forged)
	if err != nil {
		t.Fatal(err)
	}
	var hosts strings.Builder
	for i := range 6 {
		trouble := ""
		if i == 5 {
			trouble = strings.ReplaceAll(`, errorType: FORGED, errorMessage: FORGED`, "FORGED", string(quoted))
		}
		fmt.Fprintf(&hosts, `---
apiVersion: metal3.io/v1alpha1
kind: BareMetalHost
metadata: {namespace: metal3, name: h%[1]d, uid: u%[1]d, labels: {rack: r%[1]d, %[2]s: %[2]s}, annotations: {%[2]s: %[2]s}}
spec: {online: true, networkData: {name: n%[1]d}}
status: {operationalStatus: OK, provisioning: {state: available}%[3]s}
---
apiVersion: v1
kind: Secret
metadata: {namespace: metal3, name: n%[1]d}
stringData: {networkData: '{"networks": [{"id": "oam", "type": "ipv4", "ip_address": "10.0.0.%[1]d/8"}, {"id": %[4]s, "type": "ipv4", "ip_address": "10.1.0.%[1]d/8"}]}'}
`, i, quoted, trouble, strings.ReplaceAll(string(quoted), "'", "''"))
	}
	write("hosts.yaml", hosts.String())
	git := func(args ...string) string {
		t.Helper()
		out, err := exec.Command("git", args...).CombinedOutput()
		if err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
		return string(out)
	}
	git("init", "-q", "--bare", "-b", "main", "r.git")
	in := []string{"--site", "site.yaml", "-f", "specs", "--inventory", "hosts.yaml"}
	seen := 0
	check := func(what, text string) {
		t.Helper()
		seen += strings.Count(text, "owned")
		if problem := forges(what, text); problem != "" {
			t.Errorf("%s: %s", what, problem)
		}
	}
	do := func(want int, args ...string) {
		t.Helper()
		var stdout, stderr bytes.Buffer
		if code := run(context.Background(), append(args, in...), strings.NewReader(""), &stdout, &stderr); code != want {
			t.Fatalf("%q: exit code %d, want %d: %s", args, code, want, &stderr)
		}
		check(strings.Join(args, " "), stdout.String())
		check(strings.Join(args, " ")+": stderr", stderr.String())
	}
	for _, output := range []string{"table", "wide", "markdown", "html", "network"} {
		do(1, "plan", "-o", output)
	}
	do(1, "render", "--out", "tree")
	do(1, "publish", "--repo", "r.git")
	check("commit message", git("-C", "r.git", "log", "--format=%B", "main"))
	for _, output := range []string{"human", "unified", "markdown"} {
		do(1, "diff", "--out", "none", "-o", output)
	}
	if seen < 100 {
		t.Errorf("the words were found %d times: this test looks at the wrong outputs", seen)
	}
	if err := filepath.WalkDir("tree", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		check(path, string(content))
		return err
	}); err != nil {
		t.Fatal(err)
	}
	plan, err := os.ReadFile("tree/PLAN.md")
	if err != nil || !bytes.Contains(plan, []byte("\n## evil/value\n")) || bytes.Count(plan, []byte("\n## good/g\n")) != 1 {
		t.Errorf("PLAN.md: %v: want a section of each cluster, and no other\n%s", err, plan)
	}
	for _, path := range []string{"clusters/evil/G", "clusters/evil/" + forged} {
		if _, err := os.Stat("tree/" + path); err == nil {
			t.Errorf("%q is in the tree", path)
		}
	}
}

var (
	codeSpan = regexp.MustCompile("(?s)(`+)[^`].*?[^`]?(`+)")
	element  = regexp.MustCompile(`(?i)<(b>owned|script>owned|img src=owned)`)
	link     = regexp.MustCompile(`\]\((javascript:|http://)owned`)
)

// forges says what in a text is more than text, for who reads it.
func forges(what, text string) string {
	if problem := steers(text); problem != "" {
		return problem
	}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimLeft(line, "> "), "## good/g") && !strings.HasSuffix(what, "PLAN.md") && !strings.Contains(what, "diff") {
			return fmt.Sprintf("a heading: %q", line)
		}
		switch {
		case strings.HasSuffix(what, "stderr"):
			continue // for a terminal
		case strings.Contains(what, "html"):
		case strings.HasSuffix(what, "PLAN.md"), strings.Contains(what, "markdown"):
			if strings.HasPrefix(line, "    ") { // code
				continue
			}
			line = codeSpan.ReplaceAllString(line, "")
			if found := link.FindString(line); found != "" {
				return fmt.Sprintf("a link: %q", line)
			}
		default:
			continue
		}
		if strings.Contains(line, "owned") && element.MatchString(line) {
			return fmt.Sprintf("an element: %q", around(line, element.FindString(line)))
		}
	}
	return ""
}
