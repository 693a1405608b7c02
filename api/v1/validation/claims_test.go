package validation

import (
	"slices"
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
)

func TestSiteClaims(t *testing.T) {
	balanced := func(ip, key string) *v1.ServiceExposure {
		return &v1.ServiceExposure{Type: "LoadBalancer", LoadBalancerIP: ip, SharingKey: key}
	}
	for _, row := range []struct {
		why string
		// b differs from a in all that a site has once, before change.
		change func(a, b *v1.Services)
		path   string
		want   string
	}{
		{"two clusters with ports of their own", func(_, _ *v1.Services) {}, "", ""},
		{"one node port for two clusters", func(a, b *v1.Services) { b.JumpHost[0].NodePort = a.LoadBalancerControlPlane[0].NodePort }, "spec.services.jumpHost[0].nodePort", "tenants/a spec.services.loadBalancerControlPlane[0]"},
		{"a node port within another's range", func(_, b *v1.Services) { b.JumpHost[0].NodePort = 30105 }, "spec.services.jumpHost[0].nodePort", "node port 30105"},
		{"ranges that overlap", func(_, b *v1.Services) {
			b.LoadBalancerWorker[0].NodePortRange = v1.PortRange{Start: 30105, End: 30120}
		}, "spec.services.loadBalancerWorker[0].nodePortRange", "node port 30105"},
		{"one node port twice in a cluster", func(_, b *v1.Services) { b.LoadBalancerControlPlane[0].NodePort = b.JumpHost[0].NodePort }, "spec.services.jumpHost[0].nodePort", "tenants/b spec.services.loadBalancerControlPlane[0]"},
		{"a node port outside the site's range", func(_, b *v1.Services) { b.JumpHost[0].NodePort = 22 }, "spec.services.jumpHost[0].nodePort", "30000 to 32767"},
		{"no node port given: the API server chooses", func(a, b *v1.Services) { a.JumpHost[0].NodePort, b.JumpHost[0].NodePort = 0, 0 }, "", ""},
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
			a.JumpHost[0].Service.Service, b.JumpHost[0].Service.Service = balanced("192.0.2.1", ""), balanced("192.0.2.1", "")
		}, "spec.services.jumpHost[0].service.loadBalancerIP", "sharingKey"},
		{"one address with different keys", func(a, b *v1.Services) {
			a.JumpHost[0].Service.Service, b.JumpHost[0].Service.Service = balanced("192.0.2.1", "a"), balanced("192.0.2.1", "b")
		}, "spec.services.jumpHost[0].service.loadBalancerIP", "sharingKey"},
		{"one address shared, and one port", func(a, b *v1.Services) {
			a.JumpHost[0].Service.Service, b.JumpHost[0].Service.Service = balanced("192.0.2.1", "k"), balanced("192.0.2.1", "k")
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
			if len(errs) > 0 {
				t.Errorf("%s: got %v", row.why, errs)
			}
			continue
		}
		if len(errs) != 1 || errs[0].Cluster.Name != "b" || errs[0].Path != row.path || !strings.Contains(errs[0].Message, row.want) {
			t.Errorf("%s:\n got %v\nwant one error at b, %s: ...%s...", row.why, errs, row.path, row.want)
		}
	}
}
