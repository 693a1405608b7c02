package v1

import "strconv"

// The lists of spec.services, by field name.
const (
	ListControlPlane = "loadBalancerControlPlane"
	ListWorker       = "loadBalancerWorker"
	ListJumpHost     = "jumpHost"
	ListDex          = "dex"
)

// DefaultReplicas is how many pods an entry of a list of services has that does not say.
func DefaultReplicas(list string) int32 {
	if list == ListJumpHost {
		return 1
	}
	return 2
}

// ServiceName names the objects of entry i (from 0) of a list of services. The first has the name
// that the SIP operator gave it: loadbalancer-controlplane-<cluster>, loadbalancer-worker-<cluster>,
// jumphost-<cluster>. Further ones are numbered in the first word ("loadbalancer2-worker-<cluster>"),
// so that no cluster's name can make two alike.
func ServiceName(list string, i int, cluster string) string {
	word, rest := "", ""
	switch list {
	case ListControlPlane:
		word, rest = "loadbalancer", "-controlplane-"
	case ListWorker:
		word, rest = "loadbalancer", "-worker-"
	case ListJumpHost:
		word, rest = "jumphost", "-"
	case ListDex:
		word, rest = "dex", "-"
	}
	if i > 0 {
		word += strconv.Itoa(i + 1)
	}
	return word + rest + cluster
}
