package render

import (
	"maps"
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/schedule"
)

// Pods may run on control-plane nodes where somebody says so, and where they might in the tree before and nobody says: an upgrade leaves no
// pod without a node. Of the tree nothing but this one toleration is taken.
func TestControlPlaneNodes(t *testing.T) {
	const file, taint = "clusters/lab/a/infra/loadbalancer-controlplane-a.yaml", "node-role.kubernetes.io/control-plane"
	yes, no := true, false
	turn := func(entry, ofSite *bool, previous Tree) (Tree, string) {
		c := testCluster("a")
		c.Spec.Services.LoadBalancerControlPlane[0].ControlPlaneNodes = entry
		site := testSite(func(s *v1alpha1.Site) { s.Spec.Defaults.ControlPlaneNodes = ofSite })
		clusters := []v1.SIPCluster{c}
		tree := render(t, Input{Site: site, Clusters: clusters, Placement: &schedule.Placement{Clusters: []schedule.Cluster{placed("a")}}, Previous: previous})
		return tree, Undecided(site, clusters, previous)
	}
	fresh, _ := turn(nil, nil, nil)
	before, _ := turn(nil, &yes, nil)
	wantNot(t, fresh, file, "tolerations")
	edited := maps.Clone(fresh)
	edited[file] = []byte(strings.Replace(string(before[file]), "        key: "+taint+"\n", "", 1))
	other := maps.Clone(before)
	other[file] = []byte(strings.Replace(string(before[file]), "      - effect: NoSchedule\n", "      - operator: Exists\n      - effect: NoSchedule\n", 1))
	for _, row := range []struct {
		why           string
		entry, ofSite *bool
		previous      Tree
		want, asks    bool
	}{
		{"a new site", nil, nil, nil, false, false},
		{"it never did", nil, nil, fresh, false, false},
		{"it did", nil, nil, before, true, true},
		{"it did, and the site wants none", nil, &no, before, false, false},
		{"it did, and the site lets all", nil, &yes, before, true, false},
		{"it did, and it wants none", &no, nil, before, false, false},
		{"it asks", &yes, nil, nil, true, false},
		{"it asks, and the site lets none that does not", &yes, &no, nil, true, false},
		{"it does not want what the site lets all", &no, &yes, nil, false, false},
		{"the site lets all", nil, &yes, nil, true, false},
		{"somebody wrote a toleration of everything into the tree", nil, nil, edited, false, false},
		{"... beside the one that was there", nil, nil, other, true, true},
	} {
		tree, asks := turn(row.entry, row.ofSite, row.previous)
		text := string(tree[file])
		if got := strings.Contains(text, taint); got != row.want || strings.Count(text, "operator: Exists") > 1 {
			t.Errorf("%s: found %t, want %t, and no other toleration:\n%s", row.why, got, row.want, text)
		}
		if !row.want && strings.Contains(text, "tolerations") {
			t.Errorf("%s: it tolerates something", row.why)
		}
		if (asks != "") != row.asks {
			t.Errorf("%s: asks %q, want a question: %t", row.why, asks, row.asks)
		}
	}
	// And it stays so, commit after commit.
	again, _ := turn(nil, nil, before)
	if third, _ := turn(nil, nil, again); !strings.Contains(string(third[file]), taint) {
		t.Error("after two commits it may not run there any more")
	}
}
