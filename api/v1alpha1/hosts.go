package v1alpha1

// ApplyMode is how host patches reach the BareMetalHosts.
// +kubebuilder:validation:Enum=merge;overlay
type ApplyMode string

const (
	// ApplyMerge renders partial objects, merged server-side into hosts that live in the cluster.
	ApplyMerge ApplyMode = "merge"
	// ApplyOverlay renders a kustomize overlay over host manifests that are in git.
	ApplyOverlay ApplyMode = "overlay"
)

// Hosts says which BareMetalHosts are the site's and how they are patched.
type Hosts struct {
	// Namespaces of the hosts and of the guards. Required for several sites on one API server, which must not
	// share one. Default: all.
	// +optional
	Namespaces []string `json:"namespaces,omitempty"`
	// Namespaces with hosts that may also have SIPClusters or site services, as bmc.access redfish needs. Their
	// owners can read the hosts' BMC credentials. Default: none.
	// +optional
	SharedNamespaces []string `json:"sharedNamespaces,omitempty"`
	// Namespaces with HostClaims of metal3 that may use hosts of spec.hosts.namespaces. A HostClaim can select
	// any host: name only the platform's namespaces. Default: none.
	// +kubebuilder:validation:MaxItems=100
	// +optional
	ClaimNamespaces []string `json:"claimNamespaces,omitempty"`
	// Hosts to release, with labels of a cluster that neither specs nor tree have. Others of this kind are left
	// alone. Delete an entry when its hosts are free.
	// +kubebuilder:validation:MaxItems=100
	// +optional
	Release []HostRelease `json:"release,omitempty"`
	// Networks on which services reach hosts, with allowed addresses. If set, addresses elsewhere are ignored.
	// Default: any network; an annotation's address must lie in the network of the host's networkData, if
	// known.
	// +kubebuilder:validation:MaxItems=200
	// +optional
	Networks []HostNetwork `json:"networks,omitempty"`
	// merge (default) patches live hosts; overlay patches host manifests in git.
	// +optional
	Apply ApplyMode `json:"apply,omitempty"`
	// Kustomization folder of the host manifests in the repository, outside the tree. Only with apply: overlay,
	// and then required.
	// +optional
	Base string `json:"base,omitempty"`
}

// HostNetwork is a network on which hosts have addresses. One that is listed several times has all their addresses.
type HostNetwork struct {
	// Id of the network in network data, annotations and nodeInterfaceId.
	Name string `json:"name"`
	// Allowed networks, in CIDR notation.
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=200
	Addresses []string `json:"addresses"`
	// Namespaces of the hosts with these addresses; no other tenant's host can take them. Default: all.
	// +kubebuilder:validation:MaxItems=200
	// +optional
	Namespaces []string `json:"namespaces,omitempty"`
}

// HostRelease asks to release hosts of a cluster that sipgen does not know.
type HostRelease struct {
	// Cluster in the hosts' labels, NAMESPACE/NAME. Hosts of other clusters are ignored.
	Cluster string `json:"cluster"`
	// Hosts by NAMESPACE/NAME, or by a unique NAME. A host in use is released when it is unused.
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
	// Key of standby hosts. Default sip.airshipit.org/standby.
	// +optional
	Standby string `json:"standby,omitempty"`
}
