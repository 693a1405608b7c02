package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/cmd/sipgen/internal/cmdline"
	"github.com/airshipit/sipgen/cmd/sipgen/internal/terminal"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/internal/redact"
	"github.com/airshipit/sipgen/internal/release"
)

func newRoot(ui *terminal.UI) *cobra.Command {
	root := &cobra.Command{
		Use:   "sipgen",
		Short: "Assign bare-metal hosts to tenant clusters, through git",
		Long: `sipgen reads SIPCluster specs and the inventory of metal3 BareMetalHosts, decides which
host belongs to which tenant cluster, and renders the git tree that Flux or Argo CD applies.

In a folder whose site.yaml has spec.inputs, no command needs a flag for its inputs. Environment
variables replace flags that are not given: SIPGEN_SITE, SIPGEN_SPECS, SIPGEN_INVENTORY,
SIPGEN_CONTEXT, SIPGEN_REPO and SIPGEN_PREVIOUS. A flag with an empty value is an error, and an
empty variable is none.

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
			return cmd.Help()
		},
	}
	if plugin(os.Args[0]) {
		root.Annotations = map[string]string{cobra.CommandDisplayNameAnnotation: "kubectl sipgen"}
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return cmdline.FlagError(cmd, err)
	})
	root.PersistentPreRunE = func(cmd *cobra.Command, args []string) error {
		if err := cmdline.FromEnvironment(cmd, os.Getenv); err != nil {
			return err
		}
		return cmdline.RefuseEmpty(cmd, args)
	}
	help := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		// cobra shows its general help for a command that there is not, and calls that a success.
		if words := cmd.Flags().Args(); cmd == root && len(words) > 0 && words[0] != "help" {
			ui.Unknown = root.Args(root, words)
			return
		}
		help(cmd, args)
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
		Args: cobra.ArbitraryArgs,
	})
	// A template of our own would bring text/template, and with it half as many bytes again: docs/performance.md#size.
	root.Version = versionText()
	root.InitDefaultVersionFlag()
	root.Flags().Lookup("version").Usage = "print the version"
	root.SetUsageFunc(wrapped(root.UsageFunc(), func() int { return helpWidth(ui) }))
	root.AddCommand(newInit(ui), newFields(ui), newRender(ui), newDiff(ui), newPublish(ui), newPlan(ui), newHosts(ui),
		newCapacity(ui), newImpact(ui), newExplain(ui), newHistory(ui), newStatus(ui), newLint(ui), newTenants(ui), newInventory(ui),
		newOptions(ui), newVersion(ui), newMan())
	for _, command := range root.Commands() {
		strictArgs(command)
	}
	return root
}

// plugin reports whether the program was called as a plugin of kubectl, for the help text.
func plugin(name string) bool {
	return strings.HasPrefix(filepath.Base(name), "kubectl-")
}

// strictArgs makes commands without a rule for arguments take none.
func strictArgs(command *cobra.Command) {
	if command.Args == nil {
		command.Args = cmdline.Arguments(0, 0, "")
	}
}

func newVersion(ui *terminal.UI) *cobra.Command {
	var output cmdline.Output
	command := &cobra.Command{
		Use:   "version",
		Short: "Print the version of sipgen and of the Go release that built it",
		RunE: func(*cobra.Command, []string) error {
			if err := output.Check(); err != nil {
				return err
			}
			if output.Format == "json" {
				return ui.JSON(versionInfo{v1alpha1.APIVersion, "Version", release.Version(), runtime.Version(),
					runtime.GOOS + "/" + runtime.GOARCH})
			}
			fmt.Fprintln(ui.Out, "sipgen", versionText())
			return nil
		},
	}
	output.Flag(command, "text", "json")
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

// versionText returns what sipgen version and sipgen --version print behind the program's name.
func versionText() string {
	return fmt.Sprintf("%s (%s, %s/%s)", release.Version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
