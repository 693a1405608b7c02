package e2e_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/e2e/engine"
)

// rowLost: somebody pushes the branch by force to when there was no tree. The engine finds nothing to apply and deletes
// nothing, sipgen refuses to go on, and with the last commit that had a tree everything is as it was: sipgen help
// runbook tree-lost.
func rowLost(t *testing.T, r *rig, name string) {
	c := newCircle(t, r, name)
	c.hosts(t, "controller", "n1", "n2")
	none := c.repo.Head(t)
	c.tenantWith("a", 1, loadBalancer())
	c.step(t, "assign")
	c.settle(t, "assign")
	had := c.repo.Head(t)
	const what = "a force-push to before the first tree"
	unchanged := c.wantNothingChanged(t)
	c.repo.Reset(t, none)
	c.begin(t)
	c.nudge(t)
	// Flux does not look at a folder whose dependency has failed.
	for _, folder := range []string{c.root(), c.root() + "-policy"} {
		waitWhile(t, "the failure of "+folder, func() (bool, any) {
			status := fmt.Sprint(r.api.Get(t, engine.Kustomizations, engine.FluxNamespace, folder).Object["status"])
			return !strings.Contains(status, "no such file or directory"), status
		})
	}
	c.refused(t, what, "main has no tree, but Flux or Argo CD has labeled 1 host for clusters",
		"sipgen help runbook tree-lost")
	c.repo.Reset(t, had)
	c.sync(t, nil)
	unchanged(what)
	c.check(t, what+", and put back", nil)
	c.settle(t, what+", and put back")
}
