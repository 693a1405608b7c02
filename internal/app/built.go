package app

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/internal/overlay"
	"github.com/airshipit/sipgen/render"
	"github.com/airshipit/sipgen/verify"
)

// serviceBuilds are the services that were built and checked in this run, whoever asked for it. A run renders again
// where somebody else pushed first or a cluster was frozen for its services, and the services of most clusters are
// then what they were.
type serviceBuilds struct {
	done map[[sha256.Size]byte]serviceBuild
	// kept is how many of them have what was built.
	kept int
}

// serviceBuild is what was found out about one cluster's services.
type serviceBuild struct {
	wrong []error
	// built is kept of services that differ from those in the tree before, whose changes are said. nil of others.
	built *overlay.Built
}

// checkServices builds the services that have patches or come from a mirror, as they are to be written, and reports
// what a tenant's patches change that is not the tenant's, and what is built that the tenant is not granted. Services
// without patches have what their specs say, which was held to the grants before.
//
// was are the services in the tree before. It gives, by cluster, what was built of those that differ from them.
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
			errs = append(errs, &render.ClusterError{Cluster: keyOf(s.Cluster), Err: ofPatch(s.Cluster, err)})
		}
	}
	return changed, errors.Join(errs...)
}

// patchPath is how what is wrong with a patch begins.
var patchPath = regexp.MustCompile(`^(spec\.patches(?:\[\d+\])?): `)

// ofPatch is what is wrong with the services of a cluster, with the file and the line if it is wrong with a patch.
func ofPatch(c *v1.SIPCluster, err error) error {
	if at := patchPath.FindStringSubmatch(err.Error()); at != nil && c.Document != nil {
		return c.Problem(at[1], "%s", strings.TrimPrefix(err.Error(), at[0]))
	}
	return fmt.Errorf("%s: %w", c.Key(), err)
}

// check checks the services of one cluster, once.
func (b *serviceBuilds) check(p *Planned, s render.Services, keep bool) serviceBuild {
	id := identity(s)
	//guard: every round of a run builds every patched cluster anew
	if found, done := b.done[id]; done {
		return found
	}
	var found serviceBuild
	built, wrong := verify.Built(p.Loaded.Site, s)
	found.wrong = wrong
	if len(wrong) == 0 && len(s.Cluster.Spec.Patches) > 0 {
		for _, err := range p.Loaded.Tenants.Built(s.Cluster, built.OwnImages) {
			found.wrong = append(found.wrong, fmt.Errorf("spec.patches: %w", err))
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

// identity tells services apart: by the cluster, which has the same spec the whole run, and the files.
func identity(s render.Services) (id [sha256.Size]byte) {
	hash := sha256.New()
	fmt.Fprintf(hash, "%q\n", s.Cluster.Key())
	for _, name := range slices.Sorted(maps.Keys(s.Files)) {
		fmt.Fprintf(hash, "%q %d\n", name, len(s.Files[name]))
		//guard: services pass that are not the ones that were checked
		hash.Write(s.Files[name])
	}
	hash.Sum(id[:0])
	return id
}
