// Package steering finds the files that sipgen did not write and that would make a GitOps engine apply something other than the tree: they hide files
// of the tree, change them at checkout, or say how they are built.
package steering

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/airshipit/sipgen/internal/text"
)

// File is a file that sipgen did not write. Its path is relative to the repository's root, as all paths here are.
type File struct {
	Path string
	Text []byte
	// NoFile: it is a link or the like.
	NoFile bool
}

// Engine is the engine that syncs the tree.
type Engine int

// The engines.
const (
	Flux Engine = iota
	ArgoCD
)

const (
	ignoreFile     = ".sourceignore"
	attributesFile = ".gitattributes"
	kustomization  = "kustomization.yaml"
	argoSource     = ".argocd-source"
)

// Names are the names of the files that Check has to see, in the tree's folders and above them. A name that ends in * stands for all names that begin with the rest.
func Names() []string {
	return []string{ignoreFile, attributesFile, "kustomization.yml", "Kustomization", argoSource + "*"}
}

// Check reports which of the other files would make the engine apply something other than the tree. It knows what Flux's source-controller v1.7 and
// kustomize-controller v1.7 and Argo CD v3.2 were seen to read: TestSteering of e2e compares them. It accepts Chart.yaml, .krmignore, .sops.yaml, .gitmodules and other
// links, which change nothing in a tree whose Applications and Kustomizations are built with kustomize. contents is the tree, by paths. warnings are what
// nothing in the tree suffers from, and something beside it may.
func Check(engine Engine, contents map[string][]byte, others []File) (warnings []string, err error) {
	tree := slices.Sorted(maps.Keys(contents))
	if problems := unread(engine, others); problems != nil {
		return nil, errors.Join(problems...)
	}
	problems := builds(engine, tree, others)
	if read := builtFrom(tree); engine == Flux {
		found, offered := hidden(contents, read, others)
		problems, warnings = append(problems, found...), offered
	} else {
		problems = append(problems, changed(tree, read, others)...)
	}
	return warnings, errors.Join(problems...)
}

// mostLines is how many lines files of one name may have together: each is compared with each file of the tree.
const mostLines = 10_000

// unread are files that Check cannot go by: a link, of which git takes the target's path for lines, and more lines than anybody writes.
func unread(engine Engine, others []File) (problems []error) {
	name := ignoreFile
	if engine == ArgoCD {
		name = attributesFile
	}
	n := 0
	for _, other := range others {
		if path.Base(other.Path) != name {
			continue
		}
		if other.NoFile && path.Base(other.Path) == attributesFile {
			problems = append(problems, fmt.Errorf("%s: found a link, and git may read the path in it as a line; want a file, or none", other.Path))
		}
		if n += bytes.Count(other.Text, []byte("\n")) + 1; n > mostLines {
			return append(problems, fmt.Errorf("%s: with this file, the %s files in the tree's folders and above have more than %d lines, want at most that", other.Path, name, mostLines))
		}
	}
	return problems
}

// builtFrom are the files that are in a kustomization's folder, or below it. An engine reads no others: PLAN.md may be hidden from it.
func builtFrom(tree []string) []string {
	inside := map[string]bool{".": false}
	var within func(folder string) bool
	within = func(folder string) bool {
		is, known := inside[folder]
		if !known {
			_, is = slices.BinarySearch(tree, folder+"/"+kustomization)
			is = is || within(path.Dir(folder))
			inside[folder] = is
		}
		return is
	}
	return slices.DeleteFunc(slices.Clone(tree), func(name string) bool { return !within(path.Dir(name)) })
}

// builds are files beside a kustomization of the tree that the engine builds it with.
func builds(engine Engine, tree []string, others []File) (problems []error) {
	for _, other := range others {
		folder, name := path.Split(other.Path)
		if _, built := slices.BinarySearch(tree, folder+kustomization); !built {
			continue
		}
		if engine == Flux && other.NoFile {
			continue // no links are in what Flux builds
		}
		switch {
		case name == "kustomization.yml" || name == "Kustomization":
			problems = append(problems, fmt.Errorf("%s: sipgen did not write it, and kustomize does not build a folder that also has a %s: the engine would sync nothing from this folder; move the file out of it",
				other.Path, kustomization))
		case engine == ArgoCD && strings.HasPrefix(name, argoSource):
			problems = append(problems, fmt.Errorf("%s: sipgen did not write it, and Argo CD builds this folder with the images, patches and names that the file sets; move the file out of this folder",
				other.Path))
		}
	}
	return problems
}

// files says that there are more than one: the first of them, and how many.
func files(names []string) string {
	if len(names) == 1 {
		return names[0]
	}
	return fmt.Sprintf("%s and %s of the tree", names[0], text.Count(len(names)-1, "other file"))
}

// outerFirst sorts files of one name by the folder that they are in: one that is in another comes after that.
func outerFirst(a, b File) int {
	depth := func(f File) int { return strings.Count(f.Path, "/") }
	return cmp.Or(cmp.Compare(depth(a), depth(b)), strings.Compare(a.Path, b.Path))
}
