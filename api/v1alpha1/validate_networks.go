package v1alpha1

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
)

// maxNetworks is how many a Site may have.
const maxNetworks = 200

func (s *Site) validateNetworks(add problem) {
	const field = "spec.services.networks"
	list := s.Spec.Services.Networks
	if len(list) > maxNetworks {
		add(field, "found %d, want at most %d", len(list), maxNetworks)
		return
	}
	first := map[string]int{}
	for i := range list {
		n := &list[i]
		at := fmt.Sprintf("%s[%d]", field, i)
		optionalName(at+".name", n.Name, add)
		if n.Name == "" {
			add(at+".name", "missing")
		}
		checkName(at+".namespace", n.Namespace, add)
		kind := "attachment "
		if n.Pool != nil {
			kind = "pool "
		}
		onlyOne(first, kind+n.Key(), i, field, add)
		switch {
		case (n.Pool != nil) == (n.Attachment != ""):
			add(at, "want attachment or pool, one of them")
		case n.Pool != nil:
			n.Pool.validate(at+".pool", add)
		default:
			checkAttachment(at+".attachment", n.Attachment, add)
		}
	}
}

func (p *AddressPool) validate(at string, add problem) {
	if len(p.Addresses) == 0 {
		add(at+".addresses", "missing: the networks and ranges that are given out")
	}
	var spans []Span
	said := false
	for i, text := range p.Addresses {
		span, ok := ParseSpan(text)
		if !ok {
			add(fmt.Sprintf("%s.addresses[%d]", at, i), "found %q, want a network (203.0.113.0/28) or a range (203.0.113.16-203.0.113.31)", text)
			continue
		}
		spans = append(spans, span)
		//guard: a load balancer gives out every address there is
		if prefix, err := netip.ParsePrefix(text); err == nil && prefix.Bits() == 0 {
			add(fmt.Sprintf("%s.addresses[%d]", at, i), "found %q, which is every address; want the network that services get addresses from (203.0.113.0/28)", text)
			said = true
		}
	}
	//guard: a pool of two halves of all addresses gives out everybody's
	if !said && everyAddress(spans) {
		are := "together are"
		if len(p.Addresses) == 1 {
			are = "is"
		}
		add(at+".addresses", "found %q, which %s every address; want the network that services get addresses from (203.0.113.0/28)", strings.Join(p.Addresses, ", "), are)
	}
}

// everyAddress says that spans together have every address of a family.
func everyAddress(spans []Span) bool {
	spans = slices.SortedFunc(slices.Values(spans), func(a, b Span) int { return a.Start.Compare(b.Start) })
	for _, next := range []netip.Addr{netip.IPv4Unspecified(), netip.IPv6Unspecified()} {
		for _, span := range spans {
			if span.Start.BitLen() != next.BitLen() {
				continue
			}
			if next.Less(span.Start) {
				break
			}
			if !span.Stop.Less(next) {
				next = span.Stop.Next()
			}
			if !next.IsValid() {
				return true // there is none after the last one
			}
		}
	}
	return false
}
