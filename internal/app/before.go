package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/publish"
	"github.com/airshipit/sipgen/render"
	"github.com/airshipit/sipgen/render/planmd"
	"github.com/airshipit/sipgen/schedule"
)

// Before is the previous tree, with its name for messages.
type Before struct {
	Where string
	Files render.Tree
	// Unsealed is why the decisions of the tree are not as sipgen wrote them, nil if they are.
	Unsealed error
	// Edited are its files that were edited or deleted by hand.
	Edited []EditedFile
	// Committed is the time of the newest commit that changed its hosts, as far as that can be after the hosts were
	// read; zero for a folder that no commit has so, and where the hosts have no time.
	Committed time.Time
	// Commit is the branch's tip in hex, empty for a folder.
	Commit string
	// former: it is the tree of another folder, and only its decisions are used. whole is that tree.
	former bool
	whole  render.Tree
	// others are the files in the tree's folders that sipgen did not write.
	others []string
	// around returns the files next to and above the tree's folders; nil if there is no place for a tree.
	around filesAround
	// kustomization reports whether the branch has a folder with something that kustomize builds; nil if there is no
	// branch.
	kustomization func(folder string) (there, builds bool, err error)
	// elsewhere are the other folders of the branch that have a tree, by the names of their Sites; nil if there is a
	// tree.
	elsewhere map[string][]string
	// folder and branch are where the tree is, for messages; empty for a folder on disk.
	folder, branch string
	// Unowned is why publish takes the place only with --adopt, nil if sipgen wrote its contents.
	Unowned error
	// Adopt: files that were edited by hand are overwritten.
	Adopt bool
	// root is the tree's path in its repository, for commands in messages.
	root string
	// assignments is the sum over the hosts of all clusters that the tree was written with, empty in trees of earlier
	// versions.
	assignments string
	// tip is the branch that has the tree; nil for a folder.
	tip *publish.Snapshot
	// oneList: one list has all of sipgen's files, as in trees of earlier versions.
	oneList bool
}

// Missing reports whether there is a place for the tree, without a tree in it.
func (b *Before) Missing() bool { return b.Where != "" && len(b.Files) == 0 && b.Unsealed == nil }

// Known reports whether there is a tree, so that everything else is new.
func (b *Before) Known() bool { return len(b.Files) > 0 }

// previousOf returns the tree of a place in the given state. root is the place's path in its repository, for commands
// in messages.
func previousOf(where, root string, state *publish.State, committed time.Time) Before {
	return Before{Where: where, Files: state.Tree, Unsealed: seal(where, root, state), Edited: editedIn(state),
		others: state.Others, Committed: committed, root: root, assignments: state.Assignments, oneList: hasOneList(state)}
}

// search finds traces of a tree if the list of sipgen's files is missing.
var search = publish.Search{
	Places: []string{"PLAN.md", "argocd", "claims", "clusters", "flux", "hosts", "policy", "rights", "runner", "site"},
	Marked: render.IsRendered,
}

// below returns the place of a file in a folder, or in a repository, which may be a URL with two slashes.
func below(where, name string) string {
	if strings.Contains(where, "://") {
		return strings.TrimRight(where, "/") + "/" + name
	}
	return path.Join(where, name)
}

// seal compares the decisions of a tree with the list of sipgen's files. With lost, old or foreign decisions, hosts
// would go to other clusters without a release, so no flag skips the check.
func seal(where, root string, state *publish.State) error {
	if errors.Is(state.Unlisted, publish.ErrLineEnds) {
		return refusef("%s: %s: git converted the files at checkout (core.autocrlf, or text in .gitattributes), so none is "+
			"as sipgen wrote it. Clone again with git clone -c core.autocrlf=false -c core.eol=lf", where, state.Unlisted)
	}
	if lists := errors.Join(state.Unlisted, state.Damaged); errors.Is(lists, publish.ErrNewer) {
		return refusef("%s: %s: use the version of sipgen that wrote the tree, in the trailer %s of the newest commit; "+
			"do not restore an older tree, which has older decisions", where,
			strings.TrimPrefix(Flatten(lists)[0].Error(), where+": "), VersionTrailer)
	}
	var problems []error
	add := func(name, format string, args ...any) {
		problems = append(problems, fmt.Errorf("%s: %s", below(where, name), fmt.Sprintf(format, args...)))
	}
	for _, name := range state.Missing {
		if render.IsAssignments(name) {
			add(name, "missing, but listed in %s", publish.OwnershipFile)
		}
	}
	for _, name := range state.Edited {
		if render.IsAssignments(name) {
			add(name, "edited since sipgen wrote it: its content does not match %s", publish.OwnershipFile)
		}
	}
	inside := sitesInside(state.Others)
	for _, name := range state.Others {
		switch {
		case isBelow(name, inside):
		case !render.IsAssignments(name) && render.HostsOf(name) == "":
		case state.Unlisted != nil:
			add(name, "maybe not sipgen's: %s, the list of sipgen's files, is missing or damaged",
				publish.OwnershipFile)
		default:
			add(name, "not listed in %s: sipgen did not write it, or the list belongs to another version of the tree",
				publish.OwnershipFile)
		}
	}
	if len(problems)+len(inside) == 0 && len(state.Traces) > 0 {
		// Its decisions went with the list: with an empty place they would be forgotten.
		add(state.Traces[0], "rendered by sipgen, but %s, the list of sipgen's files, is missing or damaged, "+
			"and so are its decisions", publish.OwnershipFile)
	}
	effect := moves
	if len(problems) == 0 {
		effect = "sipgen cannot tell its own files"
	}
	for _, damaged := range Flatten(state.Damaged) {
		problems = append(problems, fmt.Errorf("%s/%s", strings.TrimRight(where, "/"), damaged))
	}
	for _, name := range unnamedLists(state.Others) {
		add(name, "not named in %s: sipgen did not write it there", publish.OwnershipFile)
	}
	nested := refuseSitesInside(where, root, inside)
	if len(problems) == 0 {
		return errors.Join(nested...)
	}
	problems = append(nested, problems...)
	if errors.Is(state.Unlisted, publish.ErrOwnership) {
		problems = append([]error{fmt.Errorf("%s: %s", where, state.Unlisted)}, problems...)
	}
	return errors.Join(append(problems, refusal(root, effect))...)
}

// moves is what an unsealed decision does.
const moves = "hosts would change hands without being released"

// refusal says what would happen, and the way back.
func refusal(root, effect string) error {
	return refusef("%s; restore the tree in %s from the newest commit in which it is as its %s has it: "+
		"sipgen help runbook restore-the-tree has the commands", effect, folderOrRoot(root), publish.OwnershipFile)
}

// ReadFolder returns the tree in a folder. With adopt, a foreign folder is an empty tree. hostsRead is when the hosts
// were read; zero: unknown, or of no interest.
func ReadFolder(ctx context.Context, dir string, adopt bool, hostsRead time.Time) (Before, error) {
	state, err := publish.ReadState(ctx, dir, search)
	if err != nil {
		return Before{}, err
	}
	tree := previousOf(dir, dir, state, time.Time{})
	if !hostsRead.IsZero() {
		tree.Committed = publish.FolderChange(ctx, dir, state.Tree, hostsRead, render.IsAboutHosts)
	}
	tree.around, tree.Adopt = inFolder(dir), adopt
	if tree.Unsealed == nil && !adopt {
		return tree, state.Unlisted
	}
	return tree, nil
}

// ReadSnapshot returns the tree of a branch. A folder with other files is an empty tree. hostsRead is when the hosts
// were read; zero: unknown.
func ReadSnapshot(ctx context.Context, target publish.Target, snapshot *publish.Snapshot,
	hostsRead time.Time) (Before, error) {
	target.Proposal = "" // the tree is the branch's
	site, above, err := snapshot.SitesAbove()
	if err == nil {
		err = refuseInside(site, above)
	}
	if err != nil {
		return Before{}, fmt.Errorf("%s: %w", target, err)
	}
	state, err := snapshot.State(ctx, search)
	if err != nil {
		return Before{}, fmt.Errorf("%s: %w", target, err)
	}
	tree := previousOf(target.String(), target.Path, state, snapshot.LastChange(ctx, hostsRead, render.IsAboutHosts))
	tree.Commit, tree.around = snapshot.Commit, onBranch(target, snapshot)
	tree.folder, tree.branch = cmp.Or(target.Path, "."), target.Branch
	tree.kustomization, tree.tip = snapshot.HasKustomization, snapshot
	if tree.Missing() {
		if tree.elsewhere, err = sitesElsewhere(ctx, snapshot); err != nil {
			return Before{}, fmt.Errorf("%s: %w", target, err)
		}
	}
	if err := snapshot.CheckOwned(); err != nil {
		tree.Unowned = fmt.Errorf("%s: %w", target, err)
	}
	return tree, nil
}

// sitesElsewhere returns the other folders of a branch that have a tree, by the names of their Sites.
func sitesElsewhere(ctx context.Context, snapshot *publish.Snapshot) (map[string][]string, error) {
	pages, err := snapshot.Elsewhere(ctx, "PLAN.md")
	folders := map[string][]string{}
	for _, folder := range slices.Sorted(maps.Keys(pages)) {
		site := planmd.SiteOf(pages[folder])
		folders[site] = append(folders[site], folder)
	}
	return folders, err
}

// MovedFrom returns the tree of a new folder with the decisions of another folder's tree: the assigned hosts and
// their addresses. Nothing else is taken from there, because it may be for another engine. A folder that has a tree
// keeps its own decisions.
func (b Before) MovedFrom(ctx context.Context, dir string, hostsRead time.Time) (_ Before, moved bool, err error) {
	if len(b.Files) > 0 || b.Unsealed != nil {
		return b, false, nil
	}
	before, err := ReadFolder(ctx, dir, false, hostsRead)
	if err != nil {
		return b, false, fmt.Errorf("--from: %w", err)
	}
	if len(before.Files) == 0 && before.Unsealed == nil {
		return b, false, fmt.Errorf("--from: %s: there is no tree: want the folder that the tree was in before", dir)
	}
	before.whole = maps.Clone(before.Files)
	maps.DeleteFunc(before.Files, func(name string, _ []byte) bool { return !render.IsAssignments(name) })
	before.former, before.others, before.around, before.Edited = true, b.others, b.around, nil // it stays as it is
	before.oneList = false
	return before, true, nil
}

// compared returns the tree that had the clusters' files, which are the same for each engine.
func (b *Before) compared() render.Tree {
	if b.former {
		return b.whole
	}
	return b.Files
}

// Previous returns the decisions of the tree.
func (b *Before) Previous(site *v1alpha1.Site) (claims schedule.Previous, err error) {
	if b.former {
		claims, err = render.Former(b.Where, b.Files, site)
	} else {
		claims, err = render.Previous(b.Where, b.Files, site)
	}
	if err == nil && b.Unsealed == nil && b.assignments != "" && b.assignments != render.SharedIn(claims.Claims).Sum() {
		err = errors.Join(fmt.Errorf("%s: its clusters have other hosts than when it was written: a cluster's folder, "+
			"or the list, is of another commit", below(b.Where, publish.OwnershipFile)), refusal(b.root, moves))
	}
	return claims, err
}
