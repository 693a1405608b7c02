package e2e_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/airshipit/sipgen/hack/need"
)

// TestFleetInWaves publishes two Sites of one repository by the page, with a context each: Flux makes the first wave
// live before the second one is published, and each wave changes its own Site only.
func TestFleetInWaves(t *testing.T) {
	t.Parallel()
	var sites sitesOfOne
	contexts := map[string]*rest.Config{}
	dir := t.TempDir()
	for i, name := range []string{"wave-one", "wave-two"} {
		c := newCircle(t, besideTheOther(t, v1alpha1.EngineFlux), name)
		if i > 0 {
			c.repo = sites[0].repo
		}
		c.site.Spec.Repository.Path = "sites/" + name
		c.hosts(t, "controller", "n1", "n2")
		c.tenantWith("a", 1, loadBalancer())
		contexts[name] = c.rig.api.As(c.account)
		sites = append(sites, c)
	}
	writeFleet(t, dir, sites)
	run := func(line string) (code int, said string) {
		cmd := exec.Command("bash", "-c", line)
		cmd.Dir = dir
		cmd.Env = []string{"PATH=" + filepath.Dir(engine.Sipgen(t)) + ":" + os.Getenv("PATH"), "HOME=" + t.TempDir(),
			"KUBECONFIG=" + engine.Kubeconfigs(t, contexts), "SIPGEN_REPO=" + sites[0].repo.Dir}
		return exitCode(t, cmd)
	}
	code, said := run("sipgen publish --site 'sites/*/site.yaml'")
	require.Zero(t, code, said)
	for _, c := range sites {
		c.readTree(t)
		c.run(t, append(procedure(t, "apply-policy"), procedure(t, "bootstrap", "flux")...))
		c.started = true
		c.follow(t, "bootstrap")
		c.wantHolds(t, "bootstrap", "a", "n1")
	}

	sites.want(2)
	writeFleet(t, dir, sites)
	var lines []string
	for line := range strings.Lines(strings.Join(procedure(t, "waves"), "")) {
		lines = append(lines, line)
	}
	require.Len(t, lines, 3)
	one, two := sites[0], sites[1]
	code, said = run(lines[0])
	require.Zero(t, code, said)
	live := make(chan string)
	go func() {
		code, said := run(lines[1])
		if code != 0 {
			live <- said
		}
		close(live)
	}()
	one.readTree(t)
	one.follow(t, "the first wave")
	one.wantHolds(t, "the first wave", "a", "n1", "n2")
	assert.Empty(t, <-live, "the first wave is live")
	two.readTree(t)
	two.follow(t, "the first wave")
	two.wantHolds(t, "the first wave", "a", "n1")
	code, said = run(lines[2])
	require.Zero(t, code, said)
	two.readTree(t)
	two.follow(t, "the second wave")
	two.wantHolds(t, "the second wave", "a", "n1", "n2")
	one.follow(t, "the second wave")
}

// writeFleet writes the Sites with their specs, each in a wave of its own.
func writeFleet(t *testing.T, dir string, sites sitesOfOne) {
	t.Helper()
	for i, c := range sites {
		spec := c.site.Spec
		spec.Inputs = v1alpha1.Inputs{Specs: []string{"specs"}, Inventory: v1alpha1.InputCluster}
		text, err := yaml.Marshal(map[string]any{"apiVersion": v1alpha1.APIVersion, "kind": v1alpha1.Kind,
			"metadata": map[string]any{"name": c.site.Name, "labels": map[string]string{"wave": string(rune('1' + i))}},
			"spec":     spec})
		require.NoError(t, err)
		folder := filepath.Join(dir, "sites", c.site.Name)
		need.Write(t, filepath.Join(folder, "site.yaml"), string(text))
		for name, spec := range c.specs {
			need.Write(t, filepath.Join(folder, "specs", name+".yaml"), spec)
		}
	}
}
