package publish

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// alike is a Walk's Continues: the first letters of the files are the same. A file "?" cannot be read.
func alike(before, after *State) (bool, error) {
	was, is := string(before.Tree["c/n/a"]), string(after.Tree["c/n/a"])
	if strings.HasPrefix(was, "?") {
		return false, errors.New("unreadable")
	}
	return was != "" && was[:1] == is[:1], nil
}

// textsOf returns the texts of c/n/a in the versions, "" where there is none, and why there are older commits.
func textsOf(t *testing.T, target Target, walk Walk) (found []string, older string) {
	t.Helper()
	walk.Files, walk.Most = "c/*/a", 100
	older, err := mustRead(t, target).History(t.Context(), walk, func(v *Version) error {
		found = append(found, string(v.State.Tree["c/n/a"]))
		return nil
	})
	require.NoError(t, err)
	return found, older
}

// The history of a tree goes on where it was before: moved by git mv, twice, and rendered anew next to the old one.
func TestHistoryFollowsMoves(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	repo, work := filepath.Join(root, "fleet.git"), filepath.Join(root, "work")
	git(t, root, "init", "--quiet", "--bare", "--initial-branch=main", repo)
	at := func(path string) Target { return Target{URL: repo, Branch: "main", Path: path} }
	mustPublish(t, at("sites/b"), tree("c/n/a", "b of another site"))
	mustPublish(t, at("sites/a"), tree("c/n/a", "a1"))
	git(t, root, "clone", "--quiet", repo, work)
	git(t, work, "mv", "sites/a", "two")
	git(t, work, "-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "--quiet", "-m", "move")
	git(t, work, "push", "--quiet", "origin", "main")
	mustPublish(t, at("two"), tree("c/n/a", "a2"))
	mustPublish(t, at("three"), tree("c/n/a", "a for another engine", "c/m/a", "")) // while the old one is still there
	mustPublish(t, at("three"), tree("c/n/a", "a3"))
	web := serveHTTPS(t, root)
	over := at("three")
	over.URL, over.Auth = web.url+"/fleet.git", web.login()
	for _, setting := range []string{"", "uploadpack.allowFilter", "uploadpack.allowAnySHA1InWant"} {
		if setting != "" {
			git(t, repo, "config", setting, "true")
		}
		for _, target := range []Target{at("three"), over} {
			found, older := textsOf(t, target, Walk{Continues: alike})
			assert.Equal(t, []string{"", "a1", "a2", "a for another engine", "a3"}, found, target.String()+" "+setting)
			assert.Equal(t, "", older, target.String()+" "+setting)
		}
	}
	found, older := textsOf(t, at("sites/b"), Walk{Continues: alike})
	assert.Equal(t, []string{"b of another site"}, found, "a new tree beside none")
	assert.Equal(t, "", older, "a new tree beside none")
	found, _ = textsOf(t, at("three"), Walk{})
	assert.Equal(t, []string{"", "a for another engine", "a3"}, found, "without Continues")

	mustPublish(t, at("four"), tree("c/n/a", "c of a new site"))
	found, older = textsOf(t, at("four"), Walk{Continues: alike})
	assert.Equal(t, []string{"", "c of a new site"}, found, "a new tree beside others")
	assert.Equal(t, "", older, "a new tree beside others")

	mustPublish(t, at("five"), tree("c/n/a", "a that two had"))
	_, older = textsOf(t, at("five"), Walk{Continues: alike})
	assert.Contains(t, older,
		", and several folders had it before: continue with --path and one of three, two", "two had it")
	mustPublish(t, at("six"), tree("c/n/a", "?"))
	mustPublish(t, at("seven"), tree("c/n/a", "d"))
	_, older = textsOf(t, at("seven"), Walk{Continues: alike})
	assert.Contains(t, older,
		"may have been in another folder before: continue with --path six: unreadable", "an unreadable one")
}

// TestHistoryOfADamagedRepository: what the commit before had elsewhere cannot be read. A history that ended there
// would make a bill without the hours in the former folder.
func TestHistoryOfADamagedRepository(t *testing.T) {
	t.Parallel()
	for _, damaged := range []string{"sites", "sites/a/c/n/a"} {
		repo := with(t, Tree{"README.md": []byte("x")})
		mustPublish(t, Target{URL: repo, Branch: "main", Path: "sites/a"}, tree("c/n/a", "a1"))
		mustPublish(t, Target{URL: repo, Branch: "main", Path: "two"}, tree("c/n/a", "a2"))
		target := Target{URL: repo, Branch: "main"}
		if damaged != "sites" { // a file that is fetched when the history asks for it
			git(t, repo, "config", "uploadpack.allowFilter", "true")
			git(t, repo, "config", "uploadpack.allowAnySHA1InWant", "true")
			target = httpsTarget(t, repo)
		}
		target.Path = "two"
		object := git(t, repo, "rev-parse", "main:"+damaged)
		require.NoError(t, os.Remove(filepath.Join(repo, "objects", object[:2], object[2:])))
		walk := Walk{Files: "c/*/a", Most: 100, Continues: alike}
		_, err := mustRead(t, target).History(t.Context(), walk, func(*Version) error { return nil })
		wantError(t, damaged, err, nil, object)
	}
}
