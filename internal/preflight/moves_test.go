package preflight

import (
	"strings"
	"testing"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/finding"
	"github.com/airshipit/sipgen/internal/holdings"
	"github.com/airshipit/sipgen/inventory"
)

// TestMoves: what the sync guard would deny, and nothing else. e2e's TestMovedHosts has the guard itself.
func TestMoves(t *testing.T) {
	keys := holdings.LabelKeys{ClusterNamespace: "ns", ClusterName: "name", NodeType: "role"}
	claim := map[string]string{"ns": "t", "name": "a", "role": "Worker"}
	used := inventory.State{Consumer: &inventory.Consumer{Kind: "Metal3Machine", Name: "m"}}
	same := Ask{Claim: holdings.Claim{Cluster: holdings.ClusterKey{Namespace: "t", Name: "a"}, Role: "Worker"}}
	for _, row := range []struct {
		why    string
		state  inventory.State
		labels map[string]string
		ask    Ask
		want   string
	}{
		{"as it is", used, claim, same, ""},
		{"nobody uses it", inventory.State{Provisioning: "available"}, claim, Ask{}, ""},
		{"an approved release", used, claim, Ask{Approved: true}, ""},
		{"a missing label comes back", used, map[string]string{"name": "a"}, same, ""},
		{"the first labels", used, nil, same, ""},
		{"a label without a value", used, map[string]string{"name": ""}, same, ""},
		{"a label that a person changed", used, map[string]string{"name": "z"}, same,
			`host metal/n1: it is in use, and its cluster and role labels differ from the tree's (name: "z" to become "a"): the sync guard denies the patch`},
		{"the way out", used, map[string]string{"name": "z", "ns": "u"}, same,
			"kubectl label -n metal baremetalhosts.metal3.io/n1 --overwrite --field-manager=oncall --as=YOU --as-group=GROUP ns=t name=a"},
		{"a release that nobody approved", used, map[string]string{"role": "Worker"}, Ask{}, `(role: "Worker" to be removed)`},
		{"the image alone is a use", inventory.State{Image: true}, map[string]string{"role": "Edge"}, same, `(role: "Edge" to become "Worker")`},
		{"and so is a state", inventory.State{Provisioning: "deprovisioning"}, map[string]string{"ns": "u"}, same, `(ns: "u" to become "t")`},
	} {
		row.ask.Host = &inventory.Host{Namespace: "metal", Name: "n1", Labels: row.labels, State: row.state}
		got := Moves(v1alpha1.ApplyMerge, keys, []Ask{row.ask})
		switch {
		case row.want == "" && len(got) > 0:
			t.Errorf("%s: got %v, want nothing", row.why, got)
		case row.want != "" && (len(got) != 1 || got[0].Severity != finding.Warning || !strings.Contains(got[0].Sentence(), row.want)):
			t.Errorf("%s: got %v, want a warning with %q", row.why, got, row.want)
		}
	}
	// One overlay has the hosts of all clusters.
	moved := Ask{Claim: holdings.Claim{Cluster: same.Claim.Cluster, Role: "Edge"}, Host: &inventory.Host{Namespace: "metal", Name: "n1", Labels: claim, State: used}}
	for apply, want := range map[v1alpha1.ApplyMode]string{v1alpha1.ApplyMerge: "so none of that cluster's hosts is synced", v1alpha1.ApplyOverlay: "so none of the site's hosts is synced"} {
		if got := Moves(apply, keys, []Ask{moved}); len(got) != 1 || !strings.Contains(got[0].Sentence(), want) {
			t.Errorf("%s: got %v, want %q", apply, got, want)
		}
	}
}
