package forge

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestTutorial runs docs/tutorial.md word by word: in an empty folder, with a real API server that has the hosts of
// examples/two-tenants and Flux' kinds, and a real Gitea. Only where the repository is is another place.
func TestTutorial(t *testing.T) {
	t.Parallel()
	gitea := engine.StartGitea(t)
	repo := gitea.NewRepository(t, "fleet")
	api := engine.StartAPIServer(t, engine.Options{})
	api.InstallCRDs(t, append(engine.HostCRDs(t), engine.FluxCRDs(t)...)...)
	api.Namespaces(t, "vino-system")
	files, err := filepath.Glob("../../examples/two-tenants/hosts/*.yaml")
	require.NoError(t, err)
	for _, file := range files {
		api.MakeHosts(t, need.Read(t, file))
	}
	kubeconfig := engine.Kubeconfig(t, api.Config())
	credentials, five := engine.Procedure(t, "tutorial", "credentials"), engine.Procedure(t, "tutorial")
	require.Truef(t, len(credentials) == 1 && len(five) == 5, "%d and %d blocks of commands, want one and five",
		len(credentials), len(five))
	binary := engine.Sipgen(t)
	dir := filepath.Join(t.TempDir(), "first-site")
	require.NoError(t, os.Mkdir(dir, 0o755))
	const there = "https://git.example.org/ada/fleet.git"
	run := func(script string) string {
		t.Helper()
		cmd := exec.Command("bash", "-eo", "pipefail", "-c", script)
		cmd.Dir = dir
		cmd.Env = []string{"PATH=" + filepath.Dir(binary) + string(os.PathListSeparator) + os.Getenv("PATH"),
			"HOME=" + t.TempDir(),
			"KUBECONFIG=" + kubeconfig, "TOKEN=" + gitea.Token}
		said, err := cmd.CombinedOutput()
		require.Truef(t, err == nil, "%s: %v\n%s\nGitea:\n%s", script, err, said, gitea.Logs(20))
		assert.NotContains(t, string(said), gitea.Token, script)
		return string(said)
	}
	said := make([]string, len(five))
	for i, block := range five {
		require.Truef(t, i > 0 || strings.Contains(block, there), "the page names another repository than %s:\n%s",
			there, block)
		said[i] = run(credentials[0] + strings.ReplaceAll(block, there, repo))
	}
	for _, word := range []string{
		"24 hosts, 22 of them free, in vino-system (24)", "engine: flux (Flux is installed on the cluster)",
		"vino.airshipit.org/rack    failure domain", "wrote site.yaml", "wrote tenants/first.yaml",
	} {
		assert.Contains(t, said[0], word)
	}
	assert.Contains(t, said[1], "no finding")
	assert.Contains(t, said[2], "tenant-a/first")
	assert.Contains(t, said[2], "1 cluster, 5 hosts assigned (5 new)")
	for _, word := range []string{"change: 5 hosts are handed out", "dry run: ", "nothing is pushed"} {
		assert.Contains(t, said[3], word)
	}
	assert.Contains(t, said[4], "pull request: opened: "+gitea.URL+"/ada/fleet/pulls/1")
	for i := range said[1:] {
		assert.NotContains(t, said[i], "warning", "a newcomer is warned of what there is nothing to do about")
	}

	s := &site{Gitea: gitea, dir: t.TempDir(), name: "fleet", repo: repo}
	all := s.pulls(t)
	require.Truef(t, len(all) == 1 && all[0].Head.Ref == "sipgen/first" && all[0].Base.Ref == "main", "found %+v", all)
	assert.Contains(t, all[0].Title, "first-site: 5 hosts assigned, 5 new")
	for _, word := range []string{"**Changes**", "5 hosts are handed out", "`tenant-a/first`"} {
		assert.Contains(t, all[0].Body, word)
	}
	assert.Contains(t, run(credentials[0]+five[4]), "nothing to commit")

	// A Site that init wrote is one that it reads: what it found on the live cluster is in it.
	site := need.Read(t, filepath.Join(dir, "site.yaml"))
	for _, word := range []string{"inventory: cluster", "engine: flux", "url: " + repo} {
		assert.Contains(t, string(site), word)
	}
}
