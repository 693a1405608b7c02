package engine

import (
	"fmt"
	"net"
	"path/filepath"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	certutil "k8s.io/client-go/util/cert"
)

// clusterAPIModule is the module of the programs that run, whose definitions they want. Those of ClusterAPICRDs are of
// the release before.
const clusterAPIModule = "sigs.k8s.io/cluster-api"

// ClusterAPI is Cluster API's real core, the controllers of Clusters, MachineDeployments, MachineSets and Machines, and
// its real control plane provider for kubeadm. Their webhooks are not asked: the objects have what they would set. No
// cluster can be reached through them, and no other provider runs: a Machine stays without a Node, and a control plane
// gets no second one.
type ClusterAPI struct{ core, controlPlane *process }

// StartClusterAPI installs the definitions of Cluster API and of its provider for metal3, and starts both programs as
// the admin.
func StartClusterAPI(t testing.TB, api *APIServer) *ClusterAPI {
	t.Helper()
	module := ModuleDir(t, "cluster-api", clusterAPIModule)
	crds := CAPM3CRDs()
	for _, folder := range []string{"core", "bootstrap/kubeadm", "controlplane/kubeadm"} {
		files, err := filepath.Glob(filepath.Join(module, folder, bases, "*.yaml"))
		require.NoError(t, err)
		crds = append(crds, files...)
	}
	api.InstallCRDs(t, crds...)
	// Which version of a kind keeps to the contract of the core.
	for definition, version := range map[string]string{
		"metal3clusters.infrastructure.cluster.x-k8s.io":         "v1beta2",
		"metal3machines.infrastructure.cluster.x-k8s.io":         "v1beta1",
		"metal3machinetemplates.infrastructure.cluster.x-k8s.io": "v1beta1",
		"kubeadmconfigs.bootstrap.cluster.x-k8s.io":              "v1beta2",
		"kubeadmcontrolplanes.controlplane.cluster.x-k8s.io":     "v1beta2",
	} {
		api.Edit(t, "e2e", Definitions, "", definition, "", func(o map[string]any) {
			require.NoError(t,
				unstructured.SetNestedField(o, version, "metadata", "labels", "cluster.x-k8s.io/v1beta2"))
			versions, _, err := unstructured.NestedSlice(o, "spec", "versions")
			require.NoError(t, err)
			for _, v := range versions {
				withStatus(t, v.(map[string]any))
			}
			require.NoError(t, unstructured.SetNestedSlice(o, versions, "spec", "versions"))
		})
	}
	return &ClusterAPI{core: clusterAPIProgram(t, api, "cluster-api"),
		controlPlane: clusterAPIProgram(t, api, "kubeadm-control-plane")}
}

// withStatus lets a version of a kind have any status, if it has none. See CAPM3CRDs.
func withStatus(t testing.TB, version map[string]any) {
	t.Helper()
	at := []string{"schema", "openAPIV3Schema", "properties", "status"}
	if _, found, _ := unstructured.NestedMap(version, at...); !found {
		anything := map[string]any{"type": "object", "x-kubernetes-preserve-unknown-fields": true}
		require.NoError(t, unstructured.SetNestedMap(version, anything, at...))
	}
}

func clusterAPIProgram(t testing.TB, api *APIServer, name string) *process {
	t.Helper()
	program, certs := Binary(t, name), t.TempDir()
	cert, key, err := certutil.GenerateSelfSignedCertKey("127.0.0.1", []net.IP{net.IPv6loopback}, nil)
	require.NoError(t, err)
	writeFile(t, certs, "tls.crt", cert)
	writeFile(t, certs, "tls.key", key)
	ports := need.Ports(t, 2)
	health := fmt.Sprintf("127.0.0.1:%d", ports[0])
	p := start(t, name, nil, program, "--kubeconfig="+Kubeconfig(t, api.Config()), "--health-addr="+health,
		"--insecure-diagnostics", "--diagnostics-address=0", fmt.Sprintf("--webhook-port=%d", ports[1]),
		"--webhook-cert-dir="+certs, "--kube-api-qps=500", "--kube-api-burst=1000",
		"--feature-gates=MachineSetPreflightChecks=false,MachinePool=false",
		"--skip-crd-migration-phases=StorageVersionMigration,CleanupManagedFields")
	p.await(t, func() error { return httpOK("http://" + health + "/readyz") })
	return p
}

// Logs returns the last lines of the output of both that contain all of the words.
func (c *ClusterAPI) Logs(n int, words ...string) string {
	return c.core.log.last(n, words...) + "\n" + c.controlPlane.log.last(n, words...)
}
