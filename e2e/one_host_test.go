package e2e_test

import (
	"testing"

	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/stretchr/testify/assert"
)

// rowOneHost: of three hosts of one Application the patch of one is refused, because the host was made anew since the
// commit: the others get their labels, and the next commit has the new one.
func rowOneHost(t *testing.T, r *rig, name string) {
	c := newCircle(t, r, name)
	c.hosts(t, "controller", "n1", "n2", "n3")
	c.tenant("a", 1)
	c.step(t, "assign")
	c.wantHolds(t, "assign", "a", "n1")
	c.tenant("a", 3)
	assert.Truef(t, c.commit(t), "nothing to commit\n%s", c.said)
	r.api.HostWatch.During(t, c.ns, "n2", func() {
		r.api.Delete(t, engine.Hosts, c.ns, "n2")
		c.waitGone(t, "n2")
		createHost(t, r.api, "controller", c.ns, "n2", "rack-of-n2")
		r.api.Operator.WaitState(t, "available", c.ns, "n2")
	})
	c.accept(t)
	failures := map[string]string{c.name("a", "hosts"): "immutable"}
	c.sync(t, failures)
	c.wantHolds(t, "a host made anew", "a", "n1", "n3")
	c.settle(t, "the new host")
	c.wantHolds(t, "the new host", "a", "n1", "n2", "n3")
}
