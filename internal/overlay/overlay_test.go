package overlay

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	kustomize "sigs.k8s.io/kustomize/api/types"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/render/object"
)

// bank is the folder of a tenant that has every service, as it is rendered, without its own patch.
func bank(t testing.TB) Folder {
	t.Helper()
	f, err := Parse(bankFiles(t))
	if err != nil {
		t.Fatal(err)
	}
	f.Kustomization.Patches = nil
	return f
}

func bankFiles(t testing.TB) map[string][]byte {
	t.Helper()
	const root = "../../golden/full-service/clusters/bank/bank/infra"
	files := map[string][]byte{}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		name, _ := filepath.Rel(root, path)
		files[filepath.ToSlash(name)] = text
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	// The rights of the services as they are among them for one commit of a site that had them there.
	for _, name := range []string{"jumphost-bank", "dex-bank"} {
		text, err := os.ReadFile("../../golden/full-service/rights/bank/bank/" + name + ".yaml")
		if err != nil {
			t.Fatal(err)
		}
		files[name+".yaml"] = slices.Concat(files[name+".yaml"], []byte("---\n"), text)
	}
	return files
}

// Targets of the rows.
var (
	balancer  = &v1.PatchTarget{Kind: "Deployment", Name: "loadbalancer-controlplane-bank"}
	jump      = &v1.PatchTarget{Kind: "Deployment", Name: "jumphost-bank"}
	dex       = &v1.PatchTarget{Kind: "Deployment", Name: "dex-bank"}
	service   = &v1.PatchTarget{Kind: "Service", Name: "loadbalancer-controlplane-bank"}
	budget    = &v1.PatchTarget{Kind: "PodDisruptionBudget", Name: "loadbalancer-controlplane-bank"}
	authority = &v1.PatchTarget{Kind: "Certificate"}
)

// merge is a strategic merge patch for whatever the target is.
func merge(target *v1.PatchTarget, fields string) v1.Patch {
	apiVersion := map[string]string{"Deployment": "apps/v1", "PodDisruptionBudget": "policy/v1", "Certificate": "cert-manager.io/v1"}[target.Kind]
	if apiVersion == "" {
		apiVersion = "v1"
	}
	if !strings.HasPrefix(fields, "metadata:") {
		fields = "metadata: {name: x}\n" + fields
	}
	return v1.Patch{Target: target, Patch: "apiVersion: " + apiVersion + "\nkind: " + target.Kind + "\n" + fields}
}

func operations(target *v1.PatchTarget, text string) v1.Patch {
	return v1.Patch{Target: target, Patch: text}
}

// pod sets fields of a Deployment's pods, and container those of its container.
func pod(target *v1.PatchTarget, fields string) v1.Patch {
	return merge(target, "spec: {template: {spec: {"+fields+"}}}")
}

func container(target *v1.PatchTarget, fields string) v1.Patch {
	name := map[*v1.PatchTarget]string{balancer: "loadbalancer", jump: "jumphost", dex: "dex"}[target]
	return pod(target, "containers: [{name: "+name+", "+fields+"}]")
}

func TestWhatIsRenderedIsValid(t *testing.T) {
	built, err := bank(t).Build()
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range Valid(built) {
		t.Error(err)
	}
	kinds := map[string]bool{}
	for i := range built {
		kinds[built[i].APIVersion+"/"+built[i].Kind] = true
	}
	if len(kinds) != len(types) {
		t.Errorf("the tenant has %d of the %d kinds there are: a type that nothing decodes into is not tried", len(kinds), len(types))
	}
}

func TestPatchesThatATenantMayHave(t *testing.T) {
	var (
		rows    []string
		patches []v1.Patch
	)
	for _, row := range []struct {
		why   string
		patch v1.Patch
	}{
		{"more pods", operations(balancer, `[{"op": "replace", "path": "/spec/replicas", "value": 3}]`)},
		{"all of one kind", operations(&v1.PatchTarget{Kind: "Deployment"}, `[{"op": "test", "path": "/kind", "value": "Deployment"}, {"op": "add", "path": "/spec/minReadySeconds", "value": 5}]`)},
		{"without a target", v1.Patch{Patch: "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: jumphost-bank, namespace: bank}\nspec: {revisionHistoryLimit: 1}\n"}},
		{"two objects in one patch", v1.Patch{Patch: "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: jumphost-bank, namespace: bank}\nspec: {minReadySeconds: 1}\n---\n" +
			"apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: loadbalancer-worker-bank, namespace: bank}\nspec: {maxUnavailable: 25%}\n"}},
		{"labels and annotations of one's own", merge(balancer, "spec: {template: {metadata: {labels: {team: net}, annotations: {example.org/contact: ops}}}}")},
		{"an image", container(balancer, "image: registry.example.org/bank/haproxy:3.2, imagePullPolicy: Always")},
		{"resources", container(balancer, "resources: {requests: {cpu: 300m}, limits: {memory: 1Gi, ephemeral-storage: 1Gi}}")},
		{"its environment", container(jump, "env: [{name: TZ, value: UTC}, {name: NODE, valueFrom: {fieldRef: {fieldPath: spec.nodeName}}}]")},
		{"probes", container(balancer, "readinessProbe: {periodSeconds: 1, failureThreshold: 2}, startupProbe: {tcpSocket: {port: status}}")},
		{"nodes of its own", pod(balancer, "nodeSelector: {pool: edge}, affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: gpu, operator: DoesNotExist}]}]}}}")},
		{"apart from its own pods", pod(balancer, "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {team: net}}}]}}")},
		{"local traffic", merge(service, "spec: {externalTrafficPolicy: Local, sessionAffinity: ClientIP}")},
		{"less is let in", merge(service, "spec: {loadBalancerSourceRanges: [192.0.2.0/24]}")},
		{"a pool of MetalLB's", merge(service, "metadata: {name: x, annotations: {metallb.io/address-pool: edge}}")},
		{"what it was before", operations(service, `[{"op": "remove", "path": "/spec/type"}, {"op": "add", "path": "/spec/type", "value": "LoadBalancer"}]`)},
		{"nothing", operations(service, `[]`)},
	} {
		rows = append(rows, row.why)
		patches = append(patches, row.patch)
	}
	f := bank(t)
	for _, err := range append(f.try(entries(patches...), false), checked(t, f, patches...)...) {
		t.Errorf("%v; the rows are %q", err, rows)
	}
}

// attacks are patches that take what is not the tenant's, each with the words of its refusal.
var attacks = []struct {
	why   string
	patch v1.Patch
	want  string
}{
	// The node.
	{"the node's network", pod(balancer, "hostNetwork: true"), "spec.template.spec.hostNetwork: "},
	{"the node's processes", pod(balancer, "hostPID: true"), "spec.template.spec.hostPID: "},
	{"the node's IPC", pod(balancer, "hostIPC: true"), "spec.template.spec.hostIPC: "},
	{"the node's users", pod(balancer, "hostUsers: true"), "spec.template.spec.hostUsers: "},
	{"names for addresses", pod(balancer, "hostAliases: [{ip: 192.0.2.1, hostnames: [registry.example.org]}]"), "spec.template.spec.hostAliases: "},
	{"the node's files", pod(balancer, "volumes: [{name: root, hostPath: {path: /}}]"), "spec.template.spec.volumes[root]: "},
	{"a port of the node", operations(balancer, `[{"op": "add", "path": "/spec/template/spec/containers/0/ports/0/hostPort", "value": 6443}]`), "hostPort: "},
	{"privileged", container(balancer, "securityContext: {privileged: true, allowPrivilegeEscalation: true}"), "securityContext.privileged: "},
	{"a capability", container(balancer, "securityContext: {capabilities: {add: [NET_ADMIN]}}"), "securityContext.capabilities.add: "},
	{"root", pod(balancer, "securityContext: {runAsUser: 0, runAsNonRoot: false}"), "securityContext.runAsNonRoot: "},
	{"no seccomp", pod(balancer, "securityContext: {seccompProfile: {type: Unconfined}}"), "seccompProfile.type: "},
	{"a sysctl", pod(balancer, "securityContext: {sysctls: [{name: net.ipv4.ip_forward, value: '1'}]}"), "securityContext.sysctls: "},
	{"another runtime", pod(balancer, "runtimeClassName: host"), "spec.template.spec.runtimeClassName: "},
	{"one node, past the scheduler", pod(balancer, "nodeName: control-plane-1"), "spec.template.spec.nodeName: "},
	{"another scheduler", pod(balancer, "schedulerName: mine"), "spec.template.spec.schedulerName: "},
	{"others' nodes", pod(balancer, "tolerations: [{operator: Exists}]"), "spec.template.spec.tolerations: "},
	{"before everybody", pod(balancer, "priorityClassName: system-node-critical"), "spec.template.spec.priorityClassName: "},
	{"a device of the node", container(balancer, "resources: {limits: {devices.kubevirt.io/kvm: 1}}"), "resources.limits: want cpu"},
	{"a claim on devices", container(balancer, "resources: {claims: [{name: nic}]}"), "resources.claims: "},
	{"a number that no decoder is done with", container(balancer, "resources: {limits: {memory: 1E999999999999}}"), "out of range"},
	{"the kubelet asks for it", container(balancer, "livenessProbe: {httpGet: {host: 169.254.169.254, port: 80}}"), "livenessProbe: host: "},
	// Rights and Secrets.
	{"another account", pod(balancer, "serviceAccountName: kustomize-controller"), "spec.template.spec.serviceAccountName: the pod's rights"},
	{"the account's old name", pod(balancer, "serviceAccount: dex-bank"), "spec.template.spec.serviceAccount: the pod's rights"},
	{"a token", pod(balancer, "automountServiceAccountToken: true"), "spec.template.spec.automountServiceAccountToken: the pod's rights"},
	{"a token by a volume", pod(balancer, "volumes: [{name: t, projected: {sources: [{serviceAccountToken: {path: t, audience: vault}}]}}]"), "volumes[t]: "},
	{"a Secret by a volume", pod(jump, "volumes: [{name: s, secret: {secretName: rack-a-1-bmc}}]"), "volumes[s]: what the pod mounts, Secrets"},
	{"a Secret in place of another", operations(dex, `[{"op": "replace", "path": "/spec/template/spec/volumes/1/secret/secretName", "value": "root-ca"}]`), "volumes[tls].secret.secretName: what the pod mounts"},
	{"a Secret in a projection", operations(jump, `[{"op": "add", "path": "/spec/template/spec/volumes/-", "value": {"name": "p", "projected": {"sources": [{"secret": {"name": "x"}}]}}}]`), "volumes[p]: "},
	{"a Secret by the environment", container(jump, "env: [{name: P, valueFrom: {secretKeyRef: {name: rack-a-1-bmc, key: password}}}]"), `env: P: a patch may bring no Secret`},
	{"another Secret in the environment", container(dex, "env: [{name: BIND_PW, valueFrom: {secretKeyRef: {name: other, key: password}}}]"), "env: BIND_PW is rendered from spec.services"},
	{"a password for everybody to read", container(jump, "env: [{name: DB_PASSWORD, value: hunter2}]"), "env: DB_PASSWORD: its name says that it is a secret"},
	{"a token for everybody to read", container(jump, "env: [{name: githubToken, value: x}]"), "env: githubToken: its name says that it is a secret"},
	{"a node by its name", merge(jump, "spec: {template: {spec: {affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: In, values: [control-1]}]}]}}}}}}"), "affinity: nodeAffinity: matchFields"},
	{"less than nothing", container(balancer, "resources: {requests: {cpu: '-1'}}"), "resources.requests.cpu: found -1"},
	{"more memory than a machine has", container(balancer, "resources: {limits: {memory: 1Ei}}"), "resources.limits.memory: found 1Ei"},
	{"a request above its limit", container(balancer, "resources: {requests: {memory: 2Gi}, limits: {memory: 1Gi}}"), "resources.requests.memory: found 2Gi, more than the limit"},
	{"a file for an image", container(balancer, "image: 'file:///etc/passwd'"), "image: want an image reference"},
	{"a container runtime's key", merge(jump, "spec: {template: {metadata: {annotations: {io.kubernetes.cri-o.Devices: /dev/mem}}}}"), "steers the container runtime"},
	{"a file of the environment", container(jump, "env: [{name: P, valueFrom: {fileKeyRef: {volumeName: host-keys, path: k, key: k}}}]"), "no file"},
	{"all of a Secret", container(jump, "envFrom: [{secretRef: {name: rack-a-1-bmc}}]"), "envFrom: a patch may bring no Secret"},
	{"another's pull Secret", pod(balancer, "imagePullSecrets: [{name: registry}]"), "imagePullSecrets: "},
	{"a name twice, the last of which counts", operations(dex, `[{"op": "add", "path": "/spec/template/spec/containers/0/env/-", "value": {"name": "DEX_CONFIG_DISALLOW_UNKNOWN_FIELDS", "value": "false"}}]`), "each with a name of its own"},
	{"more rights", operations(&v1.PatchTarget{Kind: "Role"}, `[{"op": "replace", "path": "/rules", "value": [{"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}]}]`), "rights are not for a patch"},
	{"a right more", operations(&v1.PatchTarget{Kind: "Role"}, `[{"op": "add", "path": "/rules/0/resources/-", "value": "secrets"}]`), "rights are not for a patch"},
	{"rights for another", operations(&v1.PatchTarget{Kind: "RoleBinding"}, `[{"op": "add", "path": "/subjects/-", "value": {"kind": "Group", "name": "system:authenticated"}}]`), `subjects["system:authenticated"]: rights are not`},
	{"a cloud's rights", operations(&v1.PatchTarget{Kind: "ServiceAccount"}, `[{"op": "add", "path": "/metadata/annotations", "value": {"eks.amazonaws.com/role-arn": "arn:aws:iam::1:role/admin"}}]`), "metadata.annotations: rights"},
	{"the account's token", operations(&v1.PatchTarget{Kind: "ServiceAccount"}, `[{"op": "replace", "path": "/automountServiceAccountToken", "value": true}]`), "automountServiceAccountToken: rights"},
	// What runs.
	{"a command", container(balancer, "command: [nsenter, -t, '1', -m]"), "command: what runs is the image's"},
	{"arguments", container(balancer, "args: [-db]"), "args: what runs is the image's"},
	{"a command by a probe", container(balancer, "livenessProbe: {exec: {command: [sh]}}"), "livenessProbe: exec: "},
	{"a command by its end", container(balancer, "lifecycle: {preStop: {exec: {command: [sh]}}}"), "lifecycle.preStop.exec.command: "},
	{"another container", pod(jump, "containers: [{name: side, image: x}]"), "containers[side]: "},
	{"a container first", pod(jump, "initContainers: [{name: side, image: x}]"), "initContainers: a patch brings no containers"},
	{"a container later", pod(jump, "ephemeralContainers: [{name: side, image: x}]"), "ephemeralContainers: "},
	{"one process space", pod(jump, "shareProcessNamespace: true"), "shareProcessNamespace: "},
	{"an image that is a pattern", container(balancer, "image: '.*'"), "image: want an image reference"},
	{"the container away", pod(balancer, "containers: [{name: loadbalancer, $patch: delete}]"), "containers"},
	{"the list replaced", pod(balancer, "containers: [{$patch: replace}, {name: loadbalancer, image: haproxy}]"), "containers[loadbalancer]"},
	{"sshd that leads anywhere", merge(&v1.PatchTarget{Kind: "ConfigMap", Name: "jumphost-bank"}, "data: {sshd_config: 'PermitOpen any'}"), "data.sshd_config"},
	{"another backend", merge(&v1.PatchTarget{Kind: "ConfigMap", Name: "loadbalancer-controlplane-bank"}, "data: {haproxy.cfg: ''}"), `data["haproxy.cfg"]: configuration is rendered`},
	// Addresses.
	{"another's traffic", merge(service, "spec: {externalIPs: [192.0.2.1]}"), "spec.externalIPs: addresses and ports are given in spec.services"},
	{"another's node port", operations(service, `[{"op": "add", "path": "/spec/ports/0/nodePort", "value": 30001}]`), "ports[https].nodePort: "},
	{"one port more", operations(service, `[{"op": "add", "path": "/spec/ports/-", "value": {"name": "x", "port": 53}}]`), "spec.ports[x]: "},
	{"the DNS's address", merge(service, "spec: {clusterIP: 10.96.0.10}"), "spec.clusterIP: "},
	{"another type", merge(service, "spec: {type: NodePort}"), "spec.type: "},
	{"another name", merge(service, "spec: {type: ExternalName, externalName: metadata.internal}"), "spec.externalName: "},
	{"an address", merge(service, "spec: {loadBalancerIP: 192.0.2.1}"), "spec.loadBalancerIP: "},
	{"a class", merge(service, "spec: {loadBalancerClass: bgp}"), "spec.loadBalancerClass: "},
	{"a port for health checks", merge(service, "spec: {healthCheckNodePort: 30001}"), "spec.healthCheckNodePort: "},
	{"others' pods", operations(service, `[{"op": "replace", "path": "/spec/selector", "value": {"app.kubernetes.io/part-of": "sip"}}]`), "spec.selector"},
	{"all pods", operations(budget, `[{"op": "replace", "path": "/spec/selector", "value": {}}]`), "spec.selector"},
	{"a budget that stops every drain", operations(budget, `[{"op": "replace", "path": "/spec/maxUnavailable", "value": 0}]`), "spec.maxUnavailable: want 1 or more"},
	{"the same in percent", operations(budget, `[{"op": "replace", "path": "/spec/maxUnavailable", "value": "0%"}]`), "spec.maxUnavailable: want 1 or more"},
	{"the same by its absence", operations(budget, `[{"op": "remove", "path": "/spec/maxUnavailable"}]`), "spec.maxUnavailable: want 1 or more"},
	{"pods that never go", pod(balancer, "terminationGracePeriodSeconds: 31536000"), "want a number, 0 to 3600"},
	{"everybody off the nodes of a zone", pod(balancer, "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: topology.kubernetes.io/zone, namespaceSelector: {}, labelSelector: {}}]}}"), "podAntiAffinity: namespaceSelector"},
	{"beside another's pods", pod(balancer, "affinity: {podAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, podAffinityTerm: {topologyKey: zone, namespaces: [kube-system]}}]}}"), "podAffinity: namespaces"},
	{"a million pods", merge(balancer, "spec: {replicas: 1000000}"), "spec.replicas: want a number, 0 to 100"},
	// Words that are no words.
	{"a protocol that breaks a line", operations(service, `[{"op": "add", "path": "/spec/ports/0/appProtocol", "value": "http\n::error::owned"}]`), "appProtocol: want the name of a protocol"},
	{"a protocol that steers a terminal", operations(service, `[{"op": "add", "path": "/spec/ports/0/appProtocol", "value": "http\u001b[31m"}]`), "appProtocol: want the name of a protocol"},
	{"an affinity that there is not", merge(service, `spec: {sessionAffinity: "ClientIP\n"}`), "spec.sessionAffinity: want None or ClientIP"},
	{"a policy of another field", merge(service, "spec: {externalTrafficPolicy: PreferClose}"), "spec.externalTrafficPolicy: want Cluster or Local"},
	{"a policy within", merge(service, `spec: {internalTrafficPolicy: "\u2028"}`), "spec.internalTrafficPolicy: want Cluster or Local"},
	{"families that there are not", merge(service, "spec: {ipFamilyPolicy: ''}"), "spec.ipFamilyPolicy: want SingleStack"},
	{"a distribution that there is not", merge(service, "spec: {trafficDistribution: x}"), "spec.trafficDistribution: want PreferClose"},
	{"a network that is none", merge(service, `spec: {loadBalancerSourceRanges: [192.0.2.0/24, "0.0.0.0/0\n"]}`), "spec.loadBalancerSourceRanges: [1]: want a network"},
	{"a flag that is text", merge(service, "spec: {publishNotReadyAddresses: 'yes'}"), "spec.publishNotReadyAddresses: want true or false"},
	{"a pull policy that there is not", container(balancer, "imagePullPolicy: Sometimes"), "imagePullPolicy: want Always"},
	{"a node's label that breaks a line", pod(balancer, `nodeSelector: {pool: "a\nb"}`), "nodeSelector: a line break"},
	{"a spread that breaks a line", pod(balancer, `topologySpreadConstraints: [{maxSkew: 1, topologyKey: "a\tb", whenUnsatisfiable: DoNotSchedule}]`), "topologySpreadConstraints: a line break"},
	{"a budget's policy that there is not", merge(budget, "spec: {unhealthyPodEvictionPolicy: x}"), "spec.unhealthyPodEvictionPolicy: want IfHealthyBudget"},
	// Certificates.
	{"a certificate authority", merge(authority, "spec: {isCA: true}"), "spec.isCA: what a certificate is for"},
	{"an administrator's", merge(authority, "spec: {commonName: 'system:masters', usages: [client auth]}"), "spec.commonName: "},
	{"another's name", operations(authority, `[{"op": "add", "path": "/spec/dnsNames/-", "value": "kubernetes.default.svc"}]`), "spec.dnsNames: "},
	{"another issuer", merge(authority, "spec: {issuerRef: {kind: ClusterIssuer, name: root}}"), "spec.issuerRef"},
	{"into another Secret", merge(authority, "spec: {secretName: jumphost-bank-host-keys}"), "spec.secretName: "},
	{"copied about", merge(authority, "spec: {secretTemplate: {annotations: {reflector.v1.k8s.emberstack.com/reflection-allowed: 'true'}}}"), "spec.secretTemplate: "},
	// Keys that steer.
	{"Flux stops pruning", merge(balancer, "metadata: {name: x, annotations: {kustomize.toolkit.fluxcd.io/prune: disabled}}"), "steers the GitOps engine"},
	{"Flux makes it anew", merge(balancer, "metadata: {name: x, labels: {kustomize.toolkit.fluxcd.io/force: enabled}}"), "steers the GitOps engine"},
	{"Argo CD replaces", merge(balancer, "metadata: {name: x, annotations: {argocd.argoproj.io/sync-options: Replace=true}}"), "steers the GitOps engine"},
	{"Argo CD replaces, in other letters, which an API server takes", merge(balancer, "metadata: {name: x, annotations: {ArgoCD.ArgoProj.io/sync-options: Replace=true}}"), "steers the GitOps engine"},
	{"a hook", merge(service, "metadata: {name: x, annotations: {argocd.argoproj.io/hook: PreSync}}"), "steers the GitOps engine"},
	{"a hook of helm", merge(service, "metadata: {name: x, annotations: {helm.sh/hook: pre-install}}"), "steers helm"},
	{"helm's release", merge(service, "metadata: {name: x, annotations: {meta.helm.sh/release-name: bank}}"), "steers helm"},
	{"kubectl's memory", merge(service, `metadata: {name: x, annotations: {kubectl.kubernetes.io/last-applied-configuration: "{}"}}`), "is kubectl's"},
	{"sipgen's key", merge(service, "metadata: {name: x, labels: {sip.airshipit.org/cluster-name: other}}"), "is sipgen's"},
	{"an address by annotation", merge(service, "metadata: {name: x, annotations: {metallb.io/loadBalancerIPs: 192.0.2.1}}"), "asks for an address"},
	{"its older spelling", merge(service, "metadata: {name: x, annotations: {metallb.universe.tf/allow-shared-ip: bank}}"), "asks for an address"},
	{"a DNS record", merge(service, "metadata: {name: x, annotations: {external-dns.alpha.kubernetes.io/hostname: api.other.example}}"), "writes DNS records"},
	{"a cloud's balancer", merge(service, "metadata: {name: x, annotations: {service.beta.kubernetes.io/aws-load-balancer-eip-allocations: eip}}"), "is Kubernetes' own"},
	{"another network", merge(jump, `spec: {template: {metadata: {annotations: {k8s.v1.cni.cncf.io/networks: kube-system/oam}}}}`), "attaches networks"},
	{"another's address on the network", merge(jump, `spec: {template: {metadata: {annotations: {cni.projectcalico.org/ipAddrs: '["10.0.0.1"]'}}}}`), "steers the network"},
	{"a Secret by an agent", merge(jump, `spec: {template: {metadata: {annotations: {vault.hashicorp.com/agent-inject: 'true'}}}}`), "mounts Secrets"},
	{"pods of another Service", merge(jump, `spec: {template: {metadata: {labels: {app.kubernetes.io/instance: loadbalancer-controlplane-other}}}}`), "is Kubernetes' own"},
	{"a finalizer that keeps it", merge(balancer, "metadata: {name: x, finalizers: [example.org/never]}"), "metadata.finalizers: "},
	{"an owner that takes it along", merge(balancer, "metadata: {name: x, ownerReferences: [{apiVersion: v1, kind: Node, name: n, uid: u}]}"), "metadata.ownerReferences: "},
	{"more pods at once than a Deployment may have", merge(balancer, "spec: {strategy: {rollingUpdate: {maxSurge: 5000}}}"), "spec.strategy: rollingUpdate.maxSurge: want 0 to 100, or 0% to 100%"},
	{"a thousand times as many pods at once", merge(balancer, "spec: {strategy: {rollingUpdate: {maxSurge: 100000%}}}"), "spec.strategy: rollingUpdate.maxSurge: want 0 to 100, or 0% to 100%"},
	{"a limit below zero", container(balancer, "resources: {limits: {memory: '-1Gi'}}"), "resources.limits.memory: found -1Gi, want 0 to 100Ti"},
	{"the strategy of a typo", merge(balancer, "spec: {strategy: {rollingUpdat: {}}}"), `unknown field "spec.strategy.rollingUpdat"`},
	{"a field that Kubernetes has not", merge(balancer, "spec: {replica: 3}"), "spec.replica: "},
	{"a number that is text", merge(balancer, "spec: {minReadySeconds: '3'}"), "want a number"},
	{"a list where an object is", container(balancer, "resources: {limits: {cpu: [1]}}"), "a value is of another type"},
	// Other objects.
	{"a host", operations(service, `[{"op": "replace", "path": "/kind", "value": "BareMetalHost"}, {"op": "replace", "path": "/apiVersion", "value": "metal3.io/v1alpha1"}]`), "it makes another object"},
	{"another namespace", operations(balancer, `[{"op": "replace", "path": "/metadata/namespace", "value": "kube-system"}]`), "it makes another object"},
	{"another version", operations(balancer, `[{"op": "replace", "path": "/apiVersion", "value": "apps/v1beta1"}]`), "apiVersion"},
	{"a name that the API server makes", operations(balancer, `[{"op": "add", "path": "/metadata/generateName", "value": "x-"}]`), "metadata.generateName: "},
	{"an object away", merge(budget, "$patch: delete"), "is gone with it"},
	{"rights away", v1.Patch{Target: &v1.PatchTarget{Kind: "Role"}, Patch: "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: x}\n$patch: delete\n"}, "Role dex-bank is gone with it"},
	{"an object hidden from kustomize", merge(balancer, "metadata: {name: x, annotations: {config.kubernetes.io/local-config: 'true'}}"), "steers kustomize"},
	{"an earlier name", merge(balancer, "metadata: {name: x, annotations: {internal.config.kubernetes.io/previousNames: dex-bank}}"), "steers kustomize"},
	{"the same by an operation", operations(balancer, `[{"op": "add", "path": "/metadata/annotations/internal.config.kubernetes.io~1previousNames", "value": "x"}]`), "steers kustomize"},
	{"all of it", operations(balancer, `[{"op": "replace", "path": "/spec", "value": {}}]`), "spec.template"},
	// What grows, and what is no patch.
	{"YAML aliases", v1.Patch{Patch: bomb}, "a YAML anchor"},
	{"a merge key", v1.Patch{Patch: "a: {<<: {b: c}}"}, "a YAML merge key"},
	{"a tag", v1.Patch{Patch: "a: !!binary aGFsbG8="}, "a YAML tag"},
	{"copies", operations(balancer, `[{"op": "copy", "from": "/spec/template", "path": "/spec/template/x"}]`), "copy and move are not taken"},
	{"moves", operations(balancer, `[{"op": "move", "from": "/spec/template", "path": "/spec/x"}]`), "copy and move are not taken"},
	{"a copy in other letters", operations(balancer, `[{"op": "add", "OP": "copy", "from": "/spec", "path": "/spec/x", "value": 1}]`), "want op, path and value"},
	{"an operation said twice", operations(balancer, `[{"op": "add", "op": "copy", "path": "/spec/x", "value": 1}]`), "a key is there twice"},
	{"the whole object by an operation", operations(balancer, `[{"op": "replace", "path": "", "value": {}}]`), "want a field below the object"},
	{"deep nesting", v1.Patch{Patch: "a: " + strings.Repeat("[", 60) + strings.Repeat("]", 60)}, "nested deeper"},
	{"many nodes", v1.Patch{Patch: "a: [" + strings.Repeat("1,", 4000) + "]"}, "more than 1000"},
	{"a long text", v1.Patch{Patch: "a: " + strings.Repeat("x", 20_000)}, "bytes, want at most 16384"},
	{"a merge of long lists", merge(service, "spec: {ports: ["+strings.Repeat("{port: 1}, ", 65)+"]}"), "a merge of lists with"},
	{"an order", merge(balancer, "spec: {template: {spec: {$setElementOrder/containers: [{name: x}]}}}"), "the directive"},
	{"a list's end", merge(balancer, "metadata: {name: x, $deleteFromPrimitiveList/finalizers: [x]}"), "the directive"},
	{"no YAML", v1.Patch{Patch: "a: ["}, "not valid YAML"},
	{"nothing at all", v1.Patch{Patch: "# a comment"}, "it is empty"},
	{"another encoding", v1.Patch{Patch: "\xff\xfea\x00:\x00 \x00b\x00"}, "want UTF-8"},
	{"a directive", v1.Patch{Patch: "%TAG ! tag:yaml.org,2002:\n---\na: b"}, "directives"},
	{"a list of patches", v1.Patch{Target: balancer, Patch: "- a: b"}, "want op, path and value"},
	{"a target that is no pattern", operations(&v1.PatchTarget{Name: "("}, `[]`), "target: want regular expressions"},
	{"a target that matches nothing", operations(&v1.PatchTarget{Kind: "StatefulSet"}, `[]`), "its target matches nothing in the overlay, which has "},
	{"an object that is not there", v1.Patch{Patch: "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: nowhere}"}, "it names an object that is not in the overlay"},
	{"operations for nobody", v1.Patch{Patch: "- {op: remove, path: /spec/replicas}"}, "a JSON 6902 patch needs a target"},
	{"a list that JSON has not", operations(balancer, "[{op: remove, path: /spec/nowhere}]"), "neither as a strategic merge patch nor as a JSON 6902 patch"},
	{"two objects for one target", v1.Patch{Target: balancer, Patch: "kind: Deployment\nmetadata: {name: x}\n---\nkind: Deployment\nmetadata: {name: x}\n"}, "neither as"},
	{"a path that is not there", operations(balancer, "- {op: remove, path: /spec/nowhere}"), "no such place as /spec/nowhere"},
	{"a test that fails", operations(balancer, "- {op: test, path: /spec/replicas, value: 77}"), "the test of /spec/replicas"},
}

// bomb is nine levels of nine aliases, a few hundred bytes that become a billion nodes.
const bomb = `apiVersion: apps/v1
kind: Deployment
metadata: {name: loadbalancer-controlplane-bank, namespace: bank}
a: &a [x, x, x, x, x, x, x, x, x]
b: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a]
c: &c [*b, *b, *b, *b, *b, *b, *b, *b, *b]
d: &d [*c, *c, *c, *c, *c, *c, *c, *c, *c]
e: &e [*d, *d, *d, *d, *d, *d, *d, *d, *d]
f: &f [*e, *e, *e, *e, *e, *e, *e, *e, *e]
g: &g [*f, *f, *f, *f, *f, *f, *f, *f, *f]
h: &h [*g, *g, *g, *g, *g, *g, *g, *g, *g]
i: &i [*h, *h, *h, *h, *h, *h, *h, *h, *h]
`

func TestPatchesThatTakeMoreThanIsTheTenants(t *testing.T) {
	f := bank(t)
	var patches []v1.Patch
	for _, row := range attacks {
		patches = append(patches, row.patch)
	}
	// All at once: each is reported with its number, and none hides another.
	errs := f.try(entries(patches...), false)
	for i, row := range attacks {
		said := ""
		for _, err := range errs {
			if rest, found := strings.CutPrefix(err.Error(), fmt.Sprintf("spec.patches[%d]: ", i)); found {
				said += rest + "\n"
			}
		}
		if !strings.Contains(said, row.want) {
			t.Errorf("%s: got %q, want %q in it", row.why, said, row.want)
		}
		if slices.ContainsFunc([]string{"arn:aws", "kube-system/oam", "PermitOpen", "nsenter"}, func(v string) bool { return strings.Contains(said, v) }) {
			t.Errorf("%s: a value is quoted in %q", row.why, said)
		}
	}
}

// What try has not seen, compare sees: it builds as the engine does. Every eighth row is enough for that, and each takes two builds.
func TestCompareSeesTheSame(t *testing.T) {
	f, tried := bank(t), 0
	for i, row := range attacks {
		// What is never built, and a target that matches nothing, which kustomize passes over.
		if i%8 != 0 || v1.CheckPatch(row.patch.Patch) != nil || row.patch.Patch == "[]" {
			continue
		}
		tried++
		if errs := compared(t, f, row.patch); len(errs) == 0 {
			t.Errorf("%s: nothing found", row.why)
		}
	}
	if tried < 10 {
		t.Errorf("only %d rows were built", tried)
	}
}

// The profile is checked in what is built, wherever it comes from.
func TestPodsThatTheProfileRefuses(t *testing.T) {
	for _, row := range []struct{ old, new, want string }{
		{"allowPrivilegeEscalation: false", "allowPrivilegeEscalation: true", "allowPrivilegeEscalation != false"},
		{"readOnlyRootFilesystem: true", "privileged: true", "privileged"},
		{"runAsNonRoot: true", "runAsNonRoot: false", "runAsNonRoot != true"},
		{"type: RuntimeDefault", "type: Unconfined", "seccompProfile"},
		{"enableServiceLinks: false", "hostNetwork: true", "host namespaces"},
		{"- ALL", "- NET_RAW", "unrestricted capabilities"},
		{"- configMap:\n          name: loadbalancer-controlplane-bank", "- hostPath: {path: /}", "hostPath"},
		{"containerPort: 6443", "containerPort: 6443\n          hostPort: 6443", "hostPort"},
		{"path: /healthz", "path: /healthz\n            host: 169.254.169.254", "host"},
		{"revisionHistoryLimit: 3", "revisionHistory: 3", `unknown field "spec.revisionHistory"`},
		{"replicas: 3", "replicas: two", "Deployment loadbalancer-controlplane-bank: "},
		{"kind: PodDisruptionBudget", "kind: PodDisruptionBudgets", "which no service has"},
	} {
		f := bank(t)
		const name = "loadbalancer-controlplane-bank.yaml"
		text := strings.Replace(string(f.Files[name]), row.old, row.new, 1)
		if text == string(f.Files[name]) {
			t.Fatalf("no %q in %s", row.old, name)
		}
		// This file alone.
		f.Kustomization.Resources = []string{name}
		f.Kustomization.ConfigMapGenerator, f.Kustomization.Images = nil, nil
		f.Files[name] = []byte(text)
		built, err := f.Build()
		if err != nil {
			t.Fatal(err)
		}
		said := errors.Join(Valid(built)...)
		if said == nil || !strings.Contains(said.Error(), row.want) || strings.Contains(said.Error(), `"two"`) {
			t.Errorf("%s: got %v, want %q in it", row.new, said, row.want)
		}
	}
}

// One port merged into a thousand takes kustomize 11 seconds, here and at each of the engine's syncs.
func TestMergesIntoLongLists(t *testing.T) {
	f := bank(t)
	const name = "loadbalancer-worker-bank.yaml"
	f.Files[name] = widened(f.Files[name])
	target := &v1.PatchTarget{Kind: "Service", Name: "loadbalancer-worker-bank"}
	errs := f.try(entries(
		merge(target, "spec: {ports: [{port: 30001, protocol: TCP, appProtocol: x}]}"),
		operations(target, `[{"op": "add", "path": "/spec/ports/7/appProtocol", "value": "x"}]`),
	), false)
	if len(errs) != 1 || !strings.Contains(errs[0].Error(), "spec.patches[0]: line 4: a merge of lists with 1001 items") {
		t.Errorf("got %v", errs)
	}
}

// entries are patches as a kustomization has them: the fields of both have the same names.
func entries(patches ...v1.Patch) []kustomize.Patch {
	text, err := json.Marshal(patches)
	if err != nil {
		panic(err)
	}
	var out []kustomize.Patch
	if err := json.Unmarshal(text, &out); err != nil {
		panic(err)
	}
	return out
}

func (f Folder) with(patches ...v1.Patch) Folder {
	f.Kustomization.Patches = append(slices.Clone(f.Kustomization.Patches), entries(patches...)...)
	return f
}

// checked is what Check says of the folder's files, with patches.
func checked(t testing.TB, f Folder, patches ...v1.Patch) []error {
	t.Helper()
	_, errs := Check(written(t, f.with(patches...)), len(patches), "", false)
	return errs
}

// written is the folder as files.
func written(t testing.TB, f Folder) map[string][]byte {
	t.Helper()
	files := maps.Clone(f.Files)
	var err error
	if files[kustomizationFile], err = object.Marshal(f.Kustomization); err != nil {
		t.Fatal(err)
	}
	return files
}

func compared(t testing.TB, f Folder, patches ...v1.Patch) []error {
	t.Helper()
	built, err := f.with(patches...).Build()
	if err != nil {
		return []error{err}
	}
	return f.compare(built, false)
}

// What is built is what is written: an overlay without the entry for an image, and one with fewer patches than the tenant has, are refused.
func TestCheckLooksAtWhatIsWritten(t *testing.T) {
	const mirror = "registry.example.org/mirror"
	f := bank(t)
	if _, errs := Check(written(t, f), 0, mirror, false); len(errs) > 0 {
		t.Errorf("as it is: %v", errs)
	}
	f.Kustomization.Images = f.Kustomization.Images[1:]
	if _, errs := Check(written(t, f), 0, mirror, false); len(errs) == 0 || !strings.Contains(errs[0].Error(), "registryMirror") {
		t.Errorf("an image from elsewhere: got %v", errs)
	}
	if _, errs := Check(written(t, bank(t)), 1, mirror, false); len(errs) != 1 || !strings.Contains(errs[0].Error(), "0 patches, want the tenant's 1") {
		t.Errorf("a patch that is not there: got %v", errs)
	}
}

// What Check gives is what is built of the files, with the images of the mirror and with their own names.
func TestCheckGivesWhatIsBuilt(t *testing.T) {
	const mirror = "registry.example.org/mirror"
	with := bank(t).with(operations(balancer, `[{"op": "replace", "path": "/spec/replicas", "value": 3}]`))
	for _, patches := range []int{0, 1} {
		got, errs := Check(written(t, with), patches, mirror, false)
		if len(errs) > 0 {
			t.Fatal(errs)
		}
		want, err := with.Build()
		if err != nil || !reflect.DeepEqual(got.Objects, want) {
			t.Errorf("%d patches: the objects differ from what is built, %v", patches, err)
		}
		own := with
		own.Kustomization.Images = nil
		if want, err = own.Build(); err != nil || patches > 0 && !reflect.DeepEqual(got.OwnImages, want) {
			t.Errorf("%d patches: the objects with their own images differ from what is built without the mirror, %v", patches, err)
		}
		if len(outsideMirror(got.OwnImages, mirror)) == 0 && patches > 0 {
			t.Error("no image has its own name")
		}
	}
}

// TestPatchesOfLargeObjects: patches of many large objects are refused before they are tried, and as many of small ones are not.
func TestPatchesOfLargeObjects(t *testing.T) {
	everything := operations(&v1.PatchTarget{Name: ".*"}, `[{"op": "add", "path": "/metadata/labels/team", "value": "net"}]`)
	one := operations(balancer, `[{"op": "replace", "path": "/spec/replicas", "value": 3}]`)
	for _, row := range []struct {
		why     string
		large   int
		patches []v1.Patch
		want    string
	}{
		{"as many patches as there may be, of every service", 0, repeat(operations(&v1.PatchTarget{Kind: "Deployment"}, one.Patch), v1.MaxPatches), ""},
		{"of one object beside large ones", 16, repeat(one, v1.MaxPatches), ""},
		{"of all of them", 16, repeat(everything, v1.MaxPatches), "with the patches before it, more than 4 MB of objects are patched"},
	} {
		f := bank(t)
		for i := range row.large {
			name := fmt.Sprintf("large-%d.yaml", i)
			text := strings.ReplaceAll(string(widened(f.Files["loadbalancer-worker-bank.yaml"])), "loadbalancer-worker-bank", fmt.Sprintf("large-%d", i))
			f.Files[name] = []byte(text)
			f.Kustomization.Resources = append(f.Kustomization.Resources, name)
		}
		before, own := f.with(row.patches...).split(len(row.patches))
		errs := before.try(own, false)
		if err := errors.Join(errs...); (err == nil) != (row.want == "") || err != nil && !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: got %.300v, want %q", row.why, err, row.want)
		}
	}
}
