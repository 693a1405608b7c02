package app

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/airshipit/sipgen/internal/admit"
	"github.com/airshipit/sipgen/internal/finding"
	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/publish"
	"github.com/airshipit/sipgen/render"
)

// EditedFile is a file of a tree that differs from what sipgen wrote. The engine applies it.
type EditedFile struct {
	Path string `json:"path"`
	What string `json:"what"`

	// folder is the cluster's folder whose list has the file, empty for a file of the site.
	folder string
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
	parts := render.Parts(slices.Values(slices.Concat(slices.Collect(maps.Keys(state.Tree)), state.Missing)))
	for _, name := range state.Edited {
		edited = append(edited, EditedFile{name, wasEdited, parts[name]})
	}
	for _, name := range state.Missing {
		edited = append(edited, EditedFile{name, wasDeleted, parts[name]})
	}
	edited = slices.DeleteFunc(edited, func(f EditedFile) bool { return render.IsAssignments(f.Path) })
	slices.SortFunc(edited, func(a, b EditedFile) int { return cmp.Compare(a.Path, b.Path) })
	return edited
}

// overwritten reports whether the next commit writes the file as the plan has it.
func (f *EditedFile) overwritten() bool { return f.folder != "" && !render.IsKept(f.Path) }

// wayBack ends what sipgen says of a file that it does not overwrite by itself.
const wayBack = "restore it (sipgen help runbook edited-file), or overwrite it (--adopt)"

// EditedByHand are findings about the edited files of the tree, and the effect of the next commit on them.
func (b *Before) EditedByHand() []finding.Finding {
	return b.edited(func(*EditedFile) bool { return false })
}

// edited is EditedByHand, where some files stay as they are.
func (b *Before) edited(stays func(*EditedFile) bool) (out []finding.Finding) {
	for i := range b.Edited {
		f := &b.Edited[i]
		words := fmt.Sprintf("was %s by hand: nothing is published until you %s", f.What, wayBack)
		switch {
		case stays(f):
			words = fmt.Sprintf("was %s by hand; it stays as it is until its cluster has left", f.What)
		case !b.Adopt && !f.overwritten() && f.folder != "":
			words = fmt.Sprintf("was %s by hand: its cluster is frozen until you %s", f.What, wayBack)
		case !b.Adopt && !f.overwritten():
		case f.What == wasDeleted:
			words = "was deleted by hand; it is restored, unless the plan does not need it"
		default:
			words = "was edited by hand; the edit is overwritten"
		}
		out = append(out, finding.Finding{Code: finding.Edited, Severity: finding.Warning,
			Object: finding.Ref{Name: b.Where + "/" + f.Path}, Message: words})
	}
	return finding.Fold(out, mostEdited, "files of the tree were edited or deleted by hand")
}

// edited returns the findings about edited files for which no cluster is frozen, and the run is not refused.
func (p *Planned) edited() []finding.Finding {
	b := p.Before
	stays := func(f *EditedFile) bool {
		return !b.Adopt && f.folder != "" && !f.overwritten() && len(p.Clusters.Frozen[render.ClusterOf(f.folder)]) == 0
	}
	b.Edited = slices.DeleteFunc(slices.Clone(b.Edited),
		func(f EditedFile) bool { return !b.Adopt && !f.overwritten() && !stays(&f) })
	return b.edited(stays)
}

// editedToo returns the findings about edited files for which no cluster is frozen: that is one finding for its folder.
func (p *Planned) editedToo() []finding.Finding {
	b := p.Before
	b.Edited = slices.DeleteFunc(slices.Clone(b.Edited), func(f EditedFile) bool {
		return !b.Adopt && f.folder != "" && len(p.Clusters.Frozen[render.ClusterOf(f.folder)]) > 0
	})
	return b.EditedByHand()
}

// tampered returns, for each cluster with an edited file, the problem that freezes it: for one run, if that run
// overwrites all of them. The engine applies its services as they are there.
func (b *Before) tampered() (problems []admit.Problem) {
	if b.Adopt {
		return nil
	}
	files, stay := map[string][]string{}, map[string]bool{}
	for i := range b.Edited {
		f := &b.Edited[i]
		if f.folder != "" {
			files[f.folder] = append(files[f.folder], fmt.Sprintf("%s was %s", f.Path, f.What))
			stay[f.folder] = stay[f.folder] || !f.overwritten()
		}
	}
	for _, folder := range slices.Sorted(maps.Keys(files)) {
		ends := "the next commit undoes that"
		if stay[folder] {
			ends = wayBack
		}
		problems = append(problems, admit.Problems(finding.Edited, render.ClusterOf(folder),
			fmt.Errorf("%s by hand: %s", text.Some(files[folder], 3), ends))...)
	}
	return problems
}

// refuseEdited returns an error for each of the site's own files that was edited.
func (b *Before) refuseEdited() error {
	if b.Adopt {
		return nil
	}
	var problems []error
	for i := range b.Edited {
		if f := &b.Edited[i]; f.folder == "" {
			problems = append(problems, refusef("%s was %s by hand: %s", below(b.Where, f.Path), f.What, wayBack))
		}
	}
	if more := len(problems) - mostEdited; more > 0 {
		problems = append(problems[:mostEdited], refusef("and %s of the site", text.Count(more, "more file")))
	}
	return errors.Join(problems...)
}

// missing are the files that were deleted by hand, for render.Input.
func (b *Before) missing() map[string]bool {
	missing := map[string]bool{}
	for i := range b.Edited {
		if b.Edited[i].What == wasDeleted && !b.Adopt {
			missing[b.Edited[i].Path] = true
		}
	}
	return missing
}

// Lists returns how the lists of sipgen's files are written. Edited files of a frozen cluster stay as they were found.
func (r *Rendered) Lists() publish.Lists {
	before := &r.Plan.Before
	lists := publish.Lists{Assignments: render.SharedOf(r.Tree, r.Plan.Placement).Sum()}
	names := slices.Collect(maps.Keys(r.Tree))
	for i := range before.Edited {
		f := &before.Edited[i]
		if before.Adopt || !render.IsKept(f.Path) || len(r.Plan.Clusters.Frozen[render.ClusterOf(f.folder)]) == 0 {
			continue
		}
		was, there := before.Files[f.Path]
		is, stays := r.Tree[f.Path]
		if there == stays && string(was) == string(is) {
			lists.Edited = append(lists.Edited, f.Path)
			names = append(names, f.Path)
		}
	}
	lists.Parts = render.Parts(slices.Values(names))
	return lists
}

// hasOneList reports whether a tree has one list of all of sipgen's files, as trees of earlier versions have.
func hasOneList(state *publish.State) bool {
	return len(state.Folders) == 0 && len(render.Parts(maps.Keys(state.Tree))) > 0
}
