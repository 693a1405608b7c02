package render

import (
	"net/netip"
	"slices"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/schedule"
)

// TestForeignBackends: the services of a refused cluster stay, and so may a backend that is another cluster's host by now. The tree is one
// that Site rendered, so what the templates write is what is read.
func TestForeignBackends(t *testing.T) {
	gone := func(c schedule.Cluster) schedule.Cluster {
		c.Gone = true
		return c
	}
	h1, h2, h2v6 := at("h1", "192.0.2.1"), at("h2", "192.0.2.2"), at("h2", "2001:db8::2")
	before := func(hosts ...schedule.Assignment) Tree {
		spec := testCluster("a")
		spec.Spec.Services.LoadBalancerControlPlane = []v1.LoadBalancerControlPlane{{Service: v1.Service{NodeInterface: "oam"}, NodePort: 30000}}
		return render(t, Input{Site: testSite(nil), Clusters: []v1.SIPCluster{spec}, Placement: &schedule.Placement{Clusters: []schedule.Cluster{controlPlane("a", hosts...)}}})
	}
	const until = "until its spec is put right"
	for _, row := range []struct {
		why    string
		before Tree
		now    []schedule.Cluster
		want   []string
	}{
		{"the host was created anew and is b's", before(h1, h2), []schedule.Cluster{refused(controlPlane("a", h1)), controlPlane("b", h2)},
			[]string{"lab/a: loadbalancer-controlplane-a sends traffic to backend h2 at 192.0.2.2, which is host metal3/h2 of lab/b now, " + until}},
		{"b comes first", before(h1, h2v6), []schedule.Cluster{controlPlane("b", h2v6), refused(controlPlane("a", h1))},
			[]string{"lab/a: loadbalancer-controlplane-a sends traffic to backend h2 at 2001:db8::2, which is host metal3/h2 of lab/b now, " + until}},
		{"a cluster without a spec keeps its services until its last host is gone", before(h1, h2), []schedule.Cluster{gone(controlPlane("a", h1)), controlPlane("b", h2)},
			[]string{"lab/a: loadbalancer-controlplane-a sends traffic to backend h2 at 192.0.2.2, which is host metal3/h2 of lab/b now, until the cluster's last host is released"}},
		{"its services go with its last host", before(h1, h2), []schedule.Cluster{gone(controlPlane("a")), controlPlane("b", h2)}, nil},
		{"nobody has it", before(h1, h2), []schedule.Cluster{refused(controlPlane("a", h1)), controlPlane("b")}, nil},
		{"its services are rendered anew", before(h1, h2), []schedule.Cluster{controlPlane("a", h1), controlPlane("b", h2)}, nil},
		{"both have the address, each on its own wires", before(h1, h2), []schedule.Cluster{controlPlane("b", at("x", "192.0.2.2")), refused(controlPlane("a", h1, h2))}, nil},
	} {
		if got := ForeignBackends(row.before, row.now); !slices.Equal(got, row.want) {
			t.Errorf("%s: got %q, want %q", row.why, got, row.want)
		}
	}
}

// TestBackends: with a port, and without one, as load balancers for a range of ports have it.
func TestBackends(t *testing.T) {
	got := backends([]byte("backend workers\n    default-server check port 30100\n    server a 192.0.2.1:6443\n    server b [2001:db8::1]:6443\n    server c 192.0.2.2\n    server m:d [2001:db8::2]\n"))
	want := []backend{
		{"a", netip.MustParseAddr("192.0.2.1")}, {"b", netip.MustParseAddr("2001:db8::1")},
		{"c", netip.MustParseAddr("192.0.2.2")}, {"m:d", netip.MustParseAddr("2001:db8::2")},
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// at is a host that the live labels give to somebody, with its address on the network oam.
func at(name, ip string) schedule.Assignment {
	h := testHost(name)
	h.Addresses = []inventory.Address{{Network: "oam", IP: netip.MustParseAddr(ip)}}
	return schedule.Assignment{Host: h, Origin: schedule.FromLive}
}

// controlPlane is a cluster with these hosts.
func controlPlane(name string, hosts ...schedule.Assignment) schedule.Cluster {
	roles := []schedule.Role{{Name: v1.RoleControlPlane, Active: 2, Assigned: hosts}}
	return schedule.Cluster{Key: schedule.ClusterKey{Namespace: "lab", Name: name}, Roles: roles}
}

func refused(c schedule.Cluster) schedule.Cluster {
	c.Unschedulable, c.Refused = true, []schedule.Refusal{schedule.Contradiction{Problem: "so"}}
	return c
}
