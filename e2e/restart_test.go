package e2e_test

import (
	"strings"
	"testing"

	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// rowRestarted: the engine is killed in the middle of syncs, and the baremetal-operator in the middle of its work, in
// the middle of a site's life. Each goes on from what is in the cluster: nothing is done twice that may be done once
// only.
func rowRestarted(t *testing.T, r *rig, name string) {
	c := newCircle(t, r, name)
	// killed is a step in which the engine is killed as soon as it has been shown the commit.
	killed := func(what string) {
		t.Helper()
		c.begin(t)
		if r.flux != nil {
			r.flux.Restart(t)
		} else {
			r.argo.Restart(t)
		}
		c.follow(t, what)
	}
	c.hosts(t, "controller", "n1", "n2", "n3")
	c.tenantWith("a", 1, loadBalancer())
	c.tenant("b", 1)
	c.commit(t)
	killed("an engine that is killed while it hands out the first hosts")
	c.wantHolds(t, "the restart", "a", "n1")
	c.wantHolds(t, "the restart", "b", "n2")

	c.use(t, func() {
		r.take(t, c.ns, "n1")
		r.api.Operator.Restart(t)
		r.api.Operator.WaitState(t, "provisioned", c.ns, "n1")
	})
	c.specs["a"] = strings.Replace(c.specs["a"], "active: 1", "active: 2", 1)
	c.tenant("b", 0)
	c.commit(t)
	killed("an engine that is killed while one cluster grows and another shrinks")
	c.settle(t, "release")
	c.wantHolds(t, "release", "a", "n1", "n3")
	c.wantHolds(t, "release", "b")
}

// rowGuardsOff: somebody takes the site's guards away, as docs/safety.md says how, while machines run on hosts. Nothing
// happens to the hosts, and a site that grows and shrinks goes on. Put back by the command of docs/gitops.md, they deny
// what they denied before.
func rowGuardsOff(t *testing.T, r *rig, name string) {
	c := newCircle(t, r, name)
	c.hosts(t, "controller", "n1", "n2")
	c.tenant("a", 1)
	c.step(t, "assign")
	c.consumed(t, "n1")

	// Flux puts them back with the next commit: so not before the hosts have changed.
	c.run(t, procedure(t, "stop", "flux")[:1]) // keeps its hands off while somebody looks
	c.run(t, procedure(t, "break-glass", "guards"))
	require.Truef(t, !r.api.Exists(t, guardBindings, "", c.root()+"-sync-guard-v1"), "the guards are still there")
	c.untouched.Check(t, "no guards")
	r.wantNoHarm(t, c.ns, "no guards")
	c.run(t, procedure(t, "resume", "flux"))
	c.tenant("a", 2)
	c.step(t, "the site grows")
	c.tenant("a", 1)
	c.settle(t, "the site shrinks")
	c.wantHolds(t, "the site shrinks", "a", "n1")

	c.run(t, procedure(t, "apply-policy"))
	r.api.WaitPolicies(t, c.ns)
	failures := c.mistake(t)
	c.sync(t, failures)
	c.check(t, "a mistake, with guards again", failures)
	c.wantHolds(t, "a mistake, with guards again", "a", "n1")
}

// wantStandby wants the label of standby hosts on these hosts of a cluster, and on no other of its hosts.
func (c *circle) wantStandby(t *testing.T, what, cluster string, want ...string) {
	t.Helper()
	found := c.hostsWith(t, clusterName+"="+cluster, func(host *unstructured.Unstructured) bool {
		return host.GetLabels()["sip.airshipit.org/standby"] == "true"
	})
	assert.Equal(t, append([]string{}, want...), found, "after "+what)
}

// rowFailed: metal3 reports errors of two hosts of a cluster. The one that nothing runs on is replaced, by the standby
// host at once; the one that a machine runs on keeps its slot, its labels and its power, because a BMC that does not
// answer is no reason to touch a server that serves.
func rowFailed(t *testing.T, r *rig, name string) {
	c := newCircle(t, r, name)
	c.hosts(t, "controller", "n1", "n2", "n3", "n4")
	c.tenant("a", 2)
	c.specs["a"] = strings.Replace(c.specs["a"], "active: 2", "active: 2, standby: 1", 1)
	c.step(t, "assign")
	c.wantStandby(t, "assign", "a", "n3")
	c.consumed(t, "n1")

	// The operator loses the BMC's credentials.
	credentials := func(host, secret string, bad bool) {
		r.api.Edit(t, "people", engine.Hosts, c.ns, host, "", set(secret, "spec", "bmc", "credentialsName"))
		waitWhile(t, "the operator's opinion of "+host, func() (bool, any) {
			_, message := c.state(t, host)
			return (message != "") != bad, message
		})
	}
	r.api.HostWatch.During(t, c.ns, "n1", func() {
		credentials("n1", "none", true)
		c.accept(t)
		if c.commit(t); !strings.Contains(c.said, "n1") {
			t.Errorf("sipgen says nothing of the host in error:\n%s", c.said)
		}
		c.follow(t, "a host in error on which a machine runs")
		c.wantHolds(t, "a host in error on which a machine runs", "a", "n1", "n2", "n3")
		c.wantStandby(t, "a host in error on which a machine runs", "a", "n3")
		credentials("n1", "n1-bmc", false)
	})
	c.accept(t)
	c.settle(t, "its BMC answers again")

	r.api.HostWatch.During(t, c.ns, "n2", func() {
		credentials("n2", "none", true)
		c.accept(t)
		c.step(t, "a host in error on which nothing runs")
		c.wantSaid(t, "a host in error on which nothing runs", "promoted from standby: "+c.ns+"/n3",
			"is released: "+c.ns+"/n2")
		c.settle(t, "the standby host stands in")
		c.wantHolds(t, "the standby host stands in", "a", "n1", "n3", "n4")
		c.wantStandby(t, "the standby host stands in", "a", "n4")
		credentials("n2", "n2-bmc", false)
	})
	c.accept(t)
	c.settle(t, "its BMC answers again")
	state, _ := c.state(t, "n1")
	assert.Equal(t, "provisioned", state, "the host that serves is")
}
