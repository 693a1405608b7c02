package inventory

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// Fault is why a host cannot be handed out whatever metal3 says of it: its object is wrong, or at odds with another's. It is the host's own:
// the others go on, and whoever has the host keeps it.
type Fault struct {
	Kind FaultKind `json:"kind"`
	// Field is where it is in the object, empty for the object as a whole.
	Field string `json:"field,omitempty"`
	// Text says what was found, and repeats no value that may be secret. It has no path of a file in it: it may stand in the tree.
	Text string `json:"text"`
	// Other is where the other object is, if the fault is between two.
	Other string `json:"-"`
}

// String says what was found, and where in the object unless the text says that.
func (f *Fault) String() string {
	if f.Field == "" || f.Kind != FaultObject && f.Kind != FaultLabel {
		return f.Text
	}
	return f.Field + ": " + f.Text
}

// FaultKind is what is wrong with a host.
type FaultKind string

// The faults.
const (
	// FaultObject: the object cannot be read. Of the host nothing is known but its name.
	FaultObject FaultKind = "object"
	// FaultTwice: the host is defined more than once. What is known of it is what one of its objects says.
	FaultTwice FaultKind = "defined twice"
	// FaultLabel: a label that no API server takes. The host is without it.
	FaultLabel FaultKind = "label"
	// FaultName: namespace and name are longer than a file's name can be, and each host has a file in the tree.
	FaultName FaultKind = "name"
	// FaultUID: another host has its uid.
	FaultUID FaultKind = "uid"
	// FaultBMC: another host has its power control.
	FaultBMC FaultKind = "power control"
	// FaultMAC: another host has its boot MAC address.
	FaultMAC FaultKind = "boot MAC address"
	// FaultPatch: a patch of the host would do harm, or could not say which host it is for. Whoever has the host keeps it, and the patch that is
	// in the tree stays as it is.
	FaultPatch FaultKind = "patch"
	// FaultNetwork: a service of the site, or of a cluster, gives out, or has, an address of the host.
	FaultNetwork FaultKind = "address"
)

// LeftOut is an object that no host can be made of: it has no name that a host can have.
type LeftOut struct{ Source, Field, Text string }

// Unsure says whether what is known of the host may not be so: whether it is in use, which labels it has, its uid.
func (h *Host) Unsure() bool {
	return slices.ContainsFunc(h.Faults, func(f Fault) bool { return f.Kind == FaultObject || f.Kind == FaultTwice })
}

// Untouchable says whether no patch of the host may be written: neither one that hands it out nor one that releases it.
func (h *Host) Untouchable() bool {
	return slices.ContainsFunc(h.Faults, func(f Fault) bool { return f.Kind == FaultPatch })
}

// Once leaves one of each host that is defined more than once, and notes the fault. It is one that is in use, if any is, then one that has a
// uid, then the first. Hosts are sorted afterwards.
func Once(hosts []Host) []Host {
	at := make(map[string]int, len(hosts))
	out := hosts[:0]
	for i := range hosts {
		found := hosts[i]
		key := found.Key()
		n, twice := at[key]
		if !twice {
			at[key] = len(out)
			out = append(out, found)
			continue
		}
		kept, other := &out[n], found
		if better(&found, kept) {
			*kept, other = found, *kept
		}
		if !slices.ContainsFunc(kept.Faults, func(f Fault) bool { return f.Kind == FaultTwice }) {
			kept.Faults = append(slices.Clone(kept.Faults), Fault{Kind: FaultTwice, Field: "metadata.name", Text: "defined more than once", Other: other.Source})
		}
	}
	Sort(out)
	return out
}

// better says which of two objects of one host is to be believed.
func better(a, b *Host) bool {
	if x, y := a.State.InUse(), b.State.InUse(); x != y {
		return x
	}
	return a.UID != "" && b.UID == ""
}

// Conflicts notes what two hosts have and only one can: a uid, a power control, a boot MAC address.
func Conflicts(hosts []Host) {
	for _, about := range []struct {
		kind  FaultKind
		field string
		id    func(*Host) string
	}{
		{FaultUID, "metadata.uid", func(h *Host) string { return h.UID }},
		{FaultBMC, "spec.bmc.address", func(h *Host) string { return PowerControl(h.BMC.Address) }},
		{FaultMAC, "spec.bootMACAddress", func(h *Host) string { return NormalMAC(h.BootMAC) }},
	} {
		first := make(map[string]int, len(hosts))
		shared := map[string][]int{}
		for i := range hosts {
			id := about.id(&hosts[i])
			if id == "" {
				continue
			}
			if j, taken := first[id]; !taken {
				first[id] = i
			} else if shared[id] == nil {
				shared[id] = []int{j, i}
			} else {
				shared[id] = append(shared[id], i)
			}
		}
		for _, group := range shared { // each host is in one group: the order does not matter
			for _, i := range group {
				for _, j := range group {
					if i != j {
						hosts[i].Faults = append(slices.Clone(hosts[i].Faults), Fault{
							Kind: about.kind, Field: about.field, Text: "has the " + string(about.kind) + " of host " + hosts[j].Key(), Other: hosts[j].Source,
						})
						break
					}
				}
			}
		}
	}
}

// ports that the schemes of power control have by default (metal3: "Supported hardware").
var controlPorts = map[string]string{"ipmi": "623", "libvirt": "623", "irmc": "443", "http": "80", "https": "443"}

// PowerControl is where a power control is, however spec.bmc.address is written: host, port and path, without the scheme's name. One controller
// may have several systems, each with a path of its own. It is empty where there is no address.
func PowerControl(address string) string {
	address = strings.TrimSpace(address)
	if address == "" {
		return ""
	}
	if !strings.Contains(address, "://") {
		address = "ipmi://" + address
	}
	scheme, host, port, path, ok := plainURL(address)
	if !ok {
		parsed, err := url.Parse(address)
		if err != nil || parsed.Host == "" {
			return strings.ToLower(address)
		}
		scheme, host, port, path = parsed.Scheme, parsed.Hostname(), parsed.Port(), parsed.Path
	}
	scheme, transport, _ := strings.Cut(strings.ToLower(scheme), "+")
	if port == "" {
		switch {
		case transport != "":
			port = controlPorts[transport]
		case controlPorts[scheme] != "":
			port = controlPorts[scheme]
		default:
			port = "443" // redfish, idrac, ilo: HTTPS
		}
	}
	name := strings.ToLower(strings.TrimSuffix(host, "."))
	if strings.Contains(name, ":") {
		if ip := literal(name); strings.Contains(ip, ":") {
			name = "[" + ip + "]"
		}
	}
	return name + ":" + port + strings.TrimRight(path, "/")
}

// literal is an IP address in its usual form, empty for a name.
func literal(text string) string {
	ip, err := netip.ParseAddr(text)
	if err != nil {
		return ""
	}
	return ip.Unmap().String()
}

// NormalMAC is a MAC address as it is compared.
func NormalMAC(mac string) string {
	return strings.ToLower(strings.ReplaceAll(strings.TrimSpace(mac), "-", ":"))
}
