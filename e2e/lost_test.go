package e2e_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/e2e/engine"
)

// rowLost: somebody pushes the branch by force to when there was no tree, or deletes everything in it. The engine finds nothing to apply and
// deletes nothing, sipgen refuses to go on, and with the last commit that had a tree everything is as it was: sipgen help runbook tree-lost.
func rowLost(t *testing.T, r *rig, name string) {
	c := newCircle(t, r, name)
	c.hosts(t, "controller", "n1", "n2")
	none := c.repo.Head(t)
	c.tenantWith("a", 1, loadBalancer())
	c.step(t, "assign")
	c.settle(t, "assign")
	had := c.repo.Head(t)
	// Flux does not look at a folder whose dependency has failed.
	folders, missing := []string{c.root(), c.root() + "-policy"}, "no such file or directory"
	resource, namespace := engine.Kustomizations, engine.FluxNamespace
	if r.argo != nil {
		resource, namespace = engine.Applications, engine.ArgoNamespace
		folders, missing = append(c.syncs(t), c.root()), "app path does not exist"
	}
	for _, lost := range []struct {
		what string
		way  func()
	}{
		{"a force-push to before the first tree", func() { c.repo.Reset(t, none) }},
		{"everything is deleted", func() {
			c.repo.Edit(t, "delete everything", func(dir string) {
				entries, err := os.ReadDir(dir)
				if err != nil {
					t.Fatal(err)
				}
				for _, entry := range entries {
					if entry.Name() == ".git" {
						continue
					}
					if err := os.RemoveAll(filepath.Join(dir, entry.Name())); err != nil {
						t.Fatal(err)
					}
				}
			})
		}},
	} {
		unchanged := c.wantNothingChanged(t)
		lost.way()
		c.begin(t)
		c.nudge(t)
		for _, folder := range folders {
			engine.Wait(t, "the failure of "+folder, engine.SyncTimeout, func() error {
				if status := fmt.Sprint(r.api.Get(t, resource, namespace, folder).Object["status"]); !strings.Contains(status, missing) {
					return fmt.Errorf("%s", status)
				}
				return nil
			})
		}
		c.refused(t, lost.what, "main has no tree, but Flux or Argo CD has labeled 1 host for clusters", "sipgen help runbook tree-lost")
		c.repo.Reset(t, had)
		c.sync(t, nil)
		unchanged(lost.what)
		c.check(t, lost.what+", and put back", nil)
		c.settle(t, lost.what+", and put back")
	}
}
