package engine

import (
	"path/filepath"
	"testing"
)

// HostCRDs are the definitions of BareMetalHost and HardwareData, generated from metal3's API
// module; see TestHostCRDsAreCurrent.
func HostCRDs() []string {
	dir := filepath.Join(root(), "e2e", "engine", "crds")
	return []string{filepath.Join(dir, "metal3.io_baremetalhosts.yaml"), filepath.Join(dir, "metal3.io_hardwaredata.yaml")}
}

// FluxCRDs are the definitions of Kustomization and GitRepository.
func FluxCRDs(t testing.TB) []string {
	t.Helper()
	bases := filepath.Join("config", "crd", "bases")
	return []string{
		filepath.Join(ModuleDir(t, "flux", "github.com/fluxcd/kustomize-controller"), bases, "kustomize.toolkit.fluxcd.io_kustomizations.yaml"),
		filepath.Join(ModuleDir(t, "source-controller", "github.com/fluxcd/source-controller"), bases, "source.toolkit.fluxcd.io_gitrepositories.yaml"),
		filepath.Join(ModuleDir(t, "source-controller", "github.com/fluxcd/source-controller"), bases, "source.toolkit.fluxcd.io_buckets.yaml"),
		filepath.Join(ModuleDir(t, "source-controller", "github.com/fluxcd/source-controller"), bases, "source.toolkit.fluxcd.io_ocirepositories.yaml"),
	}
}

// ArgoCRDs are the definitions of Application, ApplicationSet and AppProject.
func ArgoCRDs(t testing.TB) []string {
	t.Helper()
	dir := filepath.Join(ModuleDir(t, "argocd", "github.com/argoproj/argo-cd/v3"), "manifests", "crds")
	return []string{filepath.Join(dir, "application-crd.yaml"), filepath.Join(dir, "applicationset-crd.yaml"), filepath.Join(dir, "appproject-crd.yaml")}
}
