package v1

import (
	"net/netip"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// Providers of load balancer addresses.
const (
	ProviderMetalLB = "metallb"
	ProviderKubeVIP = "kube-vip"
	ProviderCilium  = "cilium"
)

// ciliumClasses are the classes of Cilium's load balancers, which take their addresses from its LB IPAM.
var ciliumClasses = []string{"io.cilium/bgp-control-plane", "io.cilium/l2-announcer"}

// ExposureType returns the type of the entry's Service: the requested one, else NodePort if the entry has a node
// port, else ClusterIP.
func (s *Service) ExposureType(nodePort int32) corev1.ServiceType {
	switch {
	case s.Service != nil && s.Service.Type != "":
		return s.Service.Type
	case nodePort != 0:
		return corev1.ServiceTypeNodePort
	default:
		return corev1.ServiceTypeClusterIP
	}
}

// AddressProvider returns the provider of LoadBalancerIP, "" if it is not known by the class.
func (e *ServiceExposure) AddressProvider() string {
	switch {
	case e.Provider != "":
		return e.Provider
	case strings.HasPrefix(e.LoadBalancerClass, "kube-vip.io/"):
		return ProviderKubeVIP
	case slices.Contains(ciliumClasses, e.LoadBalancerClass):
		return ProviderCilium
	case e.LoadBalancerClass == "":
		return ProviderMetalLB
	default:
		return ""
	}
}

// Addresses returns the addresses of LoadBalancerIP: one, or one of each family.
func (e *ServiceExposure) Addresses() []string {
	if e.LoadBalancerIP == "" {
		return nil
	}
	return strings.Split(e.LoadBalancerIP, ",")
}

// AddressesFamily returns the family of LoadBalancerIP, "" if it has none or both.
func (e *ServiceExposure) AddressesFamily() AddressFamily {
	var family AddressFamily
	for _, address := range e.Addresses() {
		own := FamilyOf(address)
		if family != "" && own != family {
			return ""
		}
		family = own
	}
	return family
}

// FamilyOf returns the family of an address, "" if it is none.
func FamilyOf(address string) AddressFamily {
	ip, err := netip.ParseAddr(address)
	switch {
	case err != nil:
		return ""
	case ip.Unmap().Is4():
		return IPv4
	default:
		return IPv6
	}
}
