package tenancy

import (
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/api/v1/validation"
	"github.com/airshipit/sipgen/internal/overlay"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

// builtBank are the services of the example with every service, as the engine builds them.
func builtBank(t *testing.T) []overlay.Object {
	t.Helper()
	files := map[string][]byte{}
	tree := treeOf(t, "../../golden/full-service")
	for name, text := range tree {
		if inside, found := strings.CutPrefix(name, "clusters/bank/bank/infra/"); found {
			files[inside] = text
		}
	}
	// The rights of the services as they are among them for one commit of a site that had them there.
	for _, name := range []string{"jumphost-bank.yaml", "dex-bank.yaml"} {
		files[name] = slices.Concat(files[name], []byte("---\n"), tree["rights/bank/bank/"+name])
	}
	folder, err := overlay.Parse(files)
	require.NoError(t, err)
	folder.Kustomization.Images, folder.Kustomization.Labels = nil, nil
	built, err := folder.Build()
	require.NoError(t, err)
	return built
}

const fullService = `  hosts: {namespaces: [metal3]}
  tenants:
  - name: bank
    namespaces: [bank]
    nodePorts: [{start: 30000, end: 30099}, {start: 30556, end: 30556}]
    addresses: [203.0.113.16/28]
    issuerDomains: [bank.example.org]
    certificateIssuers: [ClusterIssuer/site-ca]
    networkAttachments: [networks/oam]
    loadBalancerClasses: [bgp]
    addressPools: [bank]
`

// TestBuilt: whatever brought it into the objects that the engine applies, what is not granted is found there. fields
// are merged into the first object of the kind.
func TestBuilt(t *testing.T) {
	tenants := Of(siteOf(t, fullService), []string{"metal3"})
	cluster := clusterOf(t, "bank/bank", "{}")
	whole := builtBank(t)
	for _, row := range []struct{ class, why, kind, fields, want string }{
		{"namespace", "nothing but what is rendered", "Service", "{}", ""},
		{"namespace", "another tenant's", "Service", "{metadata: {namespace: edge}}",
			`metadata.namespace: found "edge", want "bank"`},
		{"namespace", "Kubernetes'", "Deployment", "{metadata: {namespace: kube-system}}",
			`metadata.namespace: found "kube-system"`},
		{"namespace", "a configuration beside the hosts", "ConfigMap", "{metadata: {namespace: metal3}}",
			`metadata.namespace: found "metal3"`},
		{"namespace", "an account beside the hosts", "ServiceAccount", "{metadata: {namespace: metal3}}",
			`metadata.namespace: found "metal3"`},
		{"namespace", "a role in the engine's", "Role", "{metadata: {namespace: flux-system}}",
			`metadata.namespace: found "flux-system"`},

		{"rights", "of a cluster role", "RoleBinding", "{roleRef: {kind: ClusterRole, name: cluster-admin}}",
			"roleRef: found a ClusterRole, want a Role"},
		{"rights", "for another tenant's account", "RoleBinding",
			"{subjects: [{kind: ServiceAccount, name: x, namespace: edge}]}",
			"subjects[0]: want a ServiceAccount of namespace bank"},
		{"rights", "for everybody", "RoleBinding", "{subjects: [{kind: Group, name: 'system:authenticated'}]}",
			"subjects[0]: want a ServiceAccount"},
		{"rights", "for a person", "RoleBinding", "{subjects: [{kind: User, name: eve}]}", "subjects[0]"},

		{"address", "an external IP", "Service", "{spec: {externalIPs: [203.0.113.17]}}",
			"spec.externalIPs: no tenant may set external IPs"},
		{"address", "an external name", "Service", "{spec: {type: ExternalName, externalName: kubernetes.default.svc}}",
			"spec.externalName"},
		{"address", "the cluster's DNS", "Service", "{spec: {clusterIP: 10.96.0.10}}",
			"spec.clusterIP: found 10.96.0.10"},
		{"address", "a second cluster IP", "Service", "{spec: {clusterIPs: [203.0.113.17, 10.96.0.1]}}",
			"spec.clusterIP: found 10.96.0.1"},
		{"address", "the old field for one", "Service", "{spec: {loadBalancerIP: 203.0.113.1}}",
			"spec.loadBalancerIP: found 203.0.113.1"},
		{"address", "MetalLB's annotation", "Service",
			"{metadata: {annotations: {metallb.io/loadBalancerIPs: '203.0.113.17, 203.0.113.1'}}}",
			"metadata.annotations[metallb.io/loadBalancerIPs]: found 203.0.113.1,"},
		{"address", "MetalLB's older one", "Service",
			"{metadata: {annotations: {metallb.universe.tf/loadBalancerIPs: 203.0.113.1}}}",
			"metallb.universe.tf/loadBalancerIPs]: found 203.0.113.1"},
		{"address", "kube-vip's", "Service", "{metadata: {annotations: {kube-vip.io/loadbalancerIPs: 203.0.113.1}}}",
			"kube-vip.io/loadbalancerIPs]: found 203.0.113.1"},
		{"address", "no address at all", "Service", "{metadata: {annotations: {metallb.io/loadBalancerIPs: any}}}",
			`found "any", want an address`},
		{"address", "a name in MetalLB's annotation", "Service",
			"{metadata: {annotations: {metallb.io/loadBalancerIPs: '203.0.113.17,vip.example.org'}}}",
			`found "vip.example.org", want an address`},
		{"address", "a name in the old field", "Service", "{spec: {loadBalancerIP: vip.example.org}}",
			`spec.loadBalancerIP: found "vip.example.org", want an address`},
		{"address", "a list in the old field", "Service", "{spec: {loadBalancerIP: '203.0.113.1,203.0.113.17'}}",
			`spec.loadBalancerIP: found "203.0.113.1,203.0.113.17", want an address`},
		{"address", "a list of its own in the old field", "Service",
			"{spec: {loadBalancerIP: '203.0.113.17, 203.0.113.18'}}",
			`spec.loadBalancerIP: found "203.0.113.17, 203.0.113.18", want an address`},
		{"address", "a name as cluster IP", "Service", "{spec: {clusterIP: dns}}",
			`spec.clusterIP: found "dns", want an address`},
		{"address", "no cluster IP", "Service", "{spec: {clusterIP: None, clusterIPs: [None]}}", ""},
		{"address", "another class", "Service", "{spec: {loadBalancerClass: tailscale}}",
			`spec.loadBalancerClass: found "tailscale", which tenant bank (the Site's spec.tenants[].loadBalancerClasses) is not granted`},
		{"address", "a class of its own", "Service", "{spec: {loadBalancerClass: bgp}}", ""},
		{"address", "another's pool", "Service", "{metadata: {annotations: {metallb.io/address-pool: edge}}}",
			`metadata.annotations[metallb.io/address-pool]: found the address pool "edge", which tenant bank (the Site's spec.tenants[].addressPools) is not granted`},
		{"address", "another's pool, in the older spelling", "Service",
			"{metadata: {annotations: {metallb.universe.tf/address-pool: edge}}}",
			"metallb.universe.tf/address-pool]: found the address pool"},
		{"address", "a pool of its own", "Service", "{metadata: {annotations: {metallb.io/address-pool: bank}}}", ""},
		{"address", "another's node port", "Service", "{spec: {ports: [{port: 1, nodePort: 30100}]}}",
			"spec.ports[0].nodePort: found node port 30100"},
		{"address", "the node's SSH", "Service",
			"{spec: {ports: [{port: 1, nodePort: 30001}, {port: 2, nodePort: 22}]}}",
			"spec.ports[1].nodePort: found node port 22"},
		{"address", "a port for health checks", "Service", "{spec: {healthCheckNodePort: 31000}}",
			"spec.healthCheckNodePort: found node port 31000"},

		{"pod", "a port of the node", "Deployment",
			"{spec: {template: {spec: {containers: [{name: a, image: haproxy, ports: [{containerPort: 1, hostPort: 22}]}]}}}}", "containers[0].ports[0].hostPort"},
		{"pod", "another image", "Deployment",
			"{spec: {template: {spec: {containers: [{name: a, image: 'evil.example.org/x:1', resources: {limits: {memory: 1Mi}}}]}}}}", `containers[0].image: found "evil.example.org/x:1"`},
		{"pod", "another image at first", "Deployment",
			"{spec: {template: {spec: {initContainers: [{name: a, image: 'evil.example.org/x:1'}]}}}}",
			`initContainers[0].image: found "evil.example.org/x:1"`},

		{"pod", "another image as a volume", "Deployment",
			"{spec: {template: {spec: {volumes: [{name: a, image: {reference: 'evil.example.org/x:1'}}]}}}}",
			`spec.template.spec.volumes[0].image.reference: found "evil.example.org/x:1", which`},
		{"pod", "no image as a volume", "Deployment", "{spec: {template: {spec: {volumes: [{name: a, image: {}}]}}}}",
			`volumes[0].image.reference: found ""`},
		{"pod", "volumes that bring nothing from elsewhere", "Deployment",
			"{spec: {template: {spec: {volumes: [{name: a, emptyDir: {}}, {name: b, persistentVolumeClaim: {claimName: x}}]}}}}", ""},
		{"pod", "a driver", "Deployment",
			"{spec: {template: {spec: {volumes: [{name: a, emptyDir: {}}, {name: b, csi: {driver: csi.cert-manager.io}}]}}}}", "spec.template.spec.volumes[1].csi: no tenant may set it"},
		{"pod", "a certificate of any signer", "Deployment",
			"{spec: {template: {spec: {volumes: [{name: a, projected: {sources: [{secret: {name: x}}, {podCertificate: {signerName: kubernetes.io/kube-apiserver-client, keyType: ED25519}}]}}]}}}}", "volumes[0].projected.sources[1].podCertificate: no tenant may set it"},

		{"network", "another namespace's", "Deployment",
			`{spec: {template: {metadata: {annotations: {k8s.v1.cni.cncf.io/networks: '[{"name":"bmc","namespace":"kube-system"}]'}}}}}`, `found "bmc" of namespace "kube-system"`},
		{"network", "by Multus' short form", "Deployment",
			`{spec: {template: {metadata: {annotations: {k8s.v1.cni.cncf.io/networks: kube-system/bmc}}}}}`,
			"want the JSON that networkAttachments makes"},
		{"network", "another's address on one that it may", "Deployment",
			`{spec: {template: {metadata: {annotations: {k8s.v1.cni.cncf.io/networks: '[{"name":"oam","namespace":"networks","ips":["203.0.113.17/24","192.0.2.9/24"]}]'}}}}}`, "networks][0].ips[1]: found 192.0.2.9"},
		{"network", "an address on its own", "Deployment",
			`{spec: {template: {metadata: {annotations: {k8s.v1.cni.cncf.io/networks: '[{"name":"oam","ips":["192.0.2.9/24"]}]'}}}}}`, ""},
		{"network", "its own", "Deployment",
			`{spec: {template: {metadata: {annotations: {k8s.v1.cni.cncf.io/networks: '[{"name":"oam"}]'}}}}}`, ""},

		{"certificate", "the API server's", "Certificate", "{spec: {dnsNames: [kubernetes.default.svc]}}",
			`spec.dnsNames: found "kubernetes.default.svc"`},
		{"certificate", "nothing but what is rendered", "Certificate", "{}", ""},
		{"certificate", "a star", "Certificate", "{spec: {dnsNames: ['*.example.org']}}",
			`spec.dnsNames: found "*.example.org"`},
		{"certificate", "an address", "Certificate", "{spec: {ipAddresses: [10.96.0.1]}}", `found "10.96.0.1"`},
		{"certificate", "of an authority", "Certificate", "{spec: {isCA: true}}",
			"spec: it asks for more than a server's certificate"},
		{"certificate", "with a name of Kubernetes'", "Certificate", "{spec: {commonName: 'system:masters'}}",
			"spec: it asks for more"},
		{"certificate", "with a whole subject", "Certificate", "{spec: {literalSubject: 'O=system:masters'}}",
			"spec: it asks for more"},
		{"certificate", "for SPIFFE", "Certificate", "{spec: {uris: ['spiffe://cluster.local/ns/kube-system/sa/x']}}",
			"spec: it asks for more"},
		{"certificate", "for mail", "Certificate", "{spec: {emailAddresses: [a@example.org]}}",
			"spec: it asks for more"},
		{"certificate", "for clients", "Certificate", "{spec: {usages: [client auth]}}",
			`spec.usages: found "client auth"`},
		{"certificate", "by another issuer", "Certificate", "{spec: {issuerRef: {kind: ClusterIssuer, name: other}}}",
			`spec.issuerRef: found ClusterIssuer "other"`},
		{"certificate", "by the same name in the namespace", "Certificate",
			"{spec: {issuerRef: {kind: Issuer, name: site-ca}}}", "spec.issuerRef: found Issuer"},
	} {
		t.Run(row.class+": "+row.why, func(t *testing.T) {
			built := slices.Clone(whole)
			found := false
			for i := range built {
				if built[i].Kind == row.kind && !found {
					found = true
					text, err := json.Marshal(built[i].Fields)
					built[i].Fields = nil
					err = errors.Join(err, json.Unmarshal(text, &built[i].Fields))
					require.NoError(t, err)
					merge(t, &built[i], row.fields)
				}
			}
			require.Truef(t, found, "no %s", row.kind)
			want(t, row.why, said(tenants.Built(&cluster, built)), row.want)
		})
	}
}

// merge puts fields over those of an object; lists are replaced.
func merge(t *testing.T, o *overlay.Object, fields string) {
	t.Helper()
	text, err := yaml.YAMLToJSON([]byte(fields))
	require.NoError(t, err)
	var over map[string]any
	require.NoError(t, json.Unmarshal(text, &over))
	var put func(into, from map[string]any)
	put = func(into, from map[string]any) {
		for key, value := range from {
			below, isMap := value.(map[string]any)
			if there, both := into[key].(map[string]any); isMap && both {
				put(there, below)
				continue
			}
			into[key] = value
		}
	}
	put(o.Fields, over)
	if metadata, found := over["metadata"].(map[string]any); found && metadata["namespace"] != nil {
		o.Namespace = metadata["namespace"].(string)
	}
}

// treeOf reads a rendered tree.
func treeOf(t *testing.T, folder string) map[string][]byte {
	t.Helper()
	tree := map[string][]byte{}
	require.NoError(t, fs.WalkDir(os.DirFS(folder), ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			tree[name], err = fs.ReadFile(os.DirFS(folder), name)
		}
		return err
	}))
	return tree
}

// TestServed reads the golden trees.
func TestServed(t *testing.T) {
	names := func(held validation.Held, kind validation.ResourceKind) (names []string) {
		for thing := range held {
			if thing.Kind == kind {
				names = append(names, thing.Name)
			}
		}
		slices.Sort(names)
		return names
	}
	bank := Served(treeOf(t, "../../golden/full-service"))["bank/bank"]
	assert.Equal(t, []string{"30022", "30556"}, names(bank, validation.NodePort))
	assert.Equal(t, []string{"bank"}, names(bank, validation.DexState))
	addresses := bank[validation.Resource{Kind: validation.Balancer, Name: "203.0.113.20"}]
	apis := 0
	for _, a := range addresses {
		assert.Truef(t, a.SharingKey == "bank" && a.Provider == "metallb", "found address %+v", a)
		if a.Ports.Start == 6443 {
			apis++
		}
	}
	assert.Truef(t, apis == 1 && len(addresses) >= 2 && len(names(bank, validation.Balancer)) == 1,
		"found addresses %+v, want that of the API servers once, and those of the workers", addresses)
	two := Served(treeOf(t, "../../golden/two-tenants"))
	assert.Equal(t, []string{"tenant-a/edge-a", "tenant-b/edge-b"}, slices.Sorted(maps.Keys(two)))
	assert.Empty(t, Served(map[string][]byte{"rights/n/other/account.yaml": nil}))
	edge := two["tenant-a/edge-a"]
	if len(names(edge, validation.SyncObjects)) == 0 ||
		len(edge[validation.Resource{Kind: validation.NodePort, Name: "30000"}]) == 0 ||
		len(names(edge, validation.Balancer))+len(names(edge, validation.DexState)) != 0 {
		t.Errorf("found %+v", edge)
	}
	if bare := Served(map[string][]byte{"clusters/n/bare/assignments.yaml": nil})["n/bare"]; len(names(bare,
		validation.SyncObjects)) == 0 {
		t.Errorf("found %+v of a cluster without services, which is synced too", bare)
	}
}
