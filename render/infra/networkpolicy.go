package infra

import (
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/airshipit/sipgen/api/v1alpha1"
)

// portRange is a range of TCP ports of a pod, both ends in it.
type portRange struct{ first, last int32 }

// networkPolicy closes a service's pods except for its own ports: the service's are open to all, its metrics and
// health to the namespaces that the site allows. It selects only pods that sipgen rendered: those that a takeover
// from SIP replaces also have the Service's labels, and listen on other ports until they are gone.
//
// It does not limit what the pods may reach. A jump host and a Dex reach targets that the site cannot list, and a
// load balancer's old pods finish their connections to former backends.
func (o *overlay) networkPolicy(s service, public portRange, metrics int32) *networkingv1.NetworkPolicy {
	ingress := []networkingv1.NetworkPolicyIngressRule{{Ports: []networkingv1.NetworkPolicyPort{policyPort(public)}}}
	if from := metricsPeers(o.Site); metrics != 0 && len(from) > 0 {
		ingress = append(ingress, networkingv1.NetworkPolicyIngressRule{
			Ports: []networkingv1.NetworkPolicyPort{policyPort(portRange{metrics, metrics})}, From: from,
		})
	}
	return &networkingv1.NetworkPolicy{
		TypeMeta:   metav1.TypeMeta{APIVersion: "networking.k8s.io/v1", Kind: "NetworkPolicy"},
		ObjectMeta: o.rules(s),
		Spec: networkingv1.NetworkPolicySpec{
			PodSelector: metav1.LabelSelector{MatchLabels: map[string]string{instanceLabel: s.name, managedByLabel: "sipgen"}},
			PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeIngress},
			Ingress:     ingress,
		},
	}
}

// metricsPeers returns the namespaces that may read the services' metrics: those that the site lists. Addresses of
// hosts and the traffic of other tenants are to be read there. The kubelet's probes come from the pod's node, which a
// NetworkPolicy always lets in. In a rule, an empty list of peers would allow everything, pods or not.
func metricsPeers(site *v1alpha1.Site) []networkingv1.NetworkPolicyPeer {
	if site.Spec.Metrics == nil {
		return nil
	}
	var peers []networkingv1.NetworkPolicyPeer
	for _, namespace := range site.Spec.Metrics.Namespaces {
		peers = append(peers, networkingv1.NetworkPolicyPeer{
			NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelMetadataName: namespace}},
		})
	}
	return peers
}

func policyPort(ports portRange) networkingv1.NetworkPolicyPort {
	first := intstr.FromInt32(ports.first)
	port := networkingv1.NetworkPolicyPort{Protocol: ptr(corev1.ProtocolTCP), Port: &first}
	if ports.last > ports.first {
		port.EndPort = &ports.last
	}
	return port
}
