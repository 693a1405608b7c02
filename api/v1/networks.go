package v1

import "slices"

// Networks gives the network ids on which a host of the role must have an address, sorted: those by
// which the cluster's services reach the role. Load balancers reach ControlPlane or Worker hosts,
// jump hosts reach the hosts of every role.
func (c *SIPCluster) Networks(role string) []string {
	var ids []string
	for _, s := range c.Spec.Services.LoadBalancerControlPlane {
		if role == RoleControlPlane {
			ids = append(ids, s.NodeInterface)
		}
	}
	for _, s := range c.Spec.Services.LoadBalancerWorker {
		if role == RoleWorker {
			ids = append(ids, s.NodeInterface)
		}
	}
	for _, s := range c.Spec.Services.JumpHost {
		ids = append(ids, s.NodeInterface)
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	return slices.DeleteFunc(ids, func(id string) bool { return id == "" })
}
