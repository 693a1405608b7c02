package tenancy

import "testing"

// TestGrantsBesideDefaults: what a spec asks for is compared with what the site gives everybody, and with what its services are rendered with.
func TestGrantsBesideDefaults(t *testing.T) {
	const at = "spec.services.loadBalancerControlPlane[0]"
	const storage = "limits: {resources: {ephemeral-storage: "
	for _, row := range []struct{ why, defaults, grants, spec, want string }{
		{"control-plane nodes that the site gives everybody", "{controlPlaneNodes: true}", "", lb("controlPlaneNodes: true"), ""},
		{"that it gives nobody", "{controlPlaneNodes: false}", "", lb("controlPlaneNodes: true"), at + ".controlPlaneNodes: found true, which tenant bank"},
		{"a login without being asked, where that is granted", "{}", "dex: {skipApprovalScreen: true}, issuerDomains: [bank.example.org]", dex(issuer + ", skipApprovalScreen: true"), ""},
		{"a pool that none can be, by a pattern", "{}", "addressPools: ['bank-*']", lb("service: {type: LoadBalancer, annotations: {metallb.io/address-pool: bank-A}}"), at + `.service.annotations[metallb.io/address-pool]: found the address pool "bank-A", which is not a valid pool name`},

		{"storage by default, which is too much", "{}", storage + "1Mi}}", lb("replicas: 1"), at + ".resources.limits.ephemeral-storage: missing, so the default of "},
		{"storage by default, which is not", "{}", storage + "100Gi}}", lb("replicas: 1"), ""},
		{"the same beside memory", "{}", storage + "100Gi}}", lb("resources: {limits: {memory: 1Mi}}"), ""},
		{"the same beside the site's memory", "{resources: {limits: {memory: 1Mi}}}", storage + "100Gi}}", lb("replicas: 1"), ""},
		{"too much beside memory", "{}", storage + "1Mi}}", lb("resources: {limits: {memory: 1Mi}}"), at + ".resources.limits.ephemeral-storage: missing, so the default of "},
		{"storage that the site bounds", "{resources: {limits: {ephemeral-storage: 1Mi}}}", storage + "1Mi}}", lb("replicas: 1"), ""},
		{"storage that the spec bounds", "{}", storage + "1Mi}}", lb("resources: {limits: {ephemeral-storage: 1Mi}}"), ""},
		{"storage that it bounds too high", "{}", storage + "1Mi}}", lb("resources: {limits: {ephemeral-storage: 2Mi}}"), at + ".resources.limits.ephemeral-storage: found 2Mi"},
		{"storage that it only requests", "{}", storage + "1Mi}}", lb("resources: {requests: {ephemeral-storage: 1Mi}}"), at + ".resources.limits.ephemeral-storage: missing, but tenant bank"},

		{"few connections, which change no memory", "{}", "limits: {resources: {memory: 1Mi}}", lb("haproxy: {maxConnections: 100}"), ""},
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
	c = clusterOf(t, "bank/c", lb("resources: {requests: {ephemeral-storage: 1Mi}}"))
	site = siteOf(t, "  tenants:\n  - {name: bank, namespaces: [bank], "+storage+"1Mi}}}\n")
	if found := Of(site, nil).Spec(&c); len(found) != 1 {
		t.Errorf("a request alone has no limit by default: got %s", said(found))
	}
}
