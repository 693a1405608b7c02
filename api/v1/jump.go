package v1

// JumpHost is an SSH jump pod in front of the cluster's hosts.
type JumpHost struct {
	Service `json:",inline"`
	// Node port on the management cluster.
	// +optional
	NodePort int32 `json:"nodePort,omitempty"`
	// BMC access.
	// +optional
	BMC *BMC `json:"bmc,omitempty"`
	// Public keys of users, as in authorized_keys, without options.
	// +optional
	SSHAuthorizedKeys []string `json:"sshAuthorizedKeys,omitempty"`
	// Public key of the users' SSH certificate authority.
	// +optional
	TrustedUserCA string `json:"trustedUserCA,omitempty"`
	// Secret with private keys for the cluster's hosts.
	// +optional
	NodeSSHPrivateKeys string `json:"nodeSSHPrivateKeys,omitempty"`
	// Secret with the pod's SSH host keys. Default: the jump host's name with "-host-keys".
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
	// Keeps the proxy variables for BMC traffic. Default false.
	// +optional
	Proxy bool `json:"proxy,omitempty"`
	// metal3 (default) uses the reboot annotation, redfish mounts the hosts' BMC Secrets, none has no access.
	// +kubebuilder:validation:Enum=metal3;redfish;none
	// +optional
	Access string `json:"access,omitempty"`
}
