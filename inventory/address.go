package inventory

import (
	"errors"
	"net"
	"net/netip"
	"strconv"
	"strings"
)

// Addresses that no host can have. https://www.iana.org/assignments/iana-ipv4-special-registry
var (
	thisNetwork = netip.MustParsePrefix("0.0.0.0/8")
	reserved    = netip.MustParsePrefix("240.0.0.0/4")
	compatible  = netip.MustParsePrefix("::/96")
	nat64       = netip.MustParsePrefix("64:ff9b::/96")
	sixToFour   = netip.MustParsePrefix("2002::/16")
	broadcast   = netip.AddrFrom4([4]byte{255, 255, 255, 255})
)

// NoHostAddress describes an address at which no host can be reached, and returns "" for any other. A load balancer
// with a loopback address among its backends would answer for the host itself. Example: "a loopback address" for
// 127.0.0.1.
func NoHostAddress(ip netip.Addr) string {
	switch {
	case !ip.IsValid():
		return "not an address"
	case ip.Zone() != "":
		return "an address with a zone"
	case ip.Is4In6():
		return "an IPv4 address mapped into IPv6"
	case ip.IsUnspecified():
		return "the unspecified address"
	case ip.IsLoopback():
		return "a loopback address"
	case ip.IsLinkLocalUnicast():
		return "a link-local address"
	case ip.IsMulticast():
		return "a multicast address"
	case ip == broadcast:
		return "the broadcast address"
	case thisNetwork.Contains(ip):
		return "an address of 0.0.0.0/8"
	case reserved.Contains(ip):
		return "a reserved address (240.0.0.0/4)"
	}
	if inner := embedded(ip); inner.IsValid() {
		if problem := NoHostAddress(inner); problem != "" {
			return "an IPv6 address that stands for " + inner.String() + ", " + problem
		}
	}
	return ""
}

// embedded returns the IPv4 address in an IPv6 address that a network or a kernel translates: IPv4-compatible
// (::/96), NAT64 (64:ff9b::/96, RFC 6052) and 6to4 (2002::/16, RFC 3056). It is not valid for other addresses.
func embedded(ip netip.Addr) netip.Addr {
	bytes := ip.As16()
	switch {
	case !ip.Is6():
	case compatible.Contains(ip), nat64.Contains(ip):
		return netip.AddrFrom4([4]byte(bytes[12:]))
	case sixToFour.Contains(ip):
		return netip.AddrFrom4([4]byte(bytes[2:6]))
	}
	return netip.Addr{}
}

// endOfSubnet names the end of its subnet that an address is, "" for none: the first address is the network itself
// (in IPv6: any router), the last one of an IPv4 network is its broadcast address. Point-to-point networks of two
// addresses have no ends (RFC 3021, RFC 6164).
func endOfSubnet(prefix netip.Prefix) string {
	ip := prefix.Addr()
	if !prefix.IsValid() || ip.BitLen()-prefix.Bits() < 2 {
		return ""
	}
	if prefix.Masked().Addr() == ip {
		return "the address of its network"
	}
	if !ip.Is4() {
		return ""
	}
	bytes := ip.As4()
	for i, b := range net.CIDRMask(prefix.Bits(), 32) {
		if bytes[i]|b != 255 {
			return ""
		}
	}
	return "the broadcast address of its network"
}

// ParseAddress reads an address with or without "/prefix"; netmask is "" if unknown. The error describes an address
// that no host can have, and does not repeat the text.
func ParseAddress(text, netmask string) (netip.Addr, error) {
	text = strings.TrimSpace(text)
	prefix, err := netip.ParsePrefix(text)
	ip := prefix.Addr()
	if err != nil {
		if ip, err = netip.ParseAddr(text); err != nil {
			return netip.Addr{}, errors.New("not an address")
		}
		prefix = netip.PrefixFrom(ip, prefixLength(netmask, ip))
	}
	found := NoHostAddress(ip)
	if found == "" {
		found = endOfSubnet(prefix)
	}
	if found != "" {
		return netip.Addr{}, errors.New(found + ", which no host can have")
	}
	return ip, nil
}

// SubnetOf returns the network of an address that ParseAddress accepts. It is not valid if unknown: for a prefix of a
// single address, or a netmask of no bits.
func SubnetOf(text, netmask string) netip.Prefix {
	text = strings.TrimSpace(text)
	prefix, err := netip.ParsePrefix(text)
	if err != nil {
		ip, err := netip.ParseAddr(text)
		if err != nil {
			return netip.Prefix{}
		}
		prefix = netip.PrefixFrom(ip, prefixLength(netmask, ip))
	}
	if !prefix.IsValid() || prefix.Bits() == 0 || prefix.IsSingleIP() {
		return netip.Prefix{}
	}
	return prefix.Masked()
}

// prefixLength reads a netmask of network data: an address or a number of bits. It returns -1 if it cannot be read:
// the subnet is unknown then.
func prefixLength(netmask string, ip netip.Addr) int {
	if bits, err := strconv.Atoi(strings.TrimPrefix(netmask, "/")); err == nil && bits >= 0 && bits <= ip.BitLen() {
		return bits
	}
	mask, err := netip.ParseAddr(netmask)
	if err != nil || mask.BitLen() != ip.BitLen() {
		return -1
	}
	ones, bits := net.IPMask(mask.AsSlice()).Size()
	if bits == 0 || ones == 0 {
		return -1
	}
	return ones
}
