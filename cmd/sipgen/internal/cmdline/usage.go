package cmdline

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/airshipit/sipgen/internal/redact"
)

// UsageError is a command line that is not understood.
type UsageError struct {
	Command string
	Err     error
	// Expanded: the arguments look like a pattern of --site that the shell has expanded.
	Expanded bool
}

func (e *UsageError) Error() string { return e.Err.Error() }
func (e *UsageError) Unwrap() error { return e.Err }

// FlagError returns what is wrong with a flag, as an error of the command line.
func FlagError(cmd *cobra.Command, err error) error {
	return &UsageError{Command: strings.TrimPrefix(strings.TrimPrefix(cmd.CommandPath(), cmd.Root().CommandPath()), " "),
		Err: errors.New(flagMessage(cmd, err))}
}

// flagMessage returns the error of a flag, without what may be a secret in the wrong place.
func flagMessage(cmd *cobra.Command, err error) string {
	var missing *pflag.NotExistError
	if !errors.As(err, &missing) || missing.GetSpecifiedShortnames() != "" {
		return redact.Quotes(err.Error())
	}
	name := "--" + missing.GetSpecifiedName()
	if cmd.Name() == "render" && (name == "--previous" || name == "--repo") {
		return "unknown flag: " + name + ": the previous tree of render is the content of --out"
	}
	var known []string
	cmd.Flags().VisitAll(func(flag *pflag.Flag) { known = append(known, "--"+flag.Name) })
	return "unknown flag: " + redact.Plain(name) + DidYouMean(name, known)
}

// RefuseEmpty refuses flags and arguments that are empty, as by a variable of a script that is not set: a run for a
// proposal would push to the branch that the engine applies, and a run for one wave or rack would be for all. It lets
// lists of words be empty, such as --by.
func RefuseEmpty(cmd *cobra.Command, args []string) error {
	var problems []error
	add := func(format string, values ...any) {
		problems = append(problems, FlagError(cmd, fmt.Errorf(format, values...)))
	}
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		list, several := flag.Value.(interface{ GetSlice() []string })
		if several && !slices.ContainsFunc(list.GetSlice(), isEmpty) || !several && !isEmpty(flag.Value.String()) {
			return
		}
		what, _ := pflag.UnquoteUsage(flag)
		add(`--%s: found "", want %s, or no --%s`, flag.Name, cmp.Or(forType[what], what), flag.Name)
	})
	if !cmd.DisableFlagParsing && slices.ContainsFunc(args, isEmpty) { // else it completes a line of the shell
		add(`%s: found the argument "", want a name`, cmd.Name())
	}
	return errors.Join(problems...)
}

func isEmpty(value string) bool { return strings.TrimSpace(value) == "" }

// forType says what a flag takes where its help has no word for it but the type.
var forType = map[string]string{"string": "a value", "stringArray": "a value"}

// expanded reports whether a command that takes a fleet has a --site, and files or folders as arguments.
func expanded(cmd *cobra.Command, args []string) bool {
	return cmd.Flags().Lookup("select") != nil && cmd.Flags().Changed("site") &&
		!slices.ContainsFunc(args, func(arg string) bool { _, err := os.Stat(arg); return err != nil })
}

// Arguments accepts at least least and at most most arguments; what describes them.
func Arguments(least, most int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		var problem error
		switch {
		case len(args) < least:
			problem = redact.Errorf("%s: an argument is missing, want %s", cmd.Name(), what)
		case len(args) > most && most == 0:
			problem = redact.Errorf("%s: found the argument %q, want none", cmd.Name(), args[0])
		case len(args) > most:
			problem = redact.Errorf("%s: found %d arguments, want one: %s", cmd.Name(), len(args), what)
		}
		if problem == nil {
			return nil
		}
		return &UsageError{cmd.Name(), problem, len(args) > most && expanded(cmd, args)}
	}
}
