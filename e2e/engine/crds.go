package engine

import (
	"os"
	"path/filepath"
	"testing"
)

// definitions are files of a module, below a folder of it.
func definitions(t testing.TB, engine, module, folder string, names ...string) []string {
	t.Helper()
	dir := filepath.Join(ModuleDir(t, engine, module), filepath.FromSlash(folder))
	for i := range names {
		names[i] = filepath.Join(dir, filepath.FromSlash(names[i])+".yaml")
	}
	return names
}

const bases = "config/crd/bases"

// HostCRDs returns the definitions of BareMetalHost and HardwareData, as the baremetal-operator ships them.
func HostCRDs(t testing.TB) []string {
	return definitions(t, "kubernetes", operatorModule, "config/base/crds/bases",
		"metal3.io_baremetalhosts", "metal3.io_hardwaredata")
}

// HostDeployPolicyCRD returns the definition of HostDeployPolicy, as the baremetal-operator ships it.
func HostDeployPolicyCRD(t testing.TB) string {
	return definitions(t, "kubernetes", operatorModule, "config/base/crds/bases", "metal3.io_hostdeploypolicies")[0]
}

// UpstreamCRD returns a definition that sipgen has embedded, by its file's name; see the README there.
func UpstreamCRD(name string) string { return filepath.Join(root(), "api", "upstream", "crds", name) }

// CertManagerCRDs returns the definitions of cert-manager's kinds: trees have Certificates, and nobody here issues
// any.
func CertManagerCRDs(t testing.TB) []string {
	return definitions(t, "cert-manager", "github.com/cert-manager/cert-manager", "deploy/crds",
		"cert-manager.io_certificates")
}

// FluxCRDs returns the definitions of Kustomization and GitRepository.
func FluxCRDs(t testing.TB) []string {
	return append(sourceCRDs(t, "gitrepositories", "buckets", "ocirepositories"),
		definitions(t, "kubernetes", "github.com/fluxcd/kustomize-controller", bases,
			"kustomize.toolkit.fluxcd.io_kustomizations")...)
}

func sourceCRDs(t testing.TB, plurals ...string) []string {
	t.Helper()
	for i := range plurals {
		plurals[i] = "source.toolkit.fluxcd.io_" + plurals[i]
	}
	return definitions(t, "kubernetes", "github.com/fluxcd/source-controller", bases, plurals...)
}

// ArgoCRDs returns the definitions of Application, ApplicationSet and AppProject.
func ArgoCRDs(t testing.TB) []string {
	return definitions(t, "kubernetes", "github.com/argoproj/argo-cd/v3", "manifests/crds",
		"application-crd", "applicationset-crd", "appproject-crd")
}

// ClusterAPICRDs returns the definitions of Cluster, Machine, MachineDeployment, KubeadmControlPlane and
// KubeadmConfigTemplate. Those of Cluster API's provider for metal3, whose module cannot be had, are not among them:
// see CAPM3CRDs.
func ClusterAPICRDs(t testing.TB) []string {
	return definitions(t, "kubernetes", "sigs.k8s.io/cluster-api", "", bases+"/cluster.x-k8s.io_clusters",
		bases+"/cluster.x-k8s.io_machinedeployments", bases+"/cluster.x-k8s.io_machines",
		"controlplane/kubeadm/"+bases+"/controlplane.cluster.x-k8s.io_kubeadmcontrolplanes",
		"bootstrap/kubeadm/"+bases+"/bootstrap.cluster.x-k8s.io_kubeadmconfigtemplates")
}

// CAPM3CRDs are as much of the definitions of Metal3Cluster, Metal3Machine and Metal3MachineTemplate as the tests
// write, after the documentation of Cluster API's provider for metal3. With SIPGEN_CAPM3_CRDS they are the provider's
// own, from its config/crd/bases.
func CAPM3CRDs() []string {
	if dir := os.Getenv("SIPGEN_CAPM3_CRDS"); dir != "" {
		files, _ := filepath.Glob(filepath.Join(dir, "infrastructure.cluster.x-k8s.io_metal3[cm]*s.yaml"))
		return files
	}
	return []string{filepath.Join(root(), "e2e", "engine", "testdata", "capm3.yaml")}
}
