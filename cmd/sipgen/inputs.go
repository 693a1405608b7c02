package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/internal/redact"
	"github.com/airshipit/sipgen/internal/text"
)

// inputs are the flags that say what to plan from.
type inputs struct {
	site       string
	specs      []string
	inventory  string
	kubeconfig string
	context    string
	// allAddresses: read the addresses of every live host, not only of those that a plan may look at.
	allAddresses bool
	// specsOfSite, inventoryOfSite: the Site says where they are, and no flag.
	specsOfSite, inventoryOfSite bool
	// liveFlags are of use with a live cluster only.
	liveFlags []*pflag.Flag
}

func (in *inputs) flags(command *cobra.Command) {
	in.siteFlag(command)
	in.specsFlag(command, "")
	in.inventoryFlag(command)
	in.clusterFlags(command)
}

func (in *inputs) specsFlag(command *cobra.Command, when string) {
	command.Flags().StringArrayVarP(&in.specs, "filename", "f", nil, when+"SIPCluster specs: a file or folder, - for standard input, or the word cluster; may be repeated (default: the Site's spec.inputs)")
}

func (in *inputs) siteFlag(command *cobra.Command) {
	command.Flags().StringVar(&in.site, "site", "site.yaml", "the Site: `FILE`, or - for standard input")
}

func (in *inputs) inventoryFlag(command *cobra.Command) {
	command.Flags().StringVar(&in.inventory, "inventory", "", "the hosts: a file or folder of manifests, a snapshot, - for standard input, or the word cluster (default: the Site's spec.inputs)")
}

func (in *inputs) clusterFlags(command *cobra.Command) {
	flags := command.Flags()
	flags.StringVar(&in.kubeconfig, "kubeconfig", "", "for the live cluster: the kubeconfig `FILE`; default: $KUBECONFIG, ~/.kube/config, or the pod's own account")
	flags.StringVar(&in.context, "context", "", "for the live cluster: the context in the kubeconfig")
	in.liveFlags = []*pflag.Flag{flags.Lookup("context"), flags.Lookup("kubeconfig")}
	_ = command.RegisterFlagCompletionFunc("context", in.completeContexts) // fails for a flag that is not there
}

// fromCluster is the word that stands for the live cluster in --filename and --inventory.
const fromCluster = v1alpha1.InputCluster

// fromSite takes what the command line leaves open from the Site, whose paths are relative to its file.
func (in *inputs) fromSite(site *v1alpha1.Site) {
	if site == nil {
		return
	}
	var all []string
	for _, path := range site.Spec.Inputs.Specs {
		all = append(all, in.beside(path))
	}
	if len(in.specs) == 0 {
		in.specs, in.specsOfSite = all, true
	}
	if in.inventory == "" && site.Spec.Inputs.Inventory != "" {
		in.inventory, in.inventoryOfSite = in.beside(site.Spec.Inputs.Inventory), true
	}
}

// missingOf says who names a file or folder that is not there, or has nothing in it, where nobody typed its name just now: a field of the Site, or a
// variable of the environment.
func (in *inputs) missingOf(err error, bySite bool, field, variable string, path ...string) error {
	switch given := os.Getenv(variable); {
	case !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, manifest.ErrNoFiles):
		return err
	case bySite:
		return fmt.Errorf("%w (%s of %s names it)", err, field, in.site)
	case given != "" && given == strings.Join(path, string(filepath.ListSeparator)):
		return fmt.Errorf("%w ($%s names it)", err, variable)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, one := range path {
		//guard: who misspells the word for the live cluster is told of a file
		if near := nearPath(one); near != "" {
			flag := map[string]string{"SIPGEN_SPECS": "--filename", "SIPGEN_INVENTORY": "--inventory"}[variable]
			return fmt.Errorf("%s: %w%s", flag, err, redact.Sprintf(", did you mean %q?", near))
		}
	}
	return err
}

// nearPath is what was probably meant by a path where there is nothing: a neighbour of its, or the word for the live cluster.
func nearPath(given string) string {
	if given == fromCluster || there(given) {
		return ""
	}
	var names []string
	entries, err := os.ReadDir(filepath.Dir(given))
	if err != nil {
		return ""
	}
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	if filepath.Base(given) == given {
		names = append(names, fromCluster)
	}
	near := manifest.Nearest(filepath.Base(given), names)
	if near == "" || near == fromCluster {
		return near
	}
	return filepath.Join(filepath.Dir(given), near)
}

// beside is a path of the Site's, which is relative to the Site's file.
func (in *inputs) beside(path string) string {
	if path == fromCluster || in.site == manifest.Stdin {
		return path
	}
	return filepath.Join(filepath.Dir(in.site), filepath.FromSlash(path))
}

// checkStdin refuses a command line that names standard input more than once.
func (in *inputs) checkStdin() error {
	stdin := 0
	for _, path := range append([]string{in.site, in.inventory}, in.specs...) {
		if path == manifest.Stdin {
			stdin++
		}
	}
	if stdin > 1 {
		return fmt.Errorf("standard input (-) is given %d times, want at most once", stdin)
	}
	return nil
}

// checkGiven wants to know where the specs and the hosts come from.
func (in *inputs) checkGiven() error {
	var errs []error
	if len(in.specs) == 0 {
		errs = append(errs, errors.New("--filename is required: the SIPCluster specs; or name them in the Site's spec.inputs.specs"))
	}
	return errors.Join(append(errs, in.checkInventory())...)
}

func (in *inputs) checkInventory() error {
	if in.inventory == "" {
		return errors.New("--inventory is required: where the hosts come from; or name it in the Site's spec.inputs.inventory")
	}
	return nil
}

// files are what the flags name besides the hosts.
func (in *inputs) files() []string { return append([]string{in.site}, in.specs...) }

// warnUnused says which flags do nothing with these inputs, and which files beside them are not read though they look as if they were meant to be. What the
// environment gives is for whoever needs it.
func (in *inputs) warnUnused(ui *ui, l *loaded) {
	if in.inventory != fromCluster && !slices.Contains(in.specs, fromCluster) {
		for _, flag := range in.liveFlags {
			//guard: --context is given, the hosts come from files, and the reader believes that they are live
			if flag.Changed && flag.Value.String() != os.Getenv("SIPGEN_"+strings.ToUpper(flag.Name)) {
				ui.warn("--%s does nothing: neither hosts nor specs are read from the live cluster; --inventory cluster reads the hosts there", flag.Name)
			}
		}
	}
	if l.hostsInSpecs > 0 && len(l.clusters) > 0 && !slices.ContainsFunc(in.specs, in.hasHosts) {
		ui.warn("%s: %s among the specs: not read here; --inventory is for hosts", strings.Join(in.specs, " "), text.Count(l.hostsInSpecs, "BareMetalHost"))
	}
	in.warnBeside(ui, l)
}

// hasHosts says that the inventory is in a folder of specs, or the specs are in its.
func (in *inputs) hasHosts(specs string) bool {
	within := func(folder, path string) bool {
		rest, err := filepath.Rel(folder, path)
		return err == nil && filepath.IsLocal(rest)
	}
	return within(specs, in.inventory) || within(in.inventory, specs)
}
