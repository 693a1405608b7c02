package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"sigs.k8s.io/yaml"

	"github.com/airshipit/sipgen/cmd/sipgen/internal/cmdline"
	"github.com/airshipit/sipgen/cmd/sipgen/internal/push"
	"github.com/airshipit/sipgen/cmd/sipgen/internal/terminal"
	"github.com/airshipit/sipgen/internal/app"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/internal/report"
	"github.com/airshipit/sipgen/inventory/files"
	"github.com/airshipit/sipgen/publish"
)

// hostsDo plays metal3, Cluster API's provider for it, and the people at the racks, for hosts in a file:
//
//	hosts FILE state STATE HOST…            metal3 brings hosts into a provisioning state
//	hosts FILE fails HOST MESSAGE           metal3 cannot work with a host any more
//	hosts FILE repaired HOST
//	hosts FILE taken HOST MACHINE           the provider consumes a host that it may choose
//	hosts FILE let-go HOST                  the provider's machine is gone, and the host is clean again
//	hosts FILE unhealthy HOST               the provider's remediation gave a host up
//	hosts FILE labeled HOST NAMESPACE/NAME/ROLE  somebody else labels a host, as the SIP operator did
//	hosts FILE gone HOST                    somebody deletes a host
func hostsDo(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: hosts FILE VERB ARGUMENT…")
	}
	file, verb, names := ts.MkAbs(args[0]), args[1], args[2:]
	var state, word string
	switch verb {
	case "state":
		state, names = names[0], names[1:]
	case "fails", "taken", "labeled":
		names, word = names[:1], names[1]
	}
	docs, err := manifest.Read([]string{file}, nil)
	ts.Check(err)
	done := 0
	var out []string
	for _, doc := range docs {
		var host map[string]any
		ts.Check(yaml.Unmarshal(doc.JSON, &host))
		for _, name := range names {
			if doc.Name != name {
				continue
			}
			done++
			if verb == "gone" {
				host = nil
				break
			}
			ts.Check(changeHost(host, verb, state, word))
		}
		if host != nil {
			text, err := yaml.Marshal(host)
			ts.Check(err)
			out = append(out, string(text))
		}
	}
	if done != len(names) {
		ts.Fatalf("%s: %d of the hosts %v are in it", args[0], done, names)
	}
	ts.Check(os.WriteFile(file, []byte(strings.Join(out, "---\n")), 0o644))
}

// changeHost does to one host what hostsDo says. See github.com/metal3-io/cluster-api-provider-metal3, baremetal/metal3machine_manager.go:
// chooseHost, setHostSpec, Delete.
func changeHost(host map[string]any, verb, state, word string) error {
	metadata, spec, status := host["metadata"].(map[string]any), host["spec"].(map[string]any), host["status"].(map[string]any)
	provisioning := status["provisioning"].(map[string]any)
	labels, _ := metadata["labels"].(map[string]any)
	switch verb {
	case "state":
		provisioning["state"] = state
	case "fails":
		status["operationalStatus"], status["errorType"], status["errorMessage"] = "error", "power management error", word
	case "repaired":
		delete(metadata["annotations"].(map[string]any), "capm3.metal3.io/unhealthy")
		status["operationalStatus"], status["errorMessage"] = "OK", ""
		delete(status, "errorType")
	case "taken":
		switch {
		case labels["sip.airshipit.org/cluster-name"] == nil || labels["sip.airshipit.org/standby"] == "true":
			return fmt.Errorf("%s: labels %v: no hostSelector of sipgen's matches it", metadata["name"], labels)
		case spec["consumerRef"] != nil || provisioning["state"] != "available" || status["errorMessage"] != "":
			return fmt.Errorf("%s: the provider takes only available hosts without error", metadata["name"])
		}
		spec["consumerRef"] = map[string]any{
			"apiVersion": "infrastructure.cluster.x-k8s.io/v1beta1", "kind": "Metal3Machine", "namespace": metadata["namespace"], "name": word,
		}
		spec["image"] = map[string]any{"url": "http://images.example.org/node.qcow2"}
		spec["networkData"] = map[string]any{"namespace": metadata["namespace"], "name": word + "-networkdata"}
		spec["online"] = true
		provisioning["state"] = "provisioned"
	case "let-go":
		if spec["consumerRef"] == nil {
			return fmt.Errorf("%s: nobody consumes it", metadata["name"])
		}
		for _, field := range []string{"consumerRef", "image", "networkData"} {
			delete(spec, field)
		}
		provisioning["state"] = "available"
	case "labeled":
		parts := strings.Split(word, "/")
		for i, key := range []string{"cluster-namespace", "cluster-name", "node-type"} {
			labels["sip.airshipit.org/"+key] = parts[i]
		}
	case "unhealthy":
		annotations := metadata["annotations"].(map[string]any)
		annotations["capm3.metal3.io/unhealthy"] = ""
	default:
		return fmt.Errorf("verb %q", verb)
	}
	return nil
}

// readAtStep publishes to fleet.git and writes what a reviewer has of it into a file: what plan prints, the pull request's body, the commit's
// message, and what changes in PLAN.md: step FILE SIPGEN-FLAG…
func readAtStep(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: step FILE SIPGEN-FLAG…")
	}
	var out strings.Builder
	section := func(title, text string) {
		if text = strings.TrimRight(text, "\n"); text != "" {
			fmt.Fprintf(&out, "=== %s\n%s\n", title, text)
		}
	}
	sipgen := func(command string, args ...string) string {
		answer := inWorker(ts, append([]string{command}, args...))
		said := ageLine.ReplaceAllString(answer.Stdout+answer.Stderr, "")
		if answer.Code != 0 {
			said += fmt.Sprintf("exit status %d\n", answer.Code)
		}
		return said
	}
	git := func(args ...string) string {
		ts.Check(ts.Exec("git", append([]string{"-C", "fleet.git"}, args...)...))
		return ts.ReadFile("stdout")
	}
	// Read after everything that was committed: whole seconds is what commits have.
	live, err := files.Load([]string{ts.MkAbs("hosts")}, nil)
	ts.Check(err)
	live.TakenAt, live.Context = time.Now().Add(2*time.Second), "management"
	var snapshot bytes.Buffer
	ts.Check(files.WriteSnapshot(&snapshot, live))
	ts.Check(os.WriteFile(ts.MkAbs("snapshot.yaml"), snapshot.Bytes(), 0o644))
	before := git("rev-parse", "main")
	accept := app.NoAcceptance
	switch {
	case len(args) == 3 && args[1] == "--accept-loss":
		_, err := fmt.Sscan(args[2], &accept)
		ts.Check(err)
		fallthrough
	default:
		section("plan", sipgen("plan"))
	}
	body, err := pullRequestBody(ts.MkAbs("site.yaml"), ts.MkAbs("fleet.git"), accept)
	if err == nil {
		section("pull request", body)
	} else {
		section("no pull request", err.Error())
	}
	said := sipgen("publish", args[1:]...)
	if git("rev-parse", "main") == before {
		section("no commit", regexp.MustCompile("[0-9a-f]{40}").ReplaceAllString(said, "COMMIT"))
	} else {
		section("commit", withoutDigests(git("log", "-1", "--format=%B", "main")))
		var changed []string
		for _, line := range strings.Split(git("show", "--format=", "-U0", "main", "--", "PLAN.md"), "\n") {
			if !strings.HasPrefix(line, "---") && !strings.HasPrefix(line, "+++") && (strings.HasPrefix(line, "-") || strings.HasPrefix(line, "+")) && len(line) > 1 {
				changed = append(changed, line)
			}
		}
		section("PLAN.md", strings.Join(changed, "\n"))
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(out.String()), 0o644))
	// The engine comes next: what is in git gets onto the hosts.
	ts.Check(os.RemoveAll(ts.MkAbs("tree")))
	ts.Check(ts.Exec("git", "clone", "--quiet", "fleet.git", "tree"))
}

var ageLine = regexp.MustCompile(`(?m)^sipgen: the inventory is .* old .*\n`)

// pullRequestBody is the body that a forge is given for what a site's main branch would become.
func pullRequestBody(site, repo string, accept int) (string, error) {
	dir := filepath.Dir(site)
	in := cmdline.Inputs{Inputs: app.Inputs{Site: site, Specs: []string{filepath.Join(dir, "specs")}, Inventory: filepath.Join(dir, "snapshot.yaml")}}
	var said bytes.Buffer
	quiet := &terminal.UI{In: strings.NewReader(""), Out: io.Discard, Err: &said}
	loaded, err := in.Load(context.Background(), quiet)
	if err != nil {
		return "", err
	}
	tip, err := publish.Read(context.Background(), publish.Target{URL: repo, Branch: "main"})
	if err != nil {
		return "", err
	}
	checked, err := tree(quiet, loaded, app.Before{Where: "fleet.git main", Files: tip.Tree, Committed: tip.When}, app.Tolerance{AcceptLoss: accept})
	if err != nil {
		return "", fmt.Errorf("%w\n%s", err, said.String())
	}
	changes := publish.Diff(tip.Tree, checked.Rendered.Tree)
	if len(changes) == 0 {
		return "", nil
	}
	files := push.About(loaded, changes, publish.Meta{}, "").Files
	return report.PullRequest(checked.Rendered.Compare(), report.About{Files: files, Inventory: "management, was 1s old"}), nil
}

// withoutDigests leaves out what a commit was made from, by what and when.
func withoutDigests(message string) string {
	var lines []string
	for _, line := range strings.Split(message, "\n") {
		if !strings.Contains(line, "-Digest: ") && !strings.Contains(line, "Sipgen-Version: ") && !strings.HasPrefix(line, "Inventory: ") {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}
