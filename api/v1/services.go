package v1

import corev1 "k8s.io/api/core/v1"

// Services are the infrastructure services of a tenant cluster. Each is a list; the first
// entry keeps the name that the SIP operator gave the service.
type Services struct {
	// LoadBalancerControlPlane balances the cluster's API servers (TCP 6443).
	// +optional
	LoadBalancerControlPlane []LoadBalancerControlPlane `json:"loadBalancerControlPlane,omitempty"`
	// LoadBalancerWorker balances a range of node ports over the workers.
	// +optional
	LoadBalancerWorker []LoadBalancerWorker `json:"loadBalancerWorker,omitempty"`
	// JumpHost is an SSH jump pod in front of the cluster's hosts.
	// +optional
	JumpHost []JumpHost `json:"jumpHost,omitempty"`
	// Auth was declared and never built by the SIP operator. It is accepted with a warning;
	// use dex.
	// +optional
	Auth []Auth `json:"auth,omitempty"`
	// Dex is an OIDC provider for the cluster's API server.
	// +optional
	Dex []Dex `json:"dex,omitempty"`
}

// Service is what all services have in common.
type Service struct {
	// Image is the container image. Default: the site's image for the service.
	// +optional
	Image string `json:"image,omitempty"`
	// NodeLabels select the management cluster's nodes that run the service.
	// +optional
	NodeLabels map[string]string `json:"nodeLabels,omitempty"`
	// NodeInterface is the id of the network, as in the hosts' network data, on which the service
	// reaches the hosts.
	// +optional
	NodeInterface string `json:"nodeInterfaceId,omitempty"`
	// AddressFamily is which address of a dual-stack host is used. Default IPv4. A host with only one
	// address is reached at that one.
	// +kubebuilder:validation:Enum=IPv4;IPv6
	// +optional
	AddressFamily AddressFamily `json:"addressFamily,omitempty"`
	// ClusterIP is the Service's cluster IP. Default: chosen by the API server.
	// +optional
	ClusterIP *string `json:"clusterIP,omitempty"`
	// Replicas is the number of pods. Default: 2 for load balancers and Dex, 1 for jump hosts.
	// +kubebuilder:validation:Minimum=0
	// +optional
	Replicas *int32 `json:"replicas,omitempty"`
	// Resources of the service's main container.
	// +optional
	Resources *corev1.ResourceRequirements `json:"resources,omitempty"`
	// ControlPlaneNodes lets the pods run on the management cluster's control-plane nodes, whose taint they then tolerate. True needs a Site
	// with spec.defaults.controlPlaneNodes. Default: the Site's.
	// +optional
	ControlPlaneNodes *bool `json:"controlPlaneNodes,omitempty"`
	// Service is how the service is exposed. Default: a NodePort Service where a node port
	// is given, else ClusterIP.
	// +optional
	Service *ServiceExposure `json:"service,omitempty"`
	// NetworkAttachments connect the pods to further networks, by Multus.
	// +optional
	NetworkAttachments []NetworkAttachment `json:"networkAttachments,omitempty"`
	// Labels of the service's Deployment, Service, NetworkPolicy and PodDisruptionBudget. Reserved keys are refused.
	// +optional
	Labels map[string]string `json:"labels,omitempty"`
	// Annotations of the same objects. Those of the Service alone are service.annotations. Reserved keys are refused.
	// +optional
	Annotations map[string]string `json:"annotations,omitempty"`
	// Pods sets labels, affinity, spreading and the times of probes of the pods.
	// +optional
	Pods *Pods `json:"pods,omitempty"`
}

// Auth is what the SIP operator's API had for an OIDC provider. All of it is accepted, and does nothing.
type Auth struct {
	Service `json:",inline"`
	// NodePort is accepted and does nothing.
	// +optional
	NodePort int32 `json:"nodePort,omitempty"`
	// CASecret is accepted and does nothing.
	// +optional
	CASecret string `json:"caSecret,omitempty"`
}

// AddressFamily is IPv4 or IPv6.
type AddressFamily string

// The address families.
const (
	IPv4 AddressFamily = "IPv4"
	IPv6 AddressFamily = "IPv6"
)

// ServiceExposure is how a service's Kubernetes Service is exposed.
type ServiceExposure struct {
	// Type is the Service's type: NodePort, ClusterIP or LoadBalancer.
	// +kubebuilder:validation:Enum=NodePort;ClusterIP;LoadBalancer
	// +optional
	Type corev1.ServiceType `json:"type,omitempty"`
	// Annotations of the Service, for load balancer controllers.
	// +optional
	Annotations map[string]string `json:"annotations,omitempty"`
	// LoadBalancerIP is the address to ask for. It is rendered as the annotation of the provider
	// that loadBalancerClass or provider names.
	// +optional
	LoadBalancerIP string `json:"loadBalancerIP,omitempty"`
	// LoadBalancerClass is the Service's spec.loadBalancerClass.
	// +optional
	LoadBalancerClass string `json:"loadBalancerClass,omitempty"`
	// Provider is the load balancer that loadBalancerIP is for. Default: kube-vip where
	// loadBalancerClass starts with "kube-vip.io/", else metallb.
	// +kubebuilder:validation:Enum=metallb;kube-vip
	// +optional
	Provider string `json:"provider,omitempty"`
	// SharingKey lets several Services of a cluster share one loadBalancerIP: those that name the same
	// key and address (MetalLB's allow-shared-ip).
	// +optional
	SharingKey string `json:"sharingKey,omitempty"`
}

// NetworkAttachment is one entry of the k8s.v1.cni.cncf.io/networks annotation.
type NetworkAttachment struct {
	// Name of the NetworkAttachmentDefinition.
	Name string `json:"name"`
	// Namespace of the NetworkAttachmentDefinition. Default: the pod's.
	// +optional
	Namespace string `json:"namespace,omitempty"`
	// Interface is the name of the interface in the pod, neither lo nor eth0. Default: Multus chooses.
	// +optional
	Interface string `json:"interface,omitempty"`
	// IPs to ask for, as addresses in CIDR notation, with the prefix of their network.
	// +optional
	IPs []string `json:"ips,omitempty"`
}
