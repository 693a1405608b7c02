package v1alpha1

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	ironic "github.com/airshipit/sipgen/api/ironic/v1alpha1"
)

var (
	interfaceName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.:-]{0,14}$`)
	databaseHost  = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9.:-]*[A-Za-z0-9])?$`)
	databaseName  = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$`)
	publicKey     = regexp.MustCompile(`^(ssh-|ecdsa-|sk-)[A-Za-z0-9@.-]+ [A-Za-z0-9+/=]+( [^\r\n]*)?\n?$`)
	secretOption  = regexp.MustCompile(`(?i)(password|passwd|secret|token|private_key)`)
)

// validateIronic holds each Ironic to what the operator's webhook refuses, which is not there when a Site is written, and to what it does not see.
func (s *Site) validateIronic(add problem) {
	bmo := map[string]string{}
	eachService(s, "spec.services.ironic", s.Spec.Services.Ironic, add, func(one serviceCheck, i *Ironic) {
		c := &ironicCheck{one}
		checkName(c.at+".name", i.Name, add)
		checkName(c.at+".namespace", i.Namespace, add)
		if i.BMOConfigMap {
			checkName(c.at+".bmoNamespace", i.BMONamespace, add)
			if other, twice := bmo[i.BMONamespace]; twice {
				add(c.at+".bmoConfigMap", "the ConfigMap ironic in %s is that of %s: a baremetal-operator has one Ironic", i.BMONamespace, other)
			} else {
				bmo[i.BMONamespace] = c.at
			}
		} else if i.BMONamespace != "" {
			add(c.at+".bmoNamespace", "has no meaning without bmoConfigMap: true")
		}
		c.mariaDB(i)
		c.names(s.Spec.Services.Ironic, i)
		c.spec(&i.Spec.IronicSpec, i.Database() != nil)
	})
}

// ironicCheck checks one Ironic.
type ironicCheck struct{ serviceCheck }

func (c *ironicCheck) mariaDB(i *Ironic) {
	db := i.MariaDB
	if db == nil {
		return
	}
	at := c.at + ".mariaDB"
	for _, name := range []struct{ field, value string }{
		{"name", db.Name}, {"credentialsName", db.CredentialsName}, {"rootCredentialsName", db.RootCredentialsName},
	} {
		checkName(at+"."+name.field, name.value, c.add)
	}
	secretName(at+".tlsCertificateName", db.TLSCertificateName, c.add)
	optionalName(at+".storageClassName", db.StorageClassName, c.add)
	if !databaseName.MatchString(db.Username) {
		c.add(at+".username", "found %q, want a name of letters, digits, _ and -", db.Username)
	}
	checkImage(at+".image", db.Image, c.add)
	if db.Replicas < 1 || db.Replicas > 9 {
		c.add(at+".replicas", "found %d, want 1 to 9", db.Replicas)
	}
	switch {
	case db.StorageSize == nil && !db.Ephemeral:
		c.add(at+".storageSize", "missing: the size of the database's volume, as in 10Gi, or ephemeral: true for none")
	case db.StorageSize != nil && db.Ephemeral:
		c.add(at+".storageSize", "given beside ephemeral: true, which is without a volume")
	case db.StorageSize != nil && db.StorageSize.Sign() <= 0:
		c.add(at+".storageSize", "found %s, want more than nothing", db.StorageSize.String())
	}
	if i.Spec.Database != nil {
		c.say("database", "given beside mariaDB, which is the database: want one of them")
	}
}

// names keeps a MariaDB from having the name of an Ironic in its namespace, or of another MariaDB.
func (c *ironicCheck) names(all []Ironic, i *Ironic) {
	if i.MariaDB == nil {
		return
	}
	for n := range all {
		other := &all[n]
		if other.Namespace != i.Namespace {
			continue
		}
		//guard: two operators make one Service, and Ironic finds itself where its database should be
		if other.Name == i.MariaDB.Name {
			c.add(c.at+".mariaDB.name", "found %q, which Ironic %s is called: each has a Service of its name", i.MariaDB.Name, other.Key())
		}
		//guard: two Ironics have one database, and fight over the hosts
		if other != i && other.MariaDB != nil && other.MariaDB.Name == i.MariaDB.Name {
			c.add(c.at+".mariaDB.name", "found %q, which the MariaDB of Ironic %s is called", i.MariaDB.Name, other.Key())
		}
	}
}

func (c *ironicCheck) spec(spec *ironic.IronicSpec, database bool) {
	secretName(c.at+".spec.apiCredentialsName", spec.APICredentialsName, c.add)
	c.version(spec.Version)
	if db := spec.Database; db != nil {
		c.database(db)
	}
	if spec.HighAvailability {
		c.highlyAvailable(spec, database)
	} else if spec.TLS.InsecureRPC != nil {
		c.say("tls.insecureRPC", "has no meaning without highAvailability")
	}
	c.networking(spec)
	c.tls(&spec.TLS)
	c.ramdisk(&spec.DeployRamdisk)
	for i, option := range spec.ExtraConfig {
		c.option(fmt.Sprintf("extraConfig[%d]", i), option)
	}
	c.prometheus(spec.PrometheusExporter)
	if spec.Overrides != nil {
		c.agentImages(spec.Overrides.AgentImages)
		c.containers("overrides.containers", spec.Overrides.Containers)
		c.containers("overrides.initContainers", spec.Overrides.InitContainers)
	}
	c.images(&spec.Images)
	if service := spec.NetworkingService; service != nil {
		c.switches(service)
	}
}

func (c *ironicCheck) version(version string) {
	if version == "" {
		return
	}
	if err := ironic.ValidateVersion(version); err != nil {
		known := make([]string, 0, len(ironic.SupportedVersions))
		for v := range ironic.SupportedVersions {
			known = append(known, v.String())
		}
		slices.Sort(known)
		c.say("version", "found %q, want one that the operator knows: %s", version, strings.Join(known, ", "))
	}
}

func (c *ironicCheck) database(db *ironic.Database) {
	for _, field := range []struct{ name, value string }{{"credentialsName", db.CredentialsName}, {"host", db.Host}, {"name", db.Name}} {
		if field.value == "" {
			c.say("database."+field.name, "missing: a database needs credentialsName, host and name")
		}
	}
	secretName(c.at+".spec.database.credentialsName", db.CredentialsName, c.add)
	secretName(c.at+".spec.database.tlsCertificateName", db.TLSCertificateName, c.add)
	if db.Host != "" && !databaseHost.MatchString(db.Host) {
		c.say("database.host", "found %q, want a host name or an address", db.Host)
	}
	if db.Name != "" && !databaseName.MatchString(db.Name) {
		c.say("database.name", "found %q, want a name of letters, digits, _ and -", db.Name)
	}
}

// highlyAvailable is one Ironic on each control-plane node: none of them can have an address, or a DHCP server, of its own.
func (c *ironicCheck) highlyAvailable(spec *ironic.IronicSpec, database bool) {
	net := &spec.Networking
	//guard: three Ironics each with a database of their own fight over the hosts
	if !database {
		c.say("database", "missing: highAvailability needs a database that all replicas use: database, or mariaDB beside the spec")
	}
	//guard: the operator's webhook refuses the Ironic, long after the merge
	if net.DHCP != nil {
		c.say("networking.dhcp", "given with highAvailability, which has no DHCP: want one of them")
	}
	if net.IPAddress != "" {
		c.say("networking.ipAddress", "given with highAvailability, where each replica has its node's address: want one of them")
	}
	if net.Keepalived != nil && net.Keepalived.Enabled {
		c.say("networking.keepalived", "given with highAvailability, where no address moves: want one of them")
	}
	if spec.PrometheusExporter != nil && !spec.PrometheusExporter.DisableServiceMonitor {
		c.say("prometheusExporter.disableServiceMonitor", "found false, want true with highAvailability: each replica has other metrics")
	}
}
