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

// rowAppliedHosts runs docs/applied-hosts.md, word by word, on hosts that a person's own Application or Kustomization applies and prunes, one of them
// with a machine on it.
func rowAppliedHosts(t *testing.T, r *rig, name string) {
	c := newCircle(t, r, name)
	c.site.Spec.Repository.Path = "tree"
	r.appliesHosts(t, c)
	c.takesOver(t)
	c.settle(t, "taken over")
	c.wantHolds(t, "taken over", "a", "n1", "n2")
	c.tenant("a", 1)
	c.settle(t, "a host less")
	c.wantHolds(t, "a host less", "a", "n1")
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

// appliesHosts has the engine make hosts and the Secrets of their BMCs, by an object of its own that is no tree's. A machine runs on the first.
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
		r.api.Apply(t, "e2e", fmt.Sprintf(`
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {namespace: %s, name: %s}
spec: {interval: 1h, retryInterval: 2s, path: ./metal, prune: true, sourceRef: {kind: GitRepository, name: %[2]s}}
`, c.ns, app))
		r.flux.WaitApplied(t, c.ns, app, revision)
	} else {
		commit := c.repo.Commit(t, "hosts", files)
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
  syncPolicy: {automated: {prune: true, selfHeal: true}}
`, app, c.repo.URL(), engine.ArgoServer, c.ns))
		r.argo.WaitSynced(t, app, commit)
	}
	r.api.Operator.WaitState(t, "available", c.ns, names...)
	c.use(t, func() { r.consume(t, c.ns, "n1") })
}

// takesOver runs the page.
func (c *circle) takesOver(t *testing.T) {
	t.Helper()
	app, namespace := c.ns+"-own", c.ns
	if c.rig.argo != nil {
		namespace = engine.ArgoNamespace
	}
	c.tenant("a", 2)
	variables := "cp site-new.yaml site.yaml\nexport HOSTS=" + c.ns + " APP=" + app + " APP_NAMESPACE=" + namespace +
		" NAMESPACE=" + c.tenants +
		" CLUSTER=a SIPGEN_REPO='" + c.repo.Dir + "'\n"
	run := func(blocks ...string) string {
		t.Helper()
		said := c.run(t, slices.Concat([]string{variables}, blocks))
		c.accept(t) // marks of an engine
		return said
	}
	assert.Len(t, procedure(t, "applied-hosts", "variables"), 1, "lines of variables")
	label := procedure(t, "running-cluster")
	run(label[2], strings.ReplaceAll(label[3], "WORKERS", "n1"))
	c.short = true
	c.commit(t)
	c.short = false
	run(procedure(t, "apply-policy")...)
	run(procedure(t, "applied-hosts", string(c.rig.engine))...)
	resource, _ := c.rig.syncKind()
	c.rig.api.WaitGone(t, resource, namespace, app)
	print, fix := procedure(t, "applied-hosts", "owners")[0], procedure(t, "applied-hosts", "owners")[1]
	for turn := 1; ; turn++ {
		if said := run(print, "cat fix.sh\n{ "+fix+
			"} || true # of two commands for one host the second may name another entry\n"); !strings.Contains(said,
			"kubectl ") {
			break
		}
		require.Truef(t, turn != 5, "the plan still prints commands after %d turns", turn)
	}
	if c.rig.argo != nil && c.site.Spec.Hosts.Apply == v1alpha1.ApplyOverlay {
		run(procedure(t, "applied-hosts", "secrets")...)
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

// hostSpecs are the specs of the hosts, by name.
func (c *circle) hostSpecs(t *testing.T) (specs []string) {
	t.Helper()
	for _, host := range c.rig.api.List(t, engine.Hosts, c.ns) {
		specs = append(specs, fmt.Sprint(host.GetName(), host.Object["spec"]))
	}
	slices.Sort(specs)
	return specs
}
