package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/cmd/sipgen/internal/cmdline"
	"github.com/airshipit/sipgen/cmd/sipgen/internal/setup"
	"github.com/airshipit/sipgen/cmd/sipgen/internal/terminal"
)

func newInit(ui *terminal.UI) *cobra.Command {
	var (
		b    setup.Beginning
		base string
	)
	command := &cobra.Command{
		Use:   "init [DIR]",
		Short: "Look at the hosts, and write a first Site and SIPCluster",
		Long: `Read the hosts, print their differences, and write site.yaml and a first SIPCluster, both with
comments, into DIR (default: the current folder), with their JSON Schemas for editors. Existing
files stay. If no host is free, only site.yaml is written.

--repo is the repository that the engine syncs. A path is one on this machine, for a trial: it is
created if it does not exist. Default: fleet.git in DIR. A trial needs no server, and writes to no
cluster.

With --base, DIR becomes one more site of a fleet: a kustomization of the Site in the base. With
Argo CD it sets spec.argocd.names: site.`,
		Example: `  sipgen init --inventory hosts --repo ./fleet.git
  sipgen init --inventory cluster --repo https://git.example.org/fleet.git
  sipgen init --inventory hosts --repo ssh://git@git.example.org/fleet.git --cluster bank/prod
  sipgen init sites/dc4 --base base`,
		Args: cmdline.Arguments(0, 1, "the folder to write to"),
		RunE: func(cmd *cobra.Command, args []string) error {
			b.Dir = strings.Join(args, "")
			if b.Dir == "" {
				b.Dir = "."
			}
			b.Named = cmd.Flags().Changed("cluster")
			if base != "" {
				for _, name := range []string{"inventory", "repo", "engine", "cluster"} {
					flag := cmd.Flags().Lookup(name)
					variable := os.Getenv("SIPGEN_" + strings.ToUpper(name))
					if flag.Changed && flag.Value.String() != variable {
						return fmt.Errorf("--%s and --base: the Site in the base has it, use only one of them", name)
					}
				}
				return b.OfBase(ui, base)
			}
			return b.Begin(cmd.Context(), ui)
		},
	}
	flags := command.Flags()
	b.In.InventoryFlag(command)
	flags.Lookup("inventory").Usage = "the hosts: a file or folder of manifests, a snapshot, or the word cluster"
	b.In.ClusterFlags(command)
	flags.StringVar(&b.Repo, "repo", "",
		"the git repository that the engine syncs: an https or ssh `URL`, or a path, for a trial (default fleet.git in DIR)")
	flags.StringVar(&b.Engine, "engine", "auto",
		"the engine: flux, argocd, or auto (the one on the live cluster, else flux)")
	cmdline.CompleteFlag(command, "engine", "auto", string(v1alpha1.EngineFlux), string(v1alpha1.EngineArgoCD))
	flags.StringVar(&base, "base", "",
		"write a site of a fleet: the `DIR` with the kustomization of the Site that the sites share")
	flags.StringVar(&b.Name, "name", "", "the Site's `NAME` (default: the folder's)")
	flags.StringVar(&b.Cluster, "cluster", "tenant-a/first", "the first SIPCluster, `NAMESPACE/NAME`")
	return command
}
