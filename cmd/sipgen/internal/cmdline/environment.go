package cmdline

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"
)

// flagVariable is an environment variable that gives a flag's value where the command line does not.
type flagVariable struct {
	name, flag string
	// unless are alternative flags: with one of them the variable has no effect.
	unless []string
	// list: the value has several parts, as in $PATH.
	list bool
}

var flagVariables = []flagVariable{
	{name: "SIPGEN_SITE", flag: "site"},
	{name: "SIPGEN_SPECS", flag: "filename", list: true},
	{name: "SIPGEN_INVENTORY", flag: "inventory"},
	{name: "SIPGEN_CONTEXT", flag: "context"},
	{name: "SIPGEN_PREVIOUS", flag: "previous", unless: []string{"repo"}},
	{name: "SIPGEN_REPO", flag: "repo", unless: []string{"previous", "out"}},
}

// FromEnvironment sets the flags that a command has, and that the command line does not give.
func FromEnvironment(command *cobra.Command, getenv func(string) string) error {
	given := func(name string) bool { f := command.Flags().Lookup(name); return f != nil && f.Changed }
	var meant []flagVariable
	for _, v := range flagVariables {
		if command.Flags().Lookup(v.flag) != nil && getenv(v.name) != "" && !given(v.flag) &&
			!slices.ContainsFunc(v.unless, given) {
			meant = append(meant, v)
		}
	}
	for _, v := range meant {
		parts := []string{getenv(v.name)}
		if v.list {
			parts = filepath.SplitList(parts[0])
		}
		for _, part := range parts {
			if err := command.Flags().Set(v.flag, part); err != nil {
				return fmt.Errorf("$%s: %w", v.name, err)
			}
		}
	}
	return nil
}
