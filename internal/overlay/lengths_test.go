package overlay

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestLengths: texts that come from tenants are shown up to a length.
func TestLengths(t *testing.T) {
	long := strings.Repeat("a", maxIssuer)
	for issuer, shown := range map[string]bool{"https://dex.example.org/a": true, "https://dex.example.org/" + long: false} {
		assert.Equal(t, shown, plainIssuer(issuer) == issuer, issuer)
	}
	for host, shown := range map[string]bool{"ldap.example.org:636": true, long[:maxServer+1]: false} {
		found := asked("ldap", map[string]any{"host": host})
		assert.Equal(t, shown, strings.Contains(found, host), host)
	}
	found := inWords(errors.New("testing value /" + long + " failed")).Error()
	assert.Contains(t, found, "the test of /"+long[:maxPath-1]+" finds")
}
