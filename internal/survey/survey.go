// Package survey examines an inventory without a Site: which labels distinguish racks and kinds of hosts, which
// networks exist, how many hosts are free. From that it proposes a first Site and a first SIPCluster. Pure.
package survey

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/airshipit/sipgen/inventory"
)

// Found is a summary of an inventory.
type Found struct {
	Hosts int
	// Free is how many hosts a plan could assign.
	Free int
	// Namespaces with hosts, by name.
	Namespaces []Count
	// Labels that tell hosts apart, those that look useful first.
	Labels []Label
	// Networks that hosts have addresses on: declared ones first, then those of most hosts.
	Networks []Network
	// Hardware are the classes of inspected hosts, those of most hosts first.
	Hardware []Count

	// free hosts, by their keys.
	free map[string]bool
}

// Count is a value, and how many hosts have it.
type Count struct {
	Name  string
	Hosts int
}

// Network is a network, and how many hosts have an address on it.
type Network struct {
	Count
	// Inspected: no host declares an address on it. The inspection saw an interface of that name, and its lease.
	Inspected bool
}

// Label is a label key that several hosts have, with more than one value.
type Label struct {
	Key   string
	Looks Looks
	// Values by name, with the hosts that have each.
	Values []Count
}

// Looks is the likely meaning of a label, by the last part of its key.
type Looks string

// The likely meanings of labels.
const (
	// Domain: hosts with one value fail together, as those of a rack do.
	Domain Looks = "failure domain"
	// Kind: the value is the purpose or the size of a host.
	Kind  Looks = "kind of host"
	Other Looks = ""
)

// words are parts of keys that people use, those that fit best first.
var words = map[Looks][]string{
	Domain: {"rack", "failure-domain", "zone", "row", "room", "chassis", "enclosure", "server"},
	Kind:   {"role", "flavor", "flavour", "node-type", "type", "profile", "class", "size", "pool", "kind"},
}

// mostValues is the largest number of values of a label for kinds of hosts.
const mostValues = 12

// Of looks over hosts. free are the keys of those that can be handed out.
func Of(hosts []inventory.Host, free map[string]bool) *Found {
	found := &Found{Hosts: len(hosts), free: free}
	namespaces, networks, labels := map[string]int{}, map[string]int{}, map[string]map[string]int{}
	hardware, declared := map[string]int{}, map[string]bool{}
	for i := range hosts {
		host := &hosts[i]
		namespaces[host.Namespace]++
		if free[host.Key()] {
			found.Free++
		}
		if host.Hardware != nil && host.Hardware.String() != "" {
			hardware[host.Hardware.String()]++
		}
		on := map[string]bool{}
		for _, address := range host.Addresses {
			on[address.Network] = true
			if address.Origin != inventory.FromHardware {
				declared[address.Network] = true
			}
		}
		for network := range on {
			networks[network]++
		}
		for key, value := range host.Labels {
			if !usable(key, value) {
				continue
			}
			if labels[key] == nil {
				labels[key] = map[string]int{}
			}
			labels[key][value]++
		}
	}
	found.Namespaces, found.Hardware = counts(namespaces), counts(hardware)
	slices.SortStableFunc(found.Hardware, byHosts)
	for _, network := range counts(networks) {
		found.Networks = append(found.Networks, Network{network, !declared[network.Name]})
	}
	slices.SortStableFunc(found.Networks, func(a, b Network) int {
		if a.Inspected != b.Inspected {
			return map[bool]int{false: -1, true: 1}[a.Inspected]
		}
		return byHosts(a.Count, b.Count)
	})
	for key, values := range labels {
		carriers := 0
		for _, n := range values {
			carriers += n
		}
		// A single value distinguishes nothing, and one for each host is a name.
		if len(values) < 2 || len(values) == carriers && len(values) > 2 {
			continue
		}
		found.Labels = append(found.Labels, Label{Key: key, Looks: looks(key, len(values)), Values: counts(values)})
	}
	slices.SortFunc(found.Labels, func(a, b Label) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.Key, b.Key))
	})
	return found
}

// usable reports whether a label can be in a selector, and is not sipgen's or the cluster's own.
func usable(key, value string) bool {
	prefix, _, _ := strings.Cut(key, "/")
	for _, own := range []string{"sip.airshipit.org", "sipgen.airshipit.org", "kustomize.toolkit.fluxcd.io",
		"app.kubernetes.io", "argocd.argoproj.io"} {
		if prefix == own {
			return false
		}
	}
	return value != "" && len(validation.IsQualifiedName(key)) == 0 && len(validation.IsValidLabelValue(value)) == 0
}

func looks(key string, values int) Looks {
	switch {
	case fit(key, Domain) < len(words[Domain]):
		return Domain
	case fit(key, Kind) < len(words[Kind]) && values <= mostValues:
		return Kind
	}
	return Other
}

// fit returns the index of the word that a key ends with, their number for none.
func fit(key string, as Looks) int {
	name := strings.ToLower(key[strings.LastIndex(key, "/")+1:])
	at := slices.IndexFunc(words[as], func(word string) bool { return name == word || strings.HasSuffix(name, "-"+word) })
	if at < 0 {
		return len(words[as])
	}
	return at
}

func rank(l Label) int {
	switch l.Looks {
	case Domain:
		return fit(l.Key, Domain)
	case Kind:
		return 100 + fit(l.Key, Kind)
	}
	return 200
}

func byHosts(a, b Count) int { return cmp.Compare(b.Hosts, a.Hosts) }

func counts(of map[string]int) []Count {
	var out []Count
	for _, name := range slices.Sorted(maps.Keys(of)) {
		out = append(out, Count{name, of[name]})
	}
	return out
}
