package schedule

import (
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/inventory"
)

// Secrets are read of the hosts whose addresses may decide anything, and of no others.
func TestCandidates(t *testing.T) {
	cluster := newCluster("a", map[string]v1.NodeSet{v1.RoleWorker: nodes("kind=x", 1, 0)})
	cluster.Spec.Services.LoadBalancerWorker = []v1.LoadBalancerWorker{{Service: v1.Service{NodeInterface: "oam"}}}
	held, free, other := claimed(newHost("h1", "kind=x"), "a", v1.RoleWorker), newHost("h2", "kind=x"), newHost("h3", "kind=y")
	sick := held
	sick.State.Operational = "error"
	marked := cluster
	marked.Annotations = map[string]string{v1.RemoveAnnotation: "h1"}
	noService := newCluster("a", map[string]v1.NodeSet{v1.RoleWorker: nodes("kind=x", 1, 0)})
	for why, row := range map[string]struct {
		cluster v1.SIPCluster
		held    inventory.Host
		free    bool
	}{
		"the role has all it wants":                     {cluster, held, false},
		"nobody holds a slot":                           {cluster, other, true},
		"its host failed and is to be replaced":         {cluster, sick, true},
		"its host is named for removal":                 {marked, held, true},
		"no service reaches the hosts by their address": {noService, other, false},
	} {
		needs := Candidates([]v1.SIPCluster{row.cluster}, []inventory.Host{row.held, free, other}, testOptions.Keys)
		if !needs(&held) {
			t.Errorf("%s: a host with our labels is left out", why)
		}
		if needs(&free) != row.free {
			t.Errorf("%s: the free host: found %v, want %v", why, !row.free, row.free)
		}
		if needs(&other) {
			t.Errorf("%s: a host that no selector matches is a candidate", why)
		}
	}
}
