package tenancy

import (
	"errors"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/schedule"
)

var keys = schedule.LabelKeys{ClusterNamespace: "cn", ClusterName: "cc", NodeType: "nt", Standby: "sb"}

func siteOf(t *testing.T, spec string) *v1alpha1.Site {
	t.Helper()
	docs, err := manifest.Parse("site.yaml", []byte("apiVersion: sipgen.airshipit.org/v1alpha1\nkind: Site\nspec:\n  repository: {url: 'https://git.example.org/a.git'}\n"+spec))
	if err != nil {
		t.Fatal(err)
	}
	site, err := v1alpha1.FromDocuments(docs)
	if err != nil {
		t.Fatal(err)
	}
	return site
}

// clusterOf reads one SIPCluster, "namespace/name", with the fields of its spec.
func clusterOf(t *testing.T, key, spec string) v1.SIPCluster {
	t.Helper()
	namespace, name, _ := strings.Cut(key, "/")
	docs, err := manifest.Parse("spec.yaml", []byte("apiVersion: airship.airshipit.org/v1\nkind: SIPCluster\nmetadata: {namespace: "+namespace+", name: "+name+"}\nspec: "+spec+"\n"))
	if err != nil {
		t.Fatal(err)
	}
	clusters, err := v1.FromDocuments(docs)
	if err != nil {
		t.Fatal(err)
	}
	return clusters[0]
}

func said[E error](errs []E) string {
	var out []string
	for _, e := range errs {
		out = append(out, e.Error())
	}
	return strings.Join(out, "\n")
}

// want compares what was said with a part of it; an empty want: nothing may be said.
func want(t *testing.T, why, found, want string) {
	t.Helper()
	if want == "" && found != "" || !strings.Contains(found, want) {
		t.Errorf("%s:\nfound %s\nwant  %s", why, found, want)
	}
}

const bank = `  defaults: {resources: {limits: {cpu: '1', memory: 256Mi}}}
  tenants:
  - name: bank
    specs: [tenants/bank, more/bank.yaml]
    namespaces: [bank, bank-test]
    hosts: {selector: {matchLabels: {pool: finance}}, max: 6, maxStandby: 2}
    maxPriority: 10
    nodePorts: [{start: 30010, end: 30019}, {start: 30020, end: 30029}, {start: 31000, end: 31000}]
    addresses: [203.0.113.16/28, '2001:db8::/64']
    loadBalancerClasses: [kube-vip.io/kube-vip-class]
    maxClusters: 2
    issuerDomains: [bank.example.org, 192.0.2.1]
    certificateIssuers: [ClusterIssuer/site-ca, Issuer/bank-*, awspca.cert-manager.io/AWSPCAIssuer/ca]
    images: [registry.example.org/bank/*, quay.io/*/haproxy, docker.io/library/haproxy-debug]
    networkAttachments: [networks/storage-*]
    limits: {replicas: 3, resources: {cpu: '2', memory: 1Gi}}
  - {name: edge, namespaces: [edge, kube-edge, argocd], patches: none}
  - {name: metal, namespaces: [metal3], ownsHosts: true, specs: ['-']}
`

func TestNamespaces(t *testing.T) {
	hosts := []string{"metal3", "vino-system"}
	plain := Of(siteOf(t, ""), hosts)
	listed := Of(siteOf(t, bank), hosts)
	shared := Of(siteOf(t, "  hosts: {sharedNamespaces: [vino-system]}\n"), hosts)
	argocd := Of(siteOf(t, "  engine: argocd\n  argocd: {order: none, namespace: gitops}\n"), hosts)
	for _, row := range []struct {
		why       string
		tenants   *Tenants
		namespace string
		want      string
	}{
		{"any namespace is a tenant", plain, "anything", ""},
		{"Kubernetes' own", plain, "kube-system", "is of Kubernetes itself"},
		{"another of Kubernetes'", plain, "kube-node-lease", "is of Kubernetes itself"},
		{"the engine's", plain, "flux-system", "is the engine's"},
		{"the engine's under another name", argocd, "gitops", "is the engine's"},
		{"the other engine's", plain, "argocd", "is of Argo CD"},
		{"the other engine's, the other way", argocd, "flux-system", "is of Flux"},
		{"cert-manager can sign for everybody", plain, "cert-manager", "is of cert-manager"},
		{"the operator that deprovisions", plain, "baremetal-operator-system", "is of metal3's baremetal-operator"},
		{"Cluster API", plain, "capi-system", "is of Cluster API"},
		{"a namespace with hosts", plain, "metal3", "has hosts, and their credentials"},
		{"with hosts, and shared", shared, "vino-system", ""},
		{"with hosts, and another one is shared", shared, "metal3", "has hosts"},
		{"a namespace of the Site", Of(siteOf(t, "  hosts: {namespaces: [racks]}\n"), nil), "racks", "has hosts"},
		{"a listed one", listed, "bank-test", ""},
		{"one that is not listed", listed, "anything", "is of none of the Site's spec.tenants"},
		{"one that is nearly listed", listed, "bank-tes", "is of none of the Site's spec.tenants"},
		{"Kubernetes', by name", listed, "kube-edge", ""},
		{"Kubernetes', not by name", listed, "kube-system", "is of Kubernetes itself"},
		{"another engine's, by name", listed, "argocd", ""},
		{"hosts that are the tenant's", listed, "metal3", ""},
		{"hosts that are nobody's", listed, "vino-system", "has hosts"},
		{"hosts of a tenant that does not own them", Of(siteOf(t, "  tenants:\n  - {name: a, namespaces: [metal3]}\n"), hosts), "metal3", "has hosts"},
	} {
		c := clusterOf(t, row.namespace+"/c", "{}")
		want(t, row.why, said(row.tenants.Namespace(&c)), row.want)
		if owner := row.tenants.Of(row.namespace); (owner == nil) != (row.want != "") {
			t.Errorf("%s: found tenant %v", row.why, owner)
		}
	}
}

func TestPath(t *testing.T) {
	for _, row := range []struct {
		why   string
		roots []string
		file  string
		want  string
	}{
		{"a folder", []string{"tenants"}, "tenants/bank/a.yaml", "bank/a.yaml"},
		{"a folder with a slash", []string{"./tenants/"}, "tenants/bank/a.yaml", "bank/a.yaml"},
		{"here", []string{"."}, "tenants/bank/a.yaml", "tenants/bank/a.yaml"},
		{"an absolute folder", []string{"/srv/specs"}, "/srv/specs/bank/a.yaml", "bank/a.yaml"},
		{"a file", []string{"tenants/bank/a.yaml"}, "tenants/bank/a.yaml", "a.yaml"},
		{"a file, not in its shortest form", []string{"./tenants//bank/a.yaml"}, "./tenants//bank/a.yaml", "a.yaml"},
		{"one in the other", []string{"tenants", "tenants/bank"}, "tenants/bank/a.yaml", "bank/a.yaml"},
		{"one in the other, the other way round", []string{"tenants/bank", "tenants"}, "tenants/bank/a.yaml", "bank/a.yaml"},
		{"the same twice", []string{"tenants", "./tenants/"}, "tenants/bank/a.yaml", "bank/a.yaml"},
		{"a folder of the same name in another tenant's", []string{"tenants/bank", "tenants/evil"}, "tenants/evil/bank/a.yaml", "evil/bank/a.yaml"},
		{"a file of the same name in another tenant's", []string{"tenants/bank", "tenants/evil"}, "tenants/evil/a.yaml", "evil/a.yaml"},
		{"folders side by side", []string{"tenants/bank", "tenants/evil"}, "tenants/bank/a.yaml", "bank/a.yaml"},
		{"files side by side", []string{"tenants/bank.yaml", "tenants/evil.yaml"}, "tenants/bank.yaml", "bank.yaml"},
		{"names that begin alike", []string{"tenants/bank", "tenants/bank-evil"}, "tenants/bank-evil/a.yaml", "bank-evil/a.yaml"},
		{"absolute folders", []string{"/srv/a", "/opt/b"}, "/srv/a/bank/a.yaml", "srv/a/bank/a.yaml"},
		{"here and elsewhere", []string{".", "../bank"}, "../bank/a.yaml", "../bank/a.yaml"},
		{"absolute and not", []string{"/srv/bank", "bank"}, "/srv/bank/a.yaml", "/srv/bank/a.yaml"},
		{"besides standard input", []string{"tenants", "-"}, "tenants/bank/a.yaml", "bank/a.yaml"},
		{"besides the cluster", []string{"cluster", "tenants"}, "tenants/bank/a.yaml", "bank/a.yaml"},
		{"a name that begins alike", []string{"tenants/bank"}, "tenants/bank-evil/a.yaml", ""},
		{"standard input", []string{"tenants", "-"}, "stdin", "-"},
		{"a file with that name", []string{"."}, "stdin", "stdin"},
		{"the cluster", []string{"cluster"}, "", ""},
	} {
		if found := Path(row.roots, row.file); found != row.want {
			t.Errorf("%s: found %q, want %q", row.why, found, row.want)
		}
	}
}

func TestWritten(t *testing.T) {
	listed := Of(siteOf(t, bank), nil)
	for _, row := range []struct{ why, namespace, file, want string }{
		{"in its folder", "bank", "tenants/bank/a.yaml", ""},
		{"deep in its folder", "bank-test", "tenants/bank/test/a.yaml", ""},
		{"in its file", "bank", "more/bank.yaml", ""},
		{"from the cluster", "bank", "", ""},
		{"beside its folder", "bank", "tenants/banker/a.yaml", "it is tenant bank's, whose specs are in tenants/bank, more/bank.yaml"},
		{"above its folder", "bank", "tenants/a.yaml", "it is tenant bank's"},
		{"by another's standard input", "bank", "-", "found \"bank\" in -, which is tenant metal's"},
		{"standard input that is granted", "metal3", "-", ""},
		{"another tenant's namespace", "edge", "tenants/bank/edge.yaml", `found "edge" in tenants/bank/edge.yaml, which is tenant bank's: want one of its namespaces, bank, bank-test`},
		{"nobody's namespace in a tenant's folder", "flux-system", "tenants/bank/x.yaml", "which is tenant bank's"},
		{"a tenant that names no folder", "edge", "anywhere.yaml", ""},
	} {
		c := clusterOf(t, row.namespace+"/c", "{}")
		want(t, row.why, said(listed.Written(&c, row.file)), row.want)
	}
	c := clusterOf(t, "any/c", "{}")
	want(t, "no tenants", said(Of(siteOf(t, ""), nil).Written(&c, "x.yaml")), "")
}

// lb is a load balancer in flow style, with further fields; port an exposure by load balancer.
func lb(fields string) string {
	return "{services: {loadBalancerControlPlane: [{nodeInterfaceId: oam, " + fields + "}]}}"
}

func dex(fields string) string {
	return "{services: {dex: [{connectors: [{type: ldap, id: a, name: A, config: {host: 'ldap.example.org:636', userSearch: {baseDN: 'ou=p', username: uid, idAttr: uid, emailAttr: mail, nameAttr: cn}}}], staticClients: [{id: k, public: true, redirectURIs: ['http://localhost:8000']}], " + fields + "}]}}"
}

// TestGrants: what a spec asks for beyond its grants, by class.
func TestGrants(t *testing.T) {
	listed, plain := Of(siteOf(t, bank), nil), Of(siteOf(t, ""), nil)
	const at = "spec.services.loadBalancerControlPlane[0]"
	for _, row := range []struct{ class, why, spec, want, byDefault string }{
		{"priority", "as much as it has", "{priority: 10}", "", "spec.priority: found 10, and a namespace that the Site lists in no spec.tenants has at most 0"},
		{"priority", "more", "{priority: 11}", "spec.priority: found 11, and tenant bank (the Site's spec.tenants[].maxPriority) has at most 10", "spec.priority"},
		{"priority", "the most that there is", "{priority: 2147483647}", "spec.priority: found 2147483647", "spec.priority"},
		{"priority", "less than others", "{priority: -5}", "", ""},

		{"port", "none", lb("replicas: 1"), "", ""},
		{"port", "one of its own", lb("nodePort: 30010"), "", ""},
		{"port", "the last of its own", lb("nodePort: 30029"), "", ""},
		{"port", "one before its own", lb("nodePort: 30009"), at + ".nodePort: found node port 30009, and tenant bank (the Site's spec.tenants[].nodePorts) has not all of it", ""},
		{"port", "one behind its own", lb("nodePort: 30030"), at + ".nodePort: found node port 30030", ""},
		{"port", "one of the node's own", lb("nodePort: 22"), at + ".nodePort: found node port 22", at + ".nodePort: found node port 22, and a namespace that"},
		{"port", "one of a load balancer", lb("nodePort: 30030, service: {type: LoadBalancer}"), at + ".nodePort", ""},
		{"port", "one that is not used", lb("nodePort: 30030, service: {type: ClusterIP}"), "", ""},
		{"port", "a range over two that touch", "{services: {loadBalancerWorker: [{nodeInterfaceId: oam, nodePortRange: {start: 30015, end: 30024}}]}}", "", ""},
		{"port", "a range over a gap", "{services: {loadBalancerWorker: [{nodeInterfaceId: oam, nodePortRange: {start: 30025, end: 31000}}]}}", "spec.services.loadBalancerWorker[0].nodePortRange: found node port 30025 to 31000", ""},
		{"port", "workers' ports behind a load balancer", "{services: {loadBalancerWorker: [{nodeInterfaceId: oam, nodePortRange: {start: 80, end: 90}, service: {type: LoadBalancer}}]}}", "", ""},

		{"address", "none", lb("service: {type: LoadBalancer}"), "", ""},
		{"address", "one of its own", lb("service: {type: LoadBalancer, loadBalancerIP: 203.0.113.16}"), "", at + ".service.loadBalancerIP: found 203.0.113.16, and a namespace that"},
		{"address", "the last of its own", lb("service: {type: LoadBalancer, loadBalancerIP: 203.0.113.31}"), "", "loadBalancerIP"},
		{"address", "the one before", lb("service: {type: LoadBalancer, loadBalancerIP: 203.0.113.15}"), at + ".service.loadBalancerIP: found 203.0.113.15, and tenant bank (the Site's spec.tenants[].addresses) has no network with it", "loadBalancerIP"},
		{"address", "the one behind", lb("service: {type: LoadBalancer, loadBalancerIP: 203.0.113.32}"), at + ".service.loadBalancerIP: found 203.0.113.32", "loadBalancerIP"},
		{"address", "the second of two", lb("service: {type: LoadBalancer, loadBalancerIP: '203.0.113.16,2001:db8:1::1'}"), "found 2001:db8:1::1", "found 203.0.113.16"},
		{"address", "both", lb("service: {type: LoadBalancer, loadBalancerIP: '203.0.113.16,2001:db8::1'}"), "", "found 203.0.113.16"},
		{"address", "IPv4 in IPv6", lb("service: {type: LoadBalancer, loadBalancerIP: '::ffff:203.0.113.16'}"), "", "203.0.113.16"},
		{"address", "a class of its own", lb("service: {type: LoadBalancer, loadBalancerClass: kube-vip.io/kube-vip-class}"), "", at + ".service.loadBalancerClass: found \"kube-vip.io/kube-vip-class\", and a namespace that"},
		{"address", "another class", lb("service: {type: LoadBalancer, loadBalancerClass: tailscale}"), at + ".service.loadBalancerClass: found \"tailscale\", and tenant bank (the Site's spec.tenants[].loadBalancerClasses) has none such", "loadBalancerClass"},
		{"address", "a class that begins alike", lb("service: {type: LoadBalancer, loadBalancerClass: kube-vip.io/kube-vip-class-2}"), at + ".service.loadBalancerClass", "loadBalancerClass"},
		{"address", "the cluster's DNS", lb("clusterIP: 10.96.0.10"), at + ".clusterIP: found 10.96.0.10", at + ".clusterIP: found 10.96.0.10"},
		{"address", "no cluster IP at all", lb("clusterIP: None"), "", ""},

		{"certificate", "in its domain", dex("issuer: 'https://dex.bank.example.org', tls: {issuerRef: {name: site-ca, kind: ClusterIssuer}}"), "", "spec.services.dex[0].issuer: found \"dex.bank.example.org\", and a namespace that"},
		{"certificate", "the domain itself", dex("issuer: 'https://bank.example.org:32000/dex', tls: {secretName: a}"), "", "issuer"},
		{"certificate", "its address", dex("issuer: 'https://192.0.2.1:32000', tls: {secretName: a}"), "", "issuer"},
		{"certificate", "another address", dex("issuer: 'https://192.0.2.10', tls: {secretName: a}"), `spec.services.dex[0].issuer: found "192.0.2.10"`, "issuer"},
		{"certificate", "the API server", dex("issuer: 'https://kubernetes.default.svc', tls: {issuerRef: {name: site-ca, kind: ClusterIssuer}}"), `spec.services.dex[0].issuer: found "kubernetes.default.svc", and tenant bank (the Site's spec.tenants[].issuerDomains) has no domain with it`, "issuer"},
		{"certificate", "a name that ends alike", dex("issuer: 'https://evilbank.example.org', tls: {secretName: a}"), "issuer: found \"evilbank.example.org\"", "issuer"},
		{"certificate", "a name that begins alike", dex("issuer: 'https://bank.example.org.evil.test', tls: {secretName: a}"), "issuer: found", "issuer"},
		{"certificate", "in capitals", dex("issuer: 'https://DEX.Bank.example.org', tls: {secretName: a}"), "", "issuer"},
		{"certificate", "another issuer", dex("issuer: 'https://bank.example.org', tls: {issuerRef: {name: other-ca, kind: ClusterIssuer}}"), `spec.services.dex[0].tls.issuerRef: found ClusterIssuer "other-ca", and tenant bank`, "issuerRef"},
		{"certificate", "the same name of another kind", dex("issuer: 'https://bank.example.org', tls: {issuerRef: {name: site-ca}}"), `tls.issuerRef: found Issuer "site-ca"`, "issuerRef"},
		{"certificate", "a pattern's", dex("issuer: 'https://bank.example.org', tls: {issuerRef: {name: bank-2}}"), "", "issuerRef"},
		{"certificate", "another group's", dex("issuer: 'https://bank.example.org', tls: {issuerRef: {name: ca, kind: AWSPCAIssuer, group: awspca.cert-manager.io}}"), "", "issuerRef"},
		{"certificate", "the kind in another group", dex("issuer: 'https://bank.example.org', tls: {issuerRef: {name: site-ca, kind: ClusterIssuer, group: evil.example.org}}"), "tls.issuerRef", "issuerRef"},

		{"image", "the site's", lb("image: 'haproxy:2.9'"), "", ""},
		{"image", "one below", lb("image: 'registry.example.org/bank/team/haproxy:1@sha256:" + strings.Repeat("0", 64) + "'"), "", ""},
		{"image", "a folder that begins alike", lb("image: registry.example.org/banker/haproxy"), at + ".image: found \"registry.example.org/banker/haproxy\"", ""},
		{"image", "the folder itself", lb("image: registry.example.org/bank"), at + ".image", ""},
		{"image", "another registry with the path", lb("image: evil.example.org/registry.example.org/bank/haproxy"), at + ".image", ""},
		{"image", "a star in the middle", lb("image: quay.io/anybody/haproxy"), "", ""},
		{"image", "more than the star", lb("image: quay.io/any/body/haproxy"), at + ".image", ""},
		{"image", "Docker Hub's short name", lb("image: haproxy-debug"), "", ""},
		{"image", "Docker Hub's user", lb("image: evil/haproxy"), at + ".image: found \"evil/haproxy\", and tenant bank (the Site's spec.tenants[].images) has none such", ""},

		{"network", "its own", lb("networkAttachments: [{name: any}]"), "", ""},
		{"network", "its own, by name", lb("networkAttachments: [{name: any, namespace: bank}]"), "", ""},
		{"network", "its other namespace's", lb("networkAttachments: [{name: any, namespace: bank-test}]"), at + ".networkAttachments[0]: found \"any\" of namespace \"bank-test\"", "networkAttachments[0]"},
		{"network", "one that it may", lb("networkAttachments: [{name: storage-1, namespace: networks}]"), "", "networkAttachments[0]"},
		{"network", "a fixed address on its own", lb("replicas: 1, networkAttachments: [{name: any, ips: [192.0.2.9/24]}]"), "", ""},
		{"network", "a fixed address of its own on one that it may", lb("replicas: 1, networkAttachments: [{name: storage-1, namespace: networks, ips: [203.0.113.17/24]}]"), "", "networkAttachments[0]"},
		{"network", "another's fixed address on one that it may", lb("replicas: 1, networkAttachments: [{name: storage-1, namespace: networks, ips: [203.0.113.17/24, 192.0.2.9/24]}]"), at + ".networkAttachments[0].ips[1]: found 192.0.2.9, and tenant bank (the Site's spec.tenants[].addresses) has no network with it", "networkAttachments[0]"},
		{"network", "another's, IPv6", lb("replicas: 1, networkAttachments: [{name: storage-1, namespace: networks, ips: ['2001:db8:1::1/64']}]"), "ips[0]: found 2001:db8:1::1", "networkAttachments[0]"},
		{"network", "the second", lb("networkAttachments: [{name: storage-1, namespace: networks}, {name: bmc, namespace: networks}]"), "networkAttachments[1]", "networkAttachments[0]"},

		{"quota", "as many pods as it may", lb("replicas: 3"), "", ""},
		{"quota", "more", lb("replicas: 4"), at + ".replicas: found 4, and tenant bank (the Site's spec.tenants[].limits.replicas) has at most 3", ""},
		{"quota", "a great many", lb("replicas: 100"), "replicas: found 100", "replicas: found 100, and a namespace that"},
		{"quota", "as much as it may", lb("resources: {requests: {cpu: 2000m}, limits: {cpu: 2000m, memory: 1024Mi}}"), "", ""},
		{"quota", "more CPU", lb("resources: {requests: {cpu: 2001m}, limits: {memory: 1Gi}}"), at + ".resources.requests.cpu: found 2001m, and tenant bank", ""},
		{"quota", "more memory", lb("resources: {limits: {memory: 1025Mi}}"), at + ".resources.limits.memory: found 1025Mi", ""},
		{"quota", "a limit of zero, which is none", lb("resources: {limits: {memory: 0}}"), at + ".resources.limits.memory: found 0, which is no limit", ""},
		{"quota", "a limit that is null", lb("resources: {limits: {memory: null}}"), at + ".resources.limits.memory: found 0, which is no limit", ""},
		{"quota", "a limit of no CPU, which is none", lb("resources: {limits: {cpu: 0m, memory: 1Gi}}"), at + ".resources.limits.cpu: found 0, which is no limit", ""},
		{"quota", "a request of nothing", lb("resources: {requests: {cpu: 0}, limits: {cpu: 1, memory: 1Gi}}"), "", ""},
		{"quota", "CPU without end", lb("resources: {requests: {cpu: 1}, limits: {memory: 1Gi}}"), at + ".resources.limits.cpu: missing, and tenant bank", ""},
		{"quota", "memory without end", lb("resources: {requests: {cpu: 1}}"), at + ".resources.limits.memory: missing", ""},
	} {
		c := clusterOf(t, "bank/c", row.spec)
		want(t, row.class+": "+row.why, said(listed.Spec(&c)), row.want)
		want(t, row.class+" by default: "+row.why, said(plain.Spec(&c)), row.byDefault)
	}
	for limits, missing := range map[string]string{"{memory: 256Mi}": ".resources.limits.cpu: missing", "{cpu: '1'}": ".resources.limits.memory: missing", "{cpu: '1', memory: 256Mi}": ""} {
		c := clusterOf(t, "bank/c", lb("replicas: 2"))
		site := strings.Replace(bank, "{cpu: '1', memory: 256Mi}", limits, 1)
		want(t, "the site's limits "+limits, said(Of(siteOf(t, site), nil).Spec(&c)), missing)
		_, without, _ := strings.Cut(bank, "\n")
		want(t, "sipgen's limits", said(Of(siteOf(t, without), nil).Spec(&c)), at+".resources.limits.cpu: missing")
		without = strings.Replace(without, "{cpu: '2', memory: 1Gi}", "{memory: 1Gi}", 1)
		want(t, "sipgen's limits, with a bound of memory", said(Of(siteOf(t, without), nil).Spec(&c)), "")
	}
	c := clusterOf(t, "edge/c", "{services: {jumpHost: [{nodeInterfaceId: oam}]}, patches: [{patch: '{kind: Deployment, metadata: {name: jumphost-c}}'}]}")
	want(t, "patches of a tenant without", said(listed.Spec(&c)), "spec.patches: found 1, and tenant edge (the Site's spec.tenants[].patches) has none")
	want(t, "patches by default", said(plain.Spec(&c)), "")
}

func hostsOf(namespace string, label map[string]string, names ...string) []inventory.Host {
	var out []inventory.Host
	for _, name := range names {
		out = append(out, inventory.Host{Namespace: namespace, Name: name, Labels: label})
	}
	return out
}

func TestHeld(t *testing.T) {
	claim := func(host, cluster string, standby, releasing bool) schedule.PreviousClaim {
		return schedule.PreviousClaim{Host: schedule.HostKey{Namespace: "m", Name: host}, Cluster: schedule.ClusterKey{Namespace: "bank", Name: cluster}, Standby: standby, Releasing: releasing}
	}
	labelled := hostsOf("m", map[string]string{"cn": "bank", "cc": "a", "nt": "Worker", "sb": "true"}, "h1", "h2", "h4")
	half := hostsOf("m", map[string]string{"cn": "bank", "cc": "a"}, "h5")
	held := Held(schedule.Previous{Claims: []schedule.PreviousClaim{
		claim("h1", "a", false, false), // the tree is the later word
		claim("h2", "a", false, true),  // it leaves, and its labels are not gone yet
		claim("h3", "b", true, false),  // not in the inventory
	}}, append(labelled, half...), keys)
	for key, want := range map[string]Count{"a": {2, 1}, "b": {1, 1}, "c": {}} {
		if found := held.Of(schedule.ClusterKey{Namespace: "bank", Name: key}); found != want {
			t.Errorf("%s: found %+v, want %+v", key, found, want)
		}
	}
}

// TestHostCaps: clusters are "name active+standby", holdings "name hosts/standby"; bank may have 6, 2 of them standby.
func TestHostCaps(t *testing.T) {
	tenants := Of(siteOf(t, bank), nil)
	for _, row := range []struct {
		why      string
		clusters []v1.SIPCluster
		held     map[string]Count
		frozen   string
		want     string
	}{
		{"as many as it may", []v1.SIPCluster{wanting("a", 0, 4, 2)}, nil, "", ""},
		{"one more", []v1.SIPCluster{wanting("a", 0, 5, 2)}, nil, "", "bank/a: spec.nodes: asks for 7 hosts and holds 0, the tenant's clusters have 0 with those before it, and tenant bank (the Site's spec.tenants[].hosts.max) has at most 6"},
		{"too many standby", []v1.SIPCluster{wanting("a", 0, 1, 3)}, nil, "", "asks for 3 standby hosts and holds 0"},
		{"a great many standby", []v1.SIPCluster{wanting("a", 0, 1, 100_000)}, nil, "", "asks for 100001 hosts"},
		{"a held host is never too many", []v1.SIPCluster{wanting("a", 0, 9, 3)}, map[string]Count{"a": {12, 3}}, "", ""},
		{"fewer than it holds, and still too many", []v1.SIPCluster{wanting("a", 0, 8, 0)}, map[string]Count{"a": {12, 3}}, "", ""},
		{"more than it holds, and too many already", []v1.SIPCluster{wanting("a", 0, 13, 0)}, map[string]Count{"a": {12, 3}}, "", "asks for 13 hosts and holds 12, the tenant's clusters have 12"},
		{"the newcomer goes without, not the holder", []v1.SIPCluster{wanting("a", 10, 4, 0), wanting("b", 0, 4, 0)}, map[string]Count{"b": {3, 0}}, "", "bank/a: spec.nodes"},
		{"the holder fits first", []v1.SIPCluster{wanting("a", 10, 2, 0), wanting("b", 0, 4, 0)}, map[string]Count{"b": {3, 0}}, "", ""},
		{"of two newcomers, the one with less priority", []v1.SIPCluster{wanting("a", 0, 4, 0), wanting("b", 5, 4, 0)}, nil, "", "bank/a: spec.nodes"},
		{"what a cluster without a spec holds counts", []v1.SIPCluster{wanting("a", 0, 4, 0)}, map[string]Count{"gone": {3, 0}}, "", "bank/a: spec.nodes"},
		{"a frozen cluster gets nothing new", []v1.SIPCluster{wanting("a", 0, 4, 0), wanting("b", 9, 4, 0)}, nil, "b", ""},
		{"another role's active for standby", []v1.SIPCluster{wanting("a", 0, 3, 2)}, map[string]Count{"a": {5, 3}}, "", ""},
	} {
		held := Holdings{counts: map[schedule.ClusterKey]Count{}}
		for name, count := range row.held {
			held.counts[schedule.ClusterKey{Namespace: "bank", Name: name}] = count
		}
		frozen := map[schedule.ClusterKey]bool{{Namespace: "bank", Name: row.frozen}: true}
		found := tenants.Hosts(row.clusters, held, frozen)
		want(t, row.why, said(found), row.want)
		if row.want != "" && len(found) != 1 {
			t.Errorf("%s: %d complaints, want one", row.why, len(found))
		}
	}
	plain := Of(siteOf(t, "  maxHostsPerTenant: 3\n"), nil)
	want(t, "by default", said(plain.Hosts([]v1.SIPCluster{wanting("a", 0, 4, 0)}, Holdings{}, nil)), "and each namespace (the Site's spec.maxHostsPerTenant) has at most 3")
}

func TestClusterCaps(t *testing.T) {
	tenants := Of(siteOf(t, bank), nil)
	key := func(name string) schedule.ClusterKey { return schedule.ClusterKey{Namespace: "bank", Name: name} }
	for _, row := range []struct {
		why, specs, known, frozen, want string
	}{
		{"as many as it may", "a b", "", "", ""},
		{"one more, without a host", "a b c", "", "", "bank/c: metadata.name: it is one more than the tenant may have: with those in the tree and those before it there are 2, and tenant bank (the Site's spec.tenants[].maxClusters) has at most 2"},
		{"the newcomer, though its name comes first", "a b c", "b c", "", "bank/a: metadata.name"},
		{"what it has stays", "a b c", "a b c", "", ""},
		{"more than it may, and one more", "a b c d", "a b c", "", "bank/d: metadata.name"},
		{"one without a spec has services still", "a b", "gone", "", "bank/b: metadata.name"},
		{"a new one that is frozen has nothing", "a b c", "", "a", ""},
	} {
		var clusters []v1.SIPCluster
		for name := range strings.FieldsSeq(row.specs) {
			clusters = append(clusters, wanting(name, 0, 0, 0))
		}
		var known []schedule.ClusterKey
		for name := range strings.FieldsSeq(row.known) {
			known = append(known, key(name))
		}
		found := tenants.Clusters(clusters, known, map[schedule.ClusterKey]bool{key(row.frozen): true})
		want(t, row.why, said(found), row.want)
		if row.want != "" && len(found) != 1 {
			t.Errorf("%s: %d complaints, want one", row.why, len(found))
		}
	}
	urgent := wanting("z", 5, 0, 0)
	want(t, "of newcomers, the one with less priority", said(tenants.Clusters([]v1.SIPCluster{wanting("a", 0, 0, 0), wanting("b", 0, 0, 0), urgent}, nil, nil)), "bank/b: metadata.name")
	plain := Of(siteOf(t, "  maxClustersPerTenant: 1\n"), nil)
	want(t, "by default", said(plain.Clusters([]v1.SIPCluster{wanting("a", 0, 0, 0), urgent}, nil, nil)), "bank/a: metadata.name: it is one more than the tenant may have: with those in the tree and those before it there are 1, and each namespace (the Site's spec.maxClustersPerTenant) has at most 1")
}

// TestNoImageReference: what is no image reference is nobody's, whatever the pattern.
func TestNoImageReference(t *testing.T) {
	for _, pattern := range []string{"*", "registry.example.org/bank/*", "registry.example.org/*/haproxy"} {
		tenant := Tenant{Tenant: v1alpha1.Tenant{Images: []string{pattern}}}
		for _, image := range []string{"registry.example.org/bank/../haproxy", "registry.example.org/bank/./haproxy", "registry.example.org/bank//haproxy", "registry.example.org/bank/%2e%2e/haproxy", "registry.example.org/bank/\nhaproxy"} {
			if tenant.mayRun(image) {
				t.Errorf("%q allows %q", pattern, image)
			}
		}
		if !tenant.mayRun("registry.example.org/bank/haproxy:1") {
			t.Errorf("%q does not allow the image that it is for", pattern)
		}
	}
}

func wanting(name string, priority int32, active, standby int) v1.SIPCluster {
	c := v1.SIPCluster{}
	c.Namespace, c.Name, c.Spec.Priority = "bank", name, priority
	c.Spec.Nodes = map[string]v1.NodeSet{"Worker": {Count: &v1.NodeCount{Active: active, Standby: standby}}}
	return c
}

// TestNarrowed places clusters whose tenant has a pool: they get new hosts of the pool only, and keep what they have.
func TestNarrowed(t *testing.T) {
	tenants := Of(siteOf(t, bank), nil)
	hosts := append(hostsOf("m", map[string]string{"pool": "finance"}, "f1", "f2"), hostsOf("m", map[string]string{"pool": "else"}, "e1", "e2")...)
	c := wanting("a", 0, 2, 0)
	held := schedule.Previous{Claims: []schedule.PreviousClaim{{Host: schedule.HostKey{Namespace: "m", Name: "e1"}, Cluster: keyOf(&c), Role: "Worker"}}}
	given := []v1.SIPCluster{c}
	placement, err := schedule.Plan(tenants.Narrowed(given), hosts, held, schedule.Options{Keys: keys})
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, a := range placement.Clusters[0].Roles[0].Assigned {
		found = append(found, a.Host.Name)
	}
	if strings.Join(found, " ") != "e1 f1" || len(placement.Clusters[0].Roles[0].Releasing) != 0 {
		t.Errorf("found %v, want e1, which it held, and f1, of its pool", found)
	}
	if set := given[0].Spec.Nodes["Worker"]; len(set.LabelSelector.MatchExpressions) != 0 {
		t.Error("the spec itself was changed")
	}
	c.Spec.Nodes["Worker"] = v1.NodeSet{Count: &v1.NodeCount{Active: 3}}
	placement, err = schedule.Plan(tenants.Narrowed([]v1.SIPCluster{c}), hosts, schedule.Previous{}, schedule.Options{Keys: keys})
	if err != nil || placement.Schedulable() {
		t.Errorf("three hosts of a pool of two: found %v, want it to be unschedulable", err)
	}
}

// TestNarrowedNamespaces: new hosts come from the tenant's namespaces of hosts only, and what it has stays.
func TestNarrowedNamespaces(t *testing.T) {
	tenants := Of(siteOf(t, "  hosts: {namespaces: [east, west, north]}\n  tenants:\n  - {name: bank, namespaces: [bank], hosts: {namespaces: [west, north], max: 9}}\n"), nil)
	hosts := append(append(hostsOf("east", nil, "e1", "e2"), hostsOf("west", nil, "w1", "w2")...), hostsOf("north", nil, "n1")...)
	c := wanting("a", 0, 3, 0)
	held := schedule.Previous{Claims: []schedule.PreviousClaim{{Host: schedule.HostKey{Namespace: "east", Name: "e2"}, Cluster: keyOf(&c), Role: "Worker"}}}
	placement, err := schedule.Plan(tenants.Narrowed([]v1.SIPCluster{c}), hosts, held, schedule.Options{Keys: keys})
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, a := range placement.Clusters[0].Roles[0].Assigned {
		found = append(found, a.Host.Name)
	}
	if strings.Join(found, " ") != "e2 n1 w1" {
		t.Errorf("found %v, want e2, which it held, and two of its namespaces", found)
	}
	for spec, message := range map[string]string{
		"{nodes: {Worker: {hostNamespaces: [west, north]}}}": "",
		"{nodes: {Worker: {hostNamespaces: [west, east]}}}":  `spec.nodes.Worker.hostNamespaces[1]: found "east", and tenant bank (the Site's spec.tenants[].hosts.namespaces) has none such`,
		"{nodes: {Worker: {hostNamespaces: [racks]}}}":       `spec.nodes.Worker.hostNamespaces[0]: found "racks", which has no hosts of the site (the Site's spec.hosts.namespaces)`,
	} {
		c := clusterOf(t, "bank/a", spec)
		want(t, spec, said(tenants.Spec(&c)), message)
	}
}

func TestOwned(t *testing.T) {
	tenants := Of(siteOf(t, bank), []string{"metal3", "m"})
	hosts := append(hostsOf("metal3", map[string]string{"pool": "metal"}, "x1", "x2"), hostsOf("m", map[string]string{"pool": "finance"}, "f1")...)
	holds := func(host, namespace string) Holdings {
		return Held(schedule.Previous{Claims: []schedule.PreviousClaim{{Host: schedule.HostKey{Namespace: "metal3", Name: host}, Cluster: schedule.ClusterKey{Namespace: namespace, Name: "c"}}}}, nil, keys)
	}
	own := clusterOf(t, "metal3/c", "{nodes: {Worker: {count: {active: 1}}}}")
	edge := clusterOf(t, "edge/c", "{nodes: {Worker: {count: {active: 1}}}}")
	narrow := clusterOf(t, "edge/c", "{nodes: {Worker: {labelSelector: {matchLabels: {pool: finance}}, count: {active: 1}}}}")
	for _, row := range []struct {
		why     string
		cluster v1.SIPCluster
		held    Holdings
		want    string
	}{
		{"its own hosts", own, Holdings{}, ""},
		{"another tenant's", edge, Holdings{}, "edge/c: spec.nodes.Worker.labelSelector: selects host metal3/x1, and the hosts of namespace metal3 are tenant metal's (ownsHosts)"},
		{"a selector that leaves them out", narrow, Holdings{}, ""},
		{"another tenant holds one", own, holds("x2", "edge"), `metadata.namespace: found "metal3", where edge/c holds host metal3/x2`},
		{"it holds its own", own, holds("x2", "metal3"), ""},
		{"a pool that leaves them out", wanting("a", 0, 1, 0), Holdings{}, ""},
	} {
		want(t, row.why, said(tenants.Owned(tenants.Narrowed([]v1.SIPCluster{row.cluster}), hosts, row.held)), row.want)
	}
}

// TestSuggest: what is suggested is valid, is enough, and is no more than enough: a bit less is not.
func TestSuggest(t *testing.T) {
	site := siteOf(t, "")
	tenants := Of(site, nil)
	clusters := []v1.SIPCluster{
		clusterOf(t, "bank/a", "{priority: 7, nodes: {Worker: {count: {active: 3, standby: 1}}}, services: {loadBalancerControlPlane: [{nodeInterfaceId: oam, nodePort: 30010, replicas: 12, image: 'example.org/x/haproxy:1', service: {type: LoadBalancer, loadBalancerIP: '203.0.113.7', loadBalancerClass: bgp}, networkAttachments: [{name: s, namespace: networks}, {name: own}]}], jumpHost: [{nodeInterfaceId: oam, networkAttachments: [{name: s, namespace: networks, ips: [192.0.2.9/24]}]}], loadBalancerWorker: [{nodeInterfaceId: oam, clusterIP: 10.96.7.7, nodePortRange: {start: 30011, end: 30019}}]}}"),
		clusterOf(t, "bank/b", dex("nodePort: 30556, issuer: 'https://dex.example.org', tls: {issuerRef: {name: ca, kind: ClusterIssuer}}")),
		clusterOf(t, "edge/a", "{services: {jumpHost: [{nodeInterfaceId: oam}]}, patches: [{patch: '{kind: Deployment, metadata: {name: jumphost-a}}'}]}"),
	}
	files := Files{"bank/a": "bank/a.yaml", "bank/b": "bank/b.yaml", "edge/a": "edge.yaml"}
	held := Held(schedule.Previous{Claims: []schedule.PreviousClaim{
		{Host: schedule.HostKey{Namespace: "m", Name: "1"}, Cluster: schedule.ClusterKey{Namespace: "edge", Name: "a"}},
		{Host: schedule.HostKey{Namespace: "m", Name: "2"}, Cluster: schedule.ClusterKey{Namespace: "edge", Name: "gone"}, Standby: true},
	}}, nil, keys)
	text, err := Render(tenants.Suggest(clusters, files, held))
	if err != nil {
		t.Fatal(err)
	}
	const wanted = `  tenants:
  - name: bank
    specs: [bank]
    namespaces: [bank]
    hosts: {max: 4, maxStandby: 1}
    maxPriority: 7
    nodePorts: [{start: 30010, end: 30019}, {start: 30556, end: 30556}]
    addresses: [10.96.7.7/32, 192.0.2.9/32, 203.0.113.7/32]
    loadBalancerClasses: [bgp]
    issuerDomains: [dex.example.org]
    certificateIssuers: [ClusterIssuer/ca]
    images: [example.org/x/haproxy]
    networkAttachments: [networks/s]
    patches: none
    limits: {replicas: 12}
  - name: edge
    specs: [edge.yaml]
    namespaces: [edge]
    hosts: {max: 2, maxStandby: 1}
    patches: safe
`
	var found, want any
	if err := errors.Join(yaml.Unmarshal([]byte(text), &found), yaml.Unmarshal([]byte(wanted), &want)); err != nil {
		t.Fatal(err)
	}
	a, _ := yaml.Marshal(found)
	b, _ := yaml.Marshal(want)
	if string(a) != string(b) {
		t.Fatalf("found\n%s\nwant\n%s", a, b)
	}
	granted := Of(siteOf(t, text), nil)
	for i := range clusters {
		c := &clusters[i]
		if found := said(granted.Spec(c)) + said(granted.Namespace(c)) + said(granted.Written(c, files[c.Key()])); found != "" {
			t.Errorf("%s: %s", c.Key(), found)
		}
	}
	if found := said(granted.Hosts(clusters, held, nil)); found != "" {
		t.Error(found)
	}
}

// TestSuggestKeeps: what the Site grants already stays as it is, and only what is missing is added. A second time nothing is.
func TestSuggestKeeps(t *testing.T) {
	const had = `  tenants:
  - name: finance
    specs: [finance]
    namespaces: [bank]
    hosts: {selector: {matchLabels: {pool: finance}}, max: 24, maxStandby: 4}
    maxClusters: 1
    maxPriority: 10
    nodePorts: [{start: 30000, end: 30009}]
    addresses: [203.0.113.0/28]
    issuerDomains: [example.org]
    images: [example.org/x/*]
    networkAttachments: [networks/s*]
    podKeys: [example.org]
    patches: none
    limits: {replicas: 3, resources: {cpu: "4"}}
  - name: idle
    namespaces: [idle]
    hosts: {max: 1, maxStandby: 1}
    maxClusters: 100
    patches: any
    limits: {replicas: 10}
`
	clusters := []v1.SIPCluster{
		clusterOf(t, "bank/a", "{priority: 7, nodes: {Worker: {count: {active: 30}}}, services: {loadBalancerControlPlane: [{nodeInterfaceId: oam, nodePort: 30010, replicas: 5, image: 'example.org/x/haproxy:1', service: {type: LoadBalancer, loadBalancerIP: '203.0.113.7'}, networkAttachments: [{name: s1, namespace: networks}, {name: t, namespace: networks}]}]}, patches: [{patch: '{kind: Deployment, metadata: {name: jumphost-a}}'}]}"),
		clusterOf(t, "bank/b", dex("nodePort: 30005, issuer: 'https://dex.example.org', tls: {issuerRef: {name: ca, kind: ClusterIssuer}}")),
	}
	wanted := strings.NewReplacer("max: 24", "max: 30", "maxClusters: 1\n", "maxClusters: 2\n", "{start: 30000, end: 30009}", "{start: 30000, end: 30009}, {start: 30010, end: 30010}",
		"    images", "    certificateIssuers: [ClusterIssuer/ca]\n    images", "networks/s*]", "networks/s*, networks/t]", "patches: none", "patches: safe",
		"replicas: 3", "replicas: 5").Replace(had)
	for why, text := range map[string]string{"the first time": had, "a second time": wanted} {
		found, err := Render(Of(siteOf(t, text), nil).Suggest(clusters, Files{}, Holdings{}))
		if err != nil {
			t.Fatal(err)
		}
		if found != wanted {
			t.Errorf("%s: found\n%s\nwant\n%s", why, found, wanted)
		}
	}
}
