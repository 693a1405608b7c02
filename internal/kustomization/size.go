//lint:file-ignore SA1019 people's files have the fields that kustomize calls deprecated, and kustomize builds them

package kustomization

import (
	kustomize "sigs.k8s.io/kustomize/api/types"

	"github.com/airshipit/sipgen/internal/manifest"
)

// The limits of one build, with each object counted as often as it is named. A SIPCluster has a few kilobytes; small
// files can make very much of it: 1,900 objects with 500 labels took a minute and a gibibyte.
const (
	// maxObjects, their bytes, and their keys and values.
	maxObjects = 200
	maxBuilt   = 2 << 20
	maxNodes   = 60_000
	// maxWork bounds kustomize's work, in units of about 20 microseconds.
	maxWork = 40_000
	// maxGrown is bytes that labels, names, images and patches add, were they added wherever an object has room.
	maxGrown = 32 << 20
	// maxPatched is bytes of objects that are patched, counted once for each patch: kustomize writes and reads them
	// whole.
	maxPatched = 4 << 20
	// tenantBuilds is how many times the limits all builds of a tenant may have, ownBuilds those outside of tenants'
	// folders.
	tenantBuilds, ownBuilds = 2, 40
	// Work of a kustomization, of an object in it, of one that it generates, and of an object that one patch, label or
	// image is for.
	perLayer, perObject, perGenerated, perPatch, perEntry = 50, 10, 20, 40, 4
	// The number of keys and values, and of pairs of objects, that make one unit of work, for a kustomization and for
	// an entry.
	nodesOfLayer, pairsOfLayer, nodesOfEntry = 4, 16, 8
)

// size is the size of a kustomization's result: a base that is named twice counts twice.
type size struct{ objects, bytes, nodes, patched, grown, work int }

func (s size) plus(t size) size {
	return size{s.objects + t.objects, s.bytes + t.bytes, s.nodes + t.nodes, s.patched + t.patched, s.grown + t.grown,
		s.work + t.work}
}

// beyond reports whether this exceeds the limits of some builds.
func (s size) beyond(builds int) bool {
	return s.objects > builds*maxObjects || s.bytes > builds*maxBuilt || s.nodes > builds*maxNodes ||
		s.patched > builds*maxPatched || s.grown > builds*maxGrown || s.work > builds*maxWork
}

func tooMuch(document *manifest.Document) error {
	return document.Problem("", "builds more than %d objects, %d MiB, %d MiB of patched objects, or takes too many labels, annotations, names, images, patches and kustomizations for so many objects, each counted as often as it is named: want less in one kustomization",
		maxObjects, maxBuilt>>20, maxPatched>>20)
}

func tooManyBuilds(document *manifest.Document) error {
	return document.Problem("", "not built: all kustomizations of its owner take more than one folder may, want fewer, or fewer objects, labels and patches in them")
}

// nodes counts the keys and values in an object.
func nodes(value any) int {
	n := 1
	switch value := value.(type) {
	case map[string]any:
		for _, v := range value {
			n += 1 + nodes(v)
		}
	case []any:
		for _, v := range value {
			n += nodes(v)
		}
	}
	return n
}

// layer is the effect of a kustomization on the objects below it.
type layer struct {
	// entries that are looked for in each object, and their bytes.
	entries, bytes int
}

// add counts an entry of some texts, for each place that it changes.
func (l *layer) add(places int, texts ...string) {
	l.entries += places
	for _, text := range texts {
		l.bytes += places * len(text)
	}
}

// layerOf counts the work of a kustomization without patches, and the size of generated objects.
func layerOf(k *kustomize.Kustomization) (l layer, generated size) {
	for _, name := range []string{k.Namespace, k.NamePrefix, k.NameSuffix} {
		if name != "" {
			l.add(1, name)
		}
	}
	for _, label := range k.Labels {
		places := 1 + len(label.FieldSpecs)
		l.entries += places
		for key, value := range label.Pairs {
			l.add(places, key, value)
		}
		for _, field := range label.FieldSpecs {
			l.bytes += len(field.Path)
		}
	}
	for _, pairs := range []map[string]string{k.CommonLabels, k.CommonAnnotations} {
		for key, value := range pairs {
			l.add(1, key, value)
		}
	}
	for _, image := range k.Images {
		l.add(1, image.Name, image.NewName, image.TagSuffix, image.NewTag, image.Digest)
	}
	for _, replica := range k.Replicas {
		l.add(1, replica.Name)
	}
	generate := func(g *kustomize.GeneratorArgs) {
		generated.objects++
		generated.work += perGenerated
		generated.bytes += len(g.Name) + len(g.Namespace)
		for _, literal := range g.LiteralSources {
			generated.bytes += len(literal)
		}
		for _, options := range []*kustomize.GeneratorOptions{g.Options, k.GeneratorOptions} {
			if options == nil {
				continue
			}
			for _, pairs := range []map[string]string{options.Labels, options.Annotations} {
				for key, value := range pairs {
					generated.bytes += len(key) + len(value)
				}
			}
		}
	}
	for i := range k.ConfigMapGenerator {
		generate(&k.ConfigMapGenerator[i].GeneratorArgs)
	}
	for i := range k.SecretGenerator {
		generate(&k.SecretGenerator[i].GeneratorArgs)
	}
	return l, generated
}

// with applies a layer and its patches to a size.
func (s size) with(l layer, patches []patch) size {
	below := s
	for _, p := range patches {
		objects, bytes := below.objects, below.bytes
		if p.one && objects > 0 {
			objects, bytes = 1, bytes/objects
		}
		s.patched += bytes + objects*p.bytes
		s.grown += objects * p.bytes
		s.nodes += objects * p.bytes / 8
		s.work += below.objects + objects*perPatch
	}
	s.work += perLayer + below.objects*perObject + below.objects*below.objects/pairsOfLayer + s.nodes/nodesOfLayer
	s.work += (below.objects*perEntry + s.nodes/nodesOfEntry) * l.entries
	s.grown += s.nodes * l.bytes / 4
	return s
}
