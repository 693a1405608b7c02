package overlay

import (
	"fmt"
	"strings"
)

// Check builds the folder of a cluster's services, with the files as they are to be written, and reports what is
// wrong with the result. Built is complete if there are no errors.
//
// The last patches of the kustomization, as many as patches, are the tenant's: they may change everything but kinds,
// names, namespaces, accounts and rights. The result is decoded strictly, and its pods have to meet the Pod Security
// profile "restricted". With a mirror, every image has to come from there.
func Check(files map[string][]byte, patches int, mirror string) (Built, []error) {
	after, err := read(files)
	if err != nil {
		return Built{}, []error{err}
	}
	if patches > len(after.Kustomization.Patches) {
		return Built{}, []error{fmt.Errorf("kustomization.yaml: %d patches, want the tenant's %d among them",
			len(after.Kustomization.Patches), patches)}
	}
	before, own := after.split(patches)
	if errs := before.checkPatches(own); len(errs) > 0 {
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
