package e2e_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/selection"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

// The kinds that say which hosts machines take, and how many machines there are.
var (
	machineTemplates = schema.GroupVersionResource{Group: "infrastructure.cluster.x-k8s.io", Version: "v1beta1",
		Resource: "metal3machinetemplates"}
	controlPlanes = schema.GroupVersionResource{Group: "controlplane.cluster.x-k8s.io", Version: "v1beta2",
		Resource: "kubeadmcontrolplanes"}
	machineDeployments = schema.GroupVersionResource{Group: "cluster.x-k8s.io", Version: "v1beta2",
		Resource: "machinedeployments"}
)

// rowHandover: two tenants' hosts in one namespace, labeled by the engine. The platform applies the objects of
// examples/cluster-api, with the components of the tree, in the namespace of the hosts. What plays CAPM3 takes hosts at
// random, as that does: each cluster's machines get each active host of their role, and one machine more than that
// finds none, though standby hosts, free ones and another tenant's are there.
func rowHandover(t *testing.T, r *rig, name string) {
	r.api.InstallCRDs(t, append(engine.ClusterAPICRDs(t), engine.CAPM3CRDs()...)...)
	c := newCircle(t, r, name)
	c.site.Spec.ClusterAPI = &v1alpha1.ClusterAPI{}
	c.hosts(t, "controller", "h1", "h2", "h3", "h4", "h5", "h6", "h7", "h8")
	red, blue := nextNodePort(), nextNodePort()
	c.forClusterAPI("red", red, 1, 1)
	c.forClusterAPI("blue", blue, 2, 0)
	c.step(t, "two tenants")

	c.use(t, func() {
		for _, cluster := range []string{"red", "blue"} {
			c.platform(t, cluster)
			c.takeHosts(t, cluster)
		}
	})
	c.settle(t, "the hosts are consumed")

	// Expand: one more host, one more replica, and no standby host.
	c.forClusterAPI("red", red, 2, 1)
	c.step(t, "red wants one more worker")
	c.use(t, func() {
		c.platform(t, "red")
		c.takeHosts(t, "red")
	})
	c.settle(t, "red has one more worker")

	// Contract: Cluster API chooses the machine, and sipgen gives back the host that it let go.
	c.forClusterAPI("blue", blue, 1, 0)
	c.settle(t, "blue wants one worker less")
	workers := c.active(t, "blue", "Worker")
	require.Truef(t, len(workers) == 2, "blue's consumed workers are %v, want both until one is let go", workers)
	gone := workers[rand.IntN(2)]
	t.Logf("Cluster API deletes the machine on %s", gone)
	c.use(t, func() {
		c.platform(t, "blue")
		r.letGo(t, c.ns, gone, "")
	})
	c.settle(t, "a worker was let go")
	if rest := c.active(t, "blue", "Worker"); len(rest) != 1 || rest[0] == gone {
		t.Errorf("blue has the workers %v, want the one that is not %s", rest, gone)
	}
	for _, cluster := range []string{"red", "blue"} {
		c.wantFull(t, cluster)
	}
}

// forClusterAPI gives a cluster a control plane, and so many workers and standby workers, on whatever hosts there are.
func (c *circle) forClusterAPI(name string, port int32, workers, standby int) {
	c.specs[name] = fmt.Sprintf(`
apiVersion: airship.airshipit.org/v1
kind: SIPCluster
metadata: {namespace: %s, name: %s}
spec:
  nodes:
    ControlPlane:
      labelSelector: {matchLabels: {example.org/owner: facilities}}
      count: {active: 1}
    Worker:
      labelSelector: {matchLabels: {example.org/owner: facilities}}
      count: {active: %d, standby: %d}
  services:
    loadBalancerControlPlane:
    - {nodeInterfaceId: oam, nodePort: %d}
`, c.tenants, name, workers, standby, port)
}

// platform applies what a platform writes for a cluster, with the rights to do that in the namespace of the hosts, and
// no others.
func (c *circle) platform(t *testing.T, cluster string) {
	t.Helper()
	files := filesys.MakeFsInMemory()
	write := func(name string, content []byte) {
		require.NoError(t, files.WriteFile(path.Join("/", name), content))
	}
	for name, content := range c.tree {
		write(name, content)
	}
	example := filepath.Join("..", "examples", "cluster-api", "platform", "edge")
	for _, entry := range need.Value(os.ReadDir(example))(t) {
		content := need.Read(t, filepath.Join(example, entry.Name()))
		text := strings.ReplaceAll(string(content), "clusters/edge/edge/", "clusters/"+c.tenants+"/"+cluster+"/")
		if entry.Name() == "kustomization.yaml" {
			text = strings.Replace(text, "namespace: metal3", "namespace: "+c.ns+"\nnamePrefix: "+cluster+"-", 1)
			// A node port is one of any node: which, only the platform knows.
			text += `patches: [{target: {kind: Metal3Cluster}, patch: '[{"op": "add", "path": "/spec/controlPlaneEndpoint/host", "value": "192.0.2.200"}]'}]` + "\n"
		}
		write("platform/"+cluster+"/"+entry.Name(), []byte(text))
	}
	built := need.Value(krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(files, "/platform/"+cluster))(t)
	text := need.Value(built.AsYaml())(t)
	account := "system:serviceaccount:" + c.ns + ":platform"
	c.rig.api.Apply(t, "e2e", strings.ReplaceAll(`
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {namespace: NAMESPACE, name: platform}
rules: [{apiGroups: [cluster.x-k8s.io, bootstrap.cluster.x-k8s.io, controlplane.cluster.x-k8s.io, infrastructure.cluster.x-k8s.io], resources: ["*"], verbs: [get, patch, create]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {namespace: NAMESPACE, name: platform}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: platform}
subjects: [{kind: ServiceAccount, namespace: NAMESPACE, name: platform}]
`, "NAMESPACE", c.ns))
	client := engine.NewClient(t, c.rig.api.As(account))
	for _, o := range engine.Objects(t, text) {
		engine.Wait(t, o.GetKind()+" "+o.GetName(), engine.SyncTimeout,
			func() error { return client.TryApply(o, "platform", false) })
	}
}

// takeHosts plays Cluster API and CAPM3 for a cluster that the platform has applied: machines up to the replicas, each
// on a host that is picked at random, and one machine too many, which is to find no host.
func (c *circle) takeHosts(t *testing.T, cluster string) {
	t.Helper()
	for _, of := range []struct {
		replicas       schema.GroupVersionResource
		name, template string
		role           string
	}{{controlPlanes, cluster + "-edge", cluster + "-edge-control-plane-1", "ControlPlane"},
		{machineDeployments, cluster + "-edge-workers", cluster + "-edge-workers-1", "Worker"}} {
		replicas, _, err := unstructured.NestedInt64(c.rig.api.Get(t, of.replicas, c.ns, of.name).Object, "spec",
			"replicas")
		require.Truef(t, err == nil && replicas != 0, "%s %s: %d replicas: %v", of.replicas.Resource, of.name,
			replicas, err)
		template := c.rig.api.Get(t, machineTemplates, c.ns, of.template)
		for machines := len(c.active(t, cluster, of.role)); machines < int(replicas); machines++ {
			hosts := c.available(t, selectorOf(t, template))
			require.Truef(t, len(hosts) != 0, "%s: %d of %d machines have a host", of.template, machines, replicas)
			chosen := hosts[rand.IntN(len(hosts))]
			t.Logf("%s takes %s of %v", of.template, chosen, hosts)
			c.rig.consume(t, c.ns, chosen)
		}
		assert.Len(t, c.available(t, selectorOf(t, template)), 0, of.template+": hosts for one machine more")
	}
	if hosts := c.available(t, labels.Everything()); len(hosts) == 0 {
		t.Error("no host is available without a selector: it is not the selector that leaves them out")
	}
	c.wantFull(t, cluster)
}

// wantFull wants each active host of a cluster consumed, and no standby host.
func (c *circle) wantFull(t *testing.T, cluster string) {
	t.Helper()
	for name, content := range c.tree {
		if path.Dir(name) != "clusters/"+c.tenants+"/"+cluster+"/hosts" || path.Base(name) == "kustomization.yaml" {
			continue
		}
		patch := engine.Objects(t, content)[0]
		if patch.GetLabels()[clusterName] == "" {
			continue
		}
		standby := patch.GetLabels()["sip.airshipit.org/standby"] == "true"
		host := c.rig.api.Get(t, engine.Hosts, c.ns, patch.GetName())
		assert.Equal(t, !standby, consumed(host), host.GetName()+" of "+cluster+" is consumed")
	}
}

// active are the hosts of a cluster's role that are consumed, sorted.
func (c *circle) active(t *testing.T, cluster, role string) []string {
	t.Helper()
	return c.hostsWith(t, clusterName+"="+cluster+",sip.airshipit.org/node-type="+role, consumed)
}

func consumed(host *unstructured.Unstructured) bool {
	_, found, err := unstructured.NestedMap(host.Object, "spec", "consumerRef")
	return err == nil && found
}

// selectorOf reads a template's hostSelector as CAPM3 does: operators in small letters.
func selectorOf(t *testing.T, template *unstructured.Unstructured) labels.Selector {
	t.Helper()
	fields, _, err := unstructured.NestedMap(template.Object, "spec", "template", "spec", "hostSelector")
	require.NoError(t, err)
	selector := labels.NewSelector()
	add := func(key string, operator selection.Operator, values []string) {
		selector = selector.Add(*need.Value(labels.NewRequirement(key, operator, values))(t))
	}
	matchLabels, _, err := unstructured.NestedStringMap(fields, "matchLabels")
	require.NoError(t, err)
	for key, value := range matchLabels {
		add(key, selection.Equals, []string{value})
	}
	expressions, _, err := unstructured.NestedSlice(fields, "matchExpressions")
	require.NoError(t, err)
	for _, e := range expressions {
		expression := e.(map[string]any)
		values, _, err := unstructured.NestedStringSlice(expression, "values")
		require.NoError(t, err)
		add(expression["key"].(string), selection.Operator(strings.ToLower(expression["operator"].(string))), values)
	}
	return selector
}

// available are the hosts in the namespace that CAPM3 would pick from.
func (c *circle) available(t *testing.T, selector labels.Selector) []string {
	t.Helper()
	return c.hostsWith(t, selector.String(), func(host *unstructured.Unstructured) bool {
		state, message := stateOf(host)
		marked := false
		for _, key := range []string{"baremetalhost.metal3.io/paused", "capm3.metal3.io/unhealthy",
			"capi.metal3.io/unhealthy"} {
			_, has := host.GetAnnotations()[key]
			marked = marked || has
		}
		waits := state == "available" || state == "ready"
		return waits && !consumed(host) && host.GetDeletionTimestamp() == nil && message == "" && !marked
	})
}
