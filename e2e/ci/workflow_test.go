package ci

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"sigs.k8s.io/yaml"

	"github.com/airshipit/sipgen/hack/need"
)

// TestWorkflowsAreValid asks actionlint, which asks shellcheck about every step.
func TestWorkflowsAreValid(t *testing.T) {
	needs(t, "shellcheck")
	t.Parallel()
	root, err := filepath.Abs("../..")
	need.OK(t, err)
	own, err := filepath.Glob(filepath.Join(root, ".github", "workflows", "*.yaml"))
	need.Must(t, err == nil && len(own) >= 3, "found %q, %v", own, err)
	lint := exec.Command("go", append([]string{"tool", "-modfile=" + root + "/tools/go.mod", "actionlint", "ci/github/sipgen.yaml", "ci/github/snapshot.yaml",
		"ci/same-repository/github.yaml"}, own...)...)
	lint.Dir = root
	need.Output(t, lint)
}

// TestJobsMayLittle wants the rights that docs/ci.md lists, and no more.
func TestJobsMayLittle(t *testing.T) {
	sipgen, snapshot := readWorkflow(t, "sipgen.yaml"), readWorkflow(t, "snapshot.yaml")
	for _, row := range []struct {
		job  *githubJob
		want map[string]string
	}{
		{sipgen.Jobs["plan"], map[string]string{"contents": "read", "pull-requests": "write", "security-events": "write"}},
		{sipgen.Jobs["publish"], map[string]string{"contents": "read"}},
		{snapshot.Jobs["snapshot"], map[string]string{"contents": "write"}},
	} {
		need.That(t, maps.Equal(row.job.Permissions, row.want), "permissions: found %v, want %v", row.job.Permissions, row.want)
	}
	for _, w := range []*workflow{sipgen, snapshot} {
		need.That(t, w.Permissions != nil && len(w.Permissions) <= 0,
			"permissions of the workflow: found %v, want none", w.Permissions)
	}
	publish := sipgen.Jobs["publish"]
	need.That(t, publish.Environment == "fleet" && publish.Concurrency.Group != "" && !publish.Concurrency.CancelInProgress,
		"publish: environment %q, concurrency %+v", publish.Environment, publish.Concurrency)
	need.Equal(t, "publish checks out", publish.Steps[0].With["ref"], "main")
	// What is written twice stays the same.
	if one, two, three := sipgen.Jobs["plan"].Steps[1].Run, publish.Steps[1].Run, snapshot.Jobs["snapshot"].Steps[1].Run; one != two || one != three {
		t.Error("the jobs install sipgen in different ways")
	}
}

// TestMergeQueue: the job plan reports in a merge queue, where it may be required; nothing is published from there.
func TestMergeQueue(t *testing.T) {
	t.Parallel()
	content := need.Read(t, filepath.Join("..", "..", "ci", "github", "sipgen.yaml"))
	var w struct {
		On   map[string]any `json:"true"` // a boolean to YAML 1.1
		Jobs map[string]map[string]any
	}
	need.OK(t, yaml.Unmarshal(content, &w))
	if _, found := w.On["merge_group"]; !found {
		t.Errorf("on: found %v, want merge_group", w.On)
	}
	need.Words(t, "plan: if: found", fmt.Sprint(w.Jobs["plan"]["if"]), "github.event_name == 'merge_group'")
	if found := fmt.Sprint(w.Jobs["publish"]["if"]); !strings.Contains(found, "&& github.ref == 'refs/heads/main'") {
		t.Errorf("publish: if: found %s, want main alone", found)
	}
}

// TestGitHub follows pull requests from the first plan to what is published, and back.
func TestGitHub(t *testing.T) {
	needs(t, "git", "gh", "curl", "shellcheck")
	t.Parallel()
	g, w := newGitHub(t), readWorkflow(t, "sipgen.yaml")
	f := &forge{bot: "github-actions[bot]", most: 65_536}
	g.environment["GH_CONFIG_DIR"] = f.github(t)
	f.crowd(150, "<!-- sipgen plan: site.yaml -->\nsomebody quotes the comment")

	// The first plan: everything is new.
	r := g.job(t, w, "plan")
	need.Must(t, !r.failed && r.outcome["Comment"] == "success", "%v\n%.4000v", r.outcome, r.log)
	first := f.only(t)
	wantWords(t, first.body, "2 clusters, 18 hosts assigned (18 new)", "| vino-system/r1n1-cp | ControlPlane |", " files added")
	wantWords(t, r.summary, "18 hosts assigned")

	// Merged, it is published once.
	if r = g.job(t, w, "publish"); r.failed || g.commits(t) != 1 {
		t.Fatalf("%v, %d commits\n%s", r.outcome, g.commits(t), r.log["Publish"])
	}
	if r = g.job(t, w, "publish"); r.failed || g.commits(t) != 1 || !strings.Contains(r.log["Publish"], "nothing to commit") {
		t.Errorf("published again: %v, %d commits\n%s", r.outcome, g.commits(t), r.log["Publish"])
	}

	// The next push changes the comment that is there: decisions that were published are kept.
	g.change(t, "tenants/edge-a.yaml", "active: 4", "active: 5")
	g.git(t, "commit", "--quiet", "-am", "another worker")
	if r = g.job(t, w, "plan"); r.failed {
		t.Fatalf("%v\n%.4000v", r.outcome, r.log)
	}
	second := f.only(t)
	wantWords(t, second.body, "19 hosts assigned (1 new", "### Hosts")
	need.That(t, second.id == first.id && !strings.Contains(second.body, "18 new"),
		"comment %d, then %d:\n%s", first.id, second.id, second.body)

	// More than there is: the comment says so, and the job fails as sipgen does. The rest is published.
	g.change(t, "tenants/edge-a.yaml", "active: 5", "active: 50")
	g.change(t, "tenants/edge-a.yaml", "active: 3", "active: 2") // an even number of control planes
	g.commit(t)
	r = g.job(t, w, "plan")
	need.That(t, r.outcome["plan"] == "exit 1" && r.outcome["Lint"] == "exit 1" && strings.Contains(r.log["Lint"], "::warning file=tenants/edge-a.yaml,line="),
		"%v\n%s", r.outcome, r.log["Lint"])
	wantWords(t, f.only(t).body, "the rest is published", ": tenant-a/edge-a Worker needs 45 more")
	if r = g.job(t, w, "publish"); r.outcome["Publish"] != "exit 1" || g.commits(t) != 2 {
		t.Errorf("%v, %d commits", r.outcome, g.commits(t))
	}

	// What cannot be read freezes its cluster, in the comment too, at its line.
	g.change(t, "tenants/edge-a.yaml", "active: 2", "active: 3")
	g.change(t, "tenants/edge-a.yaml", "active: 50", "active: \"</details> @everyone ``` /close\"")
	g.commit(t)
	if r = g.job(t, w, "plan"); r.outcome["plan"] != "exit 1" {
		t.Errorf("%v", r.outcome)
	}
	wantWords(t, f.only(t).body, "**A cluster is frozen or short", "edge-a.yaml: spec.nodes.Worker.count.active: found a string")
	if r = g.job(t, w, "publish"); r.outcome["Publish"] != "exit 1" || g.commits(t) != 3 {
		t.Errorf("%v, %d commits", r.outcome, g.commits(t))
	}
}

// TestGitHubFork wants no comment where the job may not write one, and the plan on its page.
func TestGitHubFork(t *testing.T) {
	needs(t, "git", "gh", "curl")
	t.Parallel()
	g := newGitHub(t)
	f := &forge{bot: "github-actions[bot]", most: 65_536}
	g.environment["GH_CONFIG_DIR"], g.fork, g.scanning = f.github(t), true, true
	r := g.job(t, readWorkflow(t, "sipgen.yaml"), "plan")
	if r.failed || r.outcome["Comment"] != "skipped" || len(f.all()) > 0 {
		t.Errorf("%v, %d comments", r.outcome, len(f.all()))
	}
	wantWords(t, r.summary, "18 hosts assigned")
	findings, err := os.ReadFile(filepath.Join(r.temp, "sipgen.sarif"))
	var sarif struct{ Version string }
	if err == nil {
		err = json.Unmarshal(findings, &sarif)
	}
	need.That(t, err == nil && sarif.Version == "2.1.0", "sipgen.sarif: version %q, %v", sarif.Version, err)
}

// TestGitHubLongPlan wants a comment that GitHub takes whatever the plan's size: what it leaves out is counted by what becomes of it, and is in the log.
func TestGitHubLongPlan(t *testing.T) {
	needs(t, "git", "gh", "curl")
	t.Parallel()
	g, w := newGitHub(t), readWorkflow(t, "sipgen.yaml")
	f := &forge{bot: "github-actions[bot]", most: 65_536}
	g.environment["GH_CONFIG_DIR"] = f.github(t)
	g.big(t, 1500)
	g.change(t, "tenants/edge-a.yaml", "active: 4", "active: 1400")
	g.commit(t)
	r := g.job(t, w, "plan")
	need.Must(t, !r.failed, "%v\n%.4000v", r.outcome, r.log)
	body := f.only(t).body
	if last := "vino-system/extra-1390"; strings.Contains(body, last) || !strings.Contains(r.log["plan"], last) {
		t.Errorf("%s: want it in the log and not in the comment", last)
	}
	if n := utf8.RuneCountInString(body); n < 20_000 || n > 65_536 {
		t.Errorf("%d characters", n)
	}
	wantWords(t, body, "more changed hosts that do not fit here", " new; sipgen plan --all shows them all", "files added", " BareMetalHosts")
	need.Without(t, "the job cuts what sipgen has fitted in", body, "more lines: see the log of this job")
	need.That(t, strings.Count(body, "<details>") == strings.Count(body, "</details>"), "a part that can be opened has no end")
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
			need.That(t, outcome != "success", "%s: %s ran", job, name)
		}
		need.That(t, r.failed, "%s: an archive with another sum was taken", job)
	}
}

// wantWords looks for words, however they are quoted.
func wantWords(t *testing.T, text string, words ...string) {
	t.Helper()
	text = strings.ReplaceAll(text, "`", "")
	need.Words(t, "", text, words...)
}
