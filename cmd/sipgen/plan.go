package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/cmd/sipgen/internal/cmdline"
	"github.com/airshipit/sipgen/cmd/sipgen/internal/terminal"
	"github.com/airshipit/sipgen/cmd/sipgen/internal/whatif"
	"github.com/airshipit/sipgen/internal/app"
	"github.com/airshipit/sipgen/internal/fleet"
	"github.com/airshipit/sipgen/internal/holdings"
	"github.com/airshipit/sipgen/internal/impact"
	"github.com/airshipit/sipgen/internal/picture"
	"github.com/airshipit/sipgen/internal/redact"
	"github.com/airshipit/sipgen/internal/release"
	"github.com/airshipit/sipgen/internal/report"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/schedule"
)

func newPlan(ui *terminal.UI) *cobra.Command {
	var (
		in       cmdline.Inputs
		previous cmdline.Previous
		ask      whatif.Question
		view     planView
	)
	command := &cobra.Command{
		Use:   "plan [CLUSTER]",
		Short: "Show the hosts of each cluster, with reasons",
		Long: `Print the hosts of each cluster, with reasons. Nothing is written. CLUSTER, as NAMESPACE/NAME or a
unique name, limits the output to one cluster.

From 100 hosts on, the table has only the hosts that change; --all prints all. -o markdown has only
them, and is short enough for a comment: it counts what does not fit.

The previous tree holds assignments that are not synced yet. It is read from the Site's repository,
or from --repo or --previous; --previous none plans without one.

Exit codes are those of publish: 0 success; 1 a cluster is frozen or lacks hosts, standby hosts
included, or lint finds an error in a spec, and the others are published, or addresses overlap
(-o network); 2 an error, or publish would push nothing (a message has the reason).

-o html is a page with the site rack by rack. Click a rack to see what clusters lose with it, as
sipgen impact --by has it. The filter and the rack are in the page's address, for links.
-o network lists all addresses, ports and MAC addresses of the site, and overlaps.`,
		Example: `  sipgen plan
  sipgen plan tenant-a/edge-a
  sipgen plan --site site.yaml -f tenants --inventory hosts
  sipgen plan --site site.yaml -f tenants --inventory cluster -o json
  sipgen plan --site site.yaml -f tenants --inventory hosts --without rack=r7 \
    --count tenants/a/Worker=12`,
		Args: cmdline.Arguments(0, 1, "the name of a cluster"),
		RunE: func(cmd *cobra.Command, args []string) error {
			err := view.check(ui, args)
			if err == nil && in.Fleet() {
				err = ask.CheckFleet()
			}
			if err != nil {
				return err
			}
			ofNetwork := view.output.Format == "network"
			if ofNetwork && ask.Asked() {
				return redact.Errorf("--output %s: shows the site as it is, and answers no what-if", view.output.Format)
			}
			in.AllAddresses = ask.Asked() || ofNetwork // what is asked about may need hosts that no spec selects
			var reviews *siteReviews
			hosts := hostsOfFleet(&in)
			if hosts != nil && !ask.Asked() {
				reviews = &siteReviews{of: map[string]report.SiteReview{}}
			}
			ofSite := func(ctx context.Context, ui *terminal.UI, in *cmdline.Inputs) error {
				previous := previous // a Site's own
				read := func(site *v1alpha1.Site, hostsRead time.Time) (app.Before, error) {
					return previous.Read(ctx, ui, site, hostsRead)
				}
				loaded, err := in.Load(ctx, ui)
				if err != nil {
					noteUnread(hosts, in, read)
					return err
				}
				sayOthers(ui, loaded)
				before, err := read(loaded.Site, loaded.Hosts.TakenAt)
				if err != nil {
					return err
				}
				if hosts != nil { // also if it cannot be planned
					hosts.Held(loaded.Site.Name, app.HeldUIDs(before.Files))
				}
				if ask.Asked() {
					return showWhatIf(ui, ask, loaded, before, view, hosts)
				}
				return showPlan(ctx, ui, loaded, before, view, reviews, hosts)
			}
			return eachSite(cmd, ui, &in, view.output.Format, ofSite, fleetOptions{reviews: reviews, hosts: hosts})
		},
	}
	in.Flags(command)
	in.SelectFlag(command)
	previous.Flags(command, &in)
	ask.Flags(command)
	flags := command.Flags()
	view.output.Flag(command, "table", "wide", "json", "markdown", "html", "network")
	flags.BoolVar(&view.all, "all", false, "also show the hosts that do not change, however many there are")
	cmdline.ColorFlag(command, &view.color)
	return command
}

// showPlan prints a plan, and what render and publish would report.
func showPlan(ctx context.Context, ui *terminal.UI, loaded *app.Loaded, before app.Before, view planView,
	reviews *siteReviews, hosts *fleet.Hosts) error {
	ofNetwork := view.output.Format == "network"
	checked, err := flow(ui, loaded, before, noTolerance)
	if err != nil {
		return err
	}
	planned, rendered := checked.Plan, checked.Rendered
	shown := planned.Report
	if rendered.Err == nil {
		shown = compare(ui, rendered)
	}
	refusals := errors.Join(checked.Refusal, rendered.Err)
	var beyond error
	var ofVersion []string // warnings of publish alone
	if refusals == nil {
		unknown, newer := checked.OtherVersion(ctx, release.Version(), noTolerance)
		ofVersion = sentences(unknown, true)
		beyond = errors.Join(newer, refuseForeign(rendered, &before))
	}
	noteHosts(hosts, planned, refusals == nil && beyond == nil)
	whole := *shown
	whole.InputWarnings, whole.Preflight = ui.Warnings, append(sentences(checked.Warnings, true), ofVersion...)
	whole.Dangers, whole.Changes = report.Dangers(&whole), report.Changes(&whole)
	for _, refusal := range app.Flatten(errors.Join(refusals, beyond)) {
		whole.Refusals = append(whole.Refusals, refusal.Error())
	}
	switch {
	case reviews == nil:
	case len(whole.Refusals) > 0: // its tree stays, as after publish
		reviews.add(report.FailedReview(loaded.Site.Name, whole.Refusals))
	default:
		after := rendered.Tree
		if rendered.Err != nil { // there is nothing to compare
			after = before.Files
		}
		reviews.add(report.ReviewOf(&whole, before.Files, after, loaded.LeftToOthers()...))
	}
	if ofNetwork {
		loaded.Network.Tenants = append(loaded.Network.Tenants, loaded.Clashes()...)
		_, err = ui.Out.Write(loaded.Network.Table(ui.Width()))
	} else {
		view.asOf, view.clusters = asOf(loaded, before), planned.Clusters.All
		err = view.write(ui, planned.Placement, shownAs(planned, &whole, view.output.Format))
	}
	if err != nil {
		return err
	}
	for _, warning := range sentences(checked.Warnings, false) {
		ui.Say("render and publish would report: warning: %s", warning)
	}
	for _, warning := range ofVersion {
		ui.Say("publish would report: warning: %s", warning)
	}
	for _, word := range planned.LintErrors() {
		ui.Say("publish would report: %s", word)
	}
	refused := errors.Join(sayRefusals(ui, "render and publish", refusals), sayRefusals(ui, "publish", beyond))
	hintAtSpecs(ui, planned.Clusters.Problems)
	switch {
	case refused != nil:
		return errRefused
	case ofNetwork && loaded.Network.Overlaps():
		return errFinding
	}
	return outcome(planned)
}

// showWhatIf plans a site that is not there, and prints that. Nothing of it is checked or rendered.
func showWhatIf(ui *terminal.UI, ask whatif.Question, loaded *app.Loaded, before app.Before, view planView,
	hosts *fleet.Hosts) error {
	changed, err := ask.Apply(ui.In, loaded)
	if err != nil {
		return err
	}
	planned, err := plan(ui, changed.Site, before)
	if err != nil {
		return err
	}
	noteAlone(hosts, planned, true)
	largest, err := changed.Largest(planned)
	if err != nil {
		return err
	}
	shown := *planned.Report
	shown.WhatIf = append(changed.Lines, largest...)
	shown.InputWarnings = ui.Warnings
	view.asOf, view.clusters = asOf(loaded, before), planned.Clusters.All
	if err := view.write(ui, planned.Placement, &shown, changed.Site.LeftOut...); err != nil {
		return err
	}
	if planned.FrozenOrShort() {
		return errFinding
	}
	return nil
}

// shownAs returns a report for a format: what is for a terminal names files as they were given, and what may get into
// a tree or a pull request does not.
func shownAs(planned *app.Planned, p *report.Plan, format string) *report.Plan {
	if format == "table" || format == "wide" {
		return p.Here()
	}
	return p
}

// sayRefusals prints why commands would refuse a plan, and returns a finding.
func sayRefusals(ui *terminal.UI, commands string, err error) error {
	if err == nil {
		return nil
	}
	for _, refusal := range app.Flatten(err) {
		ui.Say("%s would end with: %s", commands, refusal)
	}
	return errFinding
}

// planView is the form in which a plan is shown.
type planView struct {
	output       cmdline.Output
	color        string
	all, colored bool
	// cluster as it was asked for, empty for all.
	cluster string
	// asOf is what the plan was made from.
	asOf string
	// clusters are those of the plan, with a spec.
	clusters []v1.SIPCluster
}

// lostIn returns what clusters lose with hosts of a planned site, as sipgen impact --by prints it.
func lostIn(placement *schedule.Placement, clusters []v1.SIPCluster) func(hosts []string) []picture.Loss {
	site := impact.Of(placement, clusters, impact.Options{Planned: true})
	return func(hosts []string) (out []picture.Loss) {
		goes := map[schedule.HostKey]bool{}
		for _, name := range hosts {
			goes[holdings.HostNamed(name)] = true
		}
		roles := site.Without(goes).Roles
		for i := range roles {
			out = append(out, picture.Loss{Cluster: roles[i].Cluster, Words: roles[i].Words()})
		}
		return out
	}
}

// asOf returns the time of the hosts, the commit of the tree, and this program's version.
func asOf(loaded *app.Loaded, before app.Before) string {
	hosts, tree := "hosts from files, without a time", "no previous tree"
	if at := loaded.Hosts.TakenAt; !at.IsZero() {
		hosts = "hosts read at " + at.UTC().Format(time.RFC3339)
	}
	switch {
	case before.Commit != "":
		tree = "tree of commit " + before.Commit
	case before.Known():
		tree = "tree in a folder, without a commit"
	}
	return hosts + "; " + tree + "; sipgen " + release.Version()
}

// check reads what was asked for.
func (v *planView) check(ui *terminal.UI, args []string) (err error) {
	if err := v.output.Check(); err != nil {
		return err
	}
	if len(args) > 0 {
		v.cluster = args[0]
		if slices.Contains([]string{"html", "network"}, v.output.Format) {
			return redact.Errorf("-o %s shows the whole site: leave out %q", v.output.Format, v.cluster)
		}
	}
	v.colored, err = ui.Colored(v.color, os.Getenv)
	return err
}

// write prints a placement and the words for it. Hosts that a what-if leaves out are only on the page.
func (v *planView) write(ui *terminal.UI, placement *schedule.Placement, plan *report.Plan,
	leftOut ...inventory.Host) error {
	if v.cluster != "" {
		var clusters []string
		for i := range plan.Clusters {
			clusters = append(clusters, plan.Clusters[i].Key())
		}
		cluster, err := cmdline.OneOf(v.cluster, "cluster", clusters)
		for i := range plan.Hosts {
			if host := plan.Hosts[i].Host; err != nil && (host == v.cluster || strings.HasSuffix(host, "/"+v.cluster)) {
				return redact.Errorf("%s: a host, not a cluster: sipgen explain %s explains its placement",
					redact.Plain(v.cluster), redact.Plain(v.cluster))
			}
		}
		if err != nil {
			return err
		}
		plan = plan.Only(cluster)
	}
	switch v.output.Format {
	case "html":
		site := picture.Of(placement, picture.Options{Name: plan.Site, AsOf: v.asOf, WhatIf: plan.WhatIf,
			Refusals: plan.Refusals, Dangers: report.Dangers(plan), Changes: plan.DrawnChanges(),
			More: plan.Undrawn(), Removed: leftOut,
			Lost: lostIn(placement, v.clusters)})
		_, err := ui.Out.Write(picture.HTML(site))
		return err
	case "json":
		return ui.JSON(plan)
	case "markdown":
		_, err := fmt.Fprint(ui.Out, report.Markdown(plan, v.all || v.cluster != ""))
		return err
	}
	many := plan.Totals().Assigned >= report.ManyHosts
	report.Table(ui.Out, plan, report.TableOptions{Wide: v.output.Format == "wide",
		Changes: many && !v.all && v.cluster == "", Color: v.colored, Width: ui.Width()})
	return nil
}
