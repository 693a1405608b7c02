// Package cmdline is the command line and its environment: the flags that several commands have, and what is wrong
// with them.
package cmdline

import (
	"context"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/airshipit/sipgen/cmd/sipgen/internal/terminal"
	"github.com/airshipit/sipgen/internal/app"
)

// Inputs are the flags for the inputs of a plan.
type Inputs struct {
	app.Inputs
	// sites are what --site names, and labeled is --select.
	sites   siteFlag
	labeled string
	// slice is --slice.
	slice string
	// branches are those of a fleet's trees; nil: of one Site.
	branches *branches
}

// Flags are all of them.
func (in *Inputs) Flags(command *cobra.Command) {
	in.SiteFlag(command)
	in.SpecsFlag(command, "")
	in.InventoryFlag(command)
	in.ClusterFlags(command)
}

// SpecsFlag is --filename; when begins its help.
func (in *Inputs) SpecsFlag(command *cobra.Command, when string) {
	command.Flags().StringArrayVarP(&in.Specs, "filename", "f", nil,
		when+"SIPCluster specs: a file or folder, - for standard input, or the word cluster; "+
			"may be repeated (default: the Site's spec.inputs)")
}

// SiteFlag is --site.
func (in *Inputs) SiteFlag(command *cobra.Command) {
	in.sites.in = in
	in.Site = "site.yaml"
	command.Flags().Var(&in.sites, "site",
		"the Site: a `FILE`, a folder with a kustomization, or - for standard input; of a fleet a quoted pattern, "+
			"may be repeated")
}

// InventoryFlag is --inventory.
func (in *Inputs) InventoryFlag(command *cobra.Command) {
	command.Flags().StringVar(&in.Inventory, "inventory", "",
		"the hosts: a file or folder of manifests, a snapshot, - for standard input, or the word cluster "+
			"(default: the Site's spec.inputs)")
}

// ClusterFlags are --kubeconfig and --context.
func (in *Inputs) ClusterFlags(command *cobra.Command) {
	flags := command.Flags()
	flags.StringVar(&in.Kubeconfig, "kubeconfig", "",
		"for the live cluster: the kubeconfig `FILE`; default: $KUBECONFIG, ~/.kube/config, or the pod's own account")
	flags.StringVar(&in.Context, "context", "", "for the live cluster: the context in the kubeconfig")
	_ = command.RegisterFlagCompletionFunc("context", in.completeContexts) // fails for a flag that is not there
}

// Files returns what the flags name besides the hosts.
func (in *Inputs) Files() []string { return append([]string{in.Site}, in.Specs...) }

// Load reads all inputs, and warns of what is likely not meant. What is wrong with one tenant's specs is no error.
func (in *Inputs) Load(ctx context.Context, ui *terminal.UI) (*app.Loaded, error) {
	l, err := in.Read(ctx, ui)
	if l == nil {
		return nil, err
	}
	warnings := l.Warnings()
	for i := range warnings {
		ui.Warn("%s", warnings[i].String())
	}
	return l, err
}

// Read reads all inputs, each valid by itself. With an error it gives what could be read; nil if nothing was tried.
func (in *Inputs) Read(ctx context.Context, ui *terminal.UI) (*app.Loaded, error) {
	if err := in.checkOne(); err != nil {
		return nil, err
	}
	for _, file := range in.Specs {
		switch filepath.Base(file) {
		case "kustomization.yaml", "kustomization.yml", "Kustomization":
			ui.Warn("-f %s: to build a kustomization, name its folder: -f %s", file, filepath.Dir(file))
		}
	}
	defer ui.Stage("reading specs and hosts")()
	l, err := app.Load(ctx, &in.Inputs, ui.In)
	if l == nil {
		return nil, err
	}
	for _, warning := range l.Unread {
		ui.Warn("%s", warning)
	}
	return l, err
}
