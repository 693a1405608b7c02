package infra

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	kustomize "sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/resid"

	build "github.com/airshipit/sipgen/internal/overlay"
)

// override carries the site's defaults and the cluster's patches into the kustomization. Patches come last
// but for the registry mirror, which holds for the images that they bring, too.
func (o *overlay) override(k *kustomize.Kustomization) []error {
	defaults := &o.Site.Spec.Defaults
	for _, key := range slices.Sorted(maps.Keys(defaults.Labels)) {
		if slices.Contains([]string{nameLabel, instanceLabel, componentLabel, partOfLabel, managedByLabel}, key) {
			return []error{fmt.Errorf("site: spec.defaults.labels: %q selects pods, and cannot be set for all", key)}
		}
	}
	if len(defaults.Labels) > 0 {
		k.Labels = []kustomize.Label{{Pairs: defaults.Labels, IncludeTemplates: true}}
	}
	k.CommonAnnotations = defaults.Annotations
	if defaults.Resources != nil {
		for _, name := range o.unsized {
			text, err := json.Marshal([]map[string]any{{"op": "replace", "path": "/spec/template/spec/containers/0/resources", "value": defaults.Resources}})
			if err != nil {
				return []error{err}
			}
			k.Patches = append(k.Patches, kustomize.Patch{
				Patch:  string(text),
				Target: &kustomize.Selector{ResId: resid.ResId{Gvk: resid.Gvk{Group: "apps", Kind: "Deployment"}, Name: name}},
			})
		}
	}
	patches := o.Cluster.Spec.Patches
	mirror := strings.TrimSuffix(o.Site.Spec.Images.RegistryMirror, "/")
	if len(patches) == 0 && mirror == "" {
		return nil
	}
	folder := build.Folder{Kustomization: *k, Files: o.files}
	images, errs := folder.Try(patches)
	if len(errs) > 0 {
		return errs
	}
	if mirror != "" {
		// An entry for each image that there is, with the patches. Tags and digests stay.
		for _, name := range images {
			folder.Kustomization.Images = append(folder.Kustomization.Images, kustomize.Image{Name: name, NewName: mirror + "/" + path(name)})
		}
	}
	if len(patches) > 0 {
		if errs := folder.Check(patches); len(errs) > 0 {
			return errs
		}
	}
	*k = folder.With(patches).Kustomization
	return nil
}

// path is an image's name without its registry. An image without a registry is Docker Hub's, as the
// container runtimes have it.
func path(name string) string {
	registry, rest, found := strings.Cut(name, "/")
	switch {
	case !found:
		return "library/" + name
	case strings.ContainsAny(registry, ".:") || registry == "localhost":
		return rest
	default:
		return name
	}
}
