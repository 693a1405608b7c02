package v1

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// Providers of load balancer addresses.
const (
	ProviderMetalLB = "metallb"
	ProviderKubeVIP = "kube-vip"
)

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

// AddressProvider returns the provider of LoadBalancerIP.
func (e *ServiceExposure) AddressProvider() string {
	switch {
	case e.Provider != "":
		return e.Provider
	case strings.HasPrefix(e.LoadBalancerClass, "kube-vip.io/"):
		return ProviderKubeVIP
	default:
		return ProviderMetalLB
	}
}

// Addresses returns the addresses of LoadBalancerIP: one, or one of each family.
func (e *ServiceExposure) Addresses() []string {
	if e.LoadBalancerIP == "" {
		return nil
	}
	return strings.Split(e.LoadBalancerIP, ",")
}
