package validation

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/airshipit/sipgen/api/v1alpha1"
)

// clashes finds what two tenants have in common.
type clashes struct {
	add               Report
	names, namespaces map[string]string // → where it is
	specs, domains    []nestedName
	ports             []portRange
	networks          []network
}

// nestedName is a folder or a domain by its parts, outermost first, and where it is said.
type nestedName struct {
	parts        []string
	text, at, of string
}

type portRange struct {
	v1alpha1.NodePorts
	at, of string
}

type network struct {
	netip.Prefix
	at, of string
}

func (c *clashes) gather(t *v1alpha1.Tenant, at string) {
	of := t.Name
	if first, taken := c.names[t.Name]; taken && t.Name != "" {
		c.add(at+".name", "%q is the name of %s, too", t.Name, first)
	}
	c.names[t.Name] = at
	for i, namespace := range t.Namespaces {
		field := fmt.Sprintf("%s.namespaces[%d]", at, i)
		if first, taken := c.namespaces[namespace]; taken {
			c.add(field, "%q is %s already: a namespace has one tenant", namespace, first)
			continue
		}
		c.namespaces[namespace] = field + " (" + of + ")"
	}
	for i, folder := range t.Specs {
		c.specs = append(c.specs, nestedName{strings.Split(folder, "/"), folder, fmt.Sprintf("%s.specs[%d]", at, i),
			of})
	}
	for i, domain := range t.IssuerDomains {
		parts := strings.Split(domain, ".")
		if _, err := netip.ParseAddr(domain); err == nil {
			parts = []string{domain}
		}
		slices.Reverse(parts)
		c.domains = append(c.domains, nestedName{parts, domain, fmt.Sprintf("%s.issuerDomains[%d]", at, i), of})
	}
	for i, p := range t.NodePorts {
		c.ports = append(c.ports, portRange{p, fmt.Sprintf("%s.nodePorts[%d]", at, i), of})
	}
	for i, text := range t.Addresses {
		if prefix, err := netip.ParsePrefix(text); err == nil {
			c.networks = append(c.networks, network{prefix.Masked(), fmt.Sprintf("%s.addresses[%d]", at, i), of})
		}
	}
}

// report complains about what lies in, or is, another tenant's. Sorted, a thing comes right behind those that hold it,
// so one look at the last of another tenant is enough to find an overlap.
func (c *clashes) report() {
	c.nested(c.specs, "lies in, or is,")
	c.nested(c.domains, "lies in, or is,")
	slices.SortStableFunc(c.ports, func(a, b portRange) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start),
			cmp.Compare(b.End, a.End))
	})
	var ports []portRange // for each tenant so far, the range that ends last
	for _, p := range c.ports {
		for _, other := range ports {
			if other.of != p.of && p.Start <= other.End && p.Start <= p.End {
				c.add(p.at, "%d to %d and %d to %d of %s (%s) overlap", p.Start, p.End, other.Start, other.End,
					other.at, other.of)
				break
			}
		}
		ports = keepLatest(ports, p)
	}
	slices.SortStableFunc(c.networks, func(a, b network) int {
		return cmp.Or(a.Addr().Compare(b.Addr()),
			cmp.Compare(a.Bits(), b.Bits()))
	})
	var open []network // those that hold each other, the widest first
	for _, n := range c.networks {
		for len(open) > 0 && !open[len(open)-1].Contains(n.Addr()) {
			open = open[:len(open)-1]
		}
		for _, other := range open {
			if other.of != n.of {
				c.add(n.at, "%s and %s of %s (%s) overlap", n.Prefix, other.Prefix, other.at, other.of)
				break
			}
		}
		open = append(open, n)
	}
}

// keepLatest keeps two ranges of different tenants, those that end last: a later one that overlaps with any overlaps
// with one of them.
func keepLatest(ports []portRange, p portRange) []portRange {
	for i, other := range ports {
		if other.of == p.of {
			if p.End > other.End {
				ports[i] = p
			}
			return ports
		}
	}
	ports = append(ports, p)
	slices.SortStableFunc(ports, func(a, b portRange) int { return cmp.Compare(b.End, a.End) })
	return ports[:min(2, len(ports))]
}

func (c *clashes) nested(names []nestedName, how string) {
	first := map[string]nestedName{}
	slices.SortStableFunc(names, func(a, b nestedName) int { return slices.Compare(a.parts, b.parts) })
	for _, p := range names {
		for n := 1; n <= len(p.parts); n++ {
			if other, found := first[strings.Join(p.parts[:n], "\x00")]; found && other.of != p.of {
				c.add(p.at, "%q %s %q of %s (%s)", p.text, how, other.text, other.at, other.of)
				break
			}
		}
		key := strings.Join(p.parts, "\x00")
		if _, found := first[key]; !found {
			first[key] = p
		}
	}
}
