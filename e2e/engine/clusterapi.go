package engine

import (
	"fmt"
	"net"
	"path/filepath"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	certutil "k8s.io/client-go/util/cert"

	"github.com/airshipit/sipgen/hack/need"
)

// clusterAPIModule is the module of the core that runs, whose definitions it wants. Those of ClusterAPICRDs are of the
// release before.
const clusterAPIModule = "sigs.k8s.io/cluster-api"

// ClusterAPI is Cluster API's real core: the controllers of Clusters, MachineDeployments, MachineSets and Machines. Its
// webhooks are not asked: the objects have what they would set. No cluster can be reached through it, and no provider
// runs: a Machine stays without a Node.
type ClusterAPI struct{ process *process }

// StartClusterAPI installs the definitions of the core and of its provider for metal3, and starts the core as the
// admin.
func StartClusterAPI(t testing.TB, api *APIServer) *ClusterAPI {
	t.Helper()
	program := Binary(t, "cluster-api")
	crds, err := filepath.Glob(filepath.Join(ModuleDir(t, "cluster-api", clusterAPIModule), "core", bases, "*.yaml"))
	need.OK(t, err)
	api.InstallCRDs(t, append(crds, CAPM3CRDs()...)...)
	for _, plural := range []string{"metal3clusters", "metal3machines", "metal3machinetemplates"} {
		// The version of the kind that keeps to the contract of the core.
		name := plural + ".infrastructure.cluster.x-k8s.io"
		api.Edit(t, "e2e", Definitions, "", name, "", func(o map[string]any) {
			need.OK(t, unstructured.SetNestedField(o, "v1beta1", "metadata", "labels", "cluster.x-k8s.io/v1beta2"))
		})
	}
	certs := t.TempDir()
	cert, key, err := certutil.GenerateSelfSignedCertKey("127.0.0.1", []net.IP{net.IPv6loopback}, nil)
	need.OK(t, err)
	writeFile(t, certs, "tls.crt", cert)
	writeFile(t, certs, "tls.key", key)
	ports := freePorts(t, 2)
	health := fmt.Sprintf("127.0.0.1:%d", ports[0])
	p := start(t, "cluster-api", nil, program, "--kubeconfig="+Kubeconfig(t, api.Config()), "--health-addr="+health,
		"--insecure-diagnostics", "--diagnostics-address=0", fmt.Sprintf("--webhook-port=%d", ports[1]),
		"--webhook-cert-dir="+certs, "--kube-api-qps=500", "--kube-api-burst=1000",
		"--feature-gates=MachineSetPreflightChecks=false,MachinePool=false",
		"--skip-crd-migration-phases=StorageVersionMigration,CleanupManagedFields")
	p.await(t, func() error { return httpOK("http://" + health + "/readyz") })
	return &ClusterAPI{p}
}

// Logs returns the last lines of the core's output that contain all of the words.
func (c *ClusterAPI) Logs(n int, words ...string) string { return c.process.log.last(n, words...) }
