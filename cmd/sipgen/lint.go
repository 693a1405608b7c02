package main

import (
	"context"
	"errors"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/cmd/sipgen/internal/cmdline"
	"github.com/airshipit/sipgen/cmd/sipgen/internal/terminal"
	"github.com/airshipit/sipgen/internal/app"
	"github.com/airshipit/sipgen/internal/finding"
	"github.com/airshipit/sipgen/internal/redact"
	"github.com/airshipit/sipgen/internal/release"
	"github.com/airshipit/sipgen/internal/text"
)

func newLint(ui *terminal.UI) *cobra.Command {
	var (
		in            cmdline.Inputs
		previous      cmdline.Previous
		output        cmdline.Output
		color, failOn string
		byDigest      bool
	)
	command := &cobra.Command{
		Use:   "lint",
		Short: "Find likely mistakes across tenants and hosts",
		Long: `Find likely mistakes in valid specs and hosts: conflicts between tenants, selectors without a match
or with the same hosts, hosts that share an address or a BMC. An annotation with a reason suppresses
a finding. An invalid spec is reported, and the others are checked.

Exit codes: 0 no findings; 1 findings; 2 an error.`,
		Example: `  sipgen lint --site site.yaml -f tenants --inventory hosts
  sipgen lint --site site.yaml -f tenants --inventory inventory.yaml -o sarif > sipgen.sarif`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := output.Check(); err != nil {
				return err
			}
			if failOn != string(finding.Warning) && failOn != string(finding.Error) {
				return redact.Errorf("--fail-on: found %q, want %s or %s", failOn, finding.Warning, finding.Error)
			}
			colored, err := ui.Colored(color, os.Getenv)
			if err != nil {
				return err
			}
			in.AllAddresses = true // hosts may share one that no tenant asks for yet
			hosts := hostsOfFleet(&in)
			return eachSite(cmd, ui, &in, output.Format, func(ctx context.Context, ui *terminal.UI, in *cmdline.Inputs) error {
				previous := previous // a Site's own
				read := func(site *v1alpha1.Site, hostsRead time.Time) (app.Before, error) {
					return previous.ReadOrWarn(ctx, ui, site, hostsRead)
				}
				loaded, before, err := noteTree(in, hosts, read, func() (*app.Loaded, error) {
					loaded, err := in.Read(ctx, ui)
					if err == nil {
						sayOthers(ui, loaded)
					}
					return loaded, err
				})
				if err != nil {
					return err
				}
				checked, unplanned := flow(ui, loaded, before, noTolerance)
				if checked != nil {
					noteHosts(hosts, checked.Plan, checked.Refusal == nil && checked.Rendered.Err == nil)
				}
				findings := app.Lint(loaded, checked, byDigest)
				// Manifests never have managedFields, and are no finding for that.
				findings = slices.DeleteFunc(findings, func(f finding.Finding) bool {
					if f.Code == finding.Blind {
						ui.Warn("%s", f.Sentence())
					}
					return f.Code == finding.Blind
				})
				if err := writeFindings(ui, findings, output.Format, colored); err != nil {
					return errors.Join(err, unplanned)
				}
				count, warnings := finding.Counts(findings)
				switch {
				case count+warnings > 0:
					ui.Say("%s, %s", text.Plural(count, "error", "errors"), text.Plural(warnings, "warning", "warnings"))
				case unplanned == nil: // else not everything was looked at
					ui.Say("no finding")
				}
				switch {
				case unplanned != nil:
					return unplanned
				case count > 0, warnings > 0 && failOn == string(finding.Warning):
					return errFinding
				}
				return nil
			}, fleetOptions{hosts: hosts})
		},
	}
	in.Flags(command)
	in.SelectFlag(command)
	previous.Flags(command, &in)
	flags := command.Flags()
	output.Flag(command, "human", "json", "sarif", "github")
	flags.StringVar(&failOn, "fail-on", string(finding.Warning),
		"the least severity for exit code 1: warning (any finding), error")
	flags.BoolVar(&byDigest, "images-by-digest", false, "also report images without a digest, including the Site's defaults")
	cmdline.CompleteFlag(command, "fail-on", string(finding.Warning), string(finding.Error))
	cmdline.ColorFlag(command, &color)
	return command
}

func writeFindings(ui *terminal.UI, findings []finding.Finding, output string, colored bool) error {
	switch output {
	case "json":
		return finding.JSON(ui.Out, findings)
	case "sarif":
		return finding.SARIF(ui.Out, findings, release.Version())
	case "github":
		return finding.GitHub(ui.Out, findings)
	}
	return finding.Human(ui.Out, findings, colored)
}
