package ci

import (
	"encoding/json"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

// gitlabJob has the keywords of GitLab's "CI/CD YAML syntax reference" that the file uses; another one is an error.
type gitlabJob struct {
	Extends       string   `json:"extends"`
	Image         string   `json:"image"`
	Stage         string   `json:"stage"`
	Timeout       string   `json:"timeout"`
	Interruptible bool     `json:"interruptible"`
	Tags          []string `json:"tags"`
	BeforeScript  []string `json:"before_script"`
	Script        []string `json:"script"`
	Resource      string   `json:"resource_group"`
	Environment   struct {
		Name   string `json:"name"`
		Action string `json:"action"`
	} `json:"environment"`
	Rules []struct {
		If   string `json:"if"`
		When string `json:"when"`
	} `json:"rules"`
	Artifacts struct {
		When    string `json:"when"`
		Reports struct {
			CodeQuality string `json:"codequality"`
		} `json:"reports"`
	} `json:"artifacts"`
}

func (job *gitlabJob) shell() string {
	return strings.Join(slices.Concat(job.BeforeScript, job.Script), "\n")
}

// readGitLab reads the file strictly, and gives its variables, and every job with what it extends.
func readGitLab(t *testing.T) (map[string]string, map[string]gitlabJob) {
	t.Helper()
	return readGitLabFile(t, "sipgen.gitlab-ci.yml")
}

func readGitLabFile(t *testing.T, name string) (map[string]string, map[string]gitlabJob) {
	t.Helper()
	content := need.Read(t, "../../ci/gitlab/"+name)
	var parts map[string]any
	require.NoError(t, yaml.UnmarshalStrict(content, &parts))
	variables, jobs := map[string]string{}, map[string]gitlabJob{}
	strictly := func(part, into any) {
		require.NoError(t, yaml.UnmarshalStrict(need.Value(yaml.Marshal(part))(t), into))
	}
	strictly(parts["variables"], &variables)
	delete(parts, "variables")
	strictly(parts, &jobs)
	for name, job := range jobs {
		if job.Extends == "" {
			continue
		}
		base, found := jobs[job.Extends]
		require.Truef(t, found, "%s: extends: no %s", name, job.Extends)
		job.Image, job.BeforeScript = base.Image, base.BeforeScript
		jobs[name] = job
	}
	return variables, jobs
}

// gitlab runs a job as GitLab's runner does: all its lines in one shell that ends at the first that fails.
func (s *site) gitlab(t *testing.T, job gitlabJob, from string) (code int, log, checkout string) {
	t.Helper()
	checkout = filepath.Join(t.TempDir(), "project")
	run(t, "", nil, "git", "clone", "--quiet", from, checkout)
	run(t, checkout, nil, "git", "remote", "set-url", "origin", s.origin)
	env := maps.Clone(s.environment)
	env["CI_PROJECT_DIR"], env["SIPGEN_WORK"] = checkout, checkout+"/.sipgen-ci"
	env["CI_DEFAULT_BRANCH"], env["CI_PROJECT_URL"] = "main", strings.TrimSuffix(s.origin, ".git")
	env["CI_PROJECT_ID"], env["CI_MERGE_REQUEST_IID"] = "11", "7"
	code, log = shell(t, checkout, env, "bash", "-c", "set -eo pipefail\n"+job.shell())
	return code, log, checkout
}

// TestGitLabFile wants jobs that GitLab can read, that run when they should, and whose shell is POSIX shell without
// faults.
func TestGitLabFile(t *testing.T) {
	needs(t, "shellcheck")
	t.Parallel()
	variables, jobs := readGitLab(t)
	for name, job := range jobs {
		if strings.HasPrefix(name, ".") {
			continue
		}
		assert.Truef(t, len(job.Script) > 0 && len(job.Rules) > 0 && (job.Stage == "test" || job.Stage == "deploy"),
			"%s: script of %d lines, %d rules, stage %q", name, len(job.Script), len(job.Rules), job.Stage)
		// The runner's own settings, and the variables that the forge and the file set.
		head := "#!/bin/sh\nset -e\n: \"${CI_API_V4_URL:=} ${CI_PROJECT_ID:=} ${CI_MERGE_REQUEST_IID:=} ${CI_PROJECT_URL:=} " +
			"${CI_DEFAULT_BRANCH:=} ${CI_PROJECT_DIR:=}\"\n"
		for key := range variables {
			head += ": \"${" + key + ":=}\"\n"
		}
		file := filepath.Join(t.TempDir(), "job.sh")
		need.Write(t, file, head+job.shell())
		need.Output(t, exec.Command("shellcheck", file))
	}
	publish := jobs["sipgen-publish"]
	assert.Truef(t, publish.Resource != "" && publish.Environment.Name == "fleet",
		"sipgen-publish: resource_group %q, environment %q", publish.Resource, publish.Environment.Name)
	// Both forges take the same release.
	w := readWorkflow(t, "sipgen.yaml")
	for _, key := range []string{"SIPGEN_VERSION", "SIPGEN_SHA256", "SIPGEN_RELEASES", "SITE", "SPECS"} {
		assert.Equal(t, w.Env[key], variables[key], key)
	}
}

// TestGitLab follows merge requests as TestGitHub follows pull requests.
func TestGitLab(t *testing.T) {
	needs(t, "git", "curl", "jq")
	t.Parallel()
	s := newSite(t)
	_, jobs := readGitLab(t)
	f := &forge{comments: crowd(), bot: "project_11_bot", most: 1_000_000}
	s.environment["CI_API_V4_URL"], s.environment["SIPGEN_COMMENT_TOKEN"] = f.gitlab(t), token

	code, log, _ := s.gitlab(t, jobs["sipgen-lint"], s.checkout)
	assert.Truef(t, code == 0, "lint: exit %d\n%s", code, log)
	code, log, _ = s.gitlab(t, jobs["sipgen-plan"], s.checkout)
	require.Truef(t, code == 0 && !strings.Contains(log, token), "plan: exit %d\n%.4000s", code, log)
	first := f.only(t)
	wantWords(t, first.body, "2 clusters, 18 hosts assigned (18 new)", " files added")
	for _, want := range []string{"committed", "nothing to commit"} {
		code, log, _ := s.gitlab(t, jobs["sipgen-publish"], s.origin)
		require.Truef(t, code == 0 && strings.Contains(log, want) && s.commits(t) == 1,
			"publish: exit %d, %d commits\n%s", code, s.commits(t), log)
	}

	// The merge request asks for more than there is.
	s.change(t, "tenants/edge-a.yaml", "active: 4", "active: 50")
	s.change(t, "tenants/edge-a.yaml", "active: 3", "active: 2") // an even number of control planes
	s.git(t, "commit", "--quiet", "-am", "too many")
	code, _, checkout := s.gitlab(t, jobs["sipgen-lint"], s.checkout)
	assert.Equal(t, 1, code, "lint: exit")
	checkCodeQuality(t, filepath.Join(checkout, jobs["sipgen-lint"].Artifacts.Reports.CodeQuality))
	code, log, _ = s.gitlab(t, jobs["sipgen-plan"], s.checkout)
	assert.Truef(t, code == 1, "plan: exit %d\n%.4000s", code, log)
	second := f.only(t)
	wantWords(t, second.body, "the rest is published", ": tenant-a/edge-a Worker needs 45 more")
	assert.Equal(t, second.id, first.id, "comment")
	// A job of a commit that is not merged publishes what main has, however it was started.
	code, log, _ = s.gitlab(t, jobs["sipgen-publish"], s.checkout)
	assert.Truef(t, code == 0 && s.commits(t) == 1 && strings.Contains(log, "nothing to commit"),
		"publish: exit %d, %d commits\n%s", code, s.commits(t), log)

	// A file that cannot be read.
	s.write(t, "tenants/edge-a.yaml", "/close\n@all: {")
	s.git(t, "commit", "--quiet", "-am", "broken")
	for _, job := range []string{"sipgen-lint", "sipgen-plan"} {
		code, _, _ := s.gitlab(t, jobs[job], s.checkout)
		assert.Equal(t, 1, code, job+": exit")
	}
	wantWords(t, f.only(t).body, "**A cluster is frozen or short", "its spec is not among the inputs")
}

// checkCodeQuality wants what GitLab's "Code Quality report format" asks of every finding.
func checkCodeQuality(t *testing.T, path string) {
	t.Helper()
	content := need.Read(t, path)
	var findings []struct {
		Description, Fingerprint, Severity string
		CheckName                          string `json:"check_name"`
		Location                           struct {
			Path  string
			Lines struct{ Begin int }
		}
	}
	require.NoError(t, json.Unmarshal(content, &findings))
	seen := map[string]bool{}
	for _, f := range findings {
		assert.NotEmpty(t, f.Description, f)
		assert.Contains(t, []string{"SIP024", "SIP025"}, f.CheckName)
		assert.Equal(t, "minor", f.Severity)
		assert.Equal(t, "tenants/edge-a.yaml", f.Location.Path)
		assert.GreaterOrEqual(t, f.Location.Lines.Begin, 1)
		assert.NotEmpty(t, f.Fingerprint, f)
		assert.Falsef(t, seen[f.Fingerprint], "twice: %+v", f)
		seen[f.Fingerprint] = true
	}
	assert.Truef(t, len(findings) != 0, "no findings")
}
