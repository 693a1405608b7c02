package validation

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/airshipit/sipgen/api/upstream"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/redact"
)

var (
	interfaceName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.:-]{0,14}$`)
	databaseUser  = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$`)
	publicKey     = regexp.MustCompile(`^(ssh-|ecdsa-|sk-)[A-Za-z0-9@.-]+ [A-Za-z0-9+/=]+( [^\r\n]*)?\n?$`)
	secretOption  = regexp.MustCompile(`(?i)(password|passwd|secret|token|private_key)`)
	ironicVersion = regexp.MustCompile(`^([1-9][0-9]*\.[0-9]+|latest)$`)
)

// validateIronic checks what the definition of an Ironic does not say: what does not go together, and what may not be
// committed.
func validateIronic(s *v1alpha1.Site, add Report) {
	bmo := map[string]string{}
	eachService(s, "spec.services.ironic", s.Spec.Services.Ironic, add, func(one serviceCheck, i *v1alpha1.Ironic) {
		c := &ironicCheck{one}
		checkName(c.at+".name", i.Name, add)
		checkName(c.at+".namespace", i.Namespace, add)
		if i.BMOConfigMap {
			checkName(c.at+".bmoNamespace", i.BMONamespace, add)
			if other, twice := bmo[i.BMONamespace]; twice {
				add(c.at+".bmoConfigMap", "the ConfigMap ironic in %s is that of %s: a baremetal-operator has one "+
					"Ironic", i.BMONamespace, other)
			} else {
				bmo[i.BMONamespace] = c.at
			}
		} else if i.BMONamespace != "" {
			add(c.at+".bmoNamespace", "has no meaning without bmoConfigMap: true")
		}
		c.mariaDB(i)
		c.checkNames(s.Spec.Services.Ironic, i)
		c.spec(&i.Spec, i.Database() != nil)
	})
}

// ironicCheck checks one Ironic.
type ironicCheck struct{ serviceCheck }

func (c *ironicCheck) mariaDB(i *v1alpha1.Ironic) {
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
	if !databaseUser.MatchString(db.Username) {
		c.add(at+".username", "found %q, want a name of letters, digits, _ and -", db.Username)
	}
	checkImage(at+".image", db.Image, c.add)
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

// checkNames keeps a MariaDB from having the name of an Ironic in its namespace, or of another MariaDB.
func (c *ironicCheck) checkNames(all []v1alpha1.Ironic, i *v1alpha1.Ironic) {
	if i.MariaDB == nil {
		return
	}
	for n := range all {
		other := &all[n]
		if other.Namespace != i.Namespace {
			continue
		}
		if other.Name == i.MariaDB.Name {
			c.add(c.at+".mariaDB.name", "found %q, which Ironic %s is called: each has a Service of its name",
				i.MariaDB.Name, other.Key())
		}
		if other != i && other.MariaDB != nil && other.MariaDB.Name == i.MariaDB.Name {
			c.add(c.at+".mariaDB.name", "found %q, which the MariaDB of Ironic %s is called", i.MariaDB.Name,
				other.Key())
		}
	}
}

func (c *ironicCheck) spec(spec *v1alpha1.IronicSpec, database bool) {
	c.secretNames(spec)
	c.version(spec.Version)
	if spec.HighAvailability {
		c.highlyAvailable(spec, database)
	}
	c.networking(spec)
	c.passwords(spec)
}

// secretNames checks the names of Secrets, which PLAN.md has commands for.
func (c *ironicCheck) secretNames(spec *v1alpha1.IronicSpec) {
	names := map[string]string{"apiCredentialsName": spec.APICredentialsName,
		"tls.certificateName": spec.TLS.CertificateName}
	if db := spec.Database; db != nil {
		names["database.credentialsName"], names["database.tlsCertificateName"] = db.CredentialsName, db.TLSCertificateName
	}
	if ca := spec.TLS.BMCCA; ca != nil {
		names["tls.bmcCA.name"] = ca.Name
	}
	if ca := spec.TLS.TrustedCA; ca != nil {
		names["tls.trustedCA.name"] = ca.Name
	}
	if service := spec.NetworkingService; service != nil {
		names["networkingService.switchConfigSecretName"] = service.SwitchConfigSecretName
		names["networkingService.switchCredentialsSecretName"] = service.SwitchCredentialsSecretName
	}
	for _, field := range slices.Sorted(maps.Keys(names)) {
		secretName(c.at+".spec."+field, names[field], c.add)
	}
}

func (c *ironicCheck) version(version string) {
	switch {
	case version == "" || slices.Contains(upstream.IronicVersions, version):
	case !ironicVersion.MatchString(version):
		c.say("version", "found %q, want MAJOR.MINOR or latest", version)
	default:
		c.site.Warn(c.at+".spec.version", "found %s, and %s, the version that sipgen has the definition of, can "+
			"install %s", version, upstream.Ironic.Origin,
			strings.Join(upstream.IronicVersions, ", "))
	}
}

// passwords looks for what would be committed.
func (c *ironicCheck) passwords(spec *v1alpha1.IronicSpec) {
	if key := spec.DeployRamdisk.SSHKey; key != "" && !publicKey.MatchString(key) {
		c.say("deployRamdisk.sshKey", "found %d bytes that are no public key (not shown), want one, as in "+
			"ssh-ed25519 AAAA…", len(key))
	}
	for i, option := range spec.ExtraConfig {
		if secretOption.MatchString(option.Name) && option.Value != "" {
			c.say(fmt.Sprintf("extraConfig[%d].value", i),
				"is of option %s and would be committed: want it in a Secret that the Ironic names",
				redact.Plain(option.Name))
		}
	}
	c.images("images.", map[string]string{
		"ironic": spec.Images.Ironic, "deployRamdiskDownloader": spec.Images.DeployRamdiskDownloader,
		"keepalived": spec.Images.Keepalived,
	})
	if spec.Overrides == nil {
		return
	}
	for i, image := range spec.Overrides.AgentImages {
		for _, url := range []struct{ field, value string }{{"kernel", image.Kernel}, {"initramfs", image.Initramfs}} {
			if authority, _, _ := strings.Cut(url.value, "?"); strings.Contains(authority, "@") {
				c.say(fmt.Sprintf("overrides.agentImages[%d].%s", i, url.field),
					"is a URL with a login in it (not shown), want one without")
			}
		}
	}
	c.containers("overrides.containers", spec.Overrides.Containers)
	c.containers("overrides.initContainers", spec.Overrides.InitContainers)
}

// containers checks the additional containers of Ironic's pods for secrets.
func (c *ironicCheck) containers(at string, list []v1alpha1.IronicContainer) {
	for i := range list {
		c.images(fmt.Sprintf("%s[%d].", at, i), map[string]string{"image": list[i].Image})
		for n, e := range list[i].Env {
			if e.Value != "" && secretOption.MatchString(e.Name) {
				c.say(fmt.Sprintf("%s[%d].env[%d].value", at, i, n),
					"is of %s and would be committed: want valueFrom a Secret", redact.Plain(e.Name))
			}
		}
	}
}

// highlyAvailable checks an Ironic on each control-plane node, where no replica can have an address or DHCP server
// of its own.
func (c *ironicCheck) highlyAvailable(spec *v1alpha1.IronicSpec, database bool) {
	net := &spec.Networking
	if !database {
		c.say("database", "missing: highAvailability needs a database that all replicas use: database, or mariaDB "+
			"beside the spec")
	}
	if net.DHCP != nil {
		c.say("networking.dhcp", "given with highAvailability, which has no DHCP: want one of them")
	}
	if net.IPAddress != "" {
		c.say("networking.ipAddress", "given with highAvailability, where each replica has its node's address: "+
			"want one of them")
	}
	if net.Keepalived != nil && net.Keepalived.Enabled {
		c.say("networking.keepalived", "given with highAvailability, where no address moves: want one of them")
	}
	if spec.PrometheusExporter != nil && !spec.PrometheusExporter.DisableServiceMonitor {
		c.say("prometheusExporter.disableServiceMonitor",
			"found false, want true with highAvailability: each replica has other metrics")
	}
}
