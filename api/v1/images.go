package v1

import "strings"

// SplitImage returns the name of an image, its tag and its digest; empty for what it has not.
func SplitImage(image string) (name, tag, digest string) {
	name, digest, _ = strings.Cut(image, "@")
	if colon := strings.LastIndexByte(name, ':'); colon > strings.LastIndexByte(name, '/') {
		name, tag = name[:colon], name[colon+1:]
	}
	return name, tag, digest
}

// HubName returns the name of an image, without tag and digest, as container runtimes read it: one without a registry
// is Docker Hub's.
func HubName(image string) string {
	name, _, _ := SplitImage(image)
	registry, _, found := strings.Cut(name, "/")
	switch {
	case !found:
		return "docker.io/library/" + name
	case strings.ContainsAny(registry, ".:") || registry == "localhost":
		return name
	}
	return "docker.io/" + name
}
