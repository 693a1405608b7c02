package v1

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
)

// ServiceEntry is one entry of spec.services, whatever its list.
type ServiceEntry struct {
	// Path of the entry, as in "spec.services.jumpHost[0]".
	Path string
	// Name of its objects.
	Name    string
	Service *Service
	// Type of its Service.
	Type corev1.ServiceType
	// Ports of its Service.
	Ports PortRange
	// NodePorts that it names, and their field. The zero range: it names none, or its Service has none.
	NodePorts     PortRange
	NodePortField string
	// HAProxy is what a load balancer sets of it.
	HAProxy *HAProxy
	// Replicas is how many pods it has.
	Replicas int32
	// Image that it names, none if it is one of the SIP operator's time: the Site's takes its place.
	Image string
}

// Entries lists the entries of spec.services in the order of their fields.
func (c *SIPCluster) Entries() []ServiceEntry {
	var out []ServiceEntry
	add := func(list string, i int, s *Service, ports, nodePorts PortRange, field string) {
		path := fmt.Sprintf("spec.services.%s[%d]", list, i)
		e := ServiceEntry{Path: path, Name: ServiceName(list, i, c.Name), Service: s,
			Type: s.ExposureType(nodePorts.Start), Ports: ports, NodePorts: nodePorts, NodePortField: path + field,
			Replicas: DefaultReplicas(list)}
		if s.Replicas != nil {
			e.Replicas = *s.Replicas
		}
		if !SIPImage(list, s.Image) {
			e.Image = s.Image
		}
		// Without a node port given, a load balancer has none allocated. A worker's ports are the workers' node ports,
		// and the management cluster's only where the Service is a NodePort.
		if e.Type != corev1.ServiceTypeNodePort && (e.Type != corev1.ServiceTypeLoadBalancer || list == ListWorker) {
			e.NodePorts = PortRange{}
		}
		out = append(out, e)
	}
	one := func(port int32) PortRange { return PortRange{Start: port, End: port} }
	services := &c.Spec.Services
	for i := range services.LoadBalancerControlPlane {
		lb := &services.LoadBalancerControlPlane[i]
		add(ListControlPlane, i, &lb.Service, one(6443), one(lb.NodePort), ".nodePort")
		out[len(out)-1].HAProxy = lb.HAProxy
	}
	for i := range services.LoadBalancerWorker {
		lb := &services.LoadBalancerWorker[i]
		add(ListWorker, i, &lb.Service, lb.NodePortRange, lb.NodePortRange, ".nodePortRange")
		out[len(out)-1].HAProxy = lb.HAProxy
	}
	for i := range services.JumpHost {
		jump := &services.JumpHost[i]
		add(ListJumpHost, i, &jump.Service, one(22), one(jump.NodePort), ".nodePort")
	}
	for i := range services.Dex {
		dex := &services.Dex[i]
		add(ListDex, i, &dex.Service, one(443), one(dex.NodePort), ".nodePort")
	}
	return out
}
