package v1alpha1

import (
	"encoding/json"
	"net/netip"
	"slices"
	"strings"
)

// MaxSpans is the most ranges of addresses that a CNI configuration may have.
const MaxSpans = 100

// AttachmentSpan is a range of addresses that an attachment assigns, with the name of its field.
type AttachmentSpan struct {
	What string
	Span
	// Pool is the range that whereabouts keeps one list for, whichever attachments name it. Empty for other plugins.
	Pool string
	// Text is what stands in the configuration. A text that is no range has a Span that is not valid.
	Text string
}

// Spans returns the addresses that an attachment assigns, without the excluded ones.
func (n *Network) Spans() []AttachmentSpan {
	var config map[string]any
	if json.Unmarshal([]byte(n.Attachment), &config) != nil {
		return nil
	}
	return slices.DeleteFunc(AttachmentSpans(config), func(s AttachmentSpan) bool { return !s.IsValid() })
}

// AttachmentSpans returns the ranges of the ipam plugins whereabouts, host-local and static.
func AttachmentSpans(config map[string]any) []AttachmentSpan {
	ipam, _ := config["ipam"].(map[string]any)
	r := &ipamReader{}
	if text(ipam, "type") == "whereabouts" {
		r.pool = "whereabouts " + text(ipam, "network_name") + " "
	}
	r.span("range", ipam, "range", "range_start", "range_end")
	r.span("subnet", ipam, "subnet", "rangeStart", "rangeEnd")
	for _, item := range list(ipam["ipRanges"]) {
		m, _ := item.(map[string]any)
		r.span("ipRanges", m, "range", "range_start", "range_end")
	}
	for _, set := range list(ipam["ranges"]) {
		for _, item := range list(set) {
			m, _ := item.(map[string]any)
			r.span("ranges", m, "subnet", "rangeStart", "rangeEnd")
		}
	}
	for _, item := range list(ipam["addresses"]) {
		m, _ := item.(map[string]any)
		prefix, _ := netip.ParsePrefix(text(m, "address")) // not valid in the span
		r.out = append(r.out, AttachmentSpan{What: "addresses", Span: Span{prefix.Addr(), prefix.Addr()},
			Text: text(m, "address")})
	}
	out := r.out
	for _, plugin := range list(config["plugins"]) {
		if m, is := plugin.(map[string]any); is {
			out = append(out, AttachmentSpans(m)...)
		}
	}
	return out
}

func text(m map[string]any, key string) string { s, _ := m[key].(string); return s }

func list(value any) []any { l, _ := value.([]any); return l }

type ipamReader struct {
	pool string
	out  []AttachmentSpan
}

// span reads a network, or a range, that first and last may narrow.
func (r *ipamReader) span(what string, m map[string]any, network, from, to string) {
	whole, first, last := text(m, network), text(m, from), text(m, to)
	if whole == "" && first == "" {
		return
	}
	s, ok := ParseSpan(whole)
	if from, to, isRange := strings.Cut(whole, "-"); isRange { // whereabouts has "a-b/24", too
		to, _, _ = strings.Cut(to, "/")
		s, ok = ParseSpan(from + "-" + to)
	}
	if first != "" {
		a, err := netip.ParseAddr(first)
		ok, s.Start = ok && err == nil, a
	}
	if last != "" {
		a, err := netip.ParseAddr(last)
		ok, s.Stop = ok && err == nil, a
	}
	found := AttachmentSpan{What: what, Text: whole + " " + first + " " + last}
	if !ok || !s.IsValid() {
		r.out = append(r.out, found)
		return
	}
	if r.pool != "" {
		found.Pool = r.pool + s.String()
	}
	parts := []Span{s}
	for _, item := range list(m["exclude"]) {
		name, _ := item.(string)
		without, ok := ParseSpan(name)
		if !ok {
			r.out = append(r.out, AttachmentSpan{What: "exclude", Text: name})
			continue
		}
		var left []Span
		for _, part := range parts {
			left = append(left, part.Without(without)...)
		}
		parts = left
		if len(parts) > MaxSpans {
			break
		}
	}
	for _, part := range parts {
		found.Span = part
		r.out = append(r.out, found)
	}
}
