package push

import (
	"bytes"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/cmd/sipgen/internal/terminal"
	"github.com/airshipit/sipgen/internal/forge"
	"github.com/airshipit/sipgen/publish"
	"github.com/stretchr/testify/assert"
)

// TestTokenOfTheForge: git's token goes to the forge's API only where somebody named the forge, and only to the server
// that git sends it to.
func TestTokenOfTheForge(t *testing.T) {
	const https = "https://git.example.org/fleet.git"
	auth := publish.Auth{Token: "git-token"}
	for _, row := range []struct {
		why         string
		proposal    proposal
		target      publish.Target
		environment map[string]string
		want, name  string
	}{
		{"the forge's own", proposal{forge: "auto"}, publish.Target{URL: https, Auth: auth},
			map[string]string{forgeToken: "own"}, "own", forgeToken},
		{"git's, to the same server", proposal{forge: "gitea"}, publish.Target{URL: https, Auth: auth}, nil,
			"git-token", gitToken},
		{"nobody named the forge", proposal{forge: "auto"}, publish.Target{URL: https, Auth: auth}, nil, "", ""},
		{"its pages are on another server", proposal{forge: "gitea", web: "https://forge.example.org"},
			publish.Target{URL: https, Auth: auth}, nil, "", ""},
		{"git sends it nowhere", proposal{forge: "gitea"},
			publish.Target{URL: "ssh://git@git.example.org/fleet.git", Auth: auth}, nil, "", ""},
		{"a password is no token", proposal{forge: "gitea"},
			publish.Target{URL: https, Auth: publish.Auth{Username: "a", Password: "b"}}, nil, "", ""},
	} {
		token, name, err := row.proposal.token(row.target, func(name string) string { return row.environment[name] })
		assert.Truef(t, err == nil && token == row.want && name == row.name, "%s: found %q, %q, %v, want %q, %q",
			row.why, token, name, err, row.want, row.name)
	}
}

// What is sent by http can be read by everybody on the way, but not on this machine.
func TestUnencrypted(t *testing.T) {
	t.Parallel()
	token := publish.Auth{Token: "t0ken"}
	for _, row := range []struct {
		url   string
		auth  publish.Auth
		forge string
		want  []string
	}{
		{"http://git.example.org:3000/a/b.git", token, "",
			[]string{"the git credentials go to http://git.example.org:3000 unencrypted"}},
		{"http://robot:s3cret@git.example.org/a/b.git", publish.Auth{}, "",
			[]string{"the git credentials go to http://git.example.org unencrypted"}},
		{"http://git.example.org/a/b.git", token, "http://git.example.org/a/b",
			[]string{"the git credentials", "the forge's token goes to http://git.example.org unencrypted"}},
		{"ssh://git@git.example.org/a/b.git", publish.Auth{}, "http://git.example.org/a/b",
			[]string{"the forge's token"}},
		{"https://git.example.org/a/b.git", token, "https://git.example.org/a/b", nil},
		{"http://localhost:3000/a/b.git", token, "http://localhost:3000/a/b", nil},
		{"http://[::1]:3000/a/b.git", token, "", nil},
	} {
		requester := &pullRequester{repository: forge.Repository{Web: row.forge}}
		if row.forge != "" {
			requester.client = &forge.Client{Token: "t0ken"}
		}
		found := unencrypted(publish.Target{URL: row.url, Auth: row.auth}, requester)
		if len(found) != len(row.want) {
			t.Errorf("%s: found %q, want %q", row.url, found, row.want)
			continue
		}
		for i, words := range found {
			assert.Truef(t,
				strings.HasPrefix(words, row.want[i]) && !strings.Contains(words, "s3cret") && !strings.Contains(words,
					"t0ken"),
				"%s: found %q, want %q", row.url, words, row.want[i])
		}
	}
}

// TestPagesOnOtherHosts: sipgen says in its own words only where pages are that are on the forge's host.
func TestPagesOnOtherHosts(t *testing.T) {
	p := &pullRequester{repository: forge.Repository{Kind: forge.Gitea, Web: "https://git.example.org",
		Path: "acme/fleet"}, target: publish.Target{Branch: "main", Proposal: "sipgen/dc1"}}
	const own, others = "Visit the existing pull request:; https://git.example.org/acme/fleet/pulls/7; done", "Visit the existing pull request:; https://git.example.org.evil.example/acme/fleet/pulls/7; done"
	if rest, hint := p.CutHint(own); rest != "done" || hint.Page != "https://git.example.org/acme/fleet/pulls/7" ||
		!hint.Open {
		t.Errorf("found %q, %+v", rest, hint)
	}
	if rest, hint := p.CutHint(others); rest != others || hint.Page != "" || hint.Open {
		t.Errorf("another host's page is taken for the forge's: %q, %+v", rest, hint)
	}
	rest, hint := (&pullRequester{local: true}).CutHint(own)
	assert.Truef(t, rest == "done" && hint.Open, "the hook of a repository on this machine: %q, %+v", rest, hint)
	var out bytes.Buffer
	p.sayOpened(&terminal.UI{Err: &out},
		&forge.Opened{Outcome: forge.Created, URL: "https://git.example.org/acme/fleet/pulls/7", Number: 7,
			OtherHost: "evil.example"})
	assert.Contains(t, out.String(),
		"warning: pull request: the forge gave the address of its page on another host, evil.example; if the forge's pages are there, set --forge-url\n")
	assert.Contains(t, out.String(), "pull request: opened: https://git.example.org/acme/fleet/pulls/7\n")
}
