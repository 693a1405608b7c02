package v1

import (
	"slices"
	"strings"
)

// reservedDomains say whose the labels and annotations of a domain, and of the domains below it, are. Whoever may write one of them on an
// object of the overlay steers a program that works with more rights than the tenant's, or takes an address that nobody checked.
var reservedDomains = []struct{ domain, whose string }{
	{"fluxcd.io", "steers the GitOps engine"},
	{"argoproj.io", "steers the GitOps engine"},
	{"helm.sh", "steers helm and the engines that read its hooks"},
	{"kustomize.config.k8s.io", "steers kustomize"},
	{"config.kubernetes.io", "steers kustomize"},
	{"kubectl.kubernetes.io", "is kubectl's"},
	{"sip.airshipit.org", "is sipgen's"},
	{"sipgen.airshipit.org", "is sipgen's"},
	{"metal3.io", "is metal3's"},
	{"cluster.x-k8s.io", "is Cluster API's"},
	{"metallb.io", "asks for an address"},
	{"metallb.universe.tf", "asks for an address"},
	{"kube-vip.io", "asks for an address"},
	{"purelb.io", "asks for an address"},
	{"openelb.io", "asks for an address"},
	{"loxilb.io", "asks for an address"},
	{"kubesphere.io", "asks for an address"}, // OpenELB, when it was Porter
	{"harvesterhci.io", "asks for an address"},
	{"hetzner.cloud", "asks for an address"},
	{"openstack.org", "asks for an address"},
	{"oraclecloud.com", "asks for an address"},
	{"stackit.cloud", "asks for an address"},
	{"civo.com", "asks for an address"},
	{"gke.io", "asks for an address"},
	{"f5.com", "asks for an address"},
	{"citrix.com", "asks for an address"},
	{"vmware.com", "asks for an address"},
	{"ncp", "asks for an address"}, // NSX
	{"redhat-cop.io", "asks for an address"},
	{"kube-router.io", "steers the network"},
	{"kube-ovn.io", "steers the network"},
	{"cattle.io", "steers the network"},
	{"ngrok.com", "opens the service to another network"},
	{"skupper.io", "opens the service to another network"},
	{"getambassador.io", "steers a proxy"},
	{"keel.sh", "changes the pods"},
	{"jaegertracing.io", "changes the pods"},
	{"datadoghq.com", "steers an agent on every node"},
	{"lb.cilium.io", "asks for an address"},
	{"lbipam.cilium.io", "asks for an address"},
	{"io.cilium", "asks for an address"},
	{"io.cilium.ipam", "steers the network"},
	{"cilium.io", "steers the network"},
	{"tailscale.com", "opens the service to another network"},
	{"emberstack.com", "copies objects to other namespaces"},
	{"mittwald.de", "copies objects to other namespaces"},
	{"appscode.com", "copies objects to other namespaces"},
	{"opentelemetry.io", "changes the pods"},
	{"dapr.io", "changes the pods"},
	{"kuma.io", "changes the pods"},
	{"consul.hashicorp.com", "changes the pods"},
	{"openservicemesh.io", "changes the pods"},
	{"security.banzaicloud.io", "mounts Secrets"},
	{"secrets-store.csi.x-k8s.io", "mounts Secrets"},
	{"projectcalico.org", "steers the network"},
	{"k8s.ovn.org", "steers the network"},
	{"ovn.kubernetes.io", "steers the network"},
	{"antrea.io", "steers the network"},
	{"k8s.v1.cni.cncf.io", "attaches networks, which networkAttachments does"},
	{"v1.multus-cni.io", "attaches networks, which networkAttachments does"},
	{"external-dns.alpha.kubernetes.io", "writes DNS records"},
	{"cert-manager.io", "asks for certificates"},
	{"istio.io", "changes the pods"},
	{"linkerd.io", "changes the pods"},
	{"vault.hashicorp.com", "mounts Secrets"},
	{"amazonaws.com", "gives rights in a cloud"},
	{"cloud.google.com", "gives rights in a cloud"},
	{"iam.gke.io", "gives rights in a cloud"},
	{"azure.workload.identity", "gives rights in a cloud"},
	// What is left of Kubernetes' own domains: load balancers of clouds (service.beta.kubernetes.io), Pod Security, seccomp and AppArmor,
	// the labels by which Services find their pods (app.kubernetes.io), and what is yet to come.
	{"kubernetes.io", "is Kubernetes' own"},
	{"k8s.io", "is Kubernetes' own"},
}

// runtimeKeys are how keys of container runtimes begin, which have no domain: devices of the node, paths of its programs.
var runtimeKeys = []string{"io.kubernetes.", "io.katacontainers.", "io.containerd.", "io.cri-o.", "com.docker."}

// freeKeys are keys of reserved domains that do no harm.
var freeKeys = []string{
	"metallb.io/address-pool", "metallb.universe.tf/address-pool", // a pool, not an address: MetalLB checks who may use it
	"cluster-autoscaler.kubernetes.io/safe-to-evict",
}

// ReservedKey says what a label or annotation does that is not a tenant's to write ("steers the GitOps engine"); empty for all others.
// The domains are those of the programs that are known to act on what they find on Services, pods and their like; it is no proof that no other
// program does.
func ReservedKey(key string) string {
	for _, prefix := range runtimeKeys {
		if strings.HasPrefix(strings.ToLower(key), prefix) {
			return "steers the container runtime"
		}
	}
	domain, _, found := strings.Cut(strings.ToLower(key), "/")
	if !found || slices.Contains(freeKeys, key) {
		return ""
	}
	for _, reserved := range reservedDomains {
		if domain == reserved.domain || strings.HasSuffix(domain, "."+reserved.domain) {
			return reserved.whose
		}
	}
	return ""
}
