package v1alpha1

import "encoding/json"

// IronicSpec is an Ironic's spec: all of it in Written, and the fields that sipgen reads.
type IronicSpec struct {
	Written `json:"-"`

	APICredentialsName string              `json:"apiCredentialsName,omitempty"`
	Database           *IronicDatabase     `json:"database,omitempty"`
	DeployRamdisk      IronicRamdisk       `json:"deployRamdisk,omitzero"`
	ExtraConfig        []IronicOption      `json:"extraConfig,omitempty"`
	Images             IronicImages        `json:"images,omitzero"`
	Networking         IronicNetworking    `json:"networking,omitzero"`
	NetworkingService  *IronicSwitches     `json:"networkingService,omitempty"`
	Overrides          *IronicOverrides    `json:"overrides,omitempty"`
	PrometheusExporter *PrometheusExporter `json:"prometheusExporter,omitempty"`
	TLS                IronicTLS           `json:"tls,omitzero"`
	Version            string              `json:"version,omitempty"`
}

// UnmarshalJSON reads a spec as it is written.
func (s *IronicSpec) UnmarshalJSON(text []byte) error {
	type fields IronicSpec
	*s = IronicSpec{}
	return readWritten(text, &s.Written, (*fields)(s))
}

// MarshalJSON writes all of the spec.
func (s IronicSpec) MarshalJSON() ([]byte, error) { return json.Marshal(s.Object()) }

// Object returns a copy of the spec for the tree.
func (s *IronicSpec) Object() map[string]any {
	type fields IronicSpec
	return s.object(fields(*s))
}

// IronicDatabase is the database that an Ironic keeps its state in.
type IronicDatabase struct {
	CredentialsName    string `json:"credentialsName"`
	Host               string `json:"host"`
	Name               string `json:"name"`
	TLSCertificateName string `json:"tlsCertificateName,omitempty"`
}

// IronicRamdisk is the part of a deploy ramdisk's configuration that sipgen reads.
type IronicRamdisk struct {
	SSHKey string `json:"sshKey,omitempty"`
}

// IronicOption is an option of Ironic's configuration.
type IronicOption struct {
	Group string `json:"group,omitempty"`
	Name  string `json:"name,omitempty"`
	Value string `json:"value,omitempty"`
}

// IronicNetworking is where an Ironic answers.
type IronicNetworking struct {
	APIPort                int32             `json:"apiPort,omitempty"`
	DHCP                   *IronicDHCP       `json:"dhcp,omitempty"`
	ExternalIP             string            `json:"externalIP,omitempty"`
	ImageServerPort        int32             `json:"imageServerPort,omitempty"`
	ImageServerTLSPort     int32             `json:"imageServerTLSPort,omitempty"`
	IPAddress              string            `json:"ipAddress,omitempty"`
	Keepalived             *IronicKeepalived `json:"keepalived,omitempty"`
	MACAddresses           []string          `json:"macAddresses,omitempty"`
	PrometheusExporterPort int32             `json:"prometheusExporterPort,omitempty"`
	RPCPort                int32             `json:"rpcPort,omitempty"`
}

// IronicDHCP is the DHCP server of an Ironic.
type IronicDHCP struct {
	GatewayAddress string `json:"gatewayAddress,omitempty"`
	RangeBegin     string `json:"rangeBegin,omitempty"`
	RangeEnd       string `json:"rangeEnd,omitempty"`
}

// IronicKeepalived holds the address of an Ironic.
type IronicKeepalived struct {
	Enabled        bool        `json:"enabled"`
	AdditionalVIPs []IronicVIP `json:"additionalVIPs,omitempty"`
}

// IronicVIP is another address that keepalived holds.
type IronicVIP struct {
	IPAddress string `json:"ipAddress"`
}

// IronicSwitches names the Secrets of the networking service.
type IronicSwitches struct {
	Enabled                     bool   `json:"enabled,omitempty"`
	SwitchConfigSecretName      string `json:"switchConfigSecretName,omitempty"`
	SwitchCredentialsSecretName string `json:"switchCredentialsSecretName,omitempty"`
}

// IronicOverrides are the parts of Ironic's pods that sipgen looks for passwords in.
type IronicOverrides struct {
	AgentImages    []AgentImages     `json:"agentImages,omitempty"`
	Containers     []IronicContainer `json:"containers,omitempty"`
	InitContainers []IronicContainer `json:"initContainers,omitempty"`
}

// IronicImages are the images of Ironic's pods.
type IronicImages struct {
	DeployRamdiskDownloader string `json:"deployRamdiskDownloader,omitempty"`
	Ironic                  string `json:"ironic,omitempty"`
	Keepalived              string `json:"keepalived,omitempty"`
}

// IronicContainer is the part of a container that sipgen reads.
type IronicContainer struct {
	Image string `json:"image,omitempty"`
	Env   []struct {
		Name  string `json:"name"`
		Value string `json:"value,omitempty"`
	} `json:"env,omitempty"`
}

// AgentImages are the images of the deploy ramdisk.
type AgentImages struct {
	Kernel    string `json:"kernel"`
	Initramfs string `json:"initramfs"`
}

// PrometheusExporter exports the sensors of hosts.
type PrometheusExporter struct {
	Enabled bool `json:"enabled"`
}

// IronicTLS names certificates.
type IronicTLS struct {
	BMCCA           *IronicReference `json:"bmcCA,omitempty"`
	CertificateName string           `json:"certificateName,omitempty"`
	TrustedCA       *IronicReference `json:"trustedCA,omitempty"`
}

// IronicReference is a Secret or a ConfigMap.
type IronicReference struct {
	Kind string `json:"kind"`
	Name string `json:"name"`
}
