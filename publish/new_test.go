package publish

import (
	"errors"
	"io/fs"
	"path/filepath"
	"testing"
	"time"
)

func TestNewRepositoryOnDisk(t *testing.T) {
	dir, by := filepath.Join(t.TempDir(), "fleet.git"), Signature{Name: "ada", Email: "ada@example.org"}
	if err := NewRepository(dir, "main", by, time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	fsck(t, dir)
	if err := NewRepository(dir, "main", by, time.Unix(1, 0)); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a folder that is there: got %v", err)
	}
	if err := NewRepository(dir+"2", "HEAD", by, time.Unix(1, 0)); err == nil {
		t.Error("a name that no branch can have: no error")
	}
}
