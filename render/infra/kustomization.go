package infra

import (
	"cmp"
	"maps"
	"slices"

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

// finish writes the kustomization, with the site's defaults and the cluster's patches.
func (o *overlay) finish() []error {
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
	if errs := o.override(&k); len(errs) > 0 {
		return errs
	}
	text, err := object.Marshal(k)
	if err != nil {
		return []error{err}
	}
	o.files[kustomizationFile] = text
	return nil
}

const kustomizationFile = "kustomization.yaml"

// image is the entry's image or the site's. A registry mirror comes by a transformer; see mirrors.
func image(spec, site string) string { return cmp.Or(spec, site) }
