package validation

import (
	"fmt"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/airshipit/sipgen/api/v1alpha1"
)

func validateInputs(in *v1alpha1.Inputs, add Report) {
	for i, path := range in.Specs {
		checkInput(fmt.Sprintf("spec.inputs.specs[%d]", i), path, add)
	}
	if in.Inventory != "" {
		checkInput("spec.inputs.inventory", in.Inventory, add)
	}
}

// checkInput refuses what is not the same file wherever the Site's folder is.
func checkInput(field, path string, add Report) {
	switch {
	case path == "-":
		add(field, "found \"-\", want a file, a folder or the word %s; standard input is for the command line",
			v1alpha1.InputCluster)
	case path == "", strings.ContainsFunc(path, unicode.IsControl):
		add(field, "found %q, want a file, a folder or the word %s", path, v1alpha1.InputCluster)
	case filepath.IsAbs(path):
		add(field, "found %q, want a path relative to the Site's file, or the word %s", path, v1alpha1.InputCluster)
	}
}
