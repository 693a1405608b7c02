package publish

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestSSH(t *testing.T) {
	t.Parallel()
	server := serveSSH(t)
	repo := bare(t)
	target := Target{
		URL: server.url(t, repo), Branch: "main", Path: "site",
		Auth: Auth{SSHKeyFile: server.userKey, KnownHosts: []string{server.knownHosts}},
	}
	remoteRoundTrip(t, target, repo)

	unknown, changed, garbled := filepath.Join(t.TempDir(), "empty"), filepath.Join(t.TempDir(), "changed"), filepath.Join(t.TempDir(), "garbled")
	other, err := os.ReadFile(server.stranger + ".pub")
	check(t, err)
	_, port, _ := strings.Cut(server.address, ":")
	for file, text := range map[string]string{unknown: "", changed: "[127.0.0.1]:" + port + " " + string(other), garbled: "127.0.0.1 ssh-rsa !!\n"} {
		check(t, os.WriteFile(file, []byte(text), 0o600))
	}
	test := t
	refusedAs(t, repo, target, []wrong{
		{"an unknown host", func(t *Target) { t.Auth.KnownHosts = []string{unknown} }, ErrHostKey, "127.0.0.1 is not in known_hosts: ssh-keyscan -p " + port + " 127.0.0.1 >> " + unknown},
		{"a host whose key has changed", func(t *Target) { t.Auth.KnownHosts = []string{changed} }, ErrHostKey, "differs from known_hosts"},
		{"no known_hosts at all", func(t *Target) { t.Auth.KnownHosts = []string{unknown + "x"} }, ErrHostKey, "no known_hosts file: ssh-keyscan"},
		{"a known_hosts file that is none", func(t *Target) { t.Auth.KnownHosts = []string{garbled} }, ErrHostKey, garbled + ":1"},
		{"a key that the server does not know", func(t *Target) { t.Auth.SSHKeyFile = server.stranger }, ErrAuth, "SSH keys"},
		{"a key file that is none", func(t *Target) { t.Auth.SSHKeyFile = server.knownHosts }, nil, "ssh key"},
		{"a key file that is not there", func(t *Target) { t.Auth.SSHKeyFile += "x" }, nil, "no such file"},
		{"no such repository", func(t *Target) { t.URL += "x" }, ErrNoRepository, "check the URL"},
		{"a folder that is no repository", func(t *Target) { t.URL = server.url(test, filepath.Dir(server.userKey)) }, ErrNoRepository, "check the URL"},
		{"a server that is not there", func(t *Target) { t.URL = strings.Replace(t.URL, server.address, freeAddress(test), 1) }, nil, "connection refused"},
	})
}

// Where the keys come from: a file, with and without a passphrase; the agent; the home folder.
func TestSSHKeys(t *testing.T) {
	server := serveSSH(t)
	repo := bare(t)
	locked := filepath.Join(t.TempDir(), "locked")
	run := func(name string, args ...string) string {
		t.Helper()
		out, err := exec.Command(name, args...).CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v: %s", name, err, out)
		}
		return string(out)
	}
	run("cp", server.userKey, locked)
	run("ssh-keygen", "-q", "-p", "-a", "1", "-N", "phr4se", "-f", locked)
	target := Target{URL: server.url(t, repo), Branch: "main", Path: "site", Auth: Auth{KnownHosts: []string{server.knownHosts}}}
	t.Setenv("HOME", t.TempDir())
	t.Setenv("SSH_AUTH_SOCK", "")

	t.Run("a file with a passphrase", func(t *testing.T) {
		with := target
		with.Auth.SSHKeyFile, with.Auth.SSHKeyPassphrase = locked, "phr4se"
		mustPublish(t, with, tree("a", "file"))
		refusedAs(t, repo, with, []wrong{
			{"no passphrase", func(t *Target) { t.Auth.SSHKeyPassphrase = "" }, nil, "Auth.SSHKeyPassphrase"},
			{"a wrong passphrase", func(t *Target) { t.Auth.SSHKeyPassphrase = "wr0ng" }, nil, "ssh key " + locked},
		})
	})
	refusedAs(t, repo, target, []wrong{{"no key anywhere", nil, ErrAuth, "SSH keys"}})
	t.Run("the agent", func(t *testing.T) {
		socket := filepath.Join(t.TempDir(), "agent")
		agent := exec.Command("ssh-agent", "-D", "-a", socket)
		check(t, agent.Start())
		t.Cleanup(func() {
			_ = agent.Process.Kill()
			_ = agent.Wait()
		})
		for range 200 {
			if _, err := os.Stat(socket); err == nil {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		t.Setenv("SSH_AUTH_SOCK", socket)
		run("ssh-add", "-q", server.stranger)
		refusedAs(t, repo, target, []wrong{{"an agent with another key", nil, ErrAuth, "SSH keys"}})
		run("ssh-add", "-q", server.userKey) // the agent offers both
		mustPublish(t, target, tree("a", "agent"))
	})
	t.Run("the home folder", func(t *testing.T) {
		home := t.TempDir()
		t.Setenv("HOME", home)
		target.Auth = Auth{}
		refusedAs(t, repo, target, []wrong{{"nothing in it", nil, ErrHostKey, "~/.ssh/known_hosts"}})
		run("mkdir", "-m", "700", filepath.Join(home, ".ssh"))
		run("cp", server.userKey, filepath.Join(home, ".ssh/id_ed25519"))
		run("cp", server.knownHosts, filepath.Join(home, ".ssh/known_hosts"))
		mustPublish(t, target, tree("a", "home"))
	})
}
