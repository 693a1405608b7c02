package bmh

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/yaml"

	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/inventory"
)

// networkData is the part of OpenStack's network_data.json that sipgen reads, and the marks of other formats.
// https://docs.openstack.org/nova/latest/_downloads/9119ca7ac90aa2990e762c08baea3a36/network_data.json
type networkData struct {
	Networks   json.RawMessage `json:"networks"`
	Interfaces json.RawMessage `json:"interfaces"` // NMState
	Network    json.RawMessage `json:"network"`    // netplan
	Ethernets  json.RawMessage `json:"ethernets"`  // netplan, as cloud-init takes it: without the outer key
	Config     json.RawMessage `json:"config"`     // cloud-init, version 1
}

// dataNetwork is one entry of networks. The netmask may be a string or a number of bits.
type dataNetwork struct {
	ID        string `json:"id"`
	Type      string `json:"type"`
	IPAddress string `json:"ip_address"`
	Netmask   any    `json:"netmask"`
}

// subnet is where network data has a host on a network.
type subnet struct {
	netip.Prefix
	origin inventory.AddressOrigin
}

// addressLike matches an ip_address of a Secret that may be shown: one that looks like an address, right or wrong.
var addressLike = regexp.MustCompile(`^[0-9a-fA-F]{0,4}([.:][0-9a-fA-F]{0,4}){2,7}(/[0-9]{1,3})?$`)

// networksOf returns the networks of OpenStack network data. One that cannot be read is left empty, so that the
// others keep their index.
func networksOf(text string) ([]dataNetwork, error) {
	const want = "want JSON or YAML of OpenStack network data"
	if len(text) > mostNetworkData {
		return nil, fmt.Errorf("%d bytes, want at most %d", len(text), mostNetworkData)
	}
	if err := manifest.CheckEncoding([]byte(text)); err != nil {
		return nil, fmt.Errorf("%w, %s", err, want)
	}
	if strings.ContainsRune(text, utf8.RuneError) { // as the manifest's reader leaves it, in a key or a value
		return nil, fmt.Errorf("a character in it is not printable or not UTF-8, %s", want)
	}
	if problem := networkDataLimits.CheckAliases([]byte(text)); problem != "" {
		return nil, fmt.Errorf("%s, %s", problem, want)
	}
	var data networkData
	object, err := yaml.YAMLToJSONStrict([]byte(text))
	if err != nil { // perhaps of a key beside a merge
		if manifest.SetsTwice([]byte(text)) {
			return nil, fmt.Errorf("a key in it is set twice, %s", want)
		}
		object, err = yaml.YAMLToJSON([]byte(text))
	}
	if err != nil || json.Unmarshal(object, &data) != nil {
		return nil, fmt.Errorf("cannot be read, %s", want)
	}
	if line, found := manifest.Rest([]byte(text)); found {
		return nil, fmt.Errorf("line %d of it: %w", line+1, manifest.ErrRest)
	}
	var (
		networks []dataNetwork
		entries  []json.RawMessage
	)
	switch {
	case data.Networks != nil && json.Unmarshal(data.Networks, &networks) == nil && len(networks) > 0:
		return networks, nil
	case data.Networks != nil && json.Unmarshal(data.Networks, &entries) != nil:
		return nil, fmt.Errorf("networks is no list, %s", want)
	case len(entries) > 0: // and something is wrong with one of them
	case data.Interfaces != nil:
		return nil, fmt.Errorf("found NMState, %s", want)
	case data.Network != nil || data.Ethernets != nil:
		return nil, fmt.Errorf("found netplan, %s", want)
	case data.Config != nil:
		return nil, fmt.Errorf("found a network configuration of cloud-init, %s", want)
	default:
		return nil, fmt.Errorf("no networks in it, %s", want)
	}
	networks = make([]dataNetwork, len(entries))
	for i, entry := range entries {
		if json.Unmarshal(entry, &networks[i]) != nil {
			// An id that can be read tells which network it is that lacks an address.
			var named struct {
				ID string `json:"id"`
			}
			_ = json.Unmarshal(entry, &named)
			networks[i] = dataNetwork{ID: named.ID}
		}
	}
	return networks, nil
}

// mostNetworkData is how many bytes a Secret may have on an API server.
const mostNetworkData = 1 << 20

// networkDataLimits: network data needs no aliases.
var networkDataLimits = manifest.Limits{Aliases: mostNetworkData}

// isNetworkID reports whether a service can name a network like this.
func isNetworkID(id string) bool {
	return id != "" && len(id) <= validation.DNS1123SubdomainMaxLength &&
		!strings.ContainsFunc(id, func(c rune) bool { return !unicode.IsGraphic(c) || unicode.IsSpace(c) })
}

// network takes the address of one network. As the SIP operator did, it goes by ip_address whatever the type: ViNO
// writes bridge, or none.
func (r *addressReader) network(origin inventory.AddressOrigin, network dataNetwork,
	bad func(id, part, format string, args ...any)) {
	dynamic := strings.Contains(network.Type, "dhcp") || strings.Contains(network.Type, "slaac") ||
		strings.Contains(network.Type, "stateless")
	switch {
	case network.ID == "":
		bad("", "id", "missing")
	case !isNetworkID(network.ID):
		bad("", "id", "not a name")
	case network.IPAddress == "" && dynamic:
		// A weaker source may have the address, so nothing is settled.
		r.problem(network.ID, origin, "%s: dhcp, no fixed address: it is given by DHCP or autoconfiguration, and "+
			"not known here", origin)
	case network.IPAddress == "":
		bad(network.ID, "ip_address", "missing")
	default:
		netmask := ""
		switch mask := network.Netmask.(type) {
		case string:
			netmask = mask
		case float64:
			netmask = strconv.FormatFloat(mask, 'f', -1, 64)
		}
		ip, err := inventory.ParseAddress(network.IPAddress, netmask)
		switch {
		case err != nil:
			bad(network.ID, "ip_address", "%s", found(network.IPAddress, err.Error()))
		case network.Type == "ipv4" && !ip.Is4(), strings.HasPrefix(network.Type, "ipv6") && ip.Is4():
			bad(network.ID, "ip_address", "%s", found(network.IPAddress, "not an "+network.Type[:4]+" address"))
		default:
			r.add(network.ID, ip, origin)
			if prefix := inventory.SubnetOf(network.IPAddress, netmask); prefix.IsValid() && r.annotated(network.ID) {
				if r.subnets == nil {
					r.subnets = map[string][]subnet{}
				}
				r.subnets[network.ID] = append(r.subnets[network.ID], subnet{prefix, origin})
			}
		}
	}
}
