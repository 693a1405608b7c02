package publish

import (
	"errors"
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
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := strings.Cut(server.address, ":")
	for file, text := range map[string]string{unknown: "", changed: "[127.0.0.1]:" + port + " " + string(other), garbled: "127.0.0.1 ssh-rsa !!\n"} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
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

// A server's list of branches has an end over ssh, too; what comes after the list, packs, may be longer.
func TestSSHListsHaveAnEnd(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first, more, count := filepath.Join(dir, "first"), filepath.Join(dir, "more"), filepath.Join(dir, "count")
	var megabyte strings.Builder
	for name := strings.Repeat("x", 50_000); megabyte.Len() < 1<<20; {
		megabyte.WriteString(packetOf(strings.Repeat("ab", 20) + " refs/heads/" + name + "\n"))
	}
	for file, text := range map[string]string{
		first:                       packetOf(strings.Repeat("ab", 20) + " HEAD\x00side-band-64k ofs-delta\n"),
		more:                        megabyte.String(),
		filepath.Join(dir, "serve"): "cat first || exit; for i in $(seq 100); do cat more || exit; echo >>count; done",
	} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	server := serveSSHCommand(t, "cd "+dir+" && sh serve")
	_, err := Read(t.Context(), Target{
		URL: server.url(t, "/fleet.git"), Branch: "main", Auth: Auth{SSHKeyFile: server.userKey, KnownHosts: []string{server.knownHosts}}, Timeout: 4 * time.Minute,
	})
	if err == nil || errors.Is(err, ErrTimeout) || !strings.Contains(err.Error(), "list of branches and tags has more than 64 MiB, want at most that") {
		t.Errorf("found %.300v", err)
	}
	if sent, err := os.ReadFile(count); err != nil || len(sent) >= 100 {
		t.Errorf("the server has sent %d MB, %v, want fewer than 100", len(sent), err)
	}
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
		if err := agent.Start(); err != nil {
			t.Fatal(err)
		}
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
