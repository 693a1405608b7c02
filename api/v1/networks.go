package v1

import (
	"fmt"
	"slices"
)

// Networks returns the sorted ids of the networks on which a host of the role must have an address. Load balancers
// reach ControlPlane or Worker hosts, jump hosts reach the hosts of every role.
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

// NetworksByField returns the network ids that the cluster's services name, each with the first field that names it.
func (c *SIPCluster) NetworksByField() map[string]string {
	fields := map[string]string{}
	note := func(list string, i int, id string) {
		if _, found := fields[id]; id != "" && !found {
			fields[id] = fmt.Sprintf("spec.services.%s[%d].nodeInterfaceId", list, i)
		}
	}
	for i, s := range c.Spec.Services.LoadBalancerControlPlane {
		note("loadBalancerControlPlane", i, s.NodeInterface)
	}
	for i, s := range c.Spec.Services.LoadBalancerWorker {
		note("loadBalancerWorker", i, s.NodeInterface)
	}
	for i, s := range c.Spec.Services.JumpHost {
		note("jumpHost", i, s.NodeInterface)
	}
	return fields
}
