package v1alpha1

import (
	"net/netip"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/airshipit/sipgen/inventory"
)

// ApplyMode is the way of host patches to the BareMetalHosts.
// +kubebuilder:validation:Enum=merge;overlay
type ApplyMode string

const (
	// ApplyMerge renders partial objects, merged server-side into hosts that live in the cluster.
	ApplyMerge ApplyMode = "merge"
	// ApplyOverlay renders a kustomize overlay over host manifests that are in git.
	ApplyOverlay ApplyMode = "overlay"
)

// Hosts is the site's BareMetalHosts, and the way of their patches.
type Hosts struct {
	// Namespaces of the hosts and the guards. Several sites on one API server each require their own. Default:
	// all.
	// +kubebuilder:validation:MaxItems=1000
	// +optional
	Namespaces []string `json:"namespaces,omitempty"`
	// Namespaces of hosts that may also have SIPClusters or site services, for bmc.access redfish. Tenants there
	// can read BMC credentials. Default: none.
	// +kubebuilder:validation:MaxItems=100
	// +optional
	SharedNamespaces []string `json:"sharedNamespaces,omitempty"`
	// Namespaces of HostClaims for the site's hosts. A HostClaim can select any host: name only namespaces of the
	// platform. Requires namespaces. Default: none.
	// +kubebuilder:validation:MaxItems=100
	// +optional
	ClaimNamespaces []string `json:"claimNamespaces,omitempty"`
	// Hosts to release that are labeled for a cluster unknown to specs and tree. Default: none.
	// +kubebuilder:validation:MaxItems=100
	// +optional
	Release []HostRelease `json:"release,omitempty"`
	// Reserved hosts: for tenants, or spares. Reservations are filled in this order, before all clusters. Default:
	// none.
	// +kubebuilder:validation:MaxItems=100
	// +optional
	Reserved []Reservation `json:"reserved,omitempty"`
	// Networks of the hosts, with allowed addresses. Default: any; an annotation's address must lie in the network
	// of networkData.
	// +kubebuilder:validation:MaxItems=200
	// +optional
	Networks []HostNetwork `json:"networks,omitempty"`
	// merge (default) patches live hosts; overlay patches host manifests in git.
	// +optional
	Apply ApplyMode `json:"apply,omitempty"`
	// Folder with the kustomization of the host manifests, outside the tree. Required with apply: overlay, else
	// not allowed.
	// +optional
	Base string `json:"base,omitempty"`
}

// Reservation is hosts that are eligible for some tenants alone, that are kept for them, or spares.
type Reservation struct {
	// Name of the reservation, for messages.
	// +kubebuilder:validation:MaxLength=63
	Name string `json:"name"`
	// Selector of the hosts, by labels; {} for all.
	Selector *metav1.LabelSelector `json:"selector"`
	// Tenants of spec.tenants. Without a count, no other tenant's clusters get these hosts.
	// +kubebuilder:validation:MaxItems=100
	// +optional
	Tenants []string `json:"tenants,omitempty"`
	// Number of hosts. With tenants: their hosts, and free ones reserved for them. Without tenants: spares, which only
	// replacements get. Default: every selected host, for the tenants alone.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100000
	// +optional
	Count *int `json:"count,omitempty"`
}

// HostNetwork is a network on which hosts have addresses. Several entries of one network add up.
type HostNetwork struct {
	// Network ID in network data, annotations and nodeInterfaceId.
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`
	// Allowed addresses, as networks in CIDR notation.
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=200
	Addresses []string `json:"addresses"`
	// Namespaces of hosts with these addresses. Default: all.
	// +kubebuilder:validation:MaxItems=200
	// +optional
	Namespaces []string `json:"namespaces,omitempty"`
}

// HostRelease asks to release hosts of a cluster that sipgen does not know.
type HostRelease struct {
	// Cluster in the hosts' labels, NAMESPACE/NAME.
	Cluster string `json:"cluster"`
	// Hosts, NAMESPACE/NAME or a unique NAME. A host in use is released once unused.
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=1000
	Hosts []string `json:"hosts"`
}

// LabelKeys are label keys on hosts. They default to SIP's: sip.airshipit.org/cluster-namespace,
// cluster-name, node-type, and standby.
type LabelKeys struct {
	// Key of the cluster's namespace. Default sip.airshipit.org/cluster-namespace.
	// +optional
	ClusterNamespace string `json:"clusterNamespace,omitempty"`
	// Key of the cluster's name. Default sip.airshipit.org/cluster-name.
	// +optional
	ClusterName string `json:"clusterName,omitempty"`
	// Key of the role. Default sip.airshipit.org/node-type.
	// +optional
	NodeType string `json:"nodeType,omitempty"`
	// Key of the mark of standby hosts. Default sip.airshipit.org/standby.
	// +optional
	Standby string `json:"standby,omitempty"`
}

// LabelGuard protects the labels that assign hosts, and the approvals of releases. Only the identities that sync the
// site, Writers and the break-glass groups may write them.
type LabelGuard struct {
	// True denies every change by other users. False (default) denies the changes to hosts in use, and records the other
	// changes in the audit log.
	// +optional
	Enforce bool `json:"enforce,omitempty"`
	// Users (kubectl auth whoami) that may write the labels, also of hosts in use, for example to restore a backup.
	// Default: none.
	// +kubebuilder:validation:MaxItems=100
	// +kubebuilder:validation:items:MaxLength=256
	// +optional
	Writers []string `json:"writers,omitempty"`
}

// HostNetworks returns the networks of the hosts, as package inventory has them.
func (s *Site) HostNetworks() (out []inventory.HostNetwork) {
	for i := range s.Spec.Hosts.Networks {
		network := &s.Spec.Hosts.Networks[i]
		out = append(out, inventory.HostNetwork{Name: network.Name, Addresses: network.Prefixes(),
			Namespaces: network.Namespaces})
	}
	return out
}

// Prefixes returns the addresses of the network in a valid Site.
func (n *HostNetwork) Prefixes() []netip.Prefix {
	prefixes := make([]netip.Prefix, 0, len(n.Addresses))
	for _, text := range n.Addresses {
		if prefix, err := netip.ParsePrefix(text); err == nil {
			prefixes = append(prefixes, prefix)
		}
	}
	return prefixes
}
