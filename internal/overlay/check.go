package overlay

import (
	"fmt"
	"strings"

	kustomize "sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/resid"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1/validation"
	"github.com/airshipit/sipgen/internal/manifest"
)

// Check builds the folder of a cluster's services, with the files as they are to be written, and reports what is
// wrong with the result. Built is complete if there are no errors.
//
// The last patches of the kustomization are the tenant's, joined where they can be: they may change everything but
// kinds, names, namespaces, accounts and rights. The result is decoded strictly, and its pods have to meet the Pod
// Security profile "restricted". With a mirror, every image has to come from there.
func Check(files map[string][]byte, asked []v1.Patch, mirror string) (Built, []error) {
	after, err := read(files)
	if err != nil {
		return Built{}, []error{err}
	}
	patches := len(validation.JoinPatches(asked))
	if patches > len(after.Kustomization.Patches) {
		return Built{}, []error{fmt.Errorf("kustomization.yaml: %d patches, want the tenant's %d among them",
			len(after.Kustomization.Patches), patches)}
	}
	before, joined := after.split(patches)
	own := patchesOf(asked) // each by itself: an error names it
	if errs := before.checkPatches(own, joined); len(errs) > 0 {
		return Built{}, errs
	}
	rendered := Built{}
	if patches > 0 {
		if rendered, err = before.Built(); err != nil {
			return Built{}, []error{err}
		}
		if errs := rendered.unmatched(own); len(errs) > 0 {
			return Built{}, errs
		}
	}
	built, err := after.Built()
	if err != nil && patches > 0 {
		err = before.blame(own)
	}
	if err != nil {
		return Built{}, []error{err}
	}
	errs := outsideMirror(built.Objects, mirror)
	if patches == 0 {
		return built, errs
	}
	errs = append(errs, compare(rendered, built)...)
	for _, err := range Valid(built.Objects) {
		errs = append(errs, OfPatches(err))
	}
	if len(errs) == 0 && len(after.Kustomization.Images) > 0 {
		after.Kustomization.Images = nil
		if built.OwnImages, err = after.Build(); err != nil {
			return Built{}, []error{err}
		}
	}
	return built, errs
}

// patchesOf returns patches as kustomize has them.
func patchesOf(asked []v1.Patch) []kustomize.Patch {
	out := make([]kustomize.Patch, len(asked))
	for i := range asked {
		out[i].Patch = asked[i].Patch
		if t := asked[i].Target; t != nil {
			out[i].Target = &kustomize.Selector{LabelSelector: t.LabelSelector, AnnotationSelector: t.AnnotationSelector,
				ResId: resid.ResId{Gvk: resid.Gvk{Group: t.Group, Version: t.Version, Kind: t.Kind}, Name: t.Name,
					Namespace: t.Namespace}}
		}
	}
	return out
}

// Work is what the patches of a cluster's services take: the services and patches, in bytes, times the documents of
// the patches that are not joined. kustomize writes and reads an object for each patch of it; a mebibyte takes two
// seconds, here and in the engine at every sync.
func Work(files map[string][]byte, asked []v1.Patch) int {
	size, documents := 0, 0
	for name, file := range files {
		if name != kustomizationFile {
			size += len(file)
		}
	}
	for _, patch := range asked {
		size += len(patch.Patch)
	}
	for _, patch := range validation.JoinPatches(asked) {
		parsed, _ := manifest.Bounded([]byte(patch.Patch), fileBounds) // an invalid one is reported elsewhere
		documents += len(parsed)
	}
	return size * documents
}

// outsideMirror reports images that do not come from the mirror, if there is one. It does not rely on the entries
// that render wrote for the images it found.
func outsideMirror(built []Object, mirror string) []error {
	if mirror == "" {
		return nil
	}
	prefix := strings.TrimSuffix(mirror, "/") + "/"
	var errs []error
	for i := range built {
		for _, image := range images(built[i].Fields) {
			if !strings.HasPrefix(image, prefix) {
				errs = append(errs, fmt.Errorf("%s: an image does not come from the Site's spec.images.registryMirror", &built[i]))
			}
		}
	}
	return errs
}

// images returns the images of all containers and volumes below a value.
func images(value any) []string {
	var found []string
	switch value := value.(type) {
	case map[string]any:
		for key, field := range value {
			list, isList := field.([]any)
			if !isList || key != "containers" && key != "initContainers" && key != "volumes" {
				found = append(found, images(field)...)
				continue
			}
			for _, item := range list {
				image := asMap(item)["image"]
				if key == "volumes" {
					image = asMap(image)["reference"]
				}
				if name, isText := image.(string); isText {
					found = append(found, name)
				}
			}
		}
	case []any:
		for _, item := range value {
			found = append(found, images(item)...)
		}
	}
	return found
}
