// Package flux is the part of Flux that sipgen writes: its Kustomizations, the repository that they are in, and what
// Flux reads of other objects.
package flux

// What Flux reads of an object that it applies:
// https://fluxcd.io/flux/components/kustomize/kustomizations/#controlling-the-apply-behavior-of-resources.
const (
	SSA   = "kustomize.toolkit.fluxcd.io/ssa"
	Prune = "kustomize.toolkit.fluxcd.io/prune"
)

// Manager is the field manager that Flux applies as.
const Manager = "kustomize-controller"
