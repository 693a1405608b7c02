package app

import (
	"path/filepath"
	"regexp"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestRefusalsHaveTheirType: a text that begins with the word alone would be printed as another error.
func TestRefusalsHaveTheirType(t *testing.T) {
	literal := regexp.MustCompile("[\"`]refused: ")
	files := need.Value(filepath.Glob("*.go"))(t)
	require.Truef(t, len(files) > 10, "found %d files", len(files))
	for _, file := range files {
		text := string(need.Read(t, file))
		if test, _ := filepath.Match("*_test.go", file); test || file == "errors.go" {
			continue
		}
		assert.Truef(t, !literal.MatchString(text), "%s: want refusef", file)
	}
}
