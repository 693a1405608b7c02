package cmdline

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/internal/redact"
)

// UsageError is a command line that is not understood.
type UsageError struct {
	Command string
	Err     error
}

func (e *UsageError) Error() string { return e.Err.Error() }
func (e *UsageError) Unwrap() error { return e.Err }

// commandsWith returns the commands that have a flag.
func commandsWith(root *cobra.Command, flag string) []string {
	var names []string
	for _, command := range root.Commands() {
		if command.IsAvailableCommand() && command.LocalFlags().Lookup(flag) != nil {
			names = append(names, command.CommandPath())
		}
	}
	return names
}

// FlagError returns what is wrong with a flag, as an error of the command line.
func FlagError(cmd *cobra.Command, err error) error {
	return &UsageError{strings.TrimPrefix(strings.TrimPrefix(cmd.CommandPath(), cmd.Root().CommandPath()), " "),
		errors.New(flagMessage(cmd, err))}
}

// flagMessage returns the error of a flag. The text after the dashes may have been meant as something else.
func flagMessage(cmd *cobra.Command, err error) string {
	if name, ok := strings.CutPrefix(err.Error(), "unknown flag: "); ok {
		var known []string
		cmd.Flags().VisitAll(func(flag *pflag.Flag) { known = append(known, "--"+flag.Name) })
		longer := slices.DeleteFunc(slices.Clone(known),
			func(flag string) bool { return len(name) < 5 || !strings.HasPrefix(flag, name) })
		near := manifest.Nearest(name, known)
		if len(longer) == 1 { // it was cut short
			near = longer[0]
		}
		if others := commandsWith(cmd.Root(), strings.TrimPrefix(name, "--")); len(others) > 0 && len(longer) == 0 {
			return fmt.Sprintf("unknown flag: %s: it is a flag of %s", redact.Plain(name), strings.Join(others, ", "))
		}
		if near != "" {
			return fmt.Sprintf("unknown flag: %s, did you mean %s?", redact.Plain(name), near)
		}
		return "unknown flag: " + redact.Plain(name)
	}
	if _, word, ok := strings.Cut(err.Error(), "unknown shorthand flag: "); ok {
		_, word, ok = strings.Cut(word, " in -")
		if word, _, _ = strings.Cut(word, "="); ok && cmd.Flags().Lookup(word) != nil {
			return fmt.Sprintf("unknown flag: -%s, did you mean --%s?", word, word)
		}
		if len(word) == 1 {
			return unknownLetter(cmd, word)
		}
	}
	if wrong := (*pflag.InvalidValueError)(nil); errors.As(err, &wrong) {
		if want := wantedValue[wrong.GetFlag().Value.Type()]; want != "" {
			return redact.Sprintf("--%s: found %q, want %s", wrong.GetFlag().Name, wrong.GetValue(), want)
		}
	}
	return redact.Quotes(err.Error())
}

// unknownLetter names the flags that begin with a letter that is no flag, and the letters that are.
func unknownLetter(cmd *cobra.Command, letter string) string {
	var near, letters []string
	cmd.Flags().VisitAll(func(flag *pflag.Flag) {
		if strings.HasPrefix(flag.Name, letter) && !flag.Hidden {
			near = append(near, "--"+flag.Name)
		}
		if flag.Shorthand != "" {
			letters = append(letters, "-"+flag.Shorthand)
		}
	})
	if len(near) > 0 {
		return redact.Sprintf("unknown flag: -%s, did you mean %s?", letter, strings.Join(near, " or "))
	}
	return redact.Sprintf("unknown flag: -%s; the short flags of %s are %s", letter, cmd.CommandPath(),
		strings.Join(letters, ", "))
}

// wantedValue is the expected value of a flag, by the library's name of its type.
var wantedValue = map[string]string{
	"int": "a whole number", "duration": `a duration, as in "10m"`, "bool": "true or false",
}

// insteadOf returns which flags take what people give as an argument.
func insteadOf(cmd *cobra.Command) string {
	switch {
	case cmd.Flags().Lookup("out") != nil:
		return ": --out is for the folder to write to"
	case cmd.Flags().Lookup("filename") != nil:
		return ": --filename is for specs, --inventory for hosts"
	}
	return ""
}

// Arguments accepts at least least and at most most arguments; what describes them.
func Arguments(least, most int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		var problem error
		switch {
		case len(args) < least:
			problem = redact.Errorf("%s: an argument is missing, want %s", cmd.Name(), what)
		case len(args) > most && most == 0:
			problem = redact.Errorf("%s: found the argument %q, want none%s", cmd.Name(), args[0], insteadOf(cmd))
		case len(args) > most:
			problem = redact.Errorf("%s: found %d arguments, want one: %s", cmd.Name(), len(args), what)
		}
		if problem == nil {
			return nil
		}
		return &UsageError{cmd.Name(), problem}
	}
}
