package object

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// sameAsLibrary fails unless a document is written as the library does, or left to the library, which it reports as
// false.
func sameAsLibrary(t *testing.T, value any, as style) bool {
	t.Helper()
	root, err := as.node(value, 0, false)
	require.NoError(t, err)
	var own, library bytes.Buffer
	require.NoError(t, encode(&library, root))
	written := write(&own, root)
	if written {
		assert.Equal(t, library.String(), own.String())
	}
	return written
}

// TestWritesAsTheLibrary: a document is the library's, whatever its texts are and wherever they stand in it.
func TestWritesAsTheLibrary(t *testing.T) {
	t.Parallel()
	printable := ""
	for c := ' '; c <= '~'; c++ {
		printable += string(c)
	}
	texts := append(append(everyText(printable+"\n\té\x01\u0085", 2), everyText(" \n#:-'?,.a", 4)...), words()...)
	for _, text := range []string{"a: b", "a #b", "{a", "a}b", "--- a", "...", "haproxy:3.0@sha256:0",
		"frontend a\n  bind :1\n", "a\n\n  b\n# c", "a\n b\n\n", "a \nb", "grüße\nb\n"} {
		texts = append(texts, text, "x\n"+text)
	}
	texts = append(texts, strings.Repeat("k", maxKey), strings.Repeat("k", maxKey+1))
	written := 0
	for _, text := range texts {
		for _, as := range []style{blocks, rows} {
			for _, value := range []any{
				map[string]any{text: text, "labels": map[string]any{text: text}, "nodeSelector": map[string]any{text: text}},
				map[string]any{"list": []any{text, []any{text, []any{text, 1}}, map[string]any{"name": text, "a": text}}},
				[]any{text}, []any{[]any{text, map[string]any{"a": []any{text}}}},
			} {
				if sameAsLibrary(t, value, as) {
					written++
				}
			}
		}
	}
	assert.Greater(t, written, 4*len(texts), "documents without the library")
}

// TestWritesEachShape: lists and objects in each other, with and without parts, in one line or in several.
func TestWritesEachShape(t *testing.T) {
	t.Parallel()
	deeper := func(values []any) (all []any) {
		for _, one := range values {
			all = append(all, []any{one}, map[string]any{"spec": one})
			for _, two := range values {
				all = append(all, []any{one, two}, map[string]any{"target": one, "name": two})
			}
		}
		return all
	}
	leaves := []any{"word", "a\nb", 1, nil, map[string]any{}, []any{}}
	for _, value := range deeper(append(deeper(leaves), leaves...)) {
		assert.Truef(t, sameAsLibrary(t, value, blocks) && sameAsLibrary(t, value, rows), "%v: by the library", value)
	}
	for _, value := range []any{1.5, "a", map[string]any{"a": 1.5}, map[string]any{"a": 1e30}} {
		assert.Falsef(t, sameAsLibrary(t, value, blocks), "%v: without the library", value)
	}
	modes := map[string]any{"defaultMode": 288, "items": []any{map[string]any{"defaultMode": 7}}}
	assert.True(t, sameAsLibrary(t, modes, blocks), "modes of files")
}
