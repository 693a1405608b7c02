package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"sigs.k8s.io/yaml"

	"github.com/airshipit/sipgen/internal/netplan"
	"github.com/airshipit/sipgen/internal/picture"
	"github.com/airshipit/sipgen/internal/redact"
	"github.com/airshipit/sipgen/internal/report"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/schedule"
)

func newPlan(ui *ui) *cobra.Command {
	var (
		in       inputs
		previous previousFlags
		ask      whatIf
		output   string
	)
	formats := []string{"table", "wide", "json", "yaml", "markdown", "svg", "html", "network", "network-svg"}
	command := &cobra.Command{
		Use:   "plan",
		Short: "Show which host each cluster gets, and why",
		Long: `Show which host each cluster gets, and why. Nothing is written.

Earlier decisions that are not synced yet are in the rendered tree, and are kept: the tree is that
of the Site's repository, as for publish. --repo or --previous names another one, --previous none
plans without.

Exit codes: 0 success; 1 a cluster cannot have its hosts, or render would refuse the plan (a message
says why), or something overlaps that should not (-o network); 2 an error.

-o html is a self-contained page that shows the site rack by rack; -o svg is only the picture.
-o network lists everything on the site that has an address, a port or a MAC address, and what of it
overlaps; -o network-svg is a picture of that.`,
		Example: `  sipgen plan
  sipgen plan --site site.yaml -f tenants --inventory hosts
  sipgen plan --site site.yaml -f tenants --inventory cluster -o json
  sipgen plan --site site.yaml -f tenants --inventory hosts --without rack=r7 \
    --count tenants/a/Worker=12`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkFormat(output, formats); err != nil {
				return err
			}
			ofNetwork := output == "network" || output == "network-svg"
			if ofNetwork && ask.asked() {
				return redact.Errorf("--output %s: shows the site as it is, and answers no what-if", output)
			}
			in.allAddresses = ask.asked() || ofNetwork // what is asked about may need hosts that no spec selects
			loaded, err := in.load(cmd.Context(), ui)
			if err != nil {
				return err
			}
			if ask.asked() {
				return showWhatIf(cmd.Context(), ui, ask, loaded, previous, output)
			}
			before, err := previous.read(cmd.Context(), ui, loaded.site)
			if err != nil {
				return err
			}
			decided, err := loaded.decide(ui, before)
			if err != nil {
				return err
			}
			checked := decided.check(noAcceptance)
			shown := decided.report
			withServices, unrendered := checked.preview(ui)
			if unrendered == nil {
				shown = withServices
			}
			if ofNetwork {
				err = writeNetwork(ui, loaded.network, output)
			} else {
				err = writePlan(ui, decided.placement, shown, output)
			}
			if err != nil {
				return err
			}
			for _, warning := range checked.warnings {
				ui.say("render and publish would report: warning: %s", warning)
			}
			if !decided.placement.Schedulable() || ofNetwork && loaded.network.Overlaps() {
				return errFinding
			}
			return sayRefusals(ui, errors.Join(joined(decided.settled.late), checked.refusal, unrendered))
		},
	}
	in.flags(command)
	previous.flags(command)
	ask.flags(command)
	keepGoingFlag(command, &in)
	command.Flags().StringVarP(&output, "output", "o", "table", "the output format: "+strings.Join(formats, ", "))
	return command
}

// sayRefusals says why render and publish would refuse a plan, which is a finding.
func sayRefusals(ui *ui, err error) error {
	if err == nil {
		return nil
	}
	for _, refusal := range flatten(err) {
		ui.say("render and publish would report: %s", refusal)
	}
	return errFinding
}

// writeNetwork prints the network plan.
func writeNetwork(ui *ui, plan *netplan.Plan, output string) error {
	draw := plan.Table
	if output == "network-svg" {
		draw = plan.SVG
	}
	_, err := ui.out.Write(draw())
	return err
}

// writePlan prints a placement and the words for it. Hosts that a what-if leaves out are only in pictures.
func writePlan(ui *ui, placement *schedule.Placement, plan *report.Plan, output string, leftOut ...inventory.Host) error {
	switch output {
	case "svg", "html":
		site := picture.Of(placement, picture.Options{Name: plan.Site, WhatIf: plan.WhatIf, Removed: leftOut})
		draw := picture.SVG
		if output == "html" {
			draw = picture.HTML
		}
		_, err := ui.out.Write(draw(site))
		return err
	case "json":
		encoder := json.NewEncoder(ui.out)
		encoder.SetIndent("", "  ")
		encoder.SetEscapeHTML(false)
		return encoder.Encode(plan)
	case "yaml":
		text, err := yaml.Marshal(plan)
		if err != nil {
			return err
		}
		_, err = ui.out.Write(text)
		return err
	case "markdown":
		_, err := fmt.Fprint(ui.out, report.Markdown(plan))
		return err
	}
	report.Table(ui.out, plan, output == "wide")
	return nil
}
