package infra

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1/validation"
	"github.com/airshipit/sipgen/render/object"
)

// override carries the site's defaults and the cluster's patches into the kustomization. Patches come last but for the
// registry mirror, which holds for the images that they bring, too.
func (o *overlay) override(k *object.Kustomization) error {
	defaults := &o.Site.Spec.Defaults
	for _, key := range slices.Sorted(maps.Keys(defaults.Labels)) {
		if slices.Contains([]string{nameLabel, instanceLabel, componentLabel, partOfLabel, managedByLabel}, key) {
			return fmt.Errorf("site: spec.defaults.labels: %q selects pods, and cannot be set for all", key)
		}
	}
	if len(defaults.Labels) > 0 {
		k.Labels = []object.Label{{Pairs: defaults.Labels, IncludeTemplates: true}}
	}
	k.CommonAnnotations = defaults.Annotations
	if defaults.Resources != nil {
		for _, name := range o.unsized {
			text, err := json.Marshal([]map[string]any{{"op": "replace", "path": "/spec/template/spec/containers/0/resources",
				"value": v1.WithStorage(*defaults.Resources)}})
			if err != nil {
				return err
			}
			k.Patches = append(k.Patches, object.Patch{Patch: string(text),
				Target: &object.PatchTarget{Group: "apps", Kind: "Deployment", Name: name}})
		}
	}
	patches := validation.JoinPatches(o.Cluster.Spec.Patches)
	for i := range patches {
		k.Patches = append(k.Patches, entry(&patches[i]))
	}
	k.Images = o.mirrored()
	return nil
}

// entry returns a patch as the kustomization has it.
func entry(patch *v1.Patch) object.Patch {
	out := object.Patch{Patch: patch.Patch}
	if t := patch.Target; t != nil {
		target := object.PatchTarget(*t)
		out.Target = &target
	}
	return out
}
