package credentials

import (
	"slices"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/internal/redact"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Whatever git's credential helper answers, the login is the last user and password in it, and no message may hold the
// password.
func FuzzCredentialHelperAnswer(f *testing.F) {
	f.Add("protocol=https\nhost=git.example.org\nusername=robot\npassword=s3cret\n")
	f.Add("username=robot\r\npassword=a=b=c\r\n\r\n")
	f.Add("password=\n")
	f.Add("password\nusername=x\npassword=%41+ b\x00\n")
	f.Fuzz(func(t *testing.T, answer string) {
		login := parseCredentials([]byte(answer))
		lines := strings.Split(answer, "\n")
		want := map[string]string{}
		for _, line := range lines {
			if key, value, found := strings.Cut(strings.TrimRight(line, "\r"), "="); found {
				want[key] = value
			}
		}
		require.Truef(t, (login == nil) == (want["password"] == ""), "found %v in %q", login, answer)
		if login == nil {
			return
		}
		assert.Truef(t, login.Password == want["password"] && login.Username == want["username"],
			"found %q %q, want %q", login.Username, login.Password, want)
		said := redact.Known("the server says "+login.Password+" and "+Basic(login)+".", login.Password, Basic(login))
		if len(login.Password) > 4 && strings.Contains(said, Basic(login)) {
			t.Errorf("found %q", said)
		}
	})
}

// Whatever a URL is, what is printed of it holds no password.
func FuzzRedact(f *testing.F) {
	for _, form := range []string{"https://me:%s@host/x.git", "git:%s@host:x.git", "https://%s@host/x.git",
		"https://host/x.git?token=%s", "ssh://git:%s@host/x", "socks5://u:%s@proxy:1080/#x", "https://me:%s%%zz@host"} {
		f.Add(form)
	}
	f.Fuzz(func(t *testing.T, form string) {
		const secret = "s3cretS3cret"
		address := strings.Replace(form, "%s", secret, 1)
		if strings.Count(address, secret) != 1 ||
			!slices.ContainsFunc(redact.Login(address), func(s string) bool { return strings.Contains(s, secret) }) {
			return // it is not where a password is, or elsewhere too
		}
		said := redact.URL(address)
		assert.Truef(t, !strings.Contains(said, secret), "%q: found %q", address, said)
	})
}
