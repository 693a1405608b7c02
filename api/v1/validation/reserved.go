package validation

import (
	"slices"
	"strings"
)

// reservedDomains are, by what they do, the domains of labels and annotations that programs with more rights than the
// tenant's read: whoever writes such a key, or one of a domain below, on an object of the overlay steers that program,
// or takes an address that nobody checked.
var reservedDomains = byDomain(map[string]string{
	"steers the GitOps engine":                        "argoproj.io fluxcd.io weave.works",
	"steers helm and the engines that read its hooks": "helm.sh",
	"steers kustomize":                                "config.kubernetes.io kustomize.config.k8s.io",
	"is kubectl's":                                    "kubectl.kubernetes.io",
	"is sipgen's":                                     "sip.airshipit.org sipgen.airshipit.org",
	"is metal3's":                                     "metal3.io",
	"is Cluster API's":                                "cluster.x-k8s.io",
	// Load balancers, on the own ground and of clouds: kubesphere.io is of OpenELB when it was Porter, ncp of NSX.
	"asks for an address": `
		alibabacloud.com aliyun.com autoneg.dev cft.dev citrix.com civo.com cloud.ibm.com cloudscale.ch
		deckhouse.io digitalocean.com equinix.com f5.com gke.io harvesterhci.io hetzner.cloud huawei.com
		io.cilium k8s.aws kube-vip.io kubesphere.io lb.cilium.io lbipam.cilium.io linode.com loxilb.io
		metallb.io metallb.universe.tf ncp openelb.io openstack.org oraclecloud.com ovhcloud.com purelb.io
		redhat-cop.io scaleway.com stackit.cloud tencent.com vmware.com yandex.cloud`,
	"steers the network": `
		antrea.io cattle.io cilium.io io.cilium.ipam isovalent.com k8s.ovn.org kube-ovn.io kube-router.io
		networkservicemesh.io ovn.kubernetes.io projectcalico.org spidernet.io`,
	"opens the service to another network": `
		cfargotunnel.com cloudflare-operator.io fabric8.io inlets.dev netbird.io ngrok.com okteto.com
		skupper.io submariner.io tailscale.com xposer.stakater.com`,
	"steers a proxy": `
		containo.us getambassador.io haproxy-ingress.github.io haproxy.org heptio.com konghq.com nginx.com
		nginx.org projectcontour.io solo.io traefik.io`,
	"changes the pods": `
		banzaicloud.io consul.hashicorp.com dapr.io downscaler dynatrace.com fairwinds.com instana.io istio.io
		jaegertracing.io keel.sh kuma.io linkerd.io newrelic.com odigos.io openservicemesh.io opentelemetry.io`,
	"steers an agent on every node": "collectord.io datadoghq.com fluentbit.io splunk.com",
	"copies objects to other namespaces": `
		appscode.com carvel.dev clastix.io clustersecret.io emberstack.com k14s.io loft.sh mittwald.de olli.com
		projectcapsule.dev synator`,
	"mounts Secrets": `
		akeyless akv2k8s.io bank-vaults.io conjur.org hashicorp.com secrets-store.csi.x-k8s.io
		security.banzaicloud.io spv.no vault.hashicorp.com`,
	"copies Secrets from a vault": "1password.com 1password.io bitnami.com external-secrets.io",
	"writes DNS records": `
		coredns.io external-dns.alpha.kubernetes.io gardener.cloud k8gb.io`,
	"attaches networks, which networkAttachments does": "k8s.v1.cni.cncf.io v1.multus-cni.io",
	"asks for certificates":                            "cert-manager.io",
	"gives rights in a cloud": `
		amazonaws.com azure.com azure.workload.identity cloud.google.com iam.gke.io otterize.com`,
	"copies objects to other clusters": `
		karmada.io kubefed.io liqo.io open-cluster-management.io projectsveltos.io`,
	"lets a policy create, change or delete objects": "gatekeeper.sh kyverno.io stackrox.io",
	"gets the object deleted":                        "janitor",
	"runs commands in pods, for backups":             "k8up.io kasten.io kubestash.com velero.io",
	"gives an identity":                              "spiffe.io",
	"is OpenShift's: certificates, images and more":  "openshift.io",
	"steers the container runtime":                   "crio.io",
	// What is left of Kubernetes' own domains: load balancers of clouds (service.beta.kubernetes.io), Pod Security,
	// seccomp and AppArmor, the labels by which Services find their pods (app.kubernetes.io), and what is yet to come.
	"is Kubernetes' own": "k8s.io kubernetes.io x-k8s.io",
})

// byDomain returns what the keys of each domain do.
func byDomain(domains map[string]string) map[string]string {
	out := map[string]string{}
	for effect, names := range domains {
		for _, domain := range strings.Fields(names) {
			out[domain] = effect
		}
	}
	return out
}

// reservedPrefixes are how keys begin that are no domains read from the right: those of container runtimes, which
// stand for devices of the node and paths of its programs, and hints that agents on every node read.
var reservedPrefixes = byDomain(map[string]string{
	"steers the container runtime": `io.kubernetes. io.katacontainers. io.containerd. io.cri-o. com.docker. run.oci.
		org.systemd.property. dev.gvisor.`,
	"steers an agent on every node":        "co.elastic. io.opentelemetry.",
	"opens the service to another network": "dev.inlets.",
})

// bareKeys have no domain: those that the sidecars of Grafana look for in all namespaces, and that of Azure's pod
// identities.
var bareKeys = byDomain(map[string]string{
	"makes dashboards read the object": `
		grafana_alert grafana_dashboard grafana_datasource grafana_notifier grafana_plugin`,
	"gives rights in a cloud": "aadpodidbinding",
})

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
	for prefix, effect := range reservedPrefixes { // no prefix begins another
		if strings.HasPrefix(lower, prefix) {
			return effect
		}
	}
	if effect := bareKeys[lower]; effect != "" {
		return effect
	}
	// CRI-O's have a domain and nothing after it: cpu-quota.crio.io.
	domain, _, found := strings.Cut(lower, "/")
	if !found && !strings.Contains(domain, ".") || slices.Contains(freeKeys, key) {
		return ""
	}
	for more := true; more; _, domain, more = strings.Cut(domain, ".") {
		if effect := reservedDomains[domain]; effect != "" {
			return effect
		}
	}
	return ""
}
