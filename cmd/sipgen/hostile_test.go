package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
)

// hostile is what somebody could write into a label, an annotation, a network's name, a status or a file's name to have the reader's
// terminal or CI system do something.
const hostile = "x\x1b]0;owned\x07\x1b[31m\n::error::owned\r##[error]owned ##vso[task.complete]\u2028::add-mask::x\u202eowned\u2066\u009b31m\u0085\u200b"

// TestOutputsAreTextOnly has hostile words wherever an inventory and a spec take words from outside, and every command print what is for
// people: nothing steers a terminal, no line is a command of a CI system, and no word from outside begins a line.
func TestOutputsAreTextOnly(t *testing.T) {
	folder := t.TempDir()
	t.Chdir(folder)
	t.Setenv("HOME", folder)
	quoted := fmt.Sprintf("%q", hostile) // the escapes of Go are those of JSON here
	quoted = strings.NewReplacer(`\x1b`, `\u001b`, `\a`, `\u0007`).Replace(quoted)
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(strings.ReplaceAll(text, "HOSTILE", quoted)), 0o600); err != nil {
			t.Fatal(err)
		}
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
			[]string{"OK", "error", "OK", "HOSTILE"}[i], []string{"available", "available", "HOSTILE", "available"}[i], []string{`""`, "HOSTILE", `""`, "HOSTILE"}[i],
			// Two hosts with one of these would not be handed out.
			[]string{"u-0", "u-1", "HOSTILE", "u-3"}[i], []string{"m-0", "HOSTILE", "m-2", "m-3"}[i], []string{"b-0", "b-1", "HOSTILE", "b-3"}[i])
	}
	all := strings.ReplaceAll(hosts.String(), "  consumerRef: {apiVersion: HOSTILE, kind: HOSTILE, namespace: HOSTILE, name: HOSTILE}\n", "")
	write("free.yaml", all)
	write("used.yaml", hosts.String())
	write("labels.yaml", strings.ReplaceAll(all, "labels: {size", "labels: {HOSTILE: HOSTILE, size"))
	write("folder/a\x1b[31m\n::error::b\u202e.yaml", "apiVersion: metal3.io/v1alpha1\nkind: BareMetalHost\nmetadata: {name: HOSTILE}\nspec: {HOSTILE: HOSTILE}\n")
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
	write("bad.yaml", fmt.Sprintf(spec, ", labels: {HOSTILE: HOSTILE}, annotations: {HOSTILE: HOSTILE}", 1)+"HOSTILE: HOSTILE\n")
	write("dir/specs\x1b[2J\n##[error]\u2028.yaml", fmt.Sprintf(spec, "", 1)+"HOSTILE: HOSTILE\n")
	seen, runs := 0, 0
	run := func(args ...string) {
		t.Helper()
		var stdout, stderr bytes.Buffer
		code := run(context.Background(), args, strings.NewReader(""), &stdout, &stderr)
		runs++
		for from, text := range map[string]string{"stdout": stdout.String(), "stderr": stderr.String()} {
			seen += strings.Count(text, "owned")
			if problem := steers(text); problem != "" {
				t.Errorf("%q: exit code %d: %s: %s", args, code, from, problem)
			}
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
	run("publish", "--site", "site.yaml", "-f", "good.yaml", "--inventory", "free.yaml", "--repo", hostile, "--branch", hostile)
	if seen < runs/2 {
		t.Errorf("the words were printed %d times in %d runs: this test looks at the wrong outputs", seen, runs)
	}
}

// steers says what in a text is more than text.
func steers(text string) string {
	for _, r := range text {
		if r != '\n' && (unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)) {
			return fmt.Sprintf("%U in %q", r, around(text, string(r)))
		}
	}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimSpace(line), "::") || strings.Contains(line, "##[") || strings.Contains(line, "##vso[") {
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
