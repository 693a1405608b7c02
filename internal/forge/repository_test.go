package forge

import (
	"strings"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPage(t *testing.T) {
	for _, row := range []struct {
		why, remote, said, web string
		want                   string // page for main and sipgen/dc1; empty: none
	}{
		{"https", "https://github.com/acme/fleet.git", "auto", "",
			"https://github.com/acme/fleet/compare/main...sipgen/dc1?expand=1"},
		{"a token in the URL", "https://x-access-token:s3cret@github.com/acme/fleet", "auto", "",
			"https://github.com/acme/fleet/compare/main...sipgen/dc1?expand=1"},
		{"git's short form", "git@github.com:acme/fleet.git", "auto", "",
			"https://github.com/acme/fleet/compare/main...sipgen/dc1?expand=1"},
		{"ssh with a port", "ssh://git@GitHub.com:22/acme/fleet.git", "auto", "",
			"https://github.com/acme/fleet/compare/main...sipgen/dc1?expand=1"},
		{"ssh by port 443", "ssh://git@ssh.github.com:443/acme/fleet.git", "auto", "",
			"https://github.com/acme/fleet/compare/main...sipgen/dc1?expand=1"},
		{"http to a host that has https", "http://github.com/acme/fleet", "auto", "",
			"https://github.com/acme/fleet/compare/main...sipgen/dc1?expand=1"},
		{"GitHub with data residency", "git@acme.ghe.com:acme/fleet.git", "auto", "",
			"https://acme.ghe.com/acme/fleet/compare/main...sipgen/dc1?expand=1"},
		{"GitHub Enterprise", "git@git.example.org:acme/fleet.git", "github", "",
			"https://git.example.org/acme/fleet/compare/main...sipgen/dc1?expand=1"},
		{"a name like a well-known one", "https://github.com.example.org/acme/fleet", "auto", "", ""},
		{"groups in groups", "git@gitlab.com:acme/ops/dc/fleet.git", "auto", "",
			"https://gitlab.com/acme/ops/dc/fleet/-/merge_requests/new?merge_request%5Bsource_branch%5D=sipgen%2Fdc1&merge_request%5Btarget_branch%5D=main"},
		{"GitLab elsewhere, with a port", "https://git.example.org:8443/acme/fleet.git", "gitlab", "",
			"https://git.example.org:8443/acme/fleet/-/merge_requests/new?merge_request%5Bsource_branch%5D=sipgen%2Fdc1&merge_request%5Btarget_branch%5D=main"},
		{"GitLab in a folder", "https://git.example.org/gitlab/acme/fleet.git", "gitlab",
			"https://git.example.org/gitlab/",
			"https://git.example.org/gitlab/acme/fleet/-/merge_requests/new?merge_request%5Bsource_branch%5D=sipgen%2Fdc1&merge_request%5Btarget_branch%5D=main"},
		{"Codeberg", "https://codeberg.org/acme/fleet", "auto", "",
			"https://codeberg.org/acme/fleet/compare/main...sipgen/dc1"},
		{"Gitea elsewhere in a folder", "http://127.0.0.1:3000/git/acme/fleet.git", "gitea", "",
			"http://127.0.0.1:3000/git/acme/fleet/compare/main...sipgen/dc1"},
		{"Gitea by ssh, its pages at a port", "ssh://git@git.example.org:2222/acme/fleet.git", "gitea",
			"https://git.example.org:3000", "https://git.example.org:3000/acme/fleet/compare/main...sipgen/dc1"},
		{"IPv6", "ssh://git@[2001:db8::1]:2222/acme/fleet.git", "gitea", "",
			"https://[2001:db8::1]/acme/fleet/compare/main...sipgen/dc1"},
		{"IPv6, short form", "git@[2001:db8::1]:acme/fleet.git", "gitea", "",
			"https://[2001:db8::1]/acme/fleet/compare/main...sipgen/dc1"},
		{"IPv6 with a port", "http://[::1]:3000/acme/fleet.git", "gitea", "",
			"http://[::1]:3000/acme/fleet/compare/main...sipgen/dc1"},
		{"unknown", "https://git.example.org/acme/fleet", "auto", "", ""},
		{"a folder", "/srv/git/fleet.git", "github", "", ""},
		{"a file URL", "file:///srv/git/fleet.git", "github", "", ""},
		{"a drive", `C:\git\fleet.git`, "github", "", ""},
	} {
		t.Run(row.why, func(t *testing.T) {
			kind := need.Value(KindOf(row.remote, row.said))(t)
			repository, found, err := Locate(row.remote, kind, row.web)
			require.NoError(t, err)
			assert.Equal(t, row.want, repository.Page("main", "sipgen/dc1"))
			assert.NotContains(t, repository.String(), "s3cret", "the token is in it")
			assert.Truef(t, found == (row.want != "" || strings.HasPrefix(row.remote, "https")), "found %v", found)
		})
	}
}

func TestLocateRefuses(t *testing.T) {
	for _, row := range []struct {
		why, remote string
		kind        Provider
		web         string
	}{
		{"no owner", "https://github.com/fleet", GitHub, ""},
		{"too deep for ssh", "git@git.example.org:a/b/c", Gitea, ""},
		{"a way out", "https://github.com/acme/../fleet", GitHub, ""},
		{"a control character", "https://github.com/acme/fl%1b%5beet", GitHub, ""},
		{"an empty part", "https://github.com/acme//fleet", GitHub, ""},
		{"the address is no address", "git@git.example.org:a/b", Gitea, "git.example.org"},
		{"a user in the address", "git@git.example.org:a/b", Gitea, "https://me:s3cret@git.example.org"},
		{"another scheme", "git@git.example.org:a/b", Gitea, "ftp://git.example.org"},
	} {
		t.Run(row.why, func(t *testing.T) {
			repository, found, err := Locate(row.remote, row.kind, row.web)
			require.Truef(t, err != nil && !found, "found %q", repository)
			assert.NotContains(t, err.Error(), "s3cret", "the password is in")
		})
	}
	assert.ErrorContains(t, need.Err(KindOf("https://github.com/a/b", "bitbucket")),
		"want auto, github, gitlab, gitea or none")
}

// Whatever a remote looks like, no user information of it gets into a page, and pages are addresses on one line.
func FuzzNoCredentials(f *testing.F) {
	for _, seed := range []string{"https://me:s3cret@github.com/a/b", "s3cret@host:a/b", "ssh://s3cret:x@h/a/b",
		"https://h/a/b?token=s3cret", "https://s3cret@h/a/b#s3cret"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, remote string) {
		for _, kind := range []Provider{GitHub, GitLab, Gitea} {
			repository, found, err := Locate(remote, kind, "")
			if err != nil || !found {
				continue
			}
			page := repository.Page("main", "x")
			if strings.ContainsAny(page, "\n\r\x1b ") ||
				strings.Count(page, "@") > 0 && !strings.Contains(repository.Path, "@") {
				t.Errorf("%q: found %q", remote, page)
			}
		}
	})
}

// What servers print after a push, word for word, and joined as publish does it.
func TestInvitation(t *testing.T) {
	for _, row := range []struct {
		why, said, rest, page string
		open                  bool
	}{
		{"GitHub", "Create a pull request for 'sipgen/dc1' on GitHub by visiting:; https://github.com/acme/fleet/pull/new/sipgen/dc1", "", "https://github.com/acme/fleet/pull/new/sipgen/dc1", false},
		{"GitLab", "To create a merge request for sipgen/dc1, visit:; https://gitlab.com/acme/fleet/-/merge_requests/new?merge_request%5Bsource_branch%5D=sipgen%2Fdc1", "", "https://gitlab.com/acme/fleet/-/merge_requests/new?merge_request%5Bsource_branch%5D=sipgen%2Fdc1", false},
		{"GitLab, one is open", "View merge request for sipgen/dc1:; https://gitlab.com/acme/fleet/-/merge_requests/7",
			"", "https://gitlab.com/acme/fleet/-/merge_requests/7", true},
		{"Gitea", "Create a new pull request for 'sipgen/dc1':; https://codeberg.org/acme/fleet/compare/main...sipgen/dc1; . Processing 1 references; Processed 1 references in total", ". Processing 1 references; Processed 1 references in total", "https://codeberg.org/acme/fleet/compare/main...sipgen/dc1", false},
		{"Gitea, one is open", "Visit the existing pull request:; https://codeberg.org/acme/fleet/pulls/7", "",
			"https://codeberg.org/acme/fleet/pulls/7", true},
		{"other words stay", "GitHub found 2 vulnerabilities on acme/fleet's default branch; To find out more about pull requests, read the manual", "GitHub found 2 vulnerabilities on acme/fleet's default branch; To find out more about pull requests, read the manual", "", false},
		{"no address", "Create a pull request by visiting:; javascript:alert(1)",
			"Create a pull request by visiting:; javascript:alert(1)", "", false},
		{"what is not seen", "Create a pull request by visiting:; https://x\u200by/z",
			"Create a pull request by visiting:; https://x\u200by/z", "", false},
	} {
		if rest, invited := CutPullRequestHint(row.said); rest != row.rest ||
			invited != (PullRequestHint{row.page, row.open}) {
			t.Errorf("%s: found %q, %+v", row.why, rest, invited)
		}
	}
}
