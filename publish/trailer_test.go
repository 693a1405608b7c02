package publish

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// written is a message of sipgen's commit.
func written(version string) string {
	return "words\n\nOther: x\nSipgen-Version: " + version + "\nSigned-off-by: A <a@example.org>\n"
}

// TestTrailer: it is that of the newest commit that changed the folder and has it, on whichever side of a merge.
func TestTrailer(t *testing.T) {
	t.Parallel()
	first := past{minute: 1, file: "site/a=1", message: written("v1.0.0")}
	second := past{minute: 2, file: "site/a=2", message: written("v1.1.0")}
	for _, row := range []struct {
		why, want string
		history   []past
	}{
		{"the tip", "v1.1.0", []past{first, second}},
		{"a later commit of another folder", "v1.0.0",
			[]past{first, {minute: 2, file: "other/a", message: written("v1.1.0")}}},
		{"a later commit without a trailer", "v1.0.0",
			[]past{first, {minute: 2, file: "site/a=2", message: "by hand\n"}}},
		{"a proposal that a merge brought", "v1.1.0", []past{first, second, {minute: 3, file: "docs/a", from: 1},
			{minute: 4, file: "site/a=2", merge: 2, message: "Merge\n"}, {minute: 5, file: "docs/a"}}},
		{"a merge of both sides", "v1.0.0", []past{first, second, {minute: 3, file: "site/b=1", from: 1},
			{minute: 4, file: "site/a=2", merge: 2, message: "Merge\n"}}},
		{"a squashed proposal without trailers", "v1.0.0",
			[]past{first, {minute: 2, file: "site/a=2", message: "Upgrade (#7)\n"}}},
		{"the last one of a message", "v1.1.0", []past{{minute: 1, file: "site/a",
			message: "quotes\nSipgen-Version: v0.1.0\n\nSipgen-Version: v1.1.0\n"}}},
		{"a tree that began without one", "", []past{{minute: 1, file: "other/a", message: written("v1.0.0")},
			{minute: 2, file: "site/a"}}},
		{"one that was deleted and made anew", "",
			[]past{first, {minute: 2, file: "site/a=", message: written("v1.0.0")},
				{minute: 3, file: "other/a"}, {minute: 4, file: "site/a"}}},
		{"another text", "", []past{{minute: 1, file: "site/a", message: "Sipgen-Version v1.0.0\n"}}},
		{"no folder", "", []past{{minute: 1, file: "other/a", message: written("v1.0.0")}}},
		{"unfiltered, the last that is fetched", "v1.0.0", then([]past{first}, unfilteredLimit-1)},
	} {
		repo := bare(t)
		record(t, repo, row.history)
		reach := httpsTarget(t, repo)
		reach.Path = "site"
		for _, target := range []Target{{URL: repo, Branch: "main", Path: "site"}, reach} {
			value, commit := mustRead(t, target).Trailer(t.Context(), "Sipgen-Version")
			assert.Equalf(t, row.want, value, "%s: %s", row.why, target.URL)
			assert.Equalf(t, row.want == "", commit == "", "%s: %s: the commit", row.why, target.URL)
		}
	}
}

// TestTrailerWithoutHistory: it is unknown where the history is not to be had.
func TestTrailerWithoutHistory(t *testing.T) {
	t.Parallel()
	whole := bare(t)
	record(t, whole, then([]past{{minute: 1, file: "site/a", message: written("v1.0.0")}}, unfilteredLimit))
	unknown := func(why string, target Target) {
		t.Helper()
		value, _ := mustRead(t, target).Trailer(t.Context(), "Sipgen-Version")
		assert.Empty(t, value, why)
	}
	unknown("a shallow clone", Target{URL: cloned(t, "file://"+whole, "--bare", "--depth=2"), Branch: "main",
		Path: "site"})
	reach := httpsTarget(t, whole)
	reach.Path = "site"
	unknown("a server that sends all files", reach)
	git(t, whole, "config", "uploadpack.allowFilter", "true")
	value, commit := mustRead(t, reach).Trailer(t.Context(), "Sipgen-Version")
	assert.Equal(t, "v1.0.0", value, "a server that leaves files out")
	assert.Equal(t, git(t, whole, "rev-parse", "main~50"), commit)

	broken := bare(t)
	record(t, broken, then([]past{{minute: 1, file: "site/a", message: written("v1.0.0")}}, 2))
	hash := git(t, broken, "rev-parse", "main~1")
	object := filepath.Join(broken, "objects", hash[:2], hash[2:])
	require.NoError(t, errors.Join(os.Remove(object), os.WriteFile(object, []byte("garbage"), 0o644)))
	unknown("a damaged commit", Target{URL: broken, Branch: "main", Path: "site"})
	value, _ = (&Snapshot{}).Trailer(t.Context(), "Sipgen-Version")
	assert.Empty(t, value, "no commit")
}
