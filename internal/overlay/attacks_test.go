package overlay

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
)

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
	{"another account", pod(balancer, "serviceAccountName: kustomize-controller"), "spec.template.spec.serviceAccountName: a patch may not change the pod's rights"},
	{"the account's old name", pod(balancer, "serviceAccount: dex-bank"), "spec.template.spec.serviceAccount: a patch may not change the pod's rights"},
	{"a token", pod(balancer, "automountServiceAccountToken: true"), "spec.template.spec.automountServiceAccountToken: a patch may not change the pod's rights"},
	{"a token by a volume", pod(balancer, "volumes: [{name: t, projected: {sources: [{serviceAccountToken: {path: t, audience: vault}}]}}]"), "volumes[t]: "},
	{"a Secret by a volume", pod(jump, "volumes: [{name: s, secret: {secretName: rack-a-1-bmc}}]"), "volumes[s]: a patch may not change what the pod mounts, including Secrets"},
	{"a Secret in place of another", operations(dex, `[{"op": "replace", "path": "/spec/template/spec/volumes/1/secret/secretName", "value": "root-ca"}]`), "volumes[tls].secret.secretName: a patch may not change what the pod mounts"},
	{"a Secret in a projection", operations(jump, `[{"op": "add", "path": "/spec/template/spec/volumes/-", "value": {"name": "p", "projected": {"sources": [{"secret": {"name": "x"}}]}}}]`), "volumes[p]: "},
	{"a Secret by the environment", container(jump, "env: [{name: P, valueFrom: {secretKeyRef: {name: rack-a-1-bmc, key: password}}}]"), `env: P: a patch may bring no Secret`},
	{"another Secret in the environment", container(dex, "env: [{name: BIND_PW, valueFrom: {secretKeyRef: {name: other, key: password}}}]"), "env: BIND_PW is rendered from spec.services"},
	{"a password for everybody to read", container(jump, "env: [{name: DB_PASSWORD, value: hunter2}]"), "env: DB_PASSWORD: its name says that it is a secret"},
	{"a token for everybody to read", container(jump, "env: [{name: githubToken, value: x}]"), "env: githubToken: its name says that it is a secret"},
	{"a node by its name", merge(jump, "spec: {template: {spec: {affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: In, values: [control-1]}]}]}}}}}}"), "affinity: nodeAffinity: matchFields"},
	{"less than nothing", container(balancer, "resources: {requests: {cpu: '-1'}}"), "resources.requests.cpu: found -1"},
	{"more memory than a machine has", container(balancer, "resources: {limits: {memory: 1Ei}}"), "resources.limits.memory: found 1Ei"},
	{"a request above its limit", container(balancer, "resources: {requests: {memory: 2Gi}, limits: {memory: 1Gi}}"), "resources.requests.memory: found 2Gi, which is more than the limit"},
	{"a file for an image", container(balancer, "image: 'file:///etc/passwd'"), "image: want an image reference"},
	{"a container runtime's key", merge(jump, "spec: {template: {metadata: {annotations: {io.kubernetes.cri-o.Devices: /dev/mem}}}}"), "steers the container runtime"},
	{"a file of the environment", container(jump, "env: [{name: P, valueFrom: {fileKeyRef: {volumeName: host-keys, path: k, key: k}}}]"), "no file"},
	{"all of a Secret", container(jump, "envFrom: [{secretRef: {name: rack-a-1-bmc}}]"), "envFrom: a patch may bring no Secret"},
	{"another's pull Secret", pod(balancer, "imagePullSecrets: [{name: registry}]"), "imagePullSecrets: "},
	{"a name twice, the last of which counts", operations(dex, `[{"op": "add", "path": "/spec/template/spec/containers/0/env/-", "value": {"name": "DEX_CONFIG_DISALLOW_UNKNOWN_FIELDS", "value": "false"}}]`), "each with a name of its own"},
	{"more rights", operations(&v1.PatchTarget{Kind: "Role"}, `[{"op": "replace", "path": "/rules", "value": [{"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}]}]`), "a patch may not change rights"},
	{"a right more", operations(&v1.PatchTarget{Kind: "Role"}, `[{"op": "add", "path": "/rules/0/resources/-", "value": "secrets"}]`), "a patch may not change rights"},
	{"rights for another", operations(&v1.PatchTarget{Kind: "RoleBinding"}, `[{"op": "add", "path": "/subjects/-", "value": {"kind": "Group", "name": "system:authenticated"}}]`), `subjects["system:authenticated"]: a patch may not change rights`},
	{"a cloud's rights", operations(&v1.PatchTarget{Kind: "ServiceAccount"}, `[{"op": "add", "path": "/metadata/annotations", "value": {"eks.amazonaws.com/role-arn": "arn:aws:iam::1:role/admin"}}]`), "metadata.annotations: a patch may not change rights"},
	{"the account's token", operations(&v1.PatchTarget{Kind: "ServiceAccount"}, `[{"op": "replace", "path": "/automountServiceAccountToken", "value": true}]`), "automountServiceAccountToken: a patch may not change rights"},
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
	{"a policy that lets everybody in", operations(closed, `[{"op": "add", "path": "/spec/ingress/-", "value": {}}]`), "spec.ingress: a patch may not change who may connect to the pods"},
	{"a policy for all pods of the namespace", operations(closed, `[{"op": "replace", "path": "/spec/podSelector", "value": {}}]`), "spec.podSelector"},
	{"no policy", merge(closed, "$patch: delete"), "the patch removes"},
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
	{"a node's label that breaks a line", pod(balancer, `nodeSelector: {pool: "a\nb"}`), "nodeSelector: contains a line break"},
	{"a spread that breaks a line", pod(balancer, `topologySpreadConstraints: [{maxSkew: 1, topologyKey: "a\tb", whenUnsatisfiable: DoNotSchedule}]`), "topologySpreadConstraints: contains a line break"},
	{"a budget's policy that there is not", merge(budget, "spec: {unhealthyPodEvictionPolicy: x}"), "spec.unhealthyPodEvictionPolicy: want AlwaysAllow"},
	{"a budget that pods which are never ready hold for ever", merge(budget, "spec: {unhealthyPodEvictionPolicy: IfHealthyBudget}"), "spec.unhealthyPodEvictionPolicy: want AlwaysAllow"},
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
	{"a label's value that no API server takes", merge(balancer, "metadata: {name: x, labels: {team: "+strings.Repeat("a", 64)+"}}"), "metadata.labels: team: the API server takes no such value: must be no more than 63"},
	{"a pod's label with a blank", merge(balancer, "spec: {template: {metadata: {labels: {team: 'a b'}}}}"), "template.metadata.labels: team: the API server takes no such value: "},
	{"a label's key that no API server takes", merge(service, "metadata: {name: x, labels: {"+strings.Repeat("a", 64)+": b}}"), "the API server takes no such key: name part must be no more than 63"},
	{"an annotation's key that no API server takes", merge(service, "metadata: {name: x, annotations: {'a b': c}}"), "the API server takes no such key: name part must consist"},
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
	{"a host", operations(service, `[{"op": "replace", "path": "/kind", "value": "BareMetalHost"}, {"op": "replace", "path": "/apiVersion", "value": "metal3.io/v1alpha1"}]`), "it makes a different object"},
	{"another namespace", operations(balancer, `[{"op": "replace", "path": "/metadata/namespace", "value": "kube-system"}]`), "it makes a different object"},
	{"another version", operations(balancer, `[{"op": "replace", "path": "/apiVersion", "value": "apps/v1beta1"}]`), "apiVersion"},
	{"a name that the API server makes", operations(balancer, `[{"op": "add", "path": "/metadata/generateName", "value": "x-"}]`), "metadata.generateName: "},
	{"an object away", merge(budget, "$patch: delete"), "the patch removes"},
	{"rights away", v1.Patch{Target: &v1.PatchTarget{Kind: "Role"}, Patch: "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: x}\n$patch: delete\n"}, "the patch removes Role dex-bank"},
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
