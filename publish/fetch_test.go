//go:build linux

package publish

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// beside is what else is in the repository, of so many bytes and a few more.
func beside(t testing.TB, bytes int) Tree {
	return Tree{"other/images/big": noise(t, bytes), "other/x": []byte("x"), "site/notes": []byte("hand")}
}

// A server that leaves out files when it is asked to sends the site's own. One that does not, or that promises
// more than it keeps, sends everything. What is read and committed is the same.
func TestFetchesWhatIsNeeded(t *testing.T) {
	t.Parallel()
	rows := []struct {
		why    string
		set    []string
		breaks bool // its promise
		parts  bool // are all that it sends
	}{
		{"a server as it is installed", nil, false, false},
		{"a server set up as the forges are", []string{"uploadpack.allowFilter", "uploadpack.allowAnySHA1InWant"}, false, true},
		{"a filter, and no objects by hash", []string{"uploadpack.allowFilter"}, false, false},
		{"objects by hash, and no filter", []string{"uploadpack.allowAnySHA1InWant"}, false, false},
		{"objects by hash, which are refused", []string{"uploadpack.allowFilter", "uploadpack.allowAnySHA1InWant"}, true, false},
	}
	first := bare(t)
	mustPublish(t, Target{URL: first, Branch: "main", Path: "site"}, tree("a", "1", "b/c", "2", "b/gone", "3"))
	rival(t, first, "main", beside(t, 3<<19))
	for _, row := range rows {
		t.Run(row.why, func(t *testing.T) {
			t.Parallel()
			repo := filepath.Join(t.TempDir(), "fleet.git")
			git(t, t.TempDir(), "clone", "--quiet", "--bare", first, repo)
			for _, setting := range append(row.set, "http.receivepack") {
				git(t, repo, "config", setting, "true")
			}
			server := serveHTTPS(t, filepath.Dir(repo))
			target := Target{
				URL: server.url + "/fleet.git", Branch: "main", Path: "site",
				Auth: Auth{Username: "robot", Password: "s3cret", CAFile: server.ca, NoHelper: true},
			}
			server.breaks.Store(row.breaks)
			mustPublish(t, target, tree("a", "1", "b/c", "2 changed", "new/d", "4"))
			if sent := server.sent.Load(); (sent < 1<<20) != row.parts {
				t.Errorf("the server has sent %d bytes; want the site only: %v", sent, row.parts)
			}
			tip, err := Read(context.Background(), target)
			if err != nil {
				t.Fatal(err)
			}
			same(t, "Read", tip.Tree, tree("a", "1", "b/c", "2 changed", "new/d", "4"))
			fsck(t, repo)
			if text := git(t, repo, "cat-file", "blob", "main:site/notes"); text != "hand" {
				t.Errorf("somebody's file: found %q", text)
			}
			// A file in the way is compared with what is there, and a path that does not exist yet is made.
			if _, err := publishTree(target, tree("notes", "mine"), meta); err == nil || !strings.Contains(err.Error(), "site/notes") {
				t.Errorf("a file in the way: found %v", err)
			}
			for _, path := range []string{"second/site", ""} {
				elsewhere, about := target, meta
				elsewhere.Path, about.Adopt = path, true
				if _, err := publishTree(elsewhere, tree("top", "5"), about); err != nil {
					t.Errorf("path %q: %v", path, err)
				}
			}
			proposal := target
			proposal.Proposal = "sipgen/site"
			for _, text := range []string{"6", "7"} {
				mustPublish(t, proposal, tree("a", text))
			}
			fsck(t, repo)
			if size := git(t, repo, "cat-file", "-s", "sipgen/site:other/images/big"); size != "1572864" {
				t.Errorf("the file beside: found %s bytes", size)
			}
		})
	}
}

// What is fetched to disk leaves nothing behind: not while it is read, not afterwards, not when the process is killed. A kill between the
// making of the file and the removal of its name leaves an empty one.
func TestNothingStaysInTheTemporaryFolder(t *testing.T) {
	repo := bare(t)
	rival(t, repo, "main", beside(t, 3<<20))
	reach := httpsTarget(t, repo)
	reach.Path = "site/mine"
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	nothing := func(when string) {
		t.Helper()
		if entries, err := os.ReadDir(temporary); err != nil || len(entries) > 0 {
			t.Errorf("%s: found %v, %v", when, entries, err)
		}
	}
	tip, err := Read(context.Background(), reach.Target)
	if err != nil {
		t.Fatal(err)
	}
	nothing("while it is read")
	if _, err := Commit(context.Background(), reach.Target, tip, generation(0), meta); err != nil {
		t.Fatal(err)
	}
	nothing("afterwards")
	for range times(3) {
		kill(t, child{Do: "branch, for ever", Target: reach.Target}.start(t), 800*time.Millisecond)
		for name, text := range onDisk(t, temporary) {
			if len(text) > 0 || os.Remove(filepath.Join(temporary, name)) != nil {
				t.Errorf("after a kill: found %s with %d bytes", name, len(text))
			}
		}
		fsck(t, repo)
		tip, err := Read(context.Background(), reach.Target)
		if err != nil {
			t.Fatal(err)
		}
		whole(t, "in git", tip.Tree)
	}
	mustPublish(t, reach.Target, tree("a", "after"))
	nothing("after the next run")
	fsck(t, repo)
}

func TestNoPlaceForWhatIsFetched(t *testing.T) {
	repo := bare(t)
	rival(t, repo, "main", beside(t, 3<<20))
	before := git(t, repo, "for-each-ref")
	reach := httpsTarget(t, repo)
	refused := func(why, says string) {
		t.Helper()
		_, err := publishTree(reach.Target, tree("a", "1"), meta)
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: found %v, want %q", why, err, says)
		}
		if after := git(t, repo, "for-each-ref"); after != before {
			t.Errorf("%s: branches: found %s, want %s", why, after, before)
		}
	}
	temporary := t.TempDir()
	t.Setenv("TMPDIR", filepath.Join(temporary, "absent"))
	refused("no folder", "$TMPDIR")
	t.Setenv("TMPDIR", temporary)
	mustPublish(t, reach.Target, tree("a", "1"))
}
