package publish

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestFolderChange: a folder of a checkout has the time of the newest commit that changed its files to what lies there,
// whatever HEAD has.
func TestFolderChange(t *testing.T) {
	t.Parallel()
	const file = "site/hosts/a"
	one, two := Tree{"hosts/a": []byte("1")}, Tree{"hosts/a": []byte("2")}
	for _, row := range []struct {
		why     string
		history []past
		tree    Tree
		merging bool // the last commit is not there yet: its second parent is being merged
		want    int  // a minute; 0: unknown
	}{
		{"as HEAD has it", []past{{minute: 10, file: file + "=1"}, {minute: 20, file: "other/a"}}, one, false, 10},
		{"files that do not concern the caller",
			[]past{{minute: 10, file: file + "=1"}, {minute: 20, file: "site/PLAN.md"}},
			Tree{"hosts/a": []byte("1"), "PLAN.md": []byte("mine")}, false, 10},
		{"the base's tree, and HEAD has the branch's",
			[]past{{minute: 10, file: file + "=1"}, {minute: 20, file: "specs/a"},
				{minute: 30, file: file + "=2"}}, one, false, 10},
		{"changed there twice", []past{{minute: 10, file: file + "=1"}, {minute: 20, file: file + "=2"},
			{minute: 30, file: file + "=1"}, {minute: 40, file: file + "=3"}}, one, false, 30},
		{"a merge rendered the tree again on that of main", []past{{minute: 10, file: file + "=1"},
			{minute: 20, file: file + "=2", from: 1}, {minute: 12, file: "specs/a", from: 1},
			{minute: 30, file: file + "=3", merge: 2}}, two, false, 20},
		{"a merge took the tree of main",
			[]past{{minute: 10, file: file + "=1"}, {minute: 20, file: file + "=2", from: 1},
				{minute: 12, file: "specs/a", from: 1}, {minute: 30, file: file + "=2", merge: 2}}, two, false, 20},
		{"main is being merged", []past{{minute: 10, file: file + "=1"}, {minute: 20, file: file + "=2", from: 1},
			{minute: 30, file: "specs/a", from: 1}, {minute: 40, merge: 2}}, two, true, 20},
		{"main is not merged", []past{{minute: 10, file: file + "=1"}, {minute: 20, file: file + "=2", from: 1},
			{minute: 30, file: "specs/a", from: 1}}, two, false, 0},
		{"a commit that is older than its parent",
			[]past{{minute: 20, file: "other/a"}, {minute: 10, file: file + "=1"}},
			one, false, 20},
		{"a newer one behind a slow clock",
			[]past{{minute: 10, file: file + "=1"}, {minute: 50, file: file + "=2", from: 1},
				{minute: 40, file: "other/a"}, {minute: 45, file: file + "=2", from: 1},
				{minute: 60, file: file + "=3", merge: 3}},
			two, false, 50},
		{"as no commit has it", []past{{minute: 10, file: file + "=1"}}, two, false, 0},
		{"one file more", []past{{minute: 10, file: file + "=1"}}, Tree{"hosts/a": []byte("1"), "hosts/b": nil}, false,
			0},
		{"one file less", []past{{minute: 10, file: file + "=1"}, {minute: 20, file: "site/hosts/b/c"}}, one, false,
			10},
		{"one folder less", []past{{minute: 10, file: "site/hosts/b/c"}, {minute: 20, file: file + "=1"}}, one, false,
			0},
	} {
		checkout := t.TempDir()
		git(t, checkout, "init", "--quiet", "--initial-branch=main")
		record(t, checkout, row.history)
		require.NoError(t, os.Mkdir(filepath.Join(checkout, "site"), 0o755))
		if row.merging {
			theirs := git(t, checkout, "rev-parse", "main^2")
			git(t, checkout, "update-ref", "refs/heads/main", "main^1")
			need.Write(t, filepath.Join(checkout, ".git/MERGE_HEAD"), theirs+"\n")
		}
		folderChange(t, row.why, filepath.Join(checkout, "site"), row.tree, row.want)
	}
}

// TestFolderChangeWhere: in a worktree and in the whole of a checkout as in a folder; where the history ends, the last
// commit is the change; elsewhere it is unknown.
func TestFolderChangeWhere(t *testing.T) {
	t.Parallel()
	whole, outside := t.TempDir(), t.TempDir()
	git(t, whole, "init", "--quiet", "--initial-branch=main")
	record(t, whole, []past{{minute: 10, file: "hosts/a=1"}, {minute: 20, file: "hosts/b=1"},
		{minute: 30, file: "specs/a"}})
	before, now := Tree{"hosts/a": []byte("1")}, Tree{"hosts/a": []byte("1"), "hosts/b": []byte("1")}
	folderChange(t, "the whole checkout", whole, now, 20)
	worktree := filepath.Join(outside, "worktree")
	git(t, whole, "worktree", "add", "--quiet", "--detach", worktree, "main~1")
	folderChange(t, "a worktree", worktree, before, 10)
	link := filepath.Join(outside, "link")
	require.NoError(t, os.Symlink(whole, link))
	folderChange(t, "a link", link, now, 20)
	shallow := cloned(t, "file://"+whole, "--depth=1")
	folderChange(t, "a shallow clone", shallow, now, 30)
	folderChange(t, "an older tree in a shallow clone", shallow, before, 0)
	folderChange(t, "no checkout", outside, now, 0)
	folderChange(t, "no folder", filepath.Join(outside, "none"), now, 0)
	empty := t.TempDir()
	git(t, empty, "init", "--quiet")
	folderChange(t, "no commit", empty, now, 0)
}

// TestFolderChangeFarDown: a tree that has been there for long is older than the hosts, however many commits follow.
func TestFolderChangeFarDown(t *testing.T) {
	t.Parallel()
	checkout := t.TempDir()
	git(t, checkout, "init", "--quiet", "--initial-branch=main")
	record(t, checkout, then([]past{{minute: 1, file: "hosts/a=1"}}, historyLimit+1))
	concerns := func(name string) bool { return strings.HasPrefix(name, "hosts/") }
	one, two := Tree{"hosts/a": []byte("1")}, Tree{"hosts/a": []byte("2")}
	found := FolderChange(t.Context(), checkout, one, minute(4000), concerns)
	assert.Truef(t, !found.IsZero() && found.Before(minute(4000)), "found minute %v, want one before 4000",
		found.Sub(minute(0)).Minutes())
	assert.Truef(t, FolderChange(t.Context(), checkout, two, minute(4000), concerns).IsZero(),
		"a tree that no commit has")
}

// folderChange fails unless the last change of a folder is of a minute.
func folderChange(t testing.TB, why, folder string, tree Tree, want int) {
	t.Helper()
	found := FolderChange(t.Context(), folder, tree, minute(0),
		func(name string) bool { return strings.HasPrefix(name, "hosts/") })
	if want == 0 {
		assert.Truef(t, found.IsZero(), "%s: found minute %v, want none", why, found.Sub(minute(0)).Minutes())
		return
	}
	assert.Truef(t, found.Equal(minute(want)), "%s: found minute %v, want %d", why, found.Sub(minute(0)).Minutes(),
		want)
}
