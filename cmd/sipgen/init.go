package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/cmd/sipgen/internal/cmdline"
	"github.com/airshipit/sipgen/cmd/sipgen/internal/terminal"
	"github.com/airshipit/sipgen/internal/redact"
	"github.com/airshipit/sipgen/internal/survey"
)

// beginning is what init is told, and where it writes.
type beginning struct {
	in                          cmdline.Inputs
	dir                         string
	repo, engine, name, cluster string
	// named: the first SIPCluster was given by its flag.
	named bool
}

// specsFolder is where init puts the first SIPCluster.
const specsFolder = "tenants"

func newInit(ui *terminal.UI) *cobra.Command {
	var b beginning
	command := &cobra.Command{
		Use:   "init [DIR]",
		Short: "Look at the hosts, and write a first Site and SIPCluster",
		Long: `Read the hosts, print their differences, and write site.yaml and a first SIPCluster, both with
comments, into DIR (default: the current folder). Existing files stay. If no host is free, only
site.yaml is written.

--repo is the repository that the engine syncs. A path is one on this machine, for a trial: it is
created if it does not exist. Default: fleet.git in DIR. A trial needs no server, and writes to no
cluster.

On a terminal, sipgen prompts for missing flags. Otherwise --inventory is required.`,
		Example: `  sipgen init
  sipgen init --inventory hosts --repo ./fleet.git
  sipgen init --inventory cluster --repo https://git.example.org/fleet.git
  sipgen init --inventory hosts --repo ssh://git@git.example.org/fleet.git --cluster bank/prod`,
		Args: cmdline.Arguments(0, 1, "the folder to write to"),
		RunE: func(cmd *cobra.Command, args []string) error {
			b.dir = strings.Join(args, "")
			if b.dir == "" {
				b.dir = "."
			}
			b.named = cmd.Flags().Changed("cluster")
			return b.begin(cmd.Context(), ui)
		},
	}
	flags := command.Flags()
	b.in.InventoryFlag(command)
	flags.Lookup("inventory").Usage = "the hosts: a file or folder of manifests, a snapshot, or the word cluster"
	b.in.ClusterFlags(command)
	flags.StringVar(&b.repo, "repo", "", "the git repository that the engine syncs: an https or ssh `URL`, or a path, for a trial (default fleet.git in DIR)")
	flags.StringVar(&b.engine, "engine", "auto", "what syncs it: flux, argocd, or auto (the one that runs on the live cluster, else flux)")
	cmdline.CompleteFlag(command, "engine", "auto", string(v1alpha1.EngineFlux), string(v1alpha1.EngineArgoCD))
	flags.StringVar(&b.name, "name", "", "the Site's `NAME` (default: the folder's)")
	flags.StringVar(&b.cluster, "cluster", "tenant-a/first", "the first SIPCluster, `NAMESPACE/NAME`")
	return command
}

// begin looks at the hosts and writes the files.
func (b *beginning) begin(ctx context.Context, ui *terminal.UI) error {
	site := filepath.Join(b.dir, "site.yaml")
	if _, err := os.Lstat(site); !errors.Is(err, fs.ErrNotExist) {
		return redact.Errorf("%s is there already, and init changes no file: %s shows its plan; sipgen init DIR writes elsewhere", site, planOf(site))
	}
	if err := b.ask(ui); err != nil {
		return err
	}
	answers, err := b.answers(site)
	if err != nil {
		return err
	}
	hosts, err := b.hosts(ctx, ui)
	if err != nil {
		return err
	}
	if len(hosts.Hosts) == 0 {
		return fmt.Errorf("%s: no BareMetalHost in it", b.in.Inventory)
	}
	if err := b.installed(ctx, &answers); err != nil {
		return err
	}
	free, labelled, err := freeHosts(hosts.Hosts)
	if err != nil {
		return err
	}
	found := survey.Of(hosts.Hosts, free)
	//guard: init writes a first SIPCluster into the hosts' namespace, which every other command refuses
	if slices.ContainsFunc(found.Namespaces, func(n survey.Count) bool { return n.Name == answers.Namespace }) {
		return redact.Errorf("--cluster: hosts are in namespace %q, with their BMCs' credentials: want a namespace of the tenant's own", answers.Namespace)
	}
	proposal := survey.Propose(hosts.Hosts, found)
	show(ui, found, answers, b.engine == "auto")
	sayLabelled(ui, labelled, len(hosts.Hosts), site)
	answers.Nameless = sayNameless(ui, hosts.Hosts)
	return b.write(ui, found, proposal, answers, site, filepath.Join(b.dir, specsFolder, answers.Name+".yaml"))
}

// planOf is the command that shows what a Site gives.
func planOf(site string) string {
	if site == "site.yaml" {
		return "sipgen plan"
	}
	return "sipgen plan --site " + redact.Plain(site)
}
