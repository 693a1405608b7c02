package main

import (
	"errors"
	"fmt"

	"github.com/airshipit/sipgen/internal/preflight"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/schedule"
)

// preflight refuses a tree whose patches would do harm to the live hosts that it assigns or releases.
func (l *loaded) preflight(placement *schedule.Placement) (warnings []string, err error) {
	patched := map[string]bool{}
	for i := range placement.Clusters {
		for _, role := range placement.Clusters[i].Roles {
			for _, a := range role.Assigned {
				patched[a.Host.Key()] = true
			}
			for _, r := range role.Releasing {
				patched[r.Host.Key()] = true
			}
		}
	}
	var errs []error
	isPatched := func(host *inventory.Host) bool { return patched[host.Key()] }
	for _, finding := range preflight.Check(l.site.Spec.Engine, l.site.Spec.Hosts.Apply, l.hosts.Hosts, isPatched) {
		if finding.Warning {
			warnings = append(warnings, finding.String())
			continue
		}
		errs = append(errs, fmt.Errorf("refused: %s", finding))
	}
	return warnings, errors.Join(errs...)
}
