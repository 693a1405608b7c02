package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/airshipit/sipgen/cmd/sipgen/internal/terminal"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/inventory/files"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	batchv1 "k8s.io/api/batch/v1"
	"sigs.k8s.io/yaml"
)

// TestOldSnapshotSeesNoHostClean: a snapshot from before a host was ever labeled shows it without labels for ever. That
// is not how a release ends: whoever planned from it would hand out a server that still runs somebody's workload.
// Commits that change no host of the site, in its folder or of others, do not make a snapshot old (contract 19).
func TestOldSnapshotSeesNoHostClean(t *testing.T) {
	const onlyAdds = "they only add hosts, and do not count for those of the tree"
	work, now := t.TempDir(), time.Now()
	require.NoError(t, os.CopyFS(work, os.DirFS("../../examples/two-tenants")))
	t.Chdir(work)
	git(t, "init", "-q", "--bare", "-b", "main", "fleet.git")
	publish := func(want string) string {
		t.Helper()
		code, _, said := ran(t, "publish", "--site", "site.yaml", "-f", "tenants", "--inventory", "inventory.yaml",
			"--repo", "fleet.git",
			"--path", "sites/dc1")
		require.Truef(t, code == 0 && strings.Contains(said, want), "exit %d, want 0 and %q in:\n%s", code, want, said)
		return git(t, "-C", "fleet.git", "show", "main:sites/dc1/clusters/tenant-b/edge-b/assignments.yaml")
	}
	snapshot(t, now.Add(-time.Hour))
	publish("")
	snapshot(t, now.Add(30*time.Minute))
	edit(t, "tenants/edge-b.yaml", "active: 4", "active: 3")
	released := publish("")
	assert.Contains(t, released, "releasing:", "no host is released")
	snapshot(t, now.Add(-time.Hour))
	assert.Equal(t, released, publish(onlyAdds), "an old snapshot ended the release")
	snapshot(t, now.Add(time.Hour))
	commitAt(t, now.Add(2*time.Hour), "sites/dc1/notes")
	commitAt(t, now.Add(3*time.Hour), "sites/dc2/notes")
	assert.NotContains(t, publish(""), "releasing:", "a host that was seen clean is not free")
}

// TestSecondPublish: a run with the same inputs commits nothing, also after a commit that changed hosts and so made the
// snapshot old (contract 28): a failed host in use waits to leave in both.
func TestSecondPublish(t *testing.T) {
	work, now := t.TempDir(), time.Now()
	require.NoError(t, os.CopyFS(work, os.DirFS("../../examples/two-tenants")))
	t.Chdir(work)
	git(t, "init", "-q", "--bare", "-b", "main", "fleet.git")
	publish := func(want string) {
		t.Helper()
		_, _, said := ran(t, "publish", "--site", "site.yaml", "-f", "tenants", "--inventory", "inventory.yaml",
			"--repo", "fleet.git")
		assert.Contains(t, said, want, "publish")
	}
	snapshot(t, now.Add(-time.Hour))
	publish("main: committed ")
	edit(t, "hosts/rack-2.yaml", "  name: r2n1-cp\n",
		"  name: r2n1-cp\n  annotations: {capi.metal3.io/unhealthy: \"\"}\n")
	edit(t, "hosts/rack-2.yaml", "  online: true\n", "  online: true\n"+
		"  consumerRef: {kind: Metal3Machine, namespace: tenant-a, name: m}\n  image: {url: https://x.example/i}\n")
	edit(t, "hosts/rack-2.yaml", "state: available", "state: provisioned")
	snapshot(t, now.Add(30*time.Minute))
	publish("main: committed ")
	assert.Contains(t, git(t, "-C", "fleet.git", "show", "main:clusters/tenant-a/edge-a/assignments.yaml"),
		"pending: true", "the failed host")
	snapshot(t, now.Add(-time.Hour)) // as it is for the second run: older than the commit that changed hosts
	publish("nothing to commit")
}

// commitAt commits an empty file on top of the branch, at a time.
func commitAt(t *testing.T, when time.Time, file string) {
	t.Helper()
	load := exec.Command("git", "-C", "fleet.git", "fast-import", "--quiet")
	load.Stdin = strings.NewReader(fmt.Sprintf("commit refs/heads/main\ncommitter Rival <rival@example.org> %d +0000\ndata 0\n"+
		"from refs/heads/main^0\nM 100644 inline %s\ndata 0\n", when.Unix(), file))
	need.Output(t, load)
}

func snapshot(t *testing.T, taken time.Time) {
	t.Helper()
	hosts := need.Value(files.Load([]string{"hosts"}, nil))(t)
	hosts.TakenAt = taken
	var text bytes.Buffer
	require.NoError(t, files.WriteSnapshot(&text, hosts))
	require.NoError(t, os.WriteFile("inventory.yaml", text.Bytes(), 0o644))
}

// released is written by hack/cut-release.sh, with the commit that is tagged; a version that is out stays as it is.
var released = flag.String("released", "", "write testdata/released/VERSION")

// releasedSites are the examples whose trees are kept: every service of a tenant, and two tenants, one with a host that
// is leaving.
var releasedSites = []string{"full-service", "two-tenants"}

// TestReleasedTrees: this version reads the Sites, the specs and the trees of every released version, plans each host
// where it is, publishes over the tree, and finds nothing to do after that.
func TestReleasedTrees(t *testing.T) {
	const folder = "../../testdata/released"
	if *released != "" {
		for _, site := range releasedSites {
			writeReleased(t, site, filepath.Join(folder, *released, site))
		}
	}
	trees := need.Value(filepath.Glob(folder + "/v*/*/tree"))(t)
	require.Truef(t, len(trees) >= len(releasedSites), "found %q, want %q of v0.1.0", trees, releasedSites)
	for _, tree := range trees {
		t.Run(strings.TrimPrefix(filepath.Dir(tree), folder+"/"), func(t *testing.T) {
			dir := t.TempDir()
			require.NoError(t, os.CopyFS(dir, os.DirFS(filepath.Dir(tree))))
			repo := commitTree(t, filepath.Join(dir, "tree"))
			before := releasedPlan(t, dir, repo)
			kept, leaving := 0, 0
			for slot, status := range before {
				switch status {
				case "kept":
					kept++
				case "leaving":
					leaving++
				default:
					t.Errorf("%s: %s, want kept, or leaving as before", slot, status)
				}
			}
			if kept < 6 || (filepath.Base(filepath.Dir(tree)) == "two-tenants" && leaving != 1) {
				t.Errorf("%d hosts kept, %d leaving: %v", kept, leaving, before)
			}
			releasedRun(t, dir, "publish", "--repo", repo)
			after := releasedPlan(t, dir, repo)
			for slot, status := range before {
				assert.Truef(t, after[slot] == status, "%s: %s, and after publishing %q", slot, status, after[slot])
			}
			releasedRun(t, dir, "diff", "--repo", repo)
		})
	}
}

// releasedPlan returns the status of each slot, by cluster, role and host.
func releasedPlan(t *testing.T, dir, repo string) map[string]string {
	t.Helper()
	var plan struct {
		Clusters []struct {
			Namespace, Name string
			Frozen          json.RawMessage
			Roles           []struct {
				Name  string
				Slots []struct{ Host, Status string }
			}
		}
	}
	require.NoError(t, json.Unmarshal([]byte(releasedRun(t, dir, "plan", "--repo", repo, "-o", "json")), &plan))
	found := map[string]string{}
	for _, c := range plan.Clusters {
		assert.Truef(t, c.Frozen == nil, "%s/%s is frozen: %s", c.Namespace, c.Name, c.Frozen)
		for _, role := range c.Roles {
			for _, slot := range role.Slots {
				found[c.Namespace+"/"+c.Name+" "+role.Name+" "+slot.Host] = slot.Status
			}
		}
	}
	return found
}

// releasedRun runs a command on the Site of a folder, and wants it to go well.
func releasedRun(t *testing.T, dir string, args ...string) string {
	t.Helper()
	t.Setenv("SIPGEN_PREVIOUS", "")
	t.Setenv("GIT_AUTHOR_NAME", "Ada")
	t.Setenv("GIT_AUTHOR_EMAIL", "ada@example.org")
	code, out, said := ran(t, append(args, "--site", filepath.Join(dir, "site.yaml"))...)
	require.Truef(t, code == exitDone, "%v: exit %d\n%s%s", args, code, out, said)
	return out
}

// commitTree returns a bare repository with a folder as its branch main.
func commitTree(t *testing.T, folder string) string {
	t.Helper()
	repo := filepath.Join(t.TempDir(), "fleet.git")
	for _, args := range [][]string{{"-c", "core.bare=true", "init", "--quiet", "--bare", "--initial-branch=main"},
		{"--work-tree", folder, "add", "--all", "--force"},
		{"--work-tree", folder, "-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "--quiet", "--message",
			"tree"}} {
		git := exec.Command("git", append([]string{"--git-dir", repo, "-c", "core.bare=false"}, args...)...)
		git.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null")
		need.Output(t, git)
	}
	return repo
}

// writeReleased publishes an example, and keeps its files and the tree. One gives a host up after the labels are on it.
func writeReleased(t *testing.T, example, folder string) {
	t.Helper()
	version := filepath.Base(filepath.Dir(folder))
	require.Truef(t, !strings.Contains(read(t, "../../CHANGELOG.md"), "\n## "+version+" ("),
		"%s is released: its trees stay as they are", version)
	require.NoError(t, os.RemoveAll(folder))
	require.NoError(t, os.CopyFS(folder, os.DirFS(filepath.Join("../../examples", example))))
	repo, tree := filepath.Join(t.TempDir(), "fleet.git"), filepath.Join(folder, "tree")
	publish := func() {
		releasedRun(t, folder, "publish", "--repo", repo)
		require.NoError(t, os.RemoveAll(tree))
		require.NoError(t, exec.Command("git", "clone", "--quiet", repo, tree).Run())
		require.NoError(t, os.RemoveAll(filepath.Join(tree, ".git")))
	}
	require.NoError(t, exec.Command("git", "init", "--quiet", "--bare", "--initial-branch=main", repo).Run())
	publish()
	if example == "two-tenants" {
		syncHosts(func(err error) { require.NoError(t, err) }, tree, filepath.Join(folder, "hosts"))
		spec := filepath.Join(folder, "tenants", "edge-a.yaml")
		require.NoError(t,
			os.WriteFile(spec, []byte(strings.Replace(read(t, spec), "active: 4", "active: 3", 1)), 0o600))
		publish()
	}
}

// TestFleet publishes the sites of examples/fleet into one repository, all at once, and holds the workflow and the Job
// there to them.
func TestFleet(t *testing.T) {
	fleet := need.Value(filepath.Abs("../../examples/fleet"))(t)
	folders := need.Value(filepath.Glob(filepath.Join(fleet, "sites", "*")))(t)
	var sites []string
	for _, folder := range folders {
		sites = append(sites, filepath.Base(folder))
	}
	var workflow struct {
		Jobs struct {
			Publish struct {
				Strategy struct{ Matrix struct{ Site []string } }
				Steps    []struct{ Run string }
			}
		}
	}
	text := read(t, filepath.Join(fleet, "github-matrix.yaml"))
	require.NoError(t, yaml.Unmarshal([]byte(text), &workflow))
	assert.Truef(t, slices.Equal(workflow.Jobs.Publish.Strategy.Matrix.Site, sites) && len(sites) >= 2,
		"the matrix has %v, and the folder %v", workflow.Jobs.Publish.Strategy.Matrix.Site, sites)
	var job batchv1.Job
	text = read(t, filepath.Join(fleet, "indexed-job.yaml"))
	require.NoError(t, yaml.UnmarshalStrict([]byte(text), &job))
	if *job.Spec.CompletionMode != batchv1.IndexedCompletion || int(*job.Spec.Completions) != len(sites) {
		t.Errorf("the Job has %d completions for %d sites", *job.Spec.Completions, len(sites))
	}
	args := job.Spec.Template.Spec.Containers[0].Args
	_, rest, err := newRoot(&terminal.UI{}).Find(args)
	assert.Truef(t, err == nil && !slices.Contains(rest, "publish"), "%v: %v", args, err)

	// What the workflow runs, with another repository.
	command := workflow.Jobs.Publish.Steps[len(workflow.Jobs.Publish.Steps)-1].Run
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(fleet)))
	t.Chdir(dir)
	t.Setenv("HOME", dir)
	repo := filepath.Join(dir, "fleet.git")
	git(t, "init", "--quiet", "--bare", "--initial-branch=main", repo)
	publish := func(want string, more ...string) {
		var wait sync.WaitGroup
		for _, site := range sites {
			words := strings.Fields(strings.ReplaceAll(command, "${{ matrix.site }}", site))
			words = append(slices.DeleteFunc(words[1:],
				func(word string) bool { return len(more) == 0 && (word == "--propose" || word == "sipgen/"+site) }),
				"--repo", repo)
			wait.Go(func() {
				code, _, said := ran(t, words...)
				assert.Truef(t, code == exitDone && strings.Contains(said, want), "%v: exit code %d, want %q\n%s",
					words, code, want, said)
			})
		}
		wait.Wait()
	}
	publish("committed")
	files := git(t, "-C", repo, "ls-tree", "-r", "--name-only", "main")
	for _, site := range sites {
		assert.Truef(t, strings.Contains(files, "sites/"+site+"/clusters/edge/edge/assignments.yaml\n"),
			"%s is not in\n%s", site, files)
	}
	for line := range strings.Lines(files) {
		assert.Truef(t, strings.HasPrefix(line, "sites/"), "outside of the sites: %s", line)
	}
	publish("nothing to commit")
	publish("nothing to commit", "as proposals")
}
