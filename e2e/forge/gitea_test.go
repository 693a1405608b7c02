package forge

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/airshipit/sipgen/hack/need"
)

// TestGitea runs a proposal's whole life on one Gitea.
func TestGitea(t *testing.T) {
	gitea := engine.StartGitea(t)
	for _, row := range []struct {
		name string
		run  func(*testing.T, *site)
	}{
		{"life", life}, {"by-page", byPage}, {"others", others}, {"by-hand", byHand}, {"protected", protected}, {"tokens", tokens},
		{"markup", markup}, {"rivals", rivals},
	} {
		t.Run(row.name, func(t *testing.T) { row.run(t, newSite(t, gitea, row.name)) })
	}
}

// byPage proposes with the page's commands. The forge here is on loopback, which says nothing of its kind.
func byPage(t *testing.T, s *site) {
	s.Call(t, "POST", s.path("/labels"), map[string]any{"name": "hosts", "color": "#00aabb"}, nil)
	lines := strings.SplitAfter(strings.TrimSpace(engine.Procedure(t, "propose")[0]), "\n")
	need.Must(t, len(lines) == 3 && strings.HasPrefix(lines[2], "sipgen: pull request: opened: "),
		"docs/gitops.md: found %q, want a token, a command and what it says", lines)
	binary := engine.Sipgen(t)
	script := "cat hosts/*.yaml >inventory.yaml\n" + strings.Replace(lines[0], "SIPGEN_FORGE_TOKEN=...", "SIPGEN_FORGE_TOKEN="+s.Token, 1) +
		"sipgen() { command sipgen \"$@\" --forge gitea; }\n" + lines[1]
	cmd := exec.Command("bash", "-euo", "pipefail", "-c", script)
	cmd.Dir = s.dir
	cmd.Env = []string{"PATH=" + filepath.Dir(binary) + string(os.PathListSeparator) + os.Getenv("PATH"), "HOME=" + s.dir, "SIPGEN_REPO=" + s.repo,
		"SIPGEN_GIT_USERNAME=" + s.Admin, "SIPGEN_GIT_PASSWORD=" + s.Password}
	out := need.Output(t, cmd)
	need.Words(t, "", out, strings.Replace(lines[2], "https://codeberg.org/acme/fleet/pulls/7", s.URL+"/ada/by-page/pulls/1", 1))
	need.Without(t, "the token is in the output", out, s.Token)
	all := s.pulls(t)
	need.That(t, len(all) == 1 && all[0].Head.Ref == "sipgen/dc1" && len(all[0].Labels) == 1, "found %+v", all)
}

func life(t *testing.T, s *site) {
	propose := []string{"--propose", "sipgen/two", "--forge", "gitea", "--label", "hosts", "--label", "none such"}
	s.Call(t, "POST", s.path("/labels"), map[string]any{"name": "hosts", "color": "#00aabb"}, nil)
	first, words := s.publish(t, 0, propose...)
	need.Words(t, "", words, "pull request: opened: "+s.URL+"/ada/life/pulls/1", `warning: pull request: label "none such"`)
	need.Without(t, "Gitea's invitation is there too", words, "Create a new pull request")
	all := s.pulls(t)
	need.Must(t, len(all) == 1 && all[0].Head.Ref == "sipgen/two" && all[0].Base.Ref == "main" && all[0].Head.Sha == first && len(all[0].Labels) == 1,
		"found %+v", all)
	need.Words(t, "", all[0].Title, "two-tenants: 18 hosts assigned, 18 new")
	need.Words(t, "", all[0].Body, "**Changes**", "18 hosts are handed out", "`vino-system/r1n1-cp`", first)

	// The same again: nothing is pushed, and what a person has written stays.
	s.Call(t, "PATCH", s.path("/pulls/1"), map[string]any{"title": "Ada looks at this", "body": all[0].Body + "\nLGTM"}, nil)
	out, words := s.publish(t, 0, propose...)
	need.Words(t, "", words, "nothing to commit", "pull request: up to date: "+all[0].HTMLURL)
	found := s.pulls(t)
	need.That(t, out == "" && len(found) == 1 && found[0].Title == "Ada looks at this", "found %q, %+v", out, found)

	// Another plan: the one that is open says so.
	s.edit(t, "tenants/edge-b.yaml", "active: 4", "active: 5")
	second, words := s.publish(t, 0, propose...)
	need.Words(t, "", words, "pull request: updated: "+all[0].HTMLURL)
	all = s.pulls(t)
	need.Must(t, len(all) == 1 && all[0].Head.Sha == second && !strings.Contains(all[0].Body, "LGTM"), "found %+v", all)
	need.Words(t, "", all[0].Title, "19 hosts")

	// A person closes it: not opened again for the same commit, and opened for another.
	s.Call(t, "PATCH", s.path("/pulls/1"), map[string]any{"state": "closed"}, nil)
	_, words = s.publish(t, 0, propose...)
	need.Words(t, "", words, "closed by hand at this commit, not opened again: "+all[0].HTMLURL)
	s.edit(t, "tenants/edge-b.yaml", "active: 5", "active: 4")
	_, words = s.publish(t, 0, propose...)
	need.Words(t, "", words, "pull request: opened: "+s.URL+"/ada/life/pulls/2")

	// Merged: there is nothing left to propose, and the branch stays as it is.
	engine.Wait(t, "the merge", 30*time.Second, func() error { // Gitea says "try again later" while it looks for conflicts
		return s.Try("POST", s.path("/pulls/2/merge"), map[string]any{"Do": "merge"}, nil)
	})
	out, words = s.publish(t, 0, propose...)
	need.Words(t, "", words, "nothing to commit", "no pull request needed")
	all = s.pulls(t)
	need.That(t, out == "" && len(all) == 2 && all[0].State == "closed" && all[1].State == "closed", "found %q, %+v", out, all)

	// Proposed, and then not wanted any more: the open one is emptied and says so.
	s.edit(t, "tenants/edge-b.yaml", "active: 4", "active: 5")
	_, words = s.publish(t, 0, propose...)
	need.Words(t, "", words, "pull request: opened: "+s.URL+"/ada/life/pulls/3")
	s.edit(t, "tenants/edge-b.yaml", "active: 5", "active: 4")
	_, words = s.publish(t, 0, propose...)
	need.Words(t, "", words, "pull request: updated: "+s.URL+"/ada/life/pulls/3")
	need.Words(t, "", s.pulls(t)[2].Body, "nothing left to merge")
	s.git(t, "fetch", "--quiet", "origin")
	need.Equal(t, "the proposal still changes", s.git(t, "diff", "--stat", "origin/main", "origin/sipgen/two"), "")
}

// Gitea's button merges main into the proposal, which is harmless; its editor commits to the branch, and that is not thrown
// away. When the branch is deleted, there is a new pull request.
func others(t *testing.T, s *site) {
	propose := []string{"--propose", "sipgen/two", "--forge", "gitea"}
	s.publish(t, 0, propose...)
	write := func(branch, name, message string) {
		s.Call(t, "POST", s.path("/contents/"+name), map[string]any{"branch": branch, "message": message, "content": "aGVyZQ=="}, nil)
	}
	write("main", "elsewhere.md", "on main")
	engine.Wait(t, "the update", 30*time.Second, func() error { // as for a merge
		return s.Try("POST", s.path("/pulls/1/update"), nil, nil)
	})
	s.git(t, "fetch", "--quiet", "origin")
	need.Equal(t, "merges", s.git(t, "rev-list", "--merges", "--count", "origin/main..origin/sipgen/two"), "1")
	_, words := s.publish(t, 0, propose...)
	need.Words(t, "", words, "pull request: updated: "+s.URL+"/ada/others/pulls/1")

	write("sipgen/two", "fix.md", "a reviewer's fix")
	s.git(t, "fetch", "--quiet", "origin")
	fixed := s.git(t, "rev-parse", "origin/sipgen/two")
	s.edit(t, "tenants/edge-b.yaml", "active: 4", "active: 5")
	_, words = s.publish(t, 2, propose...)
	need.Words(t, "", words, "the branch has 1 commit that sipgen did not write: "+fixed[:7]+` "a reviewer's fix" by `, "nothing is pushed", "hint: take another branch")
	s.git(t, "fetch", "--quiet", "origin")
	need.Equal(t, "the branch has moved to", s.git(t, "rev-parse", "origin/sipgen/two"), fixed)
	s.git(t, "push", "--quiet", "origin", "--delete", "sipgen/two")
	engine.Wait(t, "Gitea to close the pull request", time.Minute, func() error { // it does so in the background, by then of a branch that may be back
		if all := s.pulls(t); all[0].State != "closed" {
			return fmt.Errorf("found %+v", all[0])
		}
		return nil
	})
	_, words = s.publish(t, 0, propose...)
	need.Words(t, "", words, "pull request: opened: "+s.URL+"/ada/others/pulls/2")
}

// Without a token Gitea's own words say where a person goes; where the kind is known sipgen says it, once.
func byHand(t *testing.T, s *site) {
	s.as(s.Admin, "")
	_, words := s.publish(t, 0, "--propose", "sipgen/two")
	need.Words(t, "", words, "open the pull request: "+s.URL+"/ada/by-hand/pulls/new/sipgen/two") // as Gitea says it after the push
	need.Without(t, "said twice", words, "Create a new pull request")
	_, words = s.publish(t, 0, "--propose", "sipgen/two")
	need.Words(t, "", words, "proposed on branch sipgen/two, for main", "set --forge to github, gitlab or gitea")
	_, words = s.publish(t, 0, "--propose", "sipgen/two", "--forge", "gitea")
	need.Words(t, "", words, "open the pull request: "+s.URL+"/ada/by-hand/compare/main...sipgen/two")
	need.Len(t, "", s.pulls(t), 0)

	// A person has opened it: the next push is told so.
	s.Call(t, "POST", s.path("/pulls"), map[string]any{"head": "sipgen/two", "base": "main", "title": "by hand"}, nil)
	// Gitea's hook says nothing where Gitea did not answer it in time, and the push counts: then the next one is told.
	for active := 4; active < 7; active++ {
		s.edit(t, "tenants/edge-b.yaml", fmt.Sprintf("active: %d", active), fmt.Sprintf("active: %d", active+1))
		if _, words = s.publish(t, 0, "--propose", "sipgen/two"); strings.Contains(words, "pull request already open") {
			break
		}
	}
	need.Words(t, "", words, "pull request already open: "+s.URL+"/ada/by-hand/pulls/1")
}

// Gitea's protected branch refuses the push with its reason; the proposal goes beside it.
func protected(t *testing.T, s *site) {
	s.Call(t, "POST", s.path("/branch_protections"), map[string]any{"branch_name": "main", "rule_name": "main", "enable_push": false}, nil)
	_, words := s.publish(t, 2)
	need.Words(t, "", words, "push refused", "protected branch", "hint: --propose BRANCH")
	need.Without(t, "taken for a race", words, "rival", "gave up")
	_, words = s.publish(t, 0, "--propose", "sipgen/two", "--forge", "gitea")
	need.Words(t, "", words, "pull request: opened")
}

// Tokens that will not do: which variable, which scope, and Gitea's own words.
func tokens(t *testing.T, s *site) {
	propose := []string{"--propose", "sipgen/two", "--forge", "gitea"}
	for _, row := range []struct {
		why, token string
		words      []string
	}{
		{"wrong", "0123456789012345678901234567890123456789", []string{"SIPGEN_FORGE_TOKEN is wrong or expired", "write:repository"}},
		{"may only read", s.NewToken(t, s.Admin, "read:repository,read:issue"), []string{
			"the token in SIPGEN_FORGE_TOKEN does not allow that", "needs a token with the scopes write:repository",
			"does not have at least one of required scope"}},
	} {
		s.as(s.Admin, row.token)
		_, words := s.publish(t, 2, propose...)
		need.Words(t, row.why, words, append(row.words, "pushed, but the pull request could not be opened",
			"open the pull request: "+s.URL+"/ada/tokens/compare/main...sipgen/two")...)
		need.Len(t, row.why, s.pulls(t), 0)
	}
	// What the docs ask for.
	s.as(s.Admin, s.NewToken(t, s.Admin, "write:repository,write:issue"))
	s.Call(t, "POST", s.path("/labels"), map[string]any{"name": "hosts", "color": "#00aabb"}, nil)
	_, words := s.publish(t, 0, append(propose, "--label", "hosts")...)
	need.Words(t, "", words, "pull request: opened")
	need.Without(t, "", words, "warning: pull request")
	// Git's own, which is for git only if no forge is named.
	s.env = []string{"HOME=" + s.dir, "SIPGEN_GIT_TOKEN=" + s.NewToken(t, s.Admin, "write:repository,write:issue")}
	_, words = s.publish(t, 0, propose...)
	need.Words(t, "", words, "pull request: up to date")
	_, words = s.publish(t, 0, propose[:2]...)
	need.Words(t, "", words, "set --forge to github, gitlab or gitea")
}
