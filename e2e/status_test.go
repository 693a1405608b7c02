package e2e_test

import (
	"testing"

	"github.com/airshipit/sipgen/e2e/engine"
)

// rowStatus: sipgen status prints the commit that the engine has applied, and what is suspended or fails. Of two
// tenants in one push, of which one can't be applied, the other one is served.
func rowStatus(t *testing.T, r *rig, name string) {
	c := newCircle(t, r, name)
	kind, namespace, suspend, resume := "kustomizations.kustomize.toolkit.fluxcd.io", engine.FluxNamespace, `{"spec":{"suspend":true}}`, `{"spec":{"suspend":null}}`
	if r.argo != nil {
		kind, namespace = "applications.argoproj.io", engine.ArgoNamespace
		suspend, resume = `{"spec":{"syncPolicy":{"automated":null}}}`, `{"spec":{"syncPolicy":{"automated":{"prune":true,"selfHeal":true}}}}`
	}
	patchRoot := func(patch string) {
		r.api.Kubectl(t, "", "-n", namespace, "patch", kind, c.root(), "--field-manager=oncall", "--type=merge", "-p",
			patch)
	}
	status := func(what string, code int, words []string, args ...string) {
		t.Helper()
		c.exits(t, what, code, "status", args...)
		c.wantSaid(t, what, words...)
	}
	// waited is what the command says when all is live; on a busy machine Argo CD may have to be asked again.
	waited := func(what string) {
		t.Helper()
		if r.argo != nil {
			defer r.argo.KeepRefreshing(append(c.syncs(t), c.root(), c.root()+"-policy")...)()
		}
		status(what, 0, []string{"The cluster has commit " + c.repo.Head(t)[:12] + ", the tree's."}, "--wait",
			engine.SyncTimeout.String())
	}
	short := func() string { return c.repo.Head(t)[:12] }
	begin := func() {
		c.begin(t)
		c.nudge(t)
		if r.argo != nil {
			c.nudgeOnly(t, []string{c.root() + "-policy"})
		}
	}

	c.hosts(t, "controller", "n1", "n2", "n3", "n4")
	c.tenant("a", 1)
	c.step(t, "assign")
	if r.argo != nil {
		c.looksByPage(t)
		r.api.Kubectl(t, string(c.tree["argocd/policy.yaml"]), "apply", "-f", "-") // which bootstrap leaves out
	}
	waited("all is live")

	before := short()
	c.tenant("a", 2)
	c.commit(t)
	status("a commit that the engine does not know", 0,
		[]string{"The cluster has commit " + before + "; the tree is of " + short() + ".",
			"has commit " + before + ", the tree is of " + short(), "not synced  has none of its labels yet"})
	begin()
	waited("the wait for it")
	c.wantHolds(t, "the wait", "a", "n1", "n2")

	patchRoot(suspend)
	before = short()
	c.tenant("a", 3)
	c.tenantWith("b", 1, c.refusedBalancer())
	c.commit(t)
	begin()
	status("a suspended root", 1, []string{"suspended", "sync object is stuck"})
	status("the wait for a suspended root", 1, []string{namespace + "/" + c.root() + " ", "suspended",
		"has commit " + before + ", the tree is of " + short(), "not synced: there is no such object",
		"not live after 5s"}, "--wait", "5s")

	patchRoot(resume)
	failures := map[string]string{c.name("b", "infra"): "10.255.0.1"}
	if r.flux != nil {
		failures[c.name("b", "hosts")] = "dependency"
	}
	c.sync(t, failures)
	c.check(t, "one broken tenant", failures)
	c.wantHolds(t, "one broken tenant", "a", "n1", "n2", "n3")
	status("services that the API server refuses", 1,
		[]string{namespace + "/" + c.name("b", "infra") + " ", "10.255.0.1"})

	// Nothing syncs any more: exit code 1, on which alerts build.
	if r.flux == nil {
		return
	}
	gone := func(kind string) {
		t.Helper()
		r.api.Kubectl(t, "", "-n", namespace, "delete", kind, c.root(), "--wait=false")
		status("no "+kind, 1, []string{c.root() + " ", "there is no such object"})
	}
	gone("gitrepositories.source.toolkit.fluxcd.io")
	patchRoot(suspend) // so that its end prunes nothing
	gone(kind)
}
