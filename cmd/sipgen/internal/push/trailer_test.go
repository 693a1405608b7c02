package push

import (
	"testing"

	"github.com/airshipit/sipgen/internal/redact"
	"github.com/airshipit/sipgen/publish"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestParseTrailer: a trailer is one line of the message, and none of those that sipgen writes.
func TestParseTrailer(t *testing.T) {
	found, err := parseTrailer("Signed-off-by=Ops <ops@example.org>")
	require.NoError(t, err)
	assert.Equal(t, publish.Trailer{Key: "Signed-off-by", Value: "Ops <ops@example.org>"}, found)
	found, err = parseTrailer("Ticket=a=b: c")
	require.NoError(t, err)
	assert.Equal(t, "a=b: c", found.Value)
	for _, text := range []string{"", "Signed-off-by", "=x", "a b=c", "a:=c", "a= ", "a=b\nc", "a=b\x1b[31m"} {
		_, err := parseTrailer(text)
		assert.ErrorContains(t, err, "--trailer: want KEY=VALUE", text)
		assert.ErrorContains(t, err, "found "+redact.Value(text), text) // which of several is wrong
	}
	for _, text := range []string{"Specs-Digest=x", "inventory-digest=x", "SIPGEN-Version=1", "Dry-Commit=x",
		"sipgen-x=y"} {
		_, err := parseTrailer(text)
		assert.ErrorContains(t, err, "is a key of sipgen's own", text)
	}
}
