package validation

import (
	"strings"

	"github.com/airshipit/sipgen/api/v1/validation"
	"github.com/airshipit/sipgen/api/v1alpha1"
)

// wantImage is what validation says of what is no image, as it does for a SIPCluster.
const wantImage = "found %q, want an image reference, as in registry.example/haproxy:3.2"

// checkImage wants what a container runtime pulls, by the rule of SIPClusters, or nothing: the default.
func checkImage(field, image string, add Report) {
	if image != "" && !validation.IsImage(image) {
		add(field, wantImage, image)
	}
}

func validateImages(i *v1alpha1.Images, add Report) {
	for _, image := range []struct{ field, value string }{{"haproxy", i.HAProxy}, {"jumpHost", i.JumpHost},
		{"dex", i.Dex}} {
		checkImage("spec.images."+image.field, image.value, add)
	}
	// The mirror is put before an image's own path, so it is what may stand there.
	if mirror := i.RegistryMirror; mirror != "" && !isRegistry(mirror) {
		add("spec.images.registryMirror",
			"found %q, want a registry and no scheme, as in registry.example:5000/mirror", mirror)
	}
}

// isRegistry reports whether images can lie below a text: a host with or without port, and folders.
func isRegistry(text string) bool {
	text = strings.TrimSuffix(text, "/")
	last := text[strings.LastIndex(text, "/")+1:]
	return validation.IsImage(text+"/image") && (last == text || !strings.ContainsAny(last, ":@"))
}
