package engine

import (
	"path/filepath"
	"testing"
)

// HostCRDs are the definitions of BareMetalHost and HardwareData, as the baremetal-operator ships them.
func HostCRDs(t testing.TB) []string {
	bases := filepath.Join(ModuleDir(t, "baremetal-operator", operatorModule), "config", "base", "crds", "bases")
	return []string{filepath.Join(bases, "metal3.io_baremetalhosts.yaml"), filepath.Join(bases, "metal3.io_hardwaredata.yaml")}
}

// CertManagerCRDs are the definitions of cert-manager's kinds: trees have Certificates, and nobody here issues any.
func CertManagerCRDs(t testing.TB) []string {
	dir := filepath.Join(ModuleDir(t, "cert-manager", "github.com/cert-manager/cert-manager"), "deploy", "crds")
	return []string{filepath.Join(dir, "cert-manager.io_certificates.yaml")}
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
