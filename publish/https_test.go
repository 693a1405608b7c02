package publish

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestHTTPS(t *testing.T) {
	repo, server, target := overHTTPS(t)
	remoteRoundTrip(t, target, repo)

	t.Run("the answer is lost after the push was taken", func(t *testing.T) {
		server.cut.Store(true)
		done := mustPublish(t, target, tree("a", "lost answer"))
		assert.Truef(t, done.Changed && done.Commit == git(t, repo, "rev-parse", "main"),
			"found %+v, want the commit that landed", done)
		assert.Truef(t, !server.cut.Load(), "the answer was not lost")
	})
	t.Run("the connection is lost in the middle of a push", func(t *testing.T) {
		before := git(t, repo, "rev-parse", "main")
		server.drop.Store(true)
		wantError(t, "", need.Err(publishTree(target, tree("a", "dropped"), meta)), nil, "push: ")
		after := git(t, repo, "rev-parse", "main")
		assert.Truef(t, after == before && !server.drop.Load(), "the branch: found %s, want %s", after, before)
		fsck(t, repo)
		mustPublish(t, target, tree("a", "dropped"))
	})
	stranger := newAuthority(t).file
	refusedAs(t, repo, target, []wrong{
		{"an authority that nobody named", func(t *Target) { t.Auth.CAFile = "" }, ErrCertificate, "Auth.CAFile"},
		{"another authority", func(t *Target) { t.Auth.CAFile = stranger }, ErrCertificate, "Auth.CAFile"},
		{"an authority's file that is none", func(t *Target) { t.Auth.CAFile = os.DevNull }, nil, "want PEM"},
		{"no credentials", func(t *Target) { t.Auth.Username, t.Auth.Password = "", "" }, ErrAuth, "Auth.Password"},
		{"wrong credentials", func(t *Target) { t.Auth.Password = "wr0ng" }, ErrAuth, "expired"},
		{"a wrong token", func(t *Target) { t.Auth = Auth{Token: "wr0ng", CAFile: server.ca} }, ErrAuth, "expired"},
		{"may read only", func(t *Target) { t.Auth.Username, t.Auth.Password = "reader", "reads" }, ErrAuth,
			"you may only read here"},
		{"no such repository", func(t *Target) { t.URL = server.url + "/other.git" }, ErrNoRepository, "check the URL"},
		{"a server that repeats the credentials", func(t *Target) { t.Auth.Username = "parrot" }, ErrAuth,
			"[31mnot you: Basic *** parrot ***"},
	})
}

// Every way to log in that a forge or a company's own server knows.
func TestHTTPSLogins(t *testing.T) {
	repo, server, _ := overHTTPS(t)
	user := strings.Replace(server.url, "https://", "https://robot@", 1) + "/fleet.git"
	for _, row := range []struct {
		why, url string
		auth     Auth
		helper   string // what git's credential helper prints
	}{
		{"a token as a bearer's", "", Auth{Token: "t0ken"}, ""},
		{"a token as a password, without a user", "", Auth{Password: "t0ken"}, ""},
		{"a token as a password, with any user", "", Auth{Username: "oauth2", Password: "t0ken"}, ""},
		{"in the URL", strings.Replace(server.url, "https://", "https://robot:s3cret@", 1) + "/fleet.git", Auth{}, ""},
		{"a helper's", "", Auth{}, "username=robot\npassword=s3cret"},
		{"a helper's, for the user in the URL", user, Auth{}, "password=s3cret"},
	} {
		t.Run(row.why, func(t *testing.T) {
			row.auth.CAFile = server.ca
			// A helper as git runs them; one that answers only what it is asked.
			t.Setenv("GIT_CONFIG_COUNT", "1")
			t.Setenv("GIT_CONFIG_KEY_0", "credential.helper")
			t.Setenv("GIT_CONFIG_VALUE_0",
				"!f() { test \"$1\" = get && printf '"+strings.ReplaceAll(row.helper, "\n", "\\n")+"\\n'; }; f")
			target := Target{URL: cmp.Or(row.url, server.url+"/fleet.git"), Branch: "main", Path: "site",
				Auth: row.auth}
			assert.Truef(t, mustPublish(t, target, tree("a", row.why)).Changed, "nothing was committed")
			if row.helper == "" {
				return
			}
			t.Setenv("GIT_CONFIG_VALUE_0", "!printf 'username=robot\\npassword=wr0ng\\n' #")
			refusedAs(t, repo, target, []wrong{{"a helper that is wrong", nil, ErrAuth, "expired"}})
		})
	}
}

func TestClientCertificates(t *testing.T) {
	t.Parallel()
	repo := bare(t)
	clients := newAuthority(t)
	server := serveClients(t, filepath.Dir(repo), clients)
	ours, strangers := clients.issue(t, "ours"), newAuthority(t).issue(t, "stranger")
	target := Target{
		URL: server.url + "/fleet.git", Branch: "main", Path: "site",
		Auth: Auth{Token: "t0ken", CAFile: server.ca, ClientCertFile: ours.certFile, ClientKeyFile: ours.keyFile},
	}
	mustPublish(t, target, tree("a", "1"))
	refusedAs(t, repo, target, []wrong{
		{"none", func(t *Target) { t.Auth.ClientCertFile, t.Auth.ClientKeyFile = "", "" }, ErrAuth,
			"Auth.ClientCertFile"},
		{"one of another authority", func(t *Target) { t.Auth.ClientCertFile, t.Auth.ClientKeyFile = strangers.certFile, strangers.keyFile }, ErrAuth, "rejected the client certificate " + strangers.certFile},
		{"no key", func(t *Target) { t.Auth.ClientKeyFile = "" }, nil, "Auth.ClientCertFile"},
		{"the key of another", func(t *Target) { t.Auth.ClientKeyFile = strangers.keyFile }, nil,
			"client certificate: "},
		{"a file that is not there", func(t *Target) { t.Auth.ClientCertFile += "x" }, nil, "no such file"},
		{"and wrong credentials", func(t *Target) { t.Auth.Token = "wr0ng" }, ErrAuth, "expired"},
	})
}

func TestSSH(t *testing.T) {
	t.Parallel()
	server := serveSSH(t)
	repo := bare(t)
	target := Target{
		URL: server.url(t, repo), Branch: "main", Path: "site",
		Auth: Auth{SSHKeyFile: server.userKey, KnownHosts: []string{server.knownHosts}},
	}
	remoteRoundTrip(t, target, repo)

	unknown, changed, garbled := filepath.Join(t.TempDir(), "empty"), filepath.Join(t.TempDir(),
		"changed"), filepath.Join(t.TempDir(), "garbled")
	other := need.Value(os.ReadFile(server.stranger + ".pub"))(t)
	_, port, _ := strings.Cut(server.address, ":")
	for file, text := range map[string]string{unknown: "", changed: "[127.0.0.1]:" + port + " " + string(other),
		garbled: "127.0.0.1 ssh-rsa !!\n"} {
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	}
	test := t
	refusedAs(t, repo, target, []wrong{
		{"an unknown host", func(t *Target) { t.Auth.KnownHosts = []string{unknown} }, ErrHostKey,
			"127.0.0.1 is not in known_hosts: ssh-keyscan -p " + port + " 127.0.0.1 >> " + unknown},
		{"a host whose key has changed", func(t *Target) { t.Auth.KnownHosts = []string{changed} }, ErrHostKey,
			"differs from known_hosts"},
		{"no known_hosts at all", func(t *Target) { t.Auth.KnownHosts = []string{unknown + "x"} }, ErrHostKey,
			"no known_hosts file: ssh-keyscan"},
		{"a known_hosts file that is none", func(t *Target) { t.Auth.KnownHosts = []string{garbled} }, ErrHostKey,
			garbled + ":1"},
		{"a key that the server does not know", func(t *Target) { t.Auth.SSHKeyFile = server.stranger }, ErrAuth,
			"SSH keys"},
		{"a key file that is none", func(t *Target) { t.Auth.SSHKeyFile = server.knownHosts }, nil, "ssh key"},
		{"a key file that is not there", func(t *Target) { t.Auth.SSHKeyFile += "x" }, nil, "no such file"},
		{"no such repository", func(t *Target) { t.URL += "x" }, ErrNoRepository, "check the URL"},
		{"a folder that is no repository", func(t *Target) { t.URL = server.url(test, filepath.Dir(server.userKey)) },
			ErrNoRepository, "check the URL"},
		{"a server that is not there", func(t *Target) {
			t.URL = strings.Replace(t.URL, server.address, need.Unheard, 1)
		}, nil, "connection refused"},
	})
}

// Where the keys come from: a file, with and without a passphrase; the agent; the home folder.
func TestSSHKeys(t *testing.T) {
	server := serveSSH(t)
	repo := bare(t)
	locked := filepath.Join(t.TempDir(), "locked")
	run := func(name string, args ...string) { t.Helper(); need.Output(t, exec.Command(name, args...)) }
	run("cp", server.userKey, locked)
	run("ssh-keygen", "-q", "-p", "-a", "1", "-N", "phr4se", "-f", locked)
	target := Target{URL: server.url(t, repo), Branch: "main", Path: "site",
		Auth: Auth{KnownHosts: []string{server.knownHosts}}}
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
		require.NoError(t, agent.Start())
		t.Cleanup(func() { _ = agent.Process.Kill(); _ = agent.Wait() })
		listens(t, "unix", socket)
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
