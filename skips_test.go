package sipgen_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/hack/orphans"
	"github.com/stretchr/testify/assert"
)

// skips are the files that skip by themselves, and why that is right. Everybody else calls need.Missing, which fails
// with CI=true.
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
			assert.Truef(t, !skipCall.Match(line),
				"%s:%d: skips by itself, want need.Missing: with CI=true it has to fail", path, i+1)
		}
	})
}

func TestMain(m *testing.M) { os.Exit(orphans.Tests{M: m}.Run()) }
