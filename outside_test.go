package sipgen_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
)

// TestExamplesAreForOutsiders: an example that imports what stands below internal is none for others.
func TestExamplesAreForOutsiders(t *testing.T) {
	found := map[string]bool{}
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || entry.Name() != "example_test.go" {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		found[filepath.ToSlash(filepath.Dir(path))] = true
		if !strings.HasSuffix(file.Name.Name, "_test") {
			t.Errorf("%s: package %s, want one of its own", path, file.Name.Name)
		}
		for _, spec := range file.Imports {
			need.Without(t, path, spec.Path.Value, "/internal/")
		}
		return nil
	})
	need.OK(t, err)
	for _, folder := range []string{"api", "inventory/files", "schedule", "render", "publish"} {
		if !found[folder] {
			t.Errorf("%s: no example_test.go", folder)
		}
	}
}
