//go:build linux

package publish

import (
	"os"
	"path/filepath"
	"testing"
)

// What somebody else does in the folder while the new one is staged is carried over.
func TestExchangeCarriesOverWhatHappenedMeanwhile(t *testing.T) {
	parent := t.TempDir()
	dir, stage := filepath.Join(parent, "out"), filepath.Join(parent, "stage")
	mustWrite(t, dir, tree("a", "1", "gone", "1"))
	put(t, dir, tree("edited", "before", "untouched", "x"))
	here, err := openFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer here.close()
	next := tree("a", "2")
	listed, _, _, err := here.owned()
	owned := listed.sums
	if err != nil {
		t.Fatal(err)
	}
	result, _, err := reconcile(dir, here, owned, next, false)
	if err != nil {
		t.Fatal(err)
	}
	work := folderWrite{root: dir, here: here, tree: next, owned: owned, list: formatOwnership(next), result: &result}
	if err := os.Mkdir(stage, 0o755); err != nil {
		t.Fatal(err)
	}
	seen, err := work.stage(stage)
	if err != nil {
		t.Fatal(err)
	}
	put(t, dir, tree("new/file", "late"))
	if err := os.Remove(filepath.Join(dir, "edited")); err != nil { // as editors save: a new file in the old one's place
		t.Fatal(err)
	}
	put(t, dir, tree("edited", "after"))
	if err := exchangeFolders(stage, dir); err != nil {
		t.Fatal(err)
	}
	if err := work.carryOver(stage, seen); err != nil {
		t.Fatal(err)
	}
	same(t, "the folder", onDisk(t, dir), tree("a", "2", "edited", "after", "untouched", "x", "new/file", "late"))
}
