package validation

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSiteClaims(t *testing.T) {
	balanced := func(ip, key string) *v1.ServiceExposure {
		return &v1.ServiceExposure{Type: "LoadBalancer", LoadBalancerIP: ip, SharingKey: key}
	}
	for _, row := range []struct {
		why string
		// b differs from a in all that a site has once, before change.
		change     func(a, b *v1.Services)
		path, want string
	}{
		{"two clusters with ports of their own", func(_, _ *v1.Services) {}, "", ""},
		{"one node port for two clusters",
			func(a, b *v1.Services) { b.JumpHost[0].NodePort = a.LoadBalancerControlPlane[0].NodePort },
			"spec.services.jumpHost[0].nodePort", "tenants/a spec.services.loadBalancerControlPlane[0]"},
		{"a node port within another's range", func(_, b *v1.Services) { b.JumpHost[0].NodePort = 30105 },
			"spec.services.jumpHost[0].nodePort", "node port 30105"},
		{"ranges that overlap", func(_, b *v1.Services) {
			b.LoadBalancerWorker[0].NodePortRange = v1.PortRange{Start: 30105, End: 30120}
		}, "spec.services.loadBalancerWorker[0].nodePortRange", "node port 30105"},
		{"one node port twice in a cluster",
			func(_, b *v1.Services) { b.LoadBalancerControlPlane[0].NodePort = b.JumpHost[0].NodePort },
			"spec.services.jumpHost[0].nodePort", "tenants/b spec.services.loadBalancerControlPlane[0]"},
		{"a node port outside the site's range", func(_, b *v1.Services) { b.JumpHost[0].NodePort = 22 },
			"spec.services.jumpHost[0].nodePort", "30000 to 32767"},
		{"no node port given: the API server chooses",
			func(a, b *v1.Services) { a.JumpHost[0].NodePort, b.JumpHost[0].NodePort = 0, 0 }, "", ""},
		{"a worker range behind a load balancer takes no node ports", func(a, b *v1.Services) {
			a.LoadBalancerWorker[0].NodePortRange = v1.PortRange{Start: 80, End: 90}
			a.LoadBalancerWorker[0].Service.Service = balanced("192.0.2.1", "")
			b.LoadBalancerWorker[0].NodePortRange = v1.PortRange{Start: 80, End: 90}
			b.LoadBalancerWorker[0].Service.Service = balanced("192.0.2.2", "")
		}, "", ""},
		{"one cluster IP for two Services", func(a, b *v1.Services) {
			x, y := "2001:db8::1", "2001:DB8:0::1"
			a.JumpHost[0].ClusterIP, b.JumpHost[0].ClusterIP = &x, &y
		}, "spec.services.jumpHost[0].clusterIP", "2001:db8::1 is claimed"},
		{"one address without sharing", func(a, b *v1.Services) {
			a.JumpHost[0].Service.Service, b.JumpHost[0].Service.Service = balanced("192.0.2.1",
				""), balanced("192.0.2.1", "")
		}, "spec.services.jumpHost[0].service.loadBalancerIP", "sharingKey"},
		{"one address of two classes", func(a, b *v1.Services) {
			a.JumpHost[0].Service.Service, b.JumpHost[0].Service.Service = balanced("192.0.2.1",
				"a"), balanced("192.0.2.1", "a")
			a.JumpHost[0].NodePort, b.JumpHost[0].NodePort = 0, 0
			a.JumpHost[0].Service.Service.LoadBalancerClass = "io.cilium/l2-announcer"
			b.JumpHost[0].Service.Service.LoadBalancerClass = "io.cilium/bgp-control-plane"
		}, "spec.services.jumpHost[0].service.loadBalancerIP", "of another loadBalancerClass: both would announce it"},
		{"one address with different keys", func(a, b *v1.Services) {
			a.JumpHost[0].Service.Service, b.JumpHost[0].Service.Service = balanced("192.0.2.1",
				"a"), balanced("192.0.2.1", "b")
		}, "spec.services.jumpHost[0].service.loadBalancerIP", "sharingKey"},
		{"one address shared, and one port", func(a, b *v1.Services) {
			a.JumpHost[0].Service.Service, b.JumpHost[0].Service.Service = balanced("192.0.2.1",
				"k"), balanced("192.0.2.1", "k")
		}, "spec.services.jumpHost[0].service.loadBalancerIP", "both listen on port 22"},
		{"one address shared by a tenant's services", func(_, b *v1.Services) {
			b.JumpHost[0].Service.Service = balanced("192.0.2.1", "k")
			b.LoadBalancerControlPlane[0].Service.Service = balanced("192.0.2.1", "k")
		}, "", ""},
		{"one fixed address of two pods", func(a, b *v1.Services) {
			n := []v1.NetworkAttachment{{Name: "vlan", IPs: []string{"192.0.2.9/24"}}}
			a.JumpHost[0].NetworkAttachments, b.JumpHost[0].NetworkAttachments = n, n
		}, "spec.services.jumpHost[0].networkAttachments[0].ips[0]", "192.0.2.9"},
		{"two Dexes in one namespace", func(a, b *v1.Services) { b.Dex = slices.Clone(a.Dex); b.Dex[0].NodePort = 30557 }, "spec.services.dex[0]", "signing keys"},
	} {
		a, b := withServices("a"), withServices("b")
		b.Spec.Services.LoadBalancerControlPlane[0].NodePort = 31443
		b.Spec.Services.LoadBalancerWorker[0].NodePortRange = v1.PortRange{Start: 31100, End: 31109}
		b.Spec.Services.JumpHost[0].NodePort = 31022
		b.Spec.Services.Dex = nil
		row.change(&a.Spec.Services, &b.Spec.Services)
		errs := ValidateClusters([]v1.SIPCluster{a, b}, 30000, 32767)
		if row.path == "" {
			assert.Len(t, errs, 0, row.why)
			continue
		}
		assert.Truef(t,
			len(errs) == 1 && errs[0].Cluster.Name == "b" && errs[0].Path == row.path &&
				strings.Contains(errs[0].Message, row.want),
			"%s:\n got %v\nwant one error at b, %s: ...%s...", row.why, errs, row.path, row.want)
	}
}

// claiming is a cluster with a load balancer that claims one thing of each kind.
func claiming(name string, port int32, ip, vip, key, podIP string) v1.SIPCluster {
	c := v1.SIPCluster{}
	c.Namespace, c.Name = "n", name
	lb := v1.LoadBalancerControlPlane{NodePort: port}
	if ip != "" {
		lb.ClusterIP = &ip
	}
	if vip != "" {
		lb.Service.Service = &v1.ServiceExposure{Type: "LoadBalancer", LoadBalancerIP: vip, SharingKey: key}
	}
	if podIP != "" {
		lb.NetworkAttachments = []v1.NetworkAttachment{{Name: "net", IPs: []string{podIP + "/24"}}}
	}
	c.Spec.Services.LoadBalancerControlPlane = []v1.LoadBalancerControlPlane{lb}
	return c
}

func heldOf(claims ...Claim) Held {
	held := Held{}
	for _, claim := range claims {
		held.Add(claim)
	}
	return held
}

// TestPortsThatMove: the API server refuses a node port that two Services have, so a port that another Service of the
// cluster has in the tree is given up before it is asked for.
func TestPortsThatMove(t *testing.T) {
	port := func(service, number string) Claim {
		return Claim{Resource: Resource{NodePort, number}, Service: service}
	}
	const first, second = "loadbalancer-controlplane-a", "loadbalancer2-controlplane-a"
	for _, row := range []struct {
		why  string
		held Held
		want []string
	}{
		{"each keeps its port", heldOf(port(first, "30000"), port(second, "30005")), nil},
		{"both are new", nil, nil},
		{"a port that no Service has any more", heldOf(port(first, "30001")), nil},
		{"the first takes the port of the second", heldOf(port(second, "30000")), []string{second}},
		{"both swap", heldOf(port(first, "30005"), port(second, "30000")), []string{second, first}},
		{"a port of a Service that goes", heldOf(port("jumphost-a", "30005")), []string{"jumphost-a"}},
	} {
		c := claiming("a", 30000, "", "", "", "")
		c.Spec.Services.LoadBalancerControlPlane = append(c.Spec.Services.LoadBalancerControlPlane,
			v1.LoadBalancerControlPlane{NodePort: 30005})
		errs := ValidateHeld([]v1.SIPCluster{c}, map[string]Held{"n/a": row.held}, 30000, 32767)
		assert.Len(t, errs, len(row.want), row.why)
		for i, service := range row.want[:min(len(errs), len(row.want))] {
			assert.Contains(t, errs[i].Error(), "is that of Service "+service+" in the tree", row.why)
			assert.Contains(t, errs[i].Error(), "give it up there in one commit", row.why)
		}
	}
}

// TestValidateHeld: of two that claim a thing, the one that has it keeps it, whatever the names say.
func TestValidateHeld(t *testing.T) {
	dexed := func(name string) v1.SIPCluster {
		c := v1.SIPCluster{}
		c.Namespace, c.Name = "n", name
		c.Spec.Services.Dex = []v1.Dex{{}}
		return c
	}
	for _, row := range []struct {
		why  string
		a, b v1.SIPCluster
		held Held
		want string // what is said of the one that does not hold, "a" or "b" put for HOLDER and OTHER
	}{
		{"a node port", claiming("a", 30001, "", "", "", ""), claiming("b", 30001, "", "", "", ""),
			heldOf(Claim{Resource: Resource{NodePort, "30001"}}), "node port 30001 is claimed by n/HOLDER"},
		{"a cluster IP", claiming("a", 0, "10.96.0.9", "", "", ""), claiming("b", 0, "10.96.0.9", "", "", ""),
			heldOf(Claim{Resource: Resource{ClusterIP, "10.96.0.9"}}), "10.96.0.9 is claimed by n/HOLDER"},
		{"a pod's address", claiming("a", 0, "", "", "", "10.1.1.1"), claiming("b", 0, "", "", "", "10.1.1.1"),
			heldOf(Claim{Resource: Resource{PodIP, "n/net 10.1.1.1"}}), "n/net 10.1.1.1 is claimed by n/HOLDER"},
		{"a load balancer's address", claiming("a", 0, "", "203.0.113.1", "", ""),
			claiming("b", 0, "", "203.0.113.1", "", ""),
			heldOf(Claim{Resource: Resource{Balancer, "203.0.113.1"}, SharingKey: "", Provider: "metallb",
				Ports: v1.PortRange{Start: 6443, End: 6443}}), "203.0.113.1 is claimed by n/HOLDER"},
		{"a shared one at the same port", claiming("a", 0, "", "203.0.113.1", "k", ""),
			claiming("b", 0, "", "203.0.113.1", "k", ""),
			heldOf(Claim{Resource: Resource{Balancer, "203.0.113.1"}, SharingKey: "k", Provider: "metallb",
				Ports: v1.PortRange{Start: 6443, End: 6443}}), "203.0.113.1 is shared with n/HOLDER"},
		{"Dex's keys", dexed("a"), dexed("b"), heldOf(Claim{Resource: Resource{DexState, "n"}}),
			"n/HOLDER spec.services.dex[0] keeps its signing keys in namespace n already"},
	} {
		places := map[string]bool{}
		for holder, other := range map[string]string{"a": "b", "b": "a"} {
			t.Run(row.why+" of "+holder, func(t *testing.T) {
				for _, clusters := range [][]v1.SIPCluster{{row.a, row.b}, {row.b, row.a}} {
					errs := ValidateHeld(clusters, map[string]Held{"n/" + holder: row.held}, 30000, 32767)
					want := strings.ReplaceAll(row.want, "HOLDER", holder)
					if len(errs) != 1 || errs[0].Cluster.Name != other || !strings.Contains(errs[0].Message, want) {
						t.Errorf("found %v, want one complaint about n/%s: %s", errs, other, want)
						continue
					}
					places[errs[0].Path] = true
				}
				// The holder is frozen: its spec is not looked at, and what it has it keeps.
				newcomer := row.a
				if other == "b" {
					newcomer = row.b
				}
				errs := ValidateHeld([]v1.SIPCluster{newcomer}, map[string]Held{"n/" + holder: row.held}, 30000, 32767)
				assert.Truef(t,
					len(errs) == 1 && errs[0].Cluster.Name == other && strings.Contains(fmt.Sprint(errs),
						"n/"+holder+" in the tree"),
					"of a holder that is frozen: found %v", errs)
			})
		}
		assert.Equal(t, 1, len(places), row.why)
	}
	shared := claiming("a", 0, "", "203.0.113.1", "k", "")
	if errs := ValidateHeld([]v1.SIPCluster{shared},
		map[string]Held{"n/b": heldOf(Claim{Resource: Resource{Balancer, "203.0.113.1"}, SharingKey: "k",
			Provider: "metallb", Ports: v1.PortRange{Start: 22, End: 22}})}, 30000, 32767); len(errs) != 0 {
		t.Errorf("shared at another port: found %v", errs)
	}
}

// TestSyncNames: no two clusters are synced by objects of one name, and who is in the tree stays, with services or
// without.
func TestSyncNames(t *testing.T) {
	named := func(name string) v1.SIPCluster {
		c := v1.SIPCluster{}
		c.Namespace, c.Name = "evil", name
		return c
	}
	long := strings.Repeat("a", 60)
	for _, part := range v1.SyncParts {
		alike, _ := strings.CutSuffix(strings.TrimPrefix(v1.SyncName("evil", long, part), "evil."), "."+part)
		name := v1.SyncName("evil", alike, part)
		require.Truef(t, name == v1.SyncName("evil", long, part) && len(name) <= 63, "found %s, want the name of both",
			name)
		for holder, other := range map[string]string{long: alike, alike: long} {
			for _, clusters := range [][]v1.SIPCluster{{named(long), named(alike)}, {named(alike), named(long)}} {
				for what, given := range map[string][]v1.SIPCluster{"both": clusters,
					"the other, while the holder's services stay": {named(other)}} {
					held := Held{}
					held.AddSynced("evil", holder)
					errs := ValidateHeld(given, map[string]Held{"evil/" + holder: held}, 30000, 32767)
					assert.Truef(t,
						len(errs) == 1 && errs[0].Cluster.Name == other && strings.Contains(errs[0].Message,
							"names of those of evil/"+holder),
						"%s, %s: found %v, want one complaint about %s", part, what, errs, other)
				}
			}
		}
	}
	alike := strings.TrimSuffix(strings.TrimPrefix(v1.SyncName("evil", long, v1.SyncParts[0]), "evil."),
		"."+v1.SyncParts[0])
	assert.Len(t, ValidateHeld([]v1.SIPCluster{named(alike)}, map[string]Held{"evil/" + long: {}}, 30000, 32767), 0,
		"of a cluster that no object syncs: found")
	assert.Len(t,
		ValidateClusters([]v1.SIPCluster{named(long), named(strings.Repeat("a", 61)), named("a")}, 30000, 32767), 0)
}
