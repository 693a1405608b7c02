package v1

import "k8s.io/apimachinery/pkg/api/resource"

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
	// AcceptProxyProtocol requires the PROXY protocol from clients, versions 1 and 2: connections without it are closed. For a load balancer
	// in front that sends it. A client says itself where it comes from, so nobody else should reach these ports. At most 256 ports of
	// workers.
	// +optional
	AcceptProxyProtocol bool `json:"acceptProxyProtocol,omitempty"`
	// SendProxyProtocol sends the PROXY protocol to the hosts, in checks of the same port too: v1 or v2. API servers do not understand it.
	// +kubebuilder:validation:Enum=v1;v2
	// +optional
	SendProxyProtocol string `json:"sendProxyProtocol,omitempty"`
	// Lines are put at the end of sections of the configuration as they are. sipgen does not know what they mean, so the tenant needs the
	// grant patches: any. HAProxy does not start with lines that it rejects; the running pods then stay.
	// +optional
	Lines *HAProxyLines `json:"lines,omitempty"`
}

// ProxyAccepted: clients send the PROXY protocol.
func (h *HAProxy) ProxyAccepted() bool { return h != nil && h.AcceptProxyProtocol }

// HAProxyTimeouts are a number with a unit, ms, s, m or h, from 1ms to 168h.
type HAProxyTimeouts struct {
	// Connect is how long connecting to a host may take. Default 5s.
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

// DefaultMaxConnections is how many connections a load balancer takes at once that does not say. It bounds HAProxy's memory to about 150 MiB.
const DefaultMaxConnections = 4000

// memory of HAProxy: a limit with the default, and what each further connection takes at most, which is two buffers of 16 KiB and what belongs to them.
const (
	mebibytesByDefault     = 256
	kibibytesPerConnection = 40
)

// Memory is the limit that a load balancer is rendered with where neither its entry nor the Site gives resources: enough for all its connections.
// h may be nil.
func (h *HAProxy) Memory() resource.Quantity {
	more := int64(0)
	if h != nil {
		more = max(0, int64(h.MaxConnections)-DefaultMaxConnections)
	}
	return *resource.NewQuantity((mebibytesByDefault+more*kibibytesPerConnection/1024)<<20, resource.BinarySI)
}
