package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/airshipit/sipgen/manifest"
	"github.com/airshipit/sipgen/report"
)

func newExplain(ui *ui) *cobra.Command {
	var (
		in     inputs
		before previous
	)
	command := &cobra.Command{
		Use:   "explain NAMESPACE/NAME --site FILE -f SPECS --inventory HOSTS",
		Short: "Say of one host or cluster: why here, why not there",
		Example: `  sipgen explain tenant-a/edge-a --site site.yaml -f tenants --inventory hosts
  sipgen explain vino-system/r1n1-cp --site site.yaml -f tenants --inventory hosts`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			loaded, err := in.load(cmd.Context(), ui)
			if err != nil {
				return err
			}
			tree, err := before.read(cmd.Context())
			if err != nil {
				return err
			}
			plan, err := loaded.plan(tree)
			if err != nil {
				return err
			}
			return explain(ui, plan.report, args[0])
		},
	}
	in.flags(command)
	before.flags(command)
	return command
}

func explain(ui *ui, plan *report.Plan, name string) error {
	var names []string
	found := false
	for i := range plan.Clusters {
		c := &plan.Clusters[i]
		names = append(names, c.Key())
		if c.Key() == name {
			found = true
			report.ExplainCluster(ui.out, plan, c)
		}
	}
	for i := range plan.Hosts {
		h := &plan.Hosts[i]
		names = append(names, h.Host)
		if h.Host == name {
			found = true
			report.ExplainHost(ui.out, plan, h)
		}
	}
	if found {
		return nil
	}
	slices.Sort(names)
	if near := manifest.Nearest(name, names); near != "" {
		return fmt.Errorf("%s: no such host or cluster, did you mean %q?", name, near)
	}
	return fmt.Errorf("%s: no such host or cluster; want namespace/name of one of %d hosts and %d clusters", name, len(plan.Hosts), len(plan.Clusters))
}
