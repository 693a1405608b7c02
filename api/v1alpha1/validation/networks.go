package validation

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/netip"
	"slices"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/redact"
)

func validateNetworks(s *v1alpha1.Site, add Report) {
	const field = "spec.services.networks"
	list := s.Spec.Services.Networks
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
		checkUnique(first, kind+n.Key(), i, field, add)
		switch {
		case (n.Pool != nil) == (n.Attachment != ""):
			add(at, "want attachment or pool, one of them")
		case n.Pool != nil:
			validatePool(n.Pool, at+".pool", add)
		default:
			checkAttachment(at+".attachment", n.Attachment, add)
		}
	}
}

func validatePool(p *v1alpha1.AddressPool, at string, add Report) {
	if len(p.Addresses) == 0 {
		add(at+".addresses", "missing: the networks and ranges that are given out")
	}
	for i, text := range p.Addresses {
		_, ok := v1alpha1.ParseSpan(text)
		prefix, err := netip.ParsePrefix(text)
		switch at := fmt.Sprintf("%s.addresses[%d]", at, i); {
		case !ok:
			add(at, "found %q, want a network (203.0.113.0/28) or a range (203.0.113.16-203.0.113.31)", text)
		case err == nil && prefix.Bits() == 0:
			add(at, "found %q, which is every address; want the network that services get addresses from "+
				"(203.0.113.0/28)", text)
		}
	}
}

// maxAttachment is the most bytes that a CNI configuration may have.
const maxAttachment = 64 << 10

func checkAttachment(at, text string, add Report) {
	var config map[string]any
	if len(text) > maxAttachment {
		add(at, "found %d bytes, want at most %d", len(text), maxAttachment)
		return
	}
	if err := json.Unmarshal([]byte(text), &config); err != nil || config == nil { // nil: null
		add(at, "is no JSON object: want the CNI configuration")
		return
	}
	if key := findSecretKey(config); key != "" {
		add(at, "has %s in it, which would be committed: want none there", redact.Plain(key))
	}
	spans := v1alpha1.AttachmentSpans(config)
	if len(spans) > v1alpha1.MaxSpans {
		add(at, "ipam: found %d ranges of addresses, want at most %d", len(spans), v1alpha1.MaxSpans)
		return
	}
	for _, problem := range spans {
		if !problem.IsValid() {
			add(at, "ipam: %s: found %q, want addresses", problem.What, problem.Text)
		}
	}
}

// findSecretKey returns a key, anywhere in a configuration, whose name says that its value is a secret. Empty for
// none.
func findSecretKey(value any) string {
	switch value := value.(type) {
	case []any:
		for _, item := range value {
			if key := findSecretKey(item); key != "" {
				return key
			}
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(value)) {
			if text, is := value[key].(string); is && text != "" && secretOption.MatchString(key) {
				return key
			}
			if inner := findSecretKey(value[key]); inner != "" {
				return inner
			}
		}
	}
	return ""
}
