package tenancy

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/schedule"
)

// TestBeyond: who may label hosts gives a cluster no more than its tenant is granted, and takes nothing from it.
func TestBeyond(t *testing.T) {
	tenants := Of(siteOf(t, bank), nil)
	tenants.Of("bank").Hosts.Namespaces = []string{"m"}
	a := schedule.ClusterKey{Namespace: "bank", Name: "a"}
	host := func(name string, change func(h *inventory.Host)) inventory.Host {
		h := inventory.Host{Namespace: "m", Name: name, Labels: map[string]string{"pool": "finance", "cn": "bank", "cc": "a", "nt": "Worker"}}
		if change != nil {
			change(&h)
		}
		return h
	}
	standby := func(h *inventory.Host) { h.Labels["sb"] = "true" }
	used := func(h *inventory.Host) { h.State.Consumer = &inventory.Consumer{Kind: "Metal3Machine"} }
	elsewhere := func(h *inventory.Host) { h.Labels["pool"] = "else" }
	claim := func(n int, releasing bool) (out []schedule.PreviousClaim) {
		for i := range n {
			out = append(out, schedule.PreviousClaim{Host: schedule.HostKey{Namespace: "m", Name: fmt.Sprintf("t%d", i)}, Cluster: a, Releasing: releasing})
		}
		return out
	}
	deleted := wanting("a", 0, 6, 0)
	deleted.DeletionTimestamp = &metav1.Time{}
	for _, row := range []struct {
		why     string
		hosts   []inventory.Host
		tree    []schedule.PreviousClaim
		cluster v1.SIPCluster
		frozen  bool
		want    string
	}{
		{"within the grants", []inventory.Host{host("x", nil), host("y", standby)}, claim(4, false), wanting("a", 0, 6, 0), false, ""},
		{"too many: the last by name", []inventory.Host{host("z", nil), host("x", nil), host("y", nil)}, claim(4, false), wanting("a", 0, 7, 0), false, "m/z hosts.max"},
		{"what leaves is room", []inventory.Host{host("x", nil)}, claim(6, true), wanting("a", 0, 6, 0), false, ""},
		{"hosts in use stay, and are no room for more", []inventory.Host{host("u1", used), host("u2", used), host("a", nil)}, claim(5, false), wanting("a", 0, 7, 0), false, "m/a hosts.max"},
		{"too many standby", []inventory.Host{host("x", standby), host("y", standby), host("z", standby), host("zz", nil)}, nil, wanting("a", 0, 6, 0), false, "m/z hosts.maxStandby"},
		{"outside the selector", []inventory.Host{host("x", elsewhere)}, nil, wanting("a", 0, 6, 0), false, "m/x hosts.selector"},
		{"outside the selector, in use", []inventory.Host{host("x", func(h *inventory.Host) { elsewhere(h); used(h) })}, nil, wanting("a", 0, 6, 0), false, ""},
		{"outside the namespaces", []inventory.Host{host("x", func(h *inventory.Host) { h.Namespace = "n" })}, nil, wanting("a", 0, 6, 0), false, "n/x hosts.namespaces"},
		{"the tree has it", []inventory.Host{host("t0", elsewhere)}, claim(1, false), wanting("a", 0, 6, 0), false, ""},
		{"not sure what runs there", []inventory.Host{host("x", func(h *inventory.Host) {
			elsewhere(h)
			h.Faults = []inventory.Fault{{Kind: inventory.FaultTwice}}
		})}, nil, wanting("a", 0, 6, 0), false, ""},
		{"a cluster that is frozen uses no room up", []inventory.Host{host("a1", nil), host("a2", nil), host("b", func(h *inventory.Host) { h.Labels["cc"] = "b" })}, claim(5, false), wanting("a", 0, 6, 0), true, "m/a1 . m/a2 ."},
		{"nobody's", []inventory.Host{host("x", func(h *inventory.Host) { elsewhere(h); h.Labels["cc"] = "none" })}, nil, wanting("a", 0, 6, 0), false, ""},
		{"a cluster that goes", []inventory.Host{host("x", elsewhere)}, nil, deleted, false, ""},
	} {
		previous := schedule.Previous{Claims: row.tree}
		clusters := []v1.SIPCluster{row.cluster, wanting("b", 0, 1, 0)}
		found := tenants.Beyond(clusters, previous, row.hosts, keys, map[schedule.ClusterKey]bool{a: row.frozen})
		var said []string
		for host, grant := range found {
			if grant != (schedule.Grant{}) && grant.Tenant != "bank" {
				t.Errorf("%s: found tenant %q", row.why, grant.Tenant)
			}
			said = append(said, host.String()+" "+max(grant.Field, "."))
		}
		slices.Sort(said)
		if got := strings.Join(said, " "); got != row.want {
			t.Errorf("%s: found %q, want %q", row.why, got, row.want)
		}
		all := tenants.Held(previous, row.hosts, keys)
		if held := all.Without(found); held.Of(a).Hosts+held.Of(schedule.ClusterKey{Namespace: "bank", Name: "b"}).Hosts+len(found) != all.Of(a).Hosts+all.Of(schedule.ClusterKey{Namespace: "bank", Name: "b"}).Hosts {
			t.Errorf("%s: holds %+v without %d", row.why, held.Of(a), len(found))
		}
	}
}
