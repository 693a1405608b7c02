package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
	"github.com/spf13/pflag"

	"github.com/airshipit/sipgen/cmd/sipgen/internal/cmdline"
	"github.com/airshipit/sipgen/cmd/sipgen/internal/terminal"
	"github.com/airshipit/sipgen/docs/runbooks"
	"github.com/airshipit/sipgen/internal/release"
)

// helpColumns is how wide a line of help is at most.
const helpColumns = 100

// leastHelp is how narrow help is made for a terminal.
const leastHelp = 50

// helpWidth returns how wide help is where it is written to.
func helpWidth(ui *terminal.UI) int {
	if width := ui.Width(); width > 0 {
		return max(leastHelp, min(width, helpColumns))
	}
	return helpColumns
}

// common are the flags that most commands have. sipgen options has their help.
var common = []string{"site", "filename", "inventory", "kubeconfig", "context", "repo", "branch", "path", "timeout"}

// only returns the flags of a command that are common, and mean what they mean to plan, or those that are not.
func only(command *cobra.Command, isCommon bool) *pflag.FlagSet {
	out := pflag.NewFlagSet("", pflag.ContinueOnError)
	plan, _, err := command.Root().Find([]string{"plan"})
	command.LocalFlags().VisitAll(func(flag *pflag.Flag) {
		same := err == nil && plan.Flags().Lookup(flag.Name) != nil && plan.Flags().Lookup(flag.Name).Usage == flag.Usage
		if (same && slices.Contains(common, flag.Name)) == isCommon {
			out.AddFlag(flag)
		}
	})
	return out
}

func newOptions(ui *terminal.UI) *cobra.Command {
	return &cobra.Command{
		Use:   "options",
		Short: "List the flags that most commands have",
		RunE: func(cmd *cobra.Command, _ []string) error {
			all := pflag.NewFlagSet("", pflag.ContinueOnError)
			for _, command := range cmd.Root().Commands() {
				all.AddFlagSet(only(command, true)) // of one name the first is taken
			}
			_, err := fmt.Fprintf(ui.Out, "Most commands have these flags:\n%s", all.FlagUsagesWrapped(helpWidth(ui)))
			return err
		},
	}
}

// wrapped returns a usage function that wraps the lines of a command's own flags, which the library does not. width
// is the width.
func wrapped(standard func(*cobra.Command) error, width func() int) func(*cobra.Command) error {
	return func(command *cobra.Command) error {
		out := command.OutOrStderr()
		var usage bytes.Buffer
		command.SetOut(&usage)
		err := standard(command)
		command.SetOut(out)
		flags := command.LocalFlags()
		own := trimmed(only(command, false).FlagUsagesWrapped(width()))
		if only(command, true).HasFlags() {
			own += "\n\nsipgen options lists the flags that most commands have."
		}
		words := strings.Replace(usage.String(), trimmed(flags.FlagUsages()), own, 1)
		if err != nil {
			return err
		}
		_, err = io.WriteString(out, words)
		return err
	}
}

func trimmed(text string) string { return strings.TrimRightFunc(text, unicode.IsSpace) }

// newMan returns hidden: releases have the pages in their archives.
func newMan() *cobra.Command {
	return &cobra.Command{
		Use:    "man DIR",
		Short:  "Write the manual pages of all commands, for man, into a folder",
		Hidden: true,
		Args:   cmdline.Arguments(1, 1, "the folder to write to"),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := filepath.Clean(args[0])
			if err := os.MkdirAll(dir, 0o755); err != nil {
				return err
			}
			// Their date is $SOURCE_DATE_EPOCH, or today.
			return doc.GenManTree(cmd.Root(), &doc.GenManHeader{Title: "SIPGEN", Section: "1", Source: "sipgen " +
				release.Version(), Manual: "sipgen"}, dir)
		},
	}
}

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
	words, found := runbooks.Text(args[0])
	if !found || len(args) > 1 {
		return &cmdline.UsageError{Command: "help", Err: fmt.Errorf("runbook %q: want one of %s", strings.Join(args, " "),
			strings.Join(names, ", "))}
	}
	_, err := io.WriteString(out, words)
	return err
}
