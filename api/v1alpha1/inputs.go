package v1alpha1

import (
	"fmt"
	"path/filepath"
	"strings"
	"unicode"
)

// Inputs are files and folders beside the Site's file, or the word cluster for the live cluster.
type Inputs struct {
	// SIPClusters: files and folders, relative to the Site's file, or the word cluster.
	// +kubebuilder:validation:MaxItems=100
	// +optional
	Specs []string `json:"specs,omitempty"`
	// Hosts: manifests or a snapshot, relative to the Site's file, or the word cluster.
	// +optional
	Inventory string `json:"inventory,omitempty"`
}

// InputCluster is the word that stands for the live cluster where specs and hosts are named.
const InputCluster = "cluster"

// maxInputs bounds spec.inputs.specs.
const maxInputs = 100

func (in *Inputs) validate(add problem) {
	if n := len(in.Specs); n > maxInputs {
		add("spec.inputs.specs", "%d of them, want at most %d", n, maxInputs)
		return
	}
	for i, path := range in.Specs {
		checkInput(fmt.Sprintf("spec.inputs.specs[%d]", i), path, add)
	}
	if in.Inventory != "" {
		checkInput("spec.inputs.inventory", in.Inventory, add)
	}
}

// checkInput refuses what is not the same file wherever the Site's folder is.
func checkInput(field, path string, add problem) {
	switch {
	case path == "-":
		add(field, "found \"-\", want a file, a folder or the word %s; standard input is for the command line", InputCluster)
	case path == "", strings.ContainsFunc(path, unicode.IsControl):
		add(field, "found %q, want a file, a folder or the word %s", path, InputCluster)
	case filepath.IsAbs(path):
		add(field, "found %q, want a path relative to the Site's file, or the word %s", path, InputCluster)
	}
}
