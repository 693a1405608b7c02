package steering

import (
	"bytes"
	"path"
	"strings"
)

// offered says which files are in a cluster's component for Cluster API, clusters/<namespace>/<name>/capi/, that nothing in the tree applies: it is there for
// kustomizations of others. If Flux does not see all of it, a kustomization that includes it does not build, unless it says ignoreMissingComponents (docs/cluster-api.md
// warns of that), and nothing is pruned. read are the files of the
// tree that an engine reads.
func offered(tree map[string][]byte, read []string) func(name string) bool {
	components := map[string]bool{}
	for _, name := range read {
		if folder := path.Dir(name); path.Base(name) == kustomization && isComponent(folder, tree[name]) {
			components[folder] = true
		}
	}
	in := func(name string) bool {
		for folder := path.Dir(name); folder != "."; folder = path.Dir(folder) {
			if components[folder] {
				return true
			}
		}
		return false
	}
	named := map[string]bool{}
	for _, name := range read {
		if !in(name) {
			namedIn(path.Dir(name), tree[name], named)
		}
	}
	for folder := range components {
		if named[last(3, folder)] {
			delete(components, folder)
		}
	}
	return in
}

const componentFolder = "capi"

// isComponent says whether a folder is a cluster's for Cluster API, and its kustomization a component.
func isComponent(folder string, kustomization []byte) bool {
	if is, _ := path.Match("clusters/*/*/"+componentFolder, last(4, folder)); !is {
		return false
	}
	for line := range bytes.Lines(kustomization) {
		if string(bytes.TrimRight(line, "\r\n")) == "kind: Component" {
			return true
		}
	}
	return false
}

// namedIn notes the folders for Cluster API that a file names, or names a file of, by the last three names of their paths: these are the same whether the path
// begins in the file's folder or at the repository's root.
func namedIn(folder string, text []byte, named map[string]bool) {
	if !bytes.Contains(text, []byte(componentFolder)) {
		return
	}
	for _, word := range bytes.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\r\n\"',:;=()[]{}<>|`?&#", r) }) {
		for at := path.Join(folder, string(word)); at != "." && at != "/" && at != ".."; at = path.Dir(at) {
			if path.Base(at) == componentFolder {
				named[last(3, at)] = true
			}
		}
	}
}

// last are the last names of a path.
func last(n int, name string) string {
	parts := strings.Split(name, "/")
	return strings.Join(parts[max(0, len(parts)-n):], "/")
}
