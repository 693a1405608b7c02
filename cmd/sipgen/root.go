package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/internal/redact"
)

func newRoot(ui *ui) *cobra.Command {
	root := &cobra.Command{
		Use:   "sipgen",
		Short: "Assign bare-metal hosts to tenant clusters, through git",
		Long: `sipgen reads SIPCluster specs and the inventory of metal3 BareMetalHosts, decides which
host belongs to which tenant cluster, and renders the git tree that Flux or Argo CD applies.

Beside a site.yaml with spec.inputs no command needs a flag. The environment gives what the command
line does not: SIPGEN_SITE, SIPGEN_SPECS, SIPGEN_INVENTORY, SIPGEN_CONTEXT, SIPGEN_REPO and
SIPGEN_PREVIOUS.

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
		return &usageError{strings.TrimPrefix(strings.TrimPrefix(cmd.CommandPath(), "sipgen"), " "), errors.New(flagMessage(cmd, err))}
	})
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error { return fromEnvironment(cmd, os.Getenv) }
	root.SetUsageFunc(wrapped(root.UsageFunc()))
	root.AddCommand(newInit(ui), newFields(ui), newRender(ui), newDiff(ui), newPublish(ui), newPlan(ui), newExplain(ui), newStatus(ui), newLint(ui), newTenants(ui), newInventory(ui), newTakeover(ui), newVersion(ui), newMan())
	for _, command := range root.Commands() {
		strictArgs(command)
	}
	return root
}

// plugin says whether the program was called as a plugin of kubectl, whose help then says so.
func plugin(name string) bool {
	return strings.HasPrefix(filepath.Base(name), "kubectl-")
}

// flagMessage is what is wrong with a flag. What stands behind the dashes may have been meant as something else.
func flagMessage(cmd *cobra.Command, err error) string {
	if name, is := strings.CutPrefix(err.Error(), "unknown flag: "); is {
		var known []string
		cmd.Flags().VisitAll(func(flag *pflag.Flag) { known = append(known, "--"+flag.Name) })
		if near := manifest.Nearest(name, known); near != "" {
			return fmt.Sprintf("unknown flag: %s, did you mean %s?", redact.Plain(name), near)
		}
		return "unknown flag: " + redact.Plain(name)
	}
	return redact.Quotes(err.Error())
}

// strictArgs turns cobra's complaints about arguments into usage errors.
func strictArgs(command *cobra.Command) {
	check := command.Args
	if check == nil {
		check = cobra.NoArgs
	}
	command.Args = func(cmd *cobra.Command, args []string) error {
		if err := check(cmd, args); err != nil {
			return &usageError{cmd.Name(), errors.New(cmd.Name() + ": " + redact.Quotes(err.Error()))}
		}
		return nil
	}
}

func newVersion(ui *ui) *cobra.Command {
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
				return writeJSON(ui, versionInfo{v1alpha1.APIVersion, "Version", version(), runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH})
			}
			fmt.Fprintf(ui.out, "sipgen %s (%s, %s/%s)\n", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
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
