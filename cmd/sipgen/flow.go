package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/cmd/sipgen/internal/cmdline"
	"github.com/airshipit/sipgen/cmd/sipgen/internal/push"
	"github.com/airshipit/sipgen/cmd/sipgen/internal/terminal"
	"github.com/airshipit/sipgen/internal/app"
	"github.com/airshipit/sipgen/internal/finding"
	"github.com/airshipit/sipgen/internal/fleet"
	"github.com/airshipit/sipgen/internal/redact"
	"github.com/airshipit/sipgen/internal/release"
	"github.com/airshipit/sipgen/internal/report"
	"github.com/airshipit/sipgen/render"
)

// flow takes the steps from what was loaded to a tree and what speaks against it, without a word.
func flow(ui *terminal.UI, l *app.Loaded, before app.Before, how app.Tolerance) (*app.Checked, error) {
	planned, err := plan(ui, l, before)
	if err != nil {
		return nil, err
	}
	done := ui.Stage("rendering")
	rendered, err := app.Render(planned, how.AcceptLoss)
	done()
	if err != nil {
		return nil, err
	}
	return app.Check(rendered, how), nil
}

// plan is flow, up to the placement.
func plan(ui *terminal.UI, l *app.Loaded, before app.Before) (*app.Planned, error) {
	defer ui.Stage("planning")()
	admitted, err := app.Admit(l, before)
	if err != nil {
		return nil, err
	}
	return app.Plan(admitted)
}

// tree is flow for a tree that is written or compared: it prints the findings, and returns an error if they refuse
// the tree.
func tree(ui *terminal.UI, l *app.Loaded, before app.Before, how app.Tolerance) (*app.Checked, error) {
	checked, err := flow(ui, l, before, how)
	if err != nil {
		return nil, err
	}
	if err := cmp.Or(proceed(ui, checked, how), checked.Rendered.Err); err != nil {
		return checked, err
	}
	for _, word := range checked.Plan.LintErrors() {
		ui.Say("%s", word)
	}
	return checked, nil
}

// proceed prints what was found, and returns the error that ends the run, if something does. A frozen or short cluster
// is a finding.
func proceed(ui *terminal.UI, c *app.Checked, how app.Tolerance) error {
	here := c.Plan.Report.Here()
	problems := here.Problems()
	warnings := sentences(c.Warnings, how.Pushes)
	switch { // where a run goes on, all dangers are printed before something is written
	case c.Refusal == nil && c.Rendered.Err == nil:
	case c.Rendered.Err == nil && here.HasTree:
		push.SayDangers(ui, compare(ui, c.Rendered).Here())
	default: // there is nothing to compare
		for _, danger := range here.Standing() {
			ui.Say("danger: %s", danger)
		}
	}
	for _, problem := range problems {
		ui.Say("%s", problem)
	}
	for _, warning := range warnings {
		ui.Say("warning: %s", warning)
	}
	hintAtSpecs(ui, c.Plan.Clusters.Problems)
	return c.Refusal
}

// publishable is tree for a branch: it returns an error also if a newer version wrote the tree there, others did, or
// the engine would not apply it.
func publishable(ctx context.Context, ui *terminal.UI, l *app.Loaded, before app.Before,
	how app.Tolerance) (*app.Checked, error) {
	checked, err := tree(ui, l, before, how)
	if err == nil {
		err = refuseNewer(ctx, ui, checked, how)
	}
	if err == nil {
		err = refuseForeign(checked.Rendered, &before)
	}
	return checked, err
}

// refuseForeign returns an error if publish refuses a tree for files that sipgen did not write.
func refuseForeign(r *app.Rendered, before *app.Before) error {
	if err := r.RefuseForeign(); err != nil || before.Adopt {
		return err
	}
	return before.Unowned
}

// refuseNewer warns if a newer version of sipgen may have written the tree that changes, and returns the error that
// ends the run if one did.
func refuseNewer(ctx context.Context, ui *terminal.UI, c *app.Checked, how app.Tolerance) error {
	unknown, refusal := c.OtherVersion(ctx, release.Version(), how)
	for _, warning := range sentences(unknown, true) {
		ui.Say("warning: %s", warning)
	}
	return refusal
}

// sentences returns the sentence of each finding; blind includes those that the owners of fields are unknown.
func sentences(findings []finding.Finding, blind bool) (words []string) {
	for i := range findings {
		if blind || findings[i].Code != finding.Blind {
			words = append(words, findings[i].Sentence())
		}
	}
	return words
}

// outcome returns the finding that a cluster is frozen or short, or a spec has an error, where the others were rendered
// all the same.
func outcome(p *app.Planned) error {
	if p.FrozenOrShort() || len(p.LintErrors()) > 0 {
		return errFinding
	}
	return nil
}

// compare returns the report of a tree with what changes in the services that were there before.
func compare(ui *terminal.UI, r *app.Rendered) *report.Plan {
	defer ui.Stage("comparing services")()
	return r.Compare()
}

// noTolerance is that of a command that writes nothing.
var noTolerance = app.Tolerance{AcceptLoss: app.NoAcceptance}

// tolerance is the flags with which a run accepts losses.
type tolerance struct {
	app.Tolerance
	// bySite are the numbers of hosts that Sites of a fleet may lose.
	bySite map[string]int
}

func (t *tolerance) flags(command *cobra.Command) {
	t.AcceptLoss = app.NoAcceptance
	flags := command.Flags()
	flags.Var((*lossFlag)(t), "accept-loss",
		"accept the loss of exactly `N` hosts, above the limit of spec.brake; with the number that the plan prints, replace "+
			"all failed hosts at once; of a fleet SITE=N, may be repeated")
	flags.BoolVar(&t.LostTree, "accept-lost-tree", false,
		"accept that the tree is lost: plan from the hosts' labels alone")
}

// of returns what the run of a Site accepts.
func (t *tolerance) of(in *cmdline.Inputs) (app.Tolerance, error) {
	own := t.Tolerance
	if in.OfFleet == "" {
		if len(t.bySite) > 0 {
			return own, errors.New("--accept-loss: found SITE=N, want N: --site names one Site")
		}
		return own, nil
	}
	if n, given := t.bySite[in.OfFleet]; given {
		own.AcceptLoss = n
	}
	return own, nil
}

// checkFleet refuses a number for all Sites of a fleet, and one for a Site that is not among them.
func (t *tolerance) checkFleet(sites []fleet.Site) error {
	if t.AcceptLoss != app.NoAcceptance {
		return fmt.Errorf("--accept-loss: found %d, which each Site of the fleet would accept: want SITE=%[1]d",
			t.AcceptLoss)
	}
	var names []string
	for i := range sites {
		names = append(names, sites[i].Name)
	}
	for _, name := range slices.Sorted(maps.Keys(t.bySite)) {
		if !slices.Contains(names, name) {
			return redact.Errorf("--accept-loss: found %s=%d, and no such Site is in this run%s", redact.Plain(name),
				t.bySite[name], cmdline.DidYouMean(name, names))
		}
	}
	return nil
}

// lossFlag is --accept-loss: N, or SITE=N.
type lossFlag tolerance

func (l *lossFlag) String() string { return strconv.Itoa(l.AcceptLoss) }

func (*lossFlag) Type() string { return "int" }

func (l *lossFlag) Set(text string) error {
	site, number, ofSite := strings.Cut(text, "=")
	if !ofSite {
		number = text
	}
	n, err := strconv.ParseUint(number, 10, 31)
	before, twice := l.bySite[site]
	switch {
	case err != nil:
		return errors.New("want a whole number of hosts, from 0 on, or SITE=N in a fleet")
	case !ofSite:
		l.AcceptLoss = int(n)
	case twice && before != int(n):
		return fmt.Errorf("want one number for a Site, and it has %d already", before)
	default:
		if l.bySite == nil {
			l.bySite = map[string]int{}
		}
		l.bySite[site] = int(n)
	}
	return nil
}

// sayAge prints the age of a snapshot.
func sayAge(ui *terminal.UI, l *app.Loaded, now time.Time) {
	if age := l.Age(now); age != "" {
		ui.Say("the inventory is %s old (%s)", age, l.Hosts.Context)
	}
}

// warnOfForeign prints what would refuse a tree because of foreign files, where nothing is written.
func warnOfForeign(ui *terminal.UI, before *app.Before, site *v1alpha1.Site, tree render.Tree) {
	for _, problem := range app.Flatten(before.Foreign(site, tree)) {
		ui.Say("warning: %s", problem)
	}
}

// sayOthers reports hosts of other namespaces that were left out.
func sayOthers(ui *terminal.UI, l *app.Loaded) {
	if words := l.OthersWords(); words != "" {
		ui.Say("%s", words)
	}
}
