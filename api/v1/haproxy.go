package v1

import (
	"fmt"
	"iter"

	"k8s.io/apimachinery/pkg/api/resource"
)

// HAProxy is the part of a load balancer's configuration that tenants may set.
type HAProxy struct {
	// Algorithm. Default leastconn for API servers, roundrobin for workers.
	// +kubebuilder:validation:Enum=roundrobin;leastconn;source;first;random
	// +optional
	Balance string `json:"balance,omitempty"`
	// Maximum connections of clients of one pod; more clients wait. Default 4000. Without resources, each further
	// connection adds 40 KiB to the memory limit.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100000
	// +optional
	MaxConnections int32 `json:"maxConnections,omitempty"`
	// Timeouts, with ms, s, m or h, from 1ms to 168h.
	// +optional
	Timeouts *HAProxyTimeouts `json:"timeouts,omitempty"`
	// Requires the PROXY protocol from clients, at most on 256 worker ports. Restrict access: clients state their
	// own source address. Default false.
	// +optional
	AcceptProxyProtocol bool `json:"acceptProxyProtocol,omitempty"`
	// Version of the PROXY protocol to the hosts, also in checks of the same port. API servers reject the
	// protocol. Default: none.
	// +kubebuilder:validation:Enum=v1;v2
	// +optional
	SendProxyProtocol string `json:"sendProxyProtocol,omitempty"`
	// Unchecked lines of configuration. Needs the grant patches: any. HAProxy does not start with a wrong line;
	// running pods stay. Default: none.
	// +optional
	Lines *HAProxyLines `json:"lines,omitempty"`
}

// ProxyAccepted reports whether clients must send the PROXY protocol.
func (h *HAProxy) ProxyAccepted() bool { return h != nil && h.AcceptProxyProtocol }

// HAProxyTimeouts are a number with a unit, ms, s, m or h, from 1ms to 168h.
type HAProxyTimeouts struct {
	// Time to connect to a host. Default 5s.
	// +kubebuilder:validation:Pattern=`^([0-9]{1,9}(ms|s|m|h))?$`
	// +optional
	Connect string `json:"connect,omitempty"`
	// Time in the queue of a full host. Default 30s.
	// +kubebuilder:validation:Pattern=`^([0-9]{1,9}(ms|s|m|h))?$`
	// +optional
	Queue string `json:"queue,omitempty"`
	// Time to answer a health check. Default 4s.
	// +kubebuilder:validation:Pattern=`^([0-9]{1,9}(ms|s|m|h))?$`
	// +optional
	Check string `json:"check,omitempty"`
	// Time without data from the client. Default 600s.
	// +kubebuilder:validation:Pattern=`^([0-9]{1,9}(ms|s|m|h))?$`
	// +optional
	Client string `json:"client,omitempty"`
	// Time without data from the host. Default 600s.
	// +kubebuilder:validation:Pattern=`^([0-9]{1,9}(ms|s|m|h))?$`
	// +optional
	Server string `json:"server,omitempty"`
	// Time without data in a tunnel. Default 1h.
	// +kubebuilder:validation:Pattern=`^([0-9]{1,9}(ms|s|m|h))?$`
	// +optional
	Tunnel string `json:"tunnel,omitempty"`
}

// HAProxyLines are lines of HAProxy's configuration, without those that begin a section.
type HAProxyLines struct {
	// Lines at the end of section global.
	// +kubebuilder:validation:MaxItems=100
	// +kubebuilder:validation:items:MaxLength=500
	// +optional
	Global []string `json:"global,omitempty"`
	// Lines at the end of section defaults.
	// +kubebuilder:validation:MaxItems=100
	// +kubebuilder:validation:items:MaxLength=500
	// +optional
	Defaults []string `json:"defaults,omitempty"`
	// Lines in each frontend except the status page's.
	// +kubebuilder:validation:MaxItems=100
	// +kubebuilder:validation:items:MaxLength=500
	// +optional
	Frontend []string `json:"frontend,omitempty"`
	// Lines in each backend.
	// +kubebuilder:validation:MaxItems=100
	// +kubebuilder:validation:items:MaxLength=500
	// +optional
	Backend []string `json:"backend,omitempty"`
}

// Sections returns the lists in the order of their fields.
func (l *HAProxyLines) Sections() []HAProxySection {
	if l == nil {
		return nil
	}
	return []HAProxySection{{"global", l.Global}, {"defaults", l.Defaults}, {"frontend", l.Frontend},
		{"backend", l.Backend}}
}

// HAProxySection is the lines for one section.
type HAProxySection struct {
	Name  string
	Lines []string
}

// DefaultMaxConnections is the default of maxConnections. It bounds HAProxy's memory to about 150 MiB.
const DefaultMaxConnections = 4000

// memory of HAProxy: a limit with the default, and what each further connection takes at most, which is two buffers of
// 16 KiB and what belongs to them.
const (
	mebibytesByDefault     = 256
	kibibytesPerConnection = 40
)

// Memory returns the default memory limit of a load balancer, which suffices for all its connections. h may be nil.
func (h *HAProxy) Memory() resource.Quantity {
	more := int64(0)
	if h != nil {
		more = max(0, int64(h.MaxConnections)-DefaultMaxConnections)
	}
	return *resource.NewQuantity((mebibytesByDefault+more*kibibytesPerConnection/1024)<<20, resource.BinarySI)
}

// haproxies yields the HAProxy settings of load balancers that have any, by path, in order.
func (c *SIPCluster) haproxies() iter.Seq2[string, *HAProxy] {
	return func(yield func(string, *HAProxy) bool) {
		services := &c.Spec.Services
		for i := range services.LoadBalancerControlPlane {
			if h := services.LoadBalancerControlPlane[i].HAProxy; h != nil &&
				!yield(fmt.Sprintf("spec.services.%s[%d]", ListControlPlane, i), h) {
				return
			}
		}
		for i := range services.LoadBalancerWorker {
			if h := services.LoadBalancerWorker[i].HAProxy; h != nil &&
				!yield(fmt.Sprintf("spec.services.%s[%d]", ListWorker, i), h) {
				return
			}
		}
	}
}

// HAProxyLines returns the paths of the fields with lines of HAProxy's configuration, in order.
func (c *SIPCluster) HAProxyLines() []string {
	var out []string
	for path, h := range c.haproxies() {
		for _, section := range h.Lines.Sections() {
			if len(section.Lines) > 0 {
				out = append(out, path+".haproxy.lines."+section.Name)
			}
		}
	}
	return out
}
