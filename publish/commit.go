package publish

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/storage/memory"
)

// Signature names who made a commit.
type Signature struct {
	Name, Email string
}

// Signer signs commits: see SSHSigner and OpenPGPSigner. The result is the armored signature.
type Signer interface {
	Sign(commit io.Reader) ([]byte, error)
}

// Meta is what a commit says besides its tree, and what it may do.
type Meta struct {
	Author    Signature
	Committer Signature // zero: Author
	When      time.Time // with its zone; there is no other clock
	Message   string
	Trailers  []Trailer // put at the message's end in this order

	Signer        Signer // nil: not signed
	RequireSigned bool   // ErrUnsigned unless there is a Signer

	Adopt      bool // take over a path, or files in it, that sipgen did not write
	AllowEmpty bool // a tree without files: everything owned is deleted

	// ExtraFiles is files that go into the commit beside the tree, by their paths from the repository's root. They say
	// something of this run, so what they say is never a reason for a commit; only that one is missing is.
	ExtraFiles Tree
	// Note is put beside the branch's tip, whether there is a new commit or not. nil: none.
	Note *Note
}

// Trailer is a line at the end of a message, "Key: Value".
type Trailer struct {
	Key, Value string
}

// Published is what Commit did.
type Published struct {
	Changed bool   // false: the branch has that tree already, and there is no new commit
	Commit  string // the branch's tip: the new commit, or the one that was there
	Base    string // the commit that it is on top of
	Branch  string // the branch pushed to
	Changes []Change
	Drifted []string // owned files that somebody else had edited; the edits are overwritten
	Server  string   // what the server said, on one line
}

// Commit makes the target's branch hold the tree below Target.Path, in one commit on top of base, and
// pushes it with base as the precondition: ErrConflict if the branch is not there any more. An unchanged
// tree makes no commit. Everything outside the path, and every file in it that sipgen does not own, keeps
// its object.
func Commit(ctx context.Context, target Target, base *Snapshot, tree Tree, meta Meta) (*Published, error) {
	r, err := newRemote(&target)
	if err != nil {
		return nil, err
	}
	done, err := r.commit(ctx, base, tree, meta)
	if err != nil {
		return nil, r.masked(fmt.Errorf("%s: %w", target, err))
	}
	done.Server = r.mask(done.Server)
	if meta.Note != nil && done.Commit != "" {
		if err := r.writeNote(ctx, plumbing.NewHash(done.Commit), meta); err != nil {
			return nil, r.masked(fmt.Errorf("%s: %s is there, without its note %s: %w", target, done.Commit, meta.Note.Ref, err))
		}
	}
	return done, nil
}

func (r *remote) commit(ctx context.Context, base *Snapshot, tree Tree, meta Meta) (*Published, error) {
	if err := errors.Join(meta.check(), checkWrite(tree, meta.AllowEmpty)); err != nil {
		return nil, err
	}
	switch {
	case base.damaged != nil && !meta.Adopt:
		return nil, base.damaged
	case base.Foreign && !meta.Adopt:
		return nil, fmt.Errorf("/%s: a path that is %w: it holds files and no %s; take another path, or adopt this one", r.target.Path, ErrForeign, OwnershipFile)
	}
	where := r.target.Path
	if where == "" {
		where = "."
	}
	result, err := reconcile(where, base.files, base.owned, tree, meta.Adopt)
	if err != nil {
		return nil, err
	}
	done := &Published{Commit: base.Commit, Base: base.Commit, Branch: base.branch, Drifted: result.Drifted, Changes: Diff(base.Tree, tree)}
	writer := &objectWriter{base: base.files.store, store: memory.NewStorage()}
	edits, err := r.edits(writer, result, tree)
	if err != nil {
		return nil, err
	}
	if err := checkExtraFiles(meta.ExtraFiles, edits); err != nil {
		return nil, err
	}
	there, err := base.has(edits, meta.ExtraFiles)
	if err != nil {
		return nil, err
	}
	if there {
		if base.proposed != nil {
			done.Commit = base.old.String()
		}
		return done, nil
	}
	for _, name := range slices.Sorted(maps.Keys(meta.ExtraFiles)) {
		if edits[name], err = writer.blob(meta.ExtraFiles[name]); err != nil {
			return nil, err
		}
	}
	root, err := writer.writeTree(base.root, edits)
	if err != nil {
		return nil, err
	}
	if root.IsZero() {
		return nil, fmt.Errorf("%w: the commit would have no files", ErrEmpty)
	}
	tip, err := writer.commit(root, base.tip, meta)
	if err != nil {
		return nil, err
	}
	pack, err := writer.pack()
	if err != nil {
		return nil, err
	}
	done.Changed, done.Commit = true, tip.String()
	done.Server, err = r.pushAndVerify(ctx, base, tip, pack)
	return done, err
}

// has says that the branch to push to holds that tree already, on top of the same commit. A proposal that was merged
// stays as it is: where the base has the tree, and the proposal has nothing else in the site's path, there is nothing
// to propose. One that proposes something else is replaced, so that nobody merges what is not wanted any more.
//
// Files beside the tree count as they are there: it is enough that there are any.
func (s *Snapshot) has(edits map[string]plumbing.Hash, beside Tree) (bool, error) {
	same, err := s.holds(s.root, edits, beside)
	if err != nil || s.proposed == nil {
		return same, err
	}
	if same && s.proposedSite == s.site {
		return true, nil
	}
	if len(s.proposed.ParentHashes) != 1 || s.proposed.ParentHashes[0] != s.tip {
		return false, nil
	}
	return s.holds(s.proposed.TreeHash, edits, beside)
}

// holds says that a tree is the base's with the edits made, but for what the files beside say.
func (s *Snapshot) holds(tree plumbing.Hash, edits map[string]plumbing.Hash, beside Tree) (bool, error) {
	if tree.IsZero() {
		return false, nil
	}
	edits = maps.Clone(edits)
	files := &commitFiles{store: s.files.store, root: tree}
	for name := range beside {
		entry, found, err := files.entry(name)
		if err != nil || !found || !entry.Mode.IsFile() {
			return false, err
		}
		edits[name] = entry.Hash
	}
	scratch := &objectWriter{base: s.files.store, store: memory.NewStorage()}
	made, err := scratch.writeTree(s.root, edits)
	return made == tree, err
}

// checkExtraFiles holds the files beside the tree to the same names, and to places that the tree leaves free.
func checkExtraFiles(beside Tree, edits map[string]plumbing.Hash) error {
	var problems []error
	for _, name := range slices.Sorted(maps.Keys(beside)) {
		if err := checkName(name); err != nil {
			problems = append(problems, err)
		}
		if _, taken := edits[name]; taken {
			problems = append(problems, fmt.Errorf("%s: %w: the tree has it", name, ErrTaken))
		}
	}
	return errors.Join(problems...)
}

// edits are the blobs that the site's files become, by their paths in the repository.
func (r *remote) edits(writer *objectWriter, result Result, tree Tree) (map[string]plumbing.Hash, error) {
	list, err := writer.blob(formatOwnership(tree))
	if err != nil {
		return nil, err
	}
	edits := map[string]plumbing.Hash{path.Join(r.target.Path, OwnershipFile): list}
	for _, names := range [][]string{result.Added, result.Changed} {
		for _, name := range names {
			if edits[path.Join(r.target.Path, name)], err = writer.blob(tree[name]); err != nil {
				return nil, err
			}
		}
	}
	for _, name := range result.Deleted {
		edits[path.Join(r.target.Path, name)] = plumbing.ZeroHash
	}
	return edits, nil
}

func (w *objectWriter) commit(root, parent plumbing.Hash, meta Meta) (plumbing.Hash, error) {
	committer := meta.Committer
	if committer == (Signature{}) {
		committer = meta.Author
	}
	commit := &object.Commit{
		Author:    object.Signature{Name: meta.Author.Name, Email: meta.Author.Email, When: meta.When},
		Committer: object.Signature{Name: committer.Name, Email: committer.Email, When: meta.When},
		Message:   meta.text(),
		TreeHash:  root,
	}
	if !parent.IsZero() {
		commit.ParentHashes = []plumbing.Hash{parent}
	}
	if meta.Signer != nil {
		unsigned := w.store.NewEncodedObject()
		if err := commit.EncodeWithoutSignature(unsigned); err != nil {
			return plumbing.ZeroHash, err
		}
		reader, err := unsigned.Reader()
		if err != nil {
			return plumbing.ZeroHash, err
		}
		signature, err := meta.Signer.Sign(reader)
		if err != nil {
			return plumbing.ZeroHash, fmt.Errorf("signing the commit: %w", err)
		}
		if len(signature) == 0 {
			return plumbing.ZeroHash, fmt.Errorf("%w: the signer gave an empty one", ErrUnsigned)
		}
		commit.PGPSignature = string(signature)
	}
	return w.add(commit)
}

// text gives the message as git keeps it: no blank lines at its ends, trailers after a blank line.
func (m Meta) text() string {
	text := strings.TrimSpace(strings.ReplaceAll(m.Message, "\r\n", "\n"))
	for i, trailer := range m.Trailers {
		if i == 0 {
			text += "\n"
		}
		text += "\n" + trailer.Key + ": " + trailer.Value
	}
	return text + "\n"
}

// check holds Meta to what git's fsck takes.
func (m Meta) check() error {
	var problems []error
	for _, who := range []struct {
		what string
		Signature
	}{{"author", m.Author}, {"committer", m.Committer}} {
		if who.what == "committer" && m.Committer == (Signature{}) {
			continue
		}
		if who.Name == "" || who.Email == "" {
			problems = append(problems, fmt.Errorf("%s: want a name and an address", who.what))
		}
		if strings.ContainsAny(who.Name+who.Email, "<>\n\r\x00") || !utf8.ValidString(who.Name+who.Email) {
			problems = append(problems, fmt.Errorf("%s: %q <%q>: want no angle brackets, line ends or NUL", who.what, who.Name, who.Email))
		}
	}
	if m.When.Unix() < 0 {
		problems = append(problems, errors.New("the commit's time is not set, or before 1970"))
	}
	if strings.TrimSpace(m.Message) == "" || strings.ContainsRune(m.Message, 0) || !utf8.ValidString(m.Message) {
		problems = append(problems, errors.New("message: want text in UTF-8, without NUL"))
	}
	for _, trailer := range m.Trailers {
		if trailer.Key == "" || strings.ContainsAny(trailer.Key, ": \n\x00") || strings.ContainsAny(trailer.Value, "\n\r\x00") {
			problems = append(problems, fmt.Errorf("trailer %q: want a word, and a value on one line", trailer.Key))
		}
	}
	if m.RequireSigned && m.Signer == nil {
		problems = append(problems, fmt.Errorf("%w: a signature is required, and no key is given", ErrUnsigned))
	}
	return errors.Join(problems...)
}
