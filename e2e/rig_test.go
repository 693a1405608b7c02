package e2e_test

import (
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// rig is an API server with one engine, for many sites side by side. Each has a site's name, hosts and tenants of its
// own.
type rig struct {
	engine  v1alpha1.Engine
	api     *engine.APIServer
	kubelet *engine.Kubelet
	// controllers are those of Kubernetes.
	controllers *engine.Controllers
	flux        *engine.Flux
	argo        *engine.Argo
	// alone: the rig has few sites, as an API server of real life, and Argo CD applies their policies itself.
	alone bool
	// locked: Flux applies nothing without an account, and the root's is made by a person.
	locked bool
	// order is how hosts follow services, with Argo CD.
	order string
}

var (
	fluxRig = engine.Shared(func(t testing.TB) *rig {
		r := newRig(t, v1alpha1.EngineFlux)
		r.startEngine(t)
		return r
	})
	argoRig = engine.Shared(func(t testing.TB) *rig {
		r := newRig(t, v1alpha1.EngineArgoCD)
		r.startEngine(t)
		return r
	})
)

// bothRigs are on one API server, as that of real life, where Argo CD applies policies itself.
var bothRigs = engine.Shared(func(t testing.TB) map[v1alpha1.Engine]rig {
	flux := newRig(t, v1alpha1.EngineFlux)
	flux.api.InstallCRDs(t, engine.HostDeployPolicyCRD(t))
	flux.alone = true
	argo := *flux
	flux.flux, argo.engine, argo.argo = engine.StartFlux(t, flux.api), v1alpha1.EngineArgoCD, engine.StartArgo(t,
		flux.api)
	flux.controllers = engine.StartControllers(t, flux.api)
	return map[v1alpha1.Engine]rig{flux.engine: *flux, argo.engine: argo}
})

// besideTheOther is a rig of bothRigs for one site.
func besideTheOther(t *testing.T, e v1alpha1.Engine) *rig {
	r := bothRigs(t)[e]
	return &r
}

func newRig(t testing.TB, e v1alpha1.Engine) *rig {
	api := engine.StartAPIServer(t, engine.Options{})
	r := &rig{engine: e, api: api, kubelet: engine.StartKubelet(t, api)}
	engine.StartOperator(t, api)
	engine.WatchHosts(t, api)
	return r
}

// startEngine starts what syncs, and the controllers that want to know its kinds.
func (r *rig) startEngine(t testing.TB) {
	if r.engine == v1alpha1.EngineFlux {
		r.flux = engine.StartFlux(t, r.api)
	} else {
		r.argo = engine.StartArgo(t, r.api)
	}
	r.controllers = engine.StartControllers(t, r.api)
}

// syncKind gives what the engine syncs by, and where.
func (r *rig) syncKind() (resource schema.GroupVersionResource, namespace string) {
	if r.argo != nil {
		return engine.Applications, engine.ArgoNamespace
	}
	return engine.Kustomizations, engine.FluxNamespace
}

// wantNoHarm fails the test if something happened to a namespace's hosts that the test did not announce.
func (r *rig) wantNoHarm(t testing.TB, namespace, step string) {
	t.Helper()
	for _, harm := range r.api.HostWatch.Harm(t, namespace) {
		t.Errorf("after %s: %s", step, harm)
	}
}

// nodePorts are handed out once, as the API server wants them.
var nodePorts atomic.Int32

func nextNodePort() int32 { return 30000 + nodePorts.Add(1) }

// bootstrap does what the docs tell a person to do once: apply the tree's root.
func (r *rig) bootstrap(t *testing.T, c *circle) {
	t.Helper()
	if r.locked {
		c.run(t, slices.Concat(procedure(t, "apply-policy"), procedure(t, "bootstrap", "flux-locked")))
		return
	}
	if r.flux != nil {
		c.run(t, procedure(t, "bootstrap", "flux"))
		return
	}
	if r.alone {
		r.api.Kubectl(t, string(c.tree["argocd/root.yaml"]), "apply", "-f", "-")
		return
	}
	// For each of the many sites here the policy is applied by hand, and the root leaves it out: an Application less a
	// row to wait for. Where Argo CD applies the policies of several sites itself, TestTwoEngines has it.
	for name := range c.tree {
		if strings.HasPrefix(name, "policy/") && !strings.HasSuffix(name, "kustomization.yaml") {
			r.api.Apply(t, "kubectl", string(c.tree[name]))
		}
	}
	var manifests []string
	for _, o := range engine.Objects(t, c.tree["argocd/root.yaml"]) {
		if o.GetKind() == "Application" {
			without := func(name string) any {
				return map[string]any{
					"target": map[string]any{"kind": "Application", "name": name},
					"patch": "$patch: delete\napiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: " +
						name + "}\n",
				}
			}
			patches := []any{without(o.GetName()), without(o.GetName() + "-policy")}
			require.NoError(t, unstructured.SetNestedSlice(o.Object, patches, "spec", "source", "kustomize", "patches"))
		}
		text, err := o.MarshalJSON()
		require.NoError(t, err)
		manifests = append(manifests, string(text))
	}
	r.api.Kubectl(t, strings.Join(manifests, "\n---\n"), "apply", "-f", "-")
}

// syncs are the names of the Kustomizations or Applications in a tree, the root's not among them, sorted.
func (c *circle) syncs(t testing.TB) []string {
	t.Helper()
	found := map[string]bool{}
	for name, content := range c.tree {
		folder, _, _ := strings.Cut(name, "/")
		if folder != "flux" && folder != "argocd" || strings.HasSuffix(name, "kustomization.yaml") {
			continue
		}
		for _, o := range engine.Objects(t, content) {
			if o.GetKind() == "Kustomization" || o.GetKind() == "Application" {
				found[o.GetName()] = true
			}
		}
	}
	delete(found, c.root())
	if c.rig.argo != nil && !c.rig.alone {
		delete(found, c.root()+"-policy")
	}
	return slices.Sorted(maps.Keys(found))
}

// begin shows the engine the branch's newest commit, and gives the revision by which Flux knows it.
func (c *circle) begin(t *testing.T) string {
	t.Helper()
	started := c.started
	c.started = true
	if !started {
		c.rig.bootstrap(t, c)
	}
	if c.rig.flux != nil {
		return c.rig.flux.Publish(t, engine.FluxNamespace, c.root(), c.repo)
	}
	if started {
		c.rig.argo.Refresh(t, c.root())
	}
	return ""
}

// sync waits until the engine has done with the branch's newest commit all that it will do. The
// expected failures are by the name of the sync object: what its failure says.
func (c *circle) sync(t *testing.T, failures map[string]string) {
	t.Helper()
	commit := c.repo.Head(t)
	revision := c.begin(t)
	c.await(t, c.root(), commit, revision, failures)
	names := c.syncs(t)
	if c.rig.argo != nil {
		for _, name := range names {
			c.rig.argo.Wait(t, name, "there", func(*unstructured.Unstructured) error { return nil })
			c.rig.argo.Refresh(t, name)
		}
	}
	for _, name := range names {
		c.await(t, name, commit, revision, failures)
	}
	resource, namespace := c.rig.syncKind()
	for _, name := range c.synced {
		if !slices.Contains(names, name) {
			c.rig.api.WaitGone(t, resource, namespace, name)
		}
	}
	c.synced = names
	// A quick sync is over within the second of the commit, and hosts that are read then count as older than the tree.
	time.Sleep(time.Until(c.repo.Committed(t).Add(time.Second)))
}

func (c *circle) await(t *testing.T, name, commit, revision string, failures map[string]string) {
	t.Helper()
	words, fails := failures[name]
	switch {
	case c.rig.flux != nil && fails:
		c.rig.flux.WaitFailed(t, engine.FluxNamespace, name, revision, words)
	case c.rig.flux != nil:
		c.rig.flux.WaitApplied(t, engine.FluxNamespace, name, revision)
	case fails:
		c.rig.argo.WaitFailed(t, name, commit, words)
	default:
		c.rig.argo.WaitSynced(t, name, commit)
	}
}

// nudge asks for a sync of all that is there, and waits for nothing.
func (c *circle) nudge(t *testing.T) {
	t.Helper()
	c.nudgeOnly(t, append(c.syncs(t), c.root()))
}

func (c *circle) nudgeOnly(t *testing.T, names []string) {
	t.Helper()
	for _, name := range names {
		switch {
		case c.rig.flux != nil && c.rig.api.Exists(t, engine.Kustomizations, engine.FluxNamespace, name):
			c.rig.flux.Request(t, engine.FluxNamespace, name)
		case c.rig.argo != nil && c.rig.api.Exists(t, engine.Applications, engine.ArgoNamespace, name):
			c.rig.argo.Refresh(t, name)
		}
	}
}

// reconcile has the engine look at the live objects of one sync again.
func (c *circle) reconcile(t *testing.T, name string) {
	t.Helper()
	if c.rig.flux != nil {
		c.rig.flux.Reconcile(t, engine.FluxNamespace, name)
		return
	}
	c.rig.argo.Refresh(t, name)
}
