package cmdline

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/airshipit/sipgen/internal/redact"
)

// Output is --output: one of the formats that a command has.
type Output struct {
	Format  string
	formats []string
}

// Flag adds it to a command. The first format is the default.
func (o *Output) Flag(command *cobra.Command, formats ...string) {
	o.formats = formats
	command.Flags().StringVarP(&o.Format, "output", "o", formats[0], "the output format: "+strings.Join(formats, ", "))
	CompleteFlag(command, "output", formats...)
}

// Check refuses a format that the command has not.
func (o *Output) Check() error {
	if slices.Contains(o.formats, o.Format) {
		return nil
	}
	return redact.Errorf("--output: found %q, want %s", o.Format, strings.Join(o.formats, ", "))
}

// ColorFlag adds --color to a command.
func ColorFlag(command *cobra.Command, when *string) {
	command.Flags().StringVar(when, "color", "auto",
		"colors: auto (on a terminal, unless $NO_COLOR is set), always, never")
	CompleteFlag(command, "color", "auto", "always", "never")
}
