package publish

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/publish/internal/treefs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// listed is a tree in two parts, with a file of the root.
func listed(a, b, root string) (Tree, Lists) {
	files := tree("c/a/x", a, "c/a/y", "1", "r/a", "1", "c/b/x", b, "root", root)
	return files, Lists{Parts: map[string]string{"c/a/x": "c/a", "c/a/y": "c/a", "r/a": "c/a", "c/b/x": "c/b"},
		Assignments: "sha256:" + root}
}

// TestListsOfParts: a change of one part changes its list, and no other one; a part that goes takes its list with it.
func TestListsOfParts(t *testing.T) {
	dir := t.TempDir()
	write := func(files Tree, lists Lists) map[string]string {
		t.Helper()
		require.NoError(t, need.Err(WriteDir(context.Background(), dir, files, DirOptions{Lists: lists})))
		state := need.Value(ReadState(context.Background(), dir, Search{Places: []string{"c", "r"}}))(t)
		assert.Truef(t,
			state.Unlisted == nil && state.Damaged == nil &&
				len(state.Edited)+len(state.Missing)+len(state.Others) == 0,
			"what is written is not as the lists have it: %+v", state)
		assert.Equal(t, slices.Sorted(maps.Keys(files)), slices.Sorted(maps.Keys(state.Tree)), "owned")
		assert.Equal(t, lists.Assignments, state.Assignments, "assignments")
		found := map[string]string{}
		for _, folder := range []string{"", "c/a", "c/b"} {
			text, _ := os.ReadFile(filepath.Join(dir, folder, OwnershipFile))
			found[folder] = string(text)
		}
		return found
	}
	differing := func(a, b map[string]string) (names []string) {
		for name := range a {
			if a[name] != b[name] {
				names = append(names, name)
			}
		}
		return slices.Sorted(slices.Values(names))
	}
	first := write(listed("1", "1", "1"))
	second := write(listed("2", "1", "1"))
	assert.Equal(t, []string{"c/a"}, differing(first, second), "a change of a part")
	third := write(listed("2", "1", "2"))
	assert.Equal(t, []string{""}, differing(second, third), "a change of the root")
	files, lists := listed("2", "1", "2")
	delete(files, "c/b/x")
	fourth := write(files, lists)
	assert.Equal(t, []string{"", "c/b"}, differing(third, fourth), "a part goes")
	assert.Truef(t, fourth["c/b"] == "", "its list is still there")

	// What was edited, and stays, keeps its sum.
	need.Write(t, filepath.Join(dir, "c/a/x"), "edited")
	require.NoError(t, os.Remove(filepath.Join(dir, "c/a/y")))
	files["c/a/x"], lists.Edited = []byte("edited"), []string{"c/a/x", "c/a/y"}
	delete(files, "c/a/y")
	for range 2 {
		require.NoError(t, need.Err(WriteDir(context.Background(), dir, files, DirOptions{Lists: lists})))
		state := need.Value(ReadState(context.Background(), dir, Search{}))(t)
		assert.Equal(t, []string{"c/a/x"}, state.Edited, "edited")
		assert.Equal(t, []string{"c/a/y"}, state.Missing, "missing")
	}

	// A list that is damaged is written over by nobody.
	need.Write(t, filepath.Join(dir, "c/a", OwnershipFile), "<<<<<<< ours\n")
	err := need.Err(WriteDir(context.Background(), dir, files, DirOptions{Lists: lists}))
	assert.Truef(t, errors.Is(err, ErrOwnership), "found %v", err)
}

// TestKilledWithParts: a run that is killed at any step of a write with parts is finished by the next reader: each file
// is the new one then, with lists that have them.
func TestKilledWithParts(t *testing.T) {
	oldFiles, oldLists := listed("1", "1", "1")
	files, lists := listed("2", "1", "2")
	delete(files, "c/b/x")
	files["c/d/new"], lists.Parts["c/d/new"] = []byte("1"), "c/d"
	changes := Tree{"c/a/x": files["c/a/x"], "c/d/new": files["c/d/new"], "root": files["root"]}
	written := treefs.FormatLists(files, lists.Parts, nil, lists.Assignments)
	maps.Copy(changes, written)
	steps := []string{"-c/b/x", "-c/b/.sipgen.yaml", "c/a/x", "c/d/new", "root", "c/a/.sipgen.yaml", "c/d/.sipgen.yaml",
		".sipgen.yaml"}
	for killed := range len(steps) + 1 {
		dir := t.TempDir()
		require.NoError(t, need.Err(WriteDir(context.Background(), dir, oldFiles, DirOptions{Lists: oldLists})))
		put(t, filepath.Join(dir, treefs.StageInside), changes)
		for _, step := range steps[:killed] {
			var err error
			if step[0] == '-' {
				err = os.Remove(filepath.Join(dir, step[1:]))
			} else {
				require.NoError(t, os.MkdirAll(filepath.Join(dir, filepath.Dir(step)), 0o755))
				err = os.Rename(filepath.Join(dir, treefs.StageInside, step), filepath.Join(dir, step))
			}
			require.NoError(t, err)
		}
		state := need.Value(ReadState(context.Background(), dir, Search{Places: []string{"c", "r"}}))(t)
		assert.Truef(t,
			state.Unlisted == nil && state.Damaged == nil &&
				len(state.Edited)+len(state.Missing)+len(state.Others) == 0,
			"killed after %d steps: %+v", killed, state)
		assert.Equal(t, slices.Sorted(maps.Keys(files)), slices.Sorted(maps.Keys(state.Tree)), "owned")
		assert.Truef(t, maps.EqualFunc(state.Tree, files, func(a, b []byte) bool { return string(a) == string(b) }),
			"killed after %d steps: a file is an old one", killed)
	}
}
