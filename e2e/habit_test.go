package e2e_test

import (
	"strings"
	"testing"

	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// rowHabit: somebody applies a host with kubectl apply, as ever, and Argo CD heals itself: it owns the site's own
// labels then, and each sync of the host is denied. The plan's commands end that, and nothing of the host changes.
func rowHabit(t *testing.T, r *rig, name string) {
	c := newCircle(t, r, name)
	c.hosts(t, "kubectl apply", "n1", "n2")
	c.tenant("a", 1)
	c.sipgen(t, "plan")
	for _, host := range []string{"n1", "n2"} {
		c.run(t, []string{fix(t, c.said, "")})
		c.accept(t)
		if c.sipgen(t, "plan"); !strings.Contains(c.said, "fix it with") {
			break
		}
		assert.Truef(t, host != "n2", "the plan still prints commands:\n%s", c.said)
	}
	c.step(t, "assign")
	c.wantHolds(t, "assign", "a", "n1")
	r.api.Kubectl(t, hostManifest(c.ns, "n1", "rack-of-n1"), "apply", "-f", "-")
	r.api.Edit(t, "hand", engine.Hosts, c.ns, "n1", "", set("other", label("cluster-name")...))
	c.accept(t)
	stop := r.argo.KeepRefreshing(c.name("a", "hosts"))
	defer stop()
	waitWhile(t, "Argo CD to own the site's labels", func() (bool, any) {
		c.sipgen(t, "plan")
		return !strings.Contains(c.said, "argocd-controller alone owns its label"), c.said
	})
	c.exits(t, "owned by Argo CD", 1, "status")
	c.sipgen(t, "plan")
	for turn := 1; strings.Contains(c.said, "fix it with: kubectl"); turn++ {
		c.run(t, []string{fix(t, c.said, c.ns+"/n1")})
		c.accept(t)
		c.sipgen(t, "plan")
		require.Truef(t, turn != 5, "the plan still prints commands after %d turns", turn)
	}
	waitWhile(t, "the label to be back", func() (bool, any) {
		return r.api.OurLabels(t, c.ns, "n1")[clusterName] != "a", r.api.OurLabels(t, c.ns, "n1")
	})
	c.check(t, "the plan's commands", nil)
	c.tenant("a", 2)
	c.step(t, "another host")
	c.wantHolds(t, "another host", "a", "n1", "n2")
	c.settle(t, "another host")
}
