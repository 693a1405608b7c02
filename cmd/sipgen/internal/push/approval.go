package push

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/airshipit/sipgen/cmd/sipgen/internal/terminal"
	"github.com/airshipit/sipgen/internal/report"
	"github.com/airshipit/sipgen/publish"
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

// SayDangers prints the first dangers of a run that changes files, and counts the others.
func SayDangers(ui *terminal.UI, plan *report.Plan, files []report.File) {
	shown, more := report.FirstDangers(plan, files, terminal.MostLines)
	for _, danger := range shown {
		ui.Say("danger: %s", danger)
	}
	if more != "" {
		ui.Say("danger: and %s; %s", more, report.AllDangers)
	}
}

// Approve prints the dangers of a commit with these changes, and asks. count says how many files they are. Its error
// means that nothing is pushed.
func (a *Approval) Approve(ui *terminal.UI, words *report.Plan, changes []publish.Change, count string) error {
	plan := words.WhySaid() // when the run was found to go on
	dangers := report.Dangers(plan, filesOf(changes))
	said := strings.Join(append(dangers, count), "\n")
	if said == a.approved { // before a rival push
		return nil
	}
	ui.Say("%s", words.Summary())
	SayDangers(ui, plan, filesOf(changes))
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
