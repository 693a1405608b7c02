package sipgen_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
)

// TestMessagesExist: each message that docs/troubleshooting.md and docs/publishing.md quote is in the program. What stands between two
// ellipses is in one string of the source, or in a template.
func TestMessagesExist(t *testing.T) {
	var source []string
	literals(t, func(_, text string) { source = append(source, text) })
	verb := regexp.MustCompile(`%[-+#0-9.*\[\]]*[a-zA-Z%]`)
	for i, text := range source {
		source[i] = verb.ReplaceAllString(text, "…")
	}
	for page, least := range map[string]int{"docs/troubleshooting.md": 15, "docs/publishing.md": 5} {
		content := need.Read(t, page)
		quoted := 0
		for _, row := range regexp.MustCompile("(?m)^\\| `([^`]+)`").FindAllStringSubmatch(string(content), -1) {
			quoted++
			for _, part := range strings.Split(row[1], "…") {
				part = strings.TrimSpace(part)
				if strings.HasPrefix(row[1], "SIPGEN_") || len(part) < 4 {
					continue // a name, or too little to look for
				}
				if !slices.ContainsFunc(source, func(text string) bool { return strings.Contains(text, part) }) {
					t.Errorf("%s: nothing says %q, of %q", page, part, row[1])
				}
			}
		}
		if quoted < least {
			t.Errorf("%s: %d messages found, want at least %d", page, quoted, least)
		}
	}
}
