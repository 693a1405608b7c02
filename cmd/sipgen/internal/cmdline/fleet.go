package cmdline

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/app"
	"github.com/airshipit/sipgen/internal/fleet"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/internal/redact"
)

// siteFlag is --site. The first value replaces the default, and each other adds a Site.
type siteFlag struct {
	in    *Inputs
	given []string
}

func (s *siteFlag) String() string {
	if s.in == nil {
		return ""
	}
	return s.in.Site
}

// Type is that of a flag whose default is shown in quotes.
func (s *siteFlag) Type() string { return "string" }

func (s *siteFlag) Set(path string) error {
	s.in.Site, s.given = path, append(s.given, path)
	return nil
}

// GetSlice returns all values.
func (s *siteFlag) GetSlice() []string { return s.given }

// SelectFlag is --select and --slice, of commands that take a fleet.
func (in *Inputs) SelectFlag(command *cobra.Command) {
	command.Flags().StringVar(&in.slice, "slice", "",
		"of a fleet, only each N-th Site by name, from the one with number I on: `I/N`, as in 0/4; for several runs")
	command.Flags().StringVar(&in.labeled, "select", "",
		"of a fleet, only the Sites with these metadata.labels: a label selector, as in `wave=1`")
}

// Fleet reports whether --site names the Sites of a fleet: it is repeated, or has a pattern. One Site may match.
func (in *Inputs) Fleet() bool {
	return len(in.sites.given) > 1 || len(in.sites.given) == 1 && isPattern(in.sites.given[0])
}

// isPattern reports whether a path is a pattern. A path that exists is none.
func isPattern(path string) bool {
	if !strings.ContainsAny(path, "*?[") {
		return false
	}
	_, err := os.Lstat(path)
	return err != nil
}

// ofOneSite are the flags that a fleet run refuses, with the reason.
var ofOneSite = []struct{ flag, instead string }{
	{"filename", "name the specs in spec.inputs.specs of each Site"},
	{"inventory", "name the hosts in spec.inputs.inventory of each Site"},
	{"path", "name the folder in spec.repository.path of each Site"},
	{"out", "run each Site by itself"},
	{"previous", "the previous trees are in the Sites' repositories"},
	{"adopt", "run that Site by itself"},
	{"accept-lost-tree", "run that Site by itself"},
}

// checkFleet refuses flags that are about one Site in a run of several.
func (in *Inputs) checkFleet(command *cobra.Command) error {
	var errs []error
	for _, one := range ofOneSite {
		if flag := command.Flags().Lookup(one.flag); flag != nil && flag.Changed {
			errs = append(errs, fmt.Errorf("--%s%s: is about one Site, and --site names a fleet: %s", one.flag,
				variableOf(one.flag), one.instead))
		}
	}
	if slices.Contains(in.sites.given, manifest.Stdin) {
		errs = append(errs, errors.New("--site: found - (standard input) in a fleet, want files and folders"))
	}
	if in.Context != "" && !strings.Contains(in.Context, app.SiteInContext) {
		errs = append(errs, redact.Errorf("--context: found %q, and --site names a fleet: want %s in it, for the "+
			"name of each Site", in.Context, app.SiteInContext))
	}
	return errors.Join(errs...)
}

// variableOf names the environment variable that may have set a flag.
func variableOf(flag string) string {
	for _, v := range flagVariables {
		if v.flag == flag && os.Getenv(v.name) != "" {
			return " or $" + v.name
		}
	}
	return ""
}

// checkOne refuses a fleet where a command takes one Site, and a selection from one.
func (in *Inputs) checkOne() error {
	switch {
	case in.Fleet():
		return redact.Errorf("--site: found several Sites (%s), want one", strings.Join(in.sites.given, ", "))
	case in.labeled != "", in.slice != "":
		return errors.New("--select and --slice choose from a fleet: repeat --site, or give it a pattern")
	}
	return nil
}

// LoadSite is app.Inputs.LoadSite for a command that takes one Site.
func (in *Inputs) LoadSite(stdin io.Reader) (*v1alpha1.Site, error) {
	if err := in.checkOne(); err != nil {
		return nil, err
	}
	return in.Inputs.LoadSite(stdin)
}

// Sites returns the Sites of a fleet run, by name.
func (in *Inputs) Sites(command *cobra.Command) ([]fleet.Site, error) {
	if err := in.checkFleet(command); err != nil {
		return nil, err
	}
	labeled, err := parseSelect(in.labeled)
	if err != nil {
		return nil, err
	}
	var slice fleet.Slice
	if in.slice != "" {
		if slice, err = fleet.ParseSlice(in.slice); err != nil {
			return nil, err
		}
	}
	paths, err := matches(in.sites.given)
	if err != nil {
		return nil, err
	}
	sites := make([]fleet.Site, len(paths))
	for i, path := range paths {
		sites[i] = app.SiteOf(path)
	}
	chosen, err := fleet.Choose(sites, labeled)
	chosen = slice.Of(chosen)
	in.branches = &branches{sites: chosen, of: map[fleetBranch]*openBranch{}}
	return chosen, err
}

// parseSelect reads --select. To Kubernetes wave== is the label with an empty value, and here one that was forgotten.
func parseSelect(words string) (labels.Selector, error) {
	selector, err := labels.Parse(words)
	if err == nil {
		all, _ := selector.Requirements()
		for i := range all {
			if all[i].Values().Has("") {
				err = errors.New("no value")
			}
		}
	}
	if err != nil {
		return nil, redact.Errorf("--select: found %q, want a label selector with values, as in wave=1", words)
	}
	return selector, nil
}

// Sliced reports whether the run is one of several for a fleet.
func (in *Inputs) Sliced() bool { return in.slice != "" }

// matches returns the paths that --site names, each once.
func matches(given []string) (paths []string, err error) {
	seen := map[string]bool{}
	for _, path := range given {
		found := []string{path}
		if isPattern(path) {
			if found, err = filepath.Glob(path); err != nil {
				return nil, redact.Errorf("--site: found %q, want a pattern with *, ? and [...], as in 'sites/*/site.yaml'", path)
			}
			if len(found) == 0 {
				return nil, redact.Errorf("--site: found %q, and no file or folder matches", path)
			}
		}
		for _, one := range found {
			if !seen[filepath.Clean(one)] {
				seen[filepath.Clean(one)], paths = true, append(paths, one)
			}
		}
	}
	return paths, nil
}

// Of returns the inputs of one Site of a fleet.
func (in *Inputs) Of(site *fleet.Site) *Inputs {
	own := &Inputs{Inputs: in.Inputs}
	own.Site, own.OfFleet = site.Path, site.Name
	own.Context = app.ContextOf(in.Context, site.Name)
	return own
}
