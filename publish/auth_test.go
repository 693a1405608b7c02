package publish

import (
	"encoding/base64"
	"strings"
	"testing"

	githttp "github.com/go-git/go-git/v5/plumbing/transport/http"

	"github.com/airshipit/sipgen/publish/internal/credentials"
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
		if got := (Target{URL: url}).String(); got != want {
			t.Errorf("%s: found %s, want %s", url, got, want)
		}
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
		if _, err := target.endpoint(); err != nil {
			t.Fatal(err)
		}
		r := &remote{target: &target}
		login, _ := target.Auth.httpLogin().(*githttp.BasicAuth)
		for _, said := range []string{"no such user: " + login.Username, "Authorization: Basic " + credentials.Basic(login)} {
			if found := r.mask(said); strings.Contains(found, login.Username) || strings.Contains(found, credentials.Basic(login)[:12]) {
				t.Errorf("%s: found %s", why, found)
			}
		}
	}
	r := &remote{target: &Target{URL: "https://robot:s3cret@git.example.org/x.git", Auth: Auth{Username: "robot", Password: "s3cret"}}}
	if found := r.mask("robot may not push"); found != "robot may not push" {
		t.Errorf("a user name: found %s", found)
	}
}
