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

// networkPolicy closes a service's pods to all but its own ports: those that it is there for are open to everybody, its figures and its health to
// anyone who the site lets read them. Only to pods that sipgen rendered: those that a takeover from SIP replaces have the Service's labels too, and
// listen on other ports for as long as they are there.
//
// It says nothing of what the pods may reach. A jump host and a Dex are there to reach what the site cannot name, and a load balancer's old
// pods finish their connections to hosts that are no longer backends.
func (o *overlay) networkPolicy(s service, public portRange, metrics int32) *networkingv1.NetworkPolicy {
	ingress := []networkingv1.NetworkPolicyIngressRule{{Ports: []networkingv1.NetworkPolicyPort{policyPort(public)}}}
	//guard: a site that lets nobody read figures lets everybody, since a rule without peers is for all
	if from := metricsPeers(o.Site); metrics != 0 && len(from) > 0 {
		ingress = append(ingress, networkingv1.NetworkPolicyIngressRule{
			Ports: []networkingv1.NetworkPolicyPort{policyPort(portRange{metrics, metrics})}, From: from,
		})
	}
	return &networkingv1.NetworkPolicy{
		TypeMeta:   metav1.TypeMeta{APIVersion: "networking.k8s.io/v1", Kind: "NetworkPolicy"},
		ObjectMeta: o.bare(s),
		Spec: networkingv1.NetworkPolicySpec{
			//guard: the jump host of the SIP operator is cut off before the one that replaces it is ready
			PodSelector: metav1.LabelSelector{MatchLabels: map[string]string{instanceLabel: s.name, managedByLabel: "sipgen"}},
			PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeIngress},
			Ingress:     ingress,
		},
	}
}

// metricsPeers returns the namespaces that may read the services' figures: those that the site names, all where it
// says nothing, and none where its list is empty. An empty list of peers in a rule would be everybody, pods or not.
func metricsPeers(site *v1alpha1.Site) []networkingv1.NetworkPolicyPeer {
	if site.Spec.Metrics == nil {
		return []networkingv1.NetworkPolicyPeer{{NamespaceSelector: &metav1.LabelSelector{}}}
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
