package v1

// LoadBalancerControlPlane is an HAProxy in front of the cluster's API servers.
type LoadBalancerControlPlane struct {
	Service `json:",inline"`
	// NodePort is the port on the management cluster's nodes.
	// +optional
	NodePort int32 `json:"nodePort,omitempty"`
	// PortName is the name of the Service's port: https, the default, or http, as the SIP operator called it. A Service whose port is renamed
	// has no endpoint until new pods are ready, so one that is taken over keeps its name. With http the Service also targets the port by number.
	// +kubebuilder:validation:Enum=https;http
	// +optional
	PortName string `json:"portName,omitempty"`
	// HealthCheck sets how an API server is probed.
	// +optional
	HealthCheck *HealthCheck `json:"healthCheck,omitempty"`
	// HAProxy sets what people often change in the configuration.
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
	// CA verifies the API servers' certificates in the checks: a server whose certificate it did not sign gets no connections. Default: not verified.
	// +optional
	CA *BackendCA `json:"ca,omitempty"`
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
	// HAProxy sets what people often change in the configuration.
	// +optional
	HAProxy *HAProxy `json:"haproxy,omitempty"`
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
