package ci

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

// workflow is what the runner below understands of a GitHub Actions workflow.
type workflow struct {
	On          map[string]any `json:"true"` // a boolean to YAML 1.1
	Permissions map[string]string
	Env         map[string]string
	Jobs        map[string]*githubJob
}

type githubJob struct {
	If          string
	RunsOn      string `json:"runs-on"`
	Environment string
	Permissions map[string]string
	Concurrency struct {
		Group            string
		CancelInProgress bool `json:"cancel-in-progress"`
	}
	Steps []githubStep
}

type githubStep struct {
	ID, Name, If, Uses, Run string
	With, Env               map[string]any
}

func readWorkflow(t *testing.T, name string) *workflow {
	t.Helper()
	var w workflow
	require.NoError(t, yaml.Unmarshal(need.Read(t, "../../ci/github/"+name), &w))
	return &w
}

// github is GitHub as the steps of a job see it.
type github struct {
	*site
	// expressions that step environments have, with their values.
	expressions map[string]string
	fork        bool
	scanning    bool
}

func newGitHub(t *testing.T) *github {
	return &github{site: newSite(t), expressions: map[string]string{
		"github.token":                     token,
		"github.event.pull_request.number": "7",
		"secrets.FLEET_READ_TOKEN":         "", "secrets.FLEET_READ_TOKEN && 'x-access-token'": "",
		"secrets.FLEET_TOKEN": "", "secrets.FLEET_TOKEN && 'x-access-token'": "",
	}}
}

// result is what became of a job.
type result struct {
	outcome map[string]string // by the step's id, else its name
	log     map[string]string
	temp    string
	summary string
	failed  bool
}

// job runs the steps of a job, in order, as long as none fails or a step's condition says otherwise.
func (g *github) job(t *testing.T, w *workflow, name string) *result {
	t.Helper()
	folder := t.TempDir()
	r := &result{outcome: map[string]string{}, log: map[string]string{}, temp: filepath.Join(folder, "temp")}
	workspace := filepath.Join(folder, "workspace")
	env := maps.Clone(g.environment)
	for key := range w.Env {
		_, given := env[key]
		require.Truef(t, given, "env: %s: the test gives it no value", key)
	}
	files := map[string]string{}
	for _, key := range []string{"GITHUB_PATH", "GITHUB_ENV", "GITHUB_STEP_SUMMARY"} {
		files[key] = filepath.Join(folder, key)
		env[key] = files[key]
		need.Write(t, files[key], "")
	}
	maps.Copy(env, map[string]string{
		"RUNNER_TEMP": r.temp, "GITHUB_WORKSPACE": workspace, "GITHUB_REPOSITORY": "example/site", "CI": "true",
	})
	require.NoError(t, os.Mkdir(r.temp, 0o755))
	for i, step := range w.Jobs[name].Steps {
		key := cmp.Or(step.ID, step.Name)
		if !g.due(t, r, step.If, env) {
			r.outcome[key] = "skipped"
			continue
		}
		if step.Uses != "" {
			g.use(t, step, workspace)
			continue
		}
		assert.NotContains(t, step.Run, "${{", name)
		own := maps.Clone(env)
		for key, value := range step.Env {
			own[key] = g.value(t, fmt.Sprint(value))
		}
		script := filepath.Join(folder, fmt.Sprintf("step-%d.sh", i))
		need.Write(t, script, step.Run)
		code, log := shell(t, workspace, own, "bash", "--noprofile", "--norc", "-eo", "pipefail", script)
		r.log[key], r.outcome[key] = log, "success"
		if code != 0 {
			r.outcome[key], r.failed = fmt.Sprintf("exit %d", code), true
		}
		for _, line := range lines(t, files["GITHUB_PATH"]) {
			env["PATH"] = line + ":" + g.environment["PATH"]
		}
		for _, line := range lines(t, files["GITHUB_ENV"]) {
			key, value, _ := strings.Cut(line, "=")
			env[key] = value
		}
	}
	r.summary = strings.Join(lines(t, files["GITHUB_STEP_SUMMARY"]), "\n")
	return r
}

var expression = regexp.MustCompile(`^\$\{\{ (.*) \}\}$`)

func (g *github) value(t *testing.T, text string) string {
	t.Helper()
	match := expression.FindStringSubmatch(text)
	if match == nil {
		return text
	}
	value, known := g.expressions[match[1]]
	require.Truef(t, known, "%s: the test gives it no value", text)
	return value
}

// due evaluates a step's condition. The conditions are few, and each term is known.
func (g *github) due(t *testing.T, r *result, condition string, env map[string]string) bool {
	t.Helper()
	if match := expression.FindStringSubmatch(condition); match != nil {
		condition = match[1]
	}
	always := false
	for _, term := range strings.Split(condition, " && ") {
		met := true
		switch term {
		case "":
		case "!cancelled()":
			always = true
		case "env.INVENTORY == 'cluster'":
			met = env["INVENTORY"] == "cluster"
		case "vars.SIPGEN_CODE_SCANNING == 'true'":
			met = g.scanning
		case "github.event.pull_request.head.repo.full_name == github.repository":
			met = !g.fork
		case "steps.install.outcome == 'success'":
			met = r.outcome["install"] == "success"
		case "steps.findings.outcome == 'success'":
			met = r.outcome["findings"] == "success"
		case "steps.plan.outcome != 'skipped'":
			met = r.outcome["plan"] != "skipped"
		default:
			t.Fatalf("if: %q: the test does not know it", term)
		}
		if !met {
			return false
		}
	}
	return always || !r.failed
}

// use plays the actions. A checkout of a pull request has its commit, one of main what main has now.
func (g *github) use(t *testing.T, step githubStep, workspace string) {
	t.Helper()
	require.Truef(t,
		regexp.MustCompile(`^(actions/checkout|github/codeql-action/upload-sarif)@[0-9a-f]{40}$`).MatchString(step.Uses),
		"uses: %s: the test does not know it", step.Uses)
	if !strings.HasPrefix(step.Uses, "actions/checkout") {
		return
	}
	from := g.checkout
	if step.With["ref"] == "main" {
		from = g.origin
	}
	run(t, "", nil, "git", "clone", "--quiet", from, workspace)
}

func lines(t *testing.T, path string) []string {
	t.Helper()
	return strings.Split(strings.TrimSpace(string(need.Read(t, path))), "\n")
}
