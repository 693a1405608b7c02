package inventory

import (
	"net"
	"net/url"
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

// powerHost says whether metal3 takes a text for the name of a host: labels of 1 to 63 letters, digits and dashes, none of which begins or ends with a dash.
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

// plainURL takes a URL apart in which every byte stands for itself: scheme://host, with or without a port and a path. ok is false for any other text:
// url.Parse reads those. Sites have tens of thousands of such addresses, which are looked at several times.
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
	if digits, is := strings.CutPrefix(rest, ":"); is {
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

// CheckPower says what metal3 will not be able to do with an address of a power control, read as it reads one: without a scheme it is IPMI. scheme is what
// stands before "://", empty where nothing does. An empty address is no problem: it is a host without power control.
func CheckPower(address string) (problem PowerProblem, scheme string) {
	if address == "" {
		return PowerFine, ""
	}
	if scheme, host, port, _, ok := plainURL(address); ok && powerHost(host) && (port == "" || powerPort(port)) {
		if scheme = strings.ToLower(scheme); knownScheme(scheme) {
			return PowerFine, scheme
		}
	}
	return parsedPower(address)
}

// powerPort says whether a port is one.
func powerPort(port string) bool {
	n, err := strconv.ParseUint(port, 10, 16)
	//guard: a BMC's port that no BMC can have is not found before somebody waits for the host
	return err == nil && n > 0
}

// parsedPower is CheckPower by url.Parse.
func parsedPower(address string) (problem PowerProblem, scheme string) {
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
	//guard: a BMC's address without a host is said to be something else
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
	//guard: a boot MAC address that no network card has is not found
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
