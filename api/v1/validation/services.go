package validation

import (
	"cmp"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	v1 "github.com/airshipit/sipgen/api/v1"
	definition "github.com/airshipit/sipgen/internal/fields"
	"github.com/airshipit/sipgen/internal/redact"
	"github.com/airshipit/sipgen/inventory"
)

// validateServices reports what is wrong with the services of the cluster by themselves.
func validateServices(c *v1.SIPCluster) []FieldError {
	var errs []FieldError
	root := complaints{"spec.services", &errs}
	services := &c.Spec.Services
	for i := range services.LoadBalancerControlPlane {
		lb := &services.LoadBalancerControlPlane[i]
		at := root.at(".%s[%d]", v1.ListControlPlane, i)
		checkServiceName(c, at, v1.ListControlPlane, i)
		validateService(&lb.Service, at, v1.DefaultReplicas(v1.ListControlPlane))
		validateNetworkID(at, lb.NodeInterface)
		checkHeadless(&lb.Service, at, lb.NodePort)
		if check := lb.HealthCheck; check != nil {
			validateBackendCA(check.CA, at.at(".healthCheck.ca"))
		}
		validateHAProxy(lb.HAProxy, at.at(".haproxy"))
	}
	for i := range services.LoadBalancerWorker {
		lb := &services.LoadBalancerWorker[i]
		at := root.at(".%s[%d]", v1.ListWorker, i)
		checkServiceName(c, at, v1.ListWorker, i)
		validateService(&lb.Service, at, v1.DefaultReplicas(v1.ListWorker))
		validateNetworkID(at, lb.NodeInterface)
		ports := lb.NodePortRange
		checkHeadless(&lb.Service, at, ports.Start)
		switch {
		case !isPort(ports.Start) || !isPort(ports.End): // the definition says so
		case ports.Start > ports.End:
			at.at(".nodePortRange").add("found %d to %d, want the first port first", ports.Start, ports.End)
		case ports.Len() > MaxServicePorts:
			at.at(".nodePortRange").add("found %d ports, want at most %d: one Service lists them all", ports.Len(),
				MaxServicePorts)
		case ports.Start <= 8404 && 8404 <= ports.End:
			at.at(".nodePortRange").add("found %d to %d, want a range without 8404, the port of the load "+
				"balancer's own status", ports.Start, ports.End)
		}
		if lb.CheckEachPort {
			if lb.CheckPort != 0 {
				at.at(".checkPort").add("not together with checkEachPort, which looks at each port by itself")
			}
		}
		if n := ports.Len(); n > MaxCheckedPorts && (lb.CheckEachPort || lb.HAProxy.ProxyAccepted()) {
			at.at(".nodePortRange").add("found %d ports, want at most %d with checkEachPort or "+
				"haproxy.acceptProxyProtocol: each is checked on each worker every few seconds", n, MaxCheckedPorts)
		}
		validateHAProxy(lb.HAProxy, at.at(".haproxy"))
	}
	all := 0
	for i := range services.LoadBalancerWorker {
		all += services.LoadBalancerWorker[i].NodePortRange.Len()
	}
	if all > MaxPorts {
		root.at("."+v1.ListWorker).add("found %d ports in all, want at most %d", all, MaxPorts)
	}
	validateJumpHosts(c, root)
	validateDexes(c, root)
	return errs
}

// The most ports that one load balancer passes on, and that all those of a cluster do: each is written, read and
// compared at every run. MaxCheckedPorts is the most with a check for each.
const (
	MaxServicePorts = 1000
	MaxCheckedPorts = 256
	MaxPorts        = 4096
)

// checkServiceName complains about a cluster whose name is too long for the entry's Service (63 characters, a DNS
// label).
func checkServiceName(c *v1.SIPCluster, at complaints, list string, i int) {
	if name := v1.ServiceName(list, i, c.Name); len(name) > validation.DNS1035LabelMaxLength {
		at.add("the name %q has %d characters, want at most %d: shorten the cluster's name to %d", name, len(name),
			validation.DNS1035LabelMaxLength, len(c.Name)-(len(name)-validation.DNS1035LabelMaxLength))
	}
}

// isPort reports whether a number is a port.
func isPort(port int32) bool { return port > 0 && port <= 65535 }

// IsNetworkID reports whether an id is valid for a network.
func IsNetworkID(id string) bool {
	return id != "" && definition.Fits("spec.services.jumpHost.nodeInterfaceId", id)
}

// validateNetworkID complains about an id that is missing.
func validateNetworkID(at complaints, id string) {
	if id == "" {
		at.at(".nodeInterfaceId").add("missing: the id of the network on which the hosts are reached")
	}
}

// validateService reports what is wrong with the fields that all services have. replicas is the default.
func validateService(s *v1.Service, at complaints, replicas int32) {
	for _, key := range slices.Sorted(maps.Keys(s.NodeLabels)) {
		for _, message := range append(validation.IsQualifiedName(key),
			validation.IsValidLabelValue(s.NodeLabels[key])...) {
			at.at(".nodeLabels[%q]", key).add("%s", message)
		}
	}
	if s.ClusterIP != nil && *s.ClusterIP != "" && *s.ClusterIP != corev1.ClusterIPNone {
		checkAddress(at.at(".clusterIP"), *s.ClusterIP)
		if s.Service != nil {
			own, wanted := v1.FamilyOf(*s.ClusterIP), s.Service.AddressesFamily()
			if own != "" && wanted != "" && own != wanted {
				at.at(".clusterIP").add("found %q, want an %s address, the family of service.loadBalancerIP %s",
					*s.ClusterIP, wanted, s.Service.LoadBalancerIP)
			}
		}
	}
	if s.Replicas != nil {
		replicas = *s.Replicas
	}
	if s.Service != nil {
		validateExposure(s.Service, at.at(".service"))
	}
	if s.Resources != nil {
		for _, e := range CheckResources(s.Resources) {
			complaints{at.path + ".resources" + e.Path, at.errs}.add("%s", e.Message)
		}
	}
	for i, n := range s.NetworkAttachments {
		validateAttachment(&n, at.at(".networkAttachments[%d]", i), replicas)
	}
	checkInterfaces(s.NetworkAttachments, at)
	validateOptions(s, at)
}

// checkHeadless complains about a Service without an address of its own that is to be reached by one, or by ports of
// nodes: the API server refuses it.
func checkHeadless(s *v1.Service, at complaints, nodePort int32) {
	kind := s.ExposureType(nodePort)
	if s.ClusterIP != nil && *s.ClusterIP == corev1.ClusterIPNone && (kind == corev1.ServiceTypeNodePort ||
		kind == corev1.ServiceTypeLoadBalancer) {
		at.at(".clusterIP").add("found None, which no Service of type %s can have: the API server refuses it", kind)
	}
}

func validateExposure(e *v1.ServiceExposure, at complaints) {
	validateAnnotationKeys(e, at.at(".annotations"))
	for _, field := range []struct{ name, value string }{
		{"loadBalancerIP", e.LoadBalancerIP}, {"loadBalancerClass", e.LoadBalancerClass}, {"provider", e.Provider},
		{"sharingKey", e.SharingKey},
	} {
		if field.value != "" && e.Type != corev1.ServiceTypeLoadBalancer {
			at.at(".%s", field.name).add("has no meaning without type: LoadBalancer")
		}
	}
	if e.LoadBalancerClass != "" {
		at.at(".loadBalancerClass").check(e.LoadBalancerClass, validation.IsQualifiedName)
	}
	if e.LoadBalancerIP != "" && e.AddressProvider() == "" {
		at.at(".provider").add("missing: loadBalancerClass %s does not determine the program that gives the "+
			"address: want metallb, kube-vip or "+
			"cilium; with another one, leave out loadBalancerIP", redact.Value(e.LoadBalancerClass))
	}
	if e.SharingKey != "" && e.LoadBalancerIP == "" {
		at.at(".sharingKey").add("needs loadBalancerIP, the address that is shared")
	}
	ofFamily := map[v1.AddressFamily]string{}
	for _, ip := range e.Addresses() {
		checkAddress(at.at(".loadBalancerIP"), ip)
		family := v1.FamilyOf(ip)
		if other := ofFamily[family]; other != "" && family != "" {
			at.at(".loadBalancerIP").add("found %s and %s, want one address, or one of each family", other, ip)
		}
		ofFamily[family] = ip
	}
}

func checkAddress(at complaints, value string) {
	ip, err := netip.ParseAddr(value)
	if err != nil || ip.Zone() != "" || ip.IsUnspecified() {
		at.add("found %q, want an IP address", value)
		return
	}
	if ip.Is4In6() {
		at.add("found %q, want %s: the IPv4 address as such, not mapped into IPv6", value, ip.Unmap())
		return
	}
	if found := inventory.NoHostAddress(ip); found != "" {
		at.add("found %q, want an address that a service can have: it is %s", value, found)
	}
}

// validateAnnotationKeys complains about annotations that set what fields set: only the fields are compared with those
// of other clusters.
func validateAnnotationKeys(e *v1.ServiceExposure, at complaints) {
	// How an older MetalLB spells what the fields ask for.
	same := map[string]string{"metallb.universe.tf/loadBalancerIPs": e.LoadBalancerIP,
		"metallb.universe.tf/allow-shared-ip": e.SharingKey}
	for _, key := range slices.Sorted(maps.Keys(e.Annotations)) {
		for _, message := range validation.IsQualifiedName(strings.ToLower(key)) {
			at.at("[%q]", key).add("%s", message)
		}
		if value := same[key]; value != "" && value == e.Annotations[key] {
			continue
		}
		if whose := ReservedKey(key); whose != "" {
			at.at("[%q]", key).add("%s: such annotations are not for a tenant to set", whose)
		}
	}
}

// podInterfaces is the interfaces of every pod: the kernel's and the cluster's.
var podInterfaces = []string{"eth0", "lo"}

// minPrefixBits returns the shortest prefix of a network on one wire: with a shorter one, pods would look for remote
// addresses there.
func minPrefixBits(ip netip.Addr) int {
	if ip.Is4() {
		return 8
	}
	return 32
}

// checkInterfaces complains about two networks with one interface: no pod with them would start. Without a name of its
// own, Multus calls the interface of the first network net1.
func checkInterfaces(networks []v1.NetworkAttachment, at complaints) {
	first := map[string]int{}
	for i, n := range networks {
		name := cmp.Or(n.Interface, fmt.Sprintf("net%d", i+1))
		if other, taken := first[name]; taken {
			at.at(".networkAttachments[%d].interface", i).add("%s is the interface of networkAttachments[%d] too, want "+
				"another name", name, other)
			continue
		}
		first[name] = i
	}
}

func validateAttachment(n *v1.NetworkAttachment, at complaints, replicas int32) {
	for _, field := range []struct{ name, value string }{{"name", n.Name}, {"namespace", n.Namespace}} {
		if field.value == "" && field.name == "namespace" {
			continue
		}
		at.at(".%s", field.name).check(field.value, validation.IsDNS1123Subdomain)
	}
	if slices.Contains(podInterfaces, n.Interface) {
		at.at(".interface").add("found %q, which every pod already has; want another name, or leave it out and "+
			"Multus chooses", n.Interface)
	}
	for i, ip := range n.IPs {
		if prefix, err := netip.ParsePrefix(ip); err != nil || prefix.Addr().Zone() != "" {
			at.at(".ips[%d]", i).add("found %q, want an address in CIDR notation", ip)
		} else if prefix.Addr().Is4In6() {
			at.at(".ips[%d]", i).add("found %q, want the IPv4 address %s as such, with the prefix of its network",
				ip, prefix.Addr().Unmap())
		} else if found := inventory.NoHostAddress(prefix.Addr()); found != "" {
			at.at(".ips[%d]", i).add("found %q, want an address that a pod can have: it is %s", ip, found)
		} else if least := minPrefixBits(prefix.Addr()); prefix.Bits() < least {
			at.at(".ips[%d]", i).add("found %q, want the prefix of its own network, at least /%d: with /%d, the "+
				"pod would look there for addresses that are elsewhere, and not reach them", ip, least, prefix.Bits())
		}
	}
	if len(n.IPs) > 0 && replicas > 1 {
		at.at(".ips").add("%d replicas would get the same address, want replicas: 1", replicas)
	}
}
