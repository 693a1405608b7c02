package cmdline

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/cmd/sipgen/internal/terminal"
	"github.com/airshipit/sipgen/internal/app"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/publish"
)

// Previous is the flags that name the tree as it was: a folder, or a branch of a repository.
type Previous struct {
	dir string
	git Repository
	// of are the inputs of the run, for the trees of a fleet; nil: each is read for itself.
	of *Inputs
	// compared: the tree is what the next one is compared with, by a flag of its own, and may not be there yet.
	compared bool
}

// Compared returns a tree that the next one is compared with: in a folder, or in a repository if that is empty.
func Compared(dir string, git Repository, of *Inputs) *Previous {
	return &Previous{dir: dir, git: git, of: of, compared: true}
}

// noPrevious is the word for --previous without a tree.
const noPrevious = "none"

// PreviousError: the previous tree is in the Site's repository, which no flag named, and that cannot be read.
type PreviousError struct {
	err error
	// OfFleet: a run of many Sites, which refuses --previous.
	OfFleet bool
}

func (e *PreviousError) Error() string {
	return "the previous tree is in the Site's repository: " + e.err.Error()
}
func (e *PreviousError) Unwrap() error { return e.err }

// Flags are all of them. of are the inputs of a command that reads each tree once; nil: of one that reads them again.
func (p *Previous) Flags(command *cobra.Command, of *Inputs) {
	p.of = of
	command.Flags().StringVar(&p.dir, "previous", "",
		"the previous tree: a `DIR` that sipgen render wrote, or the word none (default: the Site's repository)")
	p.git.Flags(command)
}

// Read returns the previous tree: by default that of the Site's repository, with the Site's branch and folder. If
// there is none, it reports that every host without labels is free. hostsRead is when the hosts were read; zero:
// unknown, or of no interest.
func (p *Previous) Read(ctx context.Context, ui *terminal.UI, site *v1alpha1.Site,
	hostsRead time.Time) (app.Before, error) {
	switch {
	case p.dir != "" && p.git.URL != "" && p.dir == os.Getenv("SIPGEN_PREVIOUS") && p.git.URL == os.Getenv("SIPGEN_REPO"):
		return app.Before{}, errors.New("$SIPGEN_PREVIOUS and $SIPGEN_REPO are both set, and " +
			"each names the previous tree: unset one of them")
	case p.dir != "" && p.git.URL != "":
		return app.Before{}, errors.New("--previous and --repo: use only one of them")
	case p.dir == noPrevious && !p.compared:
		return app.Before{}, nil
	case p.dir != "":
		return p.readFolder(ctx, hostsRead)
	}
	named, given := p.git.URL != "", p.git
	p.git.Defaults(site)
	target, err := p.git.Target()
	if err != nil {
		return app.Before{}, err
	}
	for _, warning := range Unencrypted(target) {
		ui.Say("warning: %s", warning)
	}
	done := ui.Stage("reading " + target.String())
	snapshot, err := p.of.readBranch(ctx, target, given)
	done()
	switch {
	case err != nil && named, err != nil && p.compared:
		return app.Before{}, err
	case err != nil:
		return app.Before{}, &PreviousError{err, p.of != nil && p.of.branches != nil}
	}
	before, err := app.ReadSnapshot(ctx, target, snapshot, hostsRead)
	if err == nil && len(before.Files) == 0 && before.Unsealed == nil && !p.compared {
		ui.Say("no previous tree: %s has none yet", target)
	}
	return before, err
}

// ReadOrWarn is Read for commands that decide nothing: where the Site's repository cannot be read, they go on without
// a previous tree.
func (p *Previous) ReadOrWarn(ctx context.Context, ui *terminal.UI, site *v1alpha1.Site,
	hostsRead time.Time) (app.Before, error) {
	before, err := p.Read(ctx, ui, site, hostsRead)
	if unread := (*PreviousError)(nil); errors.As(err, &unread) {
		ui.Say("warning: %s: continuing without it, so unsynced decisions are unknown", unread)
		return app.Before{}, nil
	}
	return before, err
}

// readFolder returns the tree in the folder that --previous names.
func (p *Previous) readFolder(ctx context.Context, hostsRead time.Time) (app.Before, error) {
	if p.compared {
		return app.ReadFolder(ctx, p.dir, false, hostsRead)
	}
	// A name that is misspelled would make every host a new one.
	about, err := os.Stat(p.dir)
	switch {
	case err != nil:
		return app.Before{}, fmt.Errorf("--previous: %w", manifest.WithoutOperation(p.dir, err))
	case !about.IsDir():
		return app.Before{}, fmt.Errorf("--previous: %s: a file, want the folder of a tree", p.dir)
	case IsRepository(p.dir):
		return app.Before{}, fmt.Errorf("--previous: %s is a git repository: --repo is for that", p.dir)
	}
	tree, err := app.ReadFolder(ctx, p.dir, false, hostsRead)
	switch { // it is only read, so nothing can be adopted
	case errors.Is(err, publish.ErrForeign):
		err = fmt.Errorf("--previous: %s: not a tree that sipgen wrote: it has files, but no %s", p.dir,
			publish.OwnershipFile)
	case err != nil:
		err = fmt.Errorf("--previous: %s", err)
	}
	return tree, err
}
