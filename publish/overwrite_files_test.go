package publish

import (
	"errors"
	"fmt"
	"reflect"
	"testing"
)

// TestOnlyFiles: only where nothing but files beside the tree would be lost are they given, through whatever wraps the error.
func TestOnlyFiles(t *testing.T) {
	t.Parallel()
	repo := bare(t)
	rival(t, repo, "main", tree("README", "1"))
	target := Target{URL: repo, Branch: "main", Path: "site", Proposal: "proposal"}
	meta := meta
	meta.Trailers = []Trailer{{Key: "Specs-Digest", Value: "x"}}
	with := meta
	with.ExtraFiles = tree("hydrator.metadata", "the specs' commit")
	if _, err := publishTree(target, tree("a", "first"), with); err != nil {
		t.Fatal(err)
	}
	_, err := publishTree(target, tree("a", "second"), meta)
	if found := OnlyFiles(fmt.Errorf("wrapped: %w", err)); !errors.Is(err, ErrOverwrite) || !reflect.DeepEqual(found, []string{"hydrator.metadata"}) {
		t.Errorf("a file beside the tree: found %q, %v", found, err)
	}
	rival(t, repo, "proposal", tree("notes", "a reviewer's"))
	_, err = publishTree(target, tree("a", "second"), meta)
	if found := OnlyFiles(err); !errors.Is(err, ErrOverwrite) || found != nil {
		t.Errorf("a reviewer's commit on top: found %q, %v", found, err)
	}
	if found := OnlyFiles(ErrTaken); found != nil {
		t.Errorf("another error: found %q", found)
	}
}
