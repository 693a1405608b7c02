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
	databaseUser = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$`)
	publicKey    = regexp.MustCompile(`^(ssh-|ecdsa-|sk-)[A-Za-z0-9@.-]+ [A-Za-z0-9+/=]+( [^\r\n]*)?\n?$`)
	secretOption = regexp.MustCompile(`(?i)(password|passwd|secret|token|private_key)`)
)

// validateIronic checks what sipgen does with an Ironic: addresses for the network plan, names of Secrets for PLAN.md,
// values that may not be committed, and its own database beside the spec. Whether the values of a spec go together is
// checked by ironic-standalone-operator, whose rules change with its version.
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
		c.spec(&i.Spec)
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

func (c *ironicCheck) spec(spec *v1alpha1.IronicSpec) {
	c.secretNames(spec)
	c.version(spec.Version)
	c.networking(&spec.Networking)
	c.passwords(spec)
}

// networking checks that the network plan can read the addresses of an Ironic.
func (c *ironicCheck) networking(net *v1alpha1.IronicNetworking) {
	addresses := map[string]string{"externalIP": net.ExternalIP, "ipAddress": net.IPAddress}
	if net.Keepalived != nil {
		for i, vip := range net.Keepalived.AdditionalVIPs {
			addresses[fmt.Sprintf("keepalived.additionalVIPs[%d].ipAddress", i)] = vip.IPAddress
		}
	}
	if dhcp := net.DHCP; dhcp != nil {
		addresses["dhcp.gatewayAddress"] = dhcp.GatewayAddress
		c.leases(dhcp)
	}
	for _, field := range slices.Sorted(maps.Keys(addresses)) {
		checkAddress(c.at+".spec.networking."+field, addresses[field], c.add)
	}
	for i, mac := range net.MACAddresses {
		if !isMAC(mac) {
			c.say(fmt.Sprintf("networking.macAddresses[%d]", i), "found %q, want a MAC address", mac)
		}
	}
}

// leases checks the range of the DHCP server, both ends of it or none.
func (c *ironicCheck) leases(dhcp *v1alpha1.IronicDHCP) {
	const at = "networking.dhcp."
	first := checkAddress(c.at+".spec."+at+"rangeBegin", dhcp.RangeBegin, c.add)
	last := checkAddress(c.at+".spec."+at+"rangeEnd", dhcp.RangeEnd, c.add)
	switch span := (v1alpha1.Span{Start: first, Stop: last}); {
	case dhcp.RangeBegin == "" && dhcp.RangeEnd != "":
		c.say(at+"rangeBegin", "missing: rangeEnd is given")
	case dhcp.RangeBegin != "" && dhcp.RangeEnd == "":
		c.say(at+"rangeEnd", "missing: rangeBegin is given")
	case first.IsValid() && last.IsValid() && !span.IsValid():
		c.say(at+"rangeEnd", "found %s, want one that is not before rangeBegin %s", last, first)
	}
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
	if version != "" && !slices.Contains(upstream.IronicVersions, version) {
		c.site.Warn(c.at+".spec.version", "found %q, and %s, the version that sipgen has the definition of, can "+
			"install %s", version, upstream.Ironic.Origin, strings.Join(upstream.IronicVersions, ", "))
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
