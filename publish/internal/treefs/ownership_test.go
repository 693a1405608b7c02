package treefs

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestListIsOneDocument: however many files and folders a list has, it is what the encoder makes of them at once.
func TestListIsOneDocument(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, atOnce - 1, atOnce, atOnce + 1, 3*atOnce + 1} {
		for _, folders := range []int{0, n} {
			list := &ownership{Assignments: "sha256:0", Files: []ownedFile{}}
			for i := range n {
				path := []string{"a/%d", "yes %d", "- %d", "%d", "'%d: \"", "é%d"}[i%6]
				list.Files = append(list.Files, ownedFile{fmt.Sprintf(path, i), Digest([]byte(path))})
			}
			for i := range folders {
				list.Folders = append(list.Folders, fmt.Sprintf("%d/a", i))
			}
			text := string(list.format()) // sorts the list
			assert.True(t, slices.IsSorted(list.Folders))
			want := ownershipNote + string(encode(list))
			want = strings.Replace(want, `digest: ""`, "digest: "+list.digest([]byte(want)), 1)
			assert.Equal(t, want, text)
			parsed, err := parse("", []byte(text))
			assert.NoError(t, err)
			list.Digest = parsed.Digest
			assert.Equal(t, list, parsed)
		}
	}
}
