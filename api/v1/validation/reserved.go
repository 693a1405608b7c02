package validation

import (
	"slices"
	"strings"
)

// reservedDomains say whose the labels and annotations of a domain, and of the domains below it, are. Whoever may
// write one of them on an object of the overlay steers a program that works with more rights than the tenant's, or
// takes an address that nobody checked.
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
	{"1password.com", "copies Secrets from a vault"},
	{"1password.io", "copies Secrets from a vault"},
	{"coredns.io", "writes DNS records"},
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
	{"digitalocean.com", "asks for an address"},
	{"ovhcloud.com", "asks for an address"},
	{"scaleway.com", "asks for an address"},
	{"linode.com", "asks for an address"},
	{"equinix.com", "asks for an address"},
	{"cloud.ibm.com", "asks for an address"},
	{"tencent.com", "asks for an address"},
	{"aliyun.com", "asks for an address"},
	{"alibabacloud.com", "asks for an address"},
	{"huawei.com", "asks for an address"},
	{"yandex.cloud", "asks for an address"},
	{"cloudscale.ch", "asks for an address"},
	{"deckhouse.io", "asks for an address"},
	{"k8s.aws", "asks for an address"},
	{"autoneg.dev", "asks for an address"},
	{"cft.dev", "asks for an address"},
	{"gardener.cloud", "writes DNS records"},
	{"k8gb.io", "writes DNS records"},
	{"haproxy.org", "steers a proxy"},
	{"haproxy-ingress.github.io", "steers a proxy"},
	{"konghq.com", "steers a proxy"},
	{"projectcontour.io", "steers a proxy"},
	{"heptio.com", "steers a proxy"},
	{"traefik.io", "steers a proxy"},
	{"containo.us", "steers a proxy"},
	{"nginx.org", "steers a proxy"},
	{"nginx.com", "steers a proxy"},
	{"solo.io", "steers a proxy"},
	{"submariner.io", "opens the service to another network"},
	{"netbird.io", "opens the service to another network"},
	{"inlets.dev", "opens the service to another network"},
	{"cloudflare-operator.io", "opens the service to another network"},
	{"cfargotunnel.com", "opens the service to another network"},
	{"okteto.com", "opens the service to another network"},
	{"fabric8.io", "opens the service to another network"},
	{"xposer.stakater.com", "opens the service to another network"},
	{"olli.com", "copies objects to other namespaces"},
	{"synator", "copies objects to other namespaces"},
	{"clustersecret.io", "copies objects to other namespaces"},
	{"clastix.io", "copies objects to other namespaces"},
	{"projectcapsule.dev", "copies objects to other namespaces"},
	{"carvel.dev", "copies objects to other namespaces"},
	{"k14s.io", "copies objects to other namespaces"},
	{"loft.sh", "copies objects to other namespaces"},
	{"karmada.io", "copies objects to other clusters"},
	{"kubefed.io", "copies objects to other clusters"},
	{"open-cluster-management.io", "copies objects to other clusters"},
	{"projectsveltos.io", "copies objects to other clusters"},
	{"liqo.io", "copies objects to other clusters"},
	{"kyverno.io", "lets a policy create, change or delete objects"},
	{"gatekeeper.sh", "lets a policy create, change or delete objects"},
	{"stackrox.io", "lets a policy create, change or delete objects"},
	{"janitor", "gets the object deleted"},
	{"downscaler", "changes the pods"},
	{"banzaicloud.io", "changes the pods"},
	{"fairwinds.com", "changes the pods"},
	{"dynatrace.com", "changes the pods"},
	{"newrelic.com", "changes the pods"},
	{"instana.io", "changes the pods"},
	{"odigos.io", "changes the pods"},
	{"velero.io", "runs commands in pods, for backups"},
	{"kasten.io", "runs commands in pods, for backups"},
	{"k8up.io", "runs commands in pods, for backups"},
	{"kubestash.com", "runs commands in pods, for backups"},
	{"bank-vaults.io", "mounts Secrets"},
	{"hashicorp.com", "mounts Secrets"},
	{"conjur.org", "mounts Secrets"},
	{"akeyless", "mounts Secrets"},
	{"akv2k8s.io", "mounts Secrets"},
	{"spv.no", "mounts Secrets"},
	{"external-secrets.io", "copies Secrets from a vault"},
	{"bitnami.com", "copies Secrets from a vault"},
	{"azure.com", "gives rights in a cloud"},
	{"otterize.com", "gives rights in a cloud"},
	{"spiffe.io", "gives an identity"},
	{"openshift.io", "is OpenShift's: certificates, images and more"},
	{"spidernet.io", "steers the network"},
	{"networkservicemesh.io", "steers the network"},
	{"isovalent.com", "steers the network"},
	{"fluentbit.io", "steers an agent on every node"},
	{"splunk.com", "steers an agent on every node"},
	{"collectord.io", "steers an agent on every node"},
	{"crio.io", "steers the container runtime"},
	{"weave.works", "steers the GitOps engine"},
	// What is left of Kubernetes' own domains: load balancers of clouds (service.beta.kubernetes.io), Pod Security,
	// seccomp and AppArmor, the labels by which Services find their pods (app.kubernetes.io), and what is yet to come.
	{"kubernetes.io", "is Kubernetes' own"},
	{"k8s.io", "is Kubernetes' own"},
	{"x-k8s.io", "is Kubernetes' own"},
}

// reservedPrefixes are how keys begin that are no domains read from the right: those of container runtimes, which
// stand for devices of the node and paths of its programs, and hints that agents on every node read.
var reservedPrefixes = []struct{ prefix, whose string }{
	{"io.kubernetes.", "steers the container runtime"},
	{"io.katacontainers.", "steers the container runtime"},
	{"io.containerd.", "steers the container runtime"},
	{"io.cri-o.", "steers the container runtime"},
	{"com.docker.", "steers the container runtime"},
	{"run.oci.", "steers the container runtime"},
	{"org.systemd.property.", "steers the container runtime"},
	{"dev.gvisor.", "steers the container runtime"},
	{"co.elastic.", "steers an agent on every node"},
	{"io.opentelemetry.", "steers an agent on every node"},
	{"dev.inlets.", "opens the service to another network"},
}

// bareKeys have no domain.
var bareKeys = []struct{ key, whose string }{
	// The sidecars of Grafana look for them in all namespaces.
	{"grafana_dashboard", readByDashboards},
	{"grafana_datasource", readByDashboards},
	{"grafana_alert", readByDashboards},
	{"grafana_notifier", readByDashboards},
	{"grafana_plugin", readByDashboards},
	{"aadpodidbinding", "gives rights in a cloud"}, // Azure's pod identities
}

const readByDashboards = "makes dashboards read the object"

// freeKeys are keys of reserved domains that do no harm.
var freeKeys = append([]string{"cluster-autoscaler.kubernetes.io/safe-to-evict"}, poolKeys...)

// poolKeys are the annotations by which a Service names the pool that its load balancer's address is from: MetalLB's,
// and its older spelling. Which pools a tenant may name is a grant of its own. What other load balancers choose pools
// by is reserved.
var poolKeys = []string{"metallb.io/address-pool", "metallb.universe.tf/address-pool"}

// AddressPools returns the address pools that annotations name, by annotation key.
func AddressPools(annotations map[string]string) map[string]string {
	pools := map[string]string{}
	for _, key := range poolKeys {
		if pool := annotations[key]; pool != "" {
			pools[key] = pool
		}
	}
	return pools
}

// ReservedKey returns the effect of a label or annotation that tenants may not write, as in "steers the GitOps
// engine", else nothing. It knows the domains of programs that act on Services, pods and the like, and cannot know
// all such programs.
func ReservedKey(key string) string {
	lower := strings.ToLower(key)
	for _, reserved := range reservedPrefixes {
		if strings.HasPrefix(lower, reserved.prefix) {
			return reserved.whose
		}
	}
	for _, reserved := range bareKeys {
		if lower == reserved.key {
			return reserved.whose
		}
	}
	// CRI-O's have a domain and nothing after it: cpu-quota.crio.io.
	domain, _, found := strings.Cut(lower, "/")
	if !found && !strings.Contains(domain, ".") || slices.Contains(freeKeys, key) {
		return ""
	}
	for _, reserved := range reservedDomains {
		if domain == reserved.domain || strings.HasSuffix(domain, "."+reserved.domain) {
			return reserved.whose
		}
	}
	return ""
}
