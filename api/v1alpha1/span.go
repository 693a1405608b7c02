package v1alpha1

import (
	"math/bits"
	"net/netip"
	"strings"
)

// Span is a range of addresses, both ends included.
type Span struct{ Start, Stop netip.Addr }

// IsValid reports whether the span has both ends, in their order.
func (s Span) IsValid() bool {
	return s.Start.IsValid() && s.Stop.IsValid() && s.Start.BitLen() == s.Stop.BitLen() && !s.Stop.Less(s.Start)
}

// Overlaps reports whether both spans have an address in common.
func (s Span) Overlaps(t Span) bool {
	return s.Start.BitLen() == t.Start.BitLen() && !s.Stop.Less(t.Start) && !t.Stop.Less(s.Start)
}

// Contains reports whether all of t is in s.
func (s Span) Contains(t Span) bool {
	return s.Start.BitLen() == t.Start.BitLen() && !t.Start.Less(s.Start) && !s.Stop.Less(t.Stop)
}

// Size returns the number of addresses, at most the largest uint64.
func (s Span) Size() uint64 {
	a, b := s.Start.As16(), s.Stop.As16()
	var size, borrow uint64
	for half := range 2 { // of 64 bits, the lower one first
		var x, y uint64
		for i := 8 * (1 - half); i < 8*(2-half); i++ {
			x, y = x<<8|uint64(a[i]), y<<8|uint64(b[i])
		}
		var difference uint64
		difference, borrow = bits.Sub64(y, x, borrow)
		if half == 0 {
			size = difference
		} else if difference > 0 {
			return ^uint64(0)
		}
	}
	return max(size, size+1)
}

func (s Span) String() string {
	if s.Start == s.Stop {
		return s.Start.String()
	}
	return s.Start.String() + "-" + s.Stop.String()
}

// ParseSpan reads an address, a network or a range with a dash.
func ParseSpan(text string) (Span, bool) {
	if from, to, isRange := strings.Cut(text, "-"); isRange {
		start, err := netip.ParseAddr(strings.TrimSpace(from))
		stop, err2 := netip.ParseAddr(strings.TrimSpace(to))
		span := Span{start, stop}
		return span, err == nil && err2 == nil && span.IsValid()
	}
	if prefix, err := netip.ParsePrefix(text); err == nil {
		return SpanOf(prefix), true
	}
	address, err := netip.ParseAddr(text)
	return Span{address, address}, err == nil
}

// SpanOf returns all addresses of a network.
func SpanOf(prefix netip.Prefix) Span {
	start := prefix.Masked().Addr()
	last := start.AsSlice()
	for bit := prefix.Bits(); bit < 8*len(last); bit++ {
		last[bit/8] |= 1 << (7 - bit%8)
	}
	stop, _ := netip.AddrFromSlice(last)
	return Span{start, stop}
}

// Without returns the rest of a span without t, in order: at most two parts.
func (s Span) Without(t Span) []Span {
	if !s.Overlaps(t) {
		return []Span{s}
	}
	var out []Span
	if s.Start.Less(t.Start) {
		out = append(out, Span{s.Start, t.Start.Prev()})
	}
	if t.Stop.Less(s.Stop) {
		out = append(out, Span{t.Stop.Next(), s.Stop})
	}
	return out
}
