package infra

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"

	v1 "github.com/airshipit/sipgen/api/v1"
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

// maxConfigMap bounds the values of a ConfigMap (k8s.io/api, core/v1, MaxSecretSize).
const maxConfigMap = corev1.MaxSecretSize

// finish writes the kustomization, with the site's defaults and the cluster's patches.
func (o *overlay) finish() error {
	k := object.NewKustomization(o.resources...)
	for _, c := range o.configs {
		var sources []string
		size := 0
		for _, key := range slices.Sorted(maps.Keys(c.files)) {
			sources = append(sources, key+"="+c.files[key])
			size += len(o.files[c.files[key]])
		}
		if size > maxConfigMap {
			return fmt.Errorf("%s: its configuration for %d hosts has %d bytes, want at most %d, which is what the API "+
				"server takes of a ConfigMap: fewer hosts, or no such service", c.name, len(o.Hosts), size, maxConfigMap)
		}
		generator := object.ConfigMapArgs{Name: c.name, Namespace: o.Cluster.Namespace, Files: sources}
		if c.keepName {
			generator.Options = &object.GeneratorOptions{DisableNameSuffixHash: true}
		}
		k.ConfigMapGenerator = append(k.ConfigMapGenerator, generator)
	}
	if err := o.override(&k); err != nil {
		return err
	}
	text, err := object.Marshal(k)
	o.files[kustomizationFile] = text
	return err
}

const kustomizationFile = "kustomization.yaml"

// image returns the entry's image or the site's, which also replaces an image of the SIP operator's time. A registry
// mirror is applied by a transformer; see mirrored.
func (o *overlay) image(s service, spec, site string) string {
	image := cmp.Or(spec, site)
	if v1.SIPImage(s.list, spec) {
		image = site
	}
	o.images = append(o.images, image)
	return image
}
