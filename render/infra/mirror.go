package infra

import (
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1/validation"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/render/object"
)

// mirrored returns the entries by which every image comes from the site's mirror, those that patches bring too: one
// for each name, sorted. Tags and digests stay. Whether every image is met is seen in what is built.
func (o *overlay) mirrored() []object.Image {
	mirror := strings.TrimSuffix(o.Site.Spec.Images.RegistryMirror, "/")
	if mirror == "" {
		return nil
	}
	images, names := slices.Clone(o.images), map[string]bool{}
	for i := range o.Cluster.Spec.Patches {
		images = append(images, imagesIn(&o.Cluster.Spec.Patches[i])...)
	}
	for _, image := range images {
		name, _, _ := v1.SplitImage(image)
		names[name] = true
	}
	var entries []object.Image
	for _, name := range slices.Sorted(maps.Keys(names)) {
		_, inMirror, _ := strings.Cut(v1.HubName(name), "/")
		entries = append(entries, object.Image{Name: name, NewName: mirror + "/" + inMirror})
	}
	return entries
}

// imagesIn returns the images that a patch sets: fields "image" at any depth, and the values of operations whose path
// ends in one.
func imagesIn(patch *v1.Patch) []string {
	documents, err := manifest.Bounded([]byte(patch.Patch),
		manifest.Bounds{Bytes: validation.MaxPatchBytes, Nodes: validation.MaxPatchNodes, Depth: validation.MaxPatchDepth})
	if err != nil {
		return nil // Validate reports it
	}
	var images []string
	var walk func(node *yaml.Node)
	walk = func(node *yaml.Node) {
		field := map[string]*yaml.Node{}
		for i := 0; node.Kind == yaml.MappingNode && i+1 < len(node.Content); i += 2 {
			field[node.Content[i].Value] = node.Content[i+1]
		}
		if path := field["path"]; path != nil && strings.HasSuffix(path.Value, "/image") && field["value"] != nil {
			images = append(images, field["value"].Value)
		}
		if image := field["image"]; image != nil {
			images = append(images, image.Value)
		}
		for _, child := range node.Content {
			walk(child)
		}
	}
	for _, document := range documents {
		walk(document)
	}
	return slices.DeleteFunc(images, func(image string) bool { return image == "" })
}
