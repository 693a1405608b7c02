package schedule

import (
	"fmt"
	"testing"
)

// TestMovesAreMadeOnce: where hosts move, a second run before anything is synced gives the same tree.
func TestMovesAreMadeOnce(t *testing.T) {
	seeds := []int{
		2430, 4234, 5946, // a role that gives a host away lets another one go, of which it has too many
		327, 1004, 4519, 5754, // a role gives a standby host away, and could have one that is being released
		55443, // a role gives one of two hosts away and waits for another: the next run could give the other one
	}
	for seed := range 400 {
		seeds = append(seeds, seed)
	}
	for _, seed := range seeds {
		w := newWorld(uint64(seed))
		if seed%2 == 1 {
			w = newNestedWorld(uint64(seed))
		}
		w.options.AllowMoves, w.options.unadvised = true, true
		if _, err := settle(w); err != nil {
			t.Fatalf("world %d: %v", seed, err)
		}
		for i := range w.hosts {
			if w.rng.IntN(4) == 0 && w.hosts[i].Labels[testOptions.Keys.ClusterName] != "" {
				w.hosts[i].State.Consumer = nil
			}
		}
		squeeze(w)
		for i := range w.clusters {
			if seed%4 < 2 {
				w.clusters[i].Annotations = nil
			}
		}
		p, err := Plan(w.clusters, w.hosts, w.tree, w.options)
		if err != nil || unseen(p) {
			continue // an annotation that names hosts of others, or hosts that never had labels
		}
		again := plan(t, w.clusters, w.hosts, tree(p), w.options)
		if a, b := fmt.Sprint(tree(p)), fmt.Sprint(tree(again)); a != b {
			t.Errorf("world %d: a second run changes the tree:\n%s\n%s\nthen\n%s", seed, describe(w.clusters, w.hosts), words(p), words(again))
		}
	}
}
