package publish

import (
	"encoding/base64"
	"os"
	"strings"

	githttp "github.com/go-git/go-git/v5/plumbing/transport/http"

	"github.com/airshipit/sipgen/internal/redact"
	"github.com/airshipit/sipgen/internal/text"
)

// masked gives an error whose words may be printed: every line is one of text only, and a secret of
// this login that some library or server repeats is masked. The chain for errors.Is stays.
func (r *remote) masked(err error) error {
	if err == nil {
		return nil
	}
	return &maskedError{r.mask(err.Error()), err}
}

type maskedError struct {
	text string
	err  error
}

func (s *maskedError) Error() string { return s.text }
func (s *maskedError) Unwrap() error { return s.err }

func (r *remote) mask(words string) string {
	secrets := r.target.secrets(r.helper.secrets...)
	// Before, since a secret may hold blanks that become one, and after, since it may be whole only then.
	words = redact.Known(words, secrets...)
	words = strings.Join(text.Lines(words), "\n")
	return redact.Text(redact.Known(words, secrets...))
}

// secrets lists what no message may hold.
func (t *Target) secrets(more ...string) []string {
	known := append(more, t.Auth.Password, t.Auth.Token, t.Auth.SSHKeyPassphrase, password(t.URL), password(t.Auth.Proxy))
	for _, name := range []string{"HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY", "https_proxy", "http_proxy", "all_proxy"} {
		known = append(known, password(os.Getenv(name)))
	}
	if login, is := t.Auth.httpLogin().(*githttp.BasicAuth); is && login.Password != "" {
		known = append(known, basic(login))
	}
	return known
}

// basic is a login as HTTP sends it.
func basic(login *githttp.BasicAuth) string {
	return base64.StdEncoding.EncodeToString([]byte(login.Username + ":" + login.Password))
}

// password gives what stands between the colon and the last @ of an address, whether it is a URL or not; without a
// colon, the whole user information of anything but ssh, where forges take tokens.
func password(address string) string {
	scheme, rest, found := strings.Cut(address, "://")
	if !found {
		scheme, rest = "", address
	}
	authority := rest
	if found {
		authority, _, _ = strings.Cut(rest, "/")
	}
	at := strings.LastIndexByte(authority, '@')
	if at < 0 {
		return ""
	}
	user, secret, is := strings.Cut(authority[:at], ":")
	if !is && scheme != "ssh" && scheme != "" {
		return user
	}
	return secret
}
