package publish

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// bigFile is a file that compression makes little smaller.
func bigFile(seed string, kilobytes int) []byte {
	var text bytes.Buffer
	for i := range kilobytes * 16 {
		fmt.Fprintf(&text, "%x\n", sha256.Sum256(fmt.Append(nil, seed, i)))
	}
	return text.Bytes()
}

// TestLoopSites: the trees of several folders are one commit, byte for byte as a Loop for each makes them. After a push
// of a rival only the folders that it changed are made again, and the others keep what was put, in memory or on disk.
func TestLoopSites(t *testing.T) {
	folders := []string{"sites/dc1", "sites/dc2", "sites/dc3"}
	for _, kilobytes := range []int{1, 1300} { // beside the bound of a pack in memory
		trees := make([]Tree, len(folders))
		for i := range folders {
			trees[i] = Tree{"PLAN.md": fmt.Appendf(nil, "# plan %d\n", i),
				"clusters/a/b/big.yaml": bigFile(folders[i], kilobytes)}
		}
		alone, together := bare(t), bare(t)
		for i, folder := range folders {
			_, _, err := Loop(t.Context(), Target{URL: alone, Branch: "main", Path: folder},
				func(*Snapshot) (Tree, Meta, struct{}, error) { return trees[i], meta, struct{}{}, nil })
			require.NoError(t, err)
		}
		var rounds [][]int
		publish := func(rival func()) *Published {
			rounds = nil
			done, err := LoopSites(t.Context(), Target{URL: together, Branch: "main"}, folders,
				func(ctx context.Context, round *Round) (Meta, error) {
					rounds = append(rounds, round.Folders)
					var all sync.WaitGroup
					for _, i := range round.Folders { // side by side
						all.Go(func() {
							snapshot, err := round.Snapshot(ctx, i)
							if !assert.NoError(t, err) {
								return
							}
							_, err = round.Put(ctx, i, snapshot, trees[i], Lists{})
							assert.NoError(t, err)
						})
					}
					all.Wait()
					if len(rounds) == 1 {
						rival()
					}
					return meta, nil
				})
			require.NoError(t, err)
			return done
		}
		done := publish(func() {})
		assert.True(t, done.Changed)
		assert.Equal(t, [][]int{{0, 1, 2}}, rounds)
		fsck(t, together)
		assert.Equal(t, git(t, alone, "rev-parse", "main^{tree}"), git(t, together, "rev-parse", "main^{tree}"))
		assert.Equal(t, "1", git(t, together, "rev-list", "--count", "main"))
		assert.False(t, publish(func() {}).Changed, "the same trees again")

		for i := range trees {
			trees[i]["PLAN.md"] = fmt.Appendf(nil, "# another plan %d\n", i)
			trees[i]["clusters/a/b/big.yaml"] = bigFile(folders[i]+"again", kilobytes)
		}
		done = publish(func() { // a rival changes one of the folders, and another
			_, _, err := Loop(t.Context(), Target{URL: together, Branch: "main", Path: folders[1]},
				func(*Snapshot) (Tree, Meta, struct{}, error) {
					return Tree{"PLAN.md": []byte("# a rival's\n")}, meta, struct{}{}, nil
				})
			require.NoError(t, err)
			_, _, err = Loop(t.Context(), Target{URL: together, Branch: "main", Path: "sites/dc9"},
				func(*Snapshot) (Tree, Meta, struct{}, error) {
					return Tree{"PLAN.md": []byte("# another site\n")}, meta, struct{}{}, nil
				})
			require.NoError(t, err)
		})
		assert.True(t, done.Changed)
		assert.Equal(t, [][]int{{0, 1, 2}, {1}}, rounds)
		fsck(t, together)
		assert.Equal(t, "# another plan 1", git(t, together, "show", "main:sites/dc2/PLAN.md"))
		assert.Equal(t, strings.TrimSpace(string(trees[2]["clusters/a/b/big.yaml"])),
			git(t, together, "show", "main:sites/dc3/clusters/a/b/big.yaml"))
		assert.Equal(t, "# another site", git(t, together, "show", "main:sites/dc9/PLAN.md"))
		assert.Equal(t, "4", git(t, together, "rev-list", "--count", "main"))
	}
}

// TestLoopSitesOverHTTPS: over the network, too, folders are read and pushed together, with as many requests as for
// one.
func TestLoopSitesOverHTTPS(t *testing.T) {
	repo, server, target := overHTTPS(t)
	folders := []string{"sites/dc1", "sites/dc2", "sites/dc3", "sites/dc4"}
	put := func(text string, folders ...string) (requests int32) {
		before := server.asked.Load()
		done, err := LoopSites(t.Context(), target, folders, func(ctx context.Context, round *Round) (Meta, error) {
			for _, i := range round.Folders {
				snapshot, err := round.Snapshot(ctx, i)
				require.NoError(t, err)
				_, err = round.Put(ctx, i, snapshot, Tree{"PLAN.md": []byte(text + folders[i])}, Lists{})
				require.NoError(t, err)
			}
			return meta, nil
		})
		require.NoError(t, err)
		assert.True(t, done.Changed)
		return server.asked.Load() - before
	}
	put("one ", folders...)
	fsck(t, repo)
	for _, folder := range folders {
		assert.Equal(t, "one "+folder, git(t, repo, "show", "main:"+folder+"/PLAN.md"))
	}
	assert.Equal(t, put("two ", folders[0]), put("three ", folders...))
	assert.Equal(t, "3", git(t, repo, "rev-list", "--count", "main"))

	target.Path = folders[0]
	before := server.asked.Load()
	_, err := Read(t.Context(), target)
	require.NoError(t, err)
	one := server.asked.Load() - before
	branch := NewBranch(target, folders)
	before = server.asked.Load()
	var all sync.WaitGroup
	for _, folder := range folders {
		all.Go(func() {
			found, err := branch.Read(t.Context(), folder)
			if assert.NoError(t, err) {
				assert.Equal(t, Tree{"PLAN.md": []byte("three " + folder)}, found.Tree)
			}
		})
	}
	all.Wait()
	assert.Equal(t, one, server.asked.Load()-before, "requests for a branch")
}

// TestLoopSitesKeepsTheOthers: a folder without a Put stays, one that is not sipgen's is refused by itself, and an
// error of the attempt ends the run.
func TestLoopSitesKeepsTheOthers(t *testing.T) {
	repository := bare(t)
	folders := []string{"dc1", "dc2", "dc3"}
	put := func(text string, only ...int) (*Published, error) {
		return LoopSites(t.Context(), Target{URL: repository, Branch: "main"}, folders,
			func(ctx context.Context, round *Round) (Meta, error) {
				for _, i := range only {
					snapshot, err := round.Snapshot(ctx, i)
					require.NoError(t, err)
					if _, err := round.Put(ctx, i, snapshot, Tree{"PLAN.md": []byte(text)}, Lists{}); err != nil {
						return meta, err
					}
				}
				return meta, nil
			})
	}
	_, err := put("one\n", 0, 1)
	require.NoError(t, err)
	_, err = put("two\n", 1)
	require.NoError(t, err)
	assert.Equal(t, "one", git(t, repository, "show", "main:dc1/PLAN.md"))
	assert.Equal(t, "two", git(t, repository, "show", "main:dc2/PLAN.md"))

	rival(t, repository, "main", Tree{"dc3/mine": []byte("mine")})
	_, err = put("three\n", 0, 2)
	assert.ErrorIs(t, err, ErrForeign)
	assert.Equal(t, "one", git(t, repository, "show", "main:dc1/PLAN.md"))

	for _, nested := range [][]string{{"a", "a"}, {"a", "b", "a/c"}, {"", "a"}} {
		folders = nested
		_, err = put("x")
		assert.ErrorContains(t, err, "want none in another", "%q", nested)
	}
	folders = []string{"a", "ab", "a-b"}
	_, err = put("x\n", 0, 1, 2)
	assert.NoError(t, err)
	stop := errors.New("stop")
	_, err = LoopSites(t.Context(), Target{URL: repository, Branch: "main"}, folders,
		func(context.Context, *Round) (Meta, error) { return meta, stop })
	assert.ErrorIs(t, err, stop)
}
