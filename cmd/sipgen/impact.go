package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/airshipit/sipgen/cmd/sipgen/internal/cmdline"
	"github.com/airshipit/sipgen/cmd/sipgen/internal/terminal"
	"github.com/airshipit/sipgen/cmd/sipgen/internal/whatif"
	"github.com/airshipit/sipgen/internal/app"
	"github.com/airshipit/sipgen/internal/holdings"
	"github.com/airshipit/sipgen/internal/impact"
	"github.com/airshipit/sipgen/internal/redact"
	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/schedule"
)

// impactQuestion is what was asked: some hosts, or those of each value of a label.
type impactQuestion struct {
	hosts      []string
	by, atMost string
	tolerate   []string
}

func newImpact(ui *terminal.UI) *cobra.Command {
	var (
		in       cmdline.Inputs
		previous cmdline.Previous
		ask      impactQuestion
		output   cmdline.Output
	)
	command := &cobra.Command{
		Use:   "impact HOSTS... | --by LABEL",
		Short: "Show the impact of losing some hosts, and a safe order",
		Long: `Show the impact of losing some hosts: the active hosts that each role loses, the quorum of control
planes, load balancers without a server, addresses, and which hosts could replace them. HOSTS is the
name of a host or a label selector, as in rack=r7.

Then come waves: the hosts of a wave can be down together, once those of the wave before are back.
A control plane tolerates the loss of as many hosts as leave it a quorum, another role that of one
host or a tenth, --tolerate another number. Hosts that are cordoned, paused, failed, leaving or not
available count as down. A replacement makes no wave larger: its machine takes a while.

--by prints a line for each value of a label, the worst first. --at-most is a bound for CI: quorum
forbids that a value takes a control plane's quorum or all active hosts of a role, all only the
latter. A loss within --tolerate is allowed.

Exit codes: 0 done; 1 a role breaks in any order, or a value is beyond --at-most; 2 an error.`,
		Example: `  sipgen impact rack=r7
  sipgen impact r1n1-cp r1n2-w --tolerate tenant-a/edge-a/Worker=2
  sipgen impact --by rack --at-most quorum`,
		Args: func(cmd *cobra.Command, args []string) error { return ask.read(args) },
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := errors.Join(output.Check(), ask.check()); err != nil {
				return err
			}
			in.AllAddresses = true // any host may be asked about
			loaded, err := in.Load(cmd.Context(), ui)
			if err != nil {
				return err
			}
			sayOthers(ui, loaded)
			before, err := previous.ReadOrWarn(cmd.Context(), ui, loaded.Site, loaded.Hosts.TakenAt)
			if err != nil {
				return err
			}
			checked, err := flow(ui, loaded, before, noTolerance) // which freezes clusters, too
			if err != nil {
				return err
			}
			shown, breaks, err := ask.answer(checked.Plan)
			if err != nil {
				return err
			}
			if err := showImpact(ui, shown, output.Format); err != nil {
				return err
			}
			for _, line := range breaks {
				ui.Say("%s", line)
			}
			if len(breaks) > 0 {
				return errFinding
			}
			return nil
		},
	}
	in.Flags(command)
	previous.Flags(command, &in)
	flags := command.Flags()
	flags.StringVar(&ask.by, "by", "", "show the impact of each value of this `LABEL`, as in rack")
	flags.StringVar(&ask.atMost, "at-most", "",
		"with --by, exit with 1 if a value takes as much as this `BOUND`: quorum, all")
	flags.StringArrayVar(&ask.tolerate, "tolerate", nil,
		"how many hosts a role may lose at a time, `NAMESPACE/NAME/ROLE=N`; may be repeated; "+
			"NAME/ROLE=N if no other cluster is called so")
	output.Flag(command, "table", "json")
	cmdline.CompleteFlag(command, "at-most", impact.AtMostQuorum, impact.AtMostAll)
	return command
}

// read takes the arguments: hosts, or none with --by.
func (q *impactQuestion) read(args []string) error {
	q.hosts = args
	switch {
	case len(args) == 0 && q.by == "":
		return &cmdline.UsageError{Command: "impact",
			Err: errors.New("impact: an argument is missing, want hosts, as in rack=r7, or --by LABEL")}
	case len(args) > 0 && q.by != "":
		return &cmdline.UsageError{Command: "impact",
			Err: redact.Errorf("impact: found %q and --by, want hosts or --by LABEL", args[0])}
	}
	return nil
}

// check reads the flags.
func (q *impactQuestion) check() error {
	err := checkBy(q.by)
	bounds := []string{"", impact.AtMostQuorum, impact.AtMostAll}
	switch {
	case !slices.Contains(bounds, q.atMost):
		return errors.Join(err, redact.Errorf("--at-most: found %q, want quorum or all%s", q.atMost,
			cmdline.DidYouMean(q.atMost, bounds[1:])))
	case q.atMost != "" && q.by == "":
		return errors.Join(err, errors.New("--at-most: is a bound on --by, and there is none"))
	}
	return err
}

// answer returns what was asked for, and what is beyond the bounds.
func (q *impactQuestion) answer(p *app.Planned) (*impact.Report, []string, error) {
	hosts, name := p.Loaded.Hosts.Hosts, p.Loaded.Site.Name
	tolerate, err := whatif.Roles("tolerate", q.tolerate, p.Clusters.All)
	if err != nil {
		return nil, nil, err
	}
	site := impact.Of(p.Placement, p.Clusters.All, impact.Options{Tolerate: tolerate, Planned: q.by != ""})
	if q.by != "" {
		label := whatif.LabelKey(hosts, q.by)
		if !slices.ContainsFunc(hosts, func(h inventory.Host) bool { _, has := h.Labels[label]; return has }) {
			return nil, nil, redact.Errorf("--by: found %q, and no host has that label", q.by)
		}
		shown := site.By(name, label)
		var beyond []string
		if q.atMost != "" {
			beyond = shown.Beyond(q.atMost)
		}
		for i := range beyond {
			beyond[i] = "--at-most " + q.atMost + ": " + beyond[i]
		}
		return shown, beyond, nil
	}
	goes := map[schedule.HostKey]bool{}
	for _, asked := range q.hosts {
		matching, unknown := whatif.Matching(hosts, asked)
		err = errors.Join(err, unknown)
		for i := range matching {
			goes[holdings.KeyOf(&matching[i])] = true
		}
	}
	if err != nil {
		return nil, nil, err
	}
	shown := impact.OfHosts(name, site.Without(goes))
	return shown, shown.Broken(), nil
}

// showImpact prints what was asked for.
func showImpact(ui *terminal.UI, shown *impact.Report, output string) error {
	if output == "json" {
		return ui.JSON(shown)
	}
	if shown.By != "" {
		rows := shown.ValueRows()
		return ui.Columns(rows, len(rows[0])-1)
	}
	rows := shown.HostRows()
	if err := ui.Columns(rows, len(rows[0])-1); err != nil {
		return err
	}
	fmt.Fprintln(ui.Out)
	if len(shown.Roles) == 0 {
		fmt.Fprintln(ui.Out, "No role loses an active host.")
	} else if rows := shown.RoleRows(); true {
		if err := ui.Columns(rows, len(rows[0])-1); err != nil {
			return err
		}
	}
	for i := range shown.Roles {
		if r := &shown.Roles[i]; r.Down > 0 {
			fmt.Fprintf(ui.Out, "%s %s has down: %s.\n", r.Cluster, r.Role, text.Some(r.Because, terminal.MostLines))
		}
	}
	if used := shown.Used(); len(used) > 0 {
		fmt.Fprintf(ui.Out, "In use, in no role of this site, and spared by no wave: %s.\n",
			text.Some(used, terminal.MostLines))
	}
	for n, wave := range shown.Waves {
		fmt.Fprintf(ui.Out, "\nWave %d: %s\n", n+1, text.Count(len(wave.Hosts), "host"))
		if len(wave.Before) > 0 {
			fmt.Fprintf(ui.Out, "  before, uncordoned and with their nodes ready: %s\n", strings.Join(wave.Before, ", "))
		}
		if len(wave.Commands) == 0 {
			fmt.Fprintln(ui.Out, "  all are cordoned")
		}
		for _, command := range wave.Commands {
			fmt.Fprintf(ui.Out, "  %s\n", command)
		}
	}
	return nil
}
