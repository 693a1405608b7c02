package inventory

import (
	"cmp"
	"encoding/json"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/airshipit/sipgen/internal/manifest"
)

// Fault is why a host cannot be assigned, whatever metal3 reports: its object is invalid, or conflicts with another
// one. Other hosts are not affected, and a cluster that holds the host keeps it.
type Fault struct {
	Kind FaultKind `json:"kind"`
	// Field is its path in the object, empty for the object as a whole.
	Field string `json:"field,omitempty"`
	// Text is what was found, without values that may be secret and without a file's path: it may be printed in the
	// tree.
	Text string `json:"text"`
	// Other is the place of the other object, for a fault between two.
	Other manifest.Place `json:"-"`
	// Line of the field in the file, 0 for that of the object.
	Line int `json:"-"`
}

// String returns the text, with the field unless the text has it.
func (f *Fault) String() string {
	if f.Field == "" || f.Kind != FaultObject && f.Kind != FaultLabel {
		return f.Text
	}
	return f.Field + ": " + f.Text
}

// FaultKind is the kind of a fault.
type FaultKind string

// The kinds of faults.
const (
	// FaultObject: the object cannot be read. Only the host's name is certain; the Host has the uid and the labels that
	// can be read.
	FaultObject FaultKind = "object"
	// FaultTwice: the host is defined more than once. The Host is one of its objects.
	FaultTwice FaultKind = "defined twice"
	// FaultLabel: a label that no API server accepts. The Host lacks it.
	FaultLabel FaultKind = "label"
	// FaultName: namespace and name together are too long for a file in the tree.
	FaultName FaultKind = "name"
	// FaultUID: another host has its uid.
	FaultUID FaultKind = "uid"
	// FaultBMC: another host has its power control.
	FaultBMC FaultKind = "power control"
	// FaultMAC: another host has its boot MAC address.
	FaultMAC FaultKind = "boot MAC address"
	// FaultPatch: a patch of the host would do harm, or could not name the host. Its cluster keeps it, with the patch
	// that is in the tree.
	FaultPatch FaultKind = "patch"
	// FaultOld: the host was read before the tree was committed, and the tree has it, or it has labels of sipgen. Its
	// use, its labels of sipgen and its uid are not known.
	FaultOld FaultKind = "old"
	// FaultNetwork: a service of the site or of a cluster has or hands out an address of the host.
	FaultNetwork FaultKind = "address"
)

// LeftOut is an object that is no host, because its name is invalid.
type LeftOut struct {
	Source      manifest.Place
	Field, Text string
}

// Unsure reports whether the Host may be wrong about its use, its labels or its uid.
func (h *Host) Unsure() bool {
	return slices.ContainsFunc(h.Faults, func(f Fault) bool {
		return f.Kind == FaultObject || f.Kind == FaultTwice || f.Kind == FaultOld
	})
}

// Old reports whether the host was read before the tree was committed, as for FaultOld.
func (h *Host) Old() bool {
	return slices.ContainsFunc(h.Faults, func(f Fault) bool { return f.Kind == FaultOld })
}

// Untouchable reports whether no patch of the host may be written, neither to assign nor to release it.
func (h *Host) Untouchable() bool {
	return slices.ContainsFunc(h.Faults, func(f Fault) bool { return f.Kind == FaultPatch })
}

// Once keeps one object of each host that is defined more than once, and records the fault. It prefers one that is in
// use, then one with a uid, then the first by its content: their order decides nothing. Hosts are sorted afterwards.
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
			kept.Faults = append(slices.Clone(kept.Faults),
				Fault{Kind: FaultTwice, Field: "metadata.name", Text: "defined more than once", Other: other.Source})
		}
	}
	Sort(out)
	return out
}

// better reports whether the first of two objects of one host is to be kept.
func better(a, b *Host) bool {
	if x, y := a.State.InUse(), b.State.InUse(); x != y {
		return x
	}
	if x, y := a.UID != "", b.UID != ""; x != y {
		return x
	}
	return content(a) < content(b)
}

// content is all of a host but its faults, one of which may be that it is defined twice.
func content(h *Host) string {
	of := *h
	of.Faults = nil
	text, _ := json.Marshal(of) // of values that were read
	return string(text)
}

// Conflicts records what two hosts share and only one may have: a uid, a BMC, a boot MAC address.
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
		for _, group := range shared { // each host is in one group, so the order does not matter
			for _, i := range group {
				for _, j := range group {
					if i != j {
						hosts[i].Faults = append(slices.Clone(hosts[i].Faults), Fault{
							Kind: about.kind, Field: about.field, Text: "has the " + string(about.kind) + " of host " +
								hosts[j].Key(), Other: hosts[j].Source,
						})
						break
					}
				}
			}
		}
	}
}

// controlPorts are the default ports of schemes and transports that are not HTTPS (metal3: "Supported hardware").
var controlPorts = map[string]string{"ipmi": "623", "libvirt": "623", "http": "80"}

// PowerControl returns the identity of a BMC address: host, port and path, without the scheme, in one form. Two hosts
// with the same result share a BMC. Example: "redfish+https://10.0.0.9/redfish/v1/Systems/1" and the same address
// with port 443 are equal. It is "" for no address.
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
		port = cmp.Or(controlPorts[cmp.Or(transport, scheme)], "443")
	}
	name := strings.ToLower(strings.TrimSuffix(host, "."))
	if strings.Contains(name, ":") {
		if ip := literal(name); strings.Contains(ip, ":") {
			name = "[" + ip + "]"
		}
	}
	return name + ":" + port + strings.TrimRight(path, "/")
}

// literal returns an IP address in its usual form, "" for a name.
func literal(text string) string {
	ip, err := netip.ParseAddr(text)
	if err != nil {
		return ""
	}
	return ip.Unmap().String()
}

// NormalMAC returns a MAC address in the form for comparison.
func NormalMAC(mac string) string {
	return strings.ToLower(strings.ReplaceAll(strings.TrimSpace(mac), "-", ":"))
}
