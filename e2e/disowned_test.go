package e2e_test

import (
	"testing"

	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// rowDisowned: a write of the status without labels takes their ownership from the engine. The labels stay when the
// host is released, and no other cluster gets it. The command of the page "A change is not applied" ends that.
func rowDisowned(t *testing.T, r *rig, name string) {
	c := newCircle(t, r, name)
	c.hosts(t, "controller", "n1", "n2")
	c.tenant("a", 2)
	c.step(t, "assign")
	_, err := r.api.Dynamic.Resource(engine.Hosts).Namespace(c.ns).Patch(t.Context(), "n2", types.MergePatchType,
		[]byte(`{"metadata":{"labels":null},"status":{"errorMessage":""}}`),
		metav1.PatchOptions{FieldManager: "odd"}, "status")
	require.NoError(t, err)
	c.tenant("a", 1)
	c.commit(t)
	c.readTree(t)
	c.sync(t, nil)
	assert.Len(t, r.api.OurLabels(t, c.ns, "n2"), 3, "labels that the engine does not own")
	r.api.Kubectl(t, "", "label", "bmh", "-n", c.ns, "n2", "--field-manager=oncall",
		"sip.airshipit.org/cluster-namespace-", "sip.airshipit.org/cluster-name-", "sip.airshipit.org/node-type-",
		"sip.airshipit.org/standby-")
	c.settle(t, "the labels are removed")
	c.tenant("b", 1)
	c.step(t, "another cluster")
	c.wantHolds(t, "another cluster", "b", "n2")
}
