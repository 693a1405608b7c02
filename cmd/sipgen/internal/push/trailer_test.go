package push

import (
	"testing"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/internal/redact"
	"github.com/airshipit/sipgen/publish"
)

// TestParseTrailer: a trailer is one line of the message, and none of those that sipgen writes.
func TestParseTrailer(t *testing.T) {
	found, err := parseTrailer("Signed-off-by=Ops <ops@example.org>")
	need.OK(t, err)
	need.Equal(t, "", found, publish.Trailer{Key: "Signed-off-by", Value: "Ops <ops@example.org>"})
	found, err = parseTrailer("Ticket=a=b: c")
	need.OK(t, err)
	need.Equal(t, "", found.Value, "a=b: c")
	for _, text := range []string{"", "Signed-off-by", "=x", "a b=c", "a:=c", "a= ", "a=b\nc", "a=b\x1b[31m"} {
		_, err := parseTrailer(text)
		need.Error(t, text, err, "--trailer: want KEY=VALUE")
		need.Error(t, text, err, "found "+redact.Value(text)) // which of several is wrong
	}
	for _, text := range []string{"Specs-Digest=x", "inventory-digest=x", "SIPGEN-Version=1", "Dry-Commit=x", "sipgen-x=y"} {
		_, err := parseTrailer(text)
		need.Error(t, text, err, "is a key of sipgen's own")
	}
}
