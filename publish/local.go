package publish

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/go-git/go-billy/v5/memfs"
	"github.com/go-git/go-billy/v5/util"
	gogit "github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/plumbing/storer"
	"github.com/go-git/go-git/v5/plumbing/transport"

	"github.com/airshipit/sipgen/publish/internal/treefs"
)

// localPath returns the path of a repository on this machine.
func localPath(endpoint *transport.Endpoint) (string, error) {
	where, err := filepath.Abs(filepath.FromSlash(endpoint.Path))
	if err != nil {
		return "", err
	}
	info, err := os.Stat(where)
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("%s: %w: no such folder", where, ErrNoRepository)
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w: %w", where, ErrNoRepository, err)
	}
	if !info.IsDir() {
		return "", fmt.Errorf("%s: %w: it is not a folder", where, ErrNoRepository)
	}
	return where, nil
}

func (r *remote) openLocal() (*localStore, error) {
	repository, err := openRepository(r.local)
	if errors.Is(err, gogit.ErrRepositoryNotExists) {
		// Other files would be among git's own.
		if entries, err := os.ReadDir(r.local); err != nil || len(entries) > 0 {
			return nil, fmt.Errorf("%w: %s is a folder with other files, and no git repository: name the fleet's repository, or make a new one in a folder of its own: git init --bare fleet.git", ErrNoRepository, r.local)
		}
		return nil, fmt.Errorf("%w: %s is no git repository; make one: git init --bare %s", ErrNoRepository, r.local,
			r.local)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.local, err)
	}
	return repository, nil
}

// localRefs looks up the branches that matter one by one: a listing also meets the lock files of
// pushes that are under way, which are empty or gone a moment later.
func (r *remote) localRefs(repository *localStore) (*refs, error) {
	found := &refs{branches: map[string]plumbing.Hash{}}
	head, err := repository.Reference(plumbing.HEAD)
	if err == nil && head.Type() == plumbing.SymbolicReference && head.Target().IsBranch() {
		found.head = head.Target().Short()
	}
	for _, branch := range []string{found.head, r.target.Branch, r.target.Proposal} {
		if branch == "" {
			continue
		}
		reference, err := storer.ResolveReference(repository, plumbing.NewBranchReferenceName(branch))
		switch {
		case isBroken(repository, branch):
			return nil, brokenBranch(branch)
		case err == nil:
			found.branches[branch] = reference.Hash()
		case !errors.Is(err, plumbing.ErrReferenceNotFound):
			return nil, fmt.Errorf("branch %s: %w", branch, err)
		}
	}
	if base := r.target.Branch; base != "" && !found.branches[base].IsZero() {
		if proposal := r.target.Proposal; proposal != "" && found.branches[proposal].IsZero() {
			// a broken one is no reason to stop: the push finds out whether there is room
			_ = listBranches(repository, found.branches)
		}
		return found, nil
	}
	err = listBranches(repository, found.branches)
	found.empty = len(found.branches) == 0
	return found, err
}

// isBroken reports whether a branch's file holds neither a hash nor the name of another branch. go-git then takes an
// older value of the branch, or finds none.
func isBroken(repository *localStore, branch string) bool {
	text, err := util.ReadFile(repository.Filesystem(), plumbing.NewBranchReferenceName(branch).String())
	value := strings.TrimSpace(string(text))
	return err == nil && !strings.HasPrefix(value, "ref: ") && (!plumbing.IsHash(value) || strings.Trim(value, "0") == "")
}

// listBranches adds the branches that are not in a map yet. A listing shows a symbolic branch without a commit.
func listBranches(repository *localStore, into map[string]plumbing.Hash) error {
	all, err := repository.IterReferences()
	if err != nil {
		return err
	}
	return all.ForEach(func(reference *plumbing.Reference) error {
		name := reference.Name().Short()
		if _, there := into[name]; there || !reference.Name().IsBranch() || strings.HasSuffix(name, ".lock") {
			return nil
		}
		resolved, err := storer.ResolveReference(repository, reference.Name())
		if errors.Is(err, plumbing.ErrReferenceNotFound) { // it leads nowhere, or is gone by now
			return nil
		}
		if err == nil {
			into[name] = resolved.Hash()
		}
		return err
	})
}

// NewRepository makes a bare repository in a folder that does not exist, with one branch and a commit without files on
// it: a proposal needs a branch to merge into. It is made beside the folder and renamed, so that neither an error nor a
// kill leaves a part of it in the folder.
func NewRepository(dir, branch string, by Signature, when time.Time) error {
	if err := checkBranch(branch); err != nil {
		return err
	}
	if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: %w", dir, fs.ErrExist)
	}
	part := filepath.Join(filepath.Dir(dir), "."+filepath.Base(dir)+treefs.StageInside)
	err := os.RemoveAll(part) // of a run that was killed
	if err == nil {
		err = makeRepository(part, branch, by, when)
	}
	if err == nil {
		err = os.Rename(part, dir)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("%s: %w", dir, err), os.RemoveAll(part))
	}
	return nil
}

// makeRepository is NewRepository in the folder itself.
func makeRepository(dir, branch string, by Signature, when time.Time) error {
	bare, err := gogit.PlainInitWithOptions(dir, &gogit.PlainInitOptions{Bare: true,
		InitOptions: gogit.InitOptions{DefaultBranch: plumbing.NewBranchReferenceName(branch)}})
	if err != nil {
		return err
	}
	repository, err := gogit.Open(bare.Storer, memfs.New())
	if err != nil {
		return err
	}
	files, err := repository.Worktree()
	if err != nil {
		return err
	}
	_, err = files.Commit("An empty branch, to propose to\n", &gogit.CommitOptions{AllowEmptyCommits: true,
		Author: &object.Signature{Name: by.Name, Email: by.Email, When: when}})
	return err
}
