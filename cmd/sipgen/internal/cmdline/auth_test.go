package cmdline

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/publish"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAuthFromEnvironment(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	require.NoError(t, os.WriteFile(file, []byte("s3cret\r\n"), 0o600))
	rows := []struct {
		why         string
		environment map[string]string
		want        publish.Auth
		says        string
	}{
		{"nothing", nil, publish.Auth{}, ""},
		{"basic", map[string]string{"SIPGEN_GIT_USERNAME": "a", "SIPGEN_GIT_PASSWORD": "b"},
			publish.Auth{Username: "a", Password: "b"}, ""},
		{"a mounted file, without its line end", map[string]string{"SIPGEN_GIT_TOKEN_FILE": file},
			publish.Auth{Token: "s3cret"}, ""},
		{"two places for one secret", map[string]string{"SIPGEN_GIT_TOKEN_FILE": file, "SIPGEN_GIT_TOKEN": "other"},
			publish.Auth{}, "use only one of them"},
		{"a file that is not there", map[string]string{"SIPGEN_GIT_PASSWORD_FILE": file + "x"}, publish.Auth{},
			"SIPGEN_GIT_PASSWORD_FILE"},
		{"files", map[string]string{"SIPGEN_SSH_KEY_FILE": "k", "SIPGEN_SSH_KNOWN_HOSTS": "a:b",
			"SIPGEN_GIT_CA_FILE": "ca", "SIPGEN_GIT_PROXY": "p"},
			publish.Auth{SSHKeyFile: "k", KnownHosts: []string{"a", "b"}, CAFile: "ca", Proxy: "p"}, ""},
	}
	for _, row := range rows {
		got, err := authFromEnvironment(func(name string) string { return row.environment[name] })
		assert.Equal(t, row.want, got, row.why)
		if (err == nil) != (row.says == "") ||
			err != nil && (!strings.Contains(err.Error(), row.says) || strings.Contains(err.Error(), "other")) {
			t.Errorf("%s: found %v, want %q", row.why, err, row.says)
		}
	}
}
