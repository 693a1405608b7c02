package app

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/manifest"
)

// Inputs are the sources of specs, Site and hosts.
type Inputs struct {
	Site       string
	Specs      []string
	Inventory  string
	Kubeconfig string
	Context    string
	// AllAddresses: read the addresses of every live host, and not only of those that a plan may use.
	AllAddresses bool
	// OfFleet is the Site's name in a run of several Sites, empty in a run of one.
	OfFleet string
	// Taken are the uids of hosts that other Sites of the run have, with these Sites. They are left out.
	Taken map[string]string
	// specsOfSite, inventoryOfSite: the paths come from the Site, and not from flags.
	specsOfSite, inventoryOfSite bool
	// built: Site is a folder with a kustomization.
	built bool
}

// FromCluster is the word for the live cluster in --filename and --inventory.
const FromCluster = v1alpha1.InputCluster

// fromSite fills in the Site's inputs where flags are missing.
func (in *Inputs) fromSite(site *v1alpha1.Site) {
	if site == nil {
		return
	}
	var all []string
	for _, path := range site.Spec.Inputs.Specs {
		all = append(all, in.Beside(path))
	}
	if len(in.Specs) == 0 {
		in.Specs, in.specsOfSite = all, true
	}
	if in.Inventory == "" && site.Spec.Inputs.Inventory != "" {
		in.Inventory, in.inventoryOfSite = in.Beside(site.Spec.Inputs.Inventory), true
	}
}

// missingOf adds to an error about a missing or empty path where it was named, if not on the command line: a field of
// the Site, or an environment variable.
func (in *Inputs) missingOf(err error, bySite bool, field, variable string, path ...string) error {
	switch given := os.Getenv(variable); {
	case !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, manifest.ErrNoFiles):
		return err
	case bySite:
		return fmt.Errorf("%w (%s of %s names it)", err, field, in.Site)
	case given != "" && given == strings.Join(path, string(filepath.ListSeparator)):
		return fmt.Errorf("%w ($%s names it)", err, variable)
	}
	return err
}

// Beside returns a path of the Site: it is relative to the folder of the Site's file, or to that of its kustomization.
func (in *Inputs) Beside(path string) string {
	if path == FromCluster || in.Site == manifest.Stdin {
		return path
	}
	return filepath.Join(in.folder(), filepath.FromSlash(path))
}

// folder is what paths of the Site are relative to.
func (in *Inputs) folder() string {
	switch {
	case in.Site == manifest.Stdin:
		return "."
	case in.built:
		return in.Site
	}
	return filepath.Dir(in.Site)
}

// checkStdin refuses a command line with several uses of standard input.
func (in *Inputs) checkStdin() error {
	stdin := 0
	for _, path := range append([]string{in.Site, in.Inventory}, in.Specs...) {
		if path == manifest.Stdin {
			stdin++
		}
	}
	if stdin > 1 {
		return fmt.Errorf("standard input (-) is given %d times, want at most once", stdin)
	}
	return nil
}

// checkGiven refuses inputs without specs or hosts.
func (in *Inputs) checkGiven() error {
	var errs []error
	if len(in.Specs) == 0 {
		errs = append(errs, errors.New("--filename is required: the SIPCluster specs; "+
			"or name them in the Site's spec.inputs.specs"))
	}
	return errors.Join(append(errs, in.CheckInventory())...)
}

func (in *Inputs) CheckInventory() error {
	if in.Inventory == "" {
		return errors.New("--inventory is required: where the hosts come from; " +
			"or name it in the Site's spec.inputs.inventory")
	}
	return nil
}
