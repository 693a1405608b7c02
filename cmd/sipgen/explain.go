package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/internal/redact"
	"github.com/airshipit/sipgen/internal/report"
	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/schedule"
)

func newExplain(ui *ui) *cobra.Command {
	var (
		in       inputs
		previous previousFlags
	)
	command := &cobra.Command{
		Use:   "explain NAMESPACE/NAME",
		Short: "Explain why a host or cluster is placed as it is",
		Example: `  sipgen explain tenant-a/edge-a --site site.yaml -f tenants --inventory hosts
  sipgen explain vino-system/r1n1-cp --site site.yaml -f tenants --inventory hosts`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			in.allAddresses = true // any host may be asked about
			loaded, err := in.load(cmd.Context(), ui)
			if err != nil {
				return err
			}
			before, err := previous.read(cmd.Context(), ui, loaded.site)
			if err != nil {
				return err
			}
			decided, err := loaded.decide(ui, before)
			if err != nil {
				return err
			}
			return explain(ui, decided.placement, args[0])
		},
	}
	in.flags(command)
	previous.flags(command)
	keepGoingFlag(command, &in)
	return command
}

// explain prints what the placement says of a host or a cluster; a name that is both gets both.
func explain(ui *ui, p *schedule.Placement, name string) error {
	namespace, short, found := strings.Cut(name, "/")
	if found {
		cluster, isCluster := report.ExplainCluster(p, schedule.ClusterKey{Namespace: namespace, Name: short})
		host, isHost := report.ExplainHost(p, schedule.HostKey{Namespace: namespace, Name: short})
		if isCluster || isHost {
			_, err := fmt.Fprint(ui.out, text.Block(cluster+host))
			return err
		}
	}
	var names []string
	for i := range p.Clusters {
		names = append(names, p.Clusters[i].Key.String())
	}
	for i := range p.Hosts {
		names = append(names, p.Hosts[i].Host.Key())
	}
	for _, known := range names {
		if strings.HasSuffix(known, "/"+name) {
			return redact.Errorf("%s: no such host or cluster, did you mean %q?", redact.Plain(name), known)
		}
	}
	if near := manifest.Nearest(name, names); near != "" {
		return redact.Errorf("%s: no such host or cluster, did you mean %q?", redact.Plain(name), near)
	}
	return redact.Errorf("%s: no such host or cluster among %d hosts and %d clusters, want NAMESPACE/NAME", redact.Plain(name), len(p.Hosts), len(p.Clusters))
}
