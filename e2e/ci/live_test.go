package ci

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/airshipit/sipgen/hack/need"
)

// managementCluster starts a real API server with the example's hosts, and gives a kubeconfig of the account that sipgen renders for reading them.
func managementCluster(t *testing.T) string {
	t.Helper()
	api := engine.StartAPIServer(t, engine.Options{})
	api.InstallCRDs(t, engine.HostCRDs(t)...)
	api.Namespaces(t, "vino-system", "flux-system")
	files, err := filepath.Glob("../../examples/two-tenants/hosts/*.yaml")
	need.OK(t, err)
	for _, file := range files {
		api.MakeHosts(t, need.Read(t, file))
	}
	api.Apply(t, "site", string(need.Read(t, "../../golden/two-tenants/policy/reader.yaml")))
	return engine.Kubeconfig(t, api.As("system:serviceaccount:flux-system:sipgen-two-tenants-reader"))
}

// TestLiveInventory plans and publishes from a real API server, takes a snapshot, and wants the snapshot to plan the same.
func TestLiveInventory(t *testing.T) {
	needs(t, "git", "gh", "curl")
	t.Parallel()
	kubeconfig := managementCluster(t)
	g, w := newGitHub(t), readWorkflow(t, "sipgen.yaml")
	f := &forge{bot: "github-actions[bot]", most: 65_536}
	g.environment["GH_CONFIG_DIR"] = f.github(t)
	// It stands in for the account of the pod that the runner is.
	g.environment["INVENTORY"], g.environment["KUBECONFIG"] = "cluster", kubeconfig

	r := g.job(t, w, "plan")
	need.Must(t, !r.failed, "%v\n%.4000v", r.outcome, r.log)
	wantWords(t, f.only(t).body, "18 hosts assigned (18 new)", " files added")
	if r = g.job(t, w, "publish"); r.failed || g.commits(t) != 1 {
		t.Fatalf("%v, %d commits\n%s", r.outcome, g.commits(t), r.log["Publish"])
	}

	// The snapshot is committed once, and has the same outcome.
	snapshot := readWorkflow(t, "snapshot.yaml")
	g.environment["SNAPSHOT"], g.environment["INVENTORY"] = "inventory.yaml", "inventory.yaml"
	for _, want := range []string{"", "no host has changed"} {
		if r = g.job(t, snapshot, "snapshot"); r.failed || !strings.Contains(r.log["Take a snapshot"], want) {
			t.Fatalf("%v\n%v", r.outcome, r.log)
		}
	}
	g.git(t, "pull", "--quiet", "origin", "main")
	need.Equal(t, "", strings.TrimSpace(g.git(t, "rev-list", "--count", "HEAD")), "2")
	for name, log := range r.log {
		need.Without(t, name, log, "token:")
	}
	if r = g.job(t, w, "publish"); r.failed || g.commits(t) != 1 || !strings.Contains(r.log["Publish"], "nothing to commit") {
		t.Errorf("from the snapshot: %v, %d commits\n%s", r.outcome, g.commits(t), r.log["Publish"])
	}

	// GitLab's job takes the same snapshot.
	_, jobs := readGitLab(t)
	if code, log, _ := g.gitlab(t, jobs["sipgen-snapshot"], g.origin); code != 0 || !strings.Contains(log, "no host has changed") {
		t.Errorf("snapshot: exit %d\n%s", code, log)
	}
}
