package ironic

import (
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/airshipit/sipgen/api/v1alpha1"
	siteobject "github.com/airshipit/sipgen/render/site"
)

// The part of the mariadb-operator's API (k8s.mariadb.com/v1alpha1) that sipgen writes, as the
// ironic-standalone-operator's own tests do (test/database.yaml and test/helpers/database.go there). Its Go module
// brings the whole operator with it.

const mariaDBVersion = "k8s.mariadb.com/v1alpha1"

type mariaObject struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              any `json:"spec"`
}

type secretKey struct {
	Name string `json:"name"`
	Key  string `json:"key"`
}

type mariaRef struct {
	Name      string `json:"name"`
	WaitForIt bool   `json:"waitForIt"`
}

type mariaDBSpec struct {
	RootPasswordSecretKeyRef secretKey    `json:"rootPasswordSecretKeyRef"`
	Image                    string       `json:"image,omitempty"`
	Replicas                 int32        `json:"replicas,omitempty"`
	Galera                   *galera      `json:"galera,omitempty"`
	Storage                  mariaStorage `json:"storage"`
	TLS                      *mariaTLS    `json:"tls,omitempty"`
}

type galera struct {
	Enabled bool `json:"enabled"`
}

// mariaTLS: the operator requires the CA next to a certificate that it did not make.
type mariaTLS struct {
	Enabled             bool       `json:"enabled"`
	Required            bool       `json:"required"`
	ServerCASecretRef   secretName `json:"serverCASecretRef"`
	ServerCertSecretRef secretName `json:"serverCertSecretRef"`
}

type secretName struct {
	Name string `json:"name"`
}

type mariaStorage struct {
	Ephemeral        bool               `json:"ephemeral,omitempty"`
	Size             *resource.Quantity `json:"size,omitempty"`
	StorageClassName string             `json:"storageClassName,omitempty"`
}

type databaseSpec struct {
	MariaDBRef    mariaRef `json:"mariaDbRef"`
	CharacterSet  string   `json:"characterSet"`
	Collate       string   `json:"collate"`
	CleanupPolicy string   `json:"cleanupPolicy"`
}

type userSpec struct {
	MariaDBRef           mariaRef  `json:"mariaDbRef"`
	Name                 string    `json:"name"`
	PasswordSecretKeyRef secretKey `json:"passwordSecretKeyRef"`
	MaxUserConnections   int       `json:"maxUserConnections"`
	Host                 string    `json:"host"`
	CleanupPolicy        string    `json:"cleanupPolicy"`
}

type grantSpec struct {
	MariaDBRef    mariaRef `json:"mariaDbRef"`
	Privileges    []string `json:"privileges"`
	Database      string   `json:"database"`
	Table         string   `json:"table"`
	Username      string   `json:"username"`
	Host          string   `json:"host"`
	CleanupPolicy string   `json:"cleanupPolicy"`
}

// keepInDatabase leaves what is in the database alone when the object goes.
const keepInDatabase = "Skip"

// database returns the MariaDB of an Ironic with all that it needs in it, nothing without one.
func database(site *v1alpha1.Site, i *v1alpha1.Ironic) []any {
	db := i.MariaDB
	if db == nil {
		return nil
	}
	of := func(kind string, spec any) any {
		return mariaObject{metav1.TypeMeta{APIVersion: mariaDBVersion, Kind: kind},
			siteobject.Meta(site, i.Namespace, db.Name), spec}
	}
	maria := mariaDBSpec{
		RootPasswordSecretKeyRef: secretKey{db.RootCredentialsName, "password"}, Image: db.Image, Replicas: db.Replicas,
		Storage: mariaStorage{db.Ephemeral, db.StorageSize, db.StorageClassName},
	}
	if name := db.TLSCertificateName; name != "" {
		maria.TLS = &mariaTLS{Enabled: true, Required: true, ServerCASecretRef: secretName{name},
			ServerCertSecretRef: secretName{name}}
	}
	if db.Replicas > 1 {
		maria.Galera = &galera{Enabled: true}
	}
	ref := mariaRef{db.Name, true}
	return []any{
		of("MariaDB", maria),
		of("Database", databaseSpec{ref, "utf8", "utf8_general_ci", keepInDatabase}),
		of("User", userSpec{ref, db.Username, secretKey{db.CredentialsName, "password"}, 100, "%", keepInDatabase}),
		of("Grant", grantSpec{ref, []string{"ALL PRIVILEGES"}, db.Name, "*", db.Username, "%", keepInDatabase}),
	}
}
