package publish

import (
	"context"
	"encoding/base64"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// everySecret is what the tests log in with, in the clear and as HTTP sends it. No message may hold any of it.
var everySecret = []string{
	"s3cret", "wr0ng", "t0ken", "pr0xy", "phr4se", "PRIVATE KEY",
	base64.StdEncoding.EncodeToString([]byte("robot:s3cret")),
	base64.StdEncoding.EncodeToString([]byte("parrot:s3cret")),
}

func tellsNoSecret(t testing.TB, text string) {
	t.Helper()
	for _, word := range everySecret {
		assert.NotContains(t, text, word, "tells the secret")
	}
	if strings.ContainsFunc(text, func(r rune) bool {
		return r != '\n' && (unicode.IsControl(r) ||
			unicode.Is(unicode.Cf, r))
	}) {
		t.Errorf("steers the terminal: %q", text)
	}
}

// wrong is something that keeps a target from being published to.
type wrong struct {
	why    string
	change func(*Target) // nil: nothing
	want   error         // nil: any
	says   string        // or Auth.FIELD: the setting that a SettingError names
}

// refusedAs fails unless each of the changes is refused for its reason, leaves the repository as it was, and
// tells no secret.
func refusedAs(t *testing.T, repo string, target Target, rows []wrong) {
	t.Helper()
	for _, row := range rows {
		t.Run(row.why, func(t *testing.T) {
			bad := target
			if row.change != nil {
				row.change(&bad)
			}
			leaves(t, repo, func() error {
				_, err := publishTree(bad, tree("a", row.why), meta)
				if field, ok := strings.CutPrefix(row.says, "Auth."); ok {
					var setting *SettingError
					if !errors.As(err, &setting) || setting.Field != field ||
						row.want != nil && !errors.Is(err, row.want) {
						t.Errorf("found %v, want %v about %s", err, row.want, row.says)
					}
					return err
				}
				wantError(t, "", err, row.want, row.says)
				return err
			})
		})
	}
}

// leaves fails unless a repository has the same branches afterwards, and is whole.
func leaves(t testing.TB, repo string, try func() error) {
	t.Helper()
	before := git(t, repo, "for-each-ref")
	if err := try(); err != nil {
		tellsNoSecret(t, err.Error())
	}
	assert.Equal(t, before, git(t, repo, "for-each-ref"), "branches")
	fsck(t, repo)
}

// remoteRoundTrip is what every transport has to do.
func remoteRoundTrip(t *testing.T, target Target, repo string) {
	t.Helper()
	first := mustPublish(t, target, tree("a", "1", "b/c", strings.Repeat("long ", 20000)))
	assert.Truef(t, first.Changed, "first commit: found %+v", first)
	rival(t, repo, "main", tree("elsewhere", "x", "site/notes", "hand"))
	done, _, err := Loop(context.Background(), target, func(tip *Snapshot) (Tree, Meta, string, error) {
		same(t, "the previous tree", tip.Tree, tree("a", "1", "b/c", strings.Repeat("long ", 20000)))
		return tree("a", "2"), meta, "", nil
	})
	require.NoError(t, err)
	again := mustPublish(t, target, tree("a", "2"))
	assert.Truef(t, !again.Changed && again.Commit == done.Commit, "an unchanged tree: found %+v", again)
	same(t, "the branch", inGit(t, repo, "main"), tree("elsewhere", "x", "site/notes", "hand", "site/a", "2"))
	fsck(t, repo)

	hook := filepath.Join(repo, "hooks/pre-receive")
	need.Executable(t, hook, "#!/bin/sh\necho 'main is protected: ask the release team'\nexit 1\n")
	_, err = publishTree(target, tree("a", "3"), meta)
	wantError(t, "a protected branch", err, ErrRejected, "ask the release team")
	require.NoError(t, os.Remove(hook))
	tip := mustRead(t, target)
	rival(t, repo, "main", tree("elsewhere", "y"))
	wantError(t, "a branch that has moved", need.Err(Commit(context.Background(), target, tip, tree("a", "3"), meta)),
		ErrConflict)
	proposal := target
	proposal.Proposal = "sipgen/site"
	mustPublish(t, proposal, tree("a", "4"))
	again = mustPublish(t, proposal, tree("a", "4"))
	assert.Truef(t, !again.Changed, "the same proposal: found %+v", again)
	mustPublish(t, proposal, tree("a", "5"))
	rival(t, repo, "main", tree("elsewhere", "z"))
	assert.Truef(t, mustPublish(t, proposal, tree("a", "5")).Changed, "the proposal is not upon what main has by now")
	assert.Equal(t, "1", git(t, repo, "rev-list", "--count", "main..sipgen/site"), "commits in the proposal")
	fsck(t, repo)
}

// overHTTPS is an empty repository, its server, and a target there.
func overHTTPS(t testing.TB) (repo string, server *httpsServer, target Target) {
	t.Helper()
	repo = bare(t)
	server = serveHTTPS(t, filepath.Dir(repo))
	return repo, server, Target{URL: server.url + "/" + filepath.Base(repo), Branch: "main", Path: "site",
		Auth: server.login()}
}

// httpsTarget is a target with the login in its URL, and sshTarget one with a key.
func httpsTarget(t testing.TB, repo string) Target {
	server := serveHTTPS(t, filepath.Dir(repo))
	address := strings.Replace(server.url, "https://", "https://robot:s3cret@", 1) + "/" + filepath.Base(repo)
	return Target{URL: address, Branch: "main", Path: "sites/mine", Auth: Auth{CAFile: server.ca, NoHelper: true}}
}

func sshTarget(t testing.TB, repo string) Target {
	server := serveSSH(t)
	login := Auth{SSHKeyFile: server.userKey, KnownHosts: []string{server.knownHosts}}
	return Target{URL: server.url(t, repo), Branch: "main", Path: "sites/mine", Auth: login}
}
