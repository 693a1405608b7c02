package ci

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/airshipit/sipgen/hack/need"
)

// fleetSite is a checkout of examples/fleet, whose Sites publish to a repository on this machine.
func fleetSite(t *testing.T) *site {
	t.Helper()
	s := newSite(t)
	require.NoError(t, os.RemoveAll(s.checkout))
	require.NoError(t, os.CopyFS(s.checkout, os.DirFS("../../examples/fleet")))
	s.change(t, "base/site.yaml", "https://git.example.org/fleet/fleet.git", "file://"+s.fleet)
	s.git(t, "init", "--quiet", "--initial-branch=main")
	s.git(t, "remote", "add", "origin", s.origin)
	s.git(t, "add", ".")
	s.git(t, "commit", "--quiet", "-m", "specs")
	s.git(t, "push", "--quiet", "--force", "origin", "HEAD:main")
	for key, value := range map[string]string{"SITES": "sites/*", "WAVES": "1 2", "WAIT": "2s", "KUBECONFIG": ""} {
		s.environment[key] = value
	}
	return s
}

// trees lists the sites that have a tree on the branch.
func (s *site) trees(t *testing.T) (sites []string) {
	t.Helper()
	for _, site := range []string{"dc1", "dc2", "dc3"} {
		file := "main:sites/" + site + "/.sipgen.yaml"
		if code, _ := shell(t, s.fleet, s.environment, "git", "cat-file", "-e", file); code == 0 {
			sites = append(sites, site)
		}
	}
	return sites
}

// label writes the labels of a site's tree into its hosts, as the engine does.
func (s *site) label(t *testing.T, site string) {
	t.Helper()
	work := filepath.Join(t.TempDir(), "fleet")
	run(t, "", nil, "git", "clone", "--quiet", s.fleet, work)
	file := "sites/" + site + "/hosts.yaml"
	text := string(need.Read(t, filepath.Join(s.checkout, file)))
	patches, err := filepath.Glob(filepath.Join(work, "sites", site, "clusters", "*", "*", "hosts", "metal3.*.yaml"))
	require.NoError(t, err)
	require.NotEmpty(t, patches)
	for _, patch := range patches {
		var host struct {
			Metadata struct {
				Name   string
				Labels map[string]string
			}
		}
		require.NoError(t, yaml.Unmarshal(need.Read(t, patch), &host))
		var labels []string
		for key, value := range host.Metadata.Labels {
			labels = append(labels, key+": "+value)
		}
		head := "name: " + host.Metadata.Name + "\n"
		at := strings.Index(text, head)
		require.GreaterOrEqual(t, at, 0)
		text = text[:at] + strings.Replace(text[at:], "labels: {", "labels: {"+strings.Join(labels, ", ")+", ", 1)
	}
	s.write(t, file, text)
	s.commit(t)
}

// waves runs a publishing job until the fleet is live: wave 2 comes when the hosts of wave 1 have their labels.
func (s *site) waves(t *testing.T, publish func() (code int, log string)) {
	t.Helper()
	code, log := publish()
	assert.NotZero(t, code, log)
	assert.Equal(t, []string{"dc1"}, s.trees(t), log)
	assert.Contains(t, log, "not live after 2s", log)
	s.label(t, "dc1")
	code, log = publish()
	assert.NotZero(t, code, log)
	assert.Equal(t, []string{"dc1", "dc2", "dc3"}, s.trees(t), log)
	s.label(t, "dc2")
	s.label(t, "dc3")
	code, log = publish()
	assert.Zero(t, code, log)
	// A Site's fault is that Site's: the wave goes on, and the job ends with 1.
	s.change(t, "sites/dc2/tenants/kustomization.yaml", "resources: [../../../base/tenants]\n",
		"resources: [../../../base/tenants]\npatches:\n- target: {kind: SIPCluster}\n"+
			"  patch: '[{op: add, path: /spec/nodes/ControlPlane/count/active, value: 9}]'\n")
	s.commit(t)
	code, log = publish()
	assert.Equal(t, 1, code, log)
	// A commit for each wave, and one that says in PLAN.md what is frozen.
	assert.Equal(t, "3", strings.TrimSpace(run(t, s.fleet, nil, "git", "rev-list", "--count", "main")))
}

func TestFleetOnGitHub(t *testing.T) {
	needs(t, "git", "curl", "shellcheck")
	t.Parallel()
	g, w := newGitHub(t), readWorkflow(t, "fleet.yaml")
	g.site = fleetSite(t)
	r := g.job(t, w, "plan")
	assert.Contains(t, r.summary, "3 sites", r.log)
	g.waves(t, func() (int, string) {
		r := g.job(t, w, "publish")
		code := 0
		switch {
		case r.outcome["Waves"] == "exit 1":
			code = 1
		case r.failed:
			code = 2
		}
		return code, r.log["Waves"]
	})
	assert.Equal(t, map[string]string{"contents": "read"}, w.Jobs["publish"].Permissions)
	assert.Equal(t, w.Jobs["plan"].Steps[1].Run, readWorkflow(t, "sipgen.yaml").Jobs["plan"].Steps[1].Run)
	assert.Equal(t, w.Jobs["plan"].Steps[1].Run, w.Jobs["publish"].Steps[1].Run)
}

func TestFleetOnGitLab(t *testing.T) {
	needs(t, "git", "curl", "shellcheck")
	t.Parallel()
	s := fleetSite(t)
	variables, jobs := readGitLabFile(t, "fleet.gitlab-ci.yml")
	for key := range variables {
		if key != "SIPGEN_WORK" {
			assert.Contains(t, s.environment, key)
		}
	}
	script := func(name string) (int, string) {
		job := jobs[name]
		env := map[string]string{"SIPGEN_WORK": filepath.Join(t.TempDir(), "work")}
		for key, value := range s.environment {
			env[key] = value
		}
		return shell(t, s.checkout, env, "bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", job.shell())
	}
	_, log := script("sipgen-plan")
	assert.Contains(t, log, "3 sites")
	s.waves(t, func() (int, string) { return script("sipgen-publish") })
	publish := jobs["sipgen-publish"]
	assert.Equal(t, "fleet", publish.Environment.Name)
	assert.NotEmpty(t, publish.Resource)
}
