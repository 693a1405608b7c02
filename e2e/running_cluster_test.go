package e2e_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// rowRunningCluster runs docs/running-cluster.md, word by word: a site whose hosts run machines before sipgen is there.
// Labeled before the first publish they stay with their cluster; labeled after it, under the guards, they take the
// place of the hosts that it got, as soon as a person accepts what the brake holds back.
func rowRunningCluster(t *testing.T, r *rig, name string) {
	c := newCircle(t, r, name)
	c.hosts(t, "controller", "n1", "n2", "n3", "n4")
	c.use(t, func() { r.consume(t, c.ns, "n1", "n2") })
	blocks := procedure(t, "running-cluster")
	require.Truef(t, len(blocks) == 4, "the page has %d blocks, want the variables, a list, a function and its use",
		len(blocks))
	label := func(cluster, hosts string) string {
		t.Helper()
		said := c.run(t, []string{"export HOSTS=" + c.ns + " NAMESPACE=" + c.tenants + " CLUSTER=" + cluster + "\n",
			blocks[1], blocks[2],
			strings.ReplaceAll(blocks[3], "WORKERS", hosts)})
		c.accept(t)
		return said
	}
	c.tenant("a", 3)
	c.short = true
	if code := c.sipgen(t, "plan"); code != 1 {
		t.Errorf("sipgen plan: exit code %d, want 1", code)
	}
	c.wantSaid(t, "the first plan", c.tenants+
		"/a Worker is new, and selects 2 hosts that run machines and have no labels of a cluster",
		"2 more hosts match but: 2 in use. If 2 hosts in use run this cluster")
	assert.Contains(t, label("a", "n1 n2"), "n1\tMetal3Machine\tmachine-n1\t-\nn2\t", "the hosts in use")
	c.exits(t, "labeled", 0, "plan")
	c.wantSaid(t, "the plan with labels", "3 hosts assigned (1 new), 2 adopted (labeled already), 1 free",
		"there is no tree, and 2 hosts carry labels")
	c.step(t, "publish")
	c.wantHolds(t, "publish", "a", "n1", "n2", "n3")
	c.tenant("a", 2)
	c.settle(t, "a host without a machine leaves")
	c.wantHolds(t, "a host without a machine leaves", "a", "n1", "n2")

	c.tenant("b", 2)
	c.step(t, "published before the labels")
	c.wantHolds(t, "published before the labels", "b", "n3", "n4")
	c.hosts(t, "controller", "n5", "n6")
	c.use(t, func() { r.consume(t, c.ns, "n5", "n6") })
	label("b", "n5 n6")
	one := 1
	c.site.Spec.Brake.MaxHosts = &one
	c.short = true
	c.step(t, "labeled under the guards")
	c.wantSaid(t, "labeled under the guards", "loses 2 of 6 claimed hosts", `sip.airshipit.org/accept-loss: "2"`)
	c.wantHolds(t, "labeled under the guards", "b", "n3", "n4", "n5", "n6")
	c.short = false
	c.specs["b"] = strings.Replace(c.specs["b"], "name: b}",
		`name: b, annotations: {sip.airshipit.org/accept-loss: "2"}}`, 1)
	c.settle(t, "the loss is accepted")
	c.wantHolds(t, "the loss is accepted", "b", "n5", "n6")
}
