package e2e_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var (
	machines       = schema.GroupVersionResource{Group: "cluster.x-k8s.io", Version: "v1beta2", Resource: "machines"}
	metal3Machines = schema.GroupVersionResource{Group: "infrastructure.cluster.x-k8s.io", Version: "v1beta1",
		Resource: "metal3machines"}
)

// rowFreeHost runs what docs/runbooks/free-a-host.md tells a person to type, word by word: a host is freed and another
// tenant gets it, and a machine moves to another host. Cluster API and its provider are played, with node reuse: the
// host that is let go keeps the label that the page removes.
func rowFreeHost(t *testing.T, r *rig, name string) {
	const reuse = "infrastructure.cluster.x-k8s.io/node-reuse"
	r.api.InstallCRDs(t, append(engine.ClusterAPICRDs(t), engine.CAPM3CRDs()...)...)
	c := newCircle(t, r, name)
	c.hosts(t, "controller", "n1", "n2", "n3")
	c.tenant("a", 2)
	c.step(t, "assign")
	c.wantHolds(t, "assign", "a", "n1", "n2")
	c.machineOn(t, "n1")
	c.machineOn(t, "n2")
	c.consumed(t, "n1", "n2")
	free, move := procedure(t, "free-host"), procedure(t, "move-machine")
	require.Truef(t, len(free) == 3 && len(move) == 2, "the page has %d and %d blocks, want 3 and 2", len(free),
		len(move))
	on := func(host, block string) string {
		t.Helper()
		return c.run(t, []string{strings.NewReplacer("NAMESPACE", c.ns, "METAL3MACHINE", "machine-"+host, "MACHINE",
			"node-"+host, "NAME", host).Replace(block)})
	}
	keys := func(host string) string {
		meta := r.api.Get(t, engine.Hosts, c.ns, host)
		var found []string
		for _, key := range []string{"capm3.metal3.io/unhealthy", "capi.metal3.io/unhealthy"} {
			if _, has := meta.GetAnnotations()[key]; has {
				found = append(found, key)
			}
		}
		if meta.GetLabels()[reuse] != "" {
			found = append(found, reuse)
		}
		return strings.Join(found, " ")
	}
	remove := func(host string) {
		c.tenant("a", 1)
		c.specs["a"] = strings.Replace(c.specs["a"], "name: a}",
			"name: a, annotations: {sip.airshipit.org/remove: "+host+"}}", 1)
	}

	// Free a host.
	assert.Equal(t, "Metal3Machine/machine-n1\nnode-n1\n", on("n1", free[0]), "the machine on n1")
	on("n1", free[1])
	if _, marked := r.api.Get(t, machines, c.ns,
		"node-n1").GetAnnotations()["cluster.x-k8s.io/delete-machine"]; !marked {
		t.Error("the machine is not marked")
	}
	remove("n1")
	c.step(t, "named")
	c.wantHolds(t, "named", "a", "n1", "n2")
	r.api.Operator.ChangeUse(func() { r.letGo(t, c.ns, "n1", "md-a") })
	later := time.AfterFunc(2*time.Second, func() { // while the page waits for it
		_ = r.api.Dynamic.Resource(metal3Machines).Namespace(c.ns).Delete(context.Background(), "machine-n1",
			metav1.DeleteOptions{})
	})
	defer later.Stop()
	on("n1", free[2])
	assert.Empty(t, keys("n1"), "n1 still has")
	// CAPM3 1.14 leaves the Cluster as the consumer, with or without the label.
	r.api.Operator.ChangeUse(func() {
		r.asCAPM3(t, c.ns, "n1", set(map[string]any{"apiVersion": "cluster.x-k8s.io/v1beta2", "kind": "Cluster",
			"namespace": c.ns,
			"name":      "a"}, "spec", "consumerRef"))
	})
	assert.Truef(t, !c.commit(t), "a host that a Cluster keeps is released: %s", c.said)
	c.sipgen(t, "status")
	c.wantSaid(t, "kept by a Cluster", "kept for reuse", "Cluster "+c.ns+"/a")
	r.api.HostWatch.During(t, c.ns, "n1", func() {
		r.api.Operator.ChangeUse(func() { on("n1", procedure(t, "free-reused")[0]) })
	})
	c.accept(t)
	c.settle(t, "n1 is let go")
	c.wantHolds(t, "n1 is let go", "a", "n2")
	c.tenant("b", 1)
	c.step(t, "another tenant gets it")
	c.wantHolds(t, "another tenant gets it", "b", "n1")

	// Move a machine.
	remove("n2")
	c.sipgen(t, "plan")
	c.wantSaid(t, "n2 is replaced", "replaces "+c.ns+"/n2")
	c.step(t, "n2 is replaced")
	c.wantHolds(t, "n2 is replaced", "a", "n2", "n3")
	on("n2", move[0])
	assert.Equal(t, "capm3.metal3.io/unhealthy capi.metal3.io/unhealthy", keys("n2"), "the marks of n2")
	assert.Truef(t, !r.api.Exists(t, machines, c.ns, "node-n2"), "the machine on n2 is still there")
	r.api.Operator.ChangeUse(func() { r.letGo(t, c.ns, "n2", "md-a") })
	r.api.WaitGone(t, metal3Machines, c.ns, "machine-n2")
	on("n2", free[2]) // which is to wait for nothing
	c.consumed(t, "n3")
	c.wantHolds(t, "the machine has moved", "a", "n3")
	on("n2", move[1])
	assert.Empty(t, keys("n2"), "n2 still has")
	c.accept(t)
	c.tenant("b", 2)
	c.step(t, "another tenant gets n2")
	c.wantHolds(t, "another tenant gets n2", "b", "n1", "n2")
}

// machineOn makes the objects of a machine on a host, as Cluster API has them.
func (c *circle) machineOn(t *testing.T, host string) {
	t.Helper()
	words := strings.NewReplacer("NAMESPACE", c.ns, "HOST", host)
	c.rig.api.Apply(t, "e2e", words.Replace(`
apiVersion: cluster.x-k8s.io/v1beta2
kind: Machine
metadata: {namespace: NAMESPACE, name: node-HOST}
spec:
  clusterName: a
  bootstrap: {dataSecretName: x}
  infrastructureRef: {apiGroup: infrastructure.cluster.x-k8s.io, kind: Metal3Machine, name: machine-HOST}
`))
	uid := string(c.rig.api.Get(t, machines, c.ns, "node-"+host).GetUID())
	c.rig.api.Apply(t, "e2e", words.Replace(`
apiVersion: infrastructure.cluster.x-k8s.io/v1beta1
kind: Metal3Machine
metadata:
  namespace: NAMESPACE
  name: machine-HOST
  ownerReferences: [{apiVersion: cluster.x-k8s.io/v1beta2, kind: Machine, name: node-HOST, uid: `+uid+`}]
spec: {}
`))
}
