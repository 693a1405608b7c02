package publish

import (
	"cmp"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	githttp "github.com/go-git/go-git/v5/plumbing/transport/http"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/publish/internal/credentials"
	"github.com/airshipit/sipgen/publish/internal/wire"
)

func TestHTTPS(t *testing.T) {
	repo, server, target := overHTTPS(t)
	remoteRoundTrip(t, target, repo)

	t.Run("the answer is lost after the push was taken", func(t *testing.T) {
		server.cut.Store(true)
		done := mustPublish(t, target, tree("a", "lost answer"))
		need.That(t, done.Changed && done.Commit == git(t, repo, "rev-parse", "main"),
			"found %+v, want the commit that landed", done)
		need.That(t, !server.cut.Load(), "the answer was not lost")
	})
	t.Run("the connection is lost in the middle of a push", func(t *testing.T) {
		before := git(t, repo, "rev-parse", "main")
		server.drop.Store(true)
		if done, err := publishTree(target, tree("a", "dropped"), meta); err == nil {
			t.Errorf("found %+v, want an error", done)
		}
		after := git(t, repo, "rev-parse", "main")
		need.That(t, after == before && !server.drop.Load(), "the branch: found %s, want %s", after, before)
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
		{"may read only", func(t *Target) { t.Auth.Username, t.Auth.Password = "reader", "reads" }, ErrAuth, "you may only read here"},
		{"no such repository", func(t *Target) { t.URL = server.url + "/other.git" }, ErrNoRepository, "check the URL"},
		{"a server that repeats the credentials", func(t *Target) { t.Auth.Username = "parrot" }, ErrAuth, "[31mnot you: Basic *** parrot ***"},
	})
	server.expired.Store(true)
	refusedAs(t, repo, target, []wrong{
		{"a password that has expired", nil, ErrAuth, "expired"},
		{"a token that has expired", func(t *Target) { t.Auth = Auth{Token: "t0ken", CAFile: server.ca} }, ErrAuth, "expired"},
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
		{"a user and a password", "", Auth{Username: "robot", Password: "s3cret"}, ""},
		{"a helper's", "", Auth{}, "username=robot\npassword=s3cret"},
		{"a helper's, for the user in the URL", user, Auth{}, "password=s3cret"},
	} {
		t.Run(row.why, func(t *testing.T) {
			row.auth.CAFile = server.ca
			// A helper as git runs them; one that answers only what it is asked.
			t.Setenv("GIT_CONFIG_COUNT", "1")
			t.Setenv("GIT_CONFIG_KEY_0", "credential.helper")
			t.Setenv("GIT_CONFIG_VALUE_0", "!f() { test \"$1\" = get && printf '"+strings.ReplaceAll(row.helper, "\n", "\\n")+"\\n'; }; f")
			target := Target{URL: cmp.Or(row.url, server.url+"/fleet.git"), Branch: "main", Path: "site", Auth: row.auth}
			need.That(t, mustPublish(t, target, tree("a", row.why)).Changed, "nothing was committed")
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
		{"none", func(t *Target) { t.Auth.ClientCertFile, t.Auth.ClientKeyFile = "", "" }, ErrAuth, "Auth.ClientCertFile"},
		{"one of another authority", func(t *Target) { t.Auth.ClientCertFile, t.Auth.ClientKeyFile = strangers.certFile, strangers.keyFile }, ErrAuth, "rejected the client certificate " + strangers.certFile},
		{"no key", func(t *Target) { t.Auth.ClientKeyFile = "" }, nil, "Auth.ClientCertFile"},
		{"the key of another", func(t *Target) { t.Auth.ClientKeyFile = strangers.keyFile }, nil, "client certificate: "},
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

	unknown, changed, garbled := filepath.Join(t.TempDir(), "empty"), filepath.Join(t.TempDir(), "changed"), filepath.Join(t.TempDir(), "garbled")
	other := need.Value(os.ReadFile(server.stranger + ".pub"))(t)
	_, port, _ := strings.Cut(server.address, ":")
	for file, text := range map[string]string{unknown: "", changed: "[127.0.0.1]:" + port + " " + string(other), garbled: "127.0.0.1 ssh-rsa !!\n"} {
		need.OK(t, os.WriteFile(file, []byte(text), 0o600))
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
		need.Must(t, err == nil, "%s: %v: %s", name, err, out)
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
		need.OK(t, agent.Start())
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

func TestNoCredentialsInWhatIsPrinted(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]string{
		"https://me:s3cret@host/x.git":       "https://host/x.git",
		"https://s3cret@host/x.git":          "https://host/x.git",
		"https://host/x.git?token=s3cret":    "https://host/x.git",
		"ssh://git@host:22/x.git":            "ssh://git@host:22/x.git",
		"ssh://git:s3cret@host/x.git":        "ssh://host/x.git",
		"git@host:x.git":                     "git@host:x.git",
		"git:s3cret@host:x.git":              "host:x.git",
		"https://me:s3cret%zz@host/x.git":    "host/x.git",
		"/srv/fleet.git":                     "/srv/fleet.git",
		"http://me:s3cret@proxy:3128":        "http://proxy:3128",
		"socks5://me:s3cret@proxy:1080/#abc": "socks5://proxy:1080/",
	} {
		need.Equal(t, url, (Target{URL: url}).String(), want)
	}
}

// TestAnswersAreMasked: servers and proxies repeat the login that they refuse, in their own spelling.
func TestAnswersAreMasked(t *testing.T) {
	r := &remote{target: &Target{URL: "https://git.example.org/x.git", Auth: Auth{
		Username: "me", Password: "correct horse", Token: "staple-token", SSHKeyPassphrase: "battery", Proxy: "http://me:by-proxy@proxy:3128",
	}}}
	r.helper.secrets = []string{"from-the-helper"}
	for _, said := range []string{
		"wrong password: correct horse", "me:correct%20horse@git.example.org", "Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte("me:correct horse")),
		"no such token: staple-token", "battery is no passphrase", "the proxy refused by-proxy", "helper gave from-the-helper",
	} {
		found := r.mask(said)
		if !strings.Contains(found, "***") || strings.Contains(found, "horse") || strings.Contains(found, "staple") || strings.Contains(found, "battery") ||
			strings.Contains(found, "by-proxy") || strings.Contains(found, "from-the") || strings.Contains(found, "bWU6") {
			t.Errorf("%s: found %s", said, found)
		}
	}
}

// TestTokensAsUserNames: forges take a token where the user stands, and it is as secret there.
func TestTokensAsUserNames(t *testing.T) {
	const token = "t0ken-that-is-long-enough"
	for why, target := range map[string]Target{
		"alone":                     {URL: "https://" + token + "@git.example.org/x.git"},
		"with an empty password":    {URL: "https://" + token + ":@git.example.org/x.git"},
		"with GitHub's word":        {URL: "https://" + token + ":x-oauth-basic@git.example.org/x.git"},
		"short, with GitHub's word": {URL: "https://t0ken:x-oauth-basic@git.example.org/x.git"},
		"with any password":         {URL: "https://" + token + ":x@git.example.org/x.git"},
		"as a setting":              {URL: "https://git.example.org/x.git", Auth: Auth{Username: token}},
		"as a setting, with a word": {URL: "https://git.example.org/x.git", Auth: Auth{Username: "t0ken", Password: "x-oauth-basic"}},
	} {
		need.Value(target.endpoint())(t)
		r := &remote{target: &target}
		login, _ := target.Auth.httpLogin().(*githttp.BasicAuth)
		for _, said := range []string{"no such user: " + login.Username, "Authorization: Basic " + credentials.Basic(login)} {
			if found := r.mask(said); strings.Contains(found, login.Username) || strings.Contains(found, credentials.Basic(login)[:12]) {
				t.Errorf("%s: found %s", why, found)
			}
		}
	}
	r := &remote{target: &Target{URL: "https://robot:s3cret@git.example.org/x.git", Auth: Auth{Username: "robot", Password: "s3cret"}}}
	need.Equal(t, "a user name", r.mask("robot may not push"), "robot may not push")
}

// What a git server says reaches a terminal and a CI log: no line of it is a command, and no secret is in it however it is laid out.
func TestServersWords(t *testing.T) {
	r := &remote{target: &Target{Auth: Auth{Password: "two  blanks and\ta tab", Token: "t0ken-value"}}}
	for _, row := range []struct{ why, in, one, masked string }{
		{"lines", "remote: a\r\nremote: b\n", "remote: a; remote: b", "remote: a\nremote: b"},
		{"an escape sequence", "\x1b]0;title\x07\x1b[2Jred", "]0;title[2Jred", "]0;title[2Jred"},
		{"C1 controls", "\u009b2Jx", "2Jx", "2Jx"},
		{"GitHub's and Azure's commands", "::error::x\n##[error]y\n##vso[task]z", ": :error::x; ## [error]y; ##vso [task]z", ": :error::x\n## [error]y\n##vso [task]z"},
		{"a line that Unicode ends", "a\u2028::stop-commands::x\u2029b\u0085c", "a; : :stop-commands::x; b; c", "a\n: :stop-commands::x\nb\nc"},
		{"text that turns its direction", "a\u202eexe.gpj\u2066", "aexe.gpj", "aexe.gpj"},
		{"a secret with blanks", "no: two  blanks and\ta tab!", "no: two blanks and a tab!", "no: ***!"},
		{"a secret in parts", "no: t0ken\x1b-va\u200blue!", "no: t0ken-value!", "no: ***!"},
	} {
		got := wire.OneLine(row.in)
		need.That(t, got == row.one, "%s: OneLine(%q) = %q, want %q", row.why, row.in, got, row.one)
		got = r.masked(errors.New(row.in)).Error()
		need.That(t, got == row.masked, "%s: masked(%q) = %q, want %q", row.why, row.in, got, row.masked)
	}
	got := wire.OneLine(strings.Repeat("endless ", 1000))
	need.That(t, len([]rune(got)) <= 2000 && text.Line(got) == got, "%d characters", len([]rune(got)))
}

// TestUnreachable: in place of the resolver's and the socket's words, which repeat the URL and name addresses that nobody typed, one reason.
func TestUnreachable(t *testing.T) {
	t.Parallel()
	dial := func(err error) error {
		return fmt.Errorf("Get %q: %w", "https://git.example.org/info/refs", &net.OpError{Op: "dial", Net: "tcp", Err: err})
	}
	for _, row := range []struct {
		err  error
		want string
	}{
		{dial(&net.DNSError{Err: "no such host", Name: "git.example.org", Server: "192.0.2.53:53", IsNotFound: true}), "cannot be reached: no such host"},
		{dial(&net.DNSError{Err: "server misbehaving", Name: "git.example.org", Server: "192.0.2.53:53"}), "cannot be reached: the server's name could not be looked up: server misbehaving"},
		{dial(os.NewSyscallError("connect", syscall.ECONNREFUSED)), "cannot be reached: connection refused"},
		{dial(os.NewSyscallError("connect", syscall.EHOSTUNREACH)), "cannot be reached: no route to host"},
		{dial(os.NewSyscallError("connect", syscall.ETIMEDOUT)), "cannot be reached: the connection timed out"},
	} {
		err := (&remote{target: &Target{}}).explain(row.err)
		need.That(t, errors.Is(err, ErrUnreachable) && err.Error() == row.want, "found %v, want %s", err, row.want)
	}
	reset := &net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", syscall.ECONNRESET)}
	if err := (&remote{target: &Target{}}).explain(reset); errors.Is(err, ErrUnreachable) {
		t.Errorf("a connection that was made and lost: found %v", err)
	}
}
