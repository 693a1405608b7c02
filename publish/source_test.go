package publish

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestSourceOf(t *testing.T) {
	t.Parallel()
	checkout := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(filepath.Join(checkout, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(checkout, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	git(t, checkout, "init", "--quiet", "--initial-branch=main")
	write("dc1/site.yaml", "a")
	write("dc1/tenants/edge.yaml", "b")
	git(t, checkout, "add", ".")
	git(t, checkout, "commit", "--quiet", "-m", "sites: more\x1b[31m\n\nbecause.\n", "--date", "2026-01-02T03:04:05+01:00")
	git(t, checkout, "remote", "add", "origin", "https://me:s3cret@git.example.org/acme/fleet.git?x=s3cret")
	paths := []string{filepath.Join(checkout, "dc1", "site.yaml"), filepath.Join(checkout, "dc1", "tenants")}

	// In a worktree beside it, too, and with files that nobody reads.
	beside := filepath.Join(t.TempDir(), "beside")
	git(t, checkout, "worktree", "add", "--quiet", "--detach", beside)
	write("dc1/tenants/notes.txt", "mine")
	write("other.yaml", "not asked for")
	for _, files := range [][]string{paths, {filepath.Join(beside, "dc1", "site.yaml"), filepath.Join(beside, "dc1", "tenants")}} {
		source, err := SourceOf(files)
		if err != nil {
			t.Fatal(err)
		}
		if source.Commit != git(t, checkout, "rev-parse", "HEAD") || source.Author != "Rival <rival@example.org>" || source.When.Format(time.RFC3339) != "2026-01-02T03:04:05+01:00" ||
			source.Subject != "sites: more[31m" || source.Body != "because." || source.Remote != "https://git.example.org/acme/fleet.git" {
			t.Errorf("found %+v", source)
		}
	}

	write("dc1/tenants/edge.yaml", "changed")
	write("dc1/tenants/new.yaml", "new")
	git(t, checkout, "add", ".") // in the index is not in the commit
	_, err := SourceOf(paths)
	if err == nil || !strings.Contains(err.Error(), "dc1/tenants/edge.yaml: not as commit") || !strings.Contains(err.Error(), "dc1/tenants/new.yaml: not in commit") {
		t.Errorf("found %v", err)
	}
	if _, err := SourceOf([]string{paths[0], t.TempDir()}); err != nil {
		t.Errorf("an empty folder elsewhere: found %v", err)
	}
	outside := filepath.Join(t.TempDir(), "x.yaml")
	if err := os.WriteFile(outside, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := SourceOf([]string{paths[0], outside}); err == nil || !strings.Contains(err.Error(), "outside of the checkout") {
		t.Errorf("found %v", err)
	}
	if _, err := SourceOf([]string{outside}); err == nil || !strings.Contains(err.Error(), "not in a git checkout") {
		t.Errorf("found %v", err)
	}
}
