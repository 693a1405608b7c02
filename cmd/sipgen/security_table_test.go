package main

import (
	"fmt"
	"maps"
	"strings"
)

func securityTable() []attack {
	const a = "clusters/edge/a/assignments.yaml"
	deployment, service := "apps/v1", "v1"
	script := func(text string) map[string]string { return map[string]string{"": "run: " + text} }
	var rows []attack
	add := func(class string, more ...attack) {
		for _, row := range more {
			row.class = class
			rows = append(rows, row)
		}
	}
	at := func(namespace string) map[string]string { return named("{namespace: "+namespace+", name: a}", "{}") }
	add("namespace",
		attack{why: "Kubernetes' own", files: at("kube-system"),
			want: `found "kube-system" in specs/bank/a.yaml, a file of tenant bank`},
		attack{why: "Kubernetes' own, for everybody to read", files: at("kube-public"),
			want: "want one of that tenant's namespaces: bank"},
		attack{why: "the engine's", files: at("flux-system"), want: "want one of that tenant's namespaces: bank"},
		attack{why: "the hosts'", files: at("metal3"), want: "want one of that tenant's namespaces: bank"},
		attack{why: "a controller's", files: at("cert-manager"), want: "want one of that tenant's namespaces: bank"},
		attack{why: "another tenant's", files: at("edge"),
			want: `found "edge" in specs/bank/a.yaml, a file of tenant bank`},
		attack{why: "nobody's", files: at("nowhere"), want: "want one of that tenant's namespaces: bank"},
		attack{why: "a folder", files: at("../x"), want: "metadata.namespace: "},
		attack{why: "in capitals", files: at("Bank"), want: "metadata.namespace: "},
		attack{why: "none", files: named("{name: a}", "{}"), want: "metadata.namespace: missing"},
		attack{why: "its own, from a folder that is nobody's",
			files: map[string]string{"specs/a.yaml": at("bank")["specs/bank/a.yaml"]},
			want:  "but that namespace belongs to tenant bank, whose specs are in specs/bank"},
		attack{why: "the hosts' of a file in nobody's folder",
			files: map[string]string{"specs/a.yaml": at("metal3")["specs/bank/a.yaml"]},
			want:  `found "metal3", which has hosts, and their BMC credentials`},
	)
	container := func(fields string) map[string]string {
		return podPatch("containers: [{name: loadbalancer, " + fields + "}]")
	}
	add("pod",
		attack{why: "the node's network", files: podPatch("hostNetwork: true"),
			want: "the Pod Security profile restricted does not allow it: host namespaces"},
		attack{why: "the node's processes", files: podPatch("hostPID: true"),
			want: "the Pod Security profile restricted does not allow it: host namespaces"},
		attack{why: "the node's IPC", files: podPatch("hostIPC: true"),
			want: "the Pod Security profile restricted does not allow it: host namespaces"},
		attack{why: "the node's files", files: podPatch("volumes: [{name: r, hostPath: {path: /}}]"),
			want: "the Pod Security profile restricted does not allow it: "},
		attack{why: "privileged", files: container("securityContext: {privileged: true}"),
			want: "the Pod Security profile restricted does not allow it: privileged"},
		attack{why: "another image as a volume",
			files: podPatch("volumes: [{name: r, image: {reference: evil.example.org/x}}]"),
			want:  `volumes[0].image.reference: found "evil.example.org/x", which tenant bank`},
		attack{why: "a driver that brings images",
			files: podPatch("volumes: [{name: r, csi: {driver: csi-image.warm-metal.tech, volumeAttributes: {image: evil.example.org/x}}}]"), want: "volumes[0].csi: no tenant may set it"},
		attack{why: "root", files: podPatch("securityContext: {runAsUser: 0}"),
			want: "the Pod Security profile restricted does not allow it: runAsUser=0"},
		attack{why: "a container more", files: podPatch("initContainers: [{name: x, image: x}]"),
			want: "the Pod Security profile restricted does not allow it: "},
		attack{why: "another image", files: balancer("image: evil.example.org/x"),
			want: `image: found "evil.example.org/x", which tenant bank`},
		attack{why: "a service of its own is apart from its node", files: balancer("replicas: 1"),
			want: "in clusters/bank/a/infra/loadbalancer-controlplane-a.yaml: allowPrivilegeEscalation: false"},
	)
	const lb = "clusters/bank/a/infra/loadbalancer-controlplane-a.yaml"
	add("option",
		attack{why: "a label that Services find",
			files: balancer("pods: {labels: {app.kubernetes.io/instance: jumphost-b}}"),
			want:  "is Kubernetes' own: tenants may not set such keys"},
		attack{why: "a network", files: balancer("pods: {annotations: {k8s.v1.cni.cncf.io/networks: kube-system/bmc}}"),
			want: "attaches networks"},
		attack{why: "the engine", files: balancer("annotations: {kustomize.toolkit.fluxcd.io/ssa: Ignore}"),
			want: "steers the GitOps engine"},
		attack{why: "a node by its name", files: balancer("pods: {nodeAffinity: {required: [{matchFields: []}]}}"),
			want: "pods.nodeAffinity: unknown field"},
		attack{why: "others' pods", files: balancer("pods: {podAntiAffinity: [{topologyKey: kubernetes.io/hostname, namespaceSelector: {}}]}"), want: "pods.podAntiAffinity: unknown field"},
		attack{why: "others' nodes", files: balancer("pods: {tolerations: [{operator: Exists}]}"),
			want: "pods.tolerations: unknown field"},
		attack{why: "before everybody", files: balancer("pods: {priorityClassName: system-node-critical}"),
			want: "pods.priorityClassName: unknown field"},
		attack{why: "a command", files: balancer("pods: {probes: {liveness: {exec: {command: [sh]}}}}"),
			want: "pods.probes: unknown field"},
		attack{why: "a line in a label", files: balancer(`pods: {labels: {a: "b\nc: d"}}`),
			want: "pods.labels[\"a\"]: "},
		attack{why: "a key for an authority",
			files: balancer(`healthCheck: {ca: {pem: "-----BEGIN PRIVATE KEY-----\nhunter2\n-----END PRIVATE KEY-----"}}`), want: "healthCheck.ca.pem: "},
		attack{why: "a line in a server's name",
			files: balancer(`healthCheck: {ca: {secret: a, serverName: "a\n    server evil 192.0.2.66:6443"}}`),
			want:  "healthCheck.ca.serverName: "},
		attack{why: "a key beside the authority is not mounted",
			files: balancer("healthCheck: {ca: {secret: a-ca, key: tls.crt}}"),
			want:  "in " + lb + ": items:\n          - key: tls.crt\n            path: ca.crt\n          secretName: a-ca\n"},
	)
	add("rights",
		attack{why: "another account", files: podPatch("serviceAccountName: kustomize-controller"),
			want: "a patch may not change the pod's account"},
		attack{why: "the account's old name", files: podPatch("serviceAccount: default"),
			want: "a patch may not change the pod's account"},
		attack{why: "a token", files: podPatch("automountServiceAccountToken: true"),
			want: "a patch may not change the pod's account"},
		attack{why: "an account's Secrets", files: objectPatch(service, "ServiceAccount", "secrets: [{name: x}]"),
			want: "a patch may not change rights"},
		attack{why: "a ClusterRoleBinding",
			files: patched("ServiceAccount", "- {op: replace, path: /kind, value: ClusterRoleBinding}"),
			want:  "is another object"},
		attack{why: "a load balancer has no token", files: balancer("replicas: 1"),
			want: "in clusters/bank/a/infra/loadbalancer-controlplane-a.yaml: automountServiceAccountToken: false"},
	)
	add("secret",
		attack{why: "a password in plain text", files: connector("bindDN: x, bindPW: hunter2"), want: "in plain text"},
		attack{why: "a password that is a number", files: connector("bindDN: x, bindPW: 12345678"),
			want: "in plain text"},
		attack{why: "a password in a list", files: connector("bindDN: x, bindPW: [hunter2]"), want: "bindPW"},
		attack{why: "a private key for a public one",
			files: jumpHost(`sshAuthorizedKeys: ["-----BEGIN OPENSSH PRIVATE KEY-----\nhunter2"]`),
			want:  "sshAuthorizedKeys[0]: "},
		attack{why: "a private key for the name of a Secret",
			files: jumpHost(`nodeSSHPrivateKeys: "-----BEGIN OPENSSH PRIVATE KEY-----\nhunter2"`),
			want:  "nodeSSHPrivateKeys: "},
		attack{why: "a private key for a CA",
			files: dexWith(`issuer: 'https://dex.bank.example.org', tls: {secretName: t, ca: "-----BEGIN PRIVATE KEY-----\nhunter2\n-----END PRIVATE KEY-----"}`), want: "tls.ca: "},
		attack{why: "a Secret of another folder", files: jumpHost("hostKeys: ../metal3/h1-bmc"), want: "hostKeys: "},
		attack{why: "the BMC's password is not mounted", files: jumpHost("sshAuthorizedKeys: ['" + securityKey + "']"),
			want: "not in clusters/bank/a/infra/jumphost-a.yaml: bmc-credentials"},
	)
	lbIP := func(ip string) map[string]string {
		return balancer("service: {type: LoadBalancer, loadBalancerIP: '" + ip + "'}")
	}
	held := bankSpec("{nodes: {Worker: {count: {active: 1}}}, services: {loadBalancerWorker: [{nodeInterfaceId: oam, nodePortRange: {start: 30000, end: 30000}}]}}")
	// Somebody points a host at the API server's address: where the Site lists the hosts' networks, and where the
	// host's network data has another one.
	listed := map[string]string{"site.yaml": strings.Replace(securityFiles["site.yaml"],
		"hosts: {namespaces: [metal3]}",
		"hosts: {namespaces: [metal3], networks: [{name: oam, addresses: [192.0.2.0/24]}]}", 1)}
	maps.Copy(listed, held)
	pointed := map[string]string{"hosts.yaml": securityHost("h1", "10.96.0.1") + securityHost("h2",
		"192.0.2.2") + securityHost("h3", "192.0.2.3")}
	unheld := maps.Clone(listed)
	maps.Copy(unheld, pointed)
	known := maps.Clone(held)
	known["hosts.yaml"] = strings.Replace(pointed["hosts.yaml"], "spec: {online: true",
		"spec: {networkData: {name: h1-net}, online: true", 1) +
		"---\napiVersion: v1\nkind: Secret\nmetadata: {namespace: metal3, name: h1-net}\nstringData: {networkData: 'networks: [{id: oam, type: ipv4, ip_address: 192.0.2.1, netmask: 255.255.255.0}]'}\n"
	add("address",
		attack{why: "the API server's, for a host, beyond the Site's networks", files: unheld,
			want: "in clusters/bank/a/assignments.yaml: name: h2, "},
		attack{why: "the API server's, for a host that it holds", first: listed, files: pointed,
			want: "in clusters/bank/a/assignments.yaml: addresses: {oam: [192.0.2.1]}"},
		attack{why: "the API server's, for a host, beyond its own network", files: known,
			want: "in clusters/bank/a/assignments.yaml: name: h2, "},
		attack{why: "another tenant's host's, for a host that it holds", first: held,
			files: map[string]string{"hosts.yaml": securityHost("h1", "192.0.2.2") + securityHost("h2",
				"192.0.2.2") + securityHost("h3", "192.0.2.3")},
			want: "in clusters/bank/a/assignments.yaml: addresses: {oam: [192.0.2.1]}"},
		attack{why: "one that is not granted", files: lbIP("203.0.113.1"),
			want: "loadBalancerIP: found 203.0.113.1, which is in none of the networks that tenant bank"},
		attack{why: "the second of two", files: lbIP("203.0.113.17,2001:db8::1"),
			want: "found 2001:db8::1, which is in none of the networks that tenant bank"},
		attack{why: "the machine's own", files: lbIP("127.0.0.1"), want: "it is a loopback address"},
		attack{why: "the cloud's metadata", files: lbIP("169.254.169.254"), want: "it is a link-local address"},
		attack{why: "a group's", files: lbIP("224.0.0.1"), want: "it is a multicast address"},
		attack{why: "everybody's", files: lbIP("255.255.255.255"), want: "it is the broadcast address"},
		attack{why: "the cluster's DNS", files: balancer("clusterIP: 10.96.0.10"),
			want: "clusterIP: found 10.96.0.10, which is in none of the networks that tenant bank"},
		attack{why: "another tenant's node port", files: balancer("nodePort: 30100"),
			want: "nodePort: found node port 30100, which is not granted to tenant bank"},
		attack{why: "the node's SSH", files: balancer("nodePort: 22"),
			want: "found node port 22, which is not granted to tenant bank"},
		attack{why: "another tenant's pool of addresses",
			files: balancer("service: {type: LoadBalancer, annotations: {metallb.io/address-pool: edge}}"),
			want:  `service.annotations[metallb.io/address-pool]: found the address pool "edge", which tenant bank`},
		attack{why: "another tenant's pool, for all objects",
			files: balancer("annotations: {metallb.universe.tf/address-pool: edge}"),
			want:  `annotations[metallb.universe.tf/address-pool]: found the address pool "edge", which tenant bank`},
		attack{why: "another tenant's pool, by a patch",
			files: patched("Service", "apiVersion: v1\nkind: Service\nmetadata: {name: x, annotations: {metallb.io/address-pool: edge}}"), want: `metadata.annotations[metallb.io/address-pool]: found the address pool "edge", which tenant bank`},
		attack{why: "another class of load balancers",
			files: balancer("service: {type: LoadBalancer, loadBalancerClass: tailscale}"),
			want:  `loadBalancerClass: found "tailscale", which tenant bank`},
		attack{why: "an external IP", files: objectPatch(service, "Service", "spec: {externalIPs: [192.0.2.1]}"),
			want: "spec.externalIPs: "},
		attack{why: "a name of others", files: objectPatch(service, "Service",
			"spec: {type: ExternalName, externalName: kubernetes.default.svc}"), want: "spec.externalName: "},
	)
	add("address",
		attack{why: "a node port that the API server chooses, by a patch",
			files: patched("Service", "- {op: add, path: /spec/type, value: NodePort}"),
			want:  "spec.ports: the API server would choose 1 node port for it"},
		attack{why: "node ports for all ports of a load balancer, by a patch",
			files: patched("Service", "- {op: add, path: /spec/type, value: LoadBalancer}\n- {op: add, path: /spec/allocateLoadBalancerNodePorts, value: true}"), want: "spec.ports: the API server would choose 1 node port for it"},
		attack{why: "a name for an address, by a patch",
			files: patched("Service", "- {op: add, path: /spec/loadBalancerIP, value: vip.edge.example.org}"),
			want:  `spec.loadBalancerIP: found "vip.edge.example.org", want an address`},
		attack{why: "a list of addresses, by a patch",
			files: patched("Service", "- {op: add, path: /spec/loadBalancerIP, value: '203.0.113.1,203.0.113.17'}"),
			want:  `spec.loadBalancerIP: found "203.0.113.1,203.0.113.17", want an address`},
		attack{why: "another tenant's node port, by a patch",
			files: patched("Service", "- {op: add, path: /spec/ports/0/nodePort, value: 30100}"),
			want:  "nodePort: found node port 30100, which tenant bank"},
	)
	issuer := func(name, tls string) map[string]string {
		return connectedDex("issuer: '" + name + "', tls: {" + tls + "}")
	}
	add("certificate",
		attack{why: "the API server's name",
			files: issuer("https://kubernetes.default.svc", "issuerRef: {kind: ClusterIssuer, name: site-ca}"),
			want:  `found "kubernetes.default.svc", which is in no domain that tenant bank`},
		attack{why: "another tenant's name", files: issuer("https://dex.edge.example.org", "secretName: t"),
			want: `found "dex.edge.example.org", which is in no domain that tenant bank`},
		attack{why: "a name that ends alike", files: issuer("https://evilbank.example.org", "secretName: t"),
			want: `found "evilbank.example.org"`},
		attack{why: "a star", files: issuer("https://*.bank.example.org", "secretName: t"), want: "issuer: "},
		attack{why: "without TLS", files: issuer("http://dex.bank.example.org", "secretName: t"), want: "want https"},
		attack{why: "another issuer", files: issuer("https://dex.bank.example.org",
			"issuerRef: {kind: ClusterIssuer, name: root}"), want: `found ClusterIssuer "root", which tenant bank`},
		attack{why: "the name in another group",
			files: issuer("https://dex.bank.example.org",
				"issuerRef: {kind: ClusterIssuer, name: site-ca, group: evil.example.org}"), want: "tls.issuerRef: "},
		attack{why: "a client's, in a volume",
			files: podPatch("volumes: [{name: r, projected: {sources: [{podCertificate: {signerName: kubernetes.io/kube-apiserver-client, keyType: ED25519, credentialBundlePath: x}}]}}]"), want: "volumes[0].projected.sources[0].podCertificate: no tenant may set it"},
		attack{why: "by a driver of cert-manager's",
			files: podPatch("volumes: [{name: r, csi: {driver: csi.cert-manager.io, readOnly: true, volumeAttributes: {csi.cert-manager.io/issuer-name: root}}}]"), want: "volumes[0].csi: no tenant may set it"},
		attack{why: "an authority", files: objectPatch("cert-manager.io/v1", "Certificate", "spec: {isCA: true}"),
			want: `unknown field "spec.isCA"`},
		attack{why: "an administrator", files: objectPatch("cert-manager.io/v1", "Certificate",
			"spec: {commonName: 'system:masters'}"), want: "it asks for more than a server's certificate"},
		attack{why: "a client", files: objectPatch("cert-manager.io/v1", "Certificate",
			"spec: {usages: [client auth]}"), want: "spec.usages"},
		attack{why: "a name more", files: patched("Certificate",
			"- {op: add, path: /spec/dnsNames/-, value: kubernetes}"), want: "spec.dnsNames: "},
	)
	attached := func(fields string) map[string]string {
		return balancer("replicas: 1, networkAttachments: [{" + fields + "}]")
	}
	add("network",
		attack{why: "another namespace's", files: attached("name: bmc, namespace: kube-system"),
			want: `found "bmc" of namespace "kube-system", which tenant bank`},
		attack{why: "another tenant's", files: attached("name: oam, namespace: edge"),
			want: `of namespace "edge", which tenant bank`},
		attack{why: "another's address on one that it may",
			files: attached("name: storage, namespace: networks, ips: [192.0.2.1/24]"),
			want:  "ips[0]: found 192.0.2.1, which is in none of the networks that tenant bank"},
		attack{why: "the machine's own address", files: attached("name: storage, ips: [127.0.0.1/8]"),
			want: "it is a loopback address"},
		attack{why: "everything behind one interface", files: attached("name: storage, ips: [203.0.113.17/0]"),
			want: "networkAttachments[0].ips[0]: found \"203.0.113.17/0\", want the prefix of its own network"},
		attack{why: "the kernel's own interface", files: attached("name: storage, interface: lo"),
			want: "networkAttachments[0].interface: found \"lo\", which every pod already has"},
		attack{why: "one address for two pods",
			files: balancer("replicas: 2, networkAttachments: [{name: storage, ips: [203.0.113.17/28]}]"),
			want:  "want replicas: 1"},
		attack{why: "a name that is a path", files: attached("name: ../bmc"), want: "networkAttachments[0].name: "},
		attack{why: "a namespace that is a path", files: attached("name: a, namespace: ../kube-system"),
			want: "networkAttachments[0].namespace: "},
		attack{why: "an interface that breaks a line", files: attached(`name: a, interface: "eth0\nx"`),
			want: "networkAttachments[0].interface: "},
		attack{why: "by Multus' annotation", files: podMeta("k8s.v1.cni.cncf.io/networks: kube-system/bmc"),
			want: "attaches networks"},
		attack{why: "by Calico's annotation", files: podMeta(`cni.projectcalico.org/ipAddrs: '["10.0.0.1"]'`),
			want: "steers the network"},
		attack{why: "a network that no host has",
			files: bankSpec("{services: {loadBalancerControlPlane: [{nodeInterfaceId: 'oam\\n'}]}}"),
			want:  "nodeInterfaceId: "},
	)
	for key, whose := range map[string]string{
		"kustomize.toolkit.fluxcd.io/prune": "steers the GitOps engine",
		"argocd.argoproj.io/sync-options":   "steers the GitOps engine", "helm.sh/hook": "steers helm",
		"config.kubernetes.io/local-config":                "steers kustomize",
		"kubectl.kubernetes.io/last-applied-configuration": "is kubectl's",
		"sip.airshipit.org/release-of":                     "is sipgen's",
		"metallb.io/loadBalancerIPs":                       "asks for an address",
		"kube-vip.io/loadbalancerIPs":                      "asks for an address",
		"io.cilium/lb-ipam-ips":                            "asks for an address",
		"purelb.io/addresses":                              "asks for an address",
		"eip.openelb.io/v1alpha2":                          "asks for an address",
		"external-dns.alpha.kubernetes.io/hostname":        "writes DNS records",
		"cert-manager.io/inject-ca-from":                   "asks for certificates", "HELM.sh/hook": "steers helm",
	} {
		add("annotation", attack{why: strings.ReplaceAll(key, "/", " "),
			files: balancer("service: {type: LoadBalancer, annotations: {" + key + ": x}}"), want: whose})
	}
	// Somebody may annotate hosts; only who has the host is concerned: TestScripts/marked.
	marked := func(old, new string) map[string]string {
		return map[string]string{"hosts.yaml": strings.Replace(securityFiles["hosts.yaml"], old, new, 1)}
	}
	annotated := func(key, value string) map[string]string {
		return marked("annotations: {", "annotations: {"+key+": '"+value+"', ")
	}
	add("annotation",
		attack{why: "Flux forces on a host", files: annotated("kustomize.toolkit.fluxcd.io/force", "enabled"),
			want: "host metal3/h1: it has the annotation kustomize.toolkit.fluxcd.io/force"},
		attack{why: "Argo CD replaces a host", files: annotated("argocd.argoproj.io/sync-options", "Replace=true"),
			want: "host metal3/h1: it has the annotation argocd.argoproj.io/sync-options"},
		attack{why: "a host of another Application",
			files: annotated("argocd.argoproj.io/tracking-id", "evil:metal3.io/BareMetalHost:metal3/h1"),
			want:  `host metal3/h1: it belongs to the Application "evil"`},
		attack{why: "a host of another Kustomization",
			files: marked("uid: u-h1", "uid: u-h1, labels: {kustomize.toolkit.fluxcd.io/name: evil}"),
			want:  "host metal3/h1: it belongs to the Kustomization "},
		attack{why: "a host without a uid", files: marked("uid: u-h1", "uid: ''"),
			want: "host metal3/h1: no metadata.uid"},
	)
	add("patch",
		attack{why: "YAML aliases", files: patched("Deployment", "a: &a [x]\nb: *a"), want: "a YAML anchor"},
		attack{why: "a merge key", files: patched("Deployment", "a: {<<: {b: c}}"), want: "a YAML merge key"},
		attack{why: "a tag", files: patched("Deployment", "a: !!binary aGFsbG8="), want: "a YAML tag"},
		attack{why: "copies", files: patched("Deployment",
			strings.Repeat("- {op: copy, from: /spec, path: /spec/x}\n", 22)), want: "copy and move are not taken"},
		attack{why: "moves", files: patched("Deployment", "- {op: move, from: /spec/template, path: /spec/x}"),
			want: "copy and move are not taken"},
		attack{why: "deep nesting", files: patched("Deployment", "a: "+strings.Repeat("[", 60)+strings.Repeat("]", 60)),
			want: "nested deeper"},
		attack{why: "a long text", files: patched("Deployment", "a: "+strings.Repeat("x", 20_000)),
			want: "bytes, want at most 16384"},
		attack{why: "many nodes", files: patched("Deployment", "a: ["+strings.Repeat("1,", 4000)+"]"),
			want: "more than 1000"},
		attack{why: "the whole object", files: patched("Deployment", `- {op: replace, path: "", value: {}}`),
			want: "want a field below the object"},
		attack{why: "an object away", files: objectPatch(deployment, "Deployment", "$patch: delete"),
			want: "is removed: a patch may change objects, but not remove them"},
		attack{why: "an empty List", files: patched("Deployment", "apiVersion: v1\nkind: List\nitems: []"),
			want: "line 2: kind: found a List"},
		attack{why: "many objects times many patches",
			files: bankSpec("{services: {loadBalancerControlPlane: [" +
				strings.Repeat("{nodeInterfaceId: oam, replicas: 0, service: {type: ClusterIP}}, ",
					64) + "]}, patches: [" +
				strings.Repeat("{patch: '- {op: add, path: /metadata/labels/x, value: y}', target: {kind: 'Deployment|Service'}}, "+
					"{patch: '- {op: add, path: /metadata/labels/x, value: y}', target: {kind: 'Service|Deployment'}}, ",
					16) +
				"]}"), want: "put several changes into one"},
		attack{why: "two hundred patches",
			files: bankSpec("{services: {jumpHost: [{nodeInterfaceId: oam}]}, patches: [" +
				strings.Repeat("{patch: '- {op: test, path: /kind, value: Deployment}', target: {kind: Deployment}}, ",
					200) + "]}"), want: "spec.patches: "},
	)
	add("tree",
		attack{why: "decisions emptied", files: script(": > tree/" + a), want: a + ": edited since sipgen wrote it"},
		attack{why: "decisions that are a comment", files: script("echo '# x' > tree/" + a), want: a},
		attack{why: "decisions that are an empty List",
			files: script("printf 'apiVersion: v1\\nkind: List\\nitems: []\\n' > tree/" + a), want: a},
		attack{why: "decisions deleted", files: script("rm tree/" + a), want: a + ": missing"},
		attack{why: "a cluster deleted", files: script("rm -r tree/clusters/edge"),
			want: ".sipgen.yaml: damaged ownership file: missing"},
		attack{why: "another's host", files: script("sed -i 's/name: h1/name: h2/' tree/" + a),
			want: a + ": edited since sipgen wrote it"},
		attack{why: "another cluster's name", files: script("sed -i 's/edge/bank/' tree/" + a),
			want: a + ": edited since sipgen wrote it"},
		attack{why: "a link to a device", files: script("ln -sf /dev/zero tree/" + a), want: a},
		attack{why: "a pipe", files: script("rm tree/" + a + "; mkfifo tree/" + a), want: a},
		attack{why: "aliases", files: script("printf 'a: &a [x,x]\\nb: &b [*a,*a]\\n' > tree/" + a), want: a},
		attack{why: "the list of files deleted", files: script("rm tree/.sipgen.yaml"), want: ".sipgen.yaml"},
		attack{why: "the list of files emptied", files: script(": > tree/.sipgen.yaml"),
			want: "damaged ownership file"},
		attack{why: "a file among the hosts",
			files: script("echo 'resources: []' > tree/clusters/edge/a/hosts/kustomization.yml"),
			want:  "clusters/edge/a/hosts/kustomization.yml: sipgen did not write it"},
	)
	good := "apiVersion: airship.airshipit.org/v1\nkind: SIPCluster\nmetadata: {namespace: bank, name: a}\n"
	add("file",
		attack{why: "a pipe", files: script("mkdir specs/bank; mkfifo specs/bank/a.yaml"),
			want: "a named pipe, want a regular file"},
		attack{why: "a link to a device", files: script("mkdir specs/bank; ln -s /dev/zero specs/bank/a.yaml"),
			want: "a link that leads out of the folder"},
		attack{why: "a link to a file elsewhere",
			files: script("mkdir specs/bank; ln -s /etc/passwd specs/bank/a.yaml"),
			want:  "a link that leads out of the folder"},
		attack{why: "a link to itself", files: script("mkdir specs/bank; ln -s a.yaml specs/bank/a.yaml"),
			want: "specs/bank/a.yaml: "},
		attack{why: "200 MB", files: script("mkdir specs/bank; truncate -s 200M specs/bank/a.yaml"),
			want: "more than 16 MiB"},
		attack{why: "a folded text of 198,000 lines",
			files: script("mkdir specs/bank; (echo 'a: >'; yes '  x' | head -n 198000) > specs/bank/a.yaml"),
			want:  "bank/a.yaml"},
		attack{why: "the same key 98,000 times",
			files: script("mkdir specs/bank; yes 'a: 1' | head -n 98000 > specs/bank/a.yaml"),
			want:  "already set in map; and 97989 more"},
		attack{why: "a string of 15 MiB",
			files: script("mkdir specs/bank; (printf 'a: !!binary '; yes A | head -c 30M | tr -d '\\n') > specs/bank/a.yaml"), want: "more than 4 MiB, want at most that in a document"},
		attack{why: "3 MiB of ones", files: script("mkdir specs/bank; (printf 'apiVersion: airship.airshipit.org/v1\\nkind: SIPCluster\\nmetadata: {namespace: bank, name: a}\\nspec: {a: ['; yes 1, | head -c 3M | tr -d '\\n'; echo ']}') > specs/bank/a.yaml"), want: "values, want at most 200000 in a document"},
		attack{why: "3 MiB of maps", files: script("mkdir specs/bank; (printf 'apiVersion: airship.airshipit.org/v1\\nkind: SIPCluster\\nmetadata: {namespace: bank, name: a}\\nspec: {a: ['; yes '{a: {a: {a: 1}}},' | head -c 3060000 | tr -d '\\n'; echo ']}') > specs/bank/a.yaml"), want: "values, want at most 200000 in a document"},
		attack{why: "as many values as a document may have",
			files: script("mkdir specs/bank; (printf 'apiVersion: airship.airshipit.org/v1\\nkind: SIPCluster\\nmetadata: {namespace: bank, name: a}\\nspec: {a: ['; yes '{a: b},' | head -n 66000 | tr -d '\\n'; echo ']}') > specs/bank/a.yaml"), want: "spec.a: unknown field"},
		attack{why: "as many values as all files may have",
			files: script("mkdir specs/bank; for i in 1 2 3 4 5; do (printf 'apiVersion: airship.airshipit.org/v1\\nkind: SIPCluster\\nmetadata: {namespace: bank, name: a}\\nspec: {a: ['; yes '{a: b},' | head -n 47000 | tr -d '\\n'; echo ']}') > specs/bank/$i.yaml; done"), want: "with this file more than 600000 values in the files of folder specs/bank"},
		attack{why: "many files of 16 MiB",
			files: script("mkdir specs/bank; for i in 1 2 3 4 5; do truncate -s 16M specs/bank/$i.yaml; done"),
			want:  "specs/bank/1.yaml: more than 16 MiB in the files of folder specs/bank, want at most that: none of them is read; the largest: "},
		attack{why: "folders within folders",
			files: script("mkdir -p specs/bank/" + strings.Repeat("d/",
				400) + "; touch specs/bank/" + strings.Repeat("d/", 400) + "a.yaml"),
			want: "folders within each other"},
		attack{why: "aliases", files: bankFile(good +
			"spec: {a: &a [x,x,x,x,x,x,x,x,x], b: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a], c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b], d: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c], e: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d], f: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e], g: &g [*f,*f,*f,*f,*f,*f,*f,*f,*f], h: [*g,*g,*g,*g,*g,*g,*g,*g,*g]}\n"), want: "aliases"},
		attack{why: "nesting", files: bankFile(good + "spec: {a: " + strings.Repeat("[", 5000) + strings.Repeat("]",
			5000) + "}\n"), want: "specs/bank/a.yaml: "},
		attack{why: "a key twice", files: bankFile(good + "spec: {priority: 1, priority: 5}\n"),
			want: "specs/bank/a.yaml: "},
		attack{why: "a field that nobody knows", files: bankSpec("{privileged: true}"),
			want: "spec.privileged: unknown field"},
		attack{why: "no UTF-8", files: bankFile("\xff\xfe\x00"), want: "specs/bank/a.yaml: "},
		attack{why: "a kustomization", files: map[string]string{"specs/bank/kustomization.yaml": "resources: [a.yaml, 'https://git.example.org/x.yaml']\n"}, want: "specs/bank/kustomization.yaml: not built: "},
		attack{why: "a kustomization by its other name",
			files: map[string]string{"specs/bank/x/Kustomization": "resources: [../../shop]\n"},
			want:  "specs/bank/x/Kustomization: not built: "},
		attack{why: "a merge conflict", files: bankFile("<<<<<<< a\n" + good + "=======\n>>>>>>> b\n"),
			want: "an unresolved merge conflict"},
		attack{why: "a cluster twice", files: bankFile(good + "---\n" + good), want: "is a duplicate"},
	)
	const nasty = `\n::error::owned\u001b[31m\u202e`
	add("text",
		attack{why: "a name", files: named(`{namespace: bank, name: "a`+nasty+`"}`, "{}"), want: "metadata.name: "},
		attack{why: "a role", files: bankSpec(`{nodes: {"Worker` + nasty + `": {count: {active: 1}}}}`),
			want: "the role's name becomes a label value"},
		attack{why: "a selector", files: bankSpec(`{nodes: {Worker: {labelSelector: {matchLabels: {a: "x` + nasty +
			`"}}, count: {active: 1}}}}`), want: "labelSelector: not a valid selector"},
		attack{why: "a vendor", files: bankSpec(`{nodes: {Worker: {hardware: {vendor: "x` + nasty +
			`"}, count: {active: 1}}}}`), want: "hardware.vendor: found a character that cannot be printed"},
		attack{why: "a topology key", files: bankSpec(`{nodes: {Worker: {topologyKey: "x` + nasty +
			`", count: {active: 1}}}}`), want: "topologyKey: "},
		attack{why: "a health check's path", files: balancer(`healthCheck: {path: "/x` + nasty + `"}`),
			want: "healthCheck.path: "},
		attack{why: "an image", files: balancer(`image: "x` + nasty + `"`), want: "image: "},
		attack{why: "a node's label", files: balancer(`nodeLabels: {a: "x` + nasty + `"}`), want: "nodeLabels"},
		attack{why: "a key's comment", files: jumpHost(`sshAuthorizedKeys: ["` + securityKey + nasty + `"]`),
			want: "more than one line, or a control character"},
		attack{why: "a key's options", files: jumpHost(`sshAuthorizedKeys: ['command="id",tunnel="0" ` + securityKey +
			`']`), want: "2 options before the key"},
		attack{why: "a sharing key", files: balancer(`service: {type: LoadBalancer, loadBalancerIP: 203.0.113.17, sharingKey: "x` + nasty + `"}`), want: "sharingKey: "},
		attack{why: "a field", files: bankSpec(`{"x` + nasty + `": 1}`), want: "unknown field"},
		attack{why: "a file's name", files: script(`mkdir specs/bank; f="$(printf 'specs/bank/a\033[31m\n::error::x.yaml')"; echo 'a: [' > "$f"`), want: "not valid YAML"},
	)
	many := ""
	for i := range 3000 {
		many += fmt.Sprintf("apiVersion: airship.airshipit.org/v1\nkind: SIPCluster\nmetadata: {namespace: bank, name: c%d}\n---\n", i)
	}
	// The bank holds h1 and h2, and there are more than enough others.
	holding := map[string]string{"hosts.yaml": "",
		"specs/bank/a.yaml": bankSpec("{nodes: {Worker: {count: {active: 2}}}}")["specs/bank/a.yaml"]}
	inUse := ""
	for i := range 8 {
		host := securityHost(fmt.Sprintf("h%d", i+1), fmt.Sprintf("192.0.2.%d", i+1))
		holding["hosts.yaml"] += host
		if i < 2 {
			host = strings.Replace(host, "state: available", "state: provisioned", 1)
			host = strings.Replace(host, ", annotations: {",
				", labels: {sip.airshipit.org/cluster-namespace: bank, sip.airshipit.org/cluster-name: a, sip.airshipit.org/node-type: Worker, sip.airshipit.org/standby: 'false'}, annotations: {", 1)
		}
		inUse += host
	}
	withHosts := func(hosts string, files map[string]string) map[string]string {
		files["hosts.yaml"] = hosts
		return files
	}
	add("quota",
		attack{why: "others under a role's other name", first: holding,
			files: withHosts(inUse, bankSpec("{nodes: {Node: {count: {active: 2}}}}")),
			want:  "loses 2 of 3 claimed hosts"},
		attack{why: "more hosts", files: bankSpec("{nodes: {Worker: {count: {active: 3}}}}"),
			want: "needs 3 new hosts; the tenant's clusters have 0"},
		attack{why: "hosts of a namespace that is not the site's",
			files: bankSpec("{nodes: {Worker: {hostNamespaces: [kube-system], count: {active: 1}}}}"),
			want:  `found "kube-system", which has no hosts of the site`},
		attack{why: "more standby", files: bankSpec("{nodes: {Worker: {count: {active: 0, standby: 2}}}}"),
			want: "not in clusters/bank/a/assignments.yaml: name: h2"},
		attack{why: "every host that there could be",
			files: bankSpec("{nodes: {Worker: {count: {active: 1, standby: 100000}}}}"),
			want:  "not in clusters/bank/a/assignments.yaml: name: h3"},
		attack{why: "more than a number holds",
			files: bankSpec("{nodes: {Worker: {count: {active: 9223372036854775808}}}}"), want: "count.active: "},
		attack{why: "before everybody", files: bankSpec("{priority: 2147483647}"),
			want: "found 2147483647, but tenant bank"},
		attack{why: "three thousand clusters", files: bankFile(many), want: "one cluster too many"},
		attack{why: "a quantity without end", files: balancer("resources: {limits: {memory: 1E999999999999}}"),
			want: "out of range"},
		attack{why: "a device", files: balancer("resources: {limits: {nvidia.com/gpu: 1, memory: 1Gi}}"),
			want: "and no devices"},
		attack{why: "ports without end",
			files: bankSpec("{services: {loadBalancerWorker: [{nodeInterfaceId: oam, nodePortRange: {start: 1, end: 65535}}]}}"), want: "nodePortRange: "},
	)
	add("site service", securityOfServices()...)
	return rows
}

// podMeta sets an annotation on the pods of all services by a patch.
func podMeta(annotation string) map[string]string {
	return objectPatch("apps/v1", "Deployment", "spec: {template: {metadata: {annotations: {"+annotation+"}}}}")
}
