package objects

import (
	"sync"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/plumbing/storer"
)

// Trees are the big folders of a store that Files have read lately: the folder of a thousand sites' folders is read for
// each of them. A store embeds it.
type Trees struct {
	keeping sync.Mutex
	kept    map[plumbing.Hash]*object.Tree
	entries int // of these
}

const (
	// bigFolder is how many entries a folder has that is worth its place, and mostKept how many are kept.
	bigFolder, mostKept = 50, 200_000
)

func (t *Trees) trees() *Trees { return t }

// getTree is object.GetTree for who does not change the tree.
func getTree(store storer.EncodedObjectStorer, hash plumbing.Hash) (*object.Tree, error) {
	keeper, keeps := store.(interface{ trees() *Trees })
	if !keeps {
		return object.GetTree(store, hash)
	}
	t := keeper.trees()
	if tree := t.get(hash); tree != nil {
		return tree, nil
	}
	tree, err := object.GetTree(store, hash)
	if err == nil {
		t.keep(tree)
	}
	return tree, err
}

func (t *Trees) get(hash plumbing.Hash) *object.Tree {
	t.keeping.Lock()
	defer t.keeping.Unlock()
	return t.kept[hash]
}

func (t *Trees) keep(tree *object.Tree) {
	n := len(tree.Entries)
	if n < bigFolder || n > mostKept {
		return
	}
	t.keeping.Lock()
	defer t.keeping.Unlock()
	if _, there := t.kept[tree.Hash]; there {
		return
	}
	if t.kept == nil || t.entries+n > mostKept {
		t.kept, t.entries = map[plumbing.Hash]*object.Tree{}, 0
	}
	t.kept[tree.Hash], t.entries = tree, t.entries+n
}
