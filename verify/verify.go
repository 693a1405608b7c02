// Package verify has the checks that render leaves to its caller. Network compares the network plan, before anything is placed. Services builds
// what was rendered with kustomize, as the GitOps engine will, and checks what comes out: nothing else is to be written. What a Site grants to
// tenants (spec.tenants) is not checked here: the command does that.
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

// Service builds the services of one cluster if they have patches or come from a mirror, and reports what the tenant's patches change that
// is not the tenant's, and images that do not come from the mirror. kustomize keeps global state: builds wait for one another.
func Service(site *v1alpha1.Site, services render.Services) []error {
	_, errs := Built(site, services)
	return errs
}

// Built is Service, and gives what was built, for sipgen's own commands. Services that are not built have nothing wrong.
func Built(site *v1alpha1.Site, services render.Services) (overlay.Built, []error) {
	patches, mirror := len(services.Cluster.Spec.Patches), site.Spec.Images.RegistryMirror
	if patches == 0 && mirror == "" {
		return overlay.Built{}, nil
	}
	return overlay.Check(services.Files, patches, mirror)
}
