package v1alpha1

import (
	"encoding/json"

	"k8s.io/apimachinery/pkg/api/resource"
)

// Ironic is one Ironic of metal3's ironic-standalone-operator, which has to be installed.
type Ironic struct {
	// Name of the Ironic.
	Name string `json:"name"`
	// Namespace of the Ironic and its Secrets.
	Namespace string `json:"namespace"`
	// Creates the ConfigMap ironic for the baremetal-operator. Default false.
	// +optional
	BMOConfigMap bool `json:"bmoConfigMap,omitempty"`
	// Namespace of the baremetal-operator and the ConfigMap ironic. Default: the Ironic's.
	// +optional
	BMONamespace string `json:"bmoNamespace,omitempty"`
	// Database of the mariadb-operator, in place of spec.database. Default: none.
	// +optional
	MariaDB *MariaDB `json:"mariaDB,omitempty"`
	// Spec of an Ironic (ironic.metal3.io/v1alpha1). Default: the manifest of this name and namespace.
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=object
	// +kubebuilder:pruning:PreserveUnknownFields
	// +optional
	Spec IronicSpec `json:"spec,omitzero"`
	// Version of the spec. Default ironic.metal3.io/v1alpha1; metal3.io/v1alpha1 is read with a warning.
	// +optional
	APIVersion string `json:"apiVersion,omitempty"`
	// Spec of an IronicDatabase, read as mariaDB without a volume, with a warning.
	// +optional
	IronicDatabase *OlderDatabase `json:"ironicDatabase,omitempty"`
}

// MariaDB is a database of the mariadb-operator for one Ironic, in its namespace.
type MariaDB struct {
	// Name of the MariaDB, Database, User and Grant. Default: the Ironic's name with -database.
	// +optional
	Name string `json:"name,omitempty"`
	// Secret with username and password. Default: the MariaDB's name.
	// +optional
	CredentialsName string `json:"credentialsName,omitempty"`
	// Secret with the password of root. Default: the MariaDB's name with -root.
	// +optional
	RootCredentialsName string `json:"rootCredentialsName,omitempty"`
	// User name in the Secret. Default ironic.
	// +optional
	Username string `json:"username,omitempty"`
	// Secret with tls.crt and tls.key for NAME.NAMESPACE.svc, and ca.crt. Requires TLS of clients. Default: no
	// TLS.
	// +optional
	TLSCertificateName string `json:"tlsCertificateName,omitempty"`
	// Image of the database. Default: the mariadb-operator's.
	// +optional
	Image string `json:"image,omitempty"`
	// Number of replicas; Galera from two on. Default 1.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=9
	// +optional
	Replicas int32 `json:"replicas,omitempty"`
	// Size of each replica's volume, for example 10Gi. Required unless ephemeral is true.
	// +optional
	StorageSize *resource.Quantity `json:"storageSize,omitempty"`
	// Storage class of the volumes. Default: the cluster's.
	// +optional
	StorageClassName string `json:"storageClassName,omitempty"`
	// Uses no volume: a restart of the database loses Ironic's hosts. Default false.
	// +optional
	Ephemeral bool `json:"ephemeral,omitempty"`
}

// OlderDatabase is the spec of an IronicDatabase, in either of its spellings.
type OlderDatabase struct {
	// Name of the IronicDatabase.
	// +optional
	Name string `json:"name,omitempty"`
	// Secret with username and password.
	// +optional
	CredentialsName string `json:"credentialsName,omitempty"`
	// Secret with username and password, in the first API.
	// +optional
	CredentialsRef *SecretRef `json:"credentialsRef,omitempty"`
	// Image of the database.
	// +optional
	Image string `json:"image,omitempty"`
	// Secret with the certificate.
	// +optional
	TLSCertificateName string `json:"tlsCertificateName,omitempty"`
	// Secret with the certificate, in the first API.
	// +optional
	TLSRef *SecretRef `json:"tlsRef,omitempty"`
}

// SecretRef names a Secret as the first API did.
type SecretRef struct {
	// Name of the Secret.
	Name string `json:"name,omitempty"`
}

// IronicAPIVersion is today's, OlderIronicAPIVersion the first.
const (
	IronicAPIVersion      = "ironic.metal3.io/v1alpha1"
	OlderIronicAPIVersion = "metal3.io/v1alpha1"
)

// Key returns the Ironic's "namespace/name".
func (i *Ironic) Key() string { return i.Namespace + "/" + i.Name }

func (i *Ironic) defaults() {
	if i.Name == "" || i.Namespace == "" {
		return
	}
	// Left out, the operator makes one and writes it into the spec, and a replaced Ironic has other credentials.
	set(&i.Spec.APICredentialsName, i.Name+"-api-credentials")
	if i.BMOConfigMap {
		set(&i.BMONamespace, i.Namespace)
	}
	if i.MariaDB == nil {
		return
	}
	db := i.MariaDB
	set(&db.Name, i.Name+"-database")
	set(&db.CredentialsName, db.Name)
	set(&db.RootCredentialsName, db.Name+"-root")
	set(&db.Username, "ironic")
	set(&db.Replicas, 1)
}

// Database returns the database of the Ironic, nil for none.
func (i *Ironic) Database() *IronicDatabase {
	if i.MariaDB == nil {
		return i.Spec.Database
	}
	return &IronicDatabase{
		CredentialsName: i.MariaDB.CredentialsName, Host: i.MariaDB.Name + "." + i.Namespace + ".svc",
		Name:               i.MariaDB.Name,
		TLSCertificateName: i.MariaDB.TLSCertificateName,
	}
}

// UnmarshalJSON reads what sipgen knows of the spec.
func (d *OlderDatabase) UnmarshalJSON(text []byte) error {
	type fields OlderDatabase
	return json.Unmarshal(text, (*fields)(d))
}

// Network returns the provisioning network's name in an address space.
func (i *Ironic) Network() string { return "ironic/" + i.Key() }

// IronicPorts returns the ports that an Ironic opens on its nodes, by field, with the defaults of the operator.
func IronicPorts(spec *IronicSpec) []IronicPort {
	net := &spec.Networking
	ports := []IronicPort{
		{"networking.apiPort", net.APIPort, 6385}, {"networking.imageServerPort", net.ImageServerPort, 6180},
		{"networking.imageServerTLSPort", net.ImageServerTLSPort, 6183}, {"networking.rpcPort", net.RPCPort, 6189},
	}
	if spec.PrometheusExporter != nil && spec.PrometheusExporter.Enabled {
		ports = append(ports, IronicPort{"networking.prometheusExporterPort", net.PrometheusExporterPort, 9608})
	}
	for i := range ports {
		if ports[i].Port == 0 {
			ports[i].Port = ports[i].Default
		}
	}
	return ports
}

// IronicPort is a port by its field in the spec.
type IronicPort struct {
	Field         string
	Port, Default int32
}
