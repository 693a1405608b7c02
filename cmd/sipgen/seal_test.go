package main

import (
	"cmp"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/publish"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestTamperedTrees is contract 1: a tree whose decisions are lost, older or somebody else's is refused, by every
// command that plans from it, and what the message says brings it back. No host carries a label yet, and a newcomer
// that comes before everybody else wants the hosts that a forgotten decision would set free.
func TestTamperedTrees(t *testing.T) {
	steps := namedBlocks(t, "restore-tree")
	work := t.TempDir()
	require.NoError(t, os.CopyFS(work, os.DirFS("../../examples/two-tenants")))
	t.Chdir(work)
	for _, name := range []string{"AUTHOR", "COMMITTER"} {
		t.Setenv("GIT_"+name+"_NAME", "Ada")
		t.Setenv("GIT_"+name+"_EMAIL", "ada@example.org")
	}
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	inputs := []string{"--site", "site.yaml", "-f", "tenants", "--inventory", "hosts", "--repo", "fleet.git", "--path",
		"site"}
	sipgen := func(command string, more ...string) (int, string) {
		code, _, said := ran(t, append(append([]string{command}, inputs...), more...)...)
		return code, said
	}
	shell := func(script string) string {
		t.Helper()
		out, err := exec.Command("sh", "-ec", script).CombinedOutput()
		require.Truef(t, err == nil, "%s: %v\n%s", script, err, out)
		return strings.TrimSpace(string(out))
	}
	shell("git init -q --bare -b main fleet.git")
	edit(t, "tenants/edge-b.yaml", "active: 4", "active: 2")
	if code, said := sipgen("publish"); code != 0 {
		t.Fatal(said)
	}
	edit(t, "tenants/edge-b.yaml", "active: 2", "active: 4")
	if code, said := sipgen("publish"); code != 0 {
		t.Fatal(said)
	}
	held := holders(t, shell("git -C fleet.git grep -h '' main -- site/clusters/*/*/assignments.yaml"))
	newcomer := strings.NewReplacer("edge-b", "edge-n", "tenant-b", "tenant-n", "spec:\n", "spec:\n  priority: 100\n",
		"3000", "3002", "301", "302").Replace(read(t, "tenants/edge-b.yaml"))
	newcomer = strings.ReplaceAll(newcomer, "active: 3\n        standby: 1", "active: 1\n        standby: 0")
	newcomer = strings.ReplaceAll(newcomer, "active: 4\n        standby: 1", "active: 1\n        standby: 0")
	require.NoError(t, os.WriteFile("tenants/edge-n.yaml", []byte(newcomer), 0o644))
	require.NoError(t, os.WriteFile("site.yaml", []byte(read(t, "site.yaml")+`  tenants:
  - {name: old, namespaces: [tenant-a, tenant-b], nodePorts: [{start: 30000, end: 30019}, {start: 30100, end: 30199}]}
  - {name: new, namespaces: [tenant-n], nodePorts: [{start: 30020, end: 30029}, {start: 30200, end: 30299}], maxPriority: 100}
`), 0o644))

	const la, lb = "clusters/tenant-a/edge-a/.sipgen.yaml", "clusters/tenant-b/edge-b/.sipgen.yaml"
	const a, b = "clusters/tenant-a/edge-a/assignments.yaml", "clusters/tenant-b/edge-b/assignments.yaml"
	rows := []struct{ why, script, want string }{
		{"an empty file", ": > " + a, a + ": edited since sipgen wrote it"},
		{"a comment", "echo '# moved' > " + a, a + ": found nothing, want one document"},
		{"an empty List", "printf 'apiVersion: v1\\nkind: List\\nitems: []\\n' > " + a, a + ": found nothing"},
		{"a List that holds the decisions",
			"{ printf 'apiVersion: v1\\nkind: List\\nitems:\\n- '; sed '2,$s/^/  /' " + a + "; } > x; mv x " + a,
			a + ": found a List"},
		{"two documents", "{ cat " + a + "; echo ---; cat " + b + "; } > x; mv x " + a, a + ": found 2 documents"},
		{"a comment put before it", "sed -i '1i# reviewed' " + a, a + ": edited since sipgen wrote it"},
		{"deleted", "git rm -q " + a, a + ": missing, but listed in .sipgen.yaml"},
		{"the cluster's folder deleted", "git rm -rq clusters/tenant-a/edge-a",
			la + ": damaged ownership file: missing"},
		{"all clusters deleted", "git rm -rq clusters", lb + ": damaged ownership file: missing"},
		{"replaced by a link", "mv " + a + " ../x; ln -s /dev/null " + a, a + ": missing"},
		{"replaced by a link to itself elsewhere", "mv " + a + " clusters/x; ln -s ../../x " + a, a + ": missing"},
		{"the folder replaced by a link", "mv clusters/tenant-a ../aside; ln -s ../../aside clusters/tenant-a",
			la + ": damaged ownership file: missing"},
		{"replaced by a folder", "rm " + a + "; mkdir " + a + "; echo x > " + a + "/x", a + ": missing"},
		{"replaced by a submodule", "git rm -q --cached " + a + "; rm " + a +
			"; git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),site/" + a, a + ": missing"},
		{"renamed to another ending", "git mv " + a + " clusters/tenant-a/edge-a/assignments.yml",
			"assignments.yml: not listed in .sipgen.yaml"},
		{"renamed to another case", "git mv " + a + " clusters/tenant-a/edge-a/Assignments.yaml",
			"Assignments.yaml: not listed in .sipgen.yaml"},
		{"the older one, whose digest fits", "git checkout -q HEAD~1 -- " + b, b + ": edited since sipgen wrote it"},
		{"the older list of the site", "git checkout -q HEAD~1 -- .sipgen.yaml",
			".sipgen.yaml: its clusters have other hosts than when it was written"},
		{"the older list of a cluster", "git checkout -q HEAD~1 -- " + lb, b + ": edited since sipgen wrote it"},
		{"the older folder of a cluster, with its list", "git checkout -q HEAD~1 -- clusters/tenant-b/edge-b",
			".sipgen.yaml: its clusters have other hosts than when it was written"},
		{"a cluster's list deleted", "git rm -q " + la,
			la + ": damaged ownership file: missing, and .sipgen.yaml names it"},
		{"a cluster's list with a conflict", "sed -i '3i<<<<<<< ours' " + la,
			la + ": damaged ownership file: line 3: an unresolved merge conflict"},
		{"a cluster's list of another cluster", "cp " + lb + " " + la, la + ": damaged ownership file: folder: found"},
		{"a cluster's list edited", "sed -i '/PLAN.md/,+1d' " + la, la + ": damaged ownership file: digest"},
		{"a list that the site's does not name",
			"mkdir -p clusters/tenant-n/edge-n; cp " + la + " clusters/tenant-n/edge-n",
			"clusters/tenant-n/edge-n/.sipgen.yaml: not named in .sipgen.yaml"},
		{"a second one at another depth", "cp " + a + " clusters/tenant-a/assignments.yaml",
			"clusters/tenant-a/assignments.yaml: not listed in .sipgen.yaml"},
		{"one of a cluster that there is not",
			"mkdir -p clusters/tenant-n/edge-n; sed 's/edge-a/edge-n/' " + a +
				" > clusters/tenant-n/edge-n/assignments.yaml",
			"clusters/tenant-n/edge-n/assignments.yaml: not listed"},
		{"host patches that sipgen did not write",
			"mkdir -p clusters/tenant-n/edge-n/hosts; echo 'resources: []' > clusters/tenant-n/edge-n/hosts/kustomization.yaml", "clusters/tenant-n/edge-n/hosts/kustomization.yaml: not listed"},
		{"the list deleted", "git rm -q .sipgen.yaml",
			a + ": maybe not sipgen's: .sipgen.yaml, the list of sipgen's files, is missing"},
		{"the list empty", ": > .sipgen.yaml", ".sipgen.yaml: damaged ownership file"},
		{"the list a link", "mv .sipgen.yaml list; ln -s list .sipgen.yaml",
			".sipgen.yaml: damaged ownership file: not a file"},
		{"the list a folder", "rm .sipgen.yaml; mkdir .sipgen.yaml; echo x > .sipgen.yaml/x",
			".sipgen.yaml: damaged ownership file: not a file"},
		{"the decisions and the list deleted", "git rm -rq clusters .sipgen.yaml",
			"PLAN.md: rendered by sipgen, but .sipgen.yaml"},
		{"the decisions and the list deleted, and most of the rest",
			"git rm -rq clusters .sipgen.yaml PLAN.md flux policy",
			"rights/tenant-a/edge-a/account.yaml: rendered by sipgen, but .sipgen.yaml"},
		{"the decisions deleted, and the list emptied", "git rm -rq clusters; : > .sipgen.yaml",
			"PLAN.md: rendered by sipgen, but .sipgen.yaml"},
		{"a line left of a merge in the list", "sed -i '3i=======' .sipgen.yaml",
			".sipgen.yaml: damaged ownership file"},
		{"a field of the list misspelled", "sed -i s/apiVersion/apiversion/ .sipgen.yaml",
			".sipgen.yaml: damaged ownership file"},
		{"the list with an end that nobody reads",
			"echo --- >> .sipgen.yaml; cat .sipgen.yaml >> x; cat x >> .sipgen.yaml; rm x",
			".sipgen.yaml: damaged ownership file"},
		{"an entry taken off the list", "sed -i '/edge-a.assignments/,+1d' " + la + "; git rm -q " + a,
			la + ": damaged ownership file: digest"},
		{"a folder taken off the list", "sed -i '/- clusters.tenant-a/d' .sipgen.yaml",
			".sipgen.yaml: damaged ownership file: digest"},
	}
	// Lists that are whole, of another commit: the page says to take the next older one.
	whole := map[string]bool{"the older list of the site": true, "the older folder of a cluster, with its list": true,
		"a list that the site's does not name": true}
	// Whoever merges may squash, and write a message of his own.
	shell("git clone -q fleet.git squashed && cd squashed && git commit -q --amend -m 'Hosts for edge-b (#7)' && git push -qf origin HEAD:main")
	good := shell("git -C fleet.git rev-parse main; git clone -q fleet.git work")
	finder, _, _ := strings.Cut(steps[1], "if [ $commit != none ]; then git show")
	restoring := steps[2]
	commands := [][]string{{"publish", "--adopt"}, {"publish", "--accept-loss", "18"}, {"plan"}, {"diff"}, {"lint"},
		{"explain", "tenant-a/edge-a"}}
	for i, row := range rows {
		commands := commands
		if i > 0 && !strings.HasPrefix(row.why, "the decisions and the list") {
			commands = commands[:1] // all of them read the tree in the same way
		}
		t.Run(row.why, func(t *testing.T) {
			tampered := shell("cd work && rm -rf aside x && git reset -q --hard " + good +
				" && git clean -qffdx && cd site && " + row.script +
				" && cd .. && git add -A && git commit -qm tampered && " +
				"git push -qf origin HEAD:main && git rev-parse HEAD")
			require.Truef(t, tampered != good, "nothing was tampered with")
			for _, command := range commands {
				code, said := sipgen(command[0], command[1:]...)
				assert.Truef(t, code == exitError && strings.Contains(said, row.want),
					"%s: exit code %d, want %d and %q:\n%s", strings.Join(command, " "), code, exitError, row.want,
					said)
				assert.Truef(t, !strings.Contains(said, "--adopt "), "%s: a hint that would not help:\n%s", command,
					said)
			}
			if now := shell("git -C fleet.git rev-parse main"); now != tampered {
				t.Fatal("something was published")
			}
			code, said := sipgen("publish")
			assert.Truef(t, code == exitError && strings.Contains(said, row.want), "exit code %d, want %d and %q:\n%s",
				code, exitError, row.want, said)
			if want := `restore the tree in site from the newest commit in which it is as its .sipgen.yaml has it: sipgen help runbook restore-the-tree has the commands`; !strings.Contains(said, want) {
				t.Fatalf("no way back:\n%s", said)
			}
			if i == 0 {
				shell("cd work/site && commit=no-such-commit && ! { " + restoring + "\n} && git diff --quiet HEAD")
			}
			found := shell("cd work/site && TMPDIR=$(mktemp -d) && export TMPDIR\n" + finder + "\necho $commit")
			assert.Truef(t, found == good || whole[row.why] && found == tampered,
				"the page finds the commit %q, want %s", found, good)
			// Just what the page says, and nothing besides.
			shell("cd work/site && commit=" + good + "\n" + restoring)
			if code, said := sipgen("publish"); code != exitDone {
				t.Fatalf("restored: exit code %d:\n%s", code, said)
			}
			now := holders(t, shell("git -C fleet.git grep -h '' main -- 'site/clusters/*/*/assignments.yaml'"))
			for host, cluster := range held {
				assert.Truef(t, now[host] == cluster, "host %s went from %s to %q", host, cluster, now[host])
			}
			assert.Truef(t, len(now) == len(held)+2,
				"%d hosts have a holder, want the %d from before and the newcomer's 2", len(now), len(held))
		})
	}
}

// TestLostTree: the commands of the procedure "lost-tree" bring a tree back that a commit deleted, and one that a
// forced push took.
func TestLostTree(t *testing.T) {
	const tree = "git init -q -b main . && git config --global user.name me && git config --global user.email me@example.org && echo a >README && git add . && git commit -q -m first && " +
		"mkdir -p clusters && echo a >clusters/a && echo a >.sipgen.yaml && git add . && git commit -q -m tree && git clone -q --bare . $HOME/fleet.git && git -C $HOME/fleet.git config receive.denyDeleteCurrent ignore\nlost=$(git rev-parse HEAD)\n"
	const push, found = "git push -q $HOME/fleet.git main", "git -C $HOME/fleet.git diff --exit-code $lost main -- clusters .sipgen.yaml\n"
	const forced = "git push -qf $HOME/fleet.git HEAD~1:main && git push -q $HOME/fleet.git HEAD:refs/heads/other"
	// untouched: pasted into a shell that goes on after what fails, the commands changed nothing on the server.
	const untouched = "test \"$(git -C $HOME/fleet.git for-each-ref)\" = \"$refs\"\n"
	for _, row := range []struct {
		why, lose, site, kubectl string
		blocks                   []string
		wanted                   string
	}{
		{"deleted by a commit", "git rm -rq clusters .sipgen.yaml && git commit -q -m tidy && echo b >README && git commit -qam more && " + push, "", "",
			[]string{"clone", "revert"}, found},
		{"a forced push", forced, "", "echo main@sha1:$lost", []string{"clone", "flux", "fetch", "push"}, found},
		{"a new tree has begun", "git rm -rq clusters .sipgen.yaml && git commit -q -m tidy && echo b >.sipgen.yaml && git add . && git commit -qm new && " + push, "", "",
			[]string{"clone", "revert"}, untouched},
		{"the branch never had one", forced, "", "", []string{"clone", "revert"}, untouched},
		{"the branch has what the engine applied", "echo b >more && git add . && git commit -q -m more && " + push, "",
			"echo main@sha1:$lost", []string{"clone", "flux", "fetch", "push"}, untouched},
		{"the engine has applied nothing", forced, "", "echo", []string{"clone", "flux", "fetch", "push"}, untouched},
		{"the engine cannot be asked", forced, "", "false", []string{"clone", "flux", "fetch", "push"}, untouched},
		{"no SITE", forced, "unset SITE", "echo main@sha1:$lost", []string{"clone", "flux", "fetch", "push"},
			untouched},
	} {
		t.Run(row.why, func(t *testing.T) {
			home := t.TempDir()
			require.NoError(t, os.Mkdir(filepath.Join(home, "work"), 0o755))
			commands := "kubectl() { " + cmp.Or(row.kubectl, "false") + "; }\n"
			for _, name := range row.blocks {
				commands += strings.ReplaceAll(namedBlocks(t, "lost-tree "+name)[0], "https://git.example.org",
					home) + "\n"
			}
			var said []byte
			bash := func(script string, flags ...string) error {
				cmd := exec.Command("bash", append(flags, "-c", script)...)
				cmd.Dir, cmd.Env = filepath.Join(home, "work"), append(os.Environ(), "HOME="+home, "TMPDIR="+home,
					"GIT_CONFIG_NOSYSTEM=1")
				out, err := cmd.CombinedOutput()
				said = append(said, script+"\n"+string(out)...)
				return err
			}
			require.NoError(t,
				bash(tree+row.lose+"\necho \"lost=$lost refs='$(git -C $HOME/fleet.git for-each-ref)'\" >$HOME/was",
					"-euo", "pipefail"))
			err := bash(". $HOME/was; " + cmp.Or(row.site, "SITE=dc1") + "\n" + commands)
			if row.wanted == found {
				require.NoError(t, err)
			}
			if err := bash(". $HOME/was; " + row.wanted); err != nil {
				t.Errorf("%v\n%s", err, said)
			}
		})
	}
}

// TestTamperedFolders is contract 1: the same on disk, where render writes to.
func TestTamperedFolders(t *testing.T) {
	work := t.TempDir()
	require.NoError(t, os.CopyFS(work, os.DirFS("../../examples/two-tenants")))
	t.Chdir(work)
	sipgen := func(more ...string) (int, string) {
		code, _, said := ran(t, append([]string{"render", "--site", "site.yaml", "-f", "tenants", "--inventory",
			"hosts", "--out", "tree"}, more...)...)
		return code, said
	}
	if code, said := sipgen(); code != exitDone {
		t.Fatal(said)
	}
	require.NoError(t, os.CopyFS("good", os.DirFS("tree")))
	const a = "tree/clusters/tenant-a/edge-a/assignments.yaml"
	rows := []struct {
		why    string
		change func() error
		want   string
	}{
		{"deleted", func() error { return os.Remove(a) }, a + ": missing"},
		{"emptied", func() error { return os.WriteFile(a, nil, 0o644) }, a + ": edited since sipgen wrote it"},
		{"a link", func() error { return errors.Join(os.Rename(a, "x"), os.Symlink(filepath.Join(work, "x"), a)) },
			a + ": missing"},
		{"the list deleted", func() error { return os.Remove("tree/.sipgen.yaml") },
			a + ": maybe not sipgen's: .sipgen.yaml"},
		{"the decisions and the list deleted", func() error {
			return errors.Join(os.RemoveAll("tree/clusters"), os.Remove("tree/.sipgen.yaml"))
		}, "tree/PLAN.md: rendered by sipgen, but .sipgen.yaml"},
		{"the list emptied", func() error { return os.WriteFile("tree/.sipgen.yaml", nil, 0o644) },
			"tree: .sipgen.yaml: damaged ownership file"},
	}
	for _, row := range rows {
		require.NoError(t, os.RemoveAll("tree"))
		require.NoError(t, os.CopyFS("tree", os.DirFS("good")))
		require.NoError(t, row.change())
		code, said := sipgen("--adopt")
		assert.Truef(t,
			code == exitError && strings.Contains(said, row.want) && strings.Contains(said,
				"restore the tree in tree from the newest commit"),
			"%s: exit code %d, want %d and %q:\n%s", row.why, code, exitError, row.want, said)
	}
}

// holders reads who has which host out of assignments.yaml files, one after the other, by their text alone.
func holders(t *testing.T, text string) map[string]string {
	t.Helper()
	of, cluster := map[string]string{}, ""
	for _, found := range regexp.MustCompile(`(?m)^metadata:\n  name: (\S+)|^- \{name: (r[^,]+)`).FindAllStringSubmatch(text, -1) {
		cluster = cmp.Or(found[1], cluster)
		if host := found[2]; host != "" {
			assert.Truef(t, of[host] == "", "host %s is held by %s and by %s", host, of[host], cluster)
			of[host] = cluster
		}
	}
	require.Truef(t, len(of) != 0, "no holder found: the test reads nothing")
	return of
}

func read(t *testing.T, file string) string {
	t.Helper()
	text := need.Value(os.ReadFile(file))(t)
	return string(text)
}

// TestOneList: a tree of an earlier version, in which one list has all files, is read as it is. The next commit gives
// each cluster's folder its own, says so, and moves no host; the one after has nothing to do.
func TestOneList(t *testing.T) {
	work := t.TempDir()
	require.NoError(t, os.CopyFS(work, os.DirFS("../../examples/two-tenants")))
	t.Chdir(work)
	inputs := []string{"--site", "site.yaml", "-f", "tenants", "--inventory", "hosts"}
	sipgen := func(want int, command string, more ...string) string {
		t.Helper()
		code, out, said := ran(t, append(append([]string{command}, inputs...), more...)...)
		require.Truef(t, code == want, "%s: exit code %d, want %d:\n%s", command, code, want, said)
		return out + said
	}
	git := func(args ...string) string {
		t.Helper()
		return need.Output(t, exec.Command("git",
			append([]string{"-c", "user.name=t", "-c", "user.email=t@example.org"}, args...)...))
	}
	sipgen(exitDone, "render", "--out", "tree")
	files := need.Value(publish.ReadDir(t.Context(), "tree"))(t)
	require.NoError(t, need.Err(publish.WriteDir(t.Context(), "former", files, publish.DirOptions{})))
	assert.Truef(t, len(need.Value(filepath.Glob("former/clusters/*/*/.sipgen.yaml"))(t)) == 0,
		"the tree has lists in folders")
	git("init", "--quiet", "--initial-branch=main", "former")
	git("-C", "former", "add", ".")
	git("-C", "former", "commit", "--quiet", "-m", "former")
	git("clone", "--quiet", "--bare", "former", "fleet.git")

	text := sipgen(exitDone, "plan", "--repo", "fleet.git")
	for _, word := range []string{"by hand", "refused"} {
		assert.NotContains(t, text, word, "warnings")
	}
	assert.Contains(t, sipgen(exitDone, "publish", "--repo", "fleet.git", "--yes"), "18 hosts assigned (0 new)",
		"publish")
	assert.Contains(t, git("-C", "fleet.git", "log", "-1", "--format=%B", "main"),
		"Each cluster's folder gets a list of sipgen's files and a PLAN.md of its own, once", "the commit")
	assert.Equal(t, ".sipgen.yaml\nclusters/tenant-a/edge-a/.sipgen.yaml\nclusters/tenant-b/edge-b/.sipgen.yaml\n",
		git("-C", "fleet.git", "diff", "--name-only", "main~1", "main"), "changed files")
	assert.Contains(t, sipgen(exitDone, "publish", "--repo", "fleet.git", "--yes"), "nothing to commit",
		"publish again")

	// A former tree that was tampered with is refused as ever.
	require.NoError(t, os.Remove("former/clusters/tenant-a/edge-a/assignments.yaml"))
	assert.Contains(t, sipgen(exitError, "render", "--out", "former"),
		"edge-a/assignments.yaml: missing, but listed in .sipgen.yaml", "tampered")
}
