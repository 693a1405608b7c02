package app

import (
	"cmp"
	"slices"

	"github.com/airshipit/sipgen/internal/finding"
	"github.com/airshipit/sipgen/publish"
	"github.com/airshipit/sipgen/render"
)

// EditedFile is a file of a tree that differs from what sipgen wrote. The engine applies it.
type EditedFile struct {
	Path string `json:"path"`
	What string `json:"what"`
}

// The kinds of edits.
const (
	wasEdited  = "edited"
	wasDeleted = "deleted"
)

// mostEdited is how many of them are named, each on a line of its own.
const mostEdited = 20

// editedIn returns the files of a tree that were edited or deleted by hand, by path. Decisions are not among them:
// without those sipgen refuses the tree.
func editedIn(state *publish.State) (edited []EditedFile) {
	for _, name := range state.Edited {
		edited = append(edited, EditedFile{name, wasEdited})
	}
	for _, name := range state.Missing {
		edited = append(edited, EditedFile{name, wasDeleted})
	}
	edited = slices.DeleteFunc(edited, func(f EditedFile) bool { return render.IsAssignments(f.Path) })
	slices.SortFunc(edited, func(a, b EditedFile) int { return cmp.Compare(a.Path, b.Path) })
	return edited
}

// EditedByHand are findings about the edited files of the tree, and the effect of the next commit on them.
func (b *Before) EditedByHand() (out []finding.Finding) {
	for _, f := range b.Edited {
		words := "was edited by hand; the edit is overwritten"
		if f.What == wasDeleted {
			words = "was deleted by hand; it is restored, unless the plan does not need it"
		}
		out = append(out, finding.Finding{Code: finding.Edited, Severity: finding.Warning, Object: b.Where + "/" + f.Path,
			Message: words})
	}
	return finding.Fold(out, mostEdited, "files of the tree were edited or deleted by hand")
}
