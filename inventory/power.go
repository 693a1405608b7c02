package inventory

import (
	"net"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var powerSchemes = []string{
	"redfish", "redfish-virtualmedia", "idrac", "idrac-redfish", "idrac-virtualmedia", "ilo4", "ilo4-virtualmedia", "ilo5", "ilo5-redfish", "ilo5-virtualmedia",
	"irmc", "ibmc", "ipmi", "libvirt",
}

// PowerSchemes are the schemes of spec.bmc.address that metal3 knows (metal3: "Supported hardware"; baremetal-operator, pkg/hardwareutils/bmc). Those of
// powerTransports may have "+http" or "+https" behind them.
func PowerSchemes() []string { return slices.Clone(powerSchemes) }

// powerTransports are those that each scheme takes.
func powerTransports(scheme string) []string {
	switch scheme {
	case "ipmi", "libvirt", "irmc":
		return nil
	case "ilo4", "ilo4-virtualmedia", "ilo5":
		return []string{"https"}
	}
	return []string{"http", "https"}
}

// PowerProblem is what is wrong with an address of a power control.
type PowerProblem int

// The problems. What is behind the scheme is repeated by nobody: an address that is wrong may have a login in a place where none is looked for.
const (
	PowerFine PowerProblem = iota
	PowerUnreadable
	PowerUnknownScheme
	PowerNoHost
	PowerBadHost
	PowerBadPort
)

// schemeBytes are what schemes are made of.
const schemeBytes = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-."

// powerHost is the name of a host as metal3 takes it.
var powerHost = regexp.MustCompile(`^([a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?\.)*[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?$`)

// CheckPower says what metal3 will not be able to do with an address of a power control, read as it reads one: without a scheme it is IPMI. scheme is what
// stands before "://", empty where nothing does. An empty address is no problem: it is a host without power control.
func CheckPower(address string) (problem PowerProblem, scheme string) {
	if address == "" {
		return PowerFine, ""
	}
	rest := address
	if before, after, found := strings.Cut(address, "://"); found && before != "" && strings.Trim(before, schemeBytes) == "" {
		scheme = strings.ToLower(before) // as url.Parse gives it
		rest = after
		if !knownScheme(scheme) {
			return PowerUnknownScheme, scheme
		}
	} else if before, after, _ := strings.Cut(address, ":"); knownScheme(strings.ToLower(before)) && after != "" && after[0] != '/' {
		scheme, rest = strings.ToLower(before), after // metal3 takes it as if the slashes were there
	} else if first := address[:len(address)-len(strings.TrimLeft(address, schemeBytes))]; knownScheme(strings.ToLower(first)) {
		return PowerNoHost, strings.ToLower(first)
	}
	parsed, err := url.Parse("bmc://" + rest)
	if err != nil {
		return PowerUnreadable, scheme
	}
	if scheme == "" && badBare(parsed) {
		return PowerUnknownScheme, ""
	}
	switch host := parsed.Hostname(); {
	case host == "":
		return PowerNoHost, scheme
	case net.ParseIP(host) == nil && !powerHost.MatchString(host):
		return PowerBadHost, scheme
	}
	if port := parsed.Port(); port != "" || strings.HasSuffix(parsed.Host, ":") {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return PowerBadPort, scheme
		}
	}
	return PowerFine, scheme
}

// badBare: metal3 takes a name with a port and nothing before it for a scheme with something behind it. An address it takes for what it is.
func badBare(parsed *url.URL) bool {
	return strings.Count(parsed.Host, ":") == 1 && !strings.HasPrefix(parsed.Host, "[") && net.ParseIP(parsed.Hostname()) == nil
}

func knownScheme(scheme string) bool {
	name, transport, split := strings.Cut(scheme, "+")
	return slices.Contains(powerSchemes, name) && (!split || slices.Contains(powerTransports(name), transport))
}

// MACProblem says why no network card boots from the network with a MAC address, "" if one may. An empty one is no problem: not every driver needs it.
func MACProblem(mac string) string {
	if mac == "" {
		return ""
	}
	if len(mac) != len("52:54:00:12:34:56") || strings.Count(mac, ":") != 5 {
		return "not a MAC address, want six pairs of hexadecimal digits with colons between them"
	}
	hardware, err := net.ParseMAC(mac)
	switch {
	case err != nil:
		return "not a MAC address, want six pairs of hexadecimal digits with colons between them"
	case hardware[0]&1 != 0:
		return "a group address, which no network card has"
	case strings.Trim(mac, "0:") == "":
		return "all zeros, which no network card has"
	}
	return ""
}
