package services

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

// older are templates of the kinds' other versions than those in examples/cluster-api.
const older = `
apiVersion: infrastructure.cluster.x-k8s.io/v1beta2
kind: Metal3Cluster
metadata: {name: older}
---
apiVersion: infrastructure.cluster.x-k8s.io/v1beta2
kind: Metal3MachineTemplate
metadata: {name: older-cp, labels: {sip.airshipit.org/node-type: ControlPlane}}
spec: {template: {spec: {image: {url: "https://images.invalid/node.raw", checksum: "https://images.invalid/sum", diskFormat: raw}}}}
---
apiVersion: infrastructure.cluster.x-k8s.io/v1beta2
kind: Metal3MachineTemplate
metadata: {name: older-wk, labels: {sip.airshipit.org/node-type: Worker}}
spec: {template: {spec: {image: {url: "https://images.invalid/node.raw", checksum: "https://images.invalid/sum", diskFormat: raw}}}}
---
apiVersion: controlplane.cluster.x-k8s.io/v1beta1
kind: KubeadmControlPlane
metadata: {name: older}
spec:
  version: v1.33.0
  machineTemplate: {infrastructureRef: {apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: Metal3MachineTemplate, name: older-cp}}
  kubeadmConfigSpec: {}
---
apiVersion: cluster.x-k8s.io/v1beta1
kind: MachineDeployment
metadata: {name: older, labels: {sip.airshipit.org/node-type: Worker}}
spec:
  clusterName: older
  selector: {matchLabels: {a: b}}
  template:
    metadata: {labels: {a: b}}
    spec:
      clusterName: older
      bootstrap: {dataSecretName: none}
      infrastructureRef: {apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: Metal3MachineTemplate, name: older-wk}
`

// TestClusterAPIObjectsAreAdmitted: what examples/cluster-api makes with the component of its golden tree is taken by a
// real API server in a strict dry run, with Cluster API's own definitions; so is the same of the other versions.
// Without the component the server misses what it sets.
func TestClusterAPIObjectsAreAdmitted(t *testing.T) {
	api := server(t)
	api.InstallCRDs(t, append(engine.ClusterAPICRDs(t), engine.CAPM3CRDs()...)...)
	api.Namespaces(t, "metal3")
	golden, example := filepath.Join("..", "..", "golden", "cluster-api"), filepath.Join("..", "..", "examples",
		"cluster-api")
	repository := t.TempDir()
	for _, folder := range []string{golden, example} {
		require.NoError(t, os.CopyFS(repository, os.DirFS(folder)))
	}
	other := filepath.Join(repository, "platform", "other")
	need.Write(t, filepath.Join(other, "older.yaml"), older)
	need.Write(t, filepath.Join(other, "kustomization.yaml"),
		"namespace: metal3\nresources: [older.yaml]\ncomponents: [../../clusters/edge/edge/capi]\n")
	for folder, least := range map[string]int{"platform/edge": 7, "platform/other": 5} {
		built, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(),
			filepath.Join(repository, folder))
		require.NoError(t, err)
		assert.Truef(t, built.Size() >= least, "%s: %d objects, want at least %d", folder, built.Size(), least)
		for _, r := range built.Resources() {
			o := unstructuredOf(t, r)
			admit(t, api, folder, o)
			if o.GetKind() != "Metal3Cluster" {
				continue
			}
			// The same object with a field in the other version's place is refused: the dry run does look.
			spec := o.Object["spec"].(map[string]any)
			if o.GetAPIVersion() == "infrastructure.cluster.x-k8s.io/v1beta2" {
				spec["failureDomains"] = map[string]any{"room-1": map[string]any{"controlPlane": true}}
			} else {
				spec["failureDomains"] = []any{map[string]any{"name": "room-1", "controlPlane": true}}
			}
			assert.ErrorContains(t, api.TryApply(o, "platform", true), "failureDomains", folder)
		}
	}
}
