package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// released is written by hack/cut-release.sh, with the commit that is tagged; a version that is out stays as it is.
var released = flag.String("released", "", "write testdata/released/VERSION")

// releasedSites are the examples whose trees are kept: every service of a tenant, and two tenants, one with a host that is leaving.
var releasedSites = []string{"full-service", "two-tenants"}

// TestReleasedTrees: this version reads the Sites, the specs and the trees of every released version, plans each host where it is, publishes over the tree,
// and finds nothing to do after that.
func TestReleasedTrees(t *testing.T) {
	const folder = "../../testdata/released"
	if *released != "" {
		for _, site := range releasedSites {
			writeReleased(t, site, filepath.Join(folder, *released, site))
		}
	}
	trees, err := filepath.Glob(folder + "/v*/*/tree")
	check(t, err)
	if len(trees) < len(releasedSites) {
		t.Fatalf("found %q, want %q of v0.1.0", trees, releasedSites)
	}
	for _, tree := range trees {
		t.Run(strings.TrimPrefix(filepath.Dir(tree), folder+"/"), func(t *testing.T) {
			dir := t.TempDir()
			check(t, os.CopyFS(dir, os.DirFS(filepath.Dir(tree))))
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
				if after[slot] != status {
					t.Errorf("%s: %s, and after publishing %q", slot, status, after[slot])
				}
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
	check(t, json.Unmarshal([]byte(releasedRun(t, dir, "plan", "--repo", repo, "-o", "json")), &plan))
	found := map[string]string{}
	for _, c := range plan.Clusters {
		if c.Frozen != nil {
			t.Errorf("%s/%s is frozen: %s", c.Namespace, c.Name, c.Frozen)
		}
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
	var out, errs bytes.Buffer
	if code := run(t.Context(), append(args, "--site", filepath.Join(dir, "site.yaml")), strings.NewReader(""), &out, &errs); code != exitDone {
		t.Fatalf("%v: exit %d\n%s%s", args, code, &out, &errs)
	}
	return out.String()
}

// commitTree returns a bare repository with a folder as its branch main.
func commitTree(t *testing.T, folder string) string {
	t.Helper()
	repo := filepath.Join(t.TempDir(), "fleet.git")
	for _, args := range [][]string{{"-c", "core.bare=true", "init", "--quiet", "--bare", "--initial-branch=main"}, {"--work-tree", folder, "add", "--all", "--force"},
		{"--work-tree", folder, "-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "--quiet", "--message", "tree"}} {
		git := exec.Command("git", append([]string{"--git-dir", repo, "-c", "core.bare=false"}, args...)...)
		git.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null")
		if out, err := git.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	return repo
}

// writeReleased publishes an example, and keeps its files and the tree. One gives a host up after the labels are on it.
func writeReleased(t *testing.T, example, folder string) {
	t.Helper()
	version := filepath.Base(filepath.Dir(folder))
	if strings.Contains(read(t, "../../CHANGELOG.md"), "\n## "+version+" (") {
		t.Fatalf("%s is released: its trees stay as they are", version)
	}
	check(t, os.RemoveAll(folder))
	check(t, os.CopyFS(folder, os.DirFS(filepath.Join("../../examples", example))))
	repo, tree := filepath.Join(t.TempDir(), "fleet.git"), filepath.Join(folder, "tree")
	publish := func() {
		releasedRun(t, folder, "publish", "--repo", repo)
		check(t, os.RemoveAll(tree))
		check(t, exec.Command("git", "clone", "--quiet", repo, tree).Run())
		check(t, os.RemoveAll(filepath.Join(tree, ".git")))
	}
	check(t, exec.Command("git", "init", "--quiet", "--bare", "--initial-branch=main", repo).Run())
	publish()
	if example == "two-tenants" {
		syncHosts(func(err error) { check(t, err) }, tree, filepath.Join(folder, "hosts"))
		spec := filepath.Join(folder, "tenants", "edge-a.yaml")
		check(t, os.WriteFile(spec, []byte(strings.Replace(read(t, spec), "active: 4", "active: 3", 1)), 0o600))
		publish()
	}
}
