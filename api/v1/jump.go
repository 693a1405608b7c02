package v1

// JumpHost is an SSH jump pod in front of the cluster's hosts.
type JumpHost struct {
	Service `json:",inline"`
	// Port on the management cluster's nodes.
	// +optional
	NodePort int32 `json:"nodePort,omitempty"`
	// Access to the hosts' BMCs.
	// +optional
	BMC *BMC `json:"bmc,omitempty"`
	// Public keys of users, one line of authorized_keys each, without options.
	// +optional
	SSHAuthorizedKeys []string `json:"sshAuthorizedKeys,omitempty"`
	// Public key of the SSH certificate authority for users.
	// +optional
	TrustedUserCA string `json:"trustedUserCA,omitempty"`
	// Name of a Secret with private keys for the cluster's hosts.
	// +optional
	NodeSSHPrivateKeys string `json:"nodeSSHPrivateKeys,omitempty"`
	// Name of a Secret with the pod's SSH host keys. Default: the jump host's name with "-host-keys".
	// +optional
	HostKeys string `json:"hostKeys,omitempty"`
}

// The ways to power control.
const (
	BMCMetal3  = "metal3"
	BMCRedfish = "redfish"
	BMCNone    = "none"
)

// BMC is how a jump pod reaches power control.
type BMC struct {
	// True keeps the proxy variables for BMC traffic; false clears them. Default false.
	// +optional
	Proxy bool `json:"proxy,omitempty"`
	// Method: metal3 (default, by the reboot annotation), redfish (mounts the hosts' BMC Secrets) or none.
	// +kubebuilder:validation:Enum=metal3;redfish;none
	// +optional
	Access string `json:"access,omitempty"`
}
