package golden

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
)

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
		need.OK(t, os.WriteFile(path, []byte(found.String()), 0o644))
	}
	want := need.Read(t, path)
	if found.String() != string(want) {
		t.Errorf("%s: found\n%swant\n%s", path, found.String(), want)
	}
}
