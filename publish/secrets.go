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
	known = append(known, tokenUser(t.Auth.Username, t.Auth.Password), tokenUserOf(t.URL))
	for _, name := range []string{"HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY", "https_proxy", "http_proxy", "all_proxy"} {
		known = append(known, password(os.Getenv(name)))
	}
	if login, is := t.Auth.httpLogin().(*githttp.BasicAuth); is {
		known = append(known, basic(login))
	}
	return known
}

// basic is a login as HTTP sends it.
func basic(login *githttp.BasicAuth) string {
	return base64.StdEncoding.EncodeToString([]byte(login.Username + ":" + login.Password))
}

// userToken is how long a user name is at least to be taken for a token beside a password that is none.
const userToken = 20

// tokenUser gives a user name that is a token: forges take one there, beside the word below or any other password.
func tokenUser(user, password string) string {
	if password == "x-oauth-basic" || len(user) >= userToken {
		return user
	}
	return ""
}

// password gives what stands between the colon and the last @ of an address, whether it is a URL or not; without a
// colon, the whole user information of anything but ssh, where forges take tokens.
func password(address string) string {
	scheme, user, secret, colon := userOf(address)
	if !colon && scheme != "ssh" && scheme != "" {
		return user
	}
	return secret
}

// tokenUserOf is tokenUser of an address by http or https.
func tokenUserOf(address string) string {
	scheme, user, secret, _ := userOf(address)
	switch {
	case scheme != "http" && scheme != "https":
		return ""
	case secret == "":
		return user
	}
	return tokenUser(user, secret)
}

// userOf gives the parts of an address before its last @.
func userOf(address string) (scheme, user, secret string, colon bool) {
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
		return scheme, "", "", true
	}
	user, secret, colon = strings.Cut(authority[:at], ":")
	return scheme, user, secret, colon
}
