package publish

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var filesOfHistory = []past{
	{minute: 1, file: "site/c/n/a"}, {minute: 2, file: "other/a"}, {minute: 3, file: "site/c/n/a"},
	{minute: 4, file: "site/b"},
	{minute: 5, file: "site/c/m/a"}, {minute: 6, file: "site/c/m/b"}, {minute: 7, file: "site/c/n/a="},
	{minute: 8, file: "other/a"},
}

// versionsOf returns the versions of site/c/*/a as "MINUTE: NAME TEXT, ...", and why there are older commits. Of the
// minutes in unread the files cannot be read.
func versionsOf(t *testing.T, target Target, walk Walk, unread ...int) (found []string, older string) {
	t.Helper()
	tip := mustRead(t, target)
	walk.Files = "c/*/a"
	older, err := tip.History(t.Context(), walk, func(v *Version) error {
		at := int(v.When.Sub(minute(0)).Minutes())
		var texts []string
		for _, name := range v.State.Others {
			texts = append(texts, name+" "+string(v.State.Tree[name]))
		}
		found = append(found, fmt.Sprintf("%d: %s", at, strings.Join(texts, ", ")))
		if len(v.State.Others) > 0 && !errors.Is(v.State.Unlisted, ErrForeign) {
			t.Errorf("minute %d: found %v, want that nothing lists these files", at, v.State.Unlisted)
		}
		if slices.Contains(unread, at) {
			return errors.New("unread")
		}
		return nil
	})
	require.NoError(t, err)
	return found, older
}

func TestHistory(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	repo := filepath.Join(root, "fleet.git")
	git(t, root, "init", "--quiet", "--bare", "--initial-branch=main", repo)
	record(t, repo, filesOfHistory)
	web, shell := serveHTTPS(t, root), serveSSH(t)
	local := Target{URL: repo, Branch: "main", Path: "site"}
	all := []string{"1: c/n/a change 0", "3: c/n/a change 2", "5: c/m/a change 4, c/n/a change 2", "7: c/m/a change 4"}
	for _, row := range []struct {
		why    string
		walk   Walk
		unread []int
		want   []string
		older  string
	}{
		{"all", Walk{Most: 100}, nil, all, ""},
		{"exactly as many", Walk{Most: 8}, nil, all, ""},
		{"what could not be read, and then could", Walk{Most: 100}, []int{3},
			[]string{all[0], all[1], "4: c/n/a change 2", all[2], all[3]}, ""},
		{"fewer", Walk{Most: 7}, nil, []string{"2: c/n/a change 0", all[1], all[2], all[3]},
			"at most 7 commits are read"},
		{"the tip", Walk{Most: 1}, nil, []string{"8: c/m/a change 4"}, "at most 1 commits are read"},
		{"five in a row that are older", Walk{Most: 100, Since: minute(8)}, nil, []string{all[1], all[2], all[3]},
			"older than 2023-11-14T22:21:20Z"},
	} {
		over := Target{URL: web.url + "/fleet.git", Branch: "main", Path: "site", Auth: web.login()}
		ssh := Target{URL: shell.url(t, repo), Branch: "main", Path: "site",
			Auth: Auth{SSHKeyFile: shell.userKey, KnownHosts: []string{shell.knownHosts}}}
		reached := map[string]int{"all": 2,
			"fewer": 1}[row.why] + 1 // how a history gets here is one thing, what is in it another
		for _, setting := range []string{"", "uploadpack.allowFilter", "uploadpack.allowAnySHA1InWant"} {
			if setting != "" {
				git(t, repo, "config", setting, "true")
			}
			for _, target := range []Target{local, over, ssh}[:reached] {
				found, older := versionsOf(t, target, row.walk, row.unread...)
				assert.Truef(t, slices.Equal(found, row.want) && older == row.older,
					"%s: %s %s:\nfound %q, %q\nwant  %q, %q", row.why, target, setting, found, older, row.want,
					row.older)
			}
		}
		git(t, repo, "config", "--unset", "uploadpack.allowFilter")
		git(t, repo, "config", "--unset", "uploadpack.allowAnySHA1InWant")
	}
	shallow := filepath.Join(root, "shallow.git")
	git(t, root, "clone", "--quiet", "--bare", "--depth=2", "file://"+repo, shallow)
	found, older := versionsOf(t, Target{URL: shallow, Branch: "main", Path: "site"}, Walk{Most: 100})
	assert.Truef(t, slices.Equal(found, []string{"7: c/m/a change 4"}) && strings.Contains(older, "shallow clone"),
		"a shallow clone: found %q, %q", found, older)
}

// The files are held to the list of sipgen's files, as those of a previous tree are.
func TestHistoryHoldsFilesToTheList(t *testing.T) {
	t.Parallel()
	target := Target{URL: bare(t), Branch: "main"}
	mustPublish(t, target, tree("c/n/a", "1", "c/n/b", "1", "c/m/a", "1"))
	rival(t, target.URL, "main", Tree{"c/n/a": []byte("2"), "c/o/a": []byte("2")})
	mustPublish(t, target, tree("c/n/a", "3", "c/n/b", "1", "c/m/a", "1"))
	tip := mustRead(t, target)
	var found []string
	_, err := tip.History(t.Context(), Walk{Files: "c/*/a", Most: 100}, func(v *Version) error {
		found = append(found, fmt.Sprint(len(v.State.Tree), v.State.Edited, v.State.Missing, v.State.Others,
			v.State.Unlisted))
		return nil
	})
	want := []string{"2 [] [] [] <nil>", "3 [c/n/a] [] [c/o/a] <nil>", "3 [] [] [c/o/a] <nil>"}
	assert.Truef(t, err == nil && slices.Equal(found, want), "found %q, %v, want %q", found, err, want)
}
