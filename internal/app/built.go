package app

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/airshipit/sipgen/internal/overlay"
	"github.com/airshipit/sipgen/render"
	"github.com/airshipit/sipgen/schedule"
)

// serviceBuilds caches the services that were built and checked in this run. A run renders again after a rival push,
// or after it froze a cluster for its services, and most services are unchanged then.
type serviceBuilds struct {
	// done is what is wrong with the services.
	done map[[sha256.Size]byte][]error
	// work is the work of patches, by tenant and cluster.
	work map[string]map[string]int
}

// checkServices builds the services that have patches or come from a mirror, as they are to be written. It reports
// changes by a tenant's patches that are not the tenant's to make, and built objects beyond the tenant's grants.
// Services without patches follow from their specs, which were checked before.
func (p *Planned) checkServices(services []render.Services) error {
	var errs []error
	for _, s := range services {
		for _, err := range p.Loaded.built.check(p, s) {
			errs = append(errs, &render.ClusterError{Cluster: schedule.KeyOf(s.Cluster), Err: err})
		}
	}
	return errors.Join(errs...)
}

// check returns what is wrong with the services of one cluster, checked once.
func (b *serviceBuilds) check(p *Planned, s render.Services) []error {
	id := identity(s)
	if found, done := b.done[id]; done {
		return found
	}
	var wrong []error
	var built overlay.Built
	// What has no patches and no mirror needs no build.
	patches, mirror := s.Cluster.Spec.Patches, p.Loaded.Site.Spec.Images.RegistryMirror
	switch {
	case len(patches) > 0 && !b.spend(p, s):
		wrong = []error{overlay.OfPatches(errors.New("with them the patches of the tenant's clusters take more than sipgen " +
			"and the engine spend on one tenant: want fewer patches, or join those of one object"))}
	case len(patches) > 0 || mirror != "":
		built, wrong = overlay.Check(s.Files, patches, mirror)
	}
	if len(wrong) == 0 && len(s.Cluster.Spec.Patches) > 0 {
		for _, err := range p.Loaded.Tenants.Built(s.Cluster, built.OwnImages) {
			wrong = append(wrong, overlay.OfPatches(err))
		}
	}
	if b.done == nil {
		b.done = map[[sha256.Size]byte][]error{}
	}
	b.done[id] = wrong
	return wrong
}

// mostWork bounds the overlay.Work of all patches of one tenant: some 30 seconds of a processor. A bound for all
// tenants would let the first freeze the others.
const mostWork = 16 << 20

// spend adds the work of a cluster's patches to that of its tenant's clusters before it, and reports whether that is
// within the bound.
func (b *serviceBuilds) spend(p *Planned, s render.Services) bool {
	tenant := s.Cluster.Namespace
	if t := p.Loaded.Tenants.Of(tenant); t != nil {
		tenant = t.Name
	}
	if b.work == nil {
		b.work = map[string]map[string]int{}
	}
	if b.work[tenant] == nil {
		b.work[tenant] = map[string]int{}
	}
	delete(b.work[tenant], s.Cluster.Key()) // it is built again
	all := overlay.Work(s.Files, s.Cluster.Spec.Patches)
	for _, work := range b.work[tenant] {
		all += work
	}
	if all > mostWork {
		return false
	}
	b.work[tenant][s.Cluster.Key()] = overlay.Work(s.Files, s.Cluster.Spec.Patches)
	return true
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
