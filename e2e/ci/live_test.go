package ci

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestLiveInventory plans and publishes from a real API server, takes a snapshot, and wants the snapshot to plan the
// same.
func TestLiveInventory(t *testing.T) {
	needs(t, "git", "gh", "curl")
	t.Parallel()
	api := engine.StartAPIServer(t, engine.Options{})
	api.InstallCRDs(t, engine.HostCRDs(t)...)
	api.Namespaces(t, "vino-system", "flux-system")
	files, err := filepath.Glob("../../examples/two-tenants/hosts/*.yaml")
	require.NoError(t, err)
	for _, file := range files {
		api.MakeHosts(t, need.Read(t, file))
	}
	// The account that sipgen renders for reading them stands in for that of the pod that the runner is.
	api.Apply(t, "site", string(need.Read(t, "../../golden/two-tenants/policy/reader.yaml")))
	kubeconfig := engine.Kubeconfig(t, api.As("system:serviceaccount:flux-system:sipgen-two-tenants-reader"))
	g, w := newGitHub(t), readWorkflow(t, "sipgen.yaml")
	f := g.forge(t)
	g.environment["INVENTORY"], g.environment["KUBECONFIG"] = "cluster", kubeconfig

	r := g.job(t, w, "plan")
	require.Truef(t, !r.failed, "%v\n%.4000v", r.outcome, r.log)
	wantWords(t, f.only(t).body, "18 hosts assigned (18 new)", " files added")
	r = g.job(t, w, "publish")
	require.Truef(t, !r.failed && g.commits(t) == 1, "%v, %d commits\n%s", r.outcome, g.commits(t), r.log["Publish"])

	// The snapshot is committed once, and has the same outcome.
	snapshot := readWorkflow(t, "snapshot.yaml")
	g.environment["SNAPSHOT"], g.environment["INVENTORY"] = "inventory.yaml", "inventory.yaml"
	for _, want := range []string{"", "no host has changed"} {
		r = g.job(t, snapshot, "snapshot")
		require.Truef(t, !r.failed && strings.Contains(r.log["Take a snapshot"], want), "%v\n%v", r.outcome, r.log)
	}
	g.git(t, "pull", "--quiet", "origin", "main")
	assert.Equal(t, "2", strings.TrimSpace(g.git(t, "rev-list", "--count", "HEAD")))
	assert.NotContains(t, fmt.Sprint(r.log), "token:", "the log")
	r = g.job(t, w, "publish")
	assert.Truef(t, !r.failed && g.commits(t) == 1 && strings.Contains(r.log["Publish"], "nothing to commit"),
		"from the snapshot: %v, %d commits\n%s", r.outcome, g.commits(t), r.log["Publish"])

	// GitLab's job takes the same snapshot.
	_, jobs := readGitLab(t)
	gitlab := func(want string) {
		t.Helper()
		code, log, _ := g.gitlab(t, jobs["sipgen-snapshot"], g.origin)
		assert.Truef(t, code == 0 && strings.Contains(log, want), "snapshot: exit %d\n%s", code, log)
	}
	gitlab("no host has changed")

	// A snapshot that was kept for more than an hour is replaced, though no host has changed: contract 19 lets no host
	// go by one that is older than the tree.
	age := func(by time.Duration) {
		t.Helper()
		g.git(t, "pull", "--quiet", "origin", "main")
		file := filepath.Join(g.checkout, "inventory.yaml")
		need.Write(t, file, regexp.MustCompile("(?m)^takenAt: .*$").ReplaceAllString(string(need.Read(t, file)),
			fmt.Sprintf("takenAt: %q", time.Now().Add(-by).UTC().Format(time.RFC3339))))
		g.commit(t)
	}
	commits := func(want string) {
		t.Helper()
		assert.Equal(t, want, strings.TrimSpace(run(t, g.origin, nil, "git", "rev-list", "--count", "main")), "commits")
	}
	age(50 * time.Minute)
	r = g.job(t, snapshot, "snapshot")
	assert.Truef(t, !r.failed && strings.Contains(r.log["Take a snapshot"], "no host has changed"), "%v\n%v",
		r.outcome, r.log)
	commits("3")
	age(70 * time.Minute)
	r = g.job(t, snapshot, "snapshot")
	assert.Truef(t, !r.failed, "%v\n%v", r.outcome, r.log)
	commits("5")
	age(70 * time.Minute)
	gitlab("")
	commits("7")
}
