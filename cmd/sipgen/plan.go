package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

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
		view     planView
	)
	formats := []string{"table", "wide", "json", "yaml", "markdown", "svg", "html", "network"}
	command := &cobra.Command{
		Use:   "plan [CLUSTER]",
		Short: "Show which host each cluster gets, and why",
		Long: `Show which host each cluster gets, and why. Nothing is written. CLUSTER is NAMESPACE/NAME, or the
name alone if no other cluster has it: only that one is shown.

On a site with 100 hosts or more, the table shows only the hosts that change; --all shows them all.

Earlier decisions that are not synced yet are kept. They are in the rendered tree, which is read
from the Site's repository, as publish does; --repo or --previous names another tree, and
--previous none plans without one.

Exit codes: 0 success; 1 a cluster cannot have its hosts, or render would refuse the plan (a message
says why), or something overlaps that should not (-o network); 2 an error.

-o html is a self-contained page that shows the site rack by rack; -o svg is only the picture.
-o network lists everything on the site that has an address, a port or a MAC address, and what
overlaps.`,
		Example: `  sipgen plan
  sipgen plan tenant-a/edge-a
  sipgen plan --site site.yaml -f tenants --inventory hosts
  sipgen plan --site site.yaml -f tenants --inventory cluster -o json
  sipgen plan --site site.yaml -f tenants --inventory hosts --without rack=r7 \
    --count tenants/a/Worker=12`,
		Args:              arguments(0, 1, "the name of a cluster"),
		ValidArgsFunction: in.complete(completeClusters),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := view.check(ui, args, formats); err != nil {
				return err
			}
			ofNetwork := view.output == "network"
			if ofNetwork && ask.asked() {
				return redact.Errorf("--output %s: shows the site as it is, and answers no what-if", view.output)
			}
			in.allAddresses = ask.asked() || ofNetwork // what is asked about may need hosts that no spec selects
			loaded, err := in.load(cmd.Context(), ui)
			if err != nil {
				return err
			}
			loaded.asksGone = atTerminal(ui) // as publish does
			loaded.sayOthers(ui)
			if ask.asked() {
				return showWhatIf(cmd.Context(), ui, ask, loaded, previous, view)
			}
			before, err := previous.read(cmd.Context(), ui, loaded.site)
			if err != nil {
				return err
			}
			decided, err := loaded.foreseen(ui, before)
			if err != nil {
				return err
			}
			checked := decided.check(noTolerance)
			shown := decided.report
			withServices, unrendered := checked.preview(ui)
			if unrendered == nil {
				shown = withServices
			}
			refusals := errors.Join(joined(decided.settled.late), checked.refusal, unrendered)
			whole := *shown
			whole.InputWarnings, whole.Preflight, whole.LookFirst = ui.warnings, checked.warnings, report.Dangers(&whole, nil)
			if !decided.placement.Schedulable() {
				//guard: plan says nothing of the brake where a cluster lacks hosts, and publish is refused
				refusals = checked.refusal // the plan itself says the rest
				if !in.keepGoing {
					refusals = errors.Join(joined(decided.settled.late), refusals)
				}
			}
			for _, refusal := range flatten(refusals) {
				whole.Refusals = append(whole.Refusals, refusal.Error())
			}
			if ofNetwork {
				for _, clash := range flatten(loaded.clashes()) {
					loaded.network.Tenants = append(loaded.network.Tenants, clash.Error())
				}
				_, err = ui.out.Write(loaded.network.Table(terminalWidth(ui.out)))
			} else {
				err = view.write(ui, decided.placement, decided.shown(&whole, view.output))
			}
			if err != nil {
				return err
			}
			for _, warning := range checked.warnings {
				ui.say("render and publish would report: warning: %s", warning)
			}
			//guard: plan shows a cluster as frozen, and publish refuses the run of all
			if !in.keepGoing && !ofNetwork && len(decided.settled.late) > 0 && !decided.placement.Schedulable() {
				ui.say("render and publish would refuse the run because of what is frozen; with --keep-going they go on with the other clusters")
			}
			if ofNetwork && loaded.network.Overlaps() {
				return errFinding
			}
			refused := sayRefusals(ui, refusals)
			if !decided.placement.Schedulable() {
				return errFinding
			}
			return refused
		},
	}
	in.flags(command)
	previous.flags(command)
	ask.flags(command)
	_ = command.RegisterFlagCompletionFunc("count", in.completeNames(completeRoles))   // fails for a flag that is not there
	_ = command.RegisterFlagCompletionFunc("without", in.completeNames(completeHosts)) // fails for a flag that is not there
	keepGoingFlag(command, &in)
	flags := command.Flags()
	flags.StringVarP(&view.output, "output", "o", "table", "the output format: "+strings.Join(formats, ", "))
	flags.BoolVar(&view.all, "all", false, "also show the hosts that do not change, however many there are")
	flags.StringVar(&view.color, "color", "auto", "colours in tables: auto (on a terminal, unless $NO_COLOR is set), always, never")
	completeFlag(command, "color", "auto", "always", "never")
	completeFlag(command, "output", formats...)
	return command
}

// shown is a report for a format: what is for a terminal names files as they were given, and what may get into a tree or a pull request does not.
func (d *decided) shown(p *report.Plan, format string) *report.Plan {
	if format == "table" || format == "wide" {
		return d.here(p)
	}
	return p
}

// sayRefusals says why render and publish would refuse a plan, which is a finding.
func sayRefusals(ui *ui, err error) error {
	if err == nil {
		return nil
	}
	for _, refusal := range flatten(err) {
		would := "report"
		if strings.HasPrefix(refusal.Error(), "refused: ") {
			would = "end with"
		}
		ui.say("render and publish would %s: %s", would, refusal)
	}
	return errFinding
}

// planView says how a plan is shown.
type planView struct {
	output, color string
	all, colour   bool
	// cluster as it was asked for, empty for all.
	cluster string
}

// check reads what was asked for.
func (v *planView) check(ui *ui, args, formats []string) (err error) {
	if err := checkFormat(v.output, formats); err != nil {
		return err
	}
	if len(args) > 0 {
		v.cluster = args[0]
		if slices.Contains([]string{"svg", "html", "network"}, v.output) {
			return redact.Errorf("-o %s shows the whole site: leave out %q", v.output, v.cluster)
		}
	}
	v.colour, err = coloured(v.color, ui.out, os.Getenv)
	return err
}

// write prints a placement and the words for it. Hosts that a what-if leaves out are only in pictures.
func (v *planView) write(ui *ui, placement *schedule.Placement, plan *report.Plan, leftOut ...inventory.Host) error {
	if v.cluster != "" {
		var clusters []string
		for i := range plan.Clusters {
			clusters = append(clusters, plan.Clusters[i].Key())
		}
		cluster, err := oneOf(v.cluster, "cluster", clusters)
		for i := range plan.Hosts {
			if host := plan.Hosts[i].Host; err != nil && (host == v.cluster || strings.HasSuffix(host, "/"+v.cluster)) {
				return redact.Errorf("%s: a host, not a cluster: sipgen explain %s says what happens to it", redact.Plain(v.cluster), redact.Plain(v.cluster))
			}
		}
		if err != nil {
			return err
		}
		plan = plan.Only(cluster)
	}
	switch v.output {
	case "svg":
		site := picture.Of(placement, picture.Options{Name: plan.Site, WhatIf: plan.WhatIf, Refusals: plan.Refusals, Removed: leftOut})
		_, err := ui.out.Write(picture.SVG(site))
		return err
	case "html":
		site := picture.Of(placement, picture.Options{Name: plan.Site, WhatIf: plan.WhatIf, Refusals: plan.Refusals, Dangers: plan.DangersUndrawn(), More: plan.Undrawn(), Removed: leftOut})
		_, err := ui.out.Write(picture.HTML(site))
		return err
	case "json":
		return writeJSON(ui, plan)
	case "yaml":
		return writeYAML(ui, plan)
	case "markdown":
		_, err := fmt.Fprint(ui.out, report.Markdown(plan))
		return err
	}
	many := plan.Totals().Assigned >= report.ManyHosts
	report.Table(ui.out, plan, report.TableOptions{Wide: v.output == "wide", Changes: many && !v.all && v.cluster == "", Colour: v.colour, Width: terminalWidth(ui.out)})
	return nil
}
