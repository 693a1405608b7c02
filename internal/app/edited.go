package app

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/airshipit/sipgen/internal/text"
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

// EditedWords describes the edited files of the tree, and the effect of the next commit on them.
func (b *Before) EditedWords() (words []string) {
	for i, f := range b.Edited {
		if i == mostEdited {
			return append(words, fmt.Sprintf("%s: %s edited or deleted by hand", b.Where,
				text.Plural(len(b.Edited)-i, "more file was", "more files were")))
		}
		if f.What == wasEdited {
			words = append(words, fmt.Sprintf("%s/%s was edited by hand; the edit is overwritten", b.Where, f.Path))
			continue
		}
		words = append(words, fmt.Sprintf("%s/%s was deleted by hand; it is restored, unless the plan does not need it",
			b.Where, f.Path))
	}
	return words
}
