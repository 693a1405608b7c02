package publish

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestSSH(t *testing.T) {
	server := serveSSH(t)
	repo := bare(t)
	target := Target{
		URL: server.url(t, repo), Branch: "main", Path: "site",
		Auth: Auth{SSHKeyFile: server.userKey, KnownHosts: []string{server.knownHosts}},
	}
	remoteRoundTrip(t, target, repo)

	before := git(t, repo, "for-each-ref")
	unknown, changed := filepath.Join(t.TempDir(), "empty"), filepath.Join(t.TempDir(), "changed")
	other, err := os.ReadFile(server.stranger + ".pub")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := strings.Cut(server.address, ":")
	for file, text := range map[string]string{unknown: "", changed: "[127.0.0.1]:" + port + " " + string(other)} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	rows := []struct {
		why    string
		change func(*Target)
		want   error
		says   string
	}{
		{"an unknown host", func(t *Target) { t.Auth.KnownHosts = []string{unknown} }, ErrHostKey, "ssh-keyscan"},
		{"a host whose key has changed", func(t *Target) { t.Auth.KnownHosts = []string{changed} }, ErrHostKey, "another key"},
		{"no known_hosts at all", func(t *Target) { t.Auth.KnownHosts = []string{unknown + "x"} }, ErrHostKey, "ssh-keyscan"},
		{"a key that the server does not know", func(t *Target) { t.Auth.SSHKeyFile = server.stranger }, ErrAuth, "SSH keys"},
		{"a key file that is none", func(t *Target) { t.Auth.SSHKeyFile = server.knownHosts }, nil, "ssh key"},
		{"no such repository", func(t *Target) { t.URL += "x" }, ErrNoRepository, "check the URL"},
	}
	for _, row := range rows {
		t.Run(row.why, func(t *testing.T) {
			bad := target
			row.change(&bad)
			_, err := publishTree(bad, tree("a", row.why), meta)
			if err == nil || row.want != nil && !errors.Is(err, row.want) || !strings.Contains(err.Error(), row.says) {
				t.Errorf("found %v, want %v with %q", err, row.want, row.says)
			}
			if after := git(t, repo, "for-each-ref"); after != before {
				t.Errorf("branches: found %s, want %s", after, before)
			}
		})
	}
}
