package v1alpha1

import (
	"encoding/json"
	"maps"
	"net/netip"
	"slices"
	"strings"

	"github.com/airshipit/sipgen/internal/redact"
)

// The most that a CNI configuration may have: bytes, and ranges of addresses.
const (
	maxAttachment = 64 << 10
	maxSpans      = 100
)

func checkAttachment(at, text string, add problem) {
	var config map[string]any
	if len(text) > maxAttachment {
		add(at, "found %d bytes, want at most %d", len(text), maxAttachment)
		return
	}
	if err := json.Unmarshal([]byte(text), &config); err != nil {
		add(at, "is no JSON object: want the CNI configuration")
		return
	}
	//guard: a password in a CNI configuration is committed
	if key := openSecret(config); key != "" {
		add(at, "has %s in it, which would be committed: want none there", redact.Plain(key))
	}
	spans := attachmentSpans(config)
	if len(spans) > maxSpans {
		add(at, "ipam: found %d ranges of addresses, want at most %d", len(spans), maxSpans)
		return
	}
	for _, problem := range spans {
		if !problem.ok {
			add(at, "ipam: %s: found %q, want addresses", problem.What, problem.text)
		}
	}
}

// openSecret gives a key, anywhere in a configuration, whose name says that its value is a secret. Empty for none.
func openSecret(value any) string {
	switch value := value.(type) {
	case []any:
		for _, item := range value {
			if key := openSecret(item); key != "" {
				return key
			}
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(value)) {
			if text, is := value[key].(string); is && text != "" && secretOption.MatchString(key) {
				return key
			}
			if inner := openSecret(value[key]); inner != "" {
				return inner
			}
		}
	}
	return ""
}

// AttachmentSpan is what an attachment gives out, by the name of its field.
type AttachmentSpan struct {
	What string
	Span
	// Pool is the range that whereabouts keeps one list for, whichever attachments name it. Empty for other plugins.
	Pool string
	text string
	ok   bool
}

// Spans are the addresses that an attachment gives out, without those that it leaves out.
func (n *Network) Spans() []AttachmentSpan {
	var config map[string]any
	if json.Unmarshal([]byte(n.Attachment), &config) != nil {
		return nil
	}
	return slices.DeleteFunc(attachmentSpans(config), func(s AttachmentSpan) bool { return !s.ok })
}

// attachmentSpans reads the ipam parts that give addresses: whereabouts, host-local and static.
func attachmentSpans(config map[string]any) []AttachmentSpan {
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
		prefix, err := netip.ParsePrefix(text(m, "address"))
		r.out = append(r.out, AttachmentSpan{What: "addresses", Span: Span{prefix.Addr(), prefix.Addr()}, text: text(m, "address"), ok: err == nil})
	}
	out := r.out
	for _, plugin := range list(config["plugins"]) {
		if m, is := plugin.(map[string]any); is {
			out = append(out, attachmentSpans(m)...)
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
	found := AttachmentSpan{What: what, Span: s, text: whole + " " + first + " " + last, ok: ok && s.IsValid()}
	if r.pool != "" && found.ok {
		found.Pool = r.pool + s.String()
	}
	if !found.ok {
		r.out = append(r.out, found)
		return
	}
	parts := []Span{s}
	for _, item := range list(m["exclude"]) {
		name, _ := item.(string)
		without, ok := ParseSpan(name)
		if !ok {
			r.out = append(r.out, AttachmentSpan{What: "exclude", text: name})
			continue
		}
		var left []Span
		for _, part := range parts {
			left = append(left, part.Without(without)...)
		}
		parts = left
		if len(parts) > maxSpans {
			break
		}
	}
	for _, part := range parts {
		found.Span = part
		r.out = append(r.out, found)
	}
}
