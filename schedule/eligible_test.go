package schedule

import (
	"net/netip"
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/inventory"
)

// TestEligible: a free host is handed out or not by its state; rows carry the reason that is told.
func TestEligible(t *testing.T) {
	rows := []struct {
		reason string
		change func(*inventory.Host)
	}{
		{"", func(h *inventory.Host) {}},
		{"", func(h *inventory.Host) { h.State.Provisioning = "ready" }},
		{"", func(h *inventory.Host) { h.State = inventory.State{} }},
		{"being deleted", func(h *inventory.Host) { h.State.Deleting = true }},
		{"paused", func(h *inventory.Host) { h.State.Paused = true }},
		{"detached", func(h *inventory.Host) { h.State.Detached = true }},
		{"marked unhealthy", func(h *inventory.Host) { h.State.Unhealthy = true }},
		{"retired", func(h *inventory.Host) { h.State.Retired = "disks" }},
		{"cordoned", func(h *inventory.Host) { h.State.Cordoned = "audit" }},
		{"in error", func(h *inventory.Host) { h.State.Operational = "error" }},
		{"in error", func(h *inventory.Host) { h.State.ErrorMessage = "no power" }},
		{"in use", func(h *inventory.Host) { h.State.Consumer = &inventory.Consumer{Kind: "Metal3Machine"} }},
		{"kept for reuse", func(h *inventory.Host) { h.State.NodeReuse = "md-0" }},
		{"externally provisioned", func(h *inventory.Host) { h.State.ExternallyProvisioned = true }},
		{"has an image, but no claim", func(h *inventory.Host) { h.State.Image = true }},
		{"has an image, but no claim", func(h *inventory.Host) { h.State = inventory.State{Image: true} }},
		{"provisioning state inspecting", func(h *inventory.Host) { h.State.Provisioning = "inspecting" }},
		{"no provisioning state yet", func(h *inventory.Host) { h.State.Provisioning = "" }},
		{"operational status servicing", func(h *inventory.Host) { h.State.Operational = "servicing" }},
		{"no address on oam", func(h *inventory.Host) { h.Addresses = nil }},
		{"no address on oam", func(h *inventory.Host) { h.Addresses[0].Network = "storage" }},
		{"no address on oam", func(h *inventory.Host) { h.Addresses[0].IP = netip.Addr{} }},
		{"incomplete sipgen labels", func(h *inventory.Host) { h.Labels[testOptions.Keys.NodeType] = "Worker" }},
		{"incomplete sipgen labels", func(h *inventory.Host) { h.Labels[testOptions.Keys.Standby] = "true" }},
	}
	for _, row := range rows {
		c := newCluster("a", map[string]v1.NodeSet{v1.RoleWorker: nodes("kind=w", 1, 0)})
		c.Spec.Services.LoadBalancerWorker = []v1.LoadBalancerWorker{{NodeInterface: "oam"}}
		h := host1("h1", "w", "r1")
		row.change(&h)
		p := plan(t, []v1.SIPCluster{c}, []inventory.Host{h}, Previous{}, testOptions)
		r := &p.Clusters[0].Roles[0]
		switch {
		case row.reason == "" && len(r.Assigned) != 1:
			t.Errorf("%+v: not handed out: %v", h.State, p.Hosts[0])
		case row.reason != "" && len(r.Assigned) != 0:
			t.Errorf("%s: handed out all the same", row.reason)
		case row.reason != "" && (len(r.Rejected) != 1 || r.Rejected[0].Count != 1 || Say.Reason(r.Rejected[0].Reason) != row.reason):
			t.Errorf("reasons %v, want 1 %s", r.Rejected, row.reason)
		case row.reason != "" && !strings.Contains(Say.Shortage(&p.Shortages[0]), "1 more host matches but: 1 "+row.reason):
			t.Errorf("shortage %q does not say %q", Say.Shortage(&p.Shortages[0]), row.reason)
		}
	}
}

// TestInUse: a host that somebody uses is not released, whatever it is that says so. Each row has the others' default.
func TestInUse(t *testing.T) {
	for _, row := range []struct {
		why    string
		change func(*inventory.State)
		want   string
	}{
		{"nothing uses it", func(*inventory.State) {}, "a Worker: -w1\n"},
		{"a consumer alone", func(s *inventory.State) {
			s.Consumer = &inventory.Consumer{Kind: "Metal3Machine", Namespace: "tenants", Name: "m"}
		}, "a Worker: (w1)\n"},
		{"an image alone", func(s *inventory.State) { s.Image = true }, "a Worker: (w1)\n"},
		{"provisioned by others", func(s *inventory.State) { s.ExternallyProvisioned = true }, "a Worker: (w1)\n"},
		{"a state alone", func(s *inventory.State) { s.Provisioning = "provisioned" }, "a Worker: (w1)\n"},
		{"a state alone", func(s *inventory.State) { s.Provisioning = "externally provisioned" }, "a Worker: (w1)\n"},
		{"a system is being written", func(s *inventory.State) { s.Provisioning = "provisioning" }, "a Worker: (w1)\n"},
		{"it is being wiped", func(s *inventory.State) { s.Provisioning = "deprovisioning" }, "a Worker: (w1)\n"},
	} {
		clusters := []v1.SIPCluster{newCluster("a", map[string]v1.NodeSet{v1.RoleWorker: nodes("kind=w", 0, 0)})}
		hosts := []inventory.Host{with(claimed(host1("w1", "w", "r1"), "a", v1.RoleWorker), row.change)}
		if got := summary(plan(t, clusters, hosts, Previous{}, testOptions)); got != row.want {
			t.Errorf("%s: got %s, want %s", row.why, got, row.want)
		}
	}
}
