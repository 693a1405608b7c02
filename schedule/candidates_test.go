package schedule

import (
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
)

// Secrets are read of the hosts whose addresses may decide anything, or are kept when a role gets the host, and of no others.
func TestCandidates(t *testing.T) {
	cluster := newCluster("a", map[string]v1.NodeSet{v1.RoleWorker: nodes("kind=x", 1, 0)})
	cluster.Spec.Services.LoadBalancerWorker = []v1.LoadBalancerWorker{{NodeInterface: "oam"}}
	held, free, other := claimed(newHost("h1", "kind=x"), "a", v1.RoleWorker), newHost("h2", "kind=x"), newHost("h3", "kind=y")
	noService := newCluster("a", map[string]v1.NodeSet{v1.RoleWorker: nodes("kind=x", 1, 0)})
	for why, cluster := range map[string]v1.SIPCluster{"a service reaches the hosts by their address": cluster, "no service does": noService} {
		candidate := Candidates([]v1.SIPCluster{cluster}, testOptions.Keys)
		if !candidate(&held) {
			t.Errorf("%s: a host with our labels is left out", why)
		}
		if candidate(&other) {
			t.Errorf("%s: a host that no selector matches is a candidate", why)
		}
		if !candidate(&free) {
			t.Errorf("%s: a host that the role may get is left out: its addresses could not be kept", why)
		}
	}
}
