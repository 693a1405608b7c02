package main

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/airshipit/sipgen/cmd/sipgen/internal/cmdline"
	"github.com/airshipit/sipgen/cmd/sipgen/internal/push"
	"github.com/airshipit/sipgen/cmd/sipgen/internal/terminal"
	"github.com/airshipit/sipgen/internal/app"
	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/publish"
)

func newRender(ui *terminal.UI) *cobra.Command {
	var (
		in        cmdline.Inputs
		out, from string
		losses    tolerance
		adopt     bool
	)
	command := &cobra.Command{
		Use:   "render --out DIR",
		Short: "Write the tree to a folder",
		Long: `Write the tree to a folder. The folder's present content is the previous tree; its assignments are
kept. Only sipgen's files are changed or deleted. The next command completes an interrupted write.

--from takes hosts and addresses from the tree in another folder, to switch to another engine. To
move a tree, use git mv.

A cluster with a wrong spec, or with missing hosts, keeps its hosts and services; the others are
rendered, and the exit code is 1. It is also 1 if standby hosts are missing, or lint finds an
error in a spec.`,
		Example: `  sipgen render --site site.yaml -f tenants --inventory hosts --out tree`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if out == "" {
				return errors.New("--out is required: the folder to write to")
			}
			ctx := cmd.Context()
			how, err := losses.of(&in)
			if err != nil {
				return err
			}
			loaded, err := in.Load(ctx, ui)
			if err != nil {
				return err
			}
			if err := in.CheckOut(out); err != nil {
				return err
			}
			if from == "" { // else the other tree may be the one that this one replaces
				if err := app.CheckFolder(out); err != nil {
					return err
				}
			}
			before, err := app.ReadFolder(ctx, out, adopt, loaded.Hosts.TakenAt)
			if err == nil && from != "" {
				before, err = movedFrom(ctx, ui, before, from, loaded.Hosts.TakenAt)
			}
			if err != nil {
				return err
			}
			checked, err := tree(ui, loaded, before, how)
			if err != nil {
				return err
			}
			if err := checked.Rendered.RefuseForeign(); err != nil {
				return err
			}
			push.SayChanges(ui, compare(ui, checked.Rendered))
			written, err := write(ctx, ui, out, checked.Rendered, adopt)
			if err != nil {
				return err
			}
			sayWritten(ui, checked, out, written)
			return outcome(checked.Plan)
		},
	}
	in.Flags(command)
	losses.flags(command)
	flags := command.Flags()
	flags.StringVar(&out, "out", "", "the folder to write to")
	flags.StringVar(&from, "from", "", "continue from the tree in this `DIR`, made for another engine: --out is new")
	flags.BoolVar(&adopt, "adopt", false, "take over a folder, or files in it, that sipgen did not write")
	return command
}

// write writes the tree to a folder.
func write(ctx context.Context, ui *terminal.UI, out string, r *app.Rendered, adopt bool) (publish.Result, error) {
	defer ui.Stage("writing " + out)()
	return publish.WriteDir(ctx, out, r.Tree, publish.DirOptions{Adopt: adopt, Lists: r.Lists()})
}

// sayWritten reports the written files.
func sayWritten(ui *terminal.UI, c *app.Checked, out string, written publish.Result) {
	sayAge(ui, c.Plan.Loaded, time.Now())
	for i, name := range written.Foreign {
		if i == terminal.MostLines {
			ui.Say("warning: and %s like it", text.Count(len(written.Foreign)-terminal.MostLines, "more file"))
			break
		}
		ui.Say("warning: %s/%s: sipgen did not write the file that was there, and has replaced it (--adopt)", out, name)
	}
	ui.Say("%s", c.Plan.Report.Summary())
	added, changed, deleted := len(written.Added), len(written.Changed), len(written.Deleted)
	ui.Say("%s: %s, %d added, %d changed, %d deleted%s", out, text.Count(len(c.Rendered.Tree), "file"), added, changed,
		deleted, andList(added+changed+deleted))
}

// movedFrom returns the tree whose decisions a new folder takes over.
func movedFrom(ctx context.Context, ui *terminal.UI, before app.Before, from string,
	hostsRead time.Time) (app.Before, error) {
	there, moved, err := before.MovedFrom(ctx, from, hostsRead)
	switch {
	case err != nil:
	case moved:
		ui.Say("no tree in %s yet: continuing with the hosts and addresses of the tree in %s", before.Where, from)
	default:
		ui.Say("%s has a tree, which is the previous one: --from has no effect", before.Where)
	}
	return there, err
}
