package main

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/airshipit/sipgen/internal/fleet"
)

// TestKeptOutputs: outputs come back as they were, the last one of each Site, and beyond a bound none is in memory.
// Nothing is left in $TMPDIR.
func TestKeptOutputs(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	var kept keptOutputs
	text := func(site, round int) string {
		return strings.Repeat(fmt.Sprintf("%d/%d\n", site, round), mostInMemory/40*(site%3))
	}
	const sites = 12
	for round := range 2 {
		for i := round; i < sites; i += 1 + round {
			done := &siteOutput{site: &fleet.Site{Name: fmt.Sprint(i)}, code: i}
			done.out, done.err = *bytes.NewBufferString(text(i, round)), *bytes.NewBufferString(fmt.Sprint("err ", i, round))
			require.NoError(t, kept.keep(done))
		}
	}
	held := 0
	for _, one := range kept.of {
		held += one.done.out.Cap() + one.done.err.Cap()
	}
	assert.Less(t, held, 3*mostInMemory)
	for i := range sites {
		done, err := kept.take(fmt.Sprint(i))
		require.NoError(t, err)
		assert.Equal(t, i, done.code)
		assert.True(t, text(i, i%2) == done.out.String(), "out of Site %d", i)
		assert.Equal(t, fmt.Sprint("err ", i, i%2), done.err.String())
	}
	done, err := kept.take("0")
	require.NoError(t, err)
	assert.Nil(t, done, "it was taken")
	entries, err := os.ReadDir(os.Getenv("TMPDIR"))
	require.NoError(t, err)
	assert.Empty(t, entries)
	require.NoError(t, kept.close())
}
