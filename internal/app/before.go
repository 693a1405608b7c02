package app

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"time"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/publish"
	"github.com/airshipit/sipgen/render"
	"github.com/airshipit/sipgen/schedule"
)

// Before is a tree as it was, and what it is called in messages.
type Before struct {
	Where string
	Files render.Tree
	// Unsealed is why its decisions are not those that sipgen wrote, nil if they are.
	Unsealed error
	// Edited are its files that are not as sipgen wrote them.
	Edited []EditedFile
	// Committed is when it was committed, zero for a folder.
	Committed time.Time
	// former: it is the tree of another folder, of which only the decisions are here.
	former bool
	// others are the files in the tree's folders that sipgen did not write.
	others []string
	// around gives the files beside the tree's folders and above them; nil where there is no place for a tree.
	around filesAround
	// Unowned is why publish takes the place only with --adopt, nil if sipgen wrote what is there.
	Unowned error
}

// Missing: there is a place for the tree, and nothing of a tree in it.
func (b *Before) Missing() bool { return b.Where != "" && len(b.Files) == 0 && b.Unsealed == nil }

// Known: there is a tree, so that what it does not have is new.
func (b *Before) Known() bool { return len(b.Files) > 0 }

// previousOf is the tree of a place in the given state. root is the place's path in its repository, for the way back.
func previousOf(where, root string, state *publish.State, committed time.Time) Before {
	return Before{Where: where, Files: state.Tree, Unsealed: seal(where, root, state), Edited: editedIn(state),
		others: state.Others, Committed: committed}
}

// search is what tells that a tree was at a place, where the list of what sipgen wrote does not.
var search = publish.Search{
	Places: []string{"PLAN.md", "argocd", "claims", "clusters", "flux", "hosts", "policy", "rights", "runner", "site"},
	Marked: render.IsRendered,
}

// seal holds the decisions in a tree to the list that sipgen wrote beside them. Decisions that are lost, older or not
// sipgen's would hand hosts to others that were never released, and so there is no flag that goes on all the same.
func seal(where, root string, state *publish.State) error {
	var problems []error
	add := func(name, format string, args ...any) {
		problems = append(problems, fmt.Errorf("%s: %s", path.Join(where, name), fmt.Sprintf(format, args...)))
	}
	for _, name := range state.Missing {
		if render.IsAssignments(name) {
			//guard: claims are forgotten with a deleted file, and the hosts go to others
			add(name, "missing, but listed in %s", publish.OwnershipFile)
		}
	}
	for _, name := range state.Edited {
		if render.IsAssignments(name) {
			//guard: an older assignments.yaml is obeyed, and hosts change hands without being released
			add(name, "edited since sipgen wrote it: its content does not match %s", publish.OwnershipFile)
		}
	}
	for _, name := range state.Others {
		switch {
		case !render.IsAssignments(name) && render.HostsOf(name) == "":
		case state.Unlisted != nil:
			//guard: with the list deleted a running tree is an empty one: all hosts look free
			add(name, "not known to be sipgen's: %s, which lists what sipgen wrote, is missing or damaged",
				publish.OwnershipFile)
		default:
			//guard: decisions that sipgen did not write are not noticed beside those that it did
			add(name, "not listed in %s: sipgen did not write it, or the list belongs to another version of the tree",
				publish.OwnershipFile)
		}
	}
	//guard: with the decisions and the list deleted a running tree is an empty one: all hosts look free
	if len(problems) == 0 && len(state.Traces) > 0 {
		// Its decisions went with the list: to take the place for an empty one would forget them.
		add(state.Traces[0], "rendered by sipgen, but %s, which lists what sipgen wrote, is missing or damaged, "+
			"and so are its decisions", publish.OwnershipFile)
	}
	if len(problems) == 0 {
		return nil
	}
	if errors.Is(state.Unlisted, publish.ErrOwnership) {
		problems = append([]error{fmt.Errorf("%s: %s", where, state.Unlisted)}, problems...)
	}
	return errors.Join(append(problems, fmt.Errorf(
		"refused: hosts would change hands without being released; restore %s and %s together, "+
			"from the newest commit in which they match: sipgen help runbook restore-the-tree has the commands",
		path.Join(root, "clusters"), path.Join(root, publish.OwnershipFile)))...)
}

// ReadFolder gives the tree in a folder. With adopt a folder that is not sipgen's is an empty one.
func ReadFolder(ctx context.Context, dir string, adopt bool) (Before, error) {
	state, err := publish.ReadState(ctx, dir, search)
	if err != nil {
		return Before{}, err
	}
	tree := previousOf(dir, dir, state, time.Time{})
	tree.around = inFolder(dir)
	if tree.Unsealed == nil && !adopt {
		//guard: a folder of somebody else is read as an empty tree
		return tree, state.Unlisted
	}
	return tree, nil
}

// ReadSnapshot gives the tree of a branch. A folder of it that holds other files is an empty tree.
func ReadSnapshot(target publish.Target, snapshot *publish.Snapshot) (Before, error) {
	state, err := snapshot.State(search)
	if err != nil {
		return Before{}, fmt.Errorf("%s: %w", target, err)
	}
	tree := previousOf(target.String(), target.Path, state, snapshot.When)
	tree.around = onBranch(target, snapshot)
	if err := snapshot.CheckOwned(); err != nil {
		tree.Unowned = fmt.Errorf("%s: %w", target, err)
	}
	return tree, nil
}

// MovedFrom is the tree of a new folder that goes on from the one in another folder: from whose hosts are, and at
// which addresses. Nothing else is taken from there, for it may have been made for another engine. A folder that has
// a tree goes on from that.
func (b Before) MovedFrom(ctx context.Context, dir string) (_ Before, moved bool, err error) {
	//guard: the old tree decides instead of the one that is there
	if len(b.Files) > 0 || b.Unsealed != nil {
		return b, false, nil
	}
	before, err := ReadFolder(ctx, dir, false)
	if err != nil {
		return b, false, fmt.Errorf("--from: %w", err)
	}
	//guard: a misspelt folder is taken for one that decided nothing
	if len(before.Files) == 0 && before.Unsealed == nil {
		return b, false, fmt.Errorf("--from: %s: there is no tree: want the folder that the tree was in before", dir)
	}
	maps.DeleteFunc(before.Files, func(name string, _ []byte) bool { return !render.IsAssignments(name) })
	before.former, before.others, before.around, before.Edited = true, b.others, b.around, nil // it stays as it is
	return before, true, nil
}

// Previous are the decisions in the tree.
func (b *Before) Previous(site *v1alpha1.Site) (schedule.Previous, error) {
	if b.former {
		return render.Former(b.Where, b.Files, site)
	}
	return render.Previous(b.Where, b.Files, site)
}
