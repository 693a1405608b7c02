package publish

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/publish/internal/treefs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func tree(pairs ...string) Tree {
	files := Tree{}
	for i := 0; i < len(pairs); i += 2 {
		files[pairs[i]] = []byte(pairs[i+1])
	}
	return files
}

func put(t testing.TB, dir string, files Tree) {
	t.Helper()
	for name, text := range files {
		need.Write(t, filepath.Join(dir, filepath.FromSlash(name)), string(text))
	}
}

// onDisk reads everything below a folder but its ownership file.
func onDisk(t *testing.T, dir string) Tree {
	t.Helper()
	files := Tree{}
	err := filepath.WalkDir(dir, func(full string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, full)
		if err != nil || name == OwnershipFile {
			return err
		}
		files[filepath.ToSlash(name)], err = os.ReadFile(full)
		return err
	})
	require.NoError(t, err)
	return files
}

func same(t *testing.T, what string, got, want Tree) {
	t.Helper()
	for _, change := range Diff(want, got) {
		t.Errorf("%s: %s %s: found %q, want %q", what, change.Kind, change.Path, change.New, change.Old)
	}
}

func mustWrite(t *testing.T, dir string, files Tree) Result {
	t.Helper()
	return need.Value(WriteDir(context.Background(), dir, files, DirOptions{}))(t)
}

func TestWriteDirReplacesWhatItOwnsAndNothingElse(t *testing.T) {
	t.Parallel()
	parent := t.TempDir()
	dir := filepath.Join(parent, "out")
	mustWrite(t, dir, tree("a/b.yaml", "1", "a/c.yaml", "2", "gone/deep/x", "3"))
	put(t, dir, tree("a/mine.txt", "hand", "README", "hand"))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "empty"), 0o755))
	next := tree("a/b.yaml", "1", "a/c.yaml", "2 changed", "new/y", "4")
	assert.Equal(t, Result{Added: []string{"new/y"}, Changed: []string{"a/c.yaml"}, Deleted: []string{"gone/deep/x"}},
		mustWrite(t, dir, next), "result")
	all := maps.Clone(next)
	maps.Copy(all, tree("a/mine.txt", "hand", "README", "hand"))
	same(t, "folder", onDisk(t, dir), all)
	assert.Truef(t, errors.Is(need.Err(os.Stat(filepath.Join(dir, "gone"))), os.ErrNotExist),
		"gone/ is still there, and empty")
	require.NoError(t, need.Err(os.Stat(filepath.Join(dir, "empty")))) // somebody's
	same(t, "ReadDir", need.Value(ReadDir(context.Background(), dir))(t), next)
	assert.Truef(t, mustWrite(t, dir, next).unchanged(), "the second write changes something")
	entries, err := os.ReadDir(parent)
	assert.Truef(t, err == nil && len(entries) == 1, "beside the folder: found %v, want nothing (%v)", entries, err)
}

func TestWriteDirRefuses(t *testing.T) {
	t.Parallel()
	list := string(treefs.FormatLists(tree("a", "1"), nil, nil, "")[OwnershipFile])
	rows := []struct {
		why   string
		have  Tree
		tree  Tree
		want  error
		says  string
		adopt string // what the folder holds after adopting; "refused" if adopting is refused too
	}{
		{"a folder of somebody else", tree("notes.txt", "x"), tree("a", "1"), ErrForeign, "adopt", "a=1 notes.txt=x"},
		{"a file that is in the way", tree(OwnershipFile, list, "a", "1", "b", "hand"), tree("a", "1", "b", "2"),
			ErrTaken, "/b:", "a=1 b=2"},
		{"a file where a folder is wanted", tree(OwnershipFile, list, "a", "1", "b", "hand"), tree("b/c", "2"),
			ErrTaken, "want a folder", "refused"},
		{"a folder where a file is wanted", tree(OwnershipFile, list, "a", "1", "b/c", "hand"), tree("b", "2"),
			ErrTaken, "b/c", "refused"},
		{"a list with conflict markers", tree(OwnershipFile, "<<<<<<< HEAD\n"+list, "a", "1"), tree("a", "2"),
			ErrOwnership, "merge conflict", "a=2"},
		{"a list that was edited", tree(OwnershipFile, strings.Replace(list, "path: a", "path: b", 1), "a", "1", "b",
			"hand"), tree("a", "2"), ErrOwnership, "edited", "a=2 b=hand"},
		{"a list that leaves the folder", tree(OwnershipFile, strings.Replace(list, "path: a", "path: ../a", 1)),
			tree("a", "2"), ErrOwnership, "leaves the folder", "a=2"},
		{"a list that is no YAML", tree(OwnershipFile, "{{{"), tree("a", "2"), ErrOwnership, "restore it from git",
			"a=2"},
		{"a list with a field that no version has", tree(OwnershipFile, list+"more: 1\n"), tree("a", "2"), ErrOwnership,
			"more", "a=2"},
		{"two lists", tree(OwnershipFile, list+"---\n"+list, "a", "1"), tree("a", "2"), ErrOwnership,
			"more than one document", "a=2"},
		{"a list of another kind", tree(OwnershipFile, strings.Replace(list, "v1alpha1", "v2", 1)), tree("a", "2"),
			ErrOwnership, "v2", "a=2"},
		{"an empty tree", tree(OwnershipFile, list, "a", "1"), tree(), ErrEmpty, "delete everything", "refused"},
	}
	for _, row := range rows {
		t.Run(row.why, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "out")
			put(t, dir, row.have)
			before := onDisk(t, dir)
			_, err := WriteDir(context.Background(), dir, row.tree, DirOptions{})
			wantError(t, "", err, row.want, row.says)
			same(t, "after the refusal", onDisk(t, dir), before)
			_, err = WriteDir(context.Background(), dir, row.tree, DirOptions{Adopt: true})
			if row.adopt == "refused" {
				assert.Truef(t, err != nil, "adopting: want a refusal")
				same(t, "after the second refusal", onDisk(t, dir), before)
				return
			}
			require.Truef(t, err == nil, "%v %v", "adopting:", err)
			var found []string
			after := onDisk(t, dir)
			for _, name := range slices.Sorted(maps.Keys(after)) {
				found = append(found, name+"="+string(after[name]))
			}
			assert.Equal(t, row.adopt, strings.Join(found, " "), "after adopting")
		})
	}
}

func TestNamesThatNoTreeMayHave(t *testing.T) {
	t.Parallel()
	for name, why := range map[string]string{
		"":            "empty",
		"/etc/passwd": "absolute",
		"../x":        "leaves the folder", "a/../../x": "leaves the folder", "./a": "leaves the folder",
		"a/.":  "leaves the folder",
		"a//b": "empty part", "a/": "empty part",
		`a\b`: "backslash", "a\nb": "control", "a\x7fb": "control", "a\u0085b": "control", "a\xffb": "UTF-8",
		".git/config": "git keeps", "x/.GIT/hooks/post-checkout": "git keeps", "GIT~1/x": "git keeps",
		".git./x": "git keeps",
		".git /x": "git keeps", ".g\u200cit/x": "git keeps", ".git::$INDEX_ALLOCATION/x": "git keeps",
		".gitmodules": "git keeps",
		OwnershipFile: "writes it itself", ".SIPGEN.yaml": "writes it itself",
		strings.Repeat("a", 256): "longer",
	} {
		_, err := WriteDir(context.Background(), filepath.Join(t.TempDir(), "out"), Tree{name: nil}, DirOptions{})
		wantError(t, name, err, ErrName, why)
	}
	for _, files := range []Tree{tree("a", "", "a/b", ""), tree("a", "", "a/b/c", "")} {
		if err := treefs.CheckTree(files); !errors.Is(err, ErrName) {
			t.Errorf("%v: found %v, want a collision", slices.Sorted(maps.Keys(files)), err)
		}
	}
	if err := treefs.CheckTree(tree("a/b.git/c", "", ".gitignore", "", "git/x", "", "a.b", "", "a/x", "", "ä ö:%",
		"")); err != nil {
		t.Error("harmless names:", err)
	}
}

// TestLinksAreNeverFollowed: what a link leads to, outside or beside the tree's folders, is neither written nor
// deleted. A link in the way may be somebody's only copy of where it leads, and stays, adopted or not.
func TestLinksAreNeverFollowed(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		why, name, to string
		next          Tree
		says          string // empty: it is written
	}{
		{"through a link that leads outside", "a", "../outside", tree("a/x", "2"), "/a: "},
		{"beside it", "a", "../outside", tree("b", "2"), ""},
		{"the owned file behind it is gone", "a", "others", tree("b", "2"), ""},
		{"a link in the way of a file", "c", "elsewhere", tree("a/x", "1", "b", "1", "c", "2"), "/c: "},
	} {
		parent := t.TempDir()
		dir := filepath.Join(parent, "out")
		put(t, parent, tree("outside/x", "precious", "out/others/x", "precious"))
		require.NoError(t,
			need.Err(WriteDir(context.Background(), dir, tree("a/x", "1", "b", "1"), DirOptions{Adopt: true})))
		require.NoError(t, os.RemoveAll(filepath.Join(dir, row.name)))
		require.NoError(t, os.Symlink(row.to, filepath.Join(dir, row.name)))
		for _, adopt := range []bool{false, true} {
			_, err := WriteDir(context.Background(), dir, row.next, DirOptions{Adopt: adopt})
			if row.says == "" {
				assert.NoError(t, err, row.why)
			} else {
				wantError(t, row.why, err, ErrTaken, row.says, "found a link")
			}
		}
		for _, folder := range []string{filepath.Join(parent, "outside"), filepath.Join(dir, "others")} {
			same(t, row.why, onDisk(t, folder), tree("x", "precious"))
		}
		to, err := os.Readlink(filepath.Join(dir, row.name))
		assert.Truef(t, err == nil && to == row.to, "%s: the link leads to %q, %v", row.why, to, err)
	}
}

// TestInterruptedWriteIsFinished: whatever of the moves is done when a run is killed, the next one that opens the
// folder does the rest; before the first move there is nothing to be done.
func TestInterruptedWriteIsFinished(t *testing.T) {
	t.Parallel()
	before, after := tree("a/b", "1", "gone/deep/x", "1", "same", "1", "was/a/folder", "1"), tree("a/b", "2", "new/y",
		"2", "same", "1", "was", "2")
	for moved := range 6 {
		dir := filepath.Join(t.TempDir(), "out")
		mustWrite(t, dir, before)
		put(t, dir, tree("a/mine", "hand"))
		changes := maps.Clone(after)
		delete(changes, "same")
		changes[OwnershipFile] = treefs.FormatLists(after, nil, nil, "")[OwnershipFile]
		put(t, filepath.Join(dir, treefs.StageInside), changes)
		steps := []string{"gone/deep/x", "was/a/folder", "a/b", "new/y", "was", OwnershipFile}
		for _, name := range steps[:moved] {
			_, stays := changes[name]
			err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755)
			if stays && err == nil {
				err = os.Rename(filepath.Join(dir, treefs.StageInside, name), filepath.Join(dir, name))
			} else if err == nil { // with the folders that are empty without it
				first, _, _ := strings.Cut(name, "/")
				err = os.RemoveAll(filepath.Join(dir, first))
			}
			require.NoError(t, err)
		}
		read := need.Value(ReadDir(t.Context(), dir))(t)
		same(t, fmt.Sprint(moved, " moved, read"), read, after)
		want := maps.Clone(after)
		want["a/mine"] = []byte("hand")
		same(t, fmt.Sprint(moved, " moved"), onDisk(t, dir), want)
	}
	dir := filepath.Join(t.TempDir(), "out")
	mustWrite(t, dir, before)
	put(t, filepath.Join(dir, treefs.StageInside),
		Tree{"new": []byte("2"), OwnershipFile: treefs.FormatLists(tree("new", "2"), nil, nil, "")[OwnershipFile]})
	put(t, dir, tree("new", "hand"))
	wantError(t, "somebody's file in the way", need.Err(ReadDir(t.Context(), dir)), ErrTaken, "new: ")
	text := onDisk(t, dir)["new"]
	assert.Truef(t, string(text) == "hand", "somebody's file is now %q", text)
	require.NoError(t, os.Remove(filepath.Join(dir, "new")))
	mustWrite(t, dir, before)
	same(t, "with nothing in the way", onDisk(t, dir), before)
	// What is not staged completely is thrown away.
	put(t, filepath.Join(dir, treefs.StageWritten), tree("a/b", "3"))
	mustWrite(t, dir, before)
	same(t, "a stage that is not complete", onDisk(t, dir), before)
}
