package publish

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func noted(text string) Meta {
	about := meta
	about.ExtraFiles = tree("hydrator.metadata", text)
	about.Note = &Note{Ref: "refs/notes/hydrator.metadata", Text: text}
	return about
}

// What a run says of itself goes into the commit that there is anyway, and is no reason for another.
func TestBesideIsNoReasonForACommit(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ why, path, proposal string }{
		{"pushed", "site", ""}, {"proposed", "site", "sipgen/site"}, {"in the root", "", ""},
	} {
		t.Run(row.why, func(t *testing.T) {
			repo := bare(t)
			if row.path != "" {
				rival(t, repo, "main", tree("x", "1"))
			}
			target := Target{URL: repo, Branch: "main", Path: row.path, Proposal: row.proposal}
			branch := target.pushBranch()
			publish := func(text, said string) *Published {
				t.Helper()
				done := publishAs(t, target, tree("a", text), noted(said))
				assert.Equal(t, said, git(t, repo, "notes", "--ref=hydrator.metadata", "show", done.Commit), "note")
				return done
			}
			show := func() string { return git(t, repo, "show", branch+":hydrator.metadata") }
			first := publish("1", "one")
			assert.Truef(t, first.Changed && show() == "one", "found %+v, %q", first, show())
			if again := publish("1", "two"); again.Changed || again.Commit != first.Commit || show() != "one" {
				t.Errorf("another run that changes nothing: found %+v, %q", again, show())
			}
			next := publish("2", "three")
			assert.Truef(t, next.Changed && show() == "three", "found %+v, %q", next, show())
			fsck(t, repo)
		})
	}
}

func TestBesideIsAddedOnce(t *testing.T) {
	t.Parallel()
	_, target := site(t)
	mustPublish(t, target, tree("a", "1"))
	for i, want := range []bool{true, false} {
		done, err := publishTree(target, tree("a", "1"), noted(fmt.Sprint(i)))
		assert.Truef(t, err == nil && done.Changed == want, "run %d: found %+v, %v", i, done, err)
	}
	assert.Truef(t, !mustPublish(t, target, tree("a", "1")).Changed, "a run without it takes it away")
}

func TestBesideKeepsOffTheTree(t *testing.T) {
	t.Parallel()
	repo := bare(t)
	about := meta
	about.ExtraFiles = tree("site/a", "x")
	wantError(t, "", need.Err(publishTree(Target{URL: repo, Branch: "main", Path: "site"}, tree("a", "1"), about)), nil,
		"site/a")
	for name, want := range map[string]string{"../x": "leaves the folder",
		".git/hooks/post-checkout": "git keeps its own files there"} {
		about.ExtraFiles = tree(name, "x")
		wantError(t, name, need.Err(publishTree(Target{URL: repo, Branch: "main", Path: "site"}, tree("a", "1"),
			about)), nil, want)
	}
}

// git keeps many notes in folders: a note is found there and replaced, and the others stay.
func TestNotesInFolders(t *testing.T) {
	t.Parallel()
	repo, target := site(t)
	first := publishAs(t, target, tree("a", "1"), noted("one"))
	const many = 300
	var stream strings.Builder
	for i := range many {
		fmt.Fprintf(&stream, "commit refs/heads/many\nmark :%d\ncommitter Rival <rival@example.org> %d +0000\ndata 1\nx\n", i+1, 1700000000+i)
	}
	stream.WriteString("commit refs/notes/hydrator.metadata\ncommitter Rival <rival@example.org> 1700000000 +0000\ndata 5\nnotes\nfrom refs/notes/hydrator.metadata^0\n")
	for i := range many {
		text := fmt.Sprintf("mine %d\n", i)
		fmt.Fprintf(&stream, "N inline :%d\ndata %d\n%s", i+1, len(text), text)
	}
	out, err := running(repo, strings.NewReader(stream.String()), "git", "fast-import", "--quiet")
	require.Truef(t, err == nil, "git fast-import: %v\n%s", err, out)
	others := strings.Fields(git(t, repo, "rev-list", "--reverse", "many"))
	listing := git(t, repo, "ls-tree", "refs/notes/hydrator.metadata")
	require.Truef(t, strings.Contains(listing, " tree "), "git has made no folders:\n%s", listing)
	publishAs(t, target, tree("a", "1"), noted("two"))
	assert.Equal(t, "two", git(t, repo, "notes", "--ref=hydrator.metadata", "show", first.Commit))
	second := publishAs(t, target, tree("a", "2"), noted("three"))
	assert.Equal(t, "three", git(t, repo, "notes", "--ref=hydrator.metadata", "show", second.Commit))
	for _, i := range []int{0, 150, 299} {
		assert.Equal(t, "mine "+fmt.Sprint(i), git(t, repo, "notes", "--ref=hydrator.metadata", "show", others[i]))
	}
	fsck(t, repo)
}

func TestRivalsNotes(t *testing.T) {
	t.Parallel()
	repo := with(t, tree("x", "1"))
	var group sync.WaitGroup
	for i := range 6 {
		group.Go(func() {
			target := Target{URL: repo, Branch: fmt.Sprintf("env-%d", i), Path: "site", Create: true}
			assert.NoError(t, need.Err(publishTree(target, tree("a", fmt.Sprint(i)), noted(fmt.Sprint(i)))), i)
		})
	}
	group.Wait()
	for i := range 6 {
		assert.Equal(t, fmt.Sprint(i),
			git(t, repo, "notes", "--ref=hydrator.metadata", "show", fmt.Sprintf("env-%d", i)), i)
	}
}

func TestNoteNames(t *testing.T) {
	t.Parallel()
	for _, ref := range []string{"refs/heads/main", "notes", "", "refs/notes/..", "refs/notes/"} {
		about := meta
		about.Note = &Note{Ref: ref, Text: "x"}
		wantError(t, ref, need.Err(publishTree(Target{URL: bare(t), Branch: "main"}, tree("a", "1"), about)), nil,
			"refs/notes/NAME")
	}
}

// Where a pull request is opened is what servers say after the push, by hooks that run when the report is out.
func TestWordsAfterThePush(t *testing.T) {
	t.Parallel()
	repo := with(t, tree("x", "1"))
	hook := "#!/bin/sh\ncat >/dev/null\nsleep 0.3\necho\necho \"Create a pull request for 'sipgen/site' by visiting:\" >&2\necho '  https://git.example.org/acme/fleet/pull/new' >&2\n"
	need.Executable(t, filepath.Join(repo, "hooks", "post-receive"), hook)
	target := httpsTarget(t, repo)
	target.Path, target.Proposal = "site", "sipgen/site"
	done := publishAs(t, target, tree("a", "1"), meta)
	assert.Truef(t,
		done.Changed && done.Server == "Create a pull request for 'sipgen/site' by visiting:; https://git.example.org/acme/fleet/pull/new",
		"found %+v", done)
}

// packetOf is one of git's packets.
func packetOf(text string) string {
	if text == "" {
		return "0000"
	}
	return fmt.Sprintf("%04x%s", len(text)+4, text)
}
