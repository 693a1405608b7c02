package validation

import (
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/stretchr/testify/assert"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// TestHarmlessServices: values of a service that are well-formed and would do harm.
func TestHarmlessServices(t *testing.T) {
	resources := func(requests, limits map[corev1.ResourceName]string) *corev1.ResourceRequirements {
		list := func(values map[corev1.ResourceName]string) corev1.ResourceList {
			out := corev1.ResourceList{}
			for name, value := range values {
				out[name] = resource.MustParse(value)
			}
			return out
		}
		return &corev1.ResourceRequirements{Requests: list(requests), Limits: list(limits)}
	}
	type values = map[corev1.ResourceName]string
	lbIP := func(ip string) func(*v1.Service) {
		return func(s *v1.Service) { s.Service = &v1.ServiceExposure{Type: "LoadBalancer", LoadBalancerIP: ip} }
	}
	for _, row := range []struct {
		why  string
		edit func(*v1.Service)
		want string // "" for a value that is fine
	}{
		{"plain resources", func(s *v1.Service) {
			s.Resources = resources(values{"cpu": "100m"},
				values{"memory": "1Gi"})
		}, ""},
		{"a request as large as its limit",
			func(s *v1.Service) { s.Resources = resources(values{"cpu": "1"}, values{"cpu": "1000m"}) }, ""},
		{"a negative request", func(s *v1.Service) { s.Resources = resources(values{"cpu": "-1"}, nil) },
			".resources.requests.cpu: found -1, want 0 to 1k"},
		{"more CPU than a machine has", func(s *v1.Service) { s.Resources = resources(values{"cpu": "1001"}, nil) },
			".resources.requests.cpu: found 1001"},
		{"a fraction of a byte's disk", func(s *v1.Service) { s.Resources = resources(values{"ephemeral-storage": "100E"}, nil) }, ".resources.requests.ephemeral-storage: found 100E"},
		{"a request above its limit", func(s *v1.Service) {
			s.Resources = resources(values{"memory": "2Gi"},
				values{"memory": "1Gi"})
		}, ".resources.requests.memory: found 2Gi, which is more than the limit of 1Gi"},
		{"a GPU", func(s *v1.Service) { s.Resources = resources(nil, values{"nvidia.com/gpu": "1"}) },
			`.resources.limits: found "nvidia.com/gpu", want cpu, memory and ephemeral-storage, and no devices`},
		{"a claim of a device", func(s *v1.Service) {
			s.Resources = &corev1.ResourceRequirements{Claims: []corev1.ResourceClaim{{Name: "gpu"}}}
		}, ".resources.claims: want none"},

		{"an image", func(s *v1.Service) {
			s.Image = "registry.example.org:5000/a/b-c/haproxy:3.2.24-alpine@sha256:" + strings.Repeat("0", 64)
		}, ""},
		{"an image by its short name", func(s *v1.Service) { s.Image = "haproxy" }, ""},
		{"an image of this machine", func(s *v1.Service) { s.Image = "localhost:5000/haproxy" }, ""},
		{"an image of a file", func(s *v1.Service) { s.Image = "file:///etc/passwd" }, ".image: "},
		{"an image by a transport", func(s *v1.Service) { s.Image = "docker-archive:/tmp/x.tar" }, ".image: "},
		{"an image by a URL", func(s *v1.Service) { s.Image = "https://registry.example.org/haproxy" }, ".image: "},
		{"an image with a path upwards", func(s *v1.Service) { s.Image = "registry.example.org/../haproxy" },
			".image: "},
		{"an image with an empty part", func(s *v1.Service) { s.Image = "registry.example.org//haproxy" }, ".image: "},
		{"an image with a port of letters", func(s *v1.Service) { s.Image = "registry:abc/haproxy" }, ".image: "},

		{"an address", lbIP("203.0.113.1"), ""},
		{"the node itself", lbIP("127.0.0.1"),
			".service.loadBalancerIP: found \"127.0.0.1\", want an address that a service can have: it is a loopback address"},
		{"the node itself, IPv4 in IPv6", lbIP("::ffff:127.0.0.1"), ".service.loadBalancerIP"},
		{"IPv4 in IPv6", lbIP("::ffff:203.0.113.1"),
			".service.loadBalancerIP: found \"::ffff:203.0.113.1\", want 203.0.113.1: the IPv4 address as such, not mapped into IPv6"},
		{"a cluster IP that is IPv4 in IPv6", func(s *v1.Service) { ip := "::ffff:10.96.0.7"; s.ClusterIP = &ip },
			".clusterIP: found \"::ffff:10.96.0.7\", want 10.96.0.7: "},
		{"a pod's address that is IPv4 in IPv6", func(s *v1.Service) {
			s.NetworkAttachments = []v1.NetworkAttachment{{Name: "a", IPs: []string{"::ffff:192.0.2.9/120"}}}
		}, ".networkAttachments[0].ips[0]: found \"::ffff:192.0.2.9/120\", want the IPv4 address 192.0.2.9 as such"},
		{"another's, by NAT64", lbIP("64:ff9b::203.0.113.1"), ""},
		{"the cloud's metadata", lbIP("169.254.169.254"), "it is a link-local address"},
		{"the second of two", lbIP("203.0.113.1,ff02::1"), "it is a multicast address"},
		{"a cluster IP of the node", func(s *v1.Service) { ip := "127.0.0.1"; s.ClusterIP = &ip }, ".clusterIP: "},
		{"a pod's address of the node", func(s *v1.Service) {
			s.NetworkAttachments = []v1.NetworkAttachment{{Name: "a", IPs: []string{"127.0.0.1/8"}}}
		}, ".networkAttachments[0].ips[0]: "},
	} {
		t.Run(row.why, func(t *testing.T) {
			c := v1.SIPCluster{}
			c.Namespace, c.Name = "bank", "bank"
			one := int32(1)
			lb := v1.LoadBalancerControlPlane{Service: v1.Service{Replicas: &one}, NodeInterface: "oam"}
			row.edit(&lb.Service)
			c.Spec.Services.LoadBalancerControlPlane = []v1.LoadBalancerControlPlane{lb}
			var found []string
			for _, e := range ValidateCluster(&c) {
				found = append(found, e.Error())
			}
			all := strings.Join(found, "\n")
			if row.want == "" && all != "" || !strings.Contains(all, row.want) {
				t.Errorf("found %q, want %q", all, row.want)
			}
		})
	}
}

// TestReservedKeys: keys that some program acts on with more rights than a tenant has.
func TestReservedKeys(t *testing.T) {
	for _, key := range []string{
		"io.kubernetes.cri-o.Devices", "io.kubernetes.cri-o.userns-mode", "io.katacontainers.config.hypervisor.path",
		"io.containerd.runc.v2.group",
		"tailscale.com/expose", "io.cilium/lb-ipam-ips", "io.cilium.ipam/ip-pool",
		"reflector.v1.k8s.emberstack.com/reflection-allowed",
		"replicator.v1.mittwald.de/replicate-from", "kubed.appscode.com/sync",
		"instrumentation.opentelemetry.io/inject-java",
		"config.linkerd.io/skip-outbound-ports", "kuma.io/sidecar-injection", "consul.hashicorp.com/connect-inject",
		"dapr.io/enabled",
		"vault.security.banzaicloud.io/vault-addr", "openservicemesh.io/sidecar-injection", "TAILSCALE.com/expose",
		// Load balancers: each of these asks for an address, or for a place to have one from.
		"purelb.io/addresses", "purelb.io/service-group", "kube-vip.io/loadbalancerIPs", "kube-vip.io/vipHost",
		"eip.openelb.io/v1alpha2", "lb.kubesphere.io/v1alpha1",
		"metallb.universe.tf/loadBalancerIPs", "metallb.io/loadBalancerIPs", "lbipam.cilium.io/ips",
		"lbipam.cilium.io/sharing-key", "loxilb.io/staticIP",
		"cloudprovider.harvesterhci.io/ipam", "load-balancer.hetzner.cloud/ipv4-rdns",
		"loadbalancer.openstack.org/load-balancer-id",
		"oci.oraclecloud.com/load-balancer-type", "yawol.stackit.cloud/existingFloatingIP",
		"kubernetes.civo.com/ipv4-address", "networking.gke.io/load-balancer-ip-addresses",
		"cis.f5.com/ip", "virtual-server.f5.com/ip", "service.citrix.com/frontend-ip",
		"ako.vmware.com/load-balancer-ip", "ncp/nsx-ip",
		"keepalived-operator.redhat-cop.io/verbatimconfig", "kube-router.io/service.advertise.externalip",
		"svccontroller.k3s.cattle.io/lbpool",
		"service.beta.kubernetes.io/aws-load-balancer-eip-allocations", "k8s.ngrok.com/domain", "skupper.io/proxy",
		"getambassador.io/config",
		"notifications.argoproj.io/subscribe", "kustomize.toolkit.fluxcd.io/force", "helm.sh/hook",
		"config.kubernetes.io/local-config",
		"kubectl.kubernetes.io/last-applied-configuration", "sip.airshipit.org/address",
		"external-dns.alpha.kubernetes.io/hostname",
		// What else gives addresses, DNS names, rights or Secrets, copies, deletes, or opens.
		"kubernetes.digitalocean.com/load-balancer-id", "loadbalancer.ovhcloud.com/flavor", "k8s.scaleway.com/ip",
		"node.k8s.linode.com/private-ip", "metal.equinix.com/network-ip",
		"service.cloud.ibm.com/load-balancer-features", "cloud.ibm.com/ip",
		"service.cloud.tencent.com/specify-protocol", "k8s.aliyun.com/eci-with-eip",
		"k8s.alibabacloud.com/eip", "elb.huawei.com/ip", "yandex.cloud/load-balancer",
		"k8s.cloudscale.ch/loadbalancer-uuid", "network.deckhouse.io/load-balancer-ips",
		"service.k8s.aws/nlb", "controller.autoneg.dev/neg", "anthos.cft.dev/autoneg", "dns.gardener.cloud/dnsnames",
		"cert.gardener.cloud/commonname", "k8gb.io/dns-ttl-seconds",
		"haproxy.org/backend-config-snippet", "haproxy-ingress.github.io/config-backend", "konghq.com/plugins",
		"projectcontour.io/max-connections",
		"contour.heptio.com/tls", "traefik.io/x", "traefik.containo.us/x", "nginx.org/server-snippets",
		"appprotect.f5.nginx.com/x", "gateway.solo.io/upstream_config",
		"lighthouse.submariner.io/x", "netbird.io/expose", "operator.inlets.dev/manage", "dev.inlets.manage",
		"cloudflare-operator.io/content", "cfargotunnel.com/x",
		"dev.okteto.com/auto-ingress", "fabric8.io/expose", "xposer.stakater.com/annotations",
		"v1.kubernetes-replicator.olli.com/replicate-from", "synator/sync",
		"clustersecret.io/x", "capsule.clastix.io/x", "projectcapsule.dev/x", "secretgen.carvel.dev/x",
		"kapp.k14s.io/delete-strategy", "vcluster.loft.sh/force-sync",
		"propagate.hnc.x-k8s.io/select", "policy.karmada.io/x", "kubefed.io/managed", "open-cluster-management.io/x",
		"cleaner.projectsveltos.io/x", "liqo.io/x",
		"cleanup.kyverno.io/ttl", "admission.gatekeeper.sh/ignore", "admission.stackrox.io/break-glass", "janitor/ttl",
		"downscaler/original-replicas",
		"hpa.autoscaling.banzaicloud.io/maxReplicas", "goldilocks.fairwinds.com/enabled",
		"oneagent.dynatrace.com/inject", "instrumentation.newrelic.com/x", "instana.io/x",
		"odigos.io/x", "pre.hook.backup.velero.io/command", "k10.kasten.io/x", "k8up.io/backupcommand",
		"kubestash.com/x", "vault.security.bank-vaults.io/vault-addr",
		"secrets.hashicorp.com/x", "conjur.org/inject-type", "akeyless/enabled", "akv2k8s.io/x", "spv.no/x",
		"external-secrets.io/x", "sealedsecrets.bitnami.com/managed",
		"aadpodidbinding", "kubernetes.azure.com/tls-cert-keyvault-uri",
		"credentials-operator.otterize.com/create-aws-role", "spiffe.io/spire-managed-identity",
		"service.beta.openshift.io/serving-cert-secret-name", "image.openshift.io/triggers", "ipam.spidernet.io/ippool",
		"networkservicemesh.io/x", "isovalent.com/x",
		"fluentbit.io/parser", "collectord.io/x", "splunk.com/x", "co.elastic.logs/raw",
		"io.opentelemetry.discovery.logs/config", "cpu-quota.crio.io",
		"flux.weave.works/automated", "irq-load-balancing.crio.io/x", "run.oci.keep_original_groups",
		"org.systemd.property.DefaultDependencies", "dev.gvisor.spec.mount.a.type",
		"operator.1password.io/item-path", "coredns.io/hostname", "grafana_dashboard", "GRAFANA_datasource",
	} {
		assert.Truef(t, ReservedKey(key) != "", "%s is nobody's, want it to be reserved", key)
	}
	for _, key := range []string{"team", "example.org/team", "prometheus.io/scrape", "notailscale.com/x",
		"io.example/x",
		// Own keys, and Reloader, which rolls the very pods when their ConfigMap or Secret changes, and gives nothing.
		"janitor", "downscaler", "bank.example.org/janitor", "expose", "backup", "owner", "reloader.stakater.com/auto",
		"myjanitor/ttl", "example.com/cost-center"} {
		assert.Empty(t, ReservedKey(key), key)
	}
}
