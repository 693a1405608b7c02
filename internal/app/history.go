package app

import (
	"bytes"
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
}

// Unread is a commit that could not be read.
type Unread struct {
	Commit string
	When   time.Time
	Err    error
}

// ReadPast returns the decisions in the commits of a branch. Older ones than since are not looked for, and no more than
// most are read.
func ReadPast(ctx context.Context, snapshot *publish.Snapshot, since time.Time, most int) (*Past, error) {
	past := &Past{}
	files := decisions{}
	walk := publish.Walk{Files: "clusters/*/*/assignments.yaml", Since: since, Most: most}
	older, err := snapshot.History(ctx, walk, func(version *publish.Version) error {
		claims, err := files.read(version.State)
		if err != nil {
			past.Unread = append(past.Unread, Unread{version.Commit, version.When, err})
			past.Older = past.Older || past.Empty()
			return err
		}
		past.Add(&history.Commit{Hash: version.Commit, When: version.When, Message: version.Message, Claims: claims})
		return nil
	})
	past.Unwalked, past.Older = older, past.Older || older != ""
	return past, err
}

// decisions are the files of the commit that was read last, by their paths.
type decisions map[string]decided

type decided struct {
	text   []byte
	claims []schedule.PreviousClaim
	err    error
}

// read returns the claims of a commit, with the checks of a previous tree: its files are as sipgen wrote them.
func (d decisions) read(state *publish.State) (claims []schedule.PreviousClaim, err error) {
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
			file.claims, file.err = assignments.Claims(".", name, text)
			d[name] = file
		}
		problems = append(problems, file.err)
		claims = append(claims, file.claims...)
	}
	return claims, errors.Join(problems...)
}
