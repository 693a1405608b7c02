package capi

import (
	"net/netip"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/render/object"
)

// groupKind is a kind whose objects are patched, in whatever version they are.
type groupKind struct{ group, kind string }

const infrastructure = "infrastructure.cluster.x-k8s.io"

// controlPlanes are the kinds of control planes whose machines are hosts: each has spec.replicas, as Cluster API's
// contract asks. Hosted ones, such as K0smotronControlPlane, run in the management cluster.
const controlPlanes = "KubeadmControlPlane|RKE2ControlPlane|KThreesControlPlane|K0sControlPlane|TalosControlPlane"

// autoscaled marks a MachineDeployment whose replicas are the cluster autoscaler's.
const autoscaled = "cluster.x-k8s.io/cluster-api-autoscaler-node-group-min-size"

var (
	infraCluster        = groupKind{infrastructure, "Metal3Cluster"}
	machineTemplate     = groupKind{infrastructure, "Metal3MachineTemplate"}
	kubeadmControlPlane = groupKind{"controlplane.cluster.x-k8s.io", "KubeadmControlPlane"}
	machineDeployment   = groupKind{"cluster.x-k8s.io", "MachineDeployment"}
)

// The versions of Cluster API's contract. What the two spell differently is patched by version.
const (
	v1beta1 = "v1beta1"
	v1beta2 = "v1beta2"
)

// FailureDomainLabel is the label of BareMetalHosts that metal3's provider reads as failure domain. It supports no
// other.
const FailureDomainLabel = infrastructure + "/failure-domain"

// maxDomains is how many failure domains a Metal3Cluster may have.
const maxDomains = 100

// minScaleIn is the smallest control plane that Cluster API lets go down by a machine before it goes up by one.
const minScaleIn = 3

// apiPort is the port of load balancers in front of API servers.
const apiPort = 6443

// cluster sets the endpoint of the API servers as far as the spec has it: for a node port, the port.
func (c *component) cluster() {
	target := object.PatchTarget{Group: infraCluster.group, Kind: infraCluster.kind}
	spec := map[string]any{}
	if host, port := endpoint(c.Cluster); port != 0 {
		at := map[string]any{"port": port}
		if host != "" {
			at["host"] = host
		}
		spec["controlPlaneEndpoint"] = at
	}
	c.own("metal3cluster.yaml", target, spec)
	byName, list := c.failureDomains()
	if len(list) == 0 {
		return
	}
	target.Version = v1beta1
	c.domains(target, byName)
	target.Version = v1beta2
	c.domains(target, list)
}

func (c *component) domains(target object.PatchTarget, domains any) {
	c.file("metal3cluster-"+target.Version+".yaml", target,
		partial{Kind: target.Kind, Metadata: metadata{Name: c.Cluster.Name},
			Spec: map[string]any{"failureDomains": domains}})
}

// endpoint returns the host and port of the first control plane load balancer. The host is empty where it is known
// only once there is a Service, or is that of any node; the port is 0 where hosts do not reach the Service.
func endpoint(cluster *v1.SIPCluster) (host string, port int32) {
	balancers := cluster.Spec.Services.LoadBalancerControlPlane
	if len(balancers) == 0 {
		return "", 0
	}
	balancer := &balancers[0]
	switch balancer.ExposureType(balancer.NodePort) {
	case corev1.ServiceTypeNodePort:
		return "", balancer.NodePort
	case corev1.ServiceTypeLoadBalancer:
		if addresses := balancer.Service.Service.Addresses(); len(addresses) > 0 {
			host = address(addresses[0])
		}
		return host, apiPort
	}
	if balancer.ClusterIP != nil {
		if host = address(*balancer.ClusterIP); host != "" {
			return host, apiPort
		}
	}
	return "", 0
}

// address returns an IP address as Go writes it, empty for all else.
func address(text string) string {
	ip, err := netip.ParseAddr(text)
	if err != nil {
		return ""
	}
	return ip.Unmap().WithZone("").String()
}

// failureDomains returns those of the control plane where it is spread by FailureDomainLabel, as the two versions of
// the API spell them.
func (c *component) failureDomains() (byName map[string]any, list []any) {
	set := c.Cluster.Spec.Nodes[v1.RoleControlPlane]
	if set.TopologyKey != FailureDomainLabel && !slices.Contains(set.TopologyKeys, FailureDomainLabel) {
		return nil, nil
	}
	byName = map[string]any{"$patch": "replace"} // a map would be merged with the object's own
	for _, domain := range slices.Compact(slices.Sorted(slices.Values(c.Domains))) {
		if domain == "" {
			continue
		}
		byName[domain] = map[string]any{"controlPlane": true}
		list = append(list, map[string]any{"name": domain, "controlPlane": true})
	}
	if len(list) > maxDomains {
		return nil, nil
	}
	return byName, list
}

// machines selects the hosts for the machines of a role. It replaces the template's selector: the placement has
// chosen already, and a narrower selector finds no host.
func (c *component) machines(role, file string) {
	selector := map[string]any{
		"$patch": "replace",
		"matchLabels": map[string]string{
			c.Keys.ClusterNamespace: c.Cluster.Namespace,
			c.Keys.ClusterName:      c.Cluster.Name,
			c.Keys.NodeType:         role,
		},
		"matchExpressions": []metav1.LabelSelectorRequirement{c.notStandby()},
	}
	spec := map[string]any{"hostSelector": selector}
	c.own(file, c.ofRole(machineTemplate, role), map[string]any{"template": map[string]any{"spec": spec}})
}

// notStandby excludes standby hosts by NotIn, because metal3's provider writes operators in lower case, and
// "doesnotexist" is invalid.
func (c *component) notStandby() metav1.LabelSelectorRequirement {
	return metav1.LabelSelectorRequirement{Key: c.Keys.Standby, Operator: metav1.LabelSelectorOpNotIn,
		Values: []string{"true"}}
}

// controlPlane sets how many control plane machines there are, and has them replaced by going down first: there is no
// host to go up on.
func (c *component) controlPlane(file string, active int) {
	target := object.PatchTarget{Group: kubeadmControlPlane.group, Kind: controlPlanes}
	c.file(file, target, c.owned(kubeadmControlPlane.kind, map[string]any{"replicas": active}))
	if active < minScaleIn {
		return
	}
	strategy := map[string]any{"type": "RollingUpdate", "rollingUpdate": map[string]any{"maxSurge": 0}}
	// In every version of the RKE2 and Talos providers that was read.
	target.Kind = "RKE2ControlPlane|TalosControlPlane"
	c.always(target, map[string]any{"rolloutStrategy": strategy})
	target.Kind, target.Version = kubeadmControlPlane.kind, v1beta1
	c.always(target, map[string]any{"rolloutStrategy": strategy})
	target.Version = v1beta2
	c.always(target, map[string]any{"rollout": map[string]any{"strategy": strategy}})
}

// deployment does for the machines of another role what controlPlane does, but for their number. The strategy's type is
// the user's: with OnDelete a new template replaces no machine.
func (c *component) deployment(role string) {
	target := c.ofRole(machineDeployment, role)
	c.inline(target, c.owned(target.Kind, nil))
	strategy := map[string]any{"rollingUpdate": map[string]any{"maxSurge": 0, "maxUnavailable": 1}}
	target.Version = v1beta1
	c.always(target, map[string]any{"strategy": strategy})
	target.Version = v1beta2
	c.always(target, map[string]any{"rollout": map[string]any{"strategy": strategy}})
}
