package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/spf13/cobra"

	"github.com/airshipit/sipgen/cmd/sipgen/internal/cmdline"
	"github.com/airshipit/sipgen/cmd/sipgen/internal/terminal"
	"github.com/airshipit/sipgen/internal/fleet"
	"github.com/airshipit/sipgen/internal/redact"
)

// siteRun is what a command does for one Site. It changes nothing that the runs of other Sites see.
type siteRun func(ctx context.Context, ui *terminal.UI, in *cmdline.Inputs) error

// eachSite runs a command for its Site, or for each Site of a fleet, in the order of their names. A Site's run is what
// it is alone; a Site's error is that Site's, and the others go on (contract 33, 34).
func eachSite(cmd *cobra.Command, ui *terminal.UI, in *cmdline.Inputs, format string, run siteRun,
	options ...fleetOptions) error {
	if !in.Fleet() {
		return run(cmd.Context(), ui, in)
	}
	if slices.Contains(ofOneSite, format) {
		return redact.Errorf("--output: %s is a document about one Site, and --site names a fleet", format)
	}
	sites, err := in.Sites(cmd)
	if err != nil {
		return err
	}
	out := &fleetOutput{ui: ui, format: format}
	var hosts *fleet.Hosts
	for _, option := range options {
		if out.reviews, hosts = option.reviews, option.hosts; option.check == nil {
			continue
		}
		if err := option.check(sites); err != nil {
			return err
		}
	}
	var tally fleet.Tally
	err = planHosts(cmd.Context(), sites, sites, hosts, func(ctx context.Context, site *fleet.Site) *siteOutput {
		done := runSite(ctx, ui, ofFleet(in, site, hosts), site, run)
		if out.replaced() {
			done.out = bytes.Buffer{} // replaced by the review; Reset would keep its memory
		}
		return done
	}, func(done *siteOutput) error {
		tally.Add(done.site.Name, done.code)
		return out.print(done)
	})
	if err == nil && hosts != nil {
		sayShared(ui, hosts)
	}
	return cmp.Or[error](err, out.end(), &fleetError{tally})
}

// fleetOptions are what a command has for a fleet.
type fleetOptions struct {
	// check is about all Sites.
	check func([]fleet.Site) error
	// reviews are of the Sites that are planned; nil: the command has no review.
	reviews *siteReviews
	// hosts are those that the Sites have and assign; nil: the command plans none.
	hosts *fleet.Hosts
}

// sideBySide is how many Sites run at the same time. It bounds the memory of a run, whatever the machine has.
const sideBySide = 4

// inOrder runs at most so many Sites side by side, and hands over what they return in the order of the Sites. A Site
// that waits for its turn counts, so that no more outputs are kept.
func inOrder(ctx context.Context, sites []fleet.Site, most int, run func(context.Context, *fleet.Site) *siteOutput,
	take func(*siteOutput) error) error {
	var running sync.WaitGroup
	free, turns := make(chan struct{}, most), make(chan chan *siteOutput, most)
	ctx, stop := context.WithCancel(ctx)
	defer running.Wait()
	defer stop()
	running.Go(func() {
		defer close(turns)
		for i := range sites {
			select {
			case free <- struct{}{}:
			case <-ctx.Done():
				return
			}
			turn := make(chan *siteOutput, 1)
			turns <- turn
			running.Go(func() { turn <- run(ctx, &sites[i]) })
		}
	})
	for turn := range turns {
		done := <-turn
		if ctx.Err() != nil {
			break
		}
		if err := take(done); err != nil {
			return err
		}
		<-free
	}
	return context.Cause(ctx)
}

// fleetError ends a fleet run with its exit code, after each Site has printed why.
type fleetError struct{ fleet.Tally }

func (e *fleetError) Error() string { return e.String() }

// siteOutput is what a Site's run printed, and its exit code.
type siteOutput struct {
	site     *fleet.Site
	out, err bytes.Buffer
	code     int
	// failure is why the run failed, nil if it did not.
	failure error
}

// runSite runs a command for one Site of a fleet.
func runSite(ctx context.Context, ui *terminal.UI, own *cmdline.Inputs, site *fleet.Site, run siteRun) *siteOutput {
	done := &siteOutput{site: site}
	name := site.Name
	if site.Unread { // the error names its file
		name = ""
	}
	siteUI := ui.OfSite(name, &done.out, &done.err)
	err := run(ctx, siteUI, own)
	switch {
	case err == nil:
	case errors.Is(err, errFinding):
		done.code = exitFinding
	case errors.Is(err, errRefused):
		done.code = exitError
	default:
		done.code, done.failure = exitError, err
		fail(siteUI, err)
	}
	return done
}
