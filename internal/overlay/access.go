package overlay

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"

	"github.com/airshipit/sipgen/api/v1/validation"
	"github.com/airshipit/sipgen/internal/text"
)

// AddressNotes returns the annotations by which load balancers take addresses.
func AddressNotes() []string {
	return []string{"io.cilium/lb-ipam-ips", "kube-vip.io/loadbalancerIPs", "lbipam.cilium.io/ips",
		"metallb.io/loadBalancerIPs", "metallb.universe.tf/loadBalancerIPs"}
}

// reached describes where a Service is reached: the addresses and ports that a reviewer compares with the request. It
// is "" for other kinds.
func reached(o *Object) string {
	if o.Kind != "Service" {
		return ""
	}
	spec := asMap(o.Fields["spec"])
	kind, _ := spec["type"].(string)
	var places []string
	ports := portsOf(spec, "port")
	switch ip, _ := spec["clusterIP"].(string); {
	case kind == "LoadBalancer":
		places = append(places, balanced(o, spec)+", "+ports)
	case kind == "ExternalName":
		places = append(places, "another name than its own")
	case ip != "" && ip != "None":
		places = append(places, "cluster IP "+ipsOf(ip)+", "+ports)
	case kind != "NodePort":
		places = append(places, "its name within the management cluster, "+ports)
	}
	if external := addressesOf(spec["externalIPs"]); len(external) > 0 {
		places = append(places, "external IPs "+strings.Join(external, ", ")+", "+ports)
	}
	if nodes := portsOf(spec, "nodePort"); nodes != "" {
		places = append(places, "every node of the management cluster, "+nodes)
	}
	if n := chosenPorts(o); n > 0 {
		places = append(places, "every node of the management cluster, at "+text.Count(n, "port")+
			" that the API server chooses")
	}
	return strings.Join(places, "; ")
}

// balanced returns the address of a load balancer.
func balanced(o *Object, spec map[string]any) string {
	notes := asMap(asMap(o.Fields["metadata"])["annotations"])
	var asked []string
	for _, key := range AddressNotes() {
		asked = append(asked, addressesOf([]any{notes[key]})...)
	}
	asked = append(asked, addressesOf([]any{spec["loadBalancerIP"]})...)
	slices.Sort(asked)
	if asked = slices.Compact(asked); len(asked) > 0 {
		return "load balancer address " + strings.Join(asked, ", ")
	}
	return "a load balancer address that is not requested by name"
}

// ipsOf returns the addresses in a text, with commas between them. Of an edited tree it may be anything else, which
// is not repeated.
func ipsOf(words string) string {
	var ips []string
	for word := range strings.SplitSeq(words, ",") {
		ip, err := netip.ParseAddr(strings.TrimSpace(word))
		if err != nil || ip.Zone() != "" {
			return "that is no IP address"
		}
		ips = append(ips, ip.String())
	}
	return strings.Join(ips, ", ")
}

// addressesOf returns the addresses in a list of texts.
func addressesOf(value any) []string {
	list, _ := value.([]any)
	var out []string
	for _, item := range list {
		if words, isText := item.(string); isText && words != "" {
			out = append(out, ipsOf(words))
		}
	}
	return out
}

// maxRanges bounds how many ranges of ports are named.
const maxRanges = 8

// portsOf returns the ports of a Service, or its node ports, as in "ports 22, 30000-30009". Empty: it has none.
func portsOf(spec map[string]any, field string) string {
	list, _ := spec["ports"].([]any)
	var ports []int64
	for _, item := range list {
		if n, isNumber := asMap(item)[field].(json.Number); isNumber {
			if port, err := n.Int64(); err == nil && port > 0 {
				ports = append(ports, port)
			}
		}
	}
	slices.Sort(ports)
	ports = slices.Compact(ports)
	var ranges []string
	for i := 0; i < len(ports); {
		last := i
		for last+1 < len(ports) && ports[last+1] == ports[last]+1 {
			last++
		}
		if last == i {
			ranges = append(ranges, fmt.Sprint(ports[i]))
		} else {
			ranges = append(ranges, fmt.Sprintf("%d-%d", ports[i], ports[last]))
		}
		i = last + 1
	}
	if len(ranges) == 0 {
		return ""
	}
	words := "port "
	if len(ports) > 1 {
		words = "ports "
	}
	if n := len(ranges) - maxRanges; n > 0 {
		return words + strings.Join(ranges[:maxRanges], ", ") + " and " + text.Count(n, "more range")
	}
	return words + strings.Join(ranges, ", ")
}

// The keys of a jump host's ConfigMap that list who may log in.
const (
	authorizedKeys = "authorized_keys"
	trustedUserCA  = "trusted_user_ca"
)

// logins returns the logins that a ConfigMap adds or changes, and those that it removes. was is nil for a new one.
func logins(was, is *Object) (more, less []string) {
	before, after := loginsOf(was), loginsOf(is)
	for _, who := range slices.Sorted(maps.Keys(after)) {
		switch rules, could := before[who]; {
		case !could:
			more = append(more, who)
		case rules != after[who]:
			more = append(more, who+" (by other rules)")
		}
	}
	for _, who := range slices.Sorted(maps.Keys(before)) {
		if _, may := after[who]; !may {
			less = append(less, who)
		}
	}
	return more, less
}

// loginsOf returns the logins of one ConfigMap, each with its rules. It repeats no text, because an edited tree may
// have any.
func loginsOf(o *Object) map[string]string {
	if o == nil || o.Kind != "ConfigMap" {
		return nil
	}
	data := asMap(o.Fields["data"])
	config, _ := data[dexConfiguration].(string)
	out := dexLogins(config)
	for _, source := range []struct{ key, suffix string }{{authorizedKeys, ""},
		{trustedUserCA, " (a certificate authority: every user certificate that it signs)"}} {
		content, _ := data[source.key].(string)
		for line := range strings.Lines(content) {
			if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
				continue
			}
			out[cmp.Or(validation.KeyFingerprint(line), "a line that is not a plain public key")+source.suffix] = ""
		}
	}
	return out
}
