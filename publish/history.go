package publish

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/plumbing/storer"

	"github.com/airshipit/sipgen/publish/internal/objects"
	"github.com/airshipit/sipgen/publish/internal/treefs"
)

// filesAtOnce is how many files of a history are fetched in one pack.
const filesAtOnce = 500

// Walk is what Snapshot.History reads.
type Walk struct {
	// Files is a pattern of path.Match for the files below Target.Path. Their folders have OwnershipFiles, if they are
	// not on the root's.
	Files string
	// Since: older commits are not looked for. Zero: all are.
	Since time.Time
	// Most is how many commits are read at most.
	Most int
	// Now is the time: commits that state a much later one are misdated. Zero: no time is too late.
	Now time.Time
	// Continues reports whether a folder has the tree that another one had before, by their files: the tree was moved.
	// It is asked about each folder with an OwnershipFile in the commit before the one that put a tree at the path. An
	// error is why that is not known. Nil: no move is followed.
	Continues func(before, after *State) (bool, error)
}

// Version is the files of a Walk in one commit.
type Version struct {
	Commit string
	// When is the time from which the files count: no version's is before that of an older version. It is what the
	// committer stated, unless that contradicts more of the other commits.
	When   time.Time
	Stated time.Time
	// State has nothing but the files of the Walk.
	State *State

	site plumbing.Hash
}

// History calls each with the versions of the files of a walk, the oldest first: that of the oldest commit read, and
// of every commit that changed the folder at Target.Path. It follows first parents, and a tree that was moved to the
// path. A version with the files of the one before is left out, unless each returned an error for that one: its files
// could not be read.
//
// older is why there are older commits that were not read: the walk's limits, a shallow clone, a server that sends all
// files and of which at most 50 commits are read, a folder that the tree may have come from. Empty: all were read.
func (s *Snapshot) History(ctx context.Context, walk Walk, each func(*Version) error) (older string, err error) {
	if s.tip.IsZero() {
		return "", nil
	}
	ctx, stop := s.from.target.withTimeout(ctx)
	defer stop()
	older, err = s.history(ctx, walk, each)
	if err != nil {
		err = s.from.masked(fmt.Errorf("%s: %w", s.from.target, err))
	}
	return older, err
}

func (s *Snapshot) history(ctx context.Context, walk Walk, each func(*Version) error) (string, error) {
	versions, older, err := s.versions(ctx, walk)
	store, fetched := s.files.Store.(*objects.Store)
	for depth := unfilteredLimit; fetched && err == nil && errors.Is(older, plumbing.ErrObjectNotFound); depth *= 10 {
		if refused := s.from.deepen(ctx, store, s.tip, min(depth, walk.Most), true); refused != nil {
			older = s.from.masked(refused)
			break
		}
		if versions, older, err = s.versions(ctx, walk); depth >= walk.Most {
			break
		}
	}
	setTimes(versions, walk.Now)
	if err == nil && fetched {
		err = s.fetchFiles(ctx, store, walk, versions)
	}
	if err == nil {
		err = s.readVersions(ctx, walk, versions, each)
	}
	switch {
	case err != nil || older == nil:
		return "", err
	case errors.Is(older, plumbing.ErrObjectNotFound):
		return "the repository has no older commit: it is a shallow clone", nil
	}
	return older.Error(), nil
}

// versions returns the commits that changed the folder, oldest first, and why there are older ones.
func (s *Snapshot) versions(ctx context.Context, walk Walk) (found []*Version, older, err error) {
	commit, err := object.GetCommit(s.files.Store, s.tip)
	site, folder := s.site, s.path
	for read, before := 1, 0; err == nil; read++ {
		if before++; !commit.Committer.When.Before(walk.Since) {
			before = 0
		}
		version := &Version{Commit: commit.Hash.String(), When: commit.Committer.When,
			Stated: commit.Committer.When, site: site}
		var parent *object.Commit
		switch {
		case len(commit.ParentHashes) == 0:
		case before == slop:
			older = fmt.Errorf("older than %s", walk.Since.UTC().Format(time.RFC3339))
		case read == walk.Most:
			older = fmt.Errorf("at most %d commits are read", walk.Most)
		default:
			parent, older = object.GetCommit(s.files.Store, commit.ParentHashes[0])
		}
		if parent == nil {
			found = append(found, version)
			slices.Reverse(found)
			return found, older, ctx.Err()
		}
		if site, err = siteTree(s.files.Store, parent.TreeHash, folder); errors.Is(err, ErrTaken) {
			err = nil // a file was there
		}
		if err == nil && walk.Continues != nil && s.began(version.site, site) {
			came, unknown, failed := s.origin(ctx, walk, version, parent.TreeHash)
			switch {
			case unknown != nil:
				found = append(found, version)
				slices.Reverse(found)
				return found, unknown, ctx.Err()
			case came != nil:
				site, folder = came.site, came.path
			}
			err = failed
		}
		if site != version.site {
			found = append(found, version)
		}
		commit, err = parent, errors.Join(err, ctx.Err())
	}
	return nil, nil, err
}

// fetchFiles gets the files of versions that the store has not.
func (s *Snapshot) fetchFiles(ctx context.Context, store *objects.Store, walk Walk, versions []*Version) error {
	missing := map[plumbing.Hash]bool{}
	matches := matcher{store: store}
	for _, version := range versions {
		for _, pattern := range []string{walk.Files, OwnershipFile, path.Join(path.Dir(walk.Files), OwnershipFile)} {
			files, _ := matches.in(version.site, pattern) // readVersions has the error
			for _, file := range files {
				if store.HasEncodedObject(file.hash) != nil {
					missing[file.hash] = true
				}
			}
		}
	}
	return s.fetchMissing(ctx, store, missing)
}

func (s *Snapshot) fetchMissing(ctx context.Context, store *objects.Store, missing map[plumbing.Hash]bool) error {
	s.from.asking.Lock()
	defer s.from.asking.Unlock()
	hashes := slices.SortedFunc(maps.Keys(missing), func(a, b plumbing.Hash) int { return bytes.Compare(a[:], b[:]) })
	for some := range slices.Chunk(hashes, filesAtOnce) {
		if err := s.from.explain(s.from.fetch(ctx, nil, store, wanted{objects: some})); err != nil {
			return err
		}
	}
	return nil
}

// readVersions reads the versions' files.
func (s *Snapshot) readVersions(ctx context.Context, walk Walk, versions []*Version, each func(*Version) error) error {
	matches := matcher{store: s.files.Store}
	var last map[string]plumbing.Hash // of the last version that was read; nil: there is none
	texts := map[plumbing.Hash][]byte{}
	for _, version := range versions {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		files := map[string]plumbing.Hash{}
		found, err := matches.in(version.site, walk.Files)
		for _, file := range found {
			files[file.name] = file.hash
		}
		if err == nil && last != nil && maps.Equal(last, files) {
			continue
		}
		read := version.fill(s.files.Store, walk.Files, found, err, texts)
		if each(version) == nil {
			last, texts = files, read
		}
	}
	return nil
}

// fill gives a version the files that were found in it, or why they were not, and returns their texts. texts are those
// of another version, which it may have in common.
func (v *Version) fill(store storer.EncodedObjectStorer, pattern string, found []match, err error,
	texts map[plumbing.Hash][]byte) map[plumbing.Hash][]byte {
	read := map[plumbing.Hash][]byte{}
	for _, file := range found {
		if read[file.hash] = texts[file.hash]; read[file.hash] == nil && err == nil {
			if read[file.hash], err = objects.Blob(store, file.hash); err != nil {
				err = fmt.Errorf("%s: blob %s: %w", file.name, file.hash, err)
			}
		}
	}
	v.State = &State{Tree: Tree{}, Unlisted: err}
	if err == nil {
		for _, file := range found {
			v.State.Tree[file.name] = read[file.hash]
		}
		v.State.Unlisted = v.State.hold(pattern, &objects.Files{Store: store, Root: v.site})
	}
	return read
}

// hold compares the files of a state, which a pattern matches, with the list of sipgen's files. An error is why there
// is no such list.
func (s *State) hold(pattern string, here treefs.Reader) error {
	owned, found, err := treefs.ReadOwned(here)
	switch {
	case err != nil && !errors.Is(err, ErrOwnership):
		return err
	case err == nil && owned.Damaged != nil:
		err = owned.Damaged
	case !found && len(s.Tree) > 0:
		err = fmt.Errorf("%s: %w: there is no such file", OwnershipFile, ErrForeign)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Tree)) {
		if digest, ours := owned.Sums[name]; !ours {
			s.Others = append(s.Others, name)
		} else if treefs.Digest(s.Tree[name]) != digest {
			s.Edited = append(s.Edited, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(owned.Sums)) {
		if _, there := s.Tree[name]; !there && matched(pattern, name) {
			s.Missing = append(s.Missing, name)
		}
	}
	return err
}

func matched(pattern, name string) bool {
	is, err := path.Match(pattern, name)
	return is && err == nil
}

// matcher finds the files of many trees, which have most of their folders in common.
type matcher struct {
	store storer.EncodedObjectStorer
	known map[folderMatch][]match
}

type folderMatch struct {
	tree    plumbing.Hash
	pattern string
}

type match struct {
	name string
	hash plumbing.Hash
}

// in returns the files below a tree that a pattern matches.
func (m *matcher) in(tree plumbing.Hash, pattern string) (found []match, err error) {
	if tree.IsZero() {
		return nil, nil
	}
	key := folderMatch{tree, pattern}
	if found, known := m.known[key]; known {
		return found, nil
	}
	folder, err := object.GetTree(m.store, tree)
	if err != nil {
		return nil, fmt.Errorf("tree %s: %w", tree, err)
	}
	first, rest, deeper := strings.Cut(pattern, "/")
	for _, entry := range folder.Entries {
		if !matched(first, entry.Name) {
			continue
		}
		switch {
		case deeper && entry.Mode == filemode.Dir:
			inside, err := m.in(entry.Hash, rest)
			if err != nil {
				return nil, err
			}
			for _, file := range inside {
				found = append(found, match{entry.Name + "/" + file.name, file.hash})
			}
		case !deeper && (entry.Mode.IsRegular() || entry.Mode == filemode.Executable || entry.Mode == filemode.Deprecated):
			found = append(found, match{entry.Name, entry.Hash})
		}
	}
	if m.known == nil {
		m.known = map[folderMatch][]match{}
	}
	m.known[key] = found
	return found, nil
}
