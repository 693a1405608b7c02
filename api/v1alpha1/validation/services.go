package validation

import (
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"

	"github.com/airshipit/sipgen/api/v1alpha1"
)

// serviceCheck checks one service of the site.
type serviceCheck struct {
	site *v1alpha1.Site
	// at is where it stands, as "spec.services.ironic[0]".
	at  string
	add Report
}

// say complains about a field of the service's spec.
func (c *serviceCheck) say(field, format string, args ...any) {
	c.add(c.at+".spec."+field, format, args...)
}

// images checks the images of a service, by their fields below a field of the spec.
func (c *serviceCheck) images(at string, images map[string]string) {
	for _, field := range slices.Sorted(maps.Keys(images)) {
		checkImage(c.at+".spec."+at+field, images[field], c.add)
	}
}

// inside parses an address that may be empty and has to lie in a network, which another field has.
func (c *serviceCheck) inside(field, value, of string, network netip.Prefix) netip.Addr {
	address := checkAddress(c.at+".spec."+field, value, c.add)
	if address.IsValid() && !network.Contains(address) {
		c.say(field, "found %s, want an address inside %s %s", address, of, network)
		return netip.Addr{}
	}
	return address
}

// span parses a range of addresses in a network.
func (c *serviceCheck) span(at, from, first, to, last, of string, network netip.Prefix) v1alpha1.Span {
	for _, end := range []struct{ field, value string }{{from, first}, {to, last}} {
		if end.value == "" {
			c.say(at+end.field, "missing: want an address inside %s %s", of, network)
		}
	}
	span := v1alpha1.Span{Start: c.inside(at+from, first, of, network), Stop: c.inside(at+to, last, of, network)}
	if span.Start.IsValid() && span.Stop.IsValid() && !span.IsValid() {
		c.say(at+to, "found %s, want one that is not before %s %s", span.Stop, from, span.Start)
	}
	return span
}

// object is what a service of the site is about.
type object interface {
	// Key is its "namespace/name".
	Key() string
}

// eachService checks every service in a list. Two that are one object are a problem.
func eachService[T any, P interface {
	*T
	object
}](s *v1alpha1.Site, field string, list []T, add Report, check func(c serviceCheck, service P)) {
	first := map[string]int{}
	for n := range list {
		service, at := P(&list[n]), fmt.Sprintf("%s[%d]", field, n)
		checkUnique(first, service.Key(), n, field, add)
		check(serviceCheck{s, at, add}, service)
	}
}

// checkUnique complains about the n-th in a list if an earlier one has the same key, which ends in "namespace/name".
// first has where each was first.
func checkUnique(first map[string]int, key string, n int, field string, add Report) {
	if other, twice := first[key]; twice {
		_, name, _ := strings.Cut(key, "/")
		add(fmt.Sprintf("%s[%d].name", field, n), "found %q, which %s[%d] is in that namespace", name, field, other)
		return
	}
	first[key] = n
}

// validateServices checks each service by itself, and what the Site says elsewhere against them.
func validateServices(s *v1alpha1.Site, add Report) {
	if len(s.Missing) > 0 {
		return // Complete reads the Site again
	}
	validateIronic(s, add)
	validateVirtualHosts(s, add)
	validateNetworks(s, add)
	validatePlacement(s, add)
	validateAddressSpaces(s, add)
}
