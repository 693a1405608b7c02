package api

import (
	"cmp"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/airshipit/sipgen/api/upstream"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/api/v1alpha1/validation"
)

// older are the fields of earlier APIs, and of today's that the operator is about to drop, with their places today.
var older = []struct {
	was, is string
	// also is set with it.
	also, value string
}{
	{was: "apiSecretName", is: "apiCredentialsName"},
	{was: "tlsSecretName", is: "tls.certificateName"},
	{was: "credentialsRef.name", is: "apiCredentialsName"},
	{was: "tlsRef.name", is: "tls.certificateName"},
	{was: "ramdiskSSHKey", is: "deployRamdisk.sshKey"},
	{was: "ramdiskExtraKernelParams", is: "deployRamdisk.extraKernelParams"},
	{was: "disableVirtualMediaTLS", is: "tls.disableVirtualMediaTLS"},
	{was: "distributed", is: "highAvailability"},
	{was: "disableRPCHostValidation", is: "tls.insecureRPC"},
	{was: "tls.bmcCAName", is: "tls.bmcCA.name", also: "tls.bmcCA.kind", value: "Secret"},
	{was: "tls.trustedCAName", is: "tls.trustedCA.name", also: "tls.trustedCA.kind", value: "ConfigMap"},
}

// readIronic moves the fields of earlier APIs to where they are today, each with a warning, and holds each spec
// against its definition. A field that is given in both ways is a problem.
func readIronic(s *v1alpha1.Site, add validation.Report) {
	for n := range s.Spec.Services.Ironic {
		i := &s.Spec.Services.Ironic[n]
		m := &modernizer{site: s, at: fmt.Sprintf("spec.services.ironic[%d]", n), add: add, spec: i.Spec.Written}
		if m.spec == nil {
			m.spec = map[string]any{}
		}
		m.ironic(i)
		checkDefinition(s, upstream.Ironic, m.at+".spec", m.spec, add)
		reread(s, m.at+".spec", m.spec, &i.Spec, add)
	}
}

type modernizer struct {
	site *v1alpha1.Site
	at   string
	add  validation.Report
	spec map[string]any
	// changed: a field was moved.
	changed bool
}

func (m *modernizer) ironic(i *v1alpha1.Ironic) {
	switch i.APIVersion {
	case "", v1alpha1.IronicAPIVersion:
	case v1alpha1.OlderIronicAPIVersion:
		m.site.Warn(m.at+".apiVersion", "found %s, which the operator has left: today's is %s",
			v1alpha1.OlderIronicAPIVersion, v1alpha1.IronicAPIVersion)
	default:
		m.site.Warn(m.at+".apiVersion", "found %q, and sipgen has the definition of %s in %s: the spec is rendered "+
			"as that", i.APIVersion, v1alpha1.IronicAPIVersion,
			upstream.Ironic.Origin)
	}
	asked := i.MariaDB != nil && i.MariaDB.Name != ""
	m.database(i)
	m.ownName(i, asked)
	for _, field := range older {
		m.move(field.was, field.is)
		if field.also != "" && m.has(field.is) && !m.has(field.also) {
			_ = unstructured.SetNestedField(m.spec, field.value, strings.Split(field.also, ".")...) // beside field.is
		}
	}
	const manager = "networking.ipAddressManager"
	if value, _, _ := unstructured.NestedString(m.spec, strings.Split(manager, ".")...); value == "keepalived" {
		m.take(manager)
		if m.moved(manager, "networking.keepalived", m.has("networking.keepalived")) {
			_ = unstructured.SetNestedField(m.spec, map[string]any{"enabled": true}, "networking",
				"keepalived") // networking is a mapping
		}
	}
}

func (m *modernizer) has(field string) bool {
	_, found, err := unstructured.NestedFieldNoCopy(m.spec, strings.Split(field, ".")...)
	return found && err == nil
}

// take removes a field, with the mapping around it if that is empty then.
func (m *modernizer) take(field string) any {
	path := strings.Split(field, ".")
	value, _, _ := unstructured.NestedFieldNoCopy(m.spec, path...)
	unstructured.RemoveNestedField(m.spec, path...)
	if around, is := m.spec[path[0]].(map[string]any); is && len(path) > 1 && len(around) == 0 {
		delete(m.spec, path[0])
	}
	return value
}

func (m *modernizer) move(was, is string) {
	if !m.has(was) {
		return
	}
	value := m.take(was)
	if !m.moved(strings.TrimSuffix(was, ".name"), is, m.has(is)) {
		return
	}
	if err := unstructured.SetNestedField(m.spec, value, strings.Split(is, ".")...); err != nil {
		m.add(m.at+".spec."+is, "want a mapping around it")
	}
}

// moved warns about a field that has another place today, or complains if both are given.
func (m *modernizer) moved(was, is string, both bool) bool {
	m.changed = true
	if both {
		m.add(m.at+".spec."+was, "given beside %s, which it is called today: want that alone", is)
		return false
	}
	m.site.Warn(m.at+".spec."+was, "today's API has it as %s", is)
	return true
}

// database reads an IronicDatabase as a MariaDB, and what named it.
func (m *modernizer) database(i *v1alpha1.Ironic) {
	field, name := "spec.databaseRef.name", ""
	if m.has("databaseRef.name") {
		name, _ = m.take("databaseRef.name").(string)
	} else if m.has("databaseName") {
		field = "spec.databaseName"
		name, _ = m.take("databaseName").(string)
	}
	if db := i.IronicDatabase; db != nil {
		if i.MariaDB != nil {
			m.add(m.at+".ironicDatabase", "given beside mariaDB, want mariaDB alone")
			return
		}
		m.site.Warn(m.at+".ironicDatabase",
			"the present operator has no IronicDatabase: it is read as mariaDB with ephemeral: true, since it "+
				"had no volume; today's is mariaDB, with storageSize")
		i.MariaDB = &v1alpha1.MariaDB{Name: db.Name, CredentialsName: db.CredentialsName,
			TLSCertificateName: db.TLSCertificateName, Image: db.Image, Ephemeral: true}
		if db.CredentialsRef != nil {
			i.MariaDB.CredentialsName = cmp.Or(i.MariaDB.CredentialsName, db.CredentialsRef.Name)
		}
		if db.TLSRef != nil {
			i.MariaDB.TLSCertificateName = cmp.Or(i.MariaDB.TLSCertificateName, db.TLSRef.Name)
		}
		i.MariaDB.Name = cmp.Or(i.MariaDB.Name, name)
		i.IronicDatabase = nil
	}
	switch {
	case name == "":
	case i.MariaDB == nil:
		m.add(m.at+"."+field, "names an IronicDatabase, a kind that the operator has no more: want database, with "+
			"host, name and credentialsName, "+
			"or mariaDB beside the spec")
	case i.MariaDB.Name != "" && i.MariaDB.Name != name:
		m.add(m.at+"."+field, "found %q, and the mariaDB beside the spec is %q", name, i.MariaDB.Name)
	default:
		i.MariaDB.Name = name
		m.site.Warn(m.at+"."+field, "has no meaning today: mariaDB beside the spec is the database")
	}
}

// ownName leaves a database that was called as its Ironic is to the default name, unless today's API asked for it.
func (m *modernizer) ownName(i *v1alpha1.Ironic, asked bool) {
	if db := i.MariaDB; db != nil && !asked && db.Name != "" && db.Name == i.Name {
		db.Name = ""
		m.site.Warn(m.at+".mariaDB.name", "the database had the Ironic's name, and each has a Service of its name: "+
			"the MariaDB is called %s-database", i.Name)
	}
}
