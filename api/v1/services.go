package v1

import corev1 "k8s.io/api/core/v1"

// Services is the infrastructure services of a tenant cluster. The first entry of each list keeps the name that the
// SIP operator gave the service.
type Services struct {
	// HAProxy in front of the API servers (TCP 6443).
	// +kubebuilder:validation:MaxItems=64
	// +optional
	LoadBalancerControlPlane []LoadBalancerControlPlane `json:"loadBalancerControlPlane,omitempty"`
	// HAProxy in front of the workers' node ports.
	// +kubebuilder:validation:MaxItems=64
	// +optional
	LoadBalancerWorker []LoadBalancerWorker `json:"loadBalancerWorker,omitempty"`
	// SSH jump host for the cluster's hosts.
	// +kubebuilder:validation:MaxItems=64
	// +optional
	JumpHost []JumpHost `json:"jumpHost,omitempty"`
	// No effect, with a warning. Use dex.
	// +kubebuilder:validation:MaxItems=64
	// +optional
	Auth []Auth `json:"auth,omitempty"`
	// Dex, an OIDC provider for the API server.
	// +kubebuilder:validation:MaxItems=1
	// +optional
	Dex []Dex `json:"dex,omitempty"`
}

// Service is the fields of every service.
type Service struct {
	// Container image. Default: the Site's.
	// +kubebuilder:validation:Pattern=`^((([a-zA-Z0-9]([a-zA-Z0-9.-]*[a-zA-Z0-9])?|\[[0-9a-fA-F:]{2,39}\])(:[0-9]{1,5})?/)?[a-z0-9]+([._-]+[a-z0-9]+)*(/[a-z0-9]+([._-]+[a-z0-9]+)*)*(:[A-Za-z0-9_][A-Za-z0-9._-]{0,127})?(@(sha256:[0-9a-f]{64}|sha384:[0-9a-f]{96}|sha512:[0-9a-f]{128}))?)?$`
	// +kubebuilder:validation:MaxLength=400
	// +optional
	Image string `json:"image,omitempty"`
	// Labels of the nodes that may run the pods. Default: any node.
	// +kubebuilder:validation:MaxProperties=64
	// +optional
	NodeLabels map[string]string `json:"nodeLabels,omitempty"`
	// Address family for hosts with two addresses. Default IPv4.
	// +kubebuilder:validation:Enum=IPv4;IPv6
	// +optional
	AddressFamily AddressFamily `json:"addressFamily,omitempty"`
	// Cluster IP of the Service. Default: the API server chooses.
	// +optional
	ClusterIP *string `json:"clusterIP,omitempty"`
	// Number of pods. Default 2 for load balancers and Dex, 1 for jump hosts.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=100
	// +optional
	Replicas *int32 `json:"replicas,omitempty"`
	// Requests and limits of the main container. Default: the Site's spec.defaults.resources, else small requests
	// and a memory limit.
	// +optional
	Resources *corev1.ResourceRequirements `json:"resources,omitempty"`
	// Allows pods on control plane nodes of the management cluster. True needs the Site's
	// spec.defaults.controlPlaneNodes, which is the default.
	// +optional
	ControlPlaneNodes *bool `json:"controlPlaneNodes,omitempty"`
	// Exposure of the Service.
	// +optional
	Service *ServiceExposure `json:"service,omitempty"`
	// Multus networks of the pods. Default: none.
	// +kubebuilder:validation:MaxItems=32
	// +optional
	NetworkAttachments []NetworkAttachment `json:"networkAttachments,omitempty"`
	// Labels of Deployment, Service, NetworkPolicy and PodDisruptionBudget, without reserved keys. Default: none.
	// +kubebuilder:validation:MaxProperties=64
	// +optional
	Labels map[string]string `json:"labels,omitempty"`
	// Annotations of the objects that get labels, without reserved keys. Default: none.
	// +kubebuilder:validation:MaxProperties=64
	// +optional
	Annotations map[string]string `json:"annotations,omitempty"`
	// Settings of the pods.
	// +optional
	Pods *Pods `json:"pods,omitempty"`
}

// Auth is the SIP operator's OIDC provider. All fields are accepted and have no effect.
type Auth struct {
	Service `json:",inline"`
	// No effect, with a warning.
	// +optional
	NodeInterface string `json:"nodeInterfaceId,omitempty"`
	// No effect, with a warning.
	// +optional
	NodePort int32 `json:"nodePort,omitempty"`
	// No effect, with a warning.
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

// ServiceExposure is the exposure of a service's Kubernetes Service.
type ServiceExposure struct {
	// Type of the Service. Default: NodePort if a node port is set, else ClusterIP.
	// +kubebuilder:validation:Enum=NodePort;ClusterIP;LoadBalancer
	// +optional
	Type corev1.ServiceType `json:"type,omitempty"`
	// Annotations of the Service, for load balancer controllers. Default: none.
	// +kubebuilder:validation:MaxProperties=64
	// +optional
	Annotations map[string]string `json:"annotations,omitempty"`
	// Requested address, or one of each family with a comma. Only with type LoadBalancer. Default: the provider
	// chooses.
	// +optional
	LoadBalancerIP string `json:"loadBalancerIP,omitempty"`
	// Load balancer class (spec.loadBalancerClass). Default: the management cluster's.
	// +kubebuilder:validation:Pattern=`^([a-z0-9]([A-Za-z0-9./-]*[A-Za-z0-9])?)?$`
	// +kubebuilder:validation:MaxLength=253
	// +optional
	LoadBalancerClass string `json:"loadBalancerClass,omitempty"`
	// Provider of loadBalancerIP. Default: by loadBalancerClass, for kube-vip.io/... and Cilium's classes; metallb
	// without a class. Required with another class.
	// +kubebuilder:validation:Enum=metallb;kube-vip;cilium
	// +optional
	Provider string `json:"provider,omitempty"`
	// Key of the Services that share loadBalancerIP (MetalLB's allow-shared-ip, Cilium's sharing-key). Default: not
	// shared.
	// +kubebuilder:validation:Pattern=`^([A-Za-z0-9]([A-Za-z0-9._/-]*[A-Za-z0-9])?)?$`
	// +kubebuilder:validation:MaxLength=63
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
	// Interface in the pod, except lo and eth0. Default: Multus chooses.
	// +kubebuilder:validation:Pattern=`^([A-Za-z0-9][A-Za-z0-9._-]*)?$`
	// +kubebuilder:validation:MaxLength=15
	// +optional
	Interface string `json:"interface,omitempty"`
	// Requested addresses, in CIDR notation with the network's prefix length. Only with one replica.
	// +kubebuilder:validation:MaxItems=16
	// +optional
	IPs []string `json:"ips,omitempty"`
}
