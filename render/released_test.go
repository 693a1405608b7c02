package render

import (
	"reflect"
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/schedule"
)

// TestReleasedHostsAreRemembered: who released a host that is in use still is in the tree, for as long as there is such a host, and is read as strictly as
// who has one.
func TestReleasedHostsAreRemembered(t *testing.T) {
	used := []schedule.StillUsed{
		{Host: schedule.HostKey{Namespace: "metal", Name: "h1"}, UID: "uid-h1", Cluster: schedule.ClusterKey{Namespace: "lab", Name: "gone"}, Consumer: "Metal3Machine metal/m"},
		{Host: schedule.HostKey{Namespace: "metal", Name: "h2"}, UID: "uid-h2", Cluster: schedule.ClusterKey{Namespace: "lab", Name: "a"}},
	}
	placement := &schedule.Placement{Clusters: []schedule.Cluster{placed("a")}, StillUsed: used}
	in := Input{Site: testSite(nil), Clusters: []v1.SIPCluster{testCluster("a")}, Placement: placement}
	tree := render(t, in)
	previous, err := Previous("tree", tree, testSite(nil))
	if err != nil || !reflect.DeepEqual(previous.StillUsed, used) {
		t.Errorf("found %+v (%v), want %+v", previous.StillUsed, err, used)
	}
	if plan := string(tree["PLAN.md"]); !strings.Contains(plan, "- metal/h1, released by lab/gone\n") {
		t.Errorf("PLAN.md does not say whose machine is on the host:\n%s", plan)
	}
	const file = "clusters/released.yaml"
	for why, text := range map[string]string{
		"edited":            strings.Replace(string(tree[file]), "name: gone", "name: b", 1),
		"of a later kind":   strings.Replace(string(tree[file]), "kind: ReleasedHosts", "kind: Promises", 1),
		"an unknown field":  string(tree[file]) + "hots: []\n",
		"nothing":           "",
		"two documents":     string(tree[file]) + "---\n" + string(tree[file]),
		"a conflict marker": "<<<<<<< ours\n" + string(tree[file]),
	} {
		damaged := Tree{file: []byte(text)}
		if _, err := Previous("tree", damaged, testSite(nil)); err == nil || !strings.Contains(err.Error(), "tree/"+file) {
			t.Errorf("%s: found %v, want an error that names the file", why, err)
		}
	}
	for _, name := range []string{file, "clusters/Released.yml", "clusters/released.json"} {
		if !IsAssignments(name) {
			t.Errorf("%s: passed over where sipgen did not write it", name)
		}
	}
	if IsAssignments("clusters/lab/a/infra/released.yaml") {
		t.Error("a tenant's service called released is taken for decisions")
	}
	placement.StillUsed = nil
	if tree = render(t, in); tree[file] != nil || strings.Contains(string(tree["PLAN.md"]), "still in use") {
		t.Error("there is no such host any more, and the tree has them")
	}
}
