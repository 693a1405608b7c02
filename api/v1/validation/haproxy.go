package validation

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	v1 "github.com/airshipit/sipgen/api/v1"
	definition "github.com/airshipit/sipgen/internal/fields"
)

const maxHAProxyTimeout = 7 * 24 * time.Hour

// haproxySections are the words that begin a section, by HAProxy's configuration manual. A line that begins so would
// end the section it is in.
var haproxySections = []string{
	"acme", "backend", "cache", "crt-list", "crt-store", "defaults", "dynamic-update", "fcgi-app", "frontend",
	"global", "http-errors", "listen", "log-forward",
	"log-profile", "mailers", "peers", "program", "resolvers", "ring", "traces", "userlist",
}

func validateHAProxy(h *v1.HAProxy, at complaints) {
	if h == nil {
		return
	}
	if t := h.Timeouts; t != nil {
		for _, field := range []struct{ name, value string }{
			{"connect", t.Connect}, {"queue", t.Queue}, {"check", t.Check}, {"client", t.Client},
			{"server", t.Server}, {"tunnel", t.Tunnel},
		} {
			at.at(".timeouts.%s", field.name).timeout(field.value)
		}
	}
	for _, section := range h.Lines.Sections() {
		at := at.at(".lines.%s", section.Name)
		for i, line := range section.Lines {
			at.at("[%d]", i).haproxyLine(line)
		}
	}
}

func (c complaints) timeout(value string) {
	d, err := time.ParseDuration(value)
	said := value == "" || !definition.Fits("spec.services.loadBalancerWorker.haproxy.timeouts.connect", value)
	if !said && (err != nil || d <= 0 || d > maxHAProxyTimeout) {
		c.add("found %q, want a number with ms, s, m or h, from 1ms to 168h", value)
	}
}

// haproxyLine checks that a line is one line, and stays in its section.
func (c complaints) haproxyLine(line string) {
	word, _, _ := strings.Cut(strings.TrimSpace(line), " ") // a tab is a control character
	switch {
	case word == "":
		c.add("empty, want a line of HAProxy's configuration")
	case !utf8.ValidString(line) || strings.ContainsFunc(line,
		func(r rune) bool { return r < ' ' || r == 0x7f || r == 0x85 || r == 0x2028 || r == 0x2029 }):
		c.add("a control character in it, want one line")
	case strings.HasSuffix(line, "\\"):
		c.add("ends with a backslash, which takes the next line into it")
	case slices.Contains(haproxySections, word):
		c.add("begins a section of its own, want a line of this one")
	case strings.HasPrefix(word, "."):
		c.add("is a directive of HAProxy's preprocessor, want a line of this section")
	}
}
