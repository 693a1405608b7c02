package v1

// JumpHost is an SSH jump pod in front of the cluster's hosts.
type JumpHost struct {
	Service `json:",inline"`
	// NodePort is the port on the management cluster's nodes.
	// +optional
	NodePort int32 `json:"nodePort,omitempty"`
	// BMC sets how the jump pod reaches the hosts' power control.
	// +optional
	BMC *BMC `json:"bmc,omitempty"`
	// SSHAuthorizedKeys are the keys that may log in, one line of authorized_keys each, without options.
	// +optional
	SSHAuthorizedKeys []string `json:"sshAuthorizedKeys,omitempty"`
	// TrustedUserCA is the public key of an SSH certificate authority whose user certificates may log in.
	// +optional
	TrustedUserCA string `json:"trustedUserCA,omitempty"`
	// NodeSSHPrivateKeys is the name of a Secret with the private keys for the cluster's hosts.
	// +optional
	NodeSSHPrivateKeys string `json:"nodeSSHPrivateKeys,omitempty"`
	// HostKeys is the name of a Secret with the pod's own SSH host keys. Default: the jump
	// host's name with "-host-keys".
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
	// Proxy keeps the proxy variables for BMC traffic. Default: they are cleared.
	// +optional
	Proxy bool `json:"proxy,omitempty"`
	// Access is by metal3 (default; the reboot annotations, no credentials), redfish (mounts the hosts'
	// BMC Secrets) or none.
	// +kubebuilder:validation:Enum=metal3;redfish;none
	// +optional
	Access string `json:"access,omitempty"`
}
