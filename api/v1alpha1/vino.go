package v1alpha1

import (
	"encoding/json"
	"maps"
	"net/netip"
	"strings"
)

// VirtualHosts is virtual machines that act as hosts, made by ViNO, which must be installed. ViNO creates the
// BareMetalHosts; sipgen lists them in PLAN.md.
type VirtualHosts struct {
	// Name of the Vino.
	Name string `json:"name"`
	// Namespace of the Vino, a prefix of its hosts' names.
	Namespace string `json:"namespace"`
	// Namespace of ViNO's controller (RUNTIME_NAMESPACE) and the hosts. Default vino-system.
	// +optional
	HostNamespace string `json:"hostNamespace,omitempty"`
	// Secret in Flux's namespace with bmc_username and bmc_password. Required with Flux. Not with Argo CD: apply
	// the credentials as in PLAN.md.
	// +optional
	CredentialsSecret string `json:"credentialsSecret,omitempty"`
	// Nodes of spec.nodeSelector, in ViNO's order, for the preview. Default: none.
	// +kubebuilder:validation:MaxItems=5000
	// +optional
	Nodes []VirtualHostNode `json:"nodes,omitempty"`
	// Tenants that may have the hosts. Default: all, within their grants.
	// +kubebuilder:validation:MaxItems=1000
	// +optional
	Tenants []string `json:"tenants,omitempty"`
	// Spec of a Vino (airship.airshipit.org/v1), without bmcCredentials. Default: the manifest of this name and
	// namespace.
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=object
	// +kubebuilder:pruning:PreserveUnknownFields
	// +optional
	Spec VinoSpec `json:"spec,omitzero"`

	// Former reports that fields of the spec are those of an earlier API. Not part of the API.
	Former bool `json:"-"`
}

// VirtualHostNode is a Kubernetes node that has virtual machines.
type VirtualHostNode struct {
	// Name of the node.
	Name string `json:"name"`
	// InternalIP of the node and the BMCs of its hosts. Default: none.
	// +optional
	Address string `json:"address,omitempty"`
	// Labels of the node, for spec.nodeLabelKeysToCopy. Default: none.
	// +kubebuilder:validation:MaxProperties=1000
	// +optional
	Labels map[string]string `json:"labels,omitempty"`
}

// VirtualHostsLabel is on every host of a Vino, with "<namespace>.<name>" of that. Grants select by it.
const VirtualHostsLabel = "sipgen.airshipit.org/virtual-hosts"

// Group returns the value of VirtualHostsLabel on the hosts.
func (v *VirtualHosts) Group() string { return v.Namespace + "." + v.Name }

// NetworkLabelPrefix plus the name of a network is a label, with an empty value, of each host of a Vino with an
// interface on that network. ViNO has no label of its own for that. Example: networks.vino.airshipit.org/oam.
const NetworkLabelPrefix = "networks.vino.airshipit.org/"

// HostLabels returns the labels of a set's hosts: those of the set, those of its networks unless the set has them, and
// VirtualHostsLabel.
func (v *VirtualHosts) HostLabels(set *VinoNodeSet) map[string]string {
	out := map[string]string{}
	for i := range set.NetworkInterfaces {
		out[NetworkLabelPrefix+set.NetworkInterfaces[i].NetworkName] = ""
	}
	maps.Copy(out, set.BMHLabels)
	out[VirtualHostsLabel] = v.Group()
	return out
}

// Key returns the Vino's "namespace/name".
func (v *VirtualHosts) Key() string { return v.Namespace + "/" + v.Name }

// ViNO's own defaults.
const (
	VinoDefaultBitStep   = 4
	VinoDefaultMACPrefix = "02:00:00:00:00:00"
	VinoBridgeGateway    = "$vinobridge"
	vinoDefaultNamespace = "vino-system"
)

// VinoSpec is a Vino's spec: all of it in Written, and the fields that sipgen reads.
type VinoSpec struct {
	Written `json:"-"`

	NodeSelector        *VinoNodeSelector `json:"nodeSelector,omitempty"`
	Networks            []VinoNetwork     `json:"networks,omitempty"`
	Nodes               []VinoNodeSet     `json:"nodes,omitempty"`
	DaemonSetOptions    VinoDaemonSet     `json:"daemonSetOptions,omitzero"`
	NodeLabelKeysToCopy []string          `json:"nodeLabelKeysToCopy,omitempty"`
	PXEBootImageHost    string            `json:"pxeBootImageHost,omitempty"`
}

// UnmarshalJSON reads a spec as it is written.
func (s *VinoSpec) UnmarshalJSON(text []byte) error {
	type fields VinoSpec
	*s = VinoSpec{}
	return readWritten(text, &s.Written, (*fields)(s))
}

// MarshalJSON writes all of the spec.
func (s VinoSpec) MarshalJSON() ([]byte, error) { return json.Marshal(s.Object()) }

// Object returns a copy of the spec for the tree.
func (s *VinoSpec) Object() map[string]any {
	type fields VinoSpec
	return s.object(fields(*s))
}

// VinoNodeSelector selects the nodes that get virtual machines.
type VinoNodeSelector struct {
	MatchLabels map[string]string `json:"matchLabels"`
}

// VinoNetwork is a network of the virtual machines.
type VinoNetwork struct {
	Name                  string      `json:"name,omitempty"`
	SubNet                string      `json:"subnet,omitempty"`
	DHCPAllocationStart   string      `json:"dhcpAllocationStart,omitempty"`
	DHCPAllocationStop    string      `json:"dhcpAllocationStop,omitempty"`
	InstanceSubnetBitStep int         `json:"instanceSubnetBitStep,omitempty"`
	StaticAllocationStart string      `json:"staticAllocationStart,omitempty"`
	StaticAllocationStop  string      `json:"staticAllocationStop,omitempty"`
	Routes                []VinoRoute `json:"routes,omitempty"`
	MACPrefix             string      `json:"macPrefix,omitempty"`
	PhysicalInterface     string      `json:"physicalInterface,omitempty"`
	BridgeName            string      `json:"bridgeName,omitempty"`
}

// BitStep returns the bits of addresses of each node's DHCP range.
func (n *VinoNetwork) BitStep() int {
	if n.InstanceSubnetBitStep == 0 {
		return VinoDefaultBitStep
	}
	return n.InstanceSubnetBitStep
}

// FirstMAC returns the first assigned MAC address.
func (n *VinoNetwork) FirstMAC() string {
	if n.MACPrefix == "" {
		return VinoDefaultMACPrefix
	}
	return strings.ToLower(n.MACPrefix)
}

// VinoRoute is a route of the virtual machines. The gateway $vinobridge is the node's own bridge.
type VinoRoute struct {
	Gateway string `json:"gateway,omitempty"`
}

// VinoNodeSet is a number of equal virtual machines on each node.
type VinoNodeSet struct {
	Name                string             `json:"name,omitempty"`
	Count               int                `json:"count,omitempty"`
	BMHLabels           map[string]string  `json:"bmhLabels,omitempty"`
	NetworkInterfaces   []VinoInterface    `json:"networkInterfaces,omitempty"`
	NetworkDataTemplate VinoNamespacedName `json:"networkDataTemplate,omitzero"`
	BootInterfaceName   string             `json:"bootInterfaceName,omitempty"`
	RootDeviceName      string             `json:"rootDeviceName,omitempty"`
	DiskDrives          []VinoDisk         `json:"diskDrives,omitempty"`
}

// VinoNamespacedName names an object.
type VinoNamespacedName struct {
	Name      string `json:"name,omitempty"`
	Namespace string `json:"namespace,omitempty"`
}

// VinoDaemonSet has the images of what ViNO runs on the nodes.
type VinoDaemonSet struct {
	LibvirtImage string `json:"libvirtImage,omitempty"`
	SushyImage   string `json:"sushyImage,omitempty"`
	VinoBuilder  string `json:"vinoBuilderImage,omitempty"`
	NodeLabeler  string `json:"nodeAnnotatorImage,omitempty"`
}

// VinoInterface is an interface of a virtual machine.
type VinoInterface struct {
	Name        string `json:"name,omitempty"`
	NetworkName string `json:"network,omitempty"`
}

// VinoDisk is a disk of a virtual machine.
type VinoDisk struct {
	Path string `json:"path,omitempty"`
}

// Subnet returns the network without bits behind the prefix, which ViNO's own sample has.
func (n *VinoNetwork) Subnet() (netip.Prefix, bool) {
	prefix, err := netip.ParsePrefix(n.SubNet)
	return prefix.Masked(), err == nil && prefix.Addr().Is4()
}

// Network returns a network's name in an address space.
func (v *VirtualHosts) Network(n *VinoNetwork) string {
	return "virtualHosts/" + v.Key() + "/" + n.Name
}
