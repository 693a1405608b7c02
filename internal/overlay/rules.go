package overlay

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"
	"unicode"

	"k8s.io/apimachinery/pkg/util/validation"
)

// oneOf is a rule for one of some words, or none: the API server takes no others.
func oneOf(words ...string) rule {
	return func(_, is any) string {
		if word, isText := is.(string); is == nil || isText && slices.Contains(words, word) {
			return ""
		}
		return "want " + strings.Join(words, " or ")
	}
}

// flag is the rule for true or false, or nothing.
func flag(_, is any) string {
	if _, isFlag := is.(bool); is == nil || isFlag {
		return ""
	}
	return "want true or false"
}

// protocol is the rule for a port's appProtocol: IANA's names, and those with a domain, as the API server takes them. Proxies and meshes
// make configuration of it.
func protocol(_, is any) string {
	if name, isText := is.(string); is == nil || isText && len(validation.IsQualifiedName(name)) == 0 {
		return ""
	}
	return "want the name of a protocol, as in kubernetes.io/h2c"
}

// networks is the rule for a list of networks. Blanks around them are the API server's to take, and programs' to fall over.
func networks(_, is any) string {
	list, isList := is.([]any)
	if is != nil && !isList {
		return "want a list of networks"
	}
	for i, item := range list {
		text, _ := item.(string)
		if _, err := netip.ParsePrefix(text); err != nil {
			return fmt.Sprintf("[%d]: want a network in CIDR notation, as in 192.0.2.0/24", i)
		}
	}
	return ""
}

// plain is the rule for fields whose values the API server checks: text in them has no line breaks and no control characters, which none of
// them takes, and which steer a terminal or a log that shows a server's refusal.
func plain(_, is any) string {
	switch value := is.(type) {
	case string:
		if strings.ContainsFunc(value, func(r rune) bool { return !unicode.IsPrint(r) }) {
			return "contains a line break or a control character, want plain text"
		}
	case []any:
		for _, item := range value {
			if complaint := plain(nil, item); complaint != "" {
				return complaint
			}
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(value)) {
			for _, part := range []any{key, value[key]} {
				if complaint := plain(nil, part); complaint != "" {
					return complaint
				}
			}
		}
	case nil, bool, json.Number:
	}
	return ""
}
