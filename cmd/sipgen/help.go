package main

import (
	"bytes"
	"io"
	"strings"
	"unicode"

	"github.com/spf13/cobra"
)

// helpColumns is how wide a line of help is at most.
const helpColumns = 100

// wrapped has a command's usage as the library writes it, with the flags' lines wrapped: it wraps none.
func wrapped(standard func(*cobra.Command) error) func(*cobra.Command) error {
	return func(command *cobra.Command) error {
		out := command.OutOrStderr()
		var usage bytes.Buffer
		command.SetOut(&usage)
		err := standard(command)
		command.SetOut(out)
		flags := command.LocalFlags()
		text := strings.Replace(usage.String(), trimmed(flags.FlagUsages()), trimmed(flags.FlagUsagesWrapped(helpColumns)), 1)
		if err != nil {
			return err
		}
		_, err = io.WriteString(out, text)
		return err
	}
}

func trimmed(text string) string { return strings.TrimRightFunc(text, unicode.IsSpace) }
