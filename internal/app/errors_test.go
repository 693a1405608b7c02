package app

import (
	"path/filepath"
	"regexp"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
)

// TestRefusalsHaveTheirType: a text that begins with the word alone would be printed as another error.
func TestRefusalsHaveTheirType(t *testing.T) {
	literal := regexp.MustCompile("[\"`]refused: ")
	files := need.Value(filepath.Glob("*.go"))(t)
	need.Must(t, len(files) > 10, "found %d files", len(files))
	for _, file := range files {
		text := string(need.Read(t, file))
		if test, _ := filepath.Match("*_test.go", file); test || file == "errors.go" {
			continue
		}
		need.That(t, !literal.MatchString(text), "%s: want refusef", file)
	}
}
