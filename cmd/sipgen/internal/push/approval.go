package push

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/airshipit/sipgen/cmd/sipgen/internal/terminal"
	"github.com/airshipit/sipgen/internal/report"
	"github.com/airshipit/sipgen/internal/text"
)

// Approval is the last look at a commit: what it does that a reviewer must not miss, and on a terminal the question
// whether to go on. Of a proposal others decide, who are told the same by the commit and the pull request.
type Approval struct {
	yes, dryRun bool
	// ask: a person is at the terminal, and no review follows.
	ask    bool
	target string
	// approved is the text that was confirmed: after a rival push, an equal one is not asked again.
	approved string
}

func (a *Approval) Flags(command *cobra.Command) {
	flags := command.Flags()
	flags.BoolVarP(&a.yes, "yes", "y", false, "on a terminal: push without asking")
	flags.BoolVar(&a.dryRun, "dry-run", false, "print the commit, and push nothing")
}

// ErrDryRun ends a run that is to push nothing.
var ErrDryRun = errors.New("dry run")

// Begin finds out whether a person at the terminal decides.
func (a *Approval) Begin(ui *terminal.UI, to *Destination) {
	a.target = to.Target.String()
	a.ask = !a.dryRun && !a.yes && to.Target.Proposal == "" && ui.Interactive()
}

// SayDangers prints the first dangers of a run, and counts the others.
func SayDangers(ui *terminal.UI, plan *report.Plan) {
	shown, more := report.FirstDangers(plan, terminal.MostLines)
	for _, danger := range shown {
		ui.Say("danger: %s", danger)
	}
	if more != "" {
		ui.Say("danger: and %s; %s", more, report.AllDangers)
	}
}

// SayChanges prints the dangers of a run, and then what else changes.
func SayChanges(ui *terminal.UI, plan *report.Plan) {
	SayDangers(ui, plan)
	changes := report.Changes(plan)
	for _, change := range changes[:min(len(changes), terminal.MostLines)] {
		ui.Say("change: %s", change)
	}
	if n := len(changes) - terminal.MostLines; n > 0 {
		ui.Say("change: and %s; %s", text.Plural(n, "more change", "more changes"), report.AllDangers)
	}
}

// Approve prints the dangers of a commit, and asks. count says how many files it changes. Its error means that nothing
// is pushed.
func (a *Approval) Approve(ui *terminal.UI, plan *report.Plan, count string) error {
	said := strings.Join(slices.Concat(report.Dangers(plan), report.Changes(plan), []string{count}), "\n")
	return a.approve(ui, said, count, func() {
		ui.Say("%s", plan.Summary())
		SayChanges(ui, plan)
	})
}

// ApproveFleet is Approve for a commit with many Sites.
func (a *Approval) ApproveFleet(ui *terminal.UI, review *report.Review, room report.ReviewRoom, count string) error {
	said := review.Text(room)
	return a.approve(ui, said+count, count, func() {
		for line := range strings.Lines(said) {
			if line = strings.TrimRight(line, "\n"); line != "" {
				ui.Say("%s", line)
			}
		}
	})
}

// approve prints what there is to say, unless it was approved before a rival push, and asks.
func (a *Approval) approve(ui *terminal.UI, said, count string, say func()) error {
	if said == a.approved {
		return nil
	}
	say()
	switch {
	case a.dryRun:
		ui.Say("%s: dry run: %s; nothing is pushed", a.target, count)
		return ErrDryRun
	case a.ask && !ui.Confirm(fmt.Sprintf("%s: %s; push it without a review?", a.target, count)):
		return errors.New("not confirmed, nothing is pushed; --propose BRANCH pushes to a separate branch, " +
			"for a pull request")
	}
	a.approved = said
	return nil
}
