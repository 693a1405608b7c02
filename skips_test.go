package sipgen_test

import (
	"bytes"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/hack/orphans"
)

// skips are the files that skip by themselves, and why that is right. Everybody else calls need.Missing, which fails with CI=true.
var skips = []string{
	"hack/need/need.go",    // it is the one that does
	"e2e/engine/shared.go", // the engines that tests share could not be started: the first of them has failed with CI=true
	// It tests those who skip.
	"hack/need/need_test.go", "hack/tally/main_test.go",
}

var skipCall = regexp.MustCompile(`\.(Skip|Skipf|SkipNow)\(`)

// TestNothingSkips: a test that lacks something is skipped on a person's machine, and fails where CI=true.
func TestNothingSkips(t *testing.T) {
	each(t, ".", ".go", []string{"demo", "bin", "out"}, func(path string) {
		if slices.Contains(skips, filepath.ToSlash(path)) || path == "skips_test.go" {
			return
		}
		for i, line := range bytes.Split(need.Read(t, path), []byte("\n")) {
			need.That(t, !skipCall.Match(line), "%s:%d: skips by itself, want need.Missing: with CI=true it has to fail", path, i+1)
		}
	})
}

// TestExamplesAreForOutsiders: an example that imports what stands below internal is none for others.
func TestExamplesAreForOutsiders(t *testing.T) {
	found := map[string]bool{}
	each(t, ".", "example_test.go", nil, func(path string) {
		file := need.Value(parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly))(t)
		found[filepath.ToSlash(filepath.Dir(path))] = true
		need.That(t, strings.HasSuffix(file.Name.Name, "_test"), "%s: package %s, want one of its own", path, file.Name.Name)
		for _, spec := range file.Imports {
			need.Without(t, path, spec.Path.Value, "/internal/")
		}
	})
	for _, folder := range []string{"api", "inventory/files", "schedule", "render", "publish"} {
		need.That(t, found[folder], "%s: no example_test.go", folder)
	}
}

func TestMain(m *testing.M) { os.Exit(orphans.Tests{M: m}.Run()) }
