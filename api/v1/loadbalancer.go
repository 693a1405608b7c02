package v1

import "fmt"

// LoadBalancerControlPlane is an HAProxy in front of the cluster's API servers.
type LoadBalancerControlPlane struct {
	Service `json:",inline"`
	// Node port on the management cluster.
	// +optional
	NodePort int32 `json:"nodePort,omitempty"`
	// Name of the Service's port: https (default), or http as in the SIP operator. Keep the name of an adopted
	// Service: a renamed port has no endpoints until new pods are ready.
	// +kubebuilder:validation:Enum=https;http
	// +optional
	PortName string `json:"portName,omitempty"`
	// Probe of an API server.
	// +optional
	HealthCheck *HealthCheck `json:"healthCheck,omitempty"`
	// HAProxy settings.
	// +optional
	HAProxy *HAProxy `json:"haproxy,omitempty"`
}

// HealthCheck is a TLS GET that an API server must answer with the wanted status.
type HealthCheck struct {
	// Path of the request. Default /readyz.
	// +optional
	Path string `json:"path,omitempty"`
	// Expected HTTP status. Default 200; use 401 if anonymous access is off.
	// +kubebuilder:validation:Minimum=100
	// +kubebuilder:validation:Maximum=599
	// +optional
	Status int `json:"status,omitempty"`
	// Authority of the API servers' certificates; others get no connections. Default: not verified.
	// +optional
	CA *BackendCA `json:"ca,omitempty"`
}

// LoadBalancerWorker is an HAProxy that passes a range of ports on to the workers.
type LoadBalancerWorker struct {
	Service `json:",inline"`
	// Forwarded ports, the same on both clusters' nodes.
	NodePortRange PortRange `json:"nodePortRange"`
	// No effect, with a warning.
	// +optional
	NodePort int32 `json:"nodePort,omitempty"`
	// TCP port of a worker to check. Default 10250, the kubelet's.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=65535
	// +optional
	CheckPort int32 `json:"checkPort,omitempty"`
	// Checks each port of the range instead of checkPort. At most 256 ports. Default false.
	// +optional
	CheckEachPort bool `json:"checkEachPort,omitempty"`
	// HAProxy settings.
	// +optional
	HAProxy *HAProxy `json:"haproxy,omitempty"`
}

// PortRange is ports from Start to End, both included.
type PortRange struct {
	// First port.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=65535
	Start int32 `json:"start"`
	// Last port.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=65535
	End int32 `json:"end"`
}

// Len is the number of ports in the range, 0 if it is upside down.
func (r PortRange) Len() int { return max(0, int(r.End)-int(r.Start)+1) }

// String is "30000" or "30000 to 30010".
func (r PortRange) String() string {
	if r.Start == r.End {
		return fmt.Sprint(r.Start)
	}
	return fmt.Sprintf("%d to %d", r.Start, r.End)
}
