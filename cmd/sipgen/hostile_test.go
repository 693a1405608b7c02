package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

// hostile is what somebody could write into a label, an annotation, a network's name, a status or a file's name to have
// the reader's terminal or CI system do something.
const hostile = "x\x1b]0;owned\x07\x1b[31m\n::error::owned\r##[error]owned ##vso[task.complete]\u2028::add-mask::x\u202eowned\u2066\u009b31m\u0085\u200b"

// TestOutputsAreTextOnly has hostile words wherever an inventory and a spec take words from outside, and every command
// print what is for people: nothing steers a terminal, no line is a command of a CI system, and no word from outside
// begins a line.
func TestOutputsAreTextOnly(t *testing.T) {
	folder := t.TempDir()
	t.Chdir(folder)
	t.Setenv("HOME", folder)
	quoted := fmt.Sprintf("%q", hostile) // the escapes of Go are those of JSON here
	quoted = strings.NewReplacer(`\x1b`, `\u001b`, `\a`, `\u0007`).Replace(quoted)
	write := func(name, text string) {
		t.Helper()
		need.Write(t, name, strings.ReplaceAll(text, "HOSTILE", quoted))
	}
	write("site.yaml", "apiVersion: sipgen.airshipit.org/v1alpha1\nkind: Site\nmetadata: {name: lab}\nspec:\n  repository: {url: ssh://git@git.example.org/fleet.git, branch: main}\n")
	var hosts strings.Builder
	for i := range 4 {
		fmt.Fprintf(&hosts, `---
apiVersion: metal3.io/v1alpha1
kind: BareMetalHost
metadata:
  namespace: metal3
  name: host-%[1]d
  uid: %[7]s
  labels: {size: large, rack: %[2]s}
  annotations: {"sip.airshipit.org/address.oam": %[3]s, HOSTILE: HOSTILE, "sip.airshipit.org/lint-ignore": HOSTILE}
spec:
  online: true
  bootMACAddress: %[8]s
  bmc: {address: %[9]s, credentialsName: bmc-%[1]d}
  networkData: {name: net-%[1]d}
  consumerRef: {apiVersion: HOSTILE, kind: HOSTILE, namespace: HOSTILE, name: HOSTILE}
status: {operationalStatus: %[4]s, errorType: %[6]s, errorMessage: %[6]s, provisioning: {state: %[5]s}}
---
apiVersion: v1
kind: Secret
metadata: {namespace: metal3, name: net-%[1]d}
stringData: {networkData: '{"networks": [{"id": HOSTILE, "type": "ipv4", "ip_address": "10.0.0.%[1]d/8"}]}'}
`, i, []string{"r0", "r1", "r2", "r2"}[i], []string{"HOSTILE", "10.0.0.1", "10.0.0.2", "fe80::1%eth0"}[i],
			[]string{"OK", "error", "OK", "HOSTILE"}[i], []string{"available", "available", "HOSTILE", "available"}[i],
			[]string{`""`, "HOSTILE", `""`, "HOSTILE"}[i],
			// Two hosts with one of these would not be handed out.
			[]string{"u-0", "u-1", "HOSTILE", "u-3"}[i], []string{"m-0", "HOSTILE", "m-2", "m-3"}[i],
			[]string{"b-0", "b-1", "HOSTILE", "b-3"}[i])
	}
	all := strings.ReplaceAll(hosts.String(),
		"  consumerRef: {apiVersion: HOSTILE, kind: HOSTILE, namespace: HOSTILE, name: HOSTILE}\n", "")
	write("free.yaml", all)
	write("used.yaml", hosts.String())
	write("labels.yaml", strings.ReplaceAll(all, "labels: {size", "labels: {HOSTILE: HOSTILE, size"))
	write("folder/a\x1b[31m\n::error::b\u202e.yaml",
		"apiVersion: metal3.io/v1alpha1\nkind: BareMetalHost\nmetadata: {name: HOSTILE}\nspec: {HOSTILE: HOSTILE}\n")
	spec := `apiVersion: airship.airshipit.org/v1
kind: SIPCluster
metadata: {namespace: a, name: a%s}
spec:
  nodes:
    Worker:
      labelSelector: {matchLabels: {size: large}}
      topologyKey: rack
      count: {active: %d, standby: 1}
  services: {}
`
	write("good.yaml", fmt.Sprintf(spec, "", 1))
	write("big.yaml", fmt.Sprintf(spec, "", 9))
	write("bad.yaml", fmt.Sprintf(spec, ", labels: {HOSTILE: HOSTILE}, annotations: {HOSTILE: HOSTILE}",
		1)+"HOSTILE: HOSTILE\n")
	write("dir/specs\x1b[2J\n##[error]\u2028.yaml", fmt.Sprintf(spec, "", 1)+"HOSTILE: HOSTILE\n")
	seen, runs := 0, 0
	run := func(args ...string) {
		t.Helper()
		code, out, said := ran(t, args...)
		runs++
		for from, text := range map[string]string{"stdout": out, "stderr": said} {
			seen += strings.Count(text, "owned")
			problem := steers(text)
			assert.Truef(t, problem == "", "%q: exit code %d: %s: %s", args, code, from, problem)
		}
	}
	for _, specs := range []string{"good.yaml", "big.yaml", "bad.yaml", "dir"} {
		for _, inventory := range []string{"free.yaml", "used.yaml", "labels.yaml", "folder"} {
			in := []string{"--site", "site.yaml", "-f", specs, "--inventory", inventory}
			for _, output := range []string{"table", "wide", "markdown"} {
				run(append([]string{"plan", "-o", output}, in...)...)
			}
			run(append([]string{"explain", "a/a"}, in...)...)
			run(append([]string{"explain", "metal3/host-0"}, in...)...)
			run(append([]string{"explain", hostile}, in...)...)
			run(append([]string{"impact", "metal3/host-0"}, in...)...)
			run(append([]string{"impact", "--by", "rack", "--at-most", "all"}, in...)...)
			run(append([]string{"lint"}, in...)...)
			run(append([]string{"render", "--out", "tree-" + specs + inventory}, in...)...)
			for _, output := range []string{"human", "markdown"} {
				run(append([]string{"diff", "--out", "tree-" + specs + inventory + "-none", "-o", output}, in...)...)
			}
		}
	}
	run("plan", "--site", hostile, "-f", hostile, "--inventory", hostile)
	run("plan", "--"+hostile)
	run(hostile)
	run("diff", "-o", hostile, "--repo", hostile)
	run("publish", "--site", "site.yaml", "-f", "good.yaml", "--inventory", "free.yaml", "--repo", hostile, "--branch",
		hostile)
	assert.Truef(t, seen >= runs/2, "the words were printed %d times in %d runs: this test looks at the wrong outputs",
		seen, runs)
}

// steers says what in a text is more than text.
func steers(text string) string {
	for _, r := range text {
		if r != '\n' && (unicode.IsControl(r) ||
			unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point,
				unicode.Variation_Selector)) {
			return fmt.Sprintf("%U in %q", r, around(text, string(r)))
		}
	}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimSpace(line), "::") || strings.Contains(line, "##[") ||
			strings.Contains(line, "##vso[") {
			return fmt.Sprintf("a command: %q", line)
		}
		if strings.HasPrefix(strings.TrimSpace(line), "owned") {
			return fmt.Sprintf("a line of its own: %q", line)
		}
	}
	return ""
}

func around(text, what string) string {
	at := strings.Index(text, what)
	return strings.ToValidUTF8(text[max(0, at-80):min(len(text), at+40)], "")
}

// forged is a heading of another tenant's cluster, markup, commands of CI systems and terminals, and letters that
// nobody sees, in one name.
const forged = "x\n\n## good/g\n\n- owned\n\nowned by the security team <b>owned</b> <script>owned</script> <img src=owned> [owned](javascript:owned) ![owned](http://owned)\n" +
	"::error::owned\n##vso[task.complete]owned ##[error]owned\n\x1b[31mowned\x1b[2J\r\u2028\u202eowned\u2066\u200b\u3164\ufe0f\u115f\U000e0041\u00ad"

// forgeries are specs of a tenant with forged in one place each.
func forgeries(t *testing.T) map[string]any {
	specs := map[string]any{}
	base := func(where string) any {
		var spec any
		require.NoError(t, yaml.Unmarshal([]byte("{apiVersion: airship.airshipit.org/v1, kind: SIPCluster, metadata: {namespace: evil, name: "+where+"}, spec: {"+
			"nodes: {Worker: {labelSelector: {}, topologyKey: rack, count: {active: 1}}}, services: {jumpHost: [{nodeInterfaceId: oam, "+
			"sshAuthorizedKeys: ['ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIO/U3rjtwvmtGX2eLm0ewdPD/UWr+X9vypuJN2A5pqvV op']}]}}}"), &spec))
		return spec
	}
	const role, jump = "spec.nodes.Worker.", "spec.services.jumpHost[]."
	for where, paths := range map[string][]string{
		"name": {"metadata.name"}, "namespace": {"metadata.namespace"}, "role": {"spec.nodes.#"},
		"topology": {role + "topologyKey"},
		"key":      {role + "labelSelector.matchLabels.#"}, "value": {role + "labelSelector.matchLabels.rack"},
		"network": {jump + "nodeInterfaceId"},
		"image":   {jump + "image"}, "label": {jump + "labels.#", jump + "labels.*"}, "unknown": {"spec.#"},
		"patch": {"spec.patches[].target.kind", "spec.patches[].target.name", "spec.patches[].patch"},
	} {
		specs[where] = base(where)
		for _, path := range paths {
			specs[where] = put(specs[where], path, forged)
		}
	}
	specs["capitals"] = put(base("capitals"), "metadata.name", "G")
	keys := base("keys")
	worker := keys.(map[string]any)["spec"].(map[string]any)["nodes"].(map[string]any)["Worker"].(map[string]any)
	delete(worker, "topologyKey")
	worker["topologyKeys"], specs["keys"] = []any{"rack", forged}, keys
	for where, annotation := range map[string][2]string{"remove": {"sip.airshipit.org/remove"},
		"ignore": {"sip.airshipit.org/lint-ignore", "SIP013: "}} {
		spec := base(where)
		spec.(map[string]any)["metadata"].(map[string]any)["annotations"] = map[string]any{annotation[0]: annotation[1] + forged}
		specs[where] = spec
	}
	return specs
}

// TestNamesFromOutsideMakeNoMarkup: what a tenant, or a host, writes into names, roles, keys, labels and networks is
// text wherever people read it: in PLAN.md and all of the tree, in the commit, in a pull request, and in what is
// printed. Nobody but sipgen writes a heading there.
func TestNamesFromOutsideMakeNoMarkup(t *testing.T) {
	folder := t.TempDir()
	t.Chdir(folder)
	t.Setenv("HOME", folder)
	need.Write(t, "site.yaml", `apiVersion: sipgen.airshipit.org/v1alpha1
kind: Site
metadata: {name: lab}
spec:
  repository: {url: ssh://git@git.example.org/fleet.git, branch: main}
  images: {jumpHost: "registry.example.org/jump-host:1"}
  hosts: {namespaces: [metal3]}
  tenants:
  - {name: good, specs: [specs/good], namespaces: [good], hosts: {max: 9}}
  - {name: evil, specs: [specs/evil], namespaces: [evil], hosts: {max: 99}, maxClusters: 99}
`)
	need.Write(t, "specs/good/g.yaml", "apiVersion: airship.airshipit.org/v1\nkind: SIPCluster\nmetadata: {namespace: good, name: g}\nspec: {nodes: {Worker: {labelSelector: {}, count: {active: 2}}}}\n")
	for where, spec := range forgeries(t) {
		content := need.Value(json.Marshal(spec))(t)
		need.Write(t, "specs/evil/"+where+".yaml", string(content))
	}
	quoted := need.Value(json.Marshal(forged))(t)
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
	need.Write(t, "hosts.yaml", hosts.String())
	git(t, "init", "-q", "--bare", "-b", "main", "r.git")
	in := []string{"--site", "site.yaml", "-f", "specs", "--inventory", "hosts.yaml"}
	seen := 0
	check := func(what, text string) {
		t.Helper()
		seen += strings.Count(text, "owned")
		assert.Empty(t, forges(what, text), what)
	}
	do := func(want int, args ...string) {
		t.Helper()
		code, out, said := ran(t, append(args, in...)...)
		require.Truef(t, code == want, "%q: exit code %d, want %d: %s", args, code, want, said)
		check(strings.Join(args, " "), out)
		check(strings.Join(args, " ")+": stderr", said)
	}
	for _, output := range []string{"table", "wide", "markdown", "html", "network"} {
		do(1, "plan", "-o", output)
	}
	do(1, "render", "--out", "tree")
	do(1, "publish", "--repo", "r.git")
	check("commit message", git(t, "-C", "r.git", "log", "--format=%B", "main"))
	for _, output := range []string{"human", "markdown"} {
		do(1, "diff", "--out", "none", "-o", output)
	}
	assert.Truef(t, seen >= 80, "the words were found %d times: this test looks at the wrong outputs", seen)
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
	assert.Truef(t,
		err == nil && bytes.Contains(plan, []byte("\n## evil/value\n")) && bytes.Count(plan,
			[]byte("\n## good/g\n")) == 1,
		"PLAN.md: %v: want a section of each cluster, and no other\n%s", err, plan)
	for _, path := range []string{"clusters/evil/G", "clusters/evil/" + forged} {
		assert.Truef(t, need.Err(os.Stat("tree/"+path)) != nil, "%q is in the tree", path)
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
		if strings.HasPrefix(strings.TrimLeft(line, "> "), "## good/g") && !strings.HasSuffix(what, "PLAN.md") &&
			!strings.Contains(what, "diff") {
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
