package main

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/internal/overlay"
	"github.com/airshipit/sipgen/render"
)

// patchWeight is what the patches of one cluster have to do.
type patchWeight struct {
	cluster *v1.SIPCluster
	bytes   int
	// rank is 0 of a cluster that stays as it is whatever is found, then come those whose files do not change, those that do, and new ones.
	rank int
}

// checkWeights reports the clusters whose patches are more work than all patches of a tenant may be, before anything is built. was and is are as in
// checkServices. Those that stay as they are come first, then those that were there before, then by name.
//
// What is too much for one cluster is not counted: it is refused where it is checked, and nothing of it is built.
func (c *checked) checkWeights(services []render.Services, was, is map[string]map[string][]byte) map[string]error {
	rendered := map[string]bool{}
	var weights []patchWeight
	for _, s := range services {
		key := s.Cluster.Key()
		rendered[key] = true
		if len(s.Cluster.Spec.Patches) == 0 {
			continue
		}
		bytes, err := c.built.weigh(s, len(s.Cluster.Spec.Patches))
		if err == nil {
			weights = append(weights, patchWeight{s.Cluster, bytes, rankOf(was[key], s.Files)})
		}
	}
	for _, key := range slices.Sorted(maps.Keys(is)) {
		if rendered[key] {
			continue
		}
		kept := &v1.SIPCluster{}
		kept.Namespace, kept.Name, _ = strings.Cut(key, "/")
		bytes, _ := c.built.weigh(render.Services{Cluster: kept, Files: is[key]}, -1)
		weights = append(weights, patchWeight{kept, min(bytes, overlay.MaxPatched), 0})
	}
	slices.SortFunc(weights, func(a, b patchWeight) int {
		//guard: a new cluster's patches freeze one that is there
		return cmp.Or(a.rank-b.rank, strings.Compare(a.cluster.Key(), b.cluster.Key()))
	})
	sums := map[string]int{}
	beyond := map[string]error{}
	for _, w := range weights {
		tenant := c.tenants.Of(w.cluster.Namespace)
		if tenant == nil {
			continue
		}
		//guard: a tenant's hundred clusters with patches take a minute, of every run
		if sum := sums[tenant.Name] + w.bytes; w.rank == 0 || sum <= overlay.MaxPatchedOfTenant {
			sums[tenant.Name] = sum
			continue
		}
		beyond[w.cluster.Key()] = w.cluster.Problem("spec.patches", "its patches apply to %d KiB of objects, counting each object once for every patch of it, and those of tenant %s's other clusters to %d KiB: want at most %d KiB for all of them; narrow the targets, or put several changes into one patch",
			kibibytes(w.bytes), tenant.Name, kibibytes(sums[tenant.Name]), overlay.MaxPatchedOfTenant>>10)
	}
	return beyond
}

func kibibytes(bytes int) int { return (bytes + 1023) >> 10 }

func rankOf(was, is map[string][]byte) int {
	switch {
	case was == nil:
		return 3
	case maps.EqualFunc(was, is, bytes.Equal):
		return 1
	}
	return 2
}

// weigh is overlay.Weight, once a run for files that are the same.
func (b *serviceBuilds) weigh(s render.Services, patches int) (int, error) {
	id := sha256.Sum256(fmt.Appendf(nil, "%x %d", identity(s), patches))
	found, done := b.weights[id]
	if !done {
		found.bytes, found.wrong = overlay.Weight(s.Files, patches)
		if b.weights == nil {
			b.weights = map[[sha256.Size]byte]weight{}
		}
		b.weights[id] = found
	}
	return found.bytes, found.wrong
}

// weight is what overlay.Weight gives.
type weight struct {
	bytes int
	wrong error
}
