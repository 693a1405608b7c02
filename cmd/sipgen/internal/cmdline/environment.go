package cmdline

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/internal/redact"
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

// otherVariables are the variables that are read in addition to those for flags. A secret can also be in a file,
// NAME_FILE.
var otherVariables = []string{
	"SIPGEN_FORGE_TOKEN", "SIPGEN_FORGE_TOKEN_FILE",
	"SIPGEN_GIT_CA_FILE", "SIPGEN_GIT_CERT_FILE", "SIPGEN_GIT_KEY_FILE", "SIPGEN_GIT_PASSWORD", "SIPGEN_GIT_PASSWORD_FILE",
	"SIPGEN_GIT_PROXY", "SIPGEN_GIT_PROXY_FILE", "SIPGEN_GIT_TOKEN", "SIPGEN_GIT_TOKEN_FILE", "SIPGEN_GIT_USERNAME",
	"SIPGEN_SIGN_PASSPHRASE", "SIPGEN_SIGN_PASSPHRASE_FILE",
	"SIPGEN_SSH_KEY_FILE", "SIPGEN_SSH_KEY_PASSPHRASE", "SIPGEN_SSH_KEY_PASSPHRASE_FILE", "SIPGEN_SSH_KNOWN_HOSTS",
}

// MisspeltVariables names the variables of the environment that are not read and look like one that is: without a
// warning, a run would use a default.
func MisspeltVariables(environment []string) []string {
	const prefix = "SIPGEN_"
	known := map[string]bool{}
	var names []string
	add := func(name string) {
		known[name] = true
		names = append(names, strings.TrimPrefix(name, prefix))
	}
	for _, variable := range flagVariables {
		add(variable.name)
	}
	for _, name := range otherVariables {
		add(name)
	}
	var warnings []string
	for _, entry := range environment {
		name, _, _ := strings.Cut(entry, "=")
		rest, ok := strings.CutPrefix(name, prefix)
		if !ok || known[name] {
			continue
		}
		if near := manifest.Nearest(rest, names); near != "" {
			warnings = append(warnings, redact.Sprintf("$%s is not read, did you mean $%s?", name, prefix+near))
		}
	}
	slices.Sort(warnings)
	return warnings
}
