package e2e_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// rowAppliedHosts runs docs/applied-hosts.md, word by word, on hosts that a person's own Application or Kustomization
// applies and prunes, one of them with a machine on it. The label guard only audits, as it does by default.
func rowAppliedHosts(t *testing.T, r *rig, name string) {
	c := newCircle(t, r, name)
	c.site.Spec.Repository.Path, c.site.Spec.LabelGuard.Enforce = "tree", false
	r.appliesHosts(t, c)
	c.takesOver(t)
	c.settle(t, "taken over")
	c.wantHolds(t, "taken over", "a", "n1", "n2")
	c.tenant("a", 1)
	c.settle(t, "a host less")
	c.wantHolds(t, "a host less", "a", "n1")
	c.tenant("a", 2)
	c.settle(t, "a host more")
	if r.argo != nil {
		r.applyOwn(t, c, "ServerSideApply=true")
		c.ownReturns(t)
		return
	}
	app := c.ns + "-own"
	r.flux.Publish(t, c.ns, app, c.repo)
	r.applyOwn(t, c, "")
	c.ownReturns(t)

	c.site.Spec.LabelGuard.Enforce = true
	c.settle(t, "the label guard is enforced")
	r.api.WaitPolicies(t, c.ns)
	revision := r.flux.Publish(t, c.ns, app, c.repo)
	r.applyOwn(t, c, "")
	r.flux.WaitFailed(t, c.ns, app, revision, "label-guard")
	c.wantHolds(t, "own Kustomization is back, and the label guard is enforced", "a", "n1", "n2")
}

// ownReturns waits for the changes of a person's own object that came back, and takes the hosts over again. In between
// no host loses its spec.
func (c *circle) ownReturns(t *testing.T) {
	t.Helper()
	engine.Wait(t, "the return", engine.SyncTimeout, func() error {
		if c.sipgen(t, "plan"); !strings.Contains(c.said, "frozen: "+c.tenants+"/a: ") {
			return fmt.Errorf("found %.500q, want a frozen cluster", c.said)
		}
		return nil
	})
	c.ownGoes(t)
	c.nudge(t)
	engine.Wait(t, "the labels", engine.SyncTimeout, func() error {
		if found := c.holds(t, "a"); !slices.Equal(found, []string{"n1", "n2"}) {
			return fmt.Errorf("found %v, want n1 and n2", found)
		}
		return nil
	})
	c.exits(t, "taken over again", 0, "plan")
}

// rowAppliedBase is the same with hosts that stay in git, as the base of an overlay.
func rowAppliedBase(t *testing.T, r *rig, name string) {
	c := newCircle(t, r, name)
	c.site.Spec.Hosts.Apply, c.site.Spec.Hosts.Base, c.site.Spec.Repository.Path = v1alpha1.ApplyOverlay, "metal", "tree"
	r.appliesHosts(t, c)
	c.takesOver(t)
	c.settle(t, "taken over")
	c.wantHolds(t, "taken over", "a", "n1", "n2")
}

// appliesHosts has the engine make hosts and the Secrets of their BMCs, by an object of its own that is no tree's. A
// machine runs on the first.
func (r *rig) appliesHosts(t *testing.T, c *circle) {
	t.Helper()
	names := []string{"n1", "n2", "n3"}
	files := map[string][]byte{"metal/kustomization.yaml": []byte("resources: [n1.yaml, n2.yaml, n3.yaml]\n")}
	for _, host := range names {
		files["metal/"+host+".yaml"] = []byte(engine.BMCSecret(c.ns,
			host+"-bmc") + "---\n" + strings.TrimSpace(hostManifest(c.ns, host, "rack-of-"+host)) + "\n")
	}
	app := c.ns + "-own"
	if r.flux != nil {
		c.repo.Commit(t, "hosts", files)
		r.flux.Source(t, c.ns, app, c.repo)
		revision := r.flux.Publish(t, c.ns, app, c.repo)
		r.applyOwn(t, c, "")
		r.flux.WaitApplied(t, c.ns, app, revision)
	} else {
		commit := c.repo.Commit(t, "hosts", files)
		r.applyOwn(t, c, "")
		r.argo.WaitSynced(t, app, commit)
	}
	r.api.Operator.WaitState(t, "available", c.ns, names...)
	c.use(t, func() { r.consume(t, c.ns, "n1") })
}

// applyOwn creates the person's own Application, with a sync option, or Kustomization.
func (r *rig) applyOwn(t *testing.T, c *circle, option string) {
	t.Helper()
	app := c.ns + "-own"
	if r.flux != nil {
		r.api.Apply(t, "e2e", fmt.Sprintf(`
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {namespace: %s, name: %s}
spec: {interval: 1h, retryInterval: 2s, path: ./metal, prune: true, sourceRef: {kind: GitRepository, name: %[2]s}}
`, c.ns, app))
		return
	}
	r.api.Apply(t, "e2e", fmt.Sprintf(`
apiVersion: argoproj.io/v1alpha1
kind: AppProject
metadata: {namespace: argocd, name: %[1]s}
spec:
  sourceRepos: ['*']
  destinations: [{server: '*', namespace: '*'}]
  clusterResourceWhitelist: [{group: '*', kind: '*'}]
---
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {namespace: argocd, name: %[1]s, finalizers: [resources-finalizer.argocd.argoproj.io]}
spec:
  project: %[1]s
  source: {repoURL: %[2]q, targetRevision: main, path: metal}
  destination: {server: %[3]s, namespace: %[4]s}
  syncPolicy: {automated: {prune: true, selfHeal: true}, syncOptions: [%[5]s]}
`, app, c.repo.URL(), engine.ArgoServer, c.ns, option))
}

// takesOver runs the page.
func (c *circle) takesOver(t *testing.T) {
	t.Helper()
	c.tenant("a", 2)
	assert.Len(t, procedure(t, "applied-hosts", "variables"), 1, "lines of variables")
	label := procedure(t, "running-cluster")
	c.onHosts(t, label[2], strings.ReplaceAll(label[3], "WORKERS", "n1"))
	c.short = true
	c.commit(t)
	c.short = false
	c.onHosts(t, procedure(t, "apply-policy")...)
	c.ownGoes(t)
	if c.rig.argo != nil && c.site.Spec.Hosts.Apply == v1alpha1.ApplyOverlay {
		c.onHosts(t, procedure(t, "applied-hosts", "secrets")...)
	}
	for _, host := range []string{"n1", "n2", "n3"} {
		assert.Truef(t, c.rig.api.Exists(t, engine.Hosts, c.ns, host), "host %s is gone", host)
	}
	before := c.hostSpecs(t)
	assert.Truef(t, c.commit(t), "nothing to commit\n%s", c.said)
	c.sync(t, nil)
	if c.site.Spec.Hosts.Apply == v1alpha1.ApplyOverlay {
		c.accept(t) // the engine applies the base anew, Secrets among it
	}
	c.check(t, "connect", nil)
	assert.Equal(t, before, c.hostSpecs(t), "specs")
	c.wantHolds(t, "connect", "a", "n1", "n2")
}

// ownGoes stops and forgets the person's own object, and changes the owners of the hosts.
func (c *circle) ownGoes(t *testing.T) {
	t.Helper()
	c.onHosts(t, procedure(t, "applied-hosts", string(c.rig.engine))...)
	resource, namespace := c.rig.syncKind()
	if c.rig.argo == nil {
		namespace = c.ns
	}
	c.rig.api.WaitGone(t, resource, namespace, c.ns+"-own")
	print, fix := procedure(t, "applied-hosts", "owners")[0], procedure(t, "applied-hosts", "owners")[1]
	for turn := 1; ; turn++ {
		if said := c.onHosts(t, print, "cat fix.sh\n{ "+fix+
			"} || true # of two commands for one host the second may name another entry\n"); !strings.Contains(said,
			"kubectl ") {
			break
		}
		require.Truef(t, turn != 5, "the plan still prints commands after %d turns", turn)
	}
}

// onHosts runs blocks with the variables of the page, and accepts marks of an engine.
func (c *circle) onHosts(t *testing.T, blocks ...string) string {
	t.Helper()
	namespace := c.ns
	if c.rig.argo != nil {
		namespace = engine.ArgoNamespace
	}
	variables := "cp site-new.yaml site.yaml\nexport HOSTS=" + c.ns + " APP=" + c.ns + "-own APP_NAMESPACE=" +
		namespace + " NAMESPACE=" + c.tenants + " CLUSTER=a SIPGEN_REPO='" + c.repo.Dir + "'\n"
	said := c.run(t, slices.Concat([]string{variables}, blocks))
	c.accept(t)
	return said
}

// hostSpecs are the specs of the hosts, by name.
func (c *circle) hostSpecs(t *testing.T) (specs []string) {
	t.Helper()
	for _, host := range c.rig.api.List(t, engine.Hosts, c.ns) {
		specs = append(specs, fmt.Sprint(host.GetName(), host.Object["spec"]))
	}
	slices.Sort(specs)
	return specs
}
