package v1

import "fmt"

// LoadBalancerControlPlane is an HAProxy in front of the cluster's API servers.
type LoadBalancerControlPlane struct {
	Service `json:",inline"`
	// ID of the network on which the service reaches the hosts, as in the hosts' network data.
	// +kubebuilder:validation:Pattern=`^([A-Za-z0-9]([A-Za-z0-9._:-]*[A-Za-z0-9])?)?$`
	// +kubebuilder:validation:MaxLength=128
	NodeInterface string `json:"nodeInterfaceId"`
	// Node port on the management cluster. Default: none.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=65535
	// +optional
	NodePort int32 `json:"nodePort,omitempty"`
	// Name of the Service's port. Default https; the SIP operator had http. Keep the name of an adopted Service: a
	// renamed port has no endpoints until new pods are ready.
	// +kubebuilder:validation:Enum=https;http
	// +optional
	PortName string `json:"portName,omitempty"`
	// HTTPS health check of the API servers.
	// +optional
	HealthCheck *HealthCheck `json:"healthCheck,omitempty"`
	// Settings of HAProxy.
	// +optional
	HAProxy *HAProxy `json:"haproxy,omitempty"`
}

// HealthCheck is a TLS GET that an API server must answer with the wanted status.
type HealthCheck struct {
	// Path of the request. Default /readyz.
	// +kubebuilder:validation:Pattern=`^(/[A-Za-z0-9._~/?=&-]*)?$`
	// +kubebuilder:validation:MaxLength=200
	// +optional
	Path string `json:"path,omitempty"`
	// Expected HTTP status. Default 200; with anonymous access off, use 401.
	// +kubebuilder:validation:Minimum=100
	// +kubebuilder:validation:Maximum=599
	// +optional
	Status int `json:"status,omitempty"`
	// CA of the API servers' certificates: one of pem, configMap and secret. Other servers get no connections.
	// Default: not verified.
	// +optional
	CA *BackendCA `json:"ca,omitempty"`
}

// LoadBalancerWorker is an HAProxy that passes a range of ports on to the workers.
type LoadBalancerWorker struct {
	Service `json:",inline"`
	// ID of the network on which the service reaches the hosts, as in the hosts' network data.
	// +kubebuilder:validation:Pattern=`^([A-Za-z0-9]([A-Za-z0-9._:-]*[A-Za-z0-9])?)?$`
	// +kubebuilder:validation:MaxLength=128
	NodeInterface string `json:"nodeInterfaceId"`
	// Forwarded ports, the same on the nodes of both clusters. At most 1000 ports, without 8404.
	NodePortRange PortRange `json:"nodePortRange"`
	// No effect, with a warning. Use nodePortRange.
	// +optional
	NodePort int32 `json:"nodePort,omitempty"`
	// TCP port of a worker for the health check. Default 10250, the kubelet's.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=65535
	// +optional
	CheckPort int32 `json:"checkPort,omitempty"`
	// Checks each port of the range instead of checkPort, at most 256 ports. Default false.
	// +optional
	CheckEachPort bool `json:"checkEachPort,omitempty"`
	// Settings of HAProxy.
	// +optional
	HAProxy *HAProxy `json:"haproxy,omitempty"`
}

// PortRange is the ports from Start to End, both included.
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

// Len returns the number of ports in the range, 0 if End is before Start.
func (r PortRange) Len() int { return max(0, int(r.End)-int(r.Start)+1) }

// String returns the range as in "30000" or "30000 to 30010".
func (r PortRange) String() string {
	if r.Start == r.End {
		return fmt.Sprint(r.Start)
	}
	return fmt.Sprintf("%d to %d", r.Start, r.End)
}

// Described returns what was found in place of node ports: "node port 30000", or "6443, which is not a node port".
// Kubernetes' own range is 30000 to 32767.
func (r PortRange) Described() string {
	if r.Start > 32767 || r.End < 30000 {
		return r.String() + ", which is not a node port"
	}
	return "node port " + r.String()
}
