package publish

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/storer"

	"github.com/airshipit/sipgen/internal/redact"
	"github.com/airshipit/sipgen/publish/internal/objects"
)

// Note is words about a commit that are not in it: a git note. See git-notes(1).
type Note struct {
	Ref  string // refs/notes/NAME
	Text string
}

// writeNote makes the note of a commit be the one in meta. Other notes stay; when others write notes at the same time
// it starts again.
func (r *remote) writeNote(ctx context.Context, commit plumbing.Hash, meta Meta) error {
	if !strings.HasPrefix(meta.Note.Ref, "refs/notes/") || plumbing.ReferenceName(meta.Note.Ref).Validate() != nil {
		return redact.Errorf("%q: not a name for notes, want refs/notes/NAME", meta.Note.Ref)
	}
	_, err := retry(ctx, isConflict, func() (struct{}, error) {
		return struct{}{}, r.writeNoteOnce(ctx, commit, meta)
	}, backoff.WithMaxElapsedTime(time.Minute))
	return err
}

func (r *remote) writeNoteOnce(ctx context.Context, commit plumbing.Hash, meta Meta) error {
	name := plumbing.ReferenceName(meta.Note.Ref)
	old, store, err := r.notes(ctx, name)
	if err != nil {
		return err
	}
	writer := objects.NewWriter(store)
	defer func() { _ = writer.Close() }() // it is pushed by then
	text, err := writer.AddBlob([]byte(strings.TrimRight(meta.Note.Text, "\n") + "\n"))
	if err != nil {
		return err
	}
	root := plumbing.ZeroHash
	if !old.IsZero() {
		tip, err := object.GetCommit(store, old)
		if err != nil {
			return fmt.Errorf("commit %s: %w", old, err)
		}
		root = tip.TreeHash
	}
	where, now, err := notePath(store, root, commit)
	if err != nil || now == text {
		return err
	}
	if root, err = writer.WriteTree(root, map[string]plumbing.Hash{where: text}); err != nil {
		return err
	}
	tip, err := writeCommit(writer, root, old, meta, "Notes added by 'sipgen publish'\n")
	if err != nil {
		return err
	}
	pack, err := writer.Pack(tip, root)
	if err != nil {
		return err
	}
	defer func() { _ = pack.Close() }() // it was only read
	output, err := r.push(ctx, name, old, tip, pack)
	var refused *refusal
	switch {
	case errors.As(err, &refused) && isConcurrentPush(refused.status, output):
		return fmt.Errorf("%w: another push was in progress: %w", ErrConflict, err)
	case errors.As(err, &refused):
		return fmt.Errorf("%w: %s", ErrRejected, strings.TrimSuffix(refused.Error()+": "+output, ": "))
	}
	return err
}

// notes returns the tip of the notes, zero where there are none, and a store that has it with its trees.
func (r *remote) notes(ctx context.Context, name plumbing.ReferenceName) (plumbing.Hash, storer.EncodedObjectStorer,
	error) {
	_, session, err := r.listRefs(ctx)
	if err != nil {
		return plumbing.ZeroHash, nil, err
	}
	defer session.close()
	if session.local != nil {
		reference, err := storer.ResolveReference(session.local, name)
		if errors.Is(err, plumbing.ErrReferenceNotFound) {
			return plumbing.ZeroHash, session.local, nil
		}
		if err != nil {
			return plumbing.ZeroHash, nil, err
		}
		return reference.Hash(), session.local, nil
	}
	store := objects.NewStore()
	if session.advertised == nil || session.advertised.References[name.String()].IsZero() {
		return plumbing.ZeroHash, store, nil
	}
	tip := session.advertised.References[name.String()]
	filter := packp.Filter("")
	if session.supportsPartialClone() {
		filter = packp.FilterBlobNone() // the notes themselves are never read
	}
	return tip, store, r.explain(session.fetch(ctx, store,
		wanted{objects: []plumbing.Hash{tip}, depth: 1, filter: filter}))
}

// notePath returns the path of a commit's note, and the note that is there. git keeps notes at the commit's hash, and
// when there are many in folders of its first digits; a second note for the same commit would be read together with
// the first.
func notePath(store storer.EncodedObjectStorer, root, commit plumbing.Hash) (string, plumbing.Hash, error) {
	hash := commit.String()
	flat, folded, twice := hash, hash[:2]+"/"+hash[2:], hash[:2]+"/"+hash[2:4]+"/"+hash[4:]
	if root.IsZero() {
		return flat, plumbing.ZeroHash, nil
	}
	files := &objects.Files{Store: store, Root: root}
	for _, path := range []string{flat, folded, twice} {
		entry, found, err := files.Entry(path)
		if err != nil {
			return "", plumbing.ZeroHash, err
		}
		if found && entry.Mode.IsFile() {
			return path, entry.Hash, nil
		}
	}
	top, err := files.Folder(".")
	if err != nil || top == nil {
		return flat, plumbing.ZeroHash, err
	}
	for _, entry := range top.Entries {
		if entry.Mode == filemode.Dir && len(entry.Name) == 2 {
			return folded, plumbing.ZeroHash, nil
		}
	}
	return flat, plumbing.ZeroHash, nil
}
