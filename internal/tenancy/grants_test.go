package tenancy

import (
	"strings"
	"testing"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/stretchr/testify/assert"
)

// lb is a load balancer in flow style, with further fields; port an exposure by load balancer.
func lb(fields string) string {
	return "{services: {loadBalancerControlPlane: [{nodeInterfaceId: oam, " + fields + "}]}}"
}

func dex(fields string) string {
	return "{services: {dex: [{connectors: [{type: ldap, id: a, name: A, config: {host: 'ldap.example.org:636', userSearch: {baseDN: 'ou=p', username: uid, idAttr: uid, emailAttr: mail, nameAttr: cn}}}], staticClients: [{id: k, public: true, redirectURIs: ['http://localhost:8000']}], " + fields + "}]}}"
}

// TestPodOptionsNeedNoPatches: a tenant without patches has the options of its pods, within its other grants.
func TestPodOptionsNeedNoPatches(t *testing.T) {
	tenants := Of(siteOf(t, "  tenants:\n  - {name: bank, namespaces: [bank], patches: none}\n"), nil)
	for _, row := range []struct{ why, spec, want string }{
		{"options", lb("replicas: 3, labels: {team: net}, pods: {labels: {tier: edge}}"), ""},
		{"a patch", "{services: {jumpHost: [{nodeInterfaceId: oam}]}, patches: [{patch: '{kind: Deployment, metadata: {name: jumphost-a}}'}]}", "spec.patches: found 1"},
	} {
		c := clusterOf(t, "bank/a", row.spec)
		want(t, row.why, said(tenants.Spec(&c)), row.want)
	}
}

// TestGrants: what a spec asks for beyond its grants, by class.
func TestGrants(t *testing.T) {
	listed, plain := Of(siteOf(t, bank), nil), Of(siteOf(t, ""), nil)
	const at = "spec.services.loadBalancerControlPlane[0]"
	for _, row := range []struct{ class, why, spec, want, byDefault string }{
		{"priority", "as much as it has", "{priority: 10}", "",
			"spec.priority: found 10, but a namespace without an entry in the Site's spec.tenants may have at most 0"},
		{"priority", "more", "{priority: 11}",
			"spec.priority: found 11, but tenant bank (the Site's spec.tenants[].maxPriority) may have at most 10",
			"spec.priority"},
		{"priority", "the most that there is", "{priority: 2147483647}", "spec.priority: found 2147483647",
			"spec.priority"},
		{"priority", "less than others", "{priority: -5}", "", ""},

		{"port", "none", lb("replicas: 1"), "", ""},
		{"port", "one of its own", lb("nodePort: 30010"), "", ""},
		{"port", "the last of its own", lb("nodePort: 30029"), "", ""},
		{"port", "one before its own", lb("nodePort: 30009"),
			at + ".nodePort: found node port 30009, which is not granted to tenant bank (the Site's spec.tenants[].nodePorts)", ""},
		{"port", "one behind its own", lb("nodePort: 30030"), at + ".nodePort: found node port 30030", ""},
		{"port", "one of the node's own", lb("nodePort: 22"), at + ".nodePort: found node port 22",
			at + ".nodePort: found 22, which is not a node port, want one within 30000 to 32767, the site's range"},
		{"port", "one of a load balancer", lb("nodePort: 30030, service: {type: LoadBalancer}"), at + ".nodePort", ""},
		{"port", "one that is not used", lb("nodePort: 30030, service: {type: ClusterIP}"), "", ""},
		{"port", "a range over two that touch",
			"{services: {loadBalancerWorker: [{nodeInterfaceId: oam, nodePortRange: {start: 30015, end: 30024}}]}}", "",
			""},
		{"port", "a range over a gap", "{services: {loadBalancerWorker: [{nodeInterfaceId: oam, nodePortRange: {start: 30025, end: 31000}}]}}", "spec.services.loadBalancerWorker[0].nodePortRange: found node port 30025 to 31000", ""},
		{"port", "workers' ports behind a load balancer",
			"{services: {loadBalancerWorker: [{nodeInterfaceId: oam, nodePortRange: {start: 80, end: 90}, service: {type: LoadBalancer}}]}}", "", ""},

		{"pod", "a control-plane node", lb("controlPlaneNodes: true"),
			at + ".controlPlaneNodes: found true, which only the Site allows, for all tenants",
			at + ".controlPlaneNodes: found true"},
		{"pod", "no control-plane node", lb("controlPlaneNodes: false"), "", ""},

		{"address", "none", lb("service: {type: LoadBalancer}"), "", ""},
		{"address", "one of its own", lb("service: {type: LoadBalancer, loadBalancerIP: 203.0.113.16}"), "",
			at + ".service.loadBalancerIP: found 203.0.113.16, which is in none of the networks that a namespace without"},
		{"address", "the last of its own", lb("service: {type: LoadBalancer, loadBalancerIP: 203.0.113.31}"), "",
			"loadBalancerIP"},
		{"address", "the one before", lb("service: {type: LoadBalancer, loadBalancerIP: 203.0.113.15}"),
			at + ".service.loadBalancerIP: found 203.0.113.15, which is in none of the networks that tenant bank (the Site's spec.tenants[].addresses) is granted", "loadBalancerIP"},
		{"address", "the one behind", lb("service: {type: LoadBalancer, loadBalancerIP: 203.0.113.32}"),
			at + ".service.loadBalancerIP: found 203.0.113.32", "loadBalancerIP"},
		{"address", "the second of two",
			lb("service: {type: LoadBalancer, loadBalancerIP: '203.0.113.16,2001:db8:1::1'}"), "found 2001:db8:1::1",
			"found 203.0.113.16"},
		{"address", "both", lb("service: {type: LoadBalancer, loadBalancerIP: '203.0.113.16,2001:db8::1'}"), "",
			"found 203.0.113.16"},
		{"address", "a class of its own",
			lb("service: {type: LoadBalancer, loadBalancerClass: kube-vip.io/kube-vip-class}"), "",
			at + ".service.loadBalancerClass: found \"kube-vip.io/kube-vip-class\", which a namespace without"},
		{"address", "another class", lb("service: {type: LoadBalancer, loadBalancerClass: tailscale}"),
			at + ".service.loadBalancerClass: found \"tailscale\", which tenant bank (the Site's spec.tenants[].loadBalancerClasses) is not granted", "loadBalancerClass"},
		{"address", "a class that begins alike",
			lb("service: {type: LoadBalancer, loadBalancerClass: kube-vip.io/kube-vip-class-2}"),
			at + ".service.loadBalancerClass", "loadBalancerClass"},
		{"address", "a pool of its own",
			lb("service: {type: LoadBalancer, annotations: {metallb.io/address-pool: bank-1}}"), "",
			at + ".service.annotations[metallb.io/address-pool]: found the address pool \"bank-1\", which a namespace without"},
		{"address", "a pool that others have too",
			lb("service: {type: LoadBalancer, annotations: {metallb.universe.tf/address-pool: shared}}"), "",
			"address pool"},
		{"address", "another's pool", lb("service: {type: LoadBalancer, annotations: {metallb.io/address-pool: edge-1}}"), at + ".service.annotations[metallb.io/address-pool]: found the address pool \"edge-1\", which tenant bank (the Site's spec.tenants[].addressPools) is not granted", "address pool"},
		{"address", "another's pool, in the older spelling",
			lb("service: {type: LoadBalancer, annotations: {metallb.universe.tf/address-pool: edge-1}}"),
			at + ".service.annotations[metallb.universe.tf/address-pool]: found the address pool", "address pool"},
		{"address", "another's pool, for all objects", lb("annotations: {metallb.io/address-pool: edge-1}"),
			at + ".annotations[metallb.io/address-pool]: found the address pool", "address pool"},
		{"address", "a pool that begins alike",
			lb("service: {type: LoadBalancer, annotations: {metallb.io/address-pool: shared-2}}"), "address pool",
			"address pool"},
		{"address", "the pool that the site gives everybody",
			lb("annotations: {metallb.universe.tf/address-pool: sites}"), "", "address pool"},
		{"address", "the site's, by the other key", lb("annotations: {metallb.io/address-pool: sites}"), "address pool",
			"address pool"},
		{"address", "no pool", lb("service: {type: LoadBalancer, annotations: {metallb.io/address-pool: ''}}"), "", ""},
		{"address", "the cluster's DNS", lb("clusterIP: 10.96.0.10"), at + ".clusterIP: found 10.96.0.10",
			at + ".clusterIP: found 10.96.0.10"},
		{"address", "no cluster IP at all", lb("clusterIP: None"), "", ""},

		{"certificate", "in its domain",
			dex("issuer: 'https://dex.bank.example.org', tls: {issuerRef: {name: site-ca, kind: ClusterIssuer}}"), "",
			"spec.services.dex[0].issuer: found \"dex.bank.example.org\", which is in no domain that a namespace without"},
		{"certificate", "the domain itself", dex("issuer: 'https://bank.example.org:32000/dex', tls: {secretName: a}"),
			"", "issuer"},
		{"certificate", "its address", dex("issuer: 'https://192.0.2.1:32000', tls: {secretName: a}"), "", "issuer"},
		{"certificate", "another address", dex("issuer: 'https://192.0.2.10', tls: {secretName: a}"),
			`spec.services.dex[0].issuer: found "192.0.2.10"`, "issuer"},
		{"certificate", "the API server",
			dex("issuer: 'https://kubernetes.default.svc', tls: {issuerRef: {name: site-ca, kind: ClusterIssuer}}"),
			`spec.services.dex[0].issuer: found "kubernetes.default.svc", which is in no domain that tenant bank (the Site's spec.tenants[].issuerDomains) is granted`, "issuer"},
		{"certificate", "a name that ends alike", dex("issuer: 'https://evilbank.example.org', tls: {secretName: a}"),
			"issuer: found \"evilbank.example.org\"", "issuer"},
		{"certificate", "a name that begins alike",
			dex("issuer: 'https://bank.example.org.evil.test', tls: {secretName: a}"), "issuer: found", "issuer"},
		{"certificate", "in capitals", dex("issuer: 'https://DEX.Bank.example.org', tls: {secretName: a}"), "",
			"issuer"},
		{"certificate", "another issuer",
			dex("issuer: 'https://bank.example.org', tls: {issuerRef: {name: other-ca, kind: ClusterIssuer}}"),
			`spec.services.dex[0].tls.issuerRef: found ClusterIssuer "other-ca", which tenant bank`, "issuerRef"},
		{"certificate", "the same name of another kind",
			dex("issuer: 'https://bank.example.org', tls: {issuerRef: {name: site-ca}}"),
			`tls.issuerRef: found Issuer "site-ca"`, "issuerRef"},
		{"certificate", "a pattern's", dex("issuer: 'https://bank.example.org', tls: {issuerRef: {name: bank-2}}"), "",
			"issuerRef"},
		{"certificate", "another group's",
			dex("issuer: 'https://bank.example.org', tls: {issuerRef: {name: ca, kind: AWSPCAIssuer, group: awspca.cert-manager.io}}"), "", "issuerRef"},
		{"certificate", "the kind in another group",
			dex("issuer: 'https://bank.example.org', tls: {issuerRef: {name: site-ca, kind: ClusterIssuer, group: evil.example.org}}"), "tls.issuerRef", "issuerRef"},

		{"image", "the site's", lb("image: 'haproxy:2.9'"), "", ""},
		{"image", "one below", lb("image: 'registry.example.org/bank/team/haproxy:1@sha256:" + strings.Repeat("0",
			64) + "'"), "", ""},
		{"image", "a folder that begins alike", lb("image: registry.example.org/banker/haproxy"),
			at + ".image: found \"registry.example.org/banker/haproxy\"", ""},
		{"image", "the folder itself", lb("image: registry.example.org/bank"), at + ".image", ""},
		{"image", "another registry with the path", lb("image: evil.example.org/registry.example.org/bank/haproxy"),
			at + ".image", ""},
		{"image", "a star in the middle", lb("image: quay.io/anybody/haproxy"), "", ""},
		{"image", "more than the star", lb("image: quay.io/any/body/haproxy"), at + ".image", ""},
		{"image", "Docker Hub's short name", lb("image: haproxy-debug"), "", ""},
		{"image", "Docker Hub's user", lb("image: evil/haproxy"),
			at + ".image: found \"evil/haproxy\", which tenant bank (the Site's spec.tenants[].images) is not granted",
			""},

		{"network", "its own", lb("networkAttachments: [{name: any}]"), "", ""},
		{"network", "its own, by name", lb("networkAttachments: [{name: any, namespace: bank}]"), "", ""},
		{"network", "its other namespace's", lb("networkAttachments: [{name: any, namespace: bank-test}]"),
			at + ".networkAttachments[0]: found \"any\" of namespace \"bank-test\"", "networkAttachments[0]"},
		{"network", "one that it may", lb("networkAttachments: [{name: storage-1, namespace: networks}]"), "",
			"networkAttachments[0]"},
		{"network", "a fixed address on its own",
			lb("replicas: 1, networkAttachments: [{name: any, ips: [192.0.2.9/24]}]"), "", ""},
		{"network", "a fixed address of its own on one that it may",
			lb("replicas: 1, networkAttachments: [{name: storage-1, namespace: networks, ips: [203.0.113.17/24]}]"), "",
			"networkAttachments[0]"},
		{"network", "another's fixed address on one that it may",
			lb("replicas: 1, networkAttachments: [{name: storage-1, namespace: networks, ips: [203.0.113.17/24, 192.0.2.9/24]}]"), at + ".networkAttachments[0].ips[1]: found 192.0.2.9, which is in none of the networks that tenant bank (the Site's spec.tenants[].addresses) is granted", "networkAttachments[0]"},
		{"network", "another's, IPv6", lb("replicas: 1, networkAttachments: [{name: storage-1, namespace: networks, ips: ['2001:db8:1::1/64']}]"), "ips[0]: found 2001:db8:1::1", "networkAttachments[0]"},
		{"network", "the second", lb("networkAttachments: [{name: storage-1, namespace: networks}, {name: bmc, namespace: networks}]"), "networkAttachments[1]", "networkAttachments[0]"},
	} {
		c := clusterOf(t, "bank/c", row.spec)
		want(t, row.class+": "+row.why, said(listed.Spec(&c)), row.want)
		want(t, row.class+" by default: "+row.why, said(plain.Spec(&c)), row.byDefault)
	}
	c := clusterOf(t, "edge/c", "{services: {jumpHost: [{nodeInterfaceId: oam}]}, patches: [{patch: '{kind: Deployment, metadata: {name: jumphost-c}}'}]}")
	want(t, "patches of a tenant without", said(listed.Spec(&c)),
		"spec.patches: found 1, but tenant edge (the Site's spec.tenants[].patches) is granted no patches")
	want(t, "patches by default", said(plain.Spec(&c)),
		"spec.patches: found 1, but a namespace without an entry in the Site's spec.tenants is granted no patches")
	c = clusterOf(t, "edge/c", "{services: {loadBalancerControlPlane: [{nodeInterfaceId: oam, haproxy: {balance: first, lines: {global: [x], backend: [z]}}}]}}")
	want(t, "lines of HAProxy by default", said(plain.Spec(&c)),
		"spec.services.loadBalancerControlPlane[0].haproxy.lines.global: raw lines of HAProxy's configuration can do anything, so they need the grant patches: any, which a namespace without an entry in the Site's spec.tenants does not have; the other fields of haproxy need no grant\n"+
			"spec.services.loadBalancerControlPlane[0].haproxy.lines.backend: raw lines of HAProxy's configuration")
	of := Of(siteOf(t, "  tenants:\n  - {name: edge, namespaces: [edge], patches: any}\n"), nil)
	want(t, "lines of HAProxy where any patch is granted", said(of.Spec(&c)), "")
	c = clusterOf(t, "edge/c", "{services: {jumpHost: [{nodeInterfaceId: oam}, {nodeInterfaceId: oam, image: 'quay.io/airshipit/jump-host:latest'}]}}")
	want(t, "an image of the SIP operator's time, whose place the Site's takes", said(listed.Spec(&c)), "")
	plain.site.Spec.Images.NoJumpHost = true
	want(t, "jump hosts without an image", said(plain.Spec(&c)),
		"spec.services.jumpHost[0].image: missing here and in the Site's spec.images.jumpHost; this sipgen was not built from a tag, so no image was published with it: in a checkout, build the one in images/jump-host and push it to your own registry (make jump-image PUSH_JUMP=REGISTRY/jump-host:1), then name it in the Site\nspec.services.jumpHost[1].image: missing")
	plain.site.Spec.Images.RegistryMirror = "registry.example.org"
	want(t, "jump hosts without an image where a mirror may have one", said(plain.Spec(&c)), "")
	plain.site.Spec.Images.NoJumpHost, plain.site.Spec.Images.RegistryMirror = false, ""
}

// TestNoImageReference: what is no image reference is nobody's, whatever the pattern.
func TestNoImageReference(t *testing.T) {
	for _, pattern := range []string{"*", "registry.example.org/bank/*", "registry.example.org/*/haproxy"} {
		tenant := Tenant{Tenant: v1alpha1.Tenant{Images: []string{pattern}}}
		for _, image := range []string{"registry.example.org/bank/../haproxy", "registry.example.org/bank/./haproxy",
			"registry.example.org/bank//haproxy", "registry.example.org/bank/%2e%2e/haproxy",
			"registry.example.org/bank/\nhaproxy"} {
			assert.Truef(t, !tenant.mayRun(image), "%q allows %q", pattern, image)
		}
		assert.Truef(t, tenant.mayRun("registry.example.org/bank/haproxy:1"),
			"%q does not allow the image that it is for", pattern)
	}
}

// TestGrantsBesideDefaults: what a spec asks for is compared with what the site gives everybody, and with what its
// services are rendered with.
func TestGrantsBesideDefaults(t *testing.T) {
	const at = "spec.services.loadBalancerControlPlane[0]"
	for _, row := range []struct{ why, defaults, grants, spec, want string }{
		{"control-plane nodes that the site gives everybody", "{controlPlaneNodes: true}", "",
			lb("controlPlaneNodes: true"), ""},
		{"that it gives nobody", "{controlPlaneNodes: false}", "", lb("controlPlaneNodes: true"),
			at + ".controlPlaneNodes: found true, which only the Site allows"},
		{"an address of a family in which nothing listens", "{ipFamily: IPv4}", "addresses: ['2001:db8::/64']",
			lb("service: {type: LoadBalancer, loadBalancerIP: '2001:db8::1'}"), at +
				".service.loadBalancerIP: found 2001:db8::1, want an IPv4 address: the Site's services have no other"},
		{"one of both families, of which one has no listener", "{ipFamily: IPv4}",
			"addresses: ['2001:db8::/64', 192.0.2.0/24]",
			lb("service: {type: LoadBalancer, loadBalancerIP: '192.0.2.1,2001:db8::1'}"),
			at + ".service.loadBalancerIP: found 2001:db8::1"},
		{"a cluster IP of that family", "{ipFamily: IPv4}", "addresses: ['2001:db8::/64']",
			lb("clusterIP: '2001:db8::1'"), at + ".clusterIP: found 2001:db8::1, want an IPv4 address"},
		{"addresses of the family that listens", "{ipFamily: IPv4}", "addresses: [192.0.2.0/24]",
			lb("clusterIP: 192.0.2.2, service: {type: LoadBalancer, loadBalancerIP: 192.0.2.1}"), ""},
		{"no cluster IP, of no family", "{ipFamily: IPv4}", "", lb("clusterIP: None"), ""},
		{"a pool that none can be, by a pattern", "{}", "addressPools: ['bank-*']",
			lb("service: {type: LoadBalancer, annotations: {metallb.io/address-pool: bank-A}}"),
			at + `.service.annotations[metallb.io/address-pool]: found the address pool "bank-A", which is not a valid pool name`},

		{"fixed addresses on its own network, by name", "{}", "",
			lb("replicas: 1, networkAttachments: [{name: any, namespace: bank, ips: [192.0.2.9/24]}]"), ""},
	} {
		if row.grants != "" {
			row.grants = ", " + row.grants
		}
		c := clusterOf(t, "bank/c", row.spec)
		site := siteOf(t, "  defaults: "+row.defaults+"\n  tenants:\n  - {name: bank, namespaces: [bank]"+row.grants+
			"}\n")
		want(t, row.why, said(Of(site, nil).Spec(&c)), row.want)
	}
	c := clusterOf(t, "bank/c", lb("replicas: 1, networkAttachments: [{name: bmc, namespace: networks, ips: [192.0.2.9/24]}]"))
	site := siteOf(t, "  tenants:\n  - {name: bank, namespaces: [bank]}\n")
	assert.Len(t, Of(site, nil).Spec(&c), 1,
		"a network that it may not use is one finding, whatever addresses it asks for")
}
