package main

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/cmd/sipgen/internal/cmdline"
	"github.com/airshipit/sipgen/cmd/sipgen/internal/push"
	"github.com/airshipit/sipgen/cmd/sipgen/internal/terminal"
	"github.com/airshipit/sipgen/internal/app"
	"github.com/airshipit/sipgen/internal/objdiff"
	"github.com/airshipit/sipgen/internal/objdiff/show"
	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/publish"
)

func newDiff(ui *terminal.UI) *cobra.Command {
	var (
		output cmdline.Output
		color  string
		all    bool

		in     cmdline.Inputs
		out    string
		repo   cmdline.Repository
		losses tolerance
	)
	command := &cobra.Command{
		Use:   "diff [--out DIR | --repo URL]",
		Short: "Show the changes that render or publish would make",
		Long: `Print what render would change in a folder, or publish on a branch (default: the Site's repository),
by object and field, hosts first. Nothing is written. Entirely new folders are summed up; --all
prints their files. -o markdown is short enough for a comment: it counts what does not fit.

Exit codes: 0 no difference; 1 a difference, or a cluster is frozen or lacks hosts; 2 an error, or
render and publish would write nothing. A foreign file, an error of publish, is a warning here.`,
		Example: `  sipgen diff --site site.yaml -f tenants --inventory hosts --out tree
  sipgen diff --site site.yaml -f tenants --inventory hosts --repo fleet.git`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := output.Check(); err != nil {
				return err
			}
			colored, err := ui.Colored(color, os.Getenv)
			if err != nil {
				return err
			}
			if out != "" && repo.URL != "" {
				return errors.New("--out and --repo: use only one of them")
			}
			hosts := hostsOfFleet(&in)
			compared := cmdline.Compared(out, repo, &in)
			ofSite := func(ctx context.Context, ui *terminal.UI, in *cmdline.Inputs) error {
				how, err := losses.of(in)
				if err != nil {
					return err
				}
				read := func(site *v1alpha1.Site, hostsRead time.Time) (app.Before, error) {
					compared := *compared // a Site's own
					return compared.Read(ctx, ui, site, hostsRead)
				}
				loaded, before, err := withTree(ctx, ui, in, hosts, read)
				if err != nil {
					return err
				}
				if len(before.Files) == 0 && before.Unsealed == nil {
					ui.Say("no previous tree: %s has none yet, so all of it is new", before.Where)
				}
				checked, err := tree(ui, loaded, before, how)
				if err != nil {
					return err
				}
				noteHosts(hosts, checked.Plan, refuseForeign(checked.Rendered, &before) == nil)
				warnOfForeign(ui, &before, loaded.Site, checked.Rendered.Tree)
				push.SayChanges(ui, compare(ui, checked.Rendered))
				if err := showDiff(ui, before.Files, checked.Rendered.Tree, output.Format, colored, all); err != nil {
					return err
				}
				return outcome(checked.Plan)
			}
			return eachSite(cmd, ui, &in, output.Format, ofSite, fleetOptions{check: losses.checkFleet, hosts: hosts})
		},
	}
	in.Flags(command)
	in.SelectFlag(command)
	losses.flags(command)
	output.Flag(command, "human", "json", "markdown")
	cmdline.ColorFlag(command, &color)
	repo.Flags(command)
	flags := command.Flags()
	flags.BoolVar(&all, "all", false, "also show each file of a folder that is entirely new, and all of a long -o markdown")
	flags.StringVar(&out, "out", "", "the folder that render writes to")
	return command
}

// showDiff prints what differs, and ends in a finding if anything does.
func showDiff(ui *terminal.UI, before, after map[string][]byte, output string, colored, all bool) error {
	delete(before, publish.OwnershipFile)
	difference, err := objdiff.Compare(before, after)
	if err != nil {
		return err
	}
	switch output {
	case "json":
		err = show.JSON(ui.Out, difference, v1alpha1.APIVersion)
	case "markdown":
		err = show.Markdown(ui.Out, difference, !all)
	default:
		err = show.Human(ui.Out, difference, colored, !all)
	}
	if err != nil {
		return err
	}
	if difference.Empty() {
		ui.Say("no difference")
		return nil
	}
	added, removed, changed := difference.Counts()
	sum := added + removed + changed
	ui.Say("%s: %d added, %d removed, %d changed%s", text.Plural(sum, "file differs", "files differ"), added, removed,
		changed, andList(sum))
	return errFinding
}
