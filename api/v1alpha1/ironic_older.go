//lint:file-ignore SA1019 what upstream calls deprecated is what is moved here

package v1alpha1

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"

	ironic "github.com/airshipit/sipgen/api/ironic/v1alpha1"
)

// modernize moves the fields of earlier APIs to where they are today, each with a warning. A field that is given in both ways is a problem.
func (s *Site) modernizeIronic(add problem) {
	for n := range s.Spec.Services.Ironic {
		i := &s.Spec.Services.Ironic[n]
		m := &modernizer{site: s, at: fmt.Sprintf("spec.services.ironic[%d]", n), add: add}
		m.ironic(i)
	}
}

type modernizer struct {
	site *Site
	at   string
	add  problem
}

func (m *modernizer) ironic(i *Ironic) {
	switch i.APIVersion {
	case "", IronicAPIVersion:
	case OlderIronicAPIVersion:
		m.site.warn(m.at+".apiVersion", "found %s, which the operator has left: today's is %s", OlderIronicAPIVersion, IronicAPIVersion)
	default:
		m.add(m.at+".apiVersion", "found %q, want %s", i.APIVersion, IronicAPIVersion)
	}
	asked := i.MariaDB != nil && i.MariaDB.Name != ""
	m.database(i)
	m.ownName(i, asked)
	spec, older := &i.Spec, i.Spec.OlderIronicSpec
	m.reference("credentialsRef", older.CredentialsRef, "apiCredentialsName", &spec.APICredentialsName)
	m.reference("tlsRef", older.TLSRef, "tls.certificateName", &spec.TLS.CertificateName)
	m.text("ramdiskSSHKey", older.RamdiskSSHKey, "deployRamdisk.sshKey", &spec.DeployRamdisk.SSHKey)
	m.text("ramdiskExtraKernelParams", older.RamdiskExtraKernelParams, "deployRamdisk.extraKernelParams", &spec.DeployRamdisk.ExtraKernelParams)
	m.flag("disableVirtualMediaTLS", older.DisableVirtualMediaTLS, "tls.disableVirtualMediaTLS", &spec.TLS.DisableVirtualMediaTLS)
	m.flag("distributed", older.Distributed, "highAvailability", &spec.HighAvailability)
	if older.DisableRPCHostValidation != nil {
		m.moved("disableRPCHostValidation", "tls.insecureRPC", spec.TLS.InsecureRPC != nil)
		spec.TLS.InsecureRPC = older.DisableRPCHostValidation
	}
	m.deprecated(&spec.IronicSpec)
	spec.OlderIronicSpec = OlderIronicSpec{}
}

// deprecated moves the fields that today's API still has and is about to drop.
func (m *modernizer) deprecated(spec *ironic.IronicSpec) {
	net, tls := &spec.Networking, &spec.TLS
	if net.IPAddressManager == ironic.IPAddressManagerKeepalived {
		m.moved("networking.ipAddressManager", "networking.keepalived.enabled: true", net.Keepalived != nil)
		net.Keepalived, net.IPAddressManager = &ironic.KeepalivedConfig{Enabled: true}, ""
	}
	if name := tls.BMCCAName; name != "" {
		m.moved("tls.bmcCAName", "tls.bmcCA, with kind: Secret", tls.BMCCA != nil)
		tls.BMCCA, tls.BMCCAName = &ironic.ResourceReference{Name: name, Kind: ironic.ResourceKindSecret}, ""
	}
	if name := tls.TrustedCAName; name != "" {
		m.moved("tls.trustedCAName", "tls.trustedCA, with kind: ConfigMap", tls.TrustedCA != nil)
		reference := ironic.ResourceReference{Name: name, Kind: ironic.ResourceKindConfigMap}
		tls.TrustedCA, tls.TrustedCAName = &ironic.ResourceReferenceWithKey{ResourceReference: reference}, ""
	}
}

// database reads an IronicDatabase as a MariaDB, and what named it.
func (m *modernizer) database(i *Ironic) {
	older := &i.Spec.OlderIronicSpec
	field, name := "spec.databaseRef.name", ""
	if older.DatabaseRef != nil {
		name = older.DatabaseRef.Name
	} else if older.DatabaseName != "" {
		field, name = "spec.databaseName", older.DatabaseName
	}
	if db := i.IronicDatabase; db != nil {
		if i.MariaDB != nil {
			m.add(m.at+".ironicDatabase", "given beside mariaDB, want mariaDB alone")
			return
		}
		m.site.warn(m.at+".ironicDatabase", "the operator has no IronicDatabase any more: it is read as mariaDB with ephemeral: true, since it "+
			"had no volume; today's is mariaDB, with storageSize")
		i.MariaDB = &MariaDB{Name: db.Name, CredentialsName: db.CredentialsName, TLSCertificateName: db.TLSCertificateName, Image: db.Image, Ephemeral: true}
		if db.CredentialsRef != nil {
			set(&i.MariaDB.CredentialsName, db.CredentialsRef.Name)
		}
		if db.TLSRef != nil {
			set(&i.MariaDB.TLSCertificateName, db.TLSRef.Name)
		}
		set(&i.MariaDB.Name, name)
		i.IronicDatabase = nil
	}
	switch {
	case name == "":
	case i.MariaDB == nil:
		m.add(m.at+"."+field, "names an IronicDatabase, a kind that the operator has no more: want database, with host, name and credentialsName, "+
			"or mariaDB beside the spec")
	case i.MariaDB.Name != "" && i.MariaDB.Name != name:
		m.add(m.at+"."+field, "found %q, and the mariaDB beside the spec is %q", name, i.MariaDB.Name)
	default:
		i.MariaDB.Name = name
		m.site.warn(m.at+"."+field, "has no meaning today: mariaDB beside the spec is the database")
	}
}

// ownName leaves a database that was called as its Ironic is to the default name, unless today's API asked for it.
func (m *modernizer) ownName(i *Ironic, asked bool) {
	if db := i.MariaDB; db != nil && !asked && db.Name != "" && db.Name == i.Name {
		db.Name = ""
		m.site.warn(m.at+".mariaDB.name", "the database had the Ironic's name, and each has a Service of its name: the MariaDB is called %s-database", i.Name)
	}
}

// moved warns about a field that has another place today, or complains if both are given.
func (m *modernizer) moved(was, is string, both bool) {
	if both {
		m.add(m.at+".spec."+was, "given beside %s, which it is called today: want that alone", is)
		return
	}
	m.site.warn(m.at+".spec."+was, "today's API has it as %s", is)
}

func (m *modernizer) text(was, value, is string, field *string) {
	if value == "" {
		return
	}
	m.moved(was, is, *field != "")
	set(field, value)
}

func (m *modernizer) reference(was string, value *corev1.LocalObjectReference, is string, field *string) {
	if value != nil {
		m.text(was, value.Name, is, field)
	}
}

func (m *modernizer) flag(was string, value bool, is string, field *bool) {
	if value {
		m.moved(was, is, false)
		*field = true
	}
}
