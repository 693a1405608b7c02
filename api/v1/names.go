package v1

import "strconv"

// The lists of spec.services, by field name.
const (
	ListControlPlane = "loadBalancerControlPlane"
	ListWorker       = "loadBalancerWorker"
	ListJumpHost     = "jumpHost"
	ListDex          = "dex"
)

// DefaultReplicas returns the default number of pods of an entry in a list of services.
func DefaultReplicas(list string) int32 {
	if list == ListJumpHost {
		return 1
	}
	return 2
}

// ServiceName returns the name of the objects of entry i (from 0) of a list of services. The first entry has the SIP
// operator's name: loadbalancer-controlplane-CLUSTER, loadbalancer-worker-CLUSTER, jumphost-CLUSTER. Further entries
// have a number in the first word (loadbalancer2-worker-CLUSTER), so that names of different clusters never collide.
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
