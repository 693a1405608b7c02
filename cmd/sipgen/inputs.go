package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/airshipit/sipgen/internal/manifest"
)

// inputs are the flags that say what to plan from.
type inputs struct {
	site       string
	specs      []string
	inventory  string
	kubeconfig string
	context    string
	// allowEmpty: no SIPCluster at all is no mistake.
	allowEmpty bool
	// allAddresses: read the addresses of every live host, not only of those that a plan may look at.
	allAddresses bool
	// keepGoing: what is wrong with the specs of one tenant is that one's finding, and the others go on.
	keepGoing bool
	// evict are tenants whose clusters count as gone.
	evict []string
}

func (in *inputs) flags(command *cobra.Command) {
	in.siteFlag(command)
	flags := command.Flags()
	flags.StringArrayVarP(&in.specs, "filename", "f", nil, "SIPCluster specs: a file or folder, - for standard input, or the word cluster; may be repeated")
	flags.StringVar(&in.inventory, "inventory", "", "the hosts: a file or folder of manifests, a snapshot, - for standard input, or the word cluster")
	flags.BoolVar(&in.allowEmpty, "allow-empty", false, "continue without any SIPCluster, when the last tenant is gone")
	flags.StringArrayVar(&in.evict, "evict", nil, "release the hosts of this `TENANT`, as if its specs were gone: the name of a tenant, or a namespace that is no listed tenant's; may be repeated")
	in.clusterFlags(command)
}

func (in *inputs) siteFlag(command *cobra.Command) {
	command.Flags().StringVar(&in.site, "site", "site.yaml", "the Site: `FILE`, or - for standard input")
}

func (in *inputs) clusterFlags(command *cobra.Command) {
	flags := command.Flags()
	flags.StringVar(&in.kubeconfig, "kubeconfig", "", "for the live cluster: the kubeconfig `FILE`; default: $KUBECONFIG, ~/.kube/config, or the pod's own account")
	flags.StringVar(&in.context, "context", "", "for the live cluster: the context in the kubeconfig")
}

// fromCluster is the word that stands for the live cluster in --filename and --inventory.
const fromCluster = "cluster"

// check refuses a command line that names too little, or standard input twice.
func (in *inputs) check() error {
	var errs []error
	if len(in.specs) == 0 {
		errs = append(errs, errors.New("--filename is required: the SIPCluster specs"))
	}
	if in.inventory == "" {
		errs = append(errs, errors.New("--inventory is required: where the hosts come from"))
	}
	stdin := 0
	for _, path := range append([]string{in.site, in.inventory}, in.specs...) {
		if path == manifest.Stdin {
			stdin++
		}
	}
	if stdin > 1 {
		errs = append(errs, fmt.Errorf("standard input (-) is given %d times, want at most once", stdin))
	}
	return errors.Join(errs...)
}

// files are what the flags name besides the hosts.
func (in *inputs) files() []string { return append([]string{in.site}, in.specs...) }
