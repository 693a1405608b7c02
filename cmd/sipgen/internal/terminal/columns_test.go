package terminal

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestColumns(t *testing.T) {
	rows := [][]string{{"HOST", "NAMESPACES", "WHAT"},
		{"metal3/a", strings.Repeat("n", 30), "it waits until the sync is done, and then for the next run"},
		{"metal3/b", "", ""}}
	for _, row := range []struct {
		width, narrow int
		want          string
	}{
		{0, 2, "HOST      NAMESPACES                      WHAT\nmetal3/a  nnnnnnnnnnnnnnnnnnnnnnnnnnnnnn  it waits until the sync is done, and then for the next run\nmetal3/b\n"},
		{80, 2, "HOST     NAMESPACES                     WHAT\nmetal3/a nnnnnnnnnnnnnnnnnnnnnnnnnnnnnn it waits until the sync is done, and\n" +
			"                                        then for the next run\nmetal3/b\n"},
		{88, 1, "HOST     NAMESPACES                     WHAT\nmetal3/a nnnnnnnnnnnnnnnnnnnnnnnnnnnnnn it waits until the sync is done, and then for the next run\nmetal3/b\n"},
	} {
		var out strings.Builder
		require.NoError(t, writeColumns(&out, rows, row.width, row.narrow))
		assert.Equal(t, row.want, out.String(), row.width)
	}
}

func TestLongCellsAreBounded(t *testing.T) {
	rows := [][]string{{"HOST", "WHY"}}
	for range 500 {
		rows = append(rows, []string{"m/h", strings.Repeat("no ", 30_000)})
	}
	for _, width := range []int{0, 80} {
		var out strings.Builder
		if err := writeColumns(&out, rows, width, 1); err != nil || out.Len() > 3*mostCell*len(rows) ||
			!strings.Contains(out.String(), "no…") {
			t.Errorf("width %d: %d bytes, %v", width, out.Len(), err)
		}
	}
}
