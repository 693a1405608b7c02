package render

import (
	"bytes"
	"maps"
	"net/netip"
	"slices"
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/schedule"
	"github.com/stretchr/testify/assert"
)

// TestLostHosts: the services of a refused cluster stay byte by byte, and its rights lose the hosts that are another
// cluster's by now. The tree is one that Site rendered.
func TestLostHosts(t *testing.T) {
	spec := func(name string) v1.SIPCluster {
		c := testCluster(name)
		c.Spec.Services.LoadBalancerControlPlane[0].NodePort = map[string]int32{"a": 30000, "b": 30001}[name]
		c.Spec.Services.JumpHost = []v1.JumpHost{{NodeInterface: "oam", SSHAuthorizedKeys: []string{
			"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJVN6LKNPjAJqQxKPMQ4Kg6u4WWRcAxGNAkHBYkZmHZP a@example.org"}}}
		return c
	}
	const rights = "rights/lab/a/jumphost-a.yaml"
	h1, h2, h10 := at("h1", "192.0.2.1"), at("h2", "192.0.2.2"), at("h10", "2001:db8::10")
	site := func(previous Tree, clusters ...schedule.Cluster) Tree {
		return render(t, Input{Site: testSite(nil), Clusters: []v1.SIPCluster{spec("a"), spec("b")},
			Placement: &schedule.Placement{Clusters: clusters}, Previous: previous})
	}
	for _, row := range []struct {
		why     string
		had     []schedule.Assignment
		now     []schedule.Cluster
		changed []string // files of a's services and their rights
		gone    []string // what they do not have any more
		stays   []string
	}{
		{"nothing is another's", []schedule.Assignment{h1, h2},
			[]schedule.Cluster{refused(controlPlane("a", h1)), controlPlane("b")}, nil, nil, nil},
		{"its services are its own", []schedule.Assignment{h1, h2},
			[]schedule.Cluster{refused(controlPlane("a", h1, h2)), controlPlane("b", h10)}, nil, nil, nil},
		{"one of three", []schedule.Assignment{h1, h2, h10},
			[]schedule.Cluster{refused(controlPlane("a", h2, h10)), controlPlane("b", h1)},
			[]string{rights}, []string{"  - h1\n"}, []string{"  - h10\n", "  - h2\n", "kind: RoleBinding"}},
		{"all: no rule without names, which would be for every host", []schedule.Assignment{h1, h2},
			[]schedule.Cluster{refused(controlPlane("a")), controlPlane("b", h1, h2)},
			[]string{rights}, []string{"baremetalhosts"}, []string{"rules: []\n", "kind: RoleBinding"}},
	} {
		before := site(nil, controlPlane("a", row.had...), controlPlane("b"))
		after := site(before, row.now...)
		var changed []string
		var text strings.Builder
		for _, name := range slices.Sorted(maps.Keys(before)) {
			if !strings.HasPrefix(name, "clusters/lab/a/infra/") && !strings.HasPrefix(name, "rights/lab/a/") {
				continue
			}
			if !bytes.Equal(before[name], after[name]) {
				changed = append(changed, name)
			}
			if name == rights {
				text.Write(after[name])
			}
		}
		assert.Equal(t, row.changed, changed, row.why)
		for _, word := range row.gone {
			assert.NotContains(t, text.String(), word, row.why)
		}
		for _, word := range row.stays {
			assert.Contains(t, text.String(), word, row.why)
		}
		again := site(after, row.now...)
		assert.Truef(t, maps.EqualFunc(after, again, bytes.Equal), "%s: rendered once more it is another tree", row.why)
	}
}

// TestForeignBackends: the services of a refused cluster stay, and so may a backend that is another cluster's host by
// now. The tree is one that Site rendered, so what the templates write is what is read.
func TestForeignBackends(t *testing.T) {
	gone := func(c schedule.Cluster) schedule.Cluster { c.Gone = true; return c }
	h1, h2, h2v6 := at("h1", "192.0.2.1"), at("h2", "192.0.2.2"), at("h2", "2001:db8::2")
	before := func(hosts ...schedule.Assignment) Tree {
		spec := testCluster("a")
		spec.Spec.Services.LoadBalancerControlPlane = []v1.LoadBalancerControlPlane{{NodeInterface: "oam",
			NodePort: 30000}}
		return render(t, Input{Site: testSite(nil), Clusters: []v1.SIPCluster{spec},
			Placement: &schedule.Placement{Clusters: []schedule.Cluster{controlPlane("a", hosts...)}}})
	}
	const until = "until its spec is corrected"
	for _, row := range []struct {
		why    string
		before Tree
		now    []schedule.Cluster
		want   []string
	}{
		{"the host was created anew and is b's", before(h1, h2),
			[]schedule.Cluster{refused(controlPlane("a", h1)), controlPlane("b", h2)},
			[]string{"lab/a: loadbalancer-controlplane-a sends traffic to backend h2 at 192.0.2.2, which is host metal3/h2 of lab/b now, " + until}},
		{"b comes first", before(h1, h2v6), []schedule.Cluster{controlPlane("b", h2v6), refused(controlPlane("a", h1))},
			[]string{"lab/a: loadbalancer-controlplane-a sends traffic to backend h2 at 2001:db8::2, which is host metal3/h2 of lab/b now, " + until}},
		{"a cluster without a spec keeps its services until its last host is gone", before(h1, h2),
			[]schedule.Cluster{gone(controlPlane("a", h1)), controlPlane("b", h2)},
			[]string{"lab/a: loadbalancer-controlplane-a sends traffic to backend h2 at 192.0.2.2, which is host metal3/h2 of lab/b now, until the cluster's last host is released"}},
		{"its services go with its last host", before(h1, h2),
			[]schedule.Cluster{gone(controlPlane("a")), controlPlane("b", h2)}, nil},
		{"nobody has it", before(h1, h2), []schedule.Cluster{refused(controlPlane("a", h1)), controlPlane("b")}, nil},
		{"its services are rendered anew", before(h1, h2),
			[]schedule.Cluster{controlPlane("a", h1), controlPlane("b", h2)}, nil},
		{"both have the address, each on its own wires", before(h1, h2),
			[]schedule.Cluster{controlPlane("b", at("x", "192.0.2.2")), refused(controlPlane("a", h1, h2))}, nil},
	} {
		var got []string
		for _, f := range ForeignBackends(row.before, row.now) {
			got = append(got, f.Cluster.String()+": "+f.Words)
		}
		assert.Equal(t, row.want, got, row.why)
	}
}

// TestBackends: with a port, and without one, as load balancers for a range of ports have it.
func TestBackends(t *testing.T) {
	got := backends([]byte("backend workers\n    default-server check port 30100\n    server a 192.0.2.1:6443\n    server b [2001:db8::1]:6443\n    server c 192.0.2.2\n    server m:d [2001:db8::2]\n"))
	want := []backend{
		{"a", netip.MustParseAddr("192.0.2.1")}, {"b", netip.MustParseAddr("2001:db8::1")},
		{"c", netip.MustParseAddr("192.0.2.2")}, {"m:d", netip.MustParseAddr("2001:db8::2")},
	}
	assert.Equal(t, want, got)
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
