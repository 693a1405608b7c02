package publish

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestHTTPS(t *testing.T) {
	repo := bare(t)
	git(t, repo, "config", "http.receivepack", "true")
	server := serveHTTPS(t, filepath.Dir(repo))
	target := Target{
		URL: server.url + "/fleet.git", Branch: "main", Path: "site",
		Auth: Auth{Username: "robot", Password: "s3cret", CAFile: server.ca, NoHelper: true},
	}
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
	t.Run("git's credential helper", func(t *testing.T) {
		store := filepath.Join(t.TempDir(), "credentials")
		address := strings.Replace(server.url, "https://", "https://robot:s3cret@", 1)
		if err := os.WriteFile(store, []byte(address+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		t.Setenv("GIT_CONFIG_COUNT", "1")
		t.Setenv("GIT_CONFIG_KEY_0", "credential.helper")
		t.Setenv("GIT_CONFIG_VALUE_0", "store --file="+store)
		helped := target
		helped.Auth = Auth{CAFile: server.ca}
		mustPublish(t, helped, tree("a", "by helper"))
	})
	t.Run("credentials in the URL", func(t *testing.T) {
		inside := target
		inside.URL = strings.Replace(target.URL, "https://", "https://robot:s3cret@", 1)
		inside.Auth = Auth{CAFile: server.ca}
		mustPublish(t, inside, tree("a", "by URL"))
		if said := inside.String(); strings.Contains(said, "s3cret") || strings.Contains(said, "robot") {
			t.Errorf("String: found %s", said)
		}
	})
	before := git(t, repo, "for-each-ref")
	_, stranger := privateAuthority(t)
	rows := []struct {
		why    string
		change func(*Target)
		want   error
		says   string
	}{
		{"an authority that nobody named", func(t *Target) { t.Auth.CAFile = "" }, ErrCertificate, "SIPGEN_GIT_CA_FILE"},
		{"another authority", func(t *Target) { t.Auth.CAFile = stranger }, ErrCertificate, "SIPGEN_GIT_CA_FILE"},
		{"no credentials", func(t *Target) { t.Auth.Username, t.Auth.Password = "", "" }, ErrAuth, "SIPGEN_GIT_PASSWORD"},
		{"wrong credentials", func(t *Target) { t.Auth.Password = "wr0ng" }, ErrAuth, "expired"},
		{"a token that has expired", func(*Target) { server.expired.Store(true) }, ErrAuth, "expired"},
		{"may read only", func(t *Target) { t.Auth.Username, t.Auth.Password = "reader", "reads" }, ErrAuth, "you may only read here"},
		{"no such repository", func(t *Target) { t.URL = server.url + "/other.git" }, ErrNoRepository, "check the URL"},
	}
	for _, row := range rows {
		t.Run(row.why, func(t *testing.T) {
			server.expired.Store(false)
			bad := target
			row.change(&bad)
			_, err := publishTree(bad, tree("a", row.why), meta)
			if !errors.Is(err, row.want) || !strings.Contains(fmt.Sprint(err), row.says) {
				t.Errorf("found %v, want %v with %q", err, row.want, row.says)
			}
			for _, secret := range []string{"s3cret", "wr0ng"} {
				if strings.Contains(fmt.Sprint(err), secret) {
					t.Errorf("the error tells the password: %v", err)
				}
			}
			if after := git(t, repo, "for-each-ref"); after != before {
				t.Errorf("branches: found %s, want %s", after, before)
			}
		})
	}
}
