package lint

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/airshipit/sipgen/api/v1alpha1/validation"
	"github.com/airshipit/sipgen/internal/finding"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/internal/redact"
	"github.com/airshipit/sipgen/inventory"
)

// correct is what to do about an annotation with a key that sipgen does not read.
const correct = "correct the key, or give an annotation of your own a domain of your own"

// siteAnnotations finds those of the Site that look like sipgen's and have no effect.
func (c *checker) siteAnnotations() {
	if c.Site != nil {
		for _, unread := range validation.UnreadAnnotations(c.Site) {
			c.site(finding.Unread, finding.Warning, unread.Path, unread.Message, correct)
		}
	}
}

// unreadAnnotations finds annotations of hosts that look like sipgen's and have no effect: an unknown key, or an
// address on a network that no cluster uses and no other host is on. Those of SIPClusters are among the warnings of
// their specs.
func (c *checker) unreadAnnotations() {
	on := map[string]map[string]bool{} // by network: the hosts that are on it, by whatever source
	for i := range c.Hosts {
		for _, address := range c.Hosts[i].Addresses {
			if on[address.Network] == nil {
				on[address.Network] = map[string]bool{}
			}
			on[address.Network][c.Hosts[i].Key()] = true
		}
	}
	used := c.usedNetworks()
	for i := range c.Hosts {
		host := &c.Hosts[i]
		for _, key := range host.UnreadAnnotations {
			read := inventory.ReadAnnotations()
			message := "sipgen reads no such annotation of a host, only " + strings.Join(read, ", ") + "<network>"
			if near, _ := manifest.StrayAnnotation(key, read); near != "" {
				message = fmt.Sprintf("sipgen reads no such annotation, did you mean %q?", near)
			}
			c.host(finding.Unread, finding.Warning, host, redact.Sprintf("metadata.annotations[%q]", key), message, correct)
		}
		for _, network := range annotatedNetworks(host) {
			if len(used) == 0 || slices.Contains(used, network) || len(on[network]) > 1 || len(on[network]) == 1 &&
				!on[network][host.Key()] {
				continue
			}
			message := redact.Sprintf("no cluster uses a network %q, and no other host is on it", network)
			if near := manifest.Nearest(network, used); near != "" {
				message += redact.Sprintf("; did you mean %q?", near)
			}
			c.host(finding.Unread, finding.Warning, host,
				redact.Sprintf("metadata.annotations[%q]", inventory.AddressAnnotationKey+network), message,
				"correct the network's id, or remove the annotation")
		}
	}
}

// annotatedNetworks returns the ids of the networks on which annotations give the host an address, or try to, sorted.
func annotatedNetworks(host *inventory.Host) []string {
	var networks []string
	for _, address := range host.Addresses {
		if address.Origin == inventory.FromHostAnnotation {
			networks = append(networks, address.Network)
		}
	}
	for _, problem := range host.AddressProblems {
		if problem.Origin == inventory.FromHostAnnotation && problem.Network != "" {
			networks = append(networks, problem.Network)
		}
	}
	slices.Sort(networks)
	return slices.Compact(networks)
}

// usedNetworks returns the ids of the networks on which clusters reach their hosts, sorted.
func (c *checker) usedNetworks() []string {
	var used []string
	for i := range c.Clusters {
		used = slices.AppendSeq(used, maps.Keys(c.Clusters[i].NetworksByField()))
	}
	slices.Sort(used)
	return slices.Compact(used)
}
