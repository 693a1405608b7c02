package publish

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	gogit "github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
)

// NewRepository makes a bare repository in a folder that does not exist, with one branch and a commit without files on it:
// a proposal needs a branch to merge into. An error leaves no folder behind.
func NewRepository(dir, branch string, by Signature, when time.Time) (err error) {
	if err := checkBranch(branch); err != nil {
		return err
	}
	//guard: a folder that has something already becomes a repository
	if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: %w", dir, fs.ErrExist)
	}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("%s: %w", dir, err), os.RemoveAll(dir))
		}
	}()
	name := plumbing.NewBranchReferenceName(branch)
	repository, err := gogit.PlainInitWithOptions(dir, &gogit.PlainInitOptions{Bare: true, InitOptions: gogit.InitOptions{DefaultBranch: name}})
	if err != nil {
		return err
	}
	tree := repository.Storer.NewEncodedObject()
	if err := (&object.Tree{}).Encode(tree); err != nil {
		return err
	}
	root, err := repository.Storer.SetEncodedObject(tree)
	if err != nil {
		return err
	}
	author := object.Signature{Name: by.Name, Email: by.Email, When: when}
	commit := repository.Storer.NewEncodedObject()
	first := &object.Commit{Author: author, Committer: author, Message: "An empty branch, to propose to\n", TreeHash: root}
	if err := first.Encode(commit); err != nil {
		return err
	}
	tip, err := repository.Storer.SetEncodedObject(commit)
	if err != nil {
		return err
	}
	return repository.Storer.SetReference(plumbing.NewHashReference(name, tip))
}
