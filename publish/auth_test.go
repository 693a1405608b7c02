package publish

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/publish/internal/credentials"
	"github.com/airshipit/sipgen/publish/internal/wire"
	"github.com/go-git/go-git/v5/plumbing"
	githttp "github.com/go-git/go-git/v5/plumbing/transport/http"
	"github.com/stretchr/testify/assert"
)

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
		assert.Equal(t, want, (Target{URL: url}).String(), url)
	}
}

// TestAnswersAreMasked: servers and proxies repeat the login that they refuse, in their own spelling.
func TestAnswersAreMasked(t *testing.T) {
	r := &remote{target: &Target{URL: "https://git.example.org/x.git", Auth: Auth{
		Username: "me", Password: "correct horse", Token: "staple-token", SSHKeyPassphrase: "battery",
		Proxy: "http://me:by-proxy@proxy:3128",
	}}}
	r.helper.secrets = []string{"from-the-helper"}
	for _, said := range []string{
		"wrong password: correct horse", "me:correct%20horse@git.example.org",
		"Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte("me:correct horse")),
		"no such token: staple-token", "battery is no passphrase", "the proxy refused by-proxy",
		"helper gave from-the-helper",
	} {
		found := r.mask(said)
		assert.Contains(t, found, "***", said)
		for _, word := range []string{"horse", "staple", "battery", "by-proxy", "from-the", "bWU6"} {
			assert.NotContains(t, found, word, said)
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
		"as a setting, with a word": {URL: "https://git.example.org/x.git",
			Auth: Auth{Username: "t0ken", Password: "x-oauth-basic"}},
	} {
		need.Value(target.endpoint())(t)
		r := &remote{target: &target}
		login, _ := target.Auth.httpLogin().(*githttp.BasicAuth)
		for _, said := range []string{"no such user: " + login.Username,
			"Authorization: Basic " + credentials.Basic(login)} {
			page := r.mask(said)
			for _, word := range []string{login.Username, credentials.Basic(login)[:12]} {
				assert.NotContains(t, page, word, why)
			}
		}
	}
	r := &remote{target: &Target{URL: "https://robot:s3cret@git.example.org/x.git",
		Auth: Auth{Username: "robot", Password: "s3cret"}}}
	assert.Equal(t, "robot may not push", r.mask("robot may not push"), "a user name")
}

// What a git server says reaches a terminal and a CI log: no line of it is a command, and no secret is in it however it
// is laid out.
func TestServersWords(t *testing.T) {
	r := &remote{target: &Target{Auth: Auth{Password: "two  blanks and\ta tab", Token: "t0ken-value"}}}
	for _, row := range []struct{ why, in, one, masked string }{
		{"lines", "remote: a\r\nremote: b\n", "remote: a; remote: b", "remote: a\nremote: b"},
		{"an escape sequence", "\x1b]0;title\x07\x1b[2Jred", "]0;title[2Jred", "]0;title[2Jred"},
		{"C1 controls", "\u009b2Jx", "2Jx", "2Jx"},
		{"GitHub's and Azure's commands", "::error::x\n##[error]y\n##vso[task]z",
			": :error::x; ## [error]y; ##vso [task]z", ": :error::x\n## [error]y\n##vso [task]z"},
		{"a line that Unicode ends", "a\u2028::stop-commands::x\u2029b\u0085c", "a; : :stop-commands::x; b; c",
			"a\n: :stop-commands::x\nb\nc"},
		{"text that turns its direction", "a\u202eexe.gpj\u2066", "aexe.gpj", "aexe.gpj"},
		{"a secret with blanks", "no: two  blanks and\ta tab!", "no: two blanks and a tab!", "no: ***!"},
		{"a secret in parts", "no: t0ken\x1b-va\u200blue!", "no: t0ken-value!", "no: ***!"},
	} {
		got := wire.OneLine(row.in)
		assert.Truef(t, got == row.one, "%s: OneLine(%q) = %q, want %q", row.why, row.in, got, row.one)
		got = r.masked(errors.New(row.in)).Error()
		assert.Truef(t, got == row.masked, "%s: masked(%q) = %q, want %q", row.why, row.in, got, row.masked)
	}
	got := wire.OneLine(strings.Repeat("endless ", 1000))
	assert.Truef(t, len([]rune(got)) <= 2000 && text.Line(got) == got, "%d characters", len([]rune(got)))
}

// An answer that is no git server's is said in words, without the library's and the address that it asked.
func TestStatusOfServer(t *testing.T) {
	t.Parallel()
	response := &http.Response{StatusCode: http.StatusInternalServerError,
		Request: &http.Request{URL: &url.URL{Host: "h"}}}
	err := plumbing.NewUnexpectedError(&githttp.Err{Response: response})
	got := (&remote{target: &Target{}}).explain(err)
	assert.Equal(t, "the server answers 500 Internal Server Error: try again, or ask the server's administrator",
		got.Error(),
		"a server that fails")
}

// TestUnreachable: in place of the resolver's and the socket's words, which repeat the URL and name addresses that
// nobody typed, one reason.
func TestUnreachable(t *testing.T) {
	t.Parallel()
	dial := func(err error) error {
		return fmt.Errorf("Get %q: %w", "https://git.example.org/info/refs",
			&net.OpError{Op: "dial", Net: "tcp", Err: err})
	}
	for _, row := range []struct {
		err  error
		want string
	}{
		{dial(&net.DNSError{Err: "no such host", Name: "git.example.org", Server: "192.0.2.53:53", IsNotFound: true}),
			"cannot be reached: no such host"},
		{dial(&net.DNSError{Err: "server misbehaving", Name: "git.example.org", Server: "192.0.2.53:53"}),
			"cannot be reached: the server's name could not be looked up: server misbehaving"},
		{dial(os.NewSyscallError("connect", syscall.ECONNREFUSED)), "cannot be reached: connection refused"},
		{dial(os.NewSyscallError("connect", syscall.ETIMEDOUT)), "cannot be reached: the connection timed out"},
	} {
		err := (&remote{target: &Target{}}).explain(row.err)
		assert.Truef(t, errors.Is(err, ErrUnreachable) && err.Error() == row.want, "found %v, want %s", err, row.want)
	}
}
