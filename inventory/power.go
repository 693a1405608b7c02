package inventory

import (
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// The schemes of spec.bmc.address are those of baremetal-operator v0.13.2 (pkg/hardwareutils/bmc at commit
// 2b3ea2e1349eefe6f5dfc311ac388ce38911f57d), whose Go module cannot be imported. Each scheme of redfishSchemes takes
// "+http" and "+https", too.
var (
	redfishSchemes = []string{"redfish", "redfish-virtualmedia", "redfish-uefihttp", "idrac-redfish",
		"idrac-virtualmedia", "ilo5-redfish", "ilo5-virtualmedia"}
	ipmiSchemes = []string{"ipmi", "libvirt"}
)

// droppedSchemes are the schemes of earlier releases of baremetal-operator, with the first release without them.
var droppedSchemes = map[string]string{
	"ibmc": "v0.6.0", "idrac": "v0.6.0", "ilo4": "v0.12.0", "ilo4-virtualmedia": "v0.12.0", "ilo5": "v0.12.0",
	"irmc": "v0.13.0",
}

// PowerRelease is the release of baremetal-operator with the schemes of PowerSchemes.
const PowerRelease = "v0.13.2"

// PowerSchemes returns the schemes of spec.bmc.address that baremetal-operator supports, without transports.
func PowerSchemes() []string { return slices.Concat(redfishSchemes, ipmiSchemes) }

// PowerDropped returns the first release of baremetal-operator that does not support a scheme any more, "" for a
// scheme that no release has dropped.
func PowerDropped(scheme string) string {
	name, _, _ := strings.Cut(scheme, "+")
	return droppedSchemes[name]
}

// RedfishTransport returns http or https for a scheme that speaks Redfish, "" for another one.
func RedfishTransport(scheme string) string {
	name, transport, split := strings.Cut(strings.ToLower(scheme), "+")
	switch {
	case !slices.Contains(redfishSchemes, name) || split && transport != "http" && transport != "https":
		return ""
	case split:
		return transport
	}
	return "https"
}

// PowerProblem is what is wrong with a BMC address.
type PowerProblem int

// The problems. Messages repeat only the scheme: a wrong address may have a login in an unexpected place.
const (
	PowerFine PowerProblem = iota
	PowerUnreadable
	PowerUnknownScheme
	PowerDroppedScheme
	PowerNoHost
	PowerBadHost
	PowerBadPort
)

// schemeBytes are the characters of schemes.
const schemeBytes = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-."

// powerHost reports whether metal3 accepts a text as a host name: labels of 1 to 63 letters, digits and dashes, none
// of which begins or ends with a dash.
func powerHost(name string) bool {
	for label := range strings.SplitSeq(name, ".") {
		if label == "" || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' {
			return false
		}
		for i := range len(label) {
			if c := label[i]; c != '-' && !alphanumeric(c) {
				return false
			}
		}
	}
	return true
}

func alphanumeric(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// plainURL splits a URL without escapes: scheme://host, with or without a port and a path. ok is false for any other
// text, which needs url.Parse. It exists for speed: sites have tens of thousands of such addresses, and check them
// several times.
func plainURL(address string) (scheme, host, port, path string, ok bool) {
	scheme, rest, ok := strings.Cut(address, "://")
	if !ok {
		return "", "", "", "", false
	}
	if !plainScheme(scheme) {
		return "", "", "", "", false
	}
	end := 0
	for end < len(rest) && (alphanumeric(rest[end]) || rest[end] == '.' || rest[end] == '-') {
		end++
	}
	host, rest = rest[:end], rest[end:]
	if digits, ok := strings.CutPrefix(rest, ":"); ok {
		end = 0
		for end < len(digits) && digits[end] >= '0' && digits[end] <= '9' {
			end++
		}
		if port, rest = digits[:end], digits[end:]; port == "" {
			return "", "", "", "", false
		}
	}
	if !plainPath(rest) {
		return "", "", "", "", false
	}
	return scheme, host, port, rest, scheme != "" && host != ""
}

func plainScheme(scheme string) bool {
	for i := range len(scheme) {
		if c := scheme[i]; !alphanumeric(c) && (i == 0 || c != '+' && c != '-' && c != '.') || i == 0 && c <= '9' {
			return false
		}
	}
	return true
}

func plainPath(path string) bool {
	for i := range len(path) {
		if c := path[i]; c != '/' && (i == 0 || !alphanumeric(c) && c != '.' && c != '-' && c != '_') {
			return false
		}
	}
	return true
}

// CheckPower returns why metal3 cannot use a BMC address, read as metal3 reads it: without a scheme it is IPMI.
// scheme is the text before "://", "" for none. An empty address is no problem: the host has no BMC.
func CheckPower(address string) (problem PowerProblem, scheme string) {
	if address == "" {
		return PowerFine, ""
	}
	scheme, host, port, _, ok := plainURL(address)
	if scheme = strings.ToLower(scheme); !ok || !knownScheme(scheme) || !powerHost(host) ||
		port != "" && !powerPort(port) {
		problem, scheme = parsedPower(address)
	}
	if problem == PowerFine && PowerDropped(scheme) != "" {
		problem = PowerDroppedScheme
	}
	return problem, scheme
}

// powerPort reports whether a port is valid.
func powerPort(port string) bool {
	n, err := strconv.ParseUint(port, 10, 16)
	return err == nil && n > 0
}

// parsedPower is CheckPower by url.Parse, for addresses that plainURL does not take.
func parsedPower(address string) (problem PowerProblem, scheme string) {
	rest := address
	if before, after, found := strings.Cut(address, "://"); found && before != "" &&
		strings.Trim(before, schemeBytes) == "" {
		scheme = strings.ToLower(before) // in the form of url.Parse
		rest = after
		if !knownScheme(scheme) {
			return PowerUnknownScheme, scheme
		}
	} else if before, after, _ := strings.Cut(address, ":"); knownScheme(strings.ToLower(before)) && after != "" &&
		after[0] != '/' {
		scheme, rest = strings.ToLower(before), after // metal3 reads it as if the slashes were there
	} else if first := address[:len(address)-len(strings.TrimLeft(address,
		schemeBytes))]; knownScheme(strings.ToLower(first)) {
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
	case net.ParseIP(host) == nil && !powerHost(host):
		return PowerBadHost, scheme
	}
	if port := parsed.Port(); (port != "" || strings.HasSuffix(parsed.Host, ":")) && !powerPort(port) {
		return PowerBadPort, scheme
	}
	return PowerFine, scheme
}

// badBare reports a name with a port and no scheme: metal3 takes the name for a scheme. An IP address with a port is
// accepted.
func badBare(parsed *url.URL) bool {
	return strings.Count(parsed.Host, ":") == 1 && !strings.HasPrefix(parsed.Host, "[") &&
		net.ParseIP(parsed.Hostname()) == nil
}

// knownScheme reports whether a release of baremetal-operator has a scheme, or had it.
func knownScheme(scheme string) bool {
	return RedfishTransport(scheme) != "" || slices.Contains(ipmiSchemes, scheme) || PowerDropped(scheme) != ""
}

// MACProblem returns why no network card can boot with a MAC address, "" if one can. An empty one is no problem: not
// every driver needs it.
func MACProblem(mac string) string {
	if mac == "" {
		return ""
	}
	const like = "52:54:00:12:34:56"
	zeros := len(mac) == len(like)
	for i := range min(len(mac), len(like)) {
		if colon := mac[i] == ':'; colon != (like[i] == ':') || !colon && !hexadecimal(mac[i]) {
			return notMAC
		}
		zeros = zeros && (mac[i] == '0' || mac[i] == ':')
	}
	switch {
	case len(mac) != len(like):
		return notMAC
	case strings.IndexByte("13579bBdDfF", mac[1]) >= 0:
		return "a group address, which no network card has"
	case zeros:
		return "all zeros, which no network card has"
	}
	return ""
}

const notMAC = "not a MAC address, want six pairs of hexadecimal digits with colons between them"

func hexadecimal(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}
