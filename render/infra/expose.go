package infra

import (
	"cmp"
	"maps"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/airshipit/sipgen/api/v1"
)

// Annotations by which a load balancer's address is asked for.
const (
	metalLBAddresses = "metallb.io/loadBalancerIPs"
	metalLBSharing   = "metallb.io/allow-shared-ip"
	kubeVIPAddresses = "kube-vip.io/loadbalancerIPs"
	ciliumAddresses  = "lbipam.cilium.io/ips"
	ciliumSharing    = "lbipam.cilium.io/sharing-key"
)

// addressNotes are the annotations of each provider: for an address, and for the key by which Services share it.
var addressNotes = map[string][2]string{
	v1.ProviderMetalLB: {metalLBAddresses, metalLBSharing},
	v1.ProviderKubeVIP: {kubeVIPAddresses, ""}, // it shares by the address alone
	v1.ProviderCilium:  {ciliumAddresses, ciliumSharing},
}

// expose renders the Service. Node ports are kept where the type has them.
func (o *overlay) expose(s service, spec *v1.Service, ports []corev1.ServicePort) *corev1.Service {
	exposure := v1.ServiceExposure{}
	if spec.Service != nil {
		exposure = *spec.Service
	}
	kind := spec.ExposureType(ports[0].NodePort)
	out := &corev1.Service{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Service"},
		ObjectMeta: o.meta(s),
		Spec: corev1.ServiceSpec{
			Type:     kind,
			Selector: s.selector(),
			// HAProxy binds both families, so the Service has both where the cluster does.
			IPFamilyPolicy: ptr(corev1.IPFamilyPolicyPreferDualStack),
			Ports:          ports,
		},
	}
	// MetalLB gives a Service of two families no address, if one is asked for.
	if family := cmp.Or(string(exposure.AddressesFamily()), o.Site.Spec.Defaults.IPFamily); family != "" {
		out.Spec.IPFamilyPolicy = ptr(corev1.IPFamilyPolicySingleStack)
		out.Spec.IPFamilies = []corev1.IPFamily{corev1.IPFamily(family)}
	}
	if spec.ClusterIP != nil {
		out.Spec.ClusterIP = *spec.ClusterIP
	}
	annotations := map[string]string{}
	switch kind {
	case corev1.ServiceTypeClusterIP:
		for i := range ports {
			ports[i].NodePort = 0
		}
	case corev1.ServiceTypeLoadBalancer:
		if exposure.LoadBalancerClass != "" {
			out.Spec.LoadBalancerClass = &exposure.LoadBalancerClass
		}
		if ports[0].NodePort == 0 {
			out.Spec.AllocateLoadBalancerNodePorts = ptr(false)
		}
		notes := addressNotes[exposure.AddressProvider()]
		if exposure.LoadBalancerIP != "" {
			annotations[notes[0]] = exposure.LoadBalancerIP
		}
		if exposure.SharingKey != "" && notes[1] != "" {
			annotations[notes[1]] = exposure.SharingKey
		}
	}
	// The spec's own annotations last: they may override these.
	maps.Copy(annotations, exposure.Annotations)
	if len(annotations) > 0 {
		out.Annotations = annotations
	}
	return out
}
