package publish

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestHTTPS(t *testing.T) {
	repo, server, target := overHTTPS(t)
	remoteRoundTrip(t, target, repo)

	t.Run("the answer is lost after the push was taken", func(t *testing.T) {
		server.cut.Store(true)
		done := mustPublish(t, target, tree("a", "lost answer"))
		if !done.Changed || done.Commit != git(t, repo, "rev-parse", "main") {
			t.Errorf("found %+v, want the commit that landed", done)
		}
		if server.cut.Load() {
			t.Error("the answer was not lost")
		}
	})
	t.Run("the connection is lost in the middle of a push", func(t *testing.T) {
		before := git(t, repo, "rev-parse", "main")
		server.drop.Store(true)
		if done, err := publishTree(target, tree("a", "dropped"), meta); err == nil {
			t.Errorf("found %+v, want an error", done)
		}
		if after := git(t, repo, "rev-parse", "main"); after != before || server.drop.Load() {
			t.Errorf("the branch: found %s, want %s", after, before)
		}
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
			if done := mustPublish(t, target, tree("a", row.why)); !done.Changed {
				t.Error("nothing was committed")
			}
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
