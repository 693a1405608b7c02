package cmdline

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/airshipit/sipgen/internal/app"
	"github.com/airshipit/sipgen/internal/manifest"
)

// CheckOut refuses to write the tree where the next run reads specs or hosts: its patches would be read as hosts.
func (in *Inputs) CheckOut(out string) error {
	for _, folder := range in.Specs {
		if readable(folder) && realPath(out) == realPath(folder) {
			return fmt.Errorf("--out: found %s, which the specs are read from, want a folder of the tree's own", out)
		}
	}
	if Inside(out, in.Inventory) {
		return fmt.Errorf("--out: found %s, want a folder outside %s, which the hosts are read from: each would be defined "+
			"twice", out, in.Inventory)
	}
	return nil
}

// Inside reports whether a path is that of a folder that is read, or of something in it.
func Inside(path, folder string) bool { return readable(folder) && below(path, folder) }

// readable: a path that is read, and neither standard input nor the live cluster.
func readable(path string) bool {
	return path != "" && path != app.FromCluster && path != manifest.Stdin
}

// below reports whether a path is that of a folder, or of something in it.
func below(path, folder string) bool {
	rel, err := filepath.Rel(realPath(folder), realPath(path))
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// realPath returns a path without links, as far as it is there.
func realPath(path string) string {
	abs, err := filepath.Abs(path)
	if err != nil {
		return filepath.Clean(path)
	}
	for dir, rest := abs, ""; ; dir, rest = filepath.Dir(dir), filepath.Join(filepath.Base(dir), rest) {
		if found, err := filepath.EvalSymlinks(dir); err == nil {
			return filepath.Join(found, rest)
		}
		if dir == filepath.Dir(dir) {
			return abs
		}
	}
}
