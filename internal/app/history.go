package app

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/airshipit/sipgen/internal/history"
	"github.com/airshipit/sipgen/publish"
	"github.com/airshipit/sipgen/render/assignments"
	"github.com/airshipit/sipgen/schedule"
)

// Past is the decisions in the commits of a branch.
type Past struct {
	history.Log
	// Unwalked is why there are older commits that were not read, empty if all were.
	Unwalked string
	// Unread are the commits with decisions that are not as sipgen wrote them: nothing is taken from these.
	Unread []Unread
	// Before are the other Sites that had their trees in the folder before, oldest first. Their hosts do not count.
	Before []string
	// Misdated are the commits that state a time which contradicts others.
	Misdated []Misdated
}

// Misdated is a commit that counts from another time than it states.
type Misdated struct {
	Commit       string
	Stated, When time.Time
}

// unwarned is the largest difference between two clocks that no warning names.
const unwarned = 5 * time.Minute

// Unread is a commit that could not be read.
type Unread struct {
	Commit string
	When   time.Time
	Err    error
}

// ReadPast returns the decisions of the newest tree's Site in the commits of a branch. Older ones than since are not
// looked for, and no more than most are read.
func ReadPast(ctx context.Context, snapshot *publish.Snapshot, since, now time.Time, most int) (*Past, error) {
	past := &Past{}
	files, site := decisions{}, ""
	walk := publish.Walk{Files: "clusters/*/*/assignments.yaml", Since: since, Now: now, Most: most,
		Continues: continues}
	older, err := snapshot.History(ctx, walk, func(version *publish.Version) error {
		whose, claims, err := files.read(version.State)
		if err != nil {
			past.Unread = append(past.Unread, Unread{version.Commit, version.When, err})
			past.Older = past.Older || past.Empty()
			return err
		}
		if whose != "" && site != "" && whose != site {
			past.Before, past.Log = append(past.Before, site), history.Log{Older: past.Older}
		}
		site = cmp.Or(whose, site)
		if version.Stated.Sub(version.When).Abs() > unwarned {
			past.Misdated = append(past.Misdated, Misdated{version.Commit, version.Stated, version.When})
		}
		past.Add(&history.Commit{Hash: version.Commit, When: version.When, Claims: claims})
		return nil
	})
	past.Unwalked, past.Older = older, past.Older || older != ""
	return past, err
}

// continues reports whether a tree is the one that another folder had: of the same site, with a host in common.
func continues(before, after *publish.State) (bool, error) {
	if len(before.Tree) == 0 {
		return false, nil
	}
	was, old, err := decisions{}.read(before)
	if err != nil {
		return false, err
	}
	is, now, err := decisions{}.read(after)
	if err != nil || was != is {
		return false, err
	}
	for i := range now {
		if slices.ContainsFunc(old, func(c schedule.PreviousClaim) bool {
			return c.Host == now[i].Host && c.Cluster == now[i].Cluster
		}) {
			return true, nil
		}
	}
	return false, fmt.Errorf("site %s has no host there that it has here", was)
}

// decisions are the files of the commit that was read last, by their paths.
type decisions map[string]decided

type decided struct {
	text   []byte
	site   string
	claims []schedule.PreviousClaim
	err    error
}

// read returns the claims of a commit, with the checks of a previous tree: its files are as sipgen wrote them. site is
// whose they are, "" without a cluster.
func (d decisions) read(state *publish.State) (site string, claims []schedule.PreviousClaim, err error) {
	var problems []error
	if state.Unlisted != nil {
		problems = append(problems, state.Unlisted)
	}
	for _, list := range []struct {
		names []string
		what  string
	}{
		{state.Missing, "missing, but listed in " + publish.OwnershipFile},
		{state.Edited, "edited since sipgen wrote it: its content does not match " + publish.OwnershipFile},
		{state.Others, "not listed in " + publish.OwnershipFile},
	} {
		for _, name := range list.names {
			problems = append(problems, fmt.Errorf("%s: %s", name, list.what))
		}
	}
	maps.DeleteFunc(d, func(name string, _ decided) bool { return state.Tree[name] == nil })
	for _, name := range slices.Sorted(maps.Keys(state.Tree)) {
		file, known := d[name]
		if text := state.Tree[name]; !known || !bytes.Equal(file.text, text) {
			file = decided{text: text}
			file.site, file.claims, file.err = assignments.Claims(".", name, text)
			d[name] = file
		}
		problems = append(problems, file.err)
		site, claims = cmp.Or(site, file.site), append(claims, file.claims...)
	}
	return site, claims, errors.Join(problems...)
}
