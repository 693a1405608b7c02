package infra

import (
	"bytes"
	"strings"
)

const frontend = "\nfrontend clients\n"

// KeepNames keeps, of an overlay that is to be written over a previous one, each HAProxy configuration of which only the frontend's name would change:
// until v0.1.0 the frontend was called as its backend is, of which HAProxy 3.2 warns and which 3.3 refuses, and another configuration rolls the pods. The new name
// comes with the first other change of the configuration, or with another image.
//
// previous gives a file of the overlay before, nil for none.
func KeepNames(files map[string][]byte, previous func(name string) []byte) {
	for name, content := range files {
		base, is := strings.CutSuffix(name, ".cfg")
		if !is || !bytes.Contains(content, []byte(frontend)) {
			continue
		}
		was := previous(name)
		//guard: a load balancer gets an HAProxy that refuses its configuration
		if bytes.Equal(was, oldName(content)) && image(previous(base+".yaml")) == image(files[base+".yaml"]) {
			files[name] = was
		}
	}
}

// oldName is a configuration whose frontend is called as its backend is.
func oldName(config []byte) []byte {
	_, backend, _ := bytes.Cut(config, []byte("    default_backend "))
	backend, _, _ = bytes.Cut(backend, []byte("\n"))
	return bytes.Replace(config, []byte(frontend), []byte("\nfrontend "+string(backend)+"\n"), 1)
}

// image is the first one that a rendered manifest names.
func image(manifest []byte) string {
	_, name, _ := bytes.Cut(manifest, []byte(" image: "))
	name, _, _ = bytes.Cut(name, []byte("\n"))
	return string(name)
}
