package lint

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/airshipit/sipgen/internal/finding"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/internal/redact"
	"github.com/airshipit/sipgen/inventory"
)

// OfInputs returns those findings of Check that say that something was not read as it was meant, whatever the plan:
// about how files were read, fields without effect, and addresses by which metal3 cannot manage a host.
func (in Input) OfInputs() []finding.Finding {
	var hosts []inventory.Host
	for i := range in.Hosts {
		if power, _ := inventory.CheckPower(in.Hosts[i].BMC.Address); power != inventory.PowerFine ||
			inventory.MACProblem(in.Hosts[i].BootMAC) != "" {
			hosts = append(hosts, in.Hosts[i])
		}
	}
	in.Hosts = hosts
	c := &checker{Input: in}
	c.readIgnores()
	c.findings = nil // about the annotations that silence findings
	c.warnings()
	c.notes()
	c.leftOut()
	c.siteAnnotations()
	c.unmanageable()
	return finding.Sorted(c.findings)
}

// unmanageable finds hosts with an invalid BMC address or boot MAC address. The address is not repeated, because it
// may contain a login in an unexpected place.
func (c *checker) unmanageable() {
	for i := range c.Hosts {
		host := &c.Hosts[i]
		if problem, scheme := inventory.CheckPower(host.BMC.Address); problem != inventory.PowerFine {
			severity, message, fix := powerProblem(problem, scheme)
			c.host(finding.Unmanageable, severity, host, "spec.bmc.address", message, fix)
		}
		if problem := inventory.MACProblem(host.BootMAC); problem != "" {
			c.host(finding.Unmanageable, finding.Error, host, "spec.bootMACAddress", found(host.BootMAC)+problem,
				"write the MAC address of the network card that the host boots from, such as 52:54:00:12:34:56; it is not the BMC's")
		}
	}
}

// likeMAC is a MAC address as other programs write it, too: nothing secret has the form.
var likeMAC = regexp.MustCompile(`^[0-9A-Fa-f]{2}([:.-]?[0-9A-Fa-f]{2}){4,7}$`)

func found(mac string) string {
	if likeMAC.MatchString(mac) {
		return fmt.Sprintf("found %q: ", mac)
	}
	return redact.Sprintf("found %q: ", mac)
}

// powerProblem returns the message for a problem of a BMC address. A later metal3 may support a scheme that is
// unknown here.
func powerProblem(problem inventory.PowerProblem, scheme string) (severity finding.Severity, message, fix string) {
	const form = "redfish://192.0.2.7/redfish/v1/Systems/1"
	switch problem {
	case inventory.PowerUnknownScheme:
		message = "there is no scheme such as ipmi://, and metal3 does not accept a name with a port and no scheme"
		if scheme == "" {
			return finding.Error, message, "write the scheme before it, such as ipmi:// or " + form
		}
		name, _, transport := strings.Cut(scheme, "+")
		message = redact.Sprintf("found the scheme %q, which baremetal-operator %s does not support", name,
			inventory.PowerRelease)
		known := inventory.PowerSchemes()
		switch near := manifest.Nearest(name, known); {
		case transport && slices.Contains(known, name):
			return finding.Warning, fmt.Sprintf("found the scheme %q, but metal3 does not support what follows the + "+
					"with it", name), fmt.Sprintf("write %s:// (metal3: Supported hardware lists the schemes that take "+
					"+http or +https)", name)
		case near != "":
			return finding.Warning, message, fmt.Sprintf("did you mean %s://? metal3 supports %s", near,
				strings.Join(known, ", "))
		}
		return finding.Warning, message, fmt.Sprintf("use one of %s; or suppress the finding if your metal3 supports "+
			"another one", strings.Join(known, ", "))
	case inventory.PowerDroppedScheme:
		name, _, _ := strings.Cut(scheme, "+")
		return finding.Warning, fmt.Sprintf("found the scheme %q, which baremetal-operator does not support from %s on",
				name, inventory.PowerDropped(scheme)), fmt.Sprintf("use one of %s; or suppress the finding as long as "+
				"your metal3 is older", strings.Join(inventory.PowerSchemes(), ", "))
	case inventory.PowerNoHost:
		return finding.Error, "there is no host name or IP address behind the scheme", "write the BMC's, such as " + form
	case inventory.PowerBadHost:
		return finding.Error, "the BMC's host is neither a host name nor an IP address",
			"write the BMC's host name or IP address, such as " + form + "; an IPv6 address needs brackets"
	case inventory.PowerBadPort:
		return finding.Error, "the port is no number from 1 to 65535",
			"correct the port, or leave it out together with its colon"
	}
	return finding.Error, "not an address of a BMC", "write it like " + form +
		"; a login belongs in the Secret that credentialsName names"
}
