package v1

// JumpHost is an SSH jump pod in front of the cluster's hosts.
type JumpHost struct {
	Service `json:",inline"`
	// ID of the network on which the service reaches the hosts, as in the hosts' network data.
	// +kubebuilder:validation:Pattern=`^([A-Za-z0-9]([A-Za-z0-9._:-]*[A-Za-z0-9])?)?$`
	// +kubebuilder:validation:MaxLength=128
	NodeInterface string `json:"nodeInterfaceId"`
	// Node port on the management cluster. Default: none.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=65535
	// +optional
	NodePort int32 `json:"nodePort,omitempty"`
	// Access to the power control of the cluster's hosts.
	// +optional
	BMC *BMC `json:"bmc,omitempty"`
	// Public SSH keys of users, as in authorized_keys, without options. Without keys and trustedUserCA, no login
	// works.
	// +kubebuilder:validation:MaxItems=200
	// +optional
	SSHAuthorizedKeys []string `json:"sshAuthorizedKeys,omitempty"`
	// Public key of the users' SSH certificate authority. Default: none.
	// +optional
	TrustedUserCA string `json:"trustedUserCA,omitempty"`
	// Secret with SSH private keys for the cluster's hosts. Default: none.
	// +optional
	NodeSSHPrivateKeys string `json:"nodeSSHPrivateKeys,omitempty"`
	// Secret with the jump host's own SSH keys. Default: the Service's name with "-host-keys".
	// +optional
	HostKeys string `json:"hostKeys,omitempty"`
}

// The ways to power control.
const (
	BMCMetal3  = "metal3"
	BMCRedfish = "redfish"
	BMCNone    = "none"
)

// BMC is a jump pod's access to power control.
type BMC struct {
	// Keeps the proxy variables for BMC traffic. Default false.
	// +optional
	Proxy bool `json:"proxy,omitempty"`
	// metal3 (default) sets metal3's reboot annotation, redfish mounts the hosts' BMC Secrets, none gives no
	// access.
	// +kubebuilder:validation:Enum=metal3;redfish;none
	// +optional
	Access string `json:"access,omitempty"`
}
