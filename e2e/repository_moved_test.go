package e2e_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/airshipit/sipgen/e2e/engine"
)

// rowRepositoryMoved runs docs/change-site.md on a move to another repository, while a machine runs on a host: the
// engine reads the old one until the root is applied, and status tells; then it syncs the new one. No host and no
// service changes.
func rowRepositoryMoved(t *testing.T, r *rig, name string) {
	c := newCircle(t, r, name)
	c.hosts(t, "controller", "n1", "n2", "n3")
	c.tenantWith("a", 2, loadBalancer())
	c.step(t, "assign")
	c.consumed(t, "n1")
	had, old, moved := c.serviceUIDs(t), c.repo, engine.Bare(t)
	variables := "export NEW=" + moved.URL() + " BRANCH=main NEW_BRANCH=main FOLDER=.\n"
	c.run(t, slices.Concat([]string{variables}, procedure(t, "move-repository", "copy")))

	c.repo, c.site.Spec.Repository.URL = moved, moved.URL()
	if r.flux != nil {
		c.site.Spec.Repository.URL = "ssh://git@git2.invalid/" + name + ".git"
	}
	assert.True(t, c.commit(t), "the root names the new repository")
	c.wantSaid(t, "publish", "(0 new)", "danger: the engine goes on reading ",
		"until you apply "+string(r.engine)+"/root.yaml")
	c.exits(t, "before the root is applied", 1, "status")
	c.wantSaid(t, "status", "reads ", "apply the root of the tree")
	c.check(t, "before the root is applied", nil)

	c.run(t, slices.Concat([]string{variables}, procedure(t, "move-repository", string(r.engine))))
	c.follow(t, "the root is applied")
	c.exits(t, "the root is applied", 0, "status", "--wait", "2m")
	c.wantHolds(t, "the root is applied", "a", "n1", "n2")
	assert.Equal(t, fmt.Sprint(had), fmt.Sprint(c.serviceUIDs(t)), "the services are")

	before := old.Head(t)
	c.specs["a"] = workersIn.ReplaceAllString(c.specs["a"], "count: {active: 3}")
	c.step(t, "a change in the new repository")
	c.wantHolds(t, "a change in the new repository", "a", "n1", "n2", "n3")
	assert.Equal(t, before, old.Head(t), "the old repository is")
	r.wantNoHarm(t, c.ns, "the move")
}
