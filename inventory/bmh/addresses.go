package bmh

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"

	metal3 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/inventory"
)

// AddAddresses adds a host's hardware and its addresses, from the strongest source first. For each network the first
// source that has it counts. Unreadable sources are the host's own problem: they concern only the services that need
// the addresses.
func AddAddresses(host *inventory.Host, bmh *metal3.BareMetalHost, doc *manifest.Document, related Related) {
	r := addressReader{host: host, settled: map[string]inventory.AddressOrigin{}}
	r.annotations(bmh, doc)
	for _, ref := range SecretRefs(host, bmh) {
		r.secret(related, ref)
	}
	r.outside()
	details := bmh.Status.HardwareDetails
	key := Key(host.Namespace, host.Name)
	if twice := related.definedTwice(KindHardwareData, key); twice != "" {
		r.problem("", inventory.FromHardware, "%s", twice)
		details = nil
	} else if data := related.Hardware[key]; data != nil {
		var hardware metal3.HardwareData
		if err := data.DecodeLoose(&hardware); err != nil {
			r.problem("", inventory.FromHardware, "%s", err)
		} else if hardware.Spec.HardwareDetails != nil {
			details = hardware.Spec.HardwareDetails
		}
	}
	if details == nil {
		if bmh.Spec.Architecture != "" {
			host.Hardware = &inventory.Hardware{Architecture: free(bmh.Spec.Architecture)}
		}
		return
	}
	host.Hardware = hardwareOf(details, bmh.Spec.Architecture)
	for _, nic := range details.NIC {
		// Inspection also finds link-local addresses and the like, which are no mistake.
		if ip, err := inventory.ParseAddress(nic.IP, ""); err == nil && r.add(free(nic.Name), ip, inventory.FromHardware) {
			host.Warnings = append(host.Warnings, fmt.Sprintf("address %s on %s is from hardware inspection and may be a "+
				"provisioning-time lease", ip, free(nic.Name)))
		}
	}
}

// SecretRef names a Secret with network data.
type SecretRef struct {
	Namespace, Name string
	Origin          inventory.AddressOrigin
	// Elsewhere: it lies in another namespace than the host. metal3 refuses it, so it is not read.
	Elsewhere bool
}

// SecretRefs returns the Secrets that a host names as network data, the strongest first.
func SecretRefs(host *inventory.Host, bmh *metal3.BareMetalHost) []SecretRef {
	var refs []SecretRef
	if ref := bmh.Spec.NetworkData; ref != nil && ref.Name != "" {
		namespace := ref.Namespace
		if namespace == "" {
			namespace = host.Namespace
		}
		refs = append(refs, SecretRef{namespace, ref.Name, inventory.FromNetworkData, namespace != host.Namespace})
	}
	if name := bmh.Spec.PreprovisioningNetworkDataName; name != "" {
		refs = append(refs, SecretRef{host.Namespace, name, inventory.FromPreprovisioning, false})
	}
	return refs
}

// Invalid reports whether no Secret can have the name: it is not requested from the API server then.
func (ref SecretRef) Invalid() bool {
	if simpleName(ref.Name) && simpleName(ref.Namespace) {
		return false
	}
	return len(validation.IsDNS1123Subdomain(ref.Name)) > 0 || len(validation.IsDNS1123Label(ref.Namespace)) > 0
}

// addressReader collects the addresses of one host.
type addressReader struct {
	host *inventory.Host
	// settled maps the networks to the strongest source that mentions them. Even if its address is unusable, weaker
	// sources do not count, because they may be wrong about the host's place.
	settled map[string]inventory.AddressOrigin
	// closed: no weaker source counts for any network.
	closed bool
	// subnets are those of the host's network data, by network.
	subnets map[string][]subnet
}

// found returns a message with the value, if it can be shown.
func found(value, wrong string) string {
	if addressLike.MatchString(value) {
		return fmt.Sprintf("found %q: %s", value, wrong)
	}
	return wrong
}

// lineOfField returns the line of a field of a Secret's data.
func lineOfField(doc *manifest.Document, field string) int {
	return max(doc.LineOf("stringData."+field), doc.LineOf("data."+field))
}

// at returns a message with the place in a document. An object of the cluster has only its name.
func at(doc *manifest.Document, field, format string, args ...any) string {
	return placed(doc, doc.LineOf(field), field, fmt.Sprintf(format, args...))
}

// atLine is at for a place without a field of its own.
func atLine(doc *manifest.Document, line int, format string, args ...any) string {
	return placed(doc, line, "", fmt.Sprintf(format, args...))
}

func placed(doc *manifest.Document, line int, field, message string) string {
	problem := manifest.Problem{File: doc.File, Document: doc.Index, Line: line, Field: field, Message: message}
	switch {
	case doc.File != Live:
		return problem.Error()
	case field != "":
		return field + ": " + problem.Message
	}
	return problem.Message
}

func (r *addressReader) problem(network string, origin inventory.AddressOrigin, format string, args ...any) {
	r.host.AddressProblems = append(r.host.AddressProblems,
		inventory.AddressProblem{Network: network, Origin: origin, Text: clean(fmt.Sprintf(format, args...))})
}

// add takes an address unless a stronger source has settled the network.
func (r *addressReader) add(network string, ip netip.Addr, origin inventory.AddressOrigin) bool {
	if by, settled := r.settled[network]; settled && by != origin || r.closed {
		return false
	}
	r.settled[network] = origin
	r.host.Addresses = append(r.host.Addresses, inventory.Address{Network: network, IP: ip, Origin: origin})
	return true
}

// refuse settles a network without an address. The name is empty where it could not be read.
func (r *addressReader) refuse(network string, origin inventory.AddressOrigin, format string, args ...any) {
	if by, settled := r.settled[network]; settled && by != origin {
		return
	}
	if network != "" {
		r.settled[network] = origin
	}
	r.problem(network, origin, format, args...)
}

// annotations reads the addresses that operators give a host. An invalid one settles its network as well: an address
// that was meant to be corrected is not used.
func (r *addressReader) annotations(bmh *metal3.BareMetalHost, doc *manifest.Document) {
	for _, name := range slices.Sorted(maps.Keys(bmh.Annotations)) {
		network, found := strings.CutPrefix(name, inventory.AddressAnnotationKey)
		if !found {
			continue
		}
		var ips []netip.Addr
		for _, text := range strings.Split(bmh.Annotations[name], ",") {
			ip, err := inventory.ParseAddress(text, "")
			if err != nil {
				r.refuse(network, inventory.FromHostAnnotation, "%s",
					at(doc, "metadata.annotations["+name+"]", "found %q: %s", free(text), err))
				ips = nil
				break
			}
			if slices.ContainsFunc(ips, func(other netip.Addr) bool { return other.Is4() == ip.Is4() }) {
				r.refuse(network, inventory.FromHostAnnotation, "%s",
					at(doc, "metadata.annotations["+name+"]", "two addresses of one family, want at most one IPv4 and one IPv6"))
				ips = nil
				break
			}
			ips = append(ips, ip)
		}
		for _, ip := range ips {
			r.add(network, ip, inventory.FromHostAnnotation)
		}
	}
}

// secret reads the addresses in a network data Secret. Messages name the Secret and the field. They repeat only
// values that look like an address, where one belongs.
func (r *addressReader) secret(related Related, ref SecretRef) {
	name := ref.Namespace + "/" + ref.Name
	if ref.Invalid() {
		r.problem("", ref.Origin, "%s names the Secret %q, which no Secret can be called", ref.Origin, free(name))
		r.close(ref)
		return
	}
	if ref.Elsewhere {
		r.problem("", ref.Origin, "%s names the Secret %s, want one in the host's namespace %s: metal3 refuses the other",
			ref.Origin, name, r.host.Namespace)
		r.close(ref)
		return
	}
	key := Key(ref.Namespace, ref.Name)
	doc, twice := related.Secrets[key], related.definedTwice(KindSecret, key)
	if doc == nil || twice != "" {
		text := cmp.Or(twice, related.Unread[key], fmt.Sprintf("network data Secret %s is not in the inventory", name))
		r.host.Warnings = append(r.host.Warnings, text)
		r.problem("", ref.Origin, "%s", text)
		r.close(ref)
		return
	}
	var secret struct {
		Data       map[string]string `json:"data"`
		StringData map[string]string `json:"stringData"`
	}
	if doc.DecodeLoose(&secret) != nil {
		r.unreadable(ref, doc, "not a Secret")
		return
	}
	for _, field := range []string{"networkData", "value"} {
		text, found := secret.StringData[field]
		if encoded, inData := secret.Data[field]; !found && inData {
			decoded, err := base64.StdEncoding.DecodeString(encoded)
			if err != nil {
				r.unreadable(ref, doc, "data.%s is not base64", field)
				return
			}
			text, found = string(decoded), true
		}
		if !found {
			continue
		}
		networks, err := networksOf(text)
		if err != nil {
			r.unreadable(ref, doc, "%s: %s", field, err)
		} else if !slices.ContainsFunc(networks, func(n dataNetwork) bool { return isNetworkID(n.ID) }) {
			r.close(ref) // each entry is a problem of its own, below
		}
		line := 0
		for i, network := range networks {
			r.network(ref.Origin, network, func(id, part, format string, args ...any) {
				if line == 0 {
					line = lineOfField(doc, field) // looked for where something is wrong: it takes time
				}
				r.refuse(id, ref.Origin, "%s", atLine(doc, line, "Secret %s: %s: networks[%d].%s: %s", name, field, i, part,
					fmt.Sprintf(format, args...)))
			})
		}
		return
	}
	text := "neither key networkData nor value"
	if has(secret.Data, "nmstate") || has(secret.StringData, "nmstate") {
		text += ", but nmstate, which sipgen does not read"
	}
	r.unreadable(ref, doc, "%s", text)
}

// close handles an unusable Secret. The host's networks in it are unknown, so sources that are weaker than
// spec.networkData, which the host runs with, are ignored. Preprovisioning data is for inspection, whose results
// count.
func (r *addressReader) close(ref SecretRef) {
	r.closed = r.closed || ref.Origin == inventory.FromNetworkData
}

// unreadable notes a Secret that is there and of no use.
func (r *addressReader) unreadable(ref SecretRef, doc *manifest.Document, format string, args ...any) {
	r.problem("", ref.Origin, "%s", at(doc, "", "Secret %s/%s: %s", ref.Namespace, ref.Name,
		fmt.Sprintf(format, args...)))
	r.close(ref)
}

// annotated reports whether an annotation has given the host an address on a network.
func (r *addressReader) annotated(network string) bool {
	return r.settled[network] == inventory.FromHostAnnotation
}

// outside marks the addresses of annotations that lie outside the networks of the host's network data.
// spec.networkData counts only while the host is unused, because Cluster API's metal3 provider replaces it.
// Preprovisioning data may be of another network than the one that the host is used on, so it only adds to those that
// are known.
func (r *addressReader) outside() {
	if r.host.State.Consumer != nil {
		return
	}
	for i := range r.host.Addresses {
		a := &r.host.Addresses[i]
		if a.Origin != inventory.FromHostAnnotation {
			continue
		}
		var networks []string
		known, within := false, false
		for _, s := range r.subnets[a.Network] {
			if s.Addr().Is4() == a.IP.Is4() {
				networks = append(networks, s.String())
				known = known || s.origin == inventory.FromNetworkData
				within = within || s.Contains(a.IP)
			}
		}
		if known && !within {
			slices.Sort(networks)
			a.Outside = strings.Join(slices.Compact(networks), ", ")
		}
	}
}
