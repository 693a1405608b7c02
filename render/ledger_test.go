package render

import (
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/render/site/ledger"
	"github.com/airshipit/sipgen/schedule"
)

// The ledger is there where the Site asks for it. It is no object: no kustomization names it, no engine applies it, also where a cluster
// without a spec keeps its services and what those need; and it does not outlive the wish.
func TestLedgerIsNoObject(t *testing.T) {
	for _, engine := range []string{"flux", "argocd"} {
		gone := placed("a")
		gone.Gone = true
		placement := &schedule.Placement{Clusters: []schedule.Cluster{gone}, Hosts: []schedule.HostLine{{
			Host: testHost("kept"), Verdict: schedule.Held, Cluster: gone.Key,
		}}}
		site := siteOf(t, engine, "    ledger: {}\n")
		previous := Tree{
			"site/kustomization.yaml": []byte("resources: [x.yaml]\n"), "site/x.yaml": []byte("kind: X\n"), ledger.Path: []byte("old"),
			"clusters/lab/a/infra/kustomization.yaml": []byte("resources: []\n"),
		}
		tree := render(t, Input{Site: site, Placement: placement, Previous: previous})
		want(t, tree, ledger.Path, `"host":"metal3/kept"`, `"cluster":"lab/a"`)
		want(t, tree, "site/kustomization.yaml", "- x.yaml")
		for path := range tree {
			if path != ledger.Path {
				wantNot(t, tree, path, "inventory.json", "site/placement")
			}
		}
		site.Spec.Services = v1alpha1.SiteServices{}
		if tree := render(t, Input{Site: site, Placement: placement, Previous: previous}); tree[ledger.Path] != nil {
			t.Errorf("%s: the ledger stays: %s", engine, tree[ledger.Path])
		}
	}
}

// A host that is being released is its cluster's until it was seen clean.
func TestLedgerHoldsWhatIsReleased(t *testing.T) {
	c := placed("a")
	placement := &schedule.Placement{Clusters: []schedule.Cluster{c}, Hosts: []schedule.HostLine{
		{Host: testHost("gone"), Verdict: schedule.Releasing, Cluster: c.Key}, {Host: testHost("kept"), Verdict: schedule.Held, Cluster: c.Key},
	}}
	tree := render(t, Input{Site: siteOf(t, "flux", "    ledger: {}\n"), Clusters: []v1.SIPCluster{testCluster("a")}, Placement: placement})
	want(t, tree, ledger.Path, "      \""+ledger.HostID("dc1", schedule.HostKey{Namespace: "metal3", Name: "gone"})+"\":{\"resources\"")
}
