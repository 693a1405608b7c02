// Package verify has the checks that render leaves to its caller. Network compares the network plan before anything
// is placed. Services builds rendered services with kustomize, as the GitOps engine will, and checks the result:
// write nothing else. The grants of a Site to tenants (spec.tenants) are not checked here, but by the command.
package verify

import (
	"errors"
	"fmt"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/overlay"
	"github.com/airshipit/sipgen/render"
)

// Services is Service for each of them, with the cluster before every problem, joined.
func Services(site *v1alpha1.Site, services []render.Services) error {
	var errs []error
	for _, s := range services {
		for _, err := range Service(site, s) {
			errs = append(errs, fmt.Errorf("%s: %w", s.Cluster.Key(), err))
		}
	}
	return errors.Join(errs...)
}

// Service builds the services of one cluster if they have patches or come from a mirror, and reports changes by the
// tenant's patches that are not the tenant's to make, and images that do not come from the mirror. kustomize keeps
// global state: builds wait for one another.
func Service(site *v1alpha1.Site, services render.Services) []error {
	_, errs := Built(site, services)
	return errs
}

// Built is Service, and also returns the build, for sipgen's own commands. Services that need no build have no
// errors.
func Built(site *v1alpha1.Site, services render.Services) (overlay.Built, []error) {
	patches, mirror := len(services.Cluster.Spec.Patches), site.Spec.Images.RegistryMirror
	if patches == 0 && mirror == "" {
		return overlay.Built{}, nil
	}
	return overlay.Check(services.Files, patches, mirror)
}
