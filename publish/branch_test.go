package publish

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestBranch: the folders of a branch are read as Read reads each, side by side, and all of the commit that the first
// one found. What is wrong with one folder, or with the repository, is said as Read says it.
func TestBranch(t *testing.T) {
	repo := bare(t)
	target := func(folder string) Target { return Target{URL: repo, Branch: "main", Path: folder} }
	put := func(folder, text string) {
		t.Helper()
		_, _, err := Loop(t.Context(), target(folder), func(*Snapshot) (Tree, Meta, struct{}, error) {
			return Tree{"PLAN.md": []byte(text), "clusters/a/b.yaml": []byte("a: " + text)}, meta, struct{}{}, nil
		})
		require.NoError(t, err)
	}
	put("sites/a", "1")
	put("sites/b", "2")
	folders := []string{"sites/a", "sites/b", "sites/none", "sites/a/PLAN.md", "../up", "/sites//b/"}
	branch, want := NewBranch(target("any"), folders), map[string]*Snapshot{}
	var all sync.WaitGroup
	for _, folder := range folders {
		alone, wrong := Read(t.Context(), target(folder))
		all.Go(func() {
			found, err := branch.Read(t.Context(), folder)
			if wrong != nil {
				assert.EqualError(t, err, wrong.Error(), folder)
				return
			}
			if assert.NoError(t, err, folder) {
				assert.Equal(t, alone.Tree, found.Tree, folder)
				assert.Equal(t, alone.Commit, found.Commit, folder)
				assert.Equal(t, alone.path, found.path, folder)
				assert.Equal(t, alone.site, found.site, folder)
			}
		})
		want[folder] = alone
	}
	all.Wait()
	put("sites/a", "3") // after the branch was read
	found, err := branch.Read(t.Context(), "sites/a")
	require.NoError(t, err)
	assert.Equal(t, want["sites/a"].Tree, found.Tree)

	for _, wrong := range []Target{{URL: repo + "/none"}, {URL: repo, Branch: "none"}, {URL: "gopher://x/y"}, {}} {
		wrong.Path = "sites/a"
		_, alone := Read(t.Context(), wrong)
		branch := NewBranch(wrong, folders)
		for range 2 {
			_, err := branch.Read(t.Context(), "sites/a")
			assert.EqualError(t, err, alone.Error())
		}
	}
}
