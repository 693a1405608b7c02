// Package steering finds the files of others in a repository by which a GitOps engine would apply something else than the tree beside them: that hide files
// of the tree, change them at the checkout, or say how they are built.
package steering

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/airshipit/sipgen/internal/text"
)

// File is a file of others. Path is from the repository's top, as all paths here are.
type File struct {
	Path string
	Text []byte
	// NoFile: it is a link or the like.
	NoFile bool
}

// Engine is which engine syncs the tree.
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

// Names are the names of files that Check has to see, in the folders of the tree and above them. One that ends in * stands for all that begin so.
func Names() []string {
	return []string{ignoreFile, attributesFile, "kustomization.yml", "Kustomization", argoSource + "*"}
}

// Check says which of the others' files steer the engine away from the files of a tree. Only what both engines were seen to read counts: Flux' source-controller
// v1.7 and kustomize-controller v1.7, Argo CD v3.2. There is no word of Chart.yaml, .krmignore, .sops.yaml, .gitmodules and other links, which change nothing of a tree
// whose Applications and Kustomizations are built with kustomize.
func Check(engine Engine, tree []string, others []File) error {
	tree = slices.Sorted(slices.Values(tree))
	if problems := unread(engine, others); problems != nil {
		return errors.Join(problems...)
	}
	problems := builds(engine, tree, others)
	if read := builtFrom(tree); engine == Flux {
		problems = append(problems, hidden(read, others)...)
	} else {
		problems = append(problems, changed(tree, read, others)...)
	}
	return errors.Join(problems...)
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
			problems = append(problems, fmt.Errorf("%s: it is a link, and git may read the path that it leads to as a line; want a file, or none", other.Path))
		}
		if n += bytes.Count(other.Text, []byte("\n")) + 1; n > mostLines {
			return append(problems, fmt.Errorf("%s: with this file more than %d lines in the %s files beside the tree and above it, want at most that", other.Path, mostLines, name))
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
		switch {
		case name == "kustomization.yml" || name == "Kustomization":
			problems = append(problems, fmt.Errorf("%s: sipgen did not write it, and kustomize builds no folder that has a %s besides: the engine would sync nothing from it; move it out of this folder",
				other.Path, kustomization))
		case engine == ArgoCD && strings.HasPrefix(name, argoSource):
			problems = append(problems, fmt.Errorf("%s: sipgen did not write it, and Argo CD builds this folder as it says: with other images, patches or names than the tree has; move it out of this folder",
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
