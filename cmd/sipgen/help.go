package main

import (
	"bytes"
	"io"
	"regexp"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/airshipit/sipgen/internal/text"
)

// helpColumns is how wide a line of help is at most.
const helpColumns = 100

// leastHelp is how narrow help is made for a terminal.
const leastHelp = 50

// helpWidth is how wide help is where it is written to.
func helpWidth(out io.Writer) int {
	if width := terminalWidth(out); width > 0 {
		return max(leastHelp, min(width, helpColumns))
	}
	return helpColumns
}

// wrapped has a command's usage as the library writes it, with the flags' lines wrapped: it wraps none. width says how wide.
func wrapped(standard func(*cobra.Command) error, width func() int) func(*cobra.Command) error {
	return func(command *cobra.Command) error {
		out := command.OutOrStderr()
		var usage bytes.Buffer
		command.SetOut(&usage)
		err := standard(command)
		command.SetOut(out)
		flags := command.LocalFlags()
		words := strings.Replace(usage.String(), trimmed(flags.FlagUsages()), trimmed(flags.FlagUsagesWrapped(width())), 1)
		if err != nil {
			return err
		}
		_, err = io.WriteString(out, words)
		return err
	}
}

// narrowed writes help for so many columns: paragraphs are filled anew, and a list of commands goes on below what it says. Commands to copy stay as they are.
func narrowed(help string, width int) string {
	var out, paragraph []string
	end := func() {
		if len(paragraph) > 0 {
			out, paragraph = append(out, text.Fold(strings.Join(paragraph, " "), width, "")), nil
		}
	}
	for line := range strings.SplitSeq(help, "\n") {
		if line != "" && line[0] != ' ' {
			paragraph = append(paragraph, line)
			continue
		}
		end()
		if name := listed.FindString(line); name != "" {
			//guard: in a narrow terminal what a command does looks like another command
			line = text.Fold(line, width, strings.Repeat(" ", len(name)))
		}
		out = append(out, line)
	}
	end()
	return strings.Join(out, "\n")
}

// listed is a line of the list of commands, up to what it says of one.
var listed = regexp.MustCompile(`^  [a-z]+ {2,}`)

func trimmed(text string) string { return strings.TrimRightFunc(text, unicode.IsSpace) }
