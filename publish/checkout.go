package publish

import (
	"container/heap"
	"context"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/go-git/go-billy/v5/util"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/plumbing/storer"
)

// FolderChange is Snapshot.LastChange for a folder of a git checkout: it returns the time of the newest commit that
// changed the files that concern the caller to what the tree, which lies in the folder, has of them. The folder may
// have an older tree than HEAD has, as where a branch is rendered again on the tree of its base. So all commits that
// lead to HEAD, and to MERGE_HEAD while a merge is under way, are looked at, and a merge changes what none of its
// parents has. A commit is no older than its parents.
//
// A change more than a day before since is not looked for: the result is then the time of some commit that has the
// files so, and is older. It is zero, unknown, if the folder is in no checkout, if no commit has the files so, and
// where the history ends before one is found: in a shallow clone, or beyond 5,000 commits. At its end a commit that has
// the files so changed them.
func FolderChange(ctx context.Context, dir string, tree Tree, since time.Time,
	concerns func(name string) bool) time.Time {
	full, err := filepath.Abs(dir)
	if err == nil {
		full, err = filepath.EvalSymlinks(full)
	}
	if err != nil {
		return time.Time{}
	}
	top, found := findCheckout(full)
	if !found {
		return time.Time{}
	}
	below, err := filepath.Rel(top, full)
	if err != nil {
		return time.Time{}
	}
	store, err := openRepository(top)
	if err != nil {
		return time.Time{}
	}
	if below == "." {
		below = ""
	}
	walk := &folderWalk{store: store, path: filepath.ToSlash(below), concerns: concerns,
		oldest: since.Add(-clockSkew), sums: map[folderMatch]plumbing.Hash{}, same: map[plumbing.Hash]bool{}}
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(tree)), func(name string) bool { return !concerns(name) })
	walk.want = walk.sumOf(tree, names, "")
	when, err := walk.newest(ctx, heads(store))
	if err != nil {
		return time.Time{}
	}
	return when
}

// heads returns the commits that are checked out, and those that are being merged.
func heads(store *localStore) (found []plumbing.Hash) {
	if head, err := storer.ResolveReference(store, plumbing.HEAD); err == nil {
		found = append(found, head.Hash())
	}
	text, _ := util.ReadFile(store.Filesystem(), "MERGE_HEAD") // without a merge there is none
	for _, line := range strings.Fields(string(text)) {
		if plumbing.IsHash(line) {
			found = append(found, plumbing.NewHash(line))
		}
	}
	return found
}

// folderWalk looks for the commit that changed some files of a folder to what they are now.
type folderWalk struct {
	store    storer.EncodedObjectStorer
	path     string // of the folder in the repository
	concerns func(string) bool
	oldest   time.Time                     // older changes are not looked for
	want     plumbing.Hash                 // of the files that concern the caller
	same     map[plumbing.Hash]bool        // whether a commit's tree has the files so
	sums     map[folderMatch]plumbing.Hash // by tree, and its name with a slash
}

// newest returns the time of the newest commit that changed the files to what is wanted.
func (w *folderWalk) newest(ctx context.Context, tips []plumbing.Hash) (when time.Time, err error) {
	seen := map[plumbing.Hash]bool{}
	var queue commitHeap
	add := func(commit *object.Commit) {
		if !seen[commit.Hash] {
			seen[commit.Hash] = true
			heap.Push(&queue, commit)
		}
	}
	for _, tip := range tips {
		commit, err := object.GetCommit(w.store, tip)
		if err != nil {
			return time.Time{}, err
		}
		add(commit)
	}
	for range historyLimit {
		// A commit of a slow clock may hide a newer one behind it.
		if len(queue) == 0 || queue[0].Committer.When.Before(when.Add(-clockSkew)) {
			return when, ctx.Err()
		}
		commit := heap.Pop(&queue).(*object.Commit)
		has, err := w.has(commit)
		if err != nil || ctx.Err() != nil {
			return time.Time{}, errors.Join(err, ctx.Err())
		}
		changed, since := has, commit.Committer.When
		for _, hash := range commit.ParentHashes {
			parent, err := object.GetCommit(w.store, hash)
			if errors.Is(err, plumbing.ErrObjectNotFound) && has {
				continue // the history ends
			}
			if err != nil {
				return time.Time{}, err
			}
			same, err := w.has(parent)
			if err != nil {
				return time.Time{}, err
			}
			changed, since = changed && !same, later(since, parent.Committer.When)
			add(parent)
		}
		changed = changed || has && since.Before(w.oldest)
		if changed {
			when = later(when, since)
		}
	}
	return time.Time{}, errors.New("too many commits")
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// has reports whether a commit has the files as they are wanted.
func (w *folderWalk) has(commit *object.Commit) (bool, error) {
	if same, ok := w.same[commit.TreeHash]; ok {
		return same, nil
	}
	site, err := siteTree(w.store, commit.TreeHash, w.path)
	if err != nil && !errors.Is(err, ErrTaken) {
		return false, err
	}
	sum, err := w.sum(site, "")
	w.same[commit.TreeHash] = sum == w.want
	return sum == w.want, err
}

// sum returns a sum over the files below a tree that concern the caller, and their names; zero for none.
func (w *folderWalk) sum(tree plumbing.Hash, below string) (plumbing.Hash, error) {
	if tree.IsZero() {
		return tree, nil
	}
	key := folderMatch{tree, below}
	if sum, ok := w.sums[key]; ok {
		return sum, nil
	}
	folder, err := object.GetTree(w.store, tree)
	if err != nil {
		return plumbing.ZeroHash, err
	}
	var lines []string
	for _, entry := range folder.Entries {
		hash := entry.Hash
		switch {
		case entry.Mode == filemode.Dir:
			if hash, err = w.sum(entry.Hash, below+entry.Name+"/"); err != nil {
				return plumbing.ZeroHash, err
			}
		case !w.concerns(below + entry.Name):
			continue
		}
		lines = append(lines, sumLine(entry.Name, hash)...)
	}
	w.sums[key] = sumLines(lines)
	return w.sums[key], nil
}

// sumOf is sum for files that are not in git, by their sorted names.
func (w *folderWalk) sumOf(tree Tree, names []string, below string) plumbing.Hash {
	var lines []string
	for len(names) > 0 {
		first, _, folder := strings.Cut(names[0][len(below):], "/")
		n, hash := 1, plumbing.ComputeHash(plumbing.BlobObject, tree[names[0]])
		if inside := below + first + "/"; folder {
			for n < len(names) && strings.HasPrefix(names[n], inside) {
				n++
			}
			hash = w.sumOf(tree, names[:n], inside)
		}
		lines, names = append(lines, sumLine(first, hash)...), names[n:]
	}
	return sumLines(lines)
}

func sumLine(name string, hash plumbing.Hash) []string {
	if hash.IsZero() {
		return nil
	}
	return []string{name + "\x00" + hash.String()}
}

func sumLines(lines []string) plumbing.Hash {
	if len(lines) == 0 {
		return plumbing.ZeroHash
	}
	slices.Sort(lines)
	return plumbing.ComputeHash(plumbing.BlobObject, []byte(strings.Join(lines, "\x00")))
}

// commitHeap has the newest commit first.
type commitHeap []*object.Commit

func (h commitHeap) Len() int           { return len(h) }
func (h commitHeap) Less(a, b int) bool { return h[a].Committer.When.After(h[b].Committer.When) }
func (h commitHeap) Swap(a, b int)      { h[a], h[b] = h[b], h[a] }
func (h *commitHeap) Push(x any)        { *h = append(*h, x.(*object.Commit)) }
func (h *commitHeap) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}
