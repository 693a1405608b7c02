package v1

import (
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

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
	// Service is how the service is exposed. Default: a NodePort Service where a node port
	// is given, else ClusterIP.
	// +optional
	Service *ServiceExposure `json:"service,omitempty"`
	// NetworkAttachments connect the pods to further networks, by Multus.
	// +optional
	NetworkAttachments []NetworkAttachment `json:"networkAttachments,omitempty"`
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
	// Interface is the name of the interface in the pod.
	// +optional
	Interface string `json:"interface,omitempty"`
	// IPs to ask for, as addresses in CIDR notation.
	// +optional
	IPs []string `json:"ips,omitempty"`
}

// LoadBalancerControlPlane is an HAProxy in front of the cluster's API servers.
type LoadBalancerControlPlane struct {
	Service `json:",inline"`
	// NodePort is the port on the management cluster's nodes.
	// +optional
	NodePort int32 `json:"nodePort,omitempty"`
	// PortName is the name of the Service's port: https, the default, or http, as the SIP operator called it. A Service whose port is renamed
	// has no endpoint until new pods are ready, so one that is taken over keeps its name. With http the Service also leads to the port by number.
	// +kubebuilder:validation:Enum=https;http
	// +optional
	PortName string `json:"portName,omitempty"`
	// HealthCheck sets how an API server is probed.
	// +optional
	HealthCheck *HealthCheck `json:"healthCheck,omitempty"`
	// HAProxy sets what else people change in the configuration.
	// +optional
	HAProxy *HAProxy `json:"haproxy,omitempty"`
}

// HealthCheck is a TLS GET that an API server must answer with the wanted status.
type HealthCheck struct {
	// Path of the request. Default /readyz.
	// +optional
	Path string `json:"path,omitempty"`
	// Status is the wanted HTTP status. Default 200; 401 where anonymous access is off.
	// +kubebuilder:validation:Minimum=100
	// +kubebuilder:validation:Maximum=599
	// +optional
	Status int `json:"status,omitempty"`
}

// LoadBalancerWorker is an HAProxy that passes a range of ports on to the workers.
type LoadBalancerWorker struct {
	Service `json:",inline"`
	// NodePortRange is the ports, the same on the management cluster's nodes and on the workers.
	NodePortRange PortRange `json:"nodePortRange"`
	// NodePort has no meaning here; specs written for SIP carry it. Accepted with a warning.
	// +optional
	NodePort int32 `json:"nodePort,omitempty"`
	// CheckPort is the worker's port that must accept a TCP connection for the worker to get traffic. Default 10250,
	// the kubelet's.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=65535
	// +optional
	CheckPort int32 `json:"checkPort,omitempty"`
	// CheckEachPort looks at each port of the range by itself, as the SIP operator did: a worker gets the traffic of a port if it accepts
	// connections there. Without it checkPort decides for all. At most 256 ports.
	// +optional
	CheckEachPort bool `json:"checkEachPort,omitempty"`
	// HAProxy sets what else people change in the configuration.
	// +optional
	HAProxy *HAProxy `json:"haproxy,omitempty"`
}

// HAProxy is what people change in a load balancer's configuration.
type HAProxy struct {
	// Balance is how a server is chosen. Default: leastconn for API servers, roundrobin for workers.
	// +kubebuilder:validation:Enum=roundrobin;leastconn;source;first;random
	// +optional
	Balance string `json:"balance,omitempty"`
	// MaxConnections of one pod, 1 to 100000. Default 4000. Above that the memory limit grows by 40 KiB for each, unless resources are set.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100000
	// +optional
	MaxConnections int32 `json:"maxConnections,omitempty"`
	// Timeouts of connections.
	// +optional
	Timeouts *HAProxyTimeouts `json:"timeouts,omitempty"`
	// AcceptProxyProtocol wants the PROXY protocol from clients, versions 1 and 2: connections without it are closed. For a load balancer in
	// front that sends it. A client says itself where it comes from, so nobody else should reach these ports. At most 256 ports of workers.
	// +optional
	AcceptProxyProtocol bool `json:"acceptProxyProtocol,omitempty"`
	// SendProxyProtocol sends the PROXY protocol to the hosts, in checks of the same port too: v1 or v2. API servers do not understand it.
	// +kubebuilder:validation:Enum=v1;v2
	// +optional
	SendProxyProtocol string `json:"sendProxyProtocol,omitempty"`
	// Lines are put at the end of sections of the configuration as they are. sipgen does not know what they mean, so the tenant needs the
	// grant patches: any. HAProxy does not start with lines that it does not take; the pods that run stay then.
	// +optional
	Lines *HAProxyLines `json:"lines,omitempty"`
}

// ProxyAccepted: clients send the PROXY protocol.
func (h *HAProxy) ProxyAccepted() bool { return h != nil && h.AcceptProxyProtocol }

// HAProxyTimeouts are a number with a unit, ms, s, m or h, from 1ms to 168h.
type HAProxyTimeouts struct {
	// Connect to a host. Default 5s.
	// +optional
	Connect string `json:"connect,omitempty"`
	// Queue is how long a connection waits for a host that is full. Default 30s.
	// +optional
	Queue string `json:"queue,omitempty"`
	// Check is how long an answer to a health check may take. Default 4s.
	// +optional
	Check string `json:"check,omitempty"`
	// Client is how long a client may be silent, before both sides have sent something. Default 600s.
	// +optional
	Client string `json:"client,omitempty"`
	// Server is how long a host may be silent, before both sides have sent something. Default 600s.
	// +optional
	Server string `json:"server,omitempty"`
	// Tunnel is how long both sides may be silent afterwards. Default 1h.
	// +optional
	Tunnel string `json:"tunnel,omitempty"`
}

// HAProxyLines are lines of HAProxy's configuration, without those that begin a section.
type HAProxyLines struct {
	// Global are at the end of the section global.
	// +optional
	Global []string `json:"global,omitempty"`
	// Defaults are at the end of the section defaults.
	// +optional
	Defaults []string `json:"defaults,omitempty"`
	// Frontend are in each frontend for the ports, not in that of the status.
	// +optional
	Frontend []string `json:"frontend,omitempty"`
	// Backend are in each backend.
	// +optional
	Backend []string `json:"backend,omitempty"`
}

// Sections are the lists by their fields, in order.
func (l *HAProxyLines) Sections() []HAProxySection {
	if l == nil {
		return nil
	}
	return []HAProxySection{{"global", l.Global}, {"defaults", l.Defaults}, {"frontend", l.Frontend}, {"backend", l.Backend}}
}

// HAProxySection is the lines for one section.
type HAProxySection struct {
	Name  string
	Lines []string
}

// PortRange is ports from Start to End, both included.
type PortRange struct {
	// Start is the first port.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=65535
	Start int32 `json:"start"`
	// End is the last port.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=65535
	End int32 `json:"end"`
}

// Len is the number of ports in the range, 0 if it is upside down.
func (r PortRange) Len() int { return max(0, int(r.End)-int(r.Start)+1) }

// JumpHost is an SSH jump pod in front of the cluster's hosts.
type JumpHost struct {
	Service `json:",inline"`
	// NodePort is the port on the management cluster's nodes.
	// +optional
	NodePort int32 `json:"nodePort,omitempty"`
	// BMC sets how the jump pod reaches the hosts' power control.
	// +optional
	BMC *BMC `json:"bmc,omitempty"`
	// SSHAuthorizedKeys are the keys that may log in, one line of authorized_keys each, without options.
	// +optional
	SSHAuthorizedKeys []string `json:"sshAuthorizedKeys,omitempty"`
	// TrustedUserCA is the public key of an SSH certificate authority whose user certificates may log in.
	// +optional
	TrustedUserCA string `json:"trustedUserCA,omitempty"`
	// NodeSSHPrivateKeys is the name of a Secret with the private keys for the cluster's hosts.
	// +optional
	NodeSSHPrivateKeys string `json:"nodeSSHPrivateKeys,omitempty"`
	// HostKeys is the name of a Secret with the pod's own SSH host keys. Default: the jump
	// host's name with "-host-keys".
	// +optional
	HostKeys string `json:"hostKeys,omitempty"`
}

// The ways to power control.
const (
	BMCMetal3  = "metal3"
	BMCRedfish = "redfish"
	BMCNone    = "none"
)

// BMC is how a jump pod reaches power control.
type BMC struct {
	// Proxy keeps the proxy variables for BMC traffic. Default: they are cleared.
	// +optional
	Proxy bool `json:"proxy,omitempty"`
	// Access is by metal3 (default; the reboot annotations, no credentials), redfish (mounts the hosts'
	// BMC Secrets) or none.
	// +kubebuilder:validation:Enum=metal3;redfish;none
	// +optional
	Access string `json:"access,omitempty"`
}

// Dex is an OIDC provider for the cluster.
type Dex struct {
	Service `json:",inline"`
	// Issuer is the provider's URL, https, as the API server and the people's browsers reach it.
	Issuer string `json:"issuer"`
	// NodePort is the port on the management cluster's nodes.
	// +optional
	NodePort int32 `json:"nodePort,omitempty"`
	// Connectors are Dex's own connector entries (type, id, name, config). Secrets in them are
	// written $NAME and come from env.
	// +optional
	Connectors []apiextensionsv1.JSON `json:"connectors,omitempty"`
	// StaticClients are the OAuth2 clients.
	// +optional
	StaticClients []DexClient `json:"staticClients,omitempty"`
	// TLS is where the serving certificate comes from.
	TLS DexTLS `json:"tls"`
	// Env are environment variables from Secrets, for connectors and clients.
	// +optional
	Env []SecretEnv `json:"env,omitempty"`
	// Kubernetes is what the tenant's API server is told about tokens.
	// +optional
	Kubernetes *DexKubernetes `json:"kubernetes,omitempty"`
}

// DexClient is an OAuth2 client of Dex.
type DexClient struct {
	// ID is the client's OAuth2 id.
	ID string `json:"id"`
	// Name that people see when they log in. Default: the id.
	// +optional
	Name string `json:"name,omitempty"`
	// RedirectURIs are the URLs that Dex may send a person back to.
	// +optional
	RedirectURIs []string `json:"redirectURIs,omitempty"`
	// Public is true for clients that cannot keep a secret, such as command line tools: they have none.
	// +optional
	Public bool `json:"public,omitempty"`
	// SecretEnv is the name of the variable in env that holds the client's secret.
	// +optional
	SecretEnv string `json:"secretEnv,omitempty"`
	// TrustedPeers are the ids of other clients that may ask for tokens on behalf of this one.
	// +optional
	TrustedPeers []string `json:"trustedPeers,omitempty"`
}

// DexTLS names the serving certificate: a Secret, or a cert-manager issuer to make one.
type DexTLS struct {
	// SecretName is the name of a kubernetes.io/tls Secret. With issuerRef: the Secret that cert-manager writes.
	// +optional
	SecretName string `json:"secretName,omitempty"`
	// IssuerRef is the cert-manager issuer that makes the certificate.
	// +optional
	IssuerRef *IssuerRef `json:"issuerRef,omitempty"`
	// CA is the certificate authority, PEM, that the API server is to trust for the issuer.
	// +optional
	CA string `json:"ca,omitempty"`
}

// IssuerRef names a cert-manager issuer.
type IssuerRef struct {
	// Name of the issuer.
	Name string `json:"name"`
	// Kind is the issuer's kind: Issuer (default) or ClusterIssuer.
	// +kubebuilder:validation:Enum=Issuer;ClusterIssuer
	// +optional
	Kind string `json:"kind,omitempty"`
	// Group of the issuer's kind. Default cert-manager.io.
	// +optional
	Group string `json:"group,omitempty"`
}

// SecretEnv is an environment variable whose value is in a Secret.
type SecretEnv struct {
	// Name of the variable.
	Name string `json:"name"`
	// SecretRef is where its value is.
	SecretRef SecretKeyRef `json:"secretRef"`
}

// SecretKeyRef is a key of a Secret in the cluster's namespace.
type SecretKeyRef struct {
	// Name of the Secret.
	Name string `json:"name"`
	// Key in the Secret.
	Key string `json:"key"`
}

// DexKubernetes is how tokens map to Kubernetes users and groups.
type DexKubernetes struct {
	// ClientID is the audience that the API server accepts. Default: the first static client.
	// +optional
	ClientID string `json:"clientID,omitempty"`
	// UsernameClaim is the claim of the token that names the user. Default email.
	// +optional
	UsernameClaim string `json:"usernameClaim,omitempty"`
	// UsernamePrefix is put before the user's name. Default "oidc:".
	// +optional
	UsernamePrefix *string `json:"usernamePrefix,omitempty"`
	// GroupsClaim is the claim of the token that lists the groups. Default groups.
	// +optional
	GroupsClaim string `json:"groupsClaim,omitempty"`
	// GroupsPrefix is put before each group's name. Default "oidc:".
	// +optional
	GroupsPrefix *string `json:"groupsPrefix,omitempty"`
}
