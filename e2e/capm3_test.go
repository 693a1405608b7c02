package e2e_test

import (
	"testing"

	"github.com/airshipit/sipgen/e2e/engine"
)

// capm3 is who Cluster API's provider for metal3 is to the API server.
const capm3 = "system:serviceaccount:capm3-system:capm3-manager"

// consume does what Cluster API's provider for metal3 does with hosts that it takes, and waits until they are provisioned. See ChangeUse.
func (r *rig) consume(t *testing.T, namespace string, names ...string) {
	t.Helper()
	for _, name := range names {
		r.take(t, namespace, name)
	}
	r.api.Operator.WaitState(t, "provisioned", namespace, names...)
}

// consumed has hosts consumed and provisioned, and goes round until the tree has nothing to say to that.
func (c *circle) consumed(t *testing.T, names ...string) {
	t.Helper()
	c.use(t, func() { c.rig.consume(t, c.ns, names...) })
	c.settle(t, "consumed")
}

// take is what the provider writes on a host that it chose.
func (r *rig) take(t *testing.T, namespace, name string) {
	t.Helper()
	r.editAsCAPM3(t, namespace, name, func(spec map[string]any) {
		spec["consumerRef"] = map[string]any{
			"apiVersion": "infrastructure.cluster.x-k8s.io/v1beta1", "kind": "Metal3Machine", "namespace": namespace, "name": "machine-" + name,
		}
		spec["image"] = map[string]any{"url": "http://images.invalid/node.qcow2", "checksum": "http://images.invalid/node.qcow2.sha256sum", "format": "qcow2"}
		spec["online"] = true
	})
}

// letGo takes that back, and waits until the host is deprovisioned and waits for work again. The provider keeps the host until it is clean.
func (r *rig) letGo(t *testing.T, namespace, name string) { r.letGoFor(t, namespace, name, "") }

// letGoFor is letGo of a machine whose template has node reuse: reuse is the control plane or deployment that is to have the host again.
func (r *rig) letGoFor(t *testing.T, namespace, name, reuse string) {
	t.Helper()
	r.api.HostWatch.During(t, namespace, name, func() {
		r.editAsCAPM3(t, namespace, name, func(spec map[string]any) {
			delete(spec, "image")
		})
		r.api.HostWatch.WaitPassed(t, namespace, name, "deprovisioning")
		r.api.Operator.WaitState(t, "available", namespace, name)
		if reuse != "" {
			r.objectAsCAPM3(t, namespace, name, set(reuse, "metadata", "labels", "infrastructure.cluster.x-k8s.io/node-reuse"))
		}
		r.editAsCAPM3(t, namespace, name, func(spec map[string]any) { delete(spec, "consumerRef") })
	})
}

// editAsCAPM3 changes a host's spec with the rights that Cluster API's provider for metal3 has over hosts, and the name that it has.
func (r *rig) editAsCAPM3(t *testing.T, namespace, name string, change func(spec map[string]any)) {
	t.Helper()
	r.objectAsCAPM3(t, namespace, name, func(o map[string]any) { change(o["spec"].(map[string]any)) })
}

func (r *rig) objectAsCAPM3(t *testing.T, namespace, name string, change func(map[string]any)) {
	t.Helper()
	r.api.Apply(t, "e2e", `
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: capm3-manager}
rules: [{apiGroups: [metal3.io], resources: [baremetalhosts], verbs: [get, list, watch, patch, update]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: capm3-manager}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: capm3-manager}
subjects: [{kind: ServiceAccount, namespace: capm3-system, name: capm3-manager}]
`)
	client := engine.NewClient(t, r.api.As(capm3))
	// The API server learns of rights a moment later.
	engine.Wait(t, "the rights of "+capm3, engine.SyncTimeout, func() error {
		return client.TryEdit("cluster-api-provider-metal3-manager", engine.Hosts, namespace, name, "", change)
	})
}
