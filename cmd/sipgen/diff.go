package main

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/spf13/cobra"

	"github.com/airshipit/sipgen/publish"
)

func newDiff(ui *ui) *cobra.Command {
	var (
		in   inputs
		out  string
		repo repository
		how  rendering
	)
	command := &cobra.Command{
		Use:   "diff --site FILE -f SPECS --inventory HOSTS [--out DIR | --repo URL]",
		Short: "Show what render or publish would change",
		Long: `Show what render would change in a folder, or publish on a branch (default: the Site's repository), as a unified diff. Nothing is written.

Exit codes: 0 nothing would change; 1 something would; 2 an error.`,
		Example: `  sipgen diff --site site.yaml -f tenants --inventory hosts --out tree
  sipgen diff --site site.yaml -f tenants --inventory hosts --repo fleet.git`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if out != "" && repo.url != "" {
				return errors.New("--out and --repo: want one of them")
			}
			loaded, err := in.load(cmd.Context(), ui)
			if err != nil {
				return err
			}
			if out == "" {
				repo.defaults(loaded.site)
			}
			before, err := (&previous{dir: out, git: repo}).read(cmd.Context(), loaded.site)
			if err != nil {
				return err
			}
			tree, _, err := loaded.tree(ui, before, how)
			if errors.Is(err, errFinding) {
				return errors.New("not compared: a cluster cannot have its hosts; --keep-going compares the others")
			}
			if err != nil {
				return err
			}
			return showDiff(ui, before.files, tree)
		},
	}
	in.flags(command)
	how.flags(command)
	repo.flags(command)
	flags := command.Flags()
	flags.StringVar(&out, "out", "", "the folder that render writes to")
	return command
}

// showDiff prints every file that differs, and ends in a finding if there is one.
func showDiff(ui *ui, before, after map[string][]byte) error {
	changes := publish.Diff(before, after)
	for _, change := range changes {
		from, to := "a/"+change.Path, "b/"+change.Path
		old, isOld := before[change.Path]
		text, isNew := after[change.Path]
		if !isOld {
			from = "/dev/null"
		}
		if !isNew {
			to = "/dev/null"
		}
		body := diff.Diff(from, old, to, text)
		// The library's first line repeats the two names.
		if i := bytes.IndexByte(body, '\n'); bytes.HasPrefix(body, []byte("diff ")) && i >= 0 {
			body = body[i+1:]
		}
		if _, err := fmt.Fprintf(ui.out, "%s", body); err != nil {
			return err
		}
	}
	if len(changes) == 0 {
		ui.say("no difference")
		return nil
	}
	ui.say("%s", plural(len(changes), "file differs", "files differ"))
	return errFinding
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
