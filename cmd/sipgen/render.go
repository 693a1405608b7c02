package main

import (
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/airshipit/sipgen/publish"
)

func newRender(ui *ui) *cobra.Command {
	var (
		in    inputs
		out   string
		how   rendering
		adopt bool
	)
	command := &cobra.Command{
		Use:   "render --site FILE -f SPECS --inventory HOSTS --out DIR",
		Short: "Write the tree to a folder",
		Long: `Write the tree to a folder. What was in the folder before is the previous tree: its decisions
are kept. Only files that sipgen wrote are changed or deleted, and the new tree replaces the
old one atomically.

If a cluster cannot have all its hosts, nothing is written; with --keep-going the other clusters
are rendered. The exit code is 1 in both cases.`,
		Example: `  sipgen render --site site.yaml -f tenants --inventory hosts --out tree`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if out == "" {
				return errors.New("--out is required: the folder to write to")
			}
			loaded, err := in.load(cmd.Context(), ui)
			if err != nil {
				return err
			}
			before, err := readFolder(cmd.Context(), out, adopt)
			if err != nil {
				return err
			}
			tree, plan, err := loaded.tree(ui, before, how)
			if err != nil {
				return err
			}
			end := ui.progress.stage("writing " + out)
			result, err := publish.WriteDir(cmd.Context(), out, tree, publish.DirOptions{Adopt: adopt})
			end()
			if err != nil {
				return err
			}
			for _, path := range result.Drifted {
				ui.say("warning: %s/%s was edited by hand; the edit is overwritten", out, path)
			}
			loaded.sayAge(ui, time.Now())
			ui.say("%s", plan.Summary())
			ui.say("%s: %d files, %d added, %d changed, %d deleted", out, len(tree), len(result.Added), len(result.Changed), len(result.Deleted))
			return unschedulable(plan)
		},
	}
	in.flags(command)
	how.flags(command)
	flags := command.Flags()
	flags.StringVar(&out, "out", "", "the folder to write to")
	flags.BoolVar(&adopt, "adopt", false, "take over a folder, or files in it, that sipgen did not write")
	return command
}

// sayAge says how old a snapshot is.
func (l *loaded) sayAge(ui *ui, now time.Time) {
	if age := l.age(now); age != "" {
		ui.say("the inventory is %s old (%s)", age, l.hosts.Context)
	}
}
