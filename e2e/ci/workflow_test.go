package ci

import (
	"encoding/json"
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestWorkflowsAreValid asks actionlint, which asks shellcheck about every step.
func TestWorkflowsAreValid(t *testing.T) {
	needs(t, "shellcheck")
	t.Parallel()
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	own, err := filepath.Glob(filepath.Join(root, ".github", "workflows", "*.yaml"))
	require.Truef(t, err == nil && len(own) >= 3, "found %q, %v", own, err)
	lint := exec.Command("go", append([]string{"tool", "-modfile=" + root + "/tools/go.mod", "actionlint",
		"ci/github/sipgen.yaml", "ci/github/snapshot.yaml", "ci/github/fleet.yaml",
		"ci/same-repository/github.yaml"}, own...)...)
	lint.Dir = root
	need.Output(t, lint)
}

// TestJobsMayLittle wants the rights that docs/ci.md lists, and no more.
func TestJobsMayLittle(t *testing.T) {
	sipgen, snapshot := readWorkflow(t, "sipgen.yaml"), readWorkflow(t, "snapshot.yaml")
	plan := map[string]string{"contents": "read", "pull-requests": "write", "security-events": "write"}
	assert.Equal(t, plan, sipgen.Jobs["plan"].Permissions, "plan")
	assert.Equal(t, map[string]string{"contents": "read"}, sipgen.Jobs["publish"].Permissions, "publish")
	assert.Equal(t, map[string]string{"contents": "write"}, snapshot.Jobs["snapshot"].Permissions, "snapshot")
	for _, w := range []*workflow{sipgen, snapshot} {
		assert.Equal(t, map[string]string{}, w.Permissions, "permissions of the workflow")
	}
	publish := sipgen.Jobs["publish"]
	assert.Truef(t,
		publish.Environment == "fleet" && publish.Concurrency.Group != "" && !publish.Concurrency.CancelInProgress,
		"publish: environment %q, concurrency %+v", publish.Environment, publish.Concurrency)
	assert.EqualValues(t, "main", publish.Steps[0].With["ref"], "publish checks out")
	// What is written twice stays the same.
	install := sipgen.Jobs["plan"].Steps[1].Run
	assert.Equal(t, install, publish.Steps[1].Run, "the jobs install sipgen")
	assert.Equal(t, install, snapshot.Jobs["snapshot"].Steps[1].Run, "the jobs install sipgen")
	// In a merge queue the plan reports, where it may be required, and nothing is published.
	_, queued := sipgen.On["merge_group"]
	assert.Truef(t, queued, "on: found %v, want merge_group", sipgen.On)
	assert.Contains(t, sipgen.Jobs["plan"].If, "github.event_name == 'merge_group'", "plan: if")
	assert.Contains(t, publish.If, "&& github.ref == 'refs/heads/main'", "publish: if")
}

// TestGitHub follows pull requests from the first plan to what is published, and back.
func TestGitHub(t *testing.T) {
	needs(t, "git", "gh", "curl", "shellcheck")
	t.Parallel()
	g, w := newGitHub(t), readWorkflow(t, "sipgen.yaml")
	f := g.forge(t, crowd()...)

	// The first plan: everything is new.
	r := g.job(t, w, "plan")
	require.Truef(t, !r.failed && r.outcome["Comment"] == "success", "%v\n%.4000v", r.outcome, r.log)
	first := f.only(t)
	wantWords(t, first.body, "2 clusters, 18 hosts assigned (18 new)", "| vino-system/r1n1-cp | ControlPlane |",
		" files added")
	wantWords(t, r.summary, "18 hosts assigned")

	// Merged, it is published once.
	for _, want := range []string{"committed", "nothing to commit"} {
		r = g.job(t, w, "publish")
		require.Truef(t, !r.failed && g.commits(t) == 1 && strings.Contains(r.log["Publish"], want),
			"%v, %d commits\n%s", r.outcome, g.commits(t), r.log["Publish"])
	}

	// The next push changes the comment that is there: decisions that were published are kept.
	g.change(t, "tenants/edge-a.yaml", "active: 4", "active: 5")
	g.git(t, "commit", "--quiet", "-am", "another worker")
	r = g.job(t, w, "plan")
	require.Truef(t, !r.failed, "%v\n%.4000v", r.outcome, r.log)
	second := f.only(t)
	wantWords(t, second.body, "19 hosts assigned (1 new", "### Hosts")
	assert.Truef(t, second.id == first.id && !strings.Contains(second.body, "18 new"), "comment %d, then %d:\n%s",
		first.id, second.id, second.body)

	// More than there is: the comment says so, and the job fails as sipgen does. The rest is published.
	g.change(t, "tenants/edge-a.yaml", "active: 5", "active: 50")
	g.change(t, "tenants/edge-a.yaml", "active: 3", "active: 2") // an even number of control planes
	g.commit(t)
	r = g.job(t, w, "plan")
	assert.Truef(t, r.outcome["plan"] == "exit 1" && r.outcome["Lint"] == "exit 1", "%v", r.outcome)
	assert.Contains(t, r.log["Lint"], "::warning file=tenants/edge-a.yaml,line=", "lint")
	wantWords(t, f.only(t).body, "the rest is published", ": tenant-a/edge-a Worker needs 45 more")
	r = g.job(t, w, "publish")
	assert.Truef(t, r.outcome["Publish"] == "exit 1" && g.commits(t) == 2, "%v, %d commits", r.outcome, g.commits(t))

	// What cannot be read freezes its cluster, in the comment too, at its line.
	g.change(t, "tenants/edge-a.yaml", "active: 2", "active: 3")
	g.change(t, "tenants/edge-a.yaml", "active: 50", "active: \"</details> @everyone ``` /close\"")
	g.commit(t)
	assert.Equal(t, "exit 1", g.job(t, w, "plan").outcome["plan"], "plan")
	wantWords(t, f.only(t).body, "**A cluster is frozen or short",
		"edge-a.yaml: spec.nodes.Worker.count.active: found a string")
	r = g.job(t, w, "publish")
	assert.Truef(t, r.outcome["Publish"] == "exit 1" && g.commits(t) == 3, "%v, %d commits", r.outcome, g.commits(t))
}

// TestGitHubFork wants no comment where the job may not write one, and the plan on its page.
func TestGitHubFork(t *testing.T) {
	needs(t, "git", "gh", "curl")
	t.Parallel()
	g := newGitHub(t)
	f := g.forge(t)
	g.fork, g.scanning = true, true
	r := g.job(t, readWorkflow(t, "sipgen.yaml"), "plan")
	assert.Truef(t, !r.failed && r.outcome["Comment"] == "skipped" && len(f.all()) == 0, "%v, %d comments", r.outcome,
		len(f.all()))
	wantWords(t, r.summary, "18 hosts assigned")
	var sarif struct{ Version string }
	require.NoError(t, json.Unmarshal(need.Read(t, filepath.Join(r.temp, "sipgen.sarif")), &sarif))
	assert.Equal(t, "2.1.0", sarif.Version, "sipgen.sarif")
}

// TestGitHubLongPlan wants a comment that GitHub takes whatever the plan's size: what it leaves out is counted by what
// becomes of it, and is in the log.
func TestGitHubLongPlan(t *testing.T) {
	needs(t, "git", "gh", "curl")
	t.Parallel()
	g, w := newGitHub(t), readWorkflow(t, "sipgen.yaml")
	f := g.forge(t)
	var hosts strings.Builder
	for i := range 1500 {
		fmt.Fprintf(&hosts, `---
apiVersion: metal3.io/v1alpha1
kind: BareMetalHost
metadata:
  namespace: vino-system
  name: extra-%04[1]d
  uid: 00000000-0000-4000-8000-00000000%04[1]d
  labels: {vino.airshipit.org/flavor: worker, vino.airshipit.org/node: extra-%04[1]d, vino.airshipit.org/rack: r%[4]d}
  annotations: {sip.airshipit.org/address.oam-ipv4: 10.50.%[2]d.%[3]d}
spec: {online: true, bmc: {address: 'ipmi://10.60.%[2]d.%[3]d', credentialsName: extra-%04[1]d-bmc}}
`, i, i/250, i%250+1, 100+i/2)
	}
	g.write(t, "hosts/extra.yaml", hosts.String())
	g.change(t, "site.yaml", "spec:\n", "spec:\n  maxHostsPerTenant: 2000\n")
	g.change(t, "tenants/edge-a.yaml", "active: 4", "active: 1400")
	g.commit(t)
	r := g.job(t, w, "plan")
	require.Truef(t, !r.failed, "%v\n%.4000v", r.outcome, r.log)
	body := f.only(t).body
	assert.Contains(t, r.log["plan"], "vino-system/extra-1390", "the log")
	wantWords(t, body, "more changed hosts that do not fit here", " new; sipgen plan --all shows them all",
		"files added", " BareMetalHosts")
	assert.NotContains(t, body, "vino-system/extra-1390", "the job cuts what sipgen has fitted in")
	assert.NotContains(t, body, "more lines: see the log of this job", "the job cuts what sipgen has fitted in")
	assert.Equal(t, strings.Count(body, "</details>"), strings.Count(body, "<details>"),
		"parts that can be opened have an end")
}

// TestGitHubWrongSum wants nothing to run that is not the release that somebody has looked at.
func TestGitHubWrongSum(t *testing.T) {
	needs(t, "git", "gh", "curl")
	t.Parallel()
	g, w := newGitHub(t), readWorkflow(t, "sipgen.yaml")
	g.environment["SIPGEN_SHA256"] = w.Env["SIPGEN_SHA256"]
	for _, job := range slices.Sorted(maps.Keys(w.Jobs)) {
		r := g.job(t, w, job)
		for name, outcome := range r.outcome {
			assert.Truef(t, outcome != "success", "%s: %s ran", job, name)
		}
		assert.Truef(t, r.failed, "%s: an archive with another sum was taken", job)
	}
}

// wantWords looks for words, however they are quoted.
func wantWords(t *testing.T, text string, words ...string) {
	t.Helper()
	text = strings.ReplaceAll(text, "`", "")
	for _, word := range words {
		assert.Contains(t, text, word)
	}
}
