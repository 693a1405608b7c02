package publish

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// Where a pull request is opened is what servers say after the push, by hooks that run when the report is out.
func TestWordsAfterThePush(t *testing.T) {
	t.Parallel()
	repo := bare(t)
	rival(t, repo, "main", tree("x", "1"))
	hook := "#!/bin/sh\ncat >/dev/null\nsleep 0.3\necho\necho \"Create a pull request for 'sipgen/site' by visiting:\" >&2\necho '  https://git.example.org/acme/fleet/pull/new' >&2\n"
	if err := os.WriteFile(filepath.Join(repo, "hooks", "post-receive"), []byte(hook), 0o755); err != nil {
		t.Fatal(err)
	}
	target := httpsTarget(t, repo).Target
	target.Path, target.Proposal = "site", "sipgen/site"
	done, err := publishTree(target, tree("a", "1"), meta)
	if err != nil {
		t.Fatal(err)
	}
	if !done.Changed || done.Server != "Create a pull request for 'sipgen/site' by visiting:; https://git.example.org/acme/fleet/pull/new" {
		t.Errorf("found %+v", done)
	}
}

// packetOf is one of git's packets.
func packetOf(text string) string {
	if text == "" {
		return "0000"
	}
	return fmt.Sprintf("%04x%s", len(text)+4, text)
}
