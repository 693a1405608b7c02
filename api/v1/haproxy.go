package v1

import "k8s.io/apimachinery/pkg/api/resource"

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
