package golden

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestPageHasEveryFile: the table of docs/gitops.md has each file of the golden trees, and nothing that no tree has.
func TestPageHasEveryFile(t *testing.T) {
	page := need.Read(t, "../docs/gitops.md")
	_, rest, _ := strings.Cut(string(page), "## Files of the tree\n")
	section, _, _ := strings.Cut(rest, "\n## ")
	patterns, used := map[string]*regexp.Regexp{}, map[string]bool{}
	for _, row := range regexp.MustCompile("(?m)^\\| (`.*?) \\|").FindAllStringSubmatch(section, -1) {
		for _, path := range strings.Split(row[1], ", ") {
			path = strings.Trim(path, "`")
			text := strings.NewReplacer("NAMESPACE", "[^/]+", "NAME", "[^/]+", ".", "[.]").Replace(path)
			if !strings.HasSuffix(path, "/") {
				text += "$"
			}
			patterns[path] = regexp.MustCompile("^" + text)
		}
	}
	for _, example := range examples(t) {
		for name := range maps.Keys(files(t, example)) {
			found := false
			for path, pattern := range patterns {
				if pattern.MatchString(name) {
					found, used[path] = true, true
				}
			}
			assert.Truef(t, found, "docs/gitops.md: golden/%s/%s: want a row for it", example, name)
		}
	}
	for path := range patterns {
		assert.Truef(t, used[path], "docs/gitops.md: %s: no example has it", path)
	}
}

// TestGoldenRecord holds the golden trees to the hashes in testdata/record: a change that is to leave every tree as
// it is changes no line there. It comes after TestGolden, which writes the trees with -update.
func TestGoldenRecord(t *testing.T) {
	const path = "../testdata/record/golden.txt"
	var found strings.Builder
	for _, example := range examples(t) {
		hash, tree := sha256.New(), files(t, example)
		for _, name := range slices.Sorted(maps.Keys(tree)) {
			fmt.Fprintf(hash, "%s %d\n%s\n", name, len(tree[name]), tree[name])
		}
		fmt.Fprintln(&found, example, hex.EncodeToString(hash.Sum(nil)[:8]))
	}
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(found.String()), 0o644))
	}
	want := need.Read(t, path)
	assert.Equal(t, string(want), found.String(), path)
}
