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
		r.editAsCAPM3(t, namespace, name, func(spec map[string]any) {
			spec["consumerRef"] = map[string]any{
				"apiVersion": "infrastructure.cluster.x-k8s.io/v1beta1", "kind": "Metal3Machine", "namespace": namespace, "name": "machine-" + name,
			}
			spec["image"] = map[string]any{"url": "http://images.invalid/node.qcow2", "checksum": "http://images.invalid/node.qcow2.sha256sum", "format": "qcow2"}
			spec["online"] = true
		})
	}
	r.api.Operator.WaitState(t, "provisioned", namespace, names...)
}

// letGo takes that back, and waits until the host is deprovisioned and waits for work again.
func (r *rig) letGo(t *testing.T, namespace, name string) {
	t.Helper()
	r.api.HostWatch.During(t, namespace, name, func() {
		r.editAsCAPM3(t, namespace, name, func(spec map[string]any) {
			delete(spec, "consumerRef")
			delete(spec, "image")
		})
		r.api.HostWatch.WaitPassed(t, namespace, name, "deprovisioning")
		r.api.Operator.WaitState(t, "available", namespace, name)
	})
}

// editAsCAPM3 changes a host's spec with the rights that Cluster API's provider for metal3 has over hosts, and the name that it has.
func (r *rig) editAsCAPM3(t *testing.T, namespace, name string, change func(spec map[string]any)) {
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
		return client.TryEdit("cluster-api-provider-metal3-manager", engine.Hosts, namespace, name, "", func(o map[string]any) {
			change(o["spec"].(map[string]any))
		})
	})
}
