package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/airshipit/sipgen/cmd/sipgen/internal/cmdline"
	"github.com/airshipit/sipgen/cmd/sipgen/internal/terminal"
	"github.com/airshipit/sipgen/internal/app"
	"github.com/airshipit/sipgen/internal/holdings"
	"github.com/airshipit/sipgen/internal/redact"
	"github.com/airshipit/sipgen/internal/report"
)

func newExplain(ui *terminal.UI) *cobra.Command {
	var (
		in       cmdline.Inputs
		previous cmdline.Previous
		output   cmdline.Output
	)
	command := &cobra.Command{
		Use:   "explain NAME",
		Short: "Explain the placement of a host or a cluster",
		Long: `Explain the placement of a host or a cluster. NAME is NAMESPACE/NAME, or the name alone if it is
unique.`,
		Example: `  sipgen explain edge-a
  sipgen explain tenant-a/edge-a --site site.yaml -f tenants --inventory hosts
  sipgen explain vino-system/r1n1-cp --site site.yaml -f tenants --inventory hosts`,
		Args: cmdline.Arguments(1, 1, "the name of a host or a cluster"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := output.Check(); err != nil {
				return err
			}
			in.AllAddresses = true // any host may be asked about
			loaded, err := in.Load(cmd.Context(), ui)
			if err != nil {
				return err
			}
			before, err := previous.ReadOrWarn(cmd.Context(), ui, loaded.Site, loaded.Hosts.TakenAt)
			if err != nil {
				return err
			}
			checked, err := flow(ui, loaded, before, noTolerance)
			if err != nil {
				return err
			}
			return explain(ui, checked.Plan, args[0], output.Format)
		},
	}
	in.Flags(command)
	previous.Flags(command, &in)
	output.Flag(command, "text", "json")
	return command
}

// explain prints the explanation of a host or a cluster, or of both if they share the name.
func explain(ui *terminal.UI, p *app.Planned, name, output string) error {
	cluster, host, err := findNamed(p, name)
	if err != nil {
		return err
	}
	if output == "json" {
		plan := *p.Report
		plan.InputWarnings = ui.Warnings
		return ui.JSON(report.Explain(&plan, p.Placement, cluster, host))
	}
	var words string
	if cluster != "" {
		said, _ := report.ExplainCluster(p.Placement, holdings.ClusterNamed(cluster))
		words += said
	}
	if host != "" {
		said, _ := report.ExplainHost(p.Placement, holdings.HostNamed(host))
		words += said + unpatched(p, host)
	}
	return ui.Block(words)
}

// unpatched returns, for a host without a cluster, why no patch of it may be written, and the remedy. A held one has
// the reason already.
func unpatched(p *app.Planned, host string) string {
	var b strings.Builder
	for _, found := range p.Loaded.Unpatchable[host] {
		if clusterOf(p, host) == "" {
			fmt.Fprintf(&b, "  not handed out until this is fixed: %s\n", found.Sentence())
		}
	}
	return b.String()
}

// clusterOf returns the cluster that has a host, or gets it.
func clusterOf(p *app.Planned, host string) string {
	for i := range p.Report.Hosts {
		if p.Report.Hosts[i].Host == host {
			return p.Report.Hosts[i].Cluster
		}
	}
	return ""
}

// findNamed returns the cluster and the host of a name: one of the two, or both if a cluster and a host are called so,
// namespace and all.
func findNamed(p *app.Planned, name string) (cluster, host string, err error) {
	var names []string
	known := map[string]int{}
	const isCluster, isHost = 1, 2
	for i := range p.Placement.Clusters {
		key := p.Placement.Clusters[i].Key.String()
		names, known[key] = append(names, key), isCluster
	}
	for i := range p.Placement.Hosts {
		key := p.Placement.Hosts[i].Host.Key()
		if known[key] == 0 {
			names = append(names, key)
		}
		known[key] |= isHost
	}
	if gone := goneHost(p, name); gone != nil {
		return "", "", gone
	}
	key, err := cmdline.OneOf(name, "host or cluster", names)
	if err != nil {
		return "", "", err
	}
	if known[key]&isCluster != 0 {
		cluster = key
	}
	if known[key]&isHost != 0 {
		host = key
	}
	return cluster, host, nil
}

// goneHost reports a host of the tree that is gone from the inventory, because a similar name would lead to another
// server.
func goneHost(p *app.Planned, name string) error {
	for _, claim := range p.Placement.Holdings.Gone {
		if key := claim.Host.String(); key == name || claim.Host.Name == name {
			return redact.Errorf("%s: not in the inventory; the tree has it as a host of %s %s", key,
				claim.Cluster.String(), claim.Role)
		}
	}
	return nil
}
