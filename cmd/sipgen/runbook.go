package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/airshipit/sipgen/cmd/sipgen/internal/cmdline"
	"github.com/airshipit/sipgen/docs/runbooks"
)

// runbook prints the runbook of the name in args, or a list of all of them.
func runbook(out io.Writer, args []string) error {
	names := runbooks.Names()
	if len(args) == 0 {
		for _, name := range names {
			if _, err := fmt.Fprintf(out, "%-18s  %s\n", name, runbooks.Title(name)); err != nil {
				return err
			}
		}
		return nil
	}
	text, found := runbooks.Text(args[0])
	if !found || len(args) > 1 {
		return &cmdline.UsageError{Command: "help", Err: fmt.Errorf("runbook %q: want one of %s", strings.Join(args, " "), strings.Join(names, ", "))}
	}
	_, err := io.WriteString(out, text)
	return err
}
