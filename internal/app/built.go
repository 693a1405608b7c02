package app

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"slices"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1/validation"
	"github.com/airshipit/sipgen/internal/overlay"
	"github.com/airshipit/sipgen/render"
	"github.com/airshipit/sipgen/schedule"
)

// serviceBuilds caches the services that were built and checked in this run. A run renders again after a rival push,
// or after it froze a cluster for its services, and most services are unchanged then.
type serviceBuilds struct {
	done map[[sha256.Size]byte]serviceBuild
	// kept counts the cached builds with their objects.
	kept int
}

// serviceBuild is the result for one cluster's services.
type serviceBuild struct {
	wrong []error
	// built is kept for services that differ from the previous tree's, whose changes are reported; nil for others.
	built *overlay.Built
}

// checkServices builds the services that have patches or come from a mirror, as they are to be written. It reports
// changes by a tenant's patches that are not the tenant's to make, and built objects beyond the tenant's grants.
// Services without patches follow from their specs, which were checked before.
//
// was are the services of the previous tree. The result has, by cluster, the builds of services that differ from
// them.
func (p *Planned) checkServices(services []render.Services,
	was map[string]map[string][]byte) (map[string]*overlay.Built, error) {
	changed := map[string]*overlay.Built{}
	var errs []error
	for _, s := range services {
		before := was[s.Cluster.Key()]
		found := p.Loaded.built.check(p, s, before != nil && !maps.EqualFunc(before, s.Files, bytes.Equal))
		if found.built != nil {
			changed[s.Cluster.Key()] = found.built
		}
		for _, err := range found.wrong {
			errs = append(errs, &render.ClusterError{Cluster: schedule.KeyOf(s.Cluster), Err: ofPatch(s.Cluster, err)})
		}
	}
	return changed, errors.Join(errs...)
}

// ofPatch returns a problem with the services of a cluster, with file and line if it is in a patch.
func ofPatch(c *v1.SIPCluster, err error) error {
	var field validation.FieldError
	if errors.As(err, &field) && c.Document != nil {
		return c.Problem(field.Path, "%s", field.Message)
	}
	return fmt.Errorf("%s: %w", c.Key(), err)
}

// check checks the services of one cluster, once.
func (b *serviceBuilds) check(p *Planned, s render.Services, keep bool) serviceBuild {
	id := identity(s)
	if found, done := b.done[id]; done {
		return found
	}
	var found serviceBuild
	var built overlay.Built
	// What has no patches and no mirror needs no build.
	if patches, mirror := len(s.Cluster.Spec.Patches), p.Loaded.Site.Spec.Images.RegistryMirror; patches > 0 ||
		mirror != "" {
		built, found.wrong = overlay.Check(s.Files, patches, mirror)
	}
	if len(found.wrong) == 0 && len(s.Cluster.Spec.Patches) > 0 {
		for _, err := range p.Loaded.Tenants.Built(s.Cluster, built.OwnImages) {
			found.wrong = append(found.wrong, overlay.OfPatches(err))
		}
	}
	if keep && len(found.wrong) == 0 && built.Objects != nil && b.kept < maxCompared {
		b.kept++
		found.built = &built
	}
	if b.done == nil {
		b.done = map[[sha256.Size]byte]serviceBuild{}
	}
	b.done[id] = found
	return found
}

// identity returns a key for services: their cluster, whose spec is constant in a run, and their files.
func identity(s render.Services) (id [sha256.Size]byte) {
	hash := sha256.New()
	fmt.Fprintf(hash, "%q\n", s.Cluster.Key())
	for _, name := range slices.Sorted(maps.Keys(s.Files)) {
		fmt.Fprintf(hash, "%q %d\n", name, len(s.Files[name]))
		hash.Write(s.Files[name])
	}
	hash.Sum(id[:0])
	return id
}
