package inventory

import (
	"encoding/base64"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"

	metal3 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	"sigs.k8s.io/yaml"

	"github.com/airshipit/sipgen/manifest"
)

// networkData is the part of OpenStack's network_data.json that sipgen reads.
// https://docs.openstack.org/nova/latest/_downloads/9119ca7ac90aa2990e762c08baea3a36/network_data.json
type networkData struct {
	Networks []struct {
		ID        string `json:"id"`
		Type      string `json:"type"`
		IPAddress string `json:"ip_address"`
	} `json:"networks"`
}

// addAddresses finds a host's addresses, the strongest source first. For each network the first source that has it counts.
func addAddresses(host *Host, bmh *metal3.BareMetalHost, doc *manifest.Document, objects objects) error {
	var problems manifest.Problems
	for _, ref := range networkDataRefs(host, bmh) {
		problems.Add(fromSecret(host, objects, ref.Namespace, ref.Name, ref.origin))
	}
	details := bmh.Status.HardwareDetails
	if data := objects.hardware[key(host.Namespace, host.Name)]; data != nil {
		var hardware metal3.HardwareData
		if err := data.DecodeLoose(&hardware); err != nil {
			problems.Add(err)
		} else if hardware.Spec.HardwareDetails != nil {
			details = hardware.Spec.HardwareDetails
		}
	}
	if details != nil {
		for _, nic := range details.NIC {
			if ip, err := netip.ParseAddr(nic.IP); err == nil && host.add(nic.Name, ip, FromHardware) {
				host.Warnings = append(host.Warnings, fmt.Sprintf("address %s on %s is from hardware inspection and may be a provisioning-time lease", ip, nic.Name))
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(bmh.Annotations)) {
		value := bmh.Annotations[name]
		network, found := strings.CutPrefix(name, AddressAnnotationKey)
		if !found {
			continue
		}
		for _, text := range strings.Split(value, ",") {
			ip, err := parseAddress(strings.TrimSpace(text))
			if err != nil {
				problems.Add(doc.Problem("metadata.annotations["+name+"]", "found %q, want an address", text))
				continue
			}
			host.add(network, ip, FromHostAnnotation)
		}
	}
	return problems.Err()
}

// networkDataRef names a Secret with network data.
type networkDataRef struct {
	Namespace, Name string
	origin          AddressOrigin
}

// networkDataRefs are the Secrets that a host names as network data, the strongest first.
func networkDataRefs(host *Host, bmh *metal3.BareMetalHost) []networkDataRef {
	var refs []networkDataRef
	if ref := bmh.Spec.NetworkData; ref != nil && ref.Name != "" {
		namespace := ref.Namespace
		if namespace == "" {
			namespace = host.Namespace
		}
		refs = append(refs, networkDataRef{namespace, ref.Name, FromNetworkData})
	}
	if name := bmh.Spec.PreprovisioningNetworkDataName; name != "" {
		refs = append(refs, networkDataRef{host.Namespace, name, FromPreprovisioning})
	}
	return refs
}

// add takes an address unless a stronger source has given the network one.
func (h *Host) add(network string, ip netip.Addr, origin AddressOrigin) bool {
	for _, a := range h.Addresses {
		if a.Network == network && a.Origin != origin {
			return false
		}
	}
	h.Addresses = append(h.Addresses, Address{Network: network, IP: ip, Origin: origin})
	return true
}

// fromSecret reads the addresses out of a network data Secret. Messages name the Secret and the
// field, and never repeat what stands in it.
func fromSecret(host *Host, objects objects, namespace, name string, origin AddressOrigin) error {
	doc := objects.secrets[key(namespace, name)]
	if doc == nil {
		host.Warnings = append(host.Warnings, fmt.Sprintf("network data Secret %s/%s is not in the inventory", namespace, name))
		return nil
	}
	var secret struct {
		Data       map[string]string `json:"data"`
		StringData map[string]string `json:"stringData"`
	}
	bad := func(format string, args ...any) error {
		return doc.Problem("", "Secret %s/%s, network data of host %s: %s", namespace, name, host.Key(), fmt.Sprintf(format, args...))
	}
	if doc.DecodeLoose(&secret) != nil {
		return bad("not a Secret")
	}
	for _, field := range []string{"networkData", "value"} {
		text, found := secret.StringData[field]
		if encoded, inData := secret.Data[field]; !found && inData {
			decoded, err := base64.StdEncoding.DecodeString(encoded)
			if err != nil {
				return bad("data.%s is not base64", field)
			}
			text, found = string(decoded), true
		}
		if !found {
			continue
		}
		return addNetworks(host, text, origin, func(format string, args ...any) error {
			return bad("%s: %s", field, fmt.Sprintf(format, args...))
		})
	}
	return bad("neither key networkData nor value")
}

func addNetworks(host *Host, text string, origin AddressOrigin, bad func(string, ...any) error) error {
	var data networkData
	if yaml.Unmarshal([]byte(text), &data) != nil {
		return bad("neither JSON nor YAML of OpenStack network data")
	}
	var problems manifest.Problems
	for i, network := range data.Networks {
		switch {
		case network.Type != "ipv4" && network.Type != "ipv6" && !strings.HasPrefix(network.Type, "ipv6_static"):
			continue // dhcp, slaac: the address is not known here
		case network.ID == "":
			problems.Add(bad("networks[%d].id: missing", i))
			continue
		}
		ip, err := parseAddress(network.IPAddress)
		if err != nil {
			problems.Add(bad("networks[%d].ip_address: not an address", i))
			continue
		}
		if ip.Is4() != (network.Type == "ipv4") {
			problems.Add(bad("networks[%d].ip_address: not an %s address", i, network.Type))
			continue
		}
		host.add(network.ID, ip, origin)
	}
	return problems.Err()
}

// parseAddress reads an address with or without "/prefix".
func parseAddress(text string) (netip.Addr, error) {
	if prefix, err := netip.ParsePrefix(text); err == nil {
		return prefix.Addr().Unmap(), nil
	}
	ip, err := netip.ParseAddr(text)
	if err == nil && ip.Zone() != "" {
		err = fmt.Errorf("has a zone")
	}
	return ip.Unmap(), err
}
