package app

import (
	"path/filepath"
	"slices"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/manifest"
)

// pathOf returns a file of specs as spec.tenants[].specs name one: relative to the folder of the Site's file or
// kustomization, or to the working folder for a Site from standard input, with slashes. It is "-" for standard input,
// and empty for a spec from the cluster.
func (in *Inputs) pathOf(file string) string {
	switch {
	case file == "stdin" && slices.Contains(in.Specs, manifest.Stdin):
		return v1alpha1.SpecsFromStdin
	case file == "":
		return ""
	}
	from, err := filepath.Abs(in.folder())
	to, err2 := filepath.Abs(file)
	if path, err3 := filepath.Rel(from, to); err == nil && err2 == nil && err3 == nil {
		return filepath.ToSlash(path)
	}
	return filepath.ToSlash(file)
}
