package overlay

import (
	"fmt"

	"go.yaml.in/yaml/v3"
	kustomize "sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/resid"

	"github.com/airshipit/sipgen/internal/manifest"
)

// What patches may have to do, in bytes of the objects that each of them is for: kustomize writes and reads an object whole for every patch of it,
// here and in the engine at every sync. A megabyte takes two seconds: all 32 patches on every object of three services, or one patch on a load
// balancer of a thousand ports ten times.
const (
	// MaxPatched is for one cluster, MaxPatchedOfTenant for all of a tenant's.
	MaxPatched         = 2 << 20
	MaxPatchedOfTenant = 4 << 20
	// perPatched is what an object counts beside its bytes.
	perPatched = 256
)

// subject is an object that patches may be for, as it is rendered.
type subject struct {
	gvk             resid.Gvk
	namespace, name string
	bytes           int
}

// Weight is how many bytes of objects the last patches of a rendered folder are for, each object counted once for each patch of it, with all that the
// patches before it may have added to it; all patches of the folder where patches is negative. Nothing is built for it: labelSelector and
// annotationSelector of a target are taken to match, for the patches before may have set what they look for.
//
// It is an error if one cluster's may not be that many.
func Weight(files map[string][]byte, patches int) (int, error) {
	f, err := read(files)
	if err != nil {
		return 0, err
	}
	if patches < 0 {
		patches = len(f.Kustomization.Patches)
	}
	if patches == 0 || patches > len(f.Kustomization.Patches) {
		return 0, nil // Check reports it
	}
	rendered, own := f.split(patches)
	return rendered.weigh(own)
}

func (f Folder) weigh(patches []kustomize.Patch) (weight int, err error) {
	subjects := f.subjects()
	for i, patch := range patches {
		times := timesFor(patch)
		for s := range subjects {
			if n := times(&subjects[s]); n > 0 {
				subjects[s].bytes += len(patch.Patch)
				weight += n * subjects[s].bytes
			}
		}
		if weight > MaxPatched && err == nil {
			err = fmt.Errorf("spec.patches[%d]: together with the patches before it, it applies to more than %d KiB of objects, counting each object once for every patch of it: narrow the targets, or put several changes into one patch", i, MaxPatched>>10)
		}
	}
	return weight, err
}

// subjects are the objects of the folder without its patches.
func (f Folder) subjects() []subject {
	var out []subject
	for _, name := range f.Kustomization.Resources {
		documents, err := manifest.Bounded(f.Files[name], fileBounds)
		if err != nil {
			continue // no patch applies to what is no YAML
		}
		for _, document := range documents {
			var head struct {
				APIVersion string `yaml:"apiVersion"`
				Kind       string
				Metadata   struct{ Name, Namespace string }
			}
			if document.Decode(&head) == nil {
				group, version := resid.ParseGroupVersion(head.APIVersion)
				gvk := resid.Gvk{Group: group, Version: version, Kind: head.Kind}
				out = append(out, subject{gvk, head.Metadata.Namespace, head.Metadata.Name, perPatched + bytesOf(document)})
			}
		}
	}
	for i := range f.Kustomization.ConfigMapGenerator {
		g := &f.Kustomization.ConfigMapGenerator[i]
		bytes := perPatched
		for _, source := range g.FileSources {
			bytes += len(f.Files[fileOf(source)])
		}
		out = append(out, subject{resid.Gvk{Version: "v1", Kind: "ConfigMap"}, g.Namespace, g.Name, bytes})
	}
	return out
}

// bytesOf is about how long a value is as JSON.
func bytesOf(node *yaml.Node) int {
	n := 2 + len(node.Value)
	if node.Kind == yaml.ScalarNode {
		n += 2
	}
	for _, child := range node.Content {
		n += bytesOf(child)
	}
	return n
}

// timesFor says how often a patch is applied to an object: to those that kustomize selects but for labels and annotations, once; to those that a patch
// names itself, once for each of its documents. It is never where kustomize refuses the patch.
func timesFor(patch kustomize.Patch) func(*subject) int {
	never := func(*subject) int { return 0 }
	if patch.Target != nil {
		target, err := kustomize.NewSelectorRegex(patch.Target)
		if err != nil {
			return never
		}
		return func(s *subject) int {
			id := resid.NewResIdWithNamespace(s.gvk, s.name, s.namespace)
			if target.MatchGvk(s.gvk) && target.MatchName(s.name) && target.MatchNamespace(id.EffectiveNamespace()) {
				return 1
			}
			return 0
		}
	}
	heads, err := headsOf(patch.Patch)
	if err != nil {
		return never
	}
	return func(s *subject) (n int) {
		for _, h := range heads {
			if h.names(s.gvk.Kind, s.name) {
				n++
			}
		}
		return n
	}
}

// head says whom a merge patch is for that has no target.
type head struct {
	Kind     string
	Metadata struct{ Name string }
}

func (h *head) names(kind, name string) bool { return h.Kind == kind && h.Metadata.Name == name }

// headsOf gives those of all documents of a merge patch, none of a JSON 6902 patch.
func headsOf(patch string) ([]head, error) {
	documents, err := manifest.Bounded([]byte(patch), fileBounds)
	if err != nil {
		return nil, err
	}
	var out []head
	for _, document := range documents {
		if document.Content[0].Kind != yaml.MappingNode {
			continue
		}
		var h head
		_ = document.Decode(&h) // one that is no head names nothing
		out = append(out, h)
	}
	return out, nil
}
