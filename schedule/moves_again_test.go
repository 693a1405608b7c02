package schedule

import (
	"fmt"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
)

// TestMovesAreMadeOnce: where hosts move, a second run before anything is synced gives the same tree.
func TestMovesAreMadeOnce(t *testing.T) {
	seeds := []int{
		2430, 9390, 23690, // a role that gives a host away lets another one go, of which it has too many
		13598, 20606, 22578, 22751, // a role gives a standby host away, and could have one that is being released
	}
	for seed := range 400 {
		seeds = append(seeds, seed)
	}
	for _, seed := range seeds {
		w := newWorld(uint64(seed))
		if seed%2 == 1 {
			w = newNestedWorld(uint64(seed))
		}
		beforeMoves(t, w)
		squeeze(w)
		for i := range w.clusters {
			if seed%4 < 2 {
				w.clusters[i].Annotations = nil
			}
		}
		wantMovesOnce(t, fmt.Sprint("world ", seed), w)
	}
}

// TestMoveThatTheTreeHas: a role could give one of two hosts away. The run before has one of them move: the next one moves the same.
func TestMoveThatTheTreeHas(t *testing.T) {
	w := newWorld(6798804)
	beforeMoves(t, w)
	for i, counts := range []map[string]v1.NodeCount{
		{"ControlPlane": {Active: 2}, "Worker": {Active: 1}, "Edge": {Active: 1}},
		{"ControlPlane": {Active: 4, Standby: 1}, "Worker": {Standby: 1}, "Edge": {Active: 3}},
	} {
		w.clusters[i].Annotations = nil
		for role, count := range counts {
			set := w.clusters[i].Spec.Nodes[role]
			set.Count = &count
			w.clusters[i].Spec.Nodes[role] = set
		}
	}
	if !wantMovesOnce(t, "two hosts to choose from", w) {
		t.Error("nothing moves")
	}
}

// beforeMoves is a fleet that is settled, some of whose hosts nobody uses any more, where hosts may move.
func beforeMoves(t *testing.T, w *world) {
	t.Helper()
	w.options.AllowMoves, w.options.unadvised = true, true
	if _, err := settle(w); err != nil {
		t.Fatal(err)
	}
	for i := range w.hosts {
		if w.rng.IntN(4) == 0 && w.hosts[i].Labels[testOptions.Keys.ClusterName] != "" {
			w.hosts[i].State.Consumer = nil
		}
	}
}

// wantMovesOnce: a second run before anything is synced changes nothing. It says whether hosts move at all.
func wantMovesOnce(t *testing.T, what string, w *world) bool {
	t.Helper()
	p, err := Plan(w.clusters, w.hosts, w.tree, w.options)
	if err != nil || unseen(p) {
		return false // an annotation that names hosts of others, or hosts that never had labels
	}
	again := plan(t, w.clusters, w.hosts, tree(p), w.options)
	if a, b := fmt.Sprint(tree(p)), fmt.Sprint(tree(again)); a != b {
		t.Errorf("%s: a second run changes the tree:\n%s\n%s\nthen\n%s", what, describe(w.clusters, w.hosts), words(p), words(again))
	}
	return len(p.Moves) > 0
}
