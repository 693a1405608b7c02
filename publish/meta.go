package publish

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"

	"github.com/airshipit/sipgen/internal/redact"
	"github.com/airshipit/sipgen/publish/internal/objects"
)

// Signature names who made a commit.
type Signature struct {
	Name, Email string
}

// Signer signs commits: see SSHSigner and OpenPGPSigner. The result is the armored signature.
type Signer interface {
	Sign(commit io.Reader) ([]byte, error)
}

// Meta is the metadata of a commit, and what it may do.
type Meta struct {
	Author Signature
	When   time.Time // with its zone; there is no other clock
	// Message gives the text for a commit with these changes: it is asked once for every commit that is made, and where
	// nothing has changed too.
	Message  func(changes []Change) string
	Trailers []Trailer // put at the message's end in this order
	// Approve is asked before a commit with these changes is made: its error ends the run as it is, and nothing is
	// pushed. nil: go on.
	Approve func(changes []Change) error

	Signer        Signer // nil: not signed
	RequireSigned bool   // ErrUnsigned unless there is a Signer

	Adopt bool // take over a path, or files in it, that sipgen did not write
	Lists Lists

	// ExtraFiles are files that are committed next to the tree, by their paths from the repository's root. They
	// describe this run, so a change of their contents is never a reason for a commit; only a missing one is.
	ExtraFiles Tree
	// Note is added to the branch's tip, whether there is a new commit or not. nil: none.
	Note *Note
}

// Trailer is a line at the end of a message, "Key: Value".
type Trailer struct {
	Key, Value string
}

// message returns the message for the changes, without the trailers and without blank lines at its ends.
func (m Meta) message(changes []Change) (string, error) {
	if m.Message == nil {
		return "", errors.New("message: there is none")
	}
	text := m.Message(changes)
	if strings.TrimSpace(text) == "" || strings.ContainsRune(text, 0) || !utf8.ValidString(text) {
		return "", errors.New("message: want text in UTF-8, without NUL")
	}
	return strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n")), nil
}

// withTrailers returns a message as git keeps it: trailers after a blank line.
func (m Meta) withTrailers(text string) string {
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
	who := m.Author
	if who.Name == "" || who.Email == "" {
		problems = append(problems, errors.New("author: want a name and an address"))
	}
	if strings.ContainsAny(who.Name+who.Email, "<>\n\r\x00") || !utf8.ValidString(who.Name+who.Email) {
		problems = append(problems, redact.Errorf("author: %q <%q>: want no angle brackets, line ends or NUL", who.Name,
			who.Email))
	}
	if m.When.Unix() < 0 {
		problems = append(problems, errors.New("the commit's time is not set, or before 1970"))
	}
	for _, trailer := range m.Trailers {
		if trailer.Key == "" || strings.ContainsAny(trailer.Key, ": \n\x00") ||
			strings.ContainsAny(trailer.Value, "\n\r\x00") {
			problems = append(problems, redact.Errorf("trailer %q: want a word, and a value on one line", trailer.Key))
		}
	}
	if m.RequireSigned && m.Signer == nil {
		problems = append(problems, fmt.Errorf("%w: a signature is required, and no key is given", ErrUnsigned))
	}
	return errors.Join(problems...)
}

// writeCommit makes a commit of a tree with the whole text of its message, signed if meta says so.
func writeCommit(writer *objects.Writer, root, parent plumbing.Hash, meta Meta, text string) (plumbing.Hash, error) {
	who := object.Signature{Name: meta.Author.Name, Email: meta.Author.Email, When: meta.When}
	commit := &object.Commit{Author: who, Committer: who, Message: text, TreeHash: root}
	if !parent.IsZero() {
		commit.ParentHashes = []plumbing.Hash{parent}
	}
	if meta.Signer != nil {
		unsigned := &plumbing.MemoryObject{}
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
	return writer.Add(commit)
}
