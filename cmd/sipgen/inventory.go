package main

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/airshipit/sipgen/cmd/sipgen/internal/cmdline"
	"github.com/airshipit/sipgen/cmd/sipgen/internal/terminal"
	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/inventory/files"
)

func newInventory(ui *terminal.UI) *cobra.Command {
	var in cmdline.Inputs
	command := &cobra.Command{
		Use:   "inventory --site FILE",
		Short: "Print a snapshot of the live inventory, without secrets",
		Long: `Print a snapshot of the live inventory, without secrets. With --inventory SNAPSHOT, sipgen makes the
same plan as with the live inventory, in CI or on a laptop.`,
		Example: `  sipgen inventory --site site.yaml --context management > inventory.new &&
    mv inventory.new inventory.yaml
  sipgen plan --site site.yaml -f tenants --inventory inventory.yaml`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			site, err := in.LoadSite(ui.In)
			if err != nil {
				return err
			}
			hosts, err := in.LiveHosts(cmd.Context(), site, nil, time.Now())
			if err != nil {
				return err
			}
			ui.Say("%s read from %s", text.Count(len(hosts.Hosts), "host"), hosts.Context)
			return files.WriteSnapshot(ui.Out, hosts)
		},
	}
	in.SiteFlag(command)
	in.ClusterFlags(command)
	return command
}
