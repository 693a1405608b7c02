package tenancy

import "testing"

// TestGrantsBesideDefaults: what a spec asks for is compared with what the site gives everybody, and with what its services are rendered with.
func TestGrantsBesideDefaults(t *testing.T) {
	const at = "spec.services.loadBalancerControlPlane[0]"
	for _, row := range []struct{ why, defaults, grants, spec, want string }{
		{"control-plane nodes that the site gives everybody", "{controlPlaneNodes: true}", "", lb("controlPlaneNodes: true"), ""},
		{"that it gives nobody", "{controlPlaneNodes: false}", "", lb("controlPlaneNodes: true"), at + ".controlPlaneNodes: found true, which only the Site allows"},
		{"a pool that none can be, by a pattern", "{}", "addressPools: ['bank-*']", lb("service: {type: LoadBalancer, annotations: {metallb.io/address-pool: bank-A}}"), at + `.service.annotations[metallb.io/address-pool]: found the address pool "bank-A", which is not a valid pool name`},

		{"fixed addresses on its own network, by name", "{}", "", lb("replicas: 1, networkAttachments: [{name: any, namespace: bank, ips: [192.0.2.9/24]}]"), ""},
	} {
		if row.grants != "" {
			row.grants = ", " + row.grants
		}
		c := clusterOf(t, "bank/c", row.spec)
		site := siteOf(t, "  defaults: "+row.defaults+"\n  tenants:\n  - {name: bank, namespaces: [bank]"+row.grants+"}\n")
		want(t, row.why, said(Of(site, nil).Spec(&c)), row.want)
	}
	c := clusterOf(t, "bank/c", lb("replicas: 1, networkAttachments: [{name: bmc, namespace: networks, ips: [192.0.2.9/24]}]"))
	site := siteOf(t, "  tenants:\n  - {name: bank, namespaces: [bank]}\n")
	if found := Of(site, nil).Spec(&c); len(found) != 1 {
		t.Errorf("a network that it may not use is one finding, whatever addresses it asks for: got %s", said(found))
	}
}
