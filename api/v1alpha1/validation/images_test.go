package validation_test

import (
	"strings"
	"testing"
)

// TestImages: no node can pull what is no image, and nobody would see before the pods start. A SIPCluster's are
// checked the same way.
func TestImages(t *testing.T) {
	const repository = "  repository: {url: 'https://git.example.org/a.git'}\n"
	bad := []string{"foo bar", "HAPROXY:3", "https://x/haproxy:3", "haproxy:3@sha256:12", "haproxy:", "a/haproxy:3 ", ".*", strings.Repeat("a", 401)}
	good := []string{"haproxy", "docker.io/library/haproxy:3.2.24-alpine", "registry.example:5000/a/b@sha256:" + strings.Repeat("0a", 32)}
	for _, field := range []string{"haproxy", "jumpHost", "dex"} {
		for _, image := range bad {
			if _, err := parse(t, repository+"  images: {"+field+": '"+image+"'}\n"); err == nil || !strings.Contains(err.Error(), "spec.images."+field+": found ") ||
				!strings.Contains(err.Error(), ", want an image reference, as in ") {
				t.Errorf("%s: %q: found %v", field, image, err)
			}
		}
		for _, image := range good {
			if _, err := parse(t, repository+"  images: {"+field+": '"+image+"'}\n"); err != nil {
				t.Errorf("%s: %q: %v", field, image, err)
			}
		}
	}
	for mirror, fits := range map[string]bool{
		"registry.example": true, "registry.example:5000": true, "registry.example:5000/mirror": true, "mirror.example/hub/": true,
		"https://registry.example": false, "registry.example/a b": false, "registry.example/mirror:3": false, "registry.example/mirror@sha256": false, "registry.example//mirror": false, "/": false,
	} {
		_, err := parse(t, repository+"  images: {registryMirror: '"+mirror+"'}\n")
		if refused := err != nil && strings.Contains(err.Error(), "spec.images.registryMirror: found "); refused == fits {
			t.Errorf("mirror %q: found %v", mirror, err)
		}
	}
}
