package forge

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestGitea runs a proposal's whole life on one Gitea.
func TestGitea(t *testing.T) {
	gitea := engine.StartGitea(t)
	for _, row := range []struct {
		name string
		run  func(*testing.T, *site)
	}{
		{"life", life}, {"by-page", byPage}, {"others", others}, {"by-hand", byHand}, {"protected", protected},
		{"tokens", tokens},
		{"markup", markup}, {"rivals", rivals}, {"fleet", fleet},
	} {
		t.Run(row.name, func(t *testing.T) { row.run(t, newSite(t, gitea, row.name)) })
	}
}

// byPage proposes with the page's commands. The forge here is on loopback, which says nothing of its kind.
func byPage(t *testing.T, s *site) {
	s.Call(t, "POST", s.path("/labels"), map[string]any{"name": "hosts", "color": "#00aabb"}, nil)
	lines := strings.SplitAfter(strings.TrimSpace(engine.Procedure(t, "propose")[0]), "\n")
	require.Truef(t, len(lines) == 3 && strings.HasPrefix(lines[2], "sipgen: pull request: opened: "),
		"docs/gitops.md: found %q, want a token, a command and what it says", lines)
	binary := engine.Sipgen(t)
	script := "cat hosts/*.yaml >inventory.yaml\n" + strings.Replace(lines[0], "SIPGEN_FORGE_TOKEN=...",
		"SIPGEN_FORGE_TOKEN="+s.Token, 1) +
		"sipgen() { command sipgen \"$@\" --forge gitea; }\n" + lines[1]
	cmd := exec.Command("bash", "-euo", "pipefail", "-c", script)
	cmd.Dir = s.dir
	cmd.Env = []string{"PATH=" + filepath.Dir(binary) + string(os.PathListSeparator) + os.Getenv("PATH"),
		"HOME=" + s.dir, "SIPGEN_REPO=" + s.repo,
		"SIPGEN_GIT_USERNAME=" + s.Admin, "SIPGEN_GIT_PASSWORD=" + s.Password}
	out := need.Output(t, cmd)
	assert.Contains(t, out,
		strings.Replace(lines[2], "https://codeberg.org/acme/fleet/pulls/7", s.URL+"/ada/by-page/pulls/1", 1))
	assert.NotContains(t, out, s.Token, "the token is in the output")
	all := s.pulls(t)
	assert.Truef(t, len(all) == 1 && all[0].Head.Ref == "sipgen/dc1" && len(all[0].Labels) == 1, "found %+v", all)
}

func life(t *testing.T, s *site) {
	propose := []string{"--propose", "sipgen/two", "--forge", "gitea", "--label", "hosts", "--label", "none such"}
	s.Call(t, "POST", s.path("/labels"), map[string]any{"name": "hosts", "color": "#00aabb"}, nil)
	first, words := s.publish(t, 0, propose...)
	assert.Contains(t, words, "pull request: opened: "+s.URL+"/ada/life/pulls/1")
	assert.Contains(t, words, `warning: pull request: label "none such"`)
	assert.NotContains(t, words, "Create a new pull request", "Gitea's invitation is there too")
	all := s.pulls(t)
	require.Len(t, all, 1)
	assert.Equal(t, "sipgen/two", all[0].Head.Ref)
	assert.Equal(t, "main", all[0].Base.Ref)
	assert.Equal(t, first, all[0].Head.Sha)
	assert.Len(t, all[0].Labels, 1)
	assert.Contains(t, all[0].Title, "two-tenants: 18 hosts assigned, 18 new")
	for _, word := range []string{"**Changes**", "18 hosts are handed out", "`vino-system/r1n1-cp`", first} {
		assert.Contains(t, all[0].Body, word)
	}

	// The same again: nothing is pushed, and what a person has written stays.
	s.Call(t, "PATCH", s.path("/pulls/1"), map[string]any{"title": "Ada looks at this", "body": all[0].Body + "\nLGTM"},
		nil)
	out, words := s.publish(t, 0, propose...)
	assert.Contains(t, words, "nothing to commit")
	assert.Contains(t, words, "pull request: up to date: "+all[0].HTMLURL)
	found := s.pulls(t)
	assert.Truef(t, out == "" && len(found) == 1 && found[0].Title == "Ada looks at this", "found %q, %+v", out, found)

	// Another plan: the one that is open says so.
	s.edit(t, "tenants/edge-b.yaml", "active: 4", "active: 5")
	second, words := s.publish(t, 0, propose...)
	assert.Contains(t, words, "pull request: updated: "+all[0].HTMLURL)
	all = s.pulls(t)
	require.Truef(t, len(all) == 1 && all[0].Head.Sha == second && !strings.Contains(all[0].Body, "LGTM"), "found %+v",
		all)
	assert.Contains(t, all[0].Title, "19 hosts")

	// A person closes it: not opened again for the same commit, and opened for another.
	s.Call(t, "PATCH", s.path("/pulls/1"), map[string]any{"state": "closed"}, nil)
	_, words = s.publish(t, 0, propose...)
	assert.Contains(t, words, "closed by hand at this commit, not opened again: "+all[0].HTMLURL)
	s.edit(t, "tenants/edge-b.yaml", "active: 5", "active: 4")
	_, words = s.publish(t, 0, propose...)
	assert.Contains(t, words, "pull request: opened: "+s.URL+"/ada/life/pulls/2")

	// Merged: there is nothing left to propose, and the branch stays as it is.
	engine.Wait(t, "the merge", engine.SyncTimeout,
		func() error { // Gitea says "try again later" while it looks for conflicts
			return s.Try("POST", s.path("/pulls/2/merge"), map[string]any{"Do": "merge"}, nil)
		})
	out, words = s.publish(t, 0, propose...)
	assert.Contains(t, words, "nothing to commit")
	assert.Contains(t, words, "no pull request needed")
	all = s.pulls(t)
	assert.Truef(t, out == "" && len(all) == 2 && all[0].State == "closed" && all[1].State == "closed",
		"found %q, %+v", out, all)

	// Proposed, and then not wanted any more: the open one is emptied and says so.
	s.edit(t, "tenants/edge-b.yaml", "active: 4", "active: 5")
	_, words = s.publish(t, 0, propose...)
	assert.Contains(t, words, "pull request: opened: "+s.URL+"/ada/life/pulls/3")
	s.edit(t, "tenants/edge-b.yaml", "active: 5", "active: 4")
	_, words = s.publish(t, 0, propose...)
	assert.Contains(t, words, "pull request: updated: "+s.URL+"/ada/life/pulls/3")
	assert.Contains(t, s.pulls(t)[2].Body, "nothing left to merge")
	s.git(t, "fetch", "--quiet", "origin")
	assert.Empty(t, s.git(t, "diff", "--stat", "origin/main", "origin/sipgen/two"), "the proposal still changes")
}

// Gitea's button merges main into the proposal, which is harmless; its editor commits to the branch, and that is not
// thrown away. When the branch is deleted, there is a new pull request.
func others(t *testing.T, s *site) {
	propose := []string{"--propose", "sipgen/two", "--forge", "gitea"}
	s.publish(t, 0, propose...)
	write := func(branch, name, message string) {
		s.Call(t, "POST", s.path("/contents/"+name),
			map[string]any{"branch": branch, "message": message, "content": "aGVyZQ=="}, nil)
	}
	write("main", "elsewhere.md", "on main")
	engine.Wait(t, "the update", engine.SyncTimeout, func() error { // as for a merge
		return s.Try("POST", s.path("/pulls/1/update"), nil, nil)
	})
	s.git(t, "fetch", "--quiet", "origin")
	assert.Equal(t, "1", s.git(t, "rev-list", "--merges", "--count", "origin/main..origin/sipgen/two"), "merges")
	_, words := s.publish(t, 0, propose...)
	assert.Contains(t, words, "pull request: updated: "+s.URL+"/ada/others/pulls/1")

	write("sipgen/two", "fix.md", "a reviewer's fix")
	s.git(t, "fetch", "--quiet", "origin")
	fixed := s.git(t, "rev-parse", "origin/sipgen/two")
	s.edit(t, "tenants/edge-b.yaml", "active: 4", "active: 5")
	_, words = s.publish(t, 2, propose...)
	for _, word := range []string{
		"the branch has 1 commit that sipgen did not write: " + fixed[:7] + ` "a reviewer's fix" by `,
		"nothing is pushed",
		"hint: take another branch",
	} {
		assert.Contains(t, words, word)
	}
	s.git(t, "fetch", "--quiet", "origin")
	assert.Equal(t, fixed, s.git(t, "rev-parse", "origin/sipgen/two"), "the branch has moved to")
	s.git(t, "push", "--quiet", "origin", "--delete", "sipgen/two")
	engine.Wait(t, "Gitea to close the pull request", engine.SyncTimeout,
		func() error { // it does so in the background, by then of a branch that may be back
			if all := s.pulls(t); all[0].State != "closed" {
				return fmt.Errorf("found %+v", all[0])
			}
			return nil
		})
	_, words = s.publish(t, 0, propose...)
	assert.Contains(t, words, "pull request: opened: "+s.URL+"/ada/others/pulls/2")
}

// Without a token Gitea's own words say where a person goes; where the kind is known sipgen says it, once.
func byHand(t *testing.T, s *site) {
	s.as(s.Admin, "")
	_, words := s.publish(t, 0, "--propose", "sipgen/two")
	assert.Contains(t, words, "open the pull request: "+s.URL+
		"/ada/by-hand/pulls/new/sipgen/two") // as Gitea says it after the push
	assert.NotContains(t, words, "Create a new pull request", "said twice")
	_, words = s.publish(t, 0, "--propose", "sipgen/two")
	assert.Contains(t, words, "proposed on branch sipgen/two, for main")
	assert.Contains(t, words, "set --forge to github, gitlab or gitea")
	_, words = s.publish(t, 0, "--propose", "sipgen/two", "--forge", "gitea")
	assert.Contains(t, words, "open the pull request: "+s.URL+"/ada/by-hand/compare/main...sipgen/two")
	assert.Len(t, s.pulls(t), 0)

	// A person has opened it: the next push is told so.
	s.Call(t, "POST", s.path("/pulls"), map[string]any{"head": "sipgen/two", "base": "main", "title": "by hand"}, nil)
	// Gitea's hook says nothing where Gitea did not answer it in time, and the push counts: then the next one is told.
	for active := 4; active < 7; active++ {
		s.edit(t, "tenants/edge-b.yaml", fmt.Sprintf("active: %d", active), fmt.Sprintf("active: %d", active+1))
		if _, words = s.publish(t, 0, "--propose", "sipgen/two"); strings.Contains(words, "pull request already open") {
			break
		}
	}
	assert.Contains(t, words, "pull request already open: "+s.URL+"/ada/by-hand/pulls/1")
}

// Gitea's protected branch refuses the push with its reason; the proposal goes beside it.
func protected(t *testing.T, s *site) {
	s.Call(t, "POST", s.path("/branch_protections"),
		map[string]any{"branch_name": "main", "rule_name": "main", "enable_push": false}, nil)
	_, words := s.publish(t, 2)
	for _, word := range []string{"push refused", "protected branch", "hint: --propose BRANCH"} {
		assert.Contains(t, words, word)
	}
	assert.NotContains(t, words, "rival", "taken for a race")
	assert.NotContains(t, words, "gave up", "taken for a race")
	_, words = s.publish(t, 0, "--propose", "sipgen/two", "--forge", "gitea")
	assert.Contains(t, words, "pull request: opened")
}

// Tokens that will not do: which variable, which scope, and Gitea's own words.
func tokens(t *testing.T, s *site) {
	propose := []string{"--propose", "sipgen/two", "--forge", "gitea"}
	for _, row := range []struct {
		why, token string
		words      []string
	}{
		{"wrong", "0123456789012345678901234567890123456789",
			[]string{"SIPGEN_FORGE_TOKEN is wrong or expired", "write:repository"}},
		{"may only read", s.NewToken(t, "read:repository", "read:issue"), []string{
			"the token in SIPGEN_FORGE_TOKEN does not allow that", "needs a token with the scopes write:repository",
			"does not have at least one of required scope"}},
	} {
		s.as(s.Admin, row.token)
		_, words := s.publish(t, 2, propose...)
		for _, word := range append(row.words, "pushed, but the pull request could not be opened",
			"open the pull request: "+s.URL+"/ada/tokens/compare/main...sipgen/two") {
			assert.Contains(t, words, word, row.why)
		}
		assert.Len(t, s.pulls(t), 0, row.why)
	}
	// What the docs ask for.
	s.as(s.Admin, s.NewToken(t, "write:repository", "write:issue"))
	s.Call(t, "POST", s.path("/labels"), map[string]any{"name": "hosts", "color": "#00aabb"}, nil)
	_, words := s.publish(t, 0, append(propose, "--label", "hosts")...)
	assert.Contains(t, words, "pull request: opened")
	assert.NotContains(t, words, "warning: pull request")
	// Git's own, which is for git only if no forge is named.
	s.env = []string{"HOME=" + s.dir, "SIPGEN_GIT_TOKEN=" + s.NewToken(t, "write:repository", "write:issue")}
	_, words = s.publish(t, 0, propose...)
	assert.Contains(t, words, "pull request: up to date")
	_, words = s.publish(t, 0, propose[:2]...)
	assert.Contains(t, words, "set --forge to github, gitlab or gitea")
}
