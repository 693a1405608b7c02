package app

import (
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/internal/root"
	"github.com/airshipit/sipgen/render"
)

// sourceMoves returns that the engine goes on reading the source that the tree before is for, until a person applies
// the root of the new one; "" if the source stays.
func sourceMoves(before, after render.Tree) string {
	for _, file := range root.Files {
		was, is := sourceIn(file, before[file]), sourceIn(file, after[file])
		if was.URL != "" && is.URL != "" && was != is {
			return "the engine goes on reading " + was.Unlike(is) + ", and nothing from " + is.Unlike(was) +
				", until you apply " + file + " of this commit: docs/change-site.md has the order"
		}
	}
	return ""
}

// sourceIn returns the source in a root's file. One that was edited by hand, and is no YAML any more, has none.
func sourceIn(file string, content []byte) root.Source {
	documents, err := manifest.Parse(file, content)
	if err != nil {
		return root.Source{}
	}
	return root.Of(documents...)
}
