package e2e_test

import (
	"strings"
	"testing"

	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/airshipit/sipgen/inventory"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// rowStandbyUnfit: an active host is marked unhealthy while the first standby host by name is cordoned. That one stays
// standby, with its labels, and the other one is promoted. Once the cordon is off, it is promoted as any other.
func rowStandbyUnfit(t *testing.T, r *rig, name string) {
	c := newCircle(t, r, name)
	c.hosts(t, "controller", "n1", "n2", "n3", "n4", "n5")
	c.tenant("a", 1)
	c.specs["a"] = strings.Replace(c.specs["a"], "active: 1", "active: 1, standby: 2", 1)
	c.step(t, "assign")
	c.wantStandby(t, "assign", "a", "n2", "n3")
	annotate := func(host, key string) {
		t.Helper()
		r.api.Edit(t, "people", engine.Hosts, c.ns, host, "", set("maintenance", "metadata", "annotations", key))
		c.accept(t)
	}
	annotate("n2", inventory.CordonAnnotation)
	annotate("n1", "capi.metal3.io/unhealthy")
	c.step(t, "the first standby host is cordoned")
	c.wantSaid(t, "the first standby host is cordoned", "promoted from standby: "+c.ns+"/n3")
	c.wantHolds(t, "the first standby host is cordoned", "a", "n2", "n3", "n4")
	c.wantStandby(t, "the first standby host is cordoned", "a", "n2", "n4")
	c.settle(t, "the cordoned host stays standby")
	c.wantStandby(t, "the cordoned host stays standby", "a", "n2", "n4")

	r.api.Edit(t, "people", engine.Hosts, c.ns, "n2", "", drop("metadata", "annotations", inventory.CordonAnnotation))
	annotate("n3", "capi.metal3.io/unhealthy")
	c.step(t, "the cordon is off")
	c.wantHolds(t, "the cordon is off", "a", "n2", "n4", "n5")
	c.wantStandby(t, "the cordon is off", "a", "n4", "n5")
}

// rowMachineElsewhere: a BareMetalHost is made anew under its name, and its machine takes it before sipgen runs: the
// provider finds a machine's host by name. sipgen reports the machine, gives the host to no cluster, and another host
// gets the slot.
func rowMachineElsewhere(t *testing.T, r *rig, name string) {
	c := newCircle(t, r, name)
	c.hosts(t, "controller", "n1", "n2", "n3")
	c.tenant("a", 2)
	c.step(t, "assign")
	c.wantHolds(t, "assign", "a", "n1", "n2")
	machine := func(host string) {
		t.Helper()
		r.consume(t, c.ns, host)
		r.asCAPM3(t, c.ns, host, set("kube", "metadata", "labels", inventory.ClusterAPILabel))
	}
	c.use(t, func() { machine("n1") })
	c.settle(t, "a machine on one of them")
	r.api.HostWatch.During(t, c.ns, "n2", func() {
		r.api.Delete(t, engine.Hosts, c.ns, "n2")
		c.waitGone(t, "n2")
	})
	c.hosts(t, "controller", "n2")
	c.use(t, func() { machine("n2") })

	c.step(t, "made anew")
	c.sipgen(t, "plan")
	c.wantSaid(t, "made anew", "machines of Cluster API cluster "+c.ns+"/kube",
		"use hosts that it does not have: "+c.ns+"/n2")
	c.wantHolds(t, "made anew", "a", "n1", "n3")
	assert.Len(t, r.api.OurLabels(t, c.ns, "n2"), 0, "the host that was made anew has labels")
	user, _, err := unstructured.NestedString(r.api.Get(t, engine.Hosts, c.ns, "n2").Object, "spec", "consumerRef",
		"name")
	require.NoError(t, err)
	assert.Equal(t, "machine-n2", user, "its machine is")
}
