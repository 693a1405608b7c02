package publish

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"

	"github.com/airshipit/sipgen/internal/text"
)

// overwriteError names the commits that would be lost, newest first.
type overwriteError struct {
	commits []string
	// files are those of them that sipgen did not write, each the first of a commit that is otherwise its own.
	files []string
	// folder is where one of them has a proposal of sipgen's for another path; there is none: empty.
	folder string
}

// namedCommits is how many commits an overwriteError names, and mostCommits how many it counts.
const (
	namedCommits = 3
	mostCommits  = 100
)

func (o *overwriteError) Error() string {
	what := text.Plural(len(o.commits), "commit", "commits") + " that sipgen did not write"
	switch {
	case o.folder != "":
		what = fmt.Sprintf("a proposal for %s, and each site needs a branch of its own", o.folder)
	case len(o.commits) > mostCommits:
		what = fmt.Sprintf("more than %d commits that sipgen did not write", mostCommits)
	}
	named := strings.Join(o.commits[:min(namedCommits, len(o.commits))], ", ")
	if len(o.commits) > namedCommits {
		named += ", …"
	}
	return fmt.Sprintf("the branch has %s: %s; nothing is pushed", what, named)
}

// OnlyFiles gives, for an ErrOverwrite, the files that sipgen did not write in commits that are otherwise its own, one for each commit; nil if anything else would
// be lost too. Among them is a file that another run committed next to the tree (Meta.ExtraFiles) and this run does not.
func OnlyFiles(err error) []string {
	var o *overwriteError
	//guard: whoever left out a flag is told to give it again where a reviewer's commit would be lost
	if !errors.As(err, &o) || len(o.files) != len(o.commits) {
		return nil
	}
	return o.files
}

func (o *overwriteError) Is(target error) bool { return target == ErrOverwrite }

// checkOverwrite refuses to replace a proposal that has more in it than sipgen's own. Its commits are those that the base
// does not have. A commit is sipgen's if it carries one of the trailers, where there are any, and everything new in it is on an intact
// OwnershipFile that is new with it, in the target's path, or is one of the extra files. Nothing is lost with a commit that
// changes nothing either, and with a merge in which nothing is new.
func (r *remote) checkOverwrite(ctx context.Context, base *Snapshot, meta Meta) error {
	if base.proposed == nil {
		return nil
	}
	store, err := r.fetchProposed(ctx, base)
	if err != nil {
		return fmt.Errorf("reading the commits of the branch: %w", err)
	}
	proposed := &proposedCommits{store: store, path: r.target.Path, meta: meta, files: map[plumbing.Hash]map[string]plumbing.Hash{}}
	found, err := proposed.others(base.old)
	if err != nil || len(found.commits) == 0 {
		return err
	}
	return found
}

// fetchProposed gets the objects that lead from the proposal and not from the base: a few, whatever else is in the repository.
func (r *remote) fetchProposed(ctx context.Context, base *Snapshot) (*fetched, error) {
	session, err := r.openSession(ctx)
	if err != nil {
		return nil, err
	}
	defer session.close()
	name := plumbing.NewBranchReferenceName(base.branch).String()
	//guard: a proposal that somebody pushes to meanwhile ends the run, and nobody looks again
	if session.advertised == nil || session.advertised.References[name] != base.old {
		return nil, fmt.Errorf("%w since it was read", ErrConflict)
	}
	store := newFetched()
	return store, r.explain(r.fetch(ctx, session, store, wanted{objects: []plumbing.Hash{base.old}, have: []plumbing.Hash{base.tip}}))
}

// proposedCommits is what a proposal has beside the base. What is not in the store, the base's history has.
type proposedCommits struct {
	store *fetched
	path  string
	meta  Meta
	files map[plumbing.Hash]map[string]plumbing.Hash // by root tree: files that are new, by their paths
}

func (p *proposedCommits) has(hash plumbing.Hash) bool {
	return p.store.HasEncodedObject(hash) == nil
}

// others gives the commits that are not sipgen's.
func (p *proposedCommits) others(tip plumbing.Hash) (*overwriteError, error) {
	found := &overwriteError{}
	seen := map[plumbing.Hash]bool{tip: true}
	for next := []plumbing.Hash{tip}; len(next) > 0 && len(found.commits) <= mostCommits; next = next[1:] {
		if !p.has(next[0]) {
			continue
		}
		commit, err := object.GetCommit(p.store, next[0])
		if err != nil {
			return nil, fmt.Errorf("commit %s: %w", next[0], err)
		}
		lost, err := p.lost(commit)
		if err != nil {
			return nil, fmt.Errorf("commit %s: %w", commit.Hash, err)
		}
		if lost != nil {
			found.commits = append(found.commits, describe(commit)+lost.why)
			found.folder = cmp.Or(found.folder, lost.folder)
			if lost.file != "" {
				found.files = append(found.files, lost.file)
			}
		}
		for _, parent := range commit.ParentHashes {
			if !seen[parent] {
				seen[parent] = true
				next = append(next, parent)
			}
		}
	}
	return found, nil
}

func describe(commit *object.Commit) string {
	subject, _, _ := strings.Cut(strings.TrimSpace(commit.Message), "\n")
	return fmt.Sprintf("%s %q by %s", commit.Hash.String()[:7], text.Truncate(text.Line(subject), 60), text.Truncate(text.Line(commit.Author.Name), 40))
}

// loss is what would be lost with a commit.
type loss struct {
	why    string // where the commit does not say it by itself
	folder string // that the commit has a proposal for
	file   string // the first that is not sipgen's, in a commit that is
}

// lost gives what sipgen did not write and is lost with a commit, nil if there is nothing.
func (p *proposedCommits) lost(commit *object.Commit) (*loss, error) {
	merge := len(commit.ParentHashes) > 1
	switch {
	case merge:
	case !p.changes(commit):
		return nil, nil
	case !p.marked(commit):
		return &loss{}, nil
	}
	own, err := p.own(commit)
	if err != nil {
		return nil, err
	}
	sealed, err := p.seal(commit, own)
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(own)) {
		folder, is := sealed[name]
		_, extra := p.meta.ExtraFiles[name]
		switch {
		//guard: two sites that share a branch replace each other's proposals
		case is && folder != path.Join(".", p.path):
			return &loss{folder: folderName(folder)}, nil
		//guard: a file that somebody has put into sipgen's own commit is thrown away
		case !is && !extra:
			return &loss{why: fmt.Sprintf(" (edited by hand: %s)", text.Line(name)), file: name}, nil
		}
	}
	if !merge && len(p.meta.Trailers) == 0 && len(sealed) == 0 { // then only its list tells a commit of sipgen's
		return &loss{}, nil
	}
	return nil, nil
}

func folderName(folder string) string {
	if folder == "." {
		return "the repository's root"
	}
	return "the folder " + text.Line(folder)
}

// changes says whether a commit has another tree than its parent.
func (p *proposedCommits) changes(commit *object.Commit) bool {
	if len(commit.ParentHashes) == 0 || !p.has(commit.ParentHashes[0]) {
		return p.has(commit.TreeHash) // the base's history has every tree of its commits
	}
	parent, err := object.GetCommit(p.store, commit.ParentHashes[0])
	return err != nil || parent.TreeHash != commit.TreeHash
}

// marked says whether a commit carries one of the trailers that a commit of this run will.
func (p *proposedCommits) marked(commit *object.Commit) bool {
	//guard: a commit that takes back something of a proposal is taken for sipgen's
	if len(p.meta.Trailers) == 0 {
		return true
	}
	for line := range strings.Lines(commit.Message) {
		key, _, _ := strings.Cut(line, ": ")
		if slices.ContainsFunc(p.meta.Trailers, func(t Trailer) bool { return t.Key == key }) {
			return true
		}
	}
	return false
}

// own is the files that are new with a commit: in none of its parents.
func (p *proposedCommits) own(commit *object.Commit) (map[string]plumbing.Hash, error) {
	all, err := p.newFiles(commit.TreeHash)
	if err != nil {
		return nil, err
	}
	own := maps.Clone(all)
	for _, hash := range commit.ParentHashes {
		if !p.has(hash) {
			continue
		}
		parent, err := object.GetCommit(p.store, hash)
		if err != nil {
			return nil, err
		}
		had, err := p.newFiles(parent.TreeHash)
		if err != nil {
			return nil, err
		}
		maps.DeleteFunc(own, func(name string, blob plumbing.Hash) bool { return had[name] == blob })
	}
	return own, nil
}

// newFiles is the files of a tree that the base's history does not have.
func (p *proposedCommits) newFiles(root plumbing.Hash) (map[string]plumbing.Hash, error) {
	if files, known := p.files[root]; known {
		return files, nil
	}
	files := map[string]plumbing.Hash{}
	var walk func(tree plumbing.Hash, folder string) error
	walk = func(hash plumbing.Hash, folder string) error {
		if !p.has(hash) {
			return nil
		}
		tree, err := object.GetTree(p.store, hash)
		if err != nil {
			return err
		}
		for _, entry := range tree.Entries {
			name := path.Join(folder, entry.Name)
			switch {
			case entry.Mode == filemode.Dir:
				if err := walk(entry.Hash, name); err != nil {
					return err
				}
			case p.has(entry.Hash):
				files[name] = entry.Hash
			}
		}
		return nil
	}
	err := walk(root, "")
	p.files[root] = files
	return files, err
}

// seal gives the folders of the files that are as an intact list says which is new with the commit, and of the list.
func (p *proposedCommits) seal(commit *object.Commit, own map[string]plumbing.Hash) (map[string]string, error) {
	sealed := map[string]string{}
	for name, hash := range own {
		if path.Base(name) != OwnershipFile {
			continue
		}
		content, err := blob(p.store, hash)
		if err != nil {
			return nil, err
		}
		owned, err := parseOwnership(content)
		if err != nil {
			continue
		}
		folder := path.Dir(name)
		files, err := p.asListed(commit, folder, owned)
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			sealed[file] = folder
		}
		if files != nil {
			sealed[name] = folder
		}
	}
	return sealed, nil
}

// asListed gives the files that a list names, as far as they are new, if each of them is as the list has it; else nil.
func (p *proposedCommits) asListed(commit *object.Commit, folder string, sums map[string]string) ([]string, error) {
	here := &commitFiles{store: p.store, root: commit.TreeHash}
	files := []string{}
	for _, listed := range slices.Sorted(maps.Keys(sums)) {
		name := path.Join(folder, listed)
		hash, is, err := p.newBlob(here, name)
		switch {
		case err != nil || !is:
			return nil, err
		case hash.IsZero():
			continue
		}
		content, err := blob(p.store, hash)
		if err != nil {
			return nil, err
		}
		//guard: an edit that was made in sipgen's own commit is thrown away
		if digest(content) == sums[listed] {
			files = append(files, name)
		}
	}
	return files, nil
}

// newBlob gives the blob of a file, zero where the base's history has it, or the folder that it is in. There may be no such file.
func (p *proposedCommits) newBlob(here *commitFiles, name string) (hash plumbing.Hash, is bool, err error) {
	for at := 0; at < len(name); at++ {
		if name[at] != '/' {
			continue
		}
		entry, found, err := here.entry(name[:at])
		if err != nil || !found || entry.Mode != filemode.Dir {
			return plumbing.ZeroHash, false, err
		}
		if !p.has(entry.Hash) {
			return plumbing.ZeroHash, true, nil
		}
	}
	entry, found, err := here.entry(name)
	if err != nil || !found || !entry.Mode.IsFile() {
		//guard: a file that was deleted in sipgen's own commit comes back unseen
		return plumbing.ZeroHash, false, err
	}
	if !p.has(entry.Hash) {
		return plumbing.ZeroHash, true, nil
	}
	return entry.Hash, true, nil
}
