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
	specs, domains    []extent[string]
	ports             []extent[int32]
	networks          []extent[netip.Addr]
}

// extent is a thing of a tenant from its first value to its last: a range, or a folder or domain and what is in it.
type extent[T any] struct {
	from, to     T
	text, at, of string
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
	// The parts, outermost first: what lies in them begins with the same parts.
	nested := func(parts []string, text, field string) extent[string] {
		key := strings.Join(parts, "\x00") + "\x00"
		return extent[string]{key, key + "\xff", text, field, of}
	}
	for i, folder := range t.Specs {
		c.specs = append(c.specs, nested(strings.Split(folder, "/"), folder, fmt.Sprintf("%s.specs[%d]", at, i)))
	}
	for i, domain := range t.IssuerDomains {
		parts := strings.Split(domain, ".")
		if _, err := netip.ParseAddr(domain); err == nil {
			parts = []string{domain}
		}
		slices.Reverse(parts)
		c.domains = append(c.domains, nested(parts, domain, fmt.Sprintf("%s.issuerDomains[%d]", at, i)))
	}
	for i, p := range t.NodePorts {
		if p.Start <= p.End { // else it is complained about
			c.ports = append(c.ports, extent[int32]{p.Start, p.End, fmt.Sprintf("%d to %d", p.Start, p.End),
				fmt.Sprintf("%s.nodePorts[%d]", at, i), of})
		}
	}
	for i, text := range t.Addresses {
		if prefix, err := netip.ParsePrefix(text); err == nil {
			span := v1alpha1.SpanOf(prefix)
			c.networks = append(c.networks, extent[netip.Addr]{span.Start, span.Stop, prefix.Masked().String(),
				fmt.Sprintf("%s.addresses[%d]", at, i), of})
		}
	}
}

// report complains about what lies in, is, or overlaps another tenant's.
func (c *clashes) report() {
	overlaps(c.specs, strings.Compare, c.add, "%q lies in, or is, %q of %s (%s)")
	overlaps(c.domains, strings.Compare, c.add, "%q lies in, or is, %q of %s (%s)")
	overlaps(c.ports, cmp.Compare, c.add, "%s and %s of %s (%s) overlap")
	overlaps(c.networks, netip.Addr.Compare, c.add, "%s and %s of %s (%s) overlap")
}

// overlaps complains about extents of different tenants that overlap, at the later one. Two of those before it are
// enough to find one: of different tenants, those that end last.
func overlaps[T any](all []extent[T], compare func(a, b T) int, add Report, format string) {
	slices.SortStableFunc(all, func(a, b extent[T]) int { return cmp.Or(compare(a.from, b.from), compare(b.to, a.to)) })
	var last []extent[T]
	for _, e := range all {
		for _, other := range last {
			if other.of != e.of && compare(e.from, other.to) <= 0 {
				add(e.at, format, e.text, other.text, other.at, other.of)
				break
			}
		}
		if own := slices.IndexFunc(last, func(o extent[T]) bool { return o.of == e.of }); own < 0 {
			last = append(last, e)
		} else if compare(e.to, last[own].to) > 0 {
			last[own] = e
		}
		slices.SortStableFunc(last, func(a, b extent[T]) int { return compare(b.to, a.to) })
		last = last[:min(2, len(last))]
	}
}
