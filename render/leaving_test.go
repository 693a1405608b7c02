package render

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/schedule"
)

// TestLeavingIsNoted is contract 21: the tree notes which clusters leave, those too that this run freezes, and reads
// it.
func TestLeavingIsNoted(t *testing.T) {
	a, b, c := placed("a"), placed("b"), placed("c")
	b.Gone = true
	of := func(name string) schedule.ClusterKey { return schedule.ClusterKey{Namespace: "lab", Name: name} }
	tree := render(t, Input{Site: testSite(nil),
		Clusters:  []v1.SIPCluster{testCluster("a"), testCluster("b"), testCluster("c")},
		Placement: &schedule.Placement{Clusters: []schedule.Cluster{a, b, c}},
		Leaving:   map[schedule.ClusterKey]bool{of("a"): true}})
	previous, err := Previous("tree", tree, testSite(nil))
	require.NoError(t, err)
	assert.Equal(t, map[schedule.ClusterKey]bool{of("a"): true, of("b"): true}, previous.Leaving)
}
