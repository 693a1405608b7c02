package engine

import (
	"os"
	"path/filepath"
	"testing"
)

// HostCRDs returns the definitions of BareMetalHost and HardwareData, as the baremetal-operator ships them.
func HostCRDs(t testing.TB) []string {
	bases := filepath.Join(ModuleDir(t, "kubernetes", operatorModule), "config", "base", "crds", "bases")
	return []string{filepath.Join(bases, "metal3.io_baremetalhosts.yaml"),
		filepath.Join(bases, "metal3.io_hardwaredata.yaml")}
}

// HostDeployPolicyCRD returns the definition of HostDeployPolicy, as the baremetal-operator ships it.
func HostDeployPolicyCRD(t testing.TB) string {
	return filepath.Join(ModuleDir(t, "kubernetes", operatorModule), "config", "base", "crds", "bases",
		"metal3.io_hostdeploypolicies.yaml")
}

// UpstreamCRD returns a definition that sipgen has embedded, by its file's name; see the README there.
func UpstreamCRD(name string) string { return filepath.Join(root(), "api", "upstream", "crds", name) }

// CertManagerCRDs returns the definitions of cert-manager's kinds: trees have Certificates, and nobody here issues
// any.
func CertManagerCRDs(t testing.TB) []string {
	dir := filepath.Join(ModuleDir(t, "cert-manager", "github.com/cert-manager/cert-manager"), "deploy", "crds")
	return []string{filepath.Join(dir, "cert-manager.io_certificates.yaml")}
}

// FluxCRDs returns the definitions of Kustomization and GitRepository.
func FluxCRDs(t testing.TB) []string {
	t.Helper()
	bases := filepath.Join("config", "crd", "bases")
	return []string{
		filepath.Join(ModuleDir(t, "kubernetes", "github.com/fluxcd/kustomize-controller"), bases,
			"kustomize.toolkit.fluxcd.io_kustomizations.yaml"),
		filepath.Join(ModuleDir(t, "kubernetes", "github.com/fluxcd/source-controller"), bases,
			"source.toolkit.fluxcd.io_gitrepositories.yaml"),
		filepath.Join(ModuleDir(t, "kubernetes", "github.com/fluxcd/source-controller"), bases,
			"source.toolkit.fluxcd.io_buckets.yaml"),
		filepath.Join(ModuleDir(t, "kubernetes", "github.com/fluxcd/source-controller"), bases,
			"source.toolkit.fluxcd.io_ocirepositories.yaml"),
	}
}

// SourceCRDs returns the definitions that source-controller does not start without, and FluxCRDs does not have.
func SourceCRDs(t testing.TB) []string {
	t.Helper()
	dir := filepath.Join(ModuleDir(t, "kubernetes", "github.com/fluxcd/source-controller"), "config", "crd", "bases")
	return []string{filepath.Join(dir, "source.toolkit.fluxcd.io_helmcharts.yaml"),
		filepath.Join(dir, "source.toolkit.fluxcd.io_helmrepositories.yaml")}
}

// ArgoCRDs returns the definitions of Application, ApplicationSet and AppProject.
func ArgoCRDs(t testing.TB) []string {
	t.Helper()
	dir := filepath.Join(ModuleDir(t, "kubernetes", "github.com/argoproj/argo-cd/v3"), "manifests", "crds")
	return []string{filepath.Join(dir, "application-crd.yaml"), filepath.Join(dir, "applicationset-crd.yaml"),
		filepath.Join(dir, "appproject-crd.yaml")}
}

// ClusterAPICRDs returns the definitions of Cluster, Machine, MachineDeployment, KubeadmControlPlane and
// KubeadmConfigTemplate. Those of Cluster API's provider for metal3, whose module cannot be had, are not among them:
// see CAPM3CRDs.
func ClusterAPICRDs(t testing.TB) []string {
	dir := ModuleDir(t, "kubernetes", "sigs.k8s.io/cluster-api")
	return []string{
		filepath.Join(dir, "config", "crd", "bases", "cluster.x-k8s.io_clusters.yaml"),
		filepath.Join(dir, "config", "crd", "bases", "cluster.x-k8s.io_machinedeployments.yaml"),
		filepath.Join(dir, "config", "crd", "bases", "cluster.x-k8s.io_machines.yaml"),
		filepath.Join(dir, "controlplane", "kubeadm", "config", "crd", "bases",
			"controlplane.cluster.x-k8s.io_kubeadmcontrolplanes.yaml"),
		filepath.Join(dir, "bootstrap", "kubeadm", "config", "crd", "bases",
			"bootstrap.cluster.x-k8s.io_kubeadmconfigtemplates.yaml"),
	}
}

// CAPM3CRDs are as much of the definitions of Metal3Cluster, Metal3Machine and Metal3MachineTemplate as the tests
// write, after the documentation of Cluster API's provider for metal3. With SIPGEN_CAPM3_CRDS they are the provider's
// own, from its config/crd/bases.
func CAPM3CRDs() []string {
	if dir := os.Getenv("SIPGEN_CAPM3_CRDS"); dir != "" {
		return []string{
			filepath.Join(dir, "infrastructure.cluster.x-k8s.io_metal3clusters.yaml"),
			filepath.Join(dir, "infrastructure.cluster.x-k8s.io_metal3machines.yaml"),
			filepath.Join(dir, "infrastructure.cluster.x-k8s.io_metal3machinetemplates.yaml"),
		}
	}
	return []string{filepath.Join(root(), "e2e", "engine", "testdata", "capm3.yaml")}
}
