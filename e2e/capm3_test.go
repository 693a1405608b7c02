package e2e_test

import (
	"testing"

	"github.com/airshipit/sipgen/e2e/engine"
)

// capm3 is who Cluster API's provider for metal3 is to the API server.
const capm3 = "system:serviceaccount:capm3-system:capm3-manager"

// consume does what Cluster API's provider for metal3 does with hosts that it takes, and waits until they are
// provisioned. See ChangeUse.
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
	const url = "http://images.invalid/node.qcow2"
	r.asCAPM3(t, namespace, name, both(
		set(map[string]any{
			"apiVersion": "infrastructure.cluster.x-k8s.io/v1beta1", "kind": "Metal3Machine", "namespace": namespace,
			"name": "machine-" + name,
		}, "spec", "consumerRef"),
		set(map[string]any{"url": url, "checksum": url + ".sha256sum", "format": "qcow2"}, "spec", "image"),
		set(true, "spec", "online")))
}

// letGo takes that back, and waits until the host is deprovisioned and waits for work again. The provider keeps the
// host until it is clean. reuse is the control plane or deployment that is to have the host again, if the machine's
// template has node reuse.
func (r *rig) letGo(t *testing.T, namespace, name, reuse string) {
	t.Helper()
	r.api.HostWatch.During(t, namespace, name, func() {
		r.asCAPM3(t, namespace, name, drop("spec", "image"))
		r.api.HostWatch.WaitPassed(t, namespace, name, "deprovisioning")
		r.api.Operator.WaitState(t, "available", namespace, name)
		if reuse != "" {
			r.asCAPM3(t, namespace, name,
				set(reuse, "metadata", "labels", "infrastructure.cluster.x-k8s.io/node-reuse"))
		}
		r.asCAPM3(t, namespace, name, drop("spec", "consumerRef"))
	})
}

// asCAPM3 changes a host with the rights that Cluster API's provider for metal3 has over hosts, and the name that it
// has.
func (r *rig) asCAPM3(t *testing.T, namespace, name string, change func(map[string]any)) {
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
