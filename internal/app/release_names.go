package app

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/inventory"
)

// nameReleased puts the namespace before each host that the Site's spec.hosts.release names without one. A name that several hosts have is an
// error, and so is a host that is named twice; a name that no host has stays as it is, for the plan to warn of.
func nameReleased(site *v1alpha1.Site, hosts []inventory.Host) error {
	if len(site.Spec.Hosts.Release) == 0 {
		return nil
	}
	called := map[string][]string{} // by name
	for i := range hosts {
		if key := hosts[i].Key(); !slices.Contains(called[hosts[i].Name], key) {
			called[hosts[i].Name] = append(called[hosts[i].Name], key)
		}
	}
	var errs []error
	first := map[string]string{}
	for i := range site.Spec.Hosts.Release {
		release := &site.Spec.Hosts.Release[i]
		for j, host := range release.Hosts {
			field := fmt.Sprintf("spec.hosts.release[%d].hosts[%d]", i, j)
			if candidates := called[host]; !strings.Contains(host, "/") && len(candidates) > 0 {
				if len(candidates) > 1 {
					slices.Sort(candidates)
					errs = append(errs, fmt.Errorf("site %s: %s: %q is the name of several hosts, want one of %s",
						site.Name, field, host, strings.Join(candidates, ", ")))
					continue
				}
				host = candidates[0]
			}
			if first[host] != "" {
				errs = append(errs, fmt.Errorf("site %s: %s: %s is a duplicate of %s", site.Name, field, host, first[host]))
				continue
			}
			first[host], release.Hosts[j] = field, host
		}
	}
	return errors.Join(errs...)
}
