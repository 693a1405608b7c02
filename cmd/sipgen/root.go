package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/cmd/sipgen/internal/terminal"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/internal/redact"
)

func newRoot(ui *terminal.UI) *cobra.Command {
	root := &cobra.Command{
		Use:   "sipgen",
		Short: "Assign bare-metal hosts to tenant clusters, through git",
		Long: `sipgen reads SIPCluster specs and the inventory of metal3 BareMetalHosts, decides which
host belongs to which tenant cluster, and renders the git tree that Flux or Argo CD applies.

In a folder whose site.yaml has spec.inputs, no command needs a flag. Environment variables replace
flags that are not given: SIPGEN_SITE, SIPGEN_SPECS, SIPGEN_INVENTORY, SIPGEN_CONTEXT, SIPGEN_REPO
and SIPGEN_PREVIOUS.

Exit codes: 0 success; 1 a finding (differences, lint findings, an unschedulable cluster);
2 an error.`,
		SilenceErrors:     true,
		SilenceUsage:      true,
		DisableAutoGenTag: true,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			var known []string
			for _, command := range cmd.Commands() {
				if command.Hidden {
					continue
				}
				known = append(known, command.Name())
			}
			if near := manifest.Nearest(args[0], known); near != "" {
				return redact.Errorf("unknown command %q, did you mean %q?", args[0], near)
			}
			return redact.Errorf("unknown command %q, want one of %s", args[0], strings.Join(known, ", "))
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := refuseResourceList(ui.In); err != nil {
				return err
			}
			return cmd.Help()
		},
	}
	if plugin(os.Args[0]) {
		root.Annotations = map[string]string{cobra.CommandDisplayNameAnnotation: "kubectl sipgen"}
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return &usageError{strings.TrimPrefix(strings.TrimPrefix(cmd.CommandPath(), cmd.Root().CommandPath()), " "), errors.New(flagMessage(cmd, err))}
	})
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		for _, warning := range misspeltVariables(os.Environ()) {
			ui.Say("warning: %s", warning)
		}
		return fromEnvironment(cmd, os.Getenv)
	}
	help := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		// cobra shows its general help for a command that there is not, and calls that a success.
		if words := cmd.Flags().Args(); cmd == root && len(words) > 0 && words[0] != "help" {
			ui.Unknown = root.Args(root, words)
			return
		}
		width := helpWidth(ui)
		if width == helpColumns {
			help(cmd, args)
			return
		}
		out, words := cmd.OutOrStdout(), bytes.Buffer{}
		cmd.SetOut(&words)
		help(cmd, args)
		cmd.SetOut(out)
		fmt.Fprint(out, narrowed(words.String(), width))
	})
	root.SetHelpCommand(&cobra.Command{
		Use: "help [COMMAND | runbook [NAME]]", Short: "Help about any command, and runbooks for incidents",
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 && args[0] == "runbook" {
				return runbook(ui.Out, args[1:])
			}
			command, rest, err := root.Find(args)
			if err != nil || command == root && len(rest) > 0 {
				return root.Args(root, args)
			}
			command.InitDefaultHelpFlag()
			return command.Help()
		},
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: completeCommands(root),
	})
	// A template of our own would bring text/template, and with it half as many bytes again: docs/performance.md#size.
	root.Version = versionText()
	root.InitDefaultVersionFlag()
	root.Flags().Lookup("version").Usage = "print the version"
	root.SetUsageFunc(wrapped(root.UsageFunc(), func() int { return helpWidth(ui) }))
	root.AddCommand(newInit(ui), newFields(ui), newRender(ui), newDiff(ui), newPublish(ui), newPlan(ui), newHosts(ui), newCapacity(ui), newExplain(ui), newStatus(ui), newLint(ui), newTenants(ui), newInventory(ui), newTakeover(ui), newOptions(ui), newVersion(ui), newMan())
	for _, command := range root.Commands() {
		strictArgs(command)
	}
	return root
}

// refuseResourceList is the error for a ResourceList on standard input: how kustomize and kpt call a function. Such a caller takes
// the help text for the function's output.
func refuseResourceList(in io.Reader) error {
	if terminal.IsTerminal(in) {
		return nil
	}
	const mostRead = 1 << 20
	data, err := io.ReadAll(io.LimitReader(in, mostRead))
	if err != nil || !resourceList.Match(data) {
		return nil
	}
	return errors.New("standard input: found kind: ResourceList, and sipgen is not a function of kustomize or kpt: " +
		"run sipgen render --out DIR, then have kustomize build a folder below DIR")
}

// resourceList matches the kind of a ResourceList in YAML and in JSON.
var resourceList = regexp.MustCompile(`(?m)^(\{.*| +)?"?kind"?: *"?ResourceList\b`)

// completeCommands completes the names of the commands.
func completeCommands(root *cobra.Command) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, begun string) (names []string, _ cobra.ShellCompDirective) {
		for _, command := range root.Commands() {
			if len(args) == 0 && command.IsAvailableCommand() && strings.HasPrefix(command.Name(), begun) {
				names = append(names, command.Name()+"\t"+command.Short)
			}
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}

// plugin says whether the program was called as a plugin of kubectl, whose help then says so.
func plugin(name string) bool {
	return strings.HasPrefix(filepath.Base(name), "kubectl-")
}

// commandsWith are the commands that have a flag.
func commandsWith(root *cobra.Command, flag string) []string {
	var names []string
	for _, command := range root.Commands() {
		if command.IsAvailableCommand() && command.LocalFlags().Lookup(flag) != nil {
			names = append(names, command.CommandPath())
		}
	}
	return names
}

// flagMessage is what is wrong with a flag. What stands behind the dashes may have been meant as something else.
func flagMessage(cmd *cobra.Command, err error) string {
	if name, is := strings.CutPrefix(err.Error(), "unknown flag: "); is {
		var known []string
		cmd.Flags().VisitAll(func(flag *pflag.Flag) { known = append(known, "--"+flag.Name) })
		longer := slices.DeleteFunc(slices.Clone(known), func(flag string) bool { return len(name) < 5 || !strings.HasPrefix(flag, name) })
		near := manifest.Nearest(name, known)
		if len(longer) == 1 { // it was cut short
			near = longer[0]
		}
		//guard: the brake names a flag, and the command that was run says that there is none
		if others := commandsWith(cmd.Root(), strings.TrimPrefix(name, "--")); len(others) > 0 && len(longer) == 0 {
			return fmt.Sprintf("unknown flag: %s: it is a flag of %s", redact.Plain(name), strings.Join(others, ", "))
		}
		if near != "" {
			return fmt.Sprintf("unknown flag: %s, did you mean %s?", redact.Plain(name), near)
		}
		return "unknown flag: " + redact.Plain(name)
	}
	if _, word, is := strings.Cut(err.Error(), "unknown shorthand flag: "); is {
		_, word, is = strings.Cut(word, " in -")
		if word, _, _ = strings.Cut(word, "="); is && cmd.Flags().Lookup(word) != nil {
			return fmt.Sprintf("unknown flag: -%s, did you mean --%s?", word, word)
		}
	}
	if wrong := (*pflag.InvalidValueError)(nil); errors.As(err, &wrong) {
		if want := wantedValue[wrong.GetFlag().Value.Type()]; want != "" {
			return redact.Sprintf("--%s: found %q, want %s", wrong.GetFlag().Name, wrong.GetValue(), want)
		}
	}
	return redact.Quotes(err.Error())
}

// wantedValue is what a flag wants, by the library's name of its type.
var wantedValue = map[string]string{"int": "a whole number", "duration": `a duration, as in "10m"`, "bool": "true or false"}

// strictArgs has commands that say nothing of arguments take none.
func strictArgs(command *cobra.Command) {
	if command.Args == nil {
		command.Args = arguments(0, 0, "")
	}
}

// insteadOf says which flags take what people give as an argument.
func insteadOf(cmd *cobra.Command) string {
	switch {
	case cmd.Flags().Lookup("out") != nil:
		return ": --out is for the folder to write to"
	case cmd.Flags().Lookup("filename") != nil:
		return ": --filename is for specs, --inventory for hosts"
	}
	return ""
}

// arguments wants at least and at most so many of them; what says what they are.
func arguments(least, most int, what string) cobra.PositionalArgs {
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
		return &usageError{cmd.Name(), problem}
	}
}

func newVersion(ui *terminal.UI) *cobra.Command {
	var output string
	formats := []string{"text", "json"}
	command := &cobra.Command{
		Use:   "version",
		Short: "Print the version of sipgen and of the Go release that built it",
		RunE: func(*cobra.Command, []string) error {
			if err := checkFormat(output, formats); err != nil {
				return err
			}
			if output == "json" {
				return ui.JSON(versionInfo{v1alpha1.APIVersion, "Version", version(), runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH})
			}
			fmt.Fprintln(ui.Out, "sipgen", versionText())
			return nil
		},
	}
	command.Flags().StringVarP(&output, "output", "o", "text", "the output format: "+strings.Join(formats, ", "))
	completeFlag(command, "output", formats...)
	return command
}

// versionInfo is what `sipgen version -o json` prints.
type versionInfo struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Version    string `json:"version"`
	Go         string `json:"go"`
	Platform   string `json:"platform"`
}

// release is set by the linker for releases.
var release = ""

// versionText is what sipgen version and sipgen --version print behind the program's name.
func versionText() string {
	return fmt.Sprintf("%s (%s, %s/%s)", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// version is the release, or what the module or the checkout says.
func version() string {
	if release != "" {
		return release
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	if info.Main.Version != "" {
		return info.Main.Version
	}
	return "devel"
}
