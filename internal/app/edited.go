package app

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/publish"
	"github.com/airshipit/sipgen/render"
)

// EditedFile is a file of a tree that is not as sipgen wrote it: the engine applies it as it is.
type EditedFile struct {
	Path string `json:"path"`
	What string `json:"what"`
}

// What became of it.
const (
	wasEdited  = "edited"
	wasDeleted = "deleted"
)

// mostEdited bounds how many of them are named, each on a line of its own.
const mostEdited = 20

// editedIn are the files of a tree that somebody has edited or deleted, by path. Decisions are not among them:
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

// EditedWords says which files of the tree are not as sipgen wrote them, and what the next commit does to them.
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
		words = append(words, fmt.Sprintf("%s/%s was deleted by hand; it is put back, unless the plan does without it",
			b.Where, f.Path))
	}
	return words
}
