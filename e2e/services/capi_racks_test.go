package services

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

const racksSite = `
apiVersion: sipgen.airshipit.org/v1alpha1
kind: Site
metadata: {name: racks}
spec:
  repository: {url: "https://git.example.org/fleet.git"}
  clusterAPI: {}
`

const racksSpec = `
apiVersion: airship.airshipit.org/v1
kind: SIPCluster
metadata: {namespace: t, name: red, annotations: {ANNOTATIONS}}
spec:
  nodes:
    Worker:
      labelSelector: {matchLabels: {pool: a}}
      topologyKey: example.org/rack
      maxPerDomain: 2
      count: {active: COUNT}
    Storage:
      labelSelector: {matchLabels: {pool: s}}
      count: {active: 2}
`

// racksCluster is what an operator writes: a MachineDeployment for each rack, and one whose machines the cluster
// autoscaler counts. Cluster API's webhook would set what is set here beyond that.
const racksCluster = `
apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: {name: red}
spec: {infrastructureRef: {apiGroup: infrastructure.cluster.x-k8s.io, kind: Metal3Cluster, name: red}}
---
apiVersion: infrastructure.cluster.x-k8s.io/v1beta1
kind: Metal3Cluster
metadata: {name: red}
spec: {controlPlaneEndpoint: {host: 192.0.2.1, port: 6443}}
`

const racksDeployment = `
---
apiVersion: cluster.x-k8s.io/v1beta2
kind: MachineDeployment
metadata:
  name: NAME
  labels: {cluster.x-k8s.io/cluster-name: red, LABELS}
  annotations: {ANNOTATIONS}
spec:
  clusterName: red
  replicas: 1
  selector: {matchLabels: {cluster.x-k8s.io/cluster-name: red, cluster.x-k8s.io/deployment-name: NAME}}
  rollout: {strategy: {type: STRATEGY, rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}}
  template:
    metadata: {labels: {cluster.x-k8s.io/cluster-name: red, cluster.x-k8s.io/deployment-name: NAME}}
    spec:
      clusterName: red
      version: v1.34.1
      bootstrap: {dataSecretName: none}
      infrastructureRef: {apiGroup: infrastructure.cluster.x-k8s.io, kind: Metal3MachineTemplate, name: TEMPLATE}
---
apiVersion: infrastructure.cluster.x-k8s.io/v1beta1
kind: Metal3MachineTemplate
metadata: {name: TEMPLATE, labels: {LABELS}}
spec:
  template:
    spec: {image: {url: "https://images.invalid/node.raw", checksum: "https://images.invalid/sum", format: raw}}
`

var (
	machinesOf            = clusterv1.WithResource("machines")
	deploymentsOfMachines = clusterv1.WithResource("machinedeployments")
	clusterv1             = schema.GroupVersion{Group: "cluster.x-k8s.io", Version: "v1beta2"}
)

// racks is a site whose cluster Cluster API's real core has.
type racks struct {
	api    *engine.APIServer
	core   *engine.ClusterAPI
	folder string
	// hosts are the states of the hosts by name: free, idle with labels, used, and failed in use.
	hosts map[string]string
	// templates are the names of the templates, by MachineDeployment.
	templates map[string]string
}

// TestClusterAPI: what an operator applies with the component, on Cluster API's real core and control plane provider.
func TestClusterAPI(t *testing.T) {
	t.Parallel()
	api := engine.StartAPIServer(t, engine.Options{})
	api.Namespaces(t, "metal3")
	core := engine.StartClusterAPI(t, api)
	t.Run("control plane", func(t *testing.T) { controlPlaneByDomain(t, api, core) })
	t.Run("scale-down", func(t *testing.T) { scaleDown(t, api, core) })
	t.Run("workers by rack", func(t *testing.T) { workersByRack(t, api, core) })
}

// workersByRack: the component asks for the machines that the plan put into each rack, and a replacement in another
// rack leaves the healthy machines where they are.
func workersByRack(t *testing.T, api *engine.APIServer, core *engine.ClusterAPI) {
	r := &racks{api: api, core: core, folder: t.TempDir(),
		hosts:     map[string]string{"r1n1": "free", "r1n2": "free", "r2n1": "free", "s1": "free", "s2": "free"},
		templates: map[string]string{"r1": "r1-a", "r2": "r2-a", "r3": "r3-a", "storage": "storage-a"}}
	r.run(t, "3", "")
	r.want(t, "by rack; the autoscaler's stay one", "r1 r1 r2 storage")
	first := r.machines(t)
	for i := range first {
		r.join(t, &first[i])
	}

	// A new template: with OnDelete no machine is replaced, now or later.
	r.templates["storage"] = "storage-b"

	// r1n1 fails, and is replaced in r3.
	r.hosts = map[string]string{"r1n1": "failed", "r1n2": "used", "r2n1": "used", "r3n1": "free", "s1": "idle",
		"s2": "used"}
	r.run(t, "3", "")
	r.want(t, "replaced", "r1 r1 r2 r3 storage")
	r.wantAll(t, "replaced", first)

	// The operator marks the failed host's machine, and deletes it. Its rack asks for another until sipgen sees that.
	failed, healthy := first[0], first[1]
	api.Edit(t, "oncall", machinesOf, "metal3", failed.GetName(), "", func(m map[string]any) {
		require.NoError(t,
			unstructured.SetNestedField(m, "", "metadata", "annotations", "cluster.x-k8s.io/delete-machine"))
	})
	api.Delete(t, machinesOf, "metal3", failed.GetName())
	api.WaitGone(t, machinesOf, "metal3", failed.GetName())
	r.want(t, "deleted", "r1 r1 r2 r3 storage")
	r.hosts["r1n1"], r.hosts["r3n1"] = "idle", "used"
	r.run(t, "3", "")
	r.want(t, "its machine is gone", "r1 r2 r3 storage")
	r.wantAll(t, "its machine is gone", []unstructured.Unstructured{healthy, first[2], first[3]})

	// The role shrinks: the rack of the host that is to go loses its machine, and no other one does.
	r.hosts = map[string]string{"r1n2": "used", "r2n1": "used", "r3n1": "used", "s1": "idle", "s2": "used"}
	r.run(t, "2", "sip.airshipit.org/remove: r2n1")
	r.want(t, "shrunk", "r1 r3 storage")
	r.wantAll(t, "shrunk", []unstructured.Unstructured{healthy, first[3]})
}

// run renders the tree, builds the operator's kustomization with its component, and applies it.
func (r *racks) run(t *testing.T, count, annotations string) {
	t.Helper()
	var hosts strings.Builder
	for _, name := range slices.Sorted(maps.Keys(r.hosts)) {
		hosts.WriteString(rackHost(name, r.hosts[name]))
	}
	objects := racksCluster
	for _, name := range slices.Sorted(maps.Keys(r.templates)) {
		labels, more, strategy := "sip.airshipit.org/node-type: Worker, example.org/rack: "+name, "", "RollingUpdate"
		if name == "storage" {
			labels, strategy = "sip.airshipit.org/node-type: Storage", "OnDelete"
			more = "cluster.x-k8s.io/cluster-api-autoscaler-node-group-min-size: '1'"
		}
		objects += strings.NewReplacer("NAME", name, "LABELS", labels, "ANNOTATIONS", more, "STRATEGY", strategy,
			"TEMPLATE", r.templates[name]).Replace(racksDeployment)
	}
	spec := strings.NewReplacer("ANNOTATIONS", annotations, "COUNT", count).Replace(racksSpec)
	applyWithComponent(t, r.api, r.folder, spec, hosts.String(), "red", objects)
}

// applyWithComponent renders a tree in a folder, builds an operator's kustomization with the component of t/NAME, and
// applies it.
func applyWithComponent(t *testing.T, api *engine.APIServer, folder, spec, hosts, name, objects string) {
	t.Helper()
	need.Write(t, filepath.Join(folder, "site.yaml"), racksSite)
	need.Write(t, filepath.Join(folder, "hosts.yaml"), hosts)
	need.Write(t, filepath.Join(folder, "spec.yaml"), spec)
	render := exec.Command(engine.Sipgen(t), "render", "--site", "site.yaml", "-f", "spec.yaml",
		"--inventory", "hosts.yaml", "--out", "tree")
	render.Dir = folder
	said, err := render.CombinedOutput()
	require.Truef(t, err == nil, "sipgen render: %v\n%s", err, said)
	mine := filepath.Join(folder, "mine")
	require.NoError(t, os.MkdirAll(mine, 0o755))
	need.Write(t, filepath.Join(mine, "objects.yaml"), objects)
	need.Write(t, filepath.Join(mine, "kustomization.yaml"),
		"namespace: metal3\nresources: [objects.yaml]\ncomponents: [../tree/clusters/t/"+name+"/capi]\n")
	built, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), mine)
	require.NoError(t, err)
	for _, o := range built.Resources() {
		require.NoError(t, api.TryApply(unstructuredOf(t, o), "platform", false))
	}
}

func rackHost(name, state string) string {
	labels, more, annotations, provisioning := "pool: a, example.org/rack: "+name[:2], "", "", "available"
	role := "Worker"
	if strings.HasPrefix(name, "s") {
		labels, role = "pool: s", "Storage"
	}
	if state != "free" {
		labels += ", sip.airshipit.org/cluster-namespace: t, sip.airshipit.org/cluster-name: red" +
			", sip.airshipit.org/node-type: " + role
	}
	if state == "failed" {
		annotations = `capm3.metal3.io/unhealthy: ""`
	}
	if state == "used" || state == "failed" {
		provisioning = "provisioned"
		more = `, image: {url: "https://images.invalid/node.raw"}` +
			", consumerRef: {kind: Metal3Machine, namespace: metal3, name: " + name + "}"
	}
	return fmt.Sprintf(`---
apiVersion: metal3.io/v1alpha1
kind: BareMetalHost
metadata: {namespace: metal3, name: %s, uid: uid-%s, labels: {%s}, annotations: {%s}}
spec: {online: true, bmc: {address: "redfish://192.0.2.9/%s", credentialsName: %s}%s}
status: {operationalStatus: OK, provisioning: {state: %s}}
`, name, name, labels, annotations, name, name, more, provisioning)
}

// machines are the workers that are not being deleted, by deployment and name.
func (r *racks) machines(t *testing.T) []unstructured.Unstructured {
	t.Helper()
	workers := metav1.ListOptions{LabelSelector: "cluster.x-k8s.io/deployment-name"}
	list, err := r.api.Dynamic.Resource(machinesOf).Namespace("metal3").List(context.Background(), workers)
	require.NoError(t, err)
	out := slices.DeleteFunc(list.Items, func(m unstructured.Unstructured) bool {
		return m.GetDeletionTimestamp() != nil || r.templates[deploymentOf(m)] == ""
	})
	slices.SortFunc(out, func(a, b unstructured.Unstructured) int {
		return strings.Compare(deploymentOf(a)+"/"+a.GetName(), deploymentOf(b)+"/"+b.GetName())
	})
	return out
}

func deploymentOf(m unstructured.Unstructured) string {
	return m.GetLabels()["cluster.x-k8s.io/deployment-name"]
}

// want waits until the machines are those of these deployments, and until the core has nothing to add to that.
func (r *racks) want(t *testing.T, when, want string) {
	t.Helper()
	engine.Wait(t, when, engine.SyncTimeout, func() error {
		var found []string
		for _, m := range r.machines(t) {
			found = append(found, deploymentOf(m))
			if m.GetFinalizers() == nil {
				return fmt.Errorf("%s: not seen by the core", m.GetName())
			}
		}
		if got := strings.Join(found, " "); got != want {
			return fmt.Errorf("found machines of %q, want %q\n%s", got, want, r.core.Logs(5, "rror"))
		}
		for name := range r.templates {
			d := r.api.Get(t, deploymentsOfMachines, "metal3", name)
			seen, _, _ := unstructured.NestedInt64(d.Object, "status", "observedGeneration")
			has, _, _ := unstructured.NestedInt64(d.Object, "status", "replicas")
			asks, _, _ := unstructured.NestedInt64(d.Object, "spec", "replicas")
			if seen != d.GetGeneration() || has != asks {
				return fmt.Errorf("%s: generation %d of %d, %d machines of %d", name, seen, d.GetGeneration(), has,
					asks)
			}
		}
		return nil
	})
}

// wantAll wants machines to be there, the same as before.
func (r *racks) wantAll(t *testing.T, when string, want []unstructured.Unstructured) {
	t.Helper()
	is := map[types.UID]bool{}
	for _, m := range r.machines(t) {
		is[m.GetUID()] = true
	}
	for _, m := range want {
		assert.Truef(t, is[m.GetUID()], "%s: the machine %s is gone", when, m.GetName())
	}
}

// join plays the node of a machine: it has joined, and is healthy.
func (r *racks) join(t *testing.T, m *unstructured.Unstructured) {
	t.Helper()
	r.api.Edit(t, "node", machinesOf, "metal3", m.GetName(), "status", func(o map[string]any) {
		require.NoError(t, unstructured.SetNestedField(o, m.GetName(), "status", "nodeRef", "name"))
	})
}
