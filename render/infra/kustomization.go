package infra

import (
	"maps"
	"slices"
	"strings"

	kustomize "sigs.k8s.io/kustomize/api/types"

	"github.com/airshipit/sipgen/render/object"
)

// config adds a ConfigMap and its files. Its name gets a hash of its content, so that pods roll
// when it changes.
func (o *overlay) config(c configMap, files map[string][]byte) {
	maps.Copy(o.files, files)
	o.configs = append(o.configs, c)
}

// folder adds a ConfigMap whose keys are files of a folder.
func (o *overlay) folder(c configMap, folder string, files map[string][]byte) {
	c.files = map[string]string{}
	for key, text := range files {
		c.files[key] = folder + "/" + key
		o.files[folder+"/"+key] = text
	}
	o.configs = append(o.configs, c)
}

// finish writes the kustomization and gives all files.
func (o *overlay) finish() (map[string][]byte, error) {
	k := kustomize.Kustomization{
		TypeMeta:  kustomize.TypeMeta{APIVersion: kustomize.KustomizationVersion, Kind: kustomize.KustomizationKind},
		Resources: o.resources,
	}
	for _, c := range o.configs {
		var sources []string
		for _, key := range slices.Sorted(maps.Keys(c.files)) {
			sources = append(sources, key+"="+c.files[key])
		}
		k.ConfigMapGenerator = append(k.ConfigMapGenerator, kustomize.ConfigMapArgs{GeneratorArgs: kustomize.GeneratorArgs{
			Name: c.name, Namespace: o.Cluster.Namespace,
			KvPairSources: kustomize.KvPairSources{FileSources: sources},
			Options:       &kustomize.GeneratorOptions{Labels: c.labels, DisableNameSuffixHash: c.keepName},
		}})
	}
	text, err := object.Marshal(k)
	if err != nil {
		return nil, err
	}
	o.files["kustomization.yaml"] = text
	return o.files, nil
}

// image is the entry's image or the site's.
func (o *overlay) image(spec, site string) string {
	image := spec
	if image == "" {
		image = site
	}
	return mirrored(image, o.Site.Spec.Images.RegistryMirror)
}

// mirrored puts the mirror in the place of the image's registry. An image without a registry is
// Docker Hub's, as the container runtimes have it.
func mirrored(image, mirror string) string {
	if mirror == "" {
		return image
	}
	registry, rest, found := strings.Cut(image, "/")
	if !found {
		return strings.TrimSuffix(mirror, "/") + "/library/" + image
	}
	if !strings.ContainsAny(registry, ".:") && registry != "localhost" {
		rest = image
	}
	return strings.TrimSuffix(mirror, "/") + "/" + rest
}
