package infra

import (
	"cmp"
	"fmt"
	"net/netip"
	"net/url"
	"regexp"
	"strings"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/inventory"
)

// tableHost is a host in the table of its jump host.
type tableHost struct {
	Member
	// Long is "name.namespace", which no other host has. Short is the name, or empty where another host is
	// called so too.
	Long, Short string
	IP          netip.Addr
	// System is the URL of the host's Redfish system, empty without Redfish.
	System string
}

// Aliases returns the names the host goes by: the short one first, if it has one.
func (h tableHost) Aliases() []string {
	if h.Short == "" {
		return []string{h.Long}
	}
	return []string{h.Short, h.Long}
}

// table returns the hosts of the cluster at their addresses on a network; those without address there are left out.
func (o *overlay) table(network string, family v1.AddressFamily) ([]tableHost, error) {
	taken := map[string]int{}
	for _, h := range o.Hosts {
		taken[h.Host.Name]++
		taken[h.Host.Name+"."+h.Host.Namespace]++
	}
	var out []tableHost
	claimed := addresses{}
	for _, h := range o.Hosts {
		ip, found, err := claimed.on(h, network, family)
		if err != nil {
			return nil, err
		}
		if !found {
			continue
		}
		row := tableHost{Member: h, Long: h.Host.Name + "." + h.Host.Namespace, IP: ip}
		if taken[h.Host.Name] == 1 {
			row.Short = h.Host.Name
		}
		out = append(out, row)
	}
	return out, nil
}

// hostsFile returns the table that the host command reads: tab-separated, one host a line. Its columns are the long
// name, the short name, namespace, name, role, active or standby, address, Redfish system, and whether its
// certificate is verified. Absent values are "-".
func hostsFile(table []tableHost) []byte {
	var out strings.Builder
	for _, h := range table {
		state, verify := "active", "verify"
		if h.Standby {
			state = "standby"
		}
		if h.Member.Host.BMC.InsecureTLS {
			verify = "insecure"
		}
		fields := []string{h.Long, cmp.Or(h.Short, "-"), h.Member.Host.Namespace, h.Member.Host.Name, h.Role, state,
			h.IP.String(), cmp.Or(h.System, "-"), verify}
		out.WriteString(strings.Join(fields, "\t") + "\n")
	}
	return []byte(out.String())
}

var (
	systemPath = regexp.MustCompile(`^(/[A-Za-z0-9._~:-]+)+/?$`)
	bmcHost    = regexp.MustCompile(`^(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9.-]+)(:[0-9]{1,5})?$`)
)

// redfishSystem turns a BareMetalHost's spec.bmc.address into the URL of the system, as metal3's documentation of BMC
// addresses has it: the transport follows a plus sign and is https without one.
func redfishSystem(address string) (string, error) {
	parsed, err := url.Parse(address)
	if err != nil || parsed.User != nil {
		return "", fmt.Errorf("bmc.access redfish: the BMC address is not a URL without user")
	}
	transport := inventory.RedfishTransport(parsed.Scheme)
	switch {
	case transport == "":
		return "", fmt.Errorf("bmc.access redfish: the BMC address is of scheme %q, which is not Redfish", parsed.Scheme)
	case !bmcHost.MatchString(parsed.Host):
		return "", fmt.Errorf("bmc.access redfish: the BMC address has the host %q, want a name or an IP address",
			parsed.Host)
	case !systemPath.MatchString(parsed.Path) || parsed.RawQuery != "" || parsed.Fragment != "" ||
		strings.Contains(parsed.Path, ".."):
		return "", fmt.Errorf("bmc.access redfish: the BMC address has the path %q, want a Redfish system, as in /redfish/v1/Systems/1", parsed.Path)
	}
	return transport + "://" + parsed.Host + strings.TrimSuffix(parsed.Path, "/"), nil
}
