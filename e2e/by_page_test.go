package e2e_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// TestProcedures runs what docs/safety.md and docs/gitops.md tell a person to type, word by word, on an API server with
// both engines: the bootstrap, stop one tenant, stop everything, go on, and from one engine to the other and back.
// Through all of it no host's spec changes and none is deprovisioned; while everything is stopped, and on the way to
// the other engine, no label and no object of a tenant's services changes either, not even for a moment.
func TestProcedures(t *testing.T) {
	t.Parallel()
	need.Program(t, "jq", "jq")
	argo, flux := besideTheOther(t, v1alpha1.EngineArgoCD), besideTheOther(t, v1alpha1.EngineFlux)
	c := newCircle(t, argo, "procedures")
	c.hosts(t, "controller", "n1", "n2", "n3", "n4", "n5", "n6")
	first := nodePorts.Add(3) + 30000 - 2
	services := func(ports int32) string {
		return fmt.Sprintf("  services:\n    loadBalancerWorker:\n    - {nodeInterfaceId: oam, nodePortRange: {start: %d, end: %d}}\n", first, first+ports-1)
	}
	c.tenantWith("a", 4, services(3))
	c.tenant("b", 1)
	c.commit(t)
	// As gitops.md says to do it, in a checkout of the tree: Argo CD takes over everything, the policies too. Flux's
	// root is applied so by every row.
	c.run(t, slices.Concat(procedure(t, "apply-policy"), procedure(t, "bootstrap", "argocd")))
	c.started = true
	c.follow(t, "bootstrap")
	c.wantHolds(t, "bootstrap", "a", "n1", "n2", "n3", "n4")
	c.wantHolds(t, "bootstrap", "b", "n5")
	c.comesBack(t, c.root()+"-sync-guard-v1")
	// A node runs on a host of each tenant. Neither is given back below.
	argo.consume(t, c.ns, "n1", "n5")
	c.accept(t)

	c.stopTenant(t, services(3))
	c.switchEngine(t, flux, "to-flux", "5 hosts assigned (0 new), 1 free")
	c.ownsItsObjects(t, services(2), first, first+1)
	// And back to the other order.
	c.site.Spec.ArgoCD.Order, argo.order = v1alpha1.OrderWaves, v1alpha1.OrderWaves
	c.switchEngine(t, argo, "to-argocd", "4 hosts assigned (0 new), 2 free")
	c.ownsItsObjects(t, services(1), first)
	c.rename(t)
}

// rename puts the site's name into the names of Applications, by the page.
func (c *circle) rename(t *testing.T) {
	t.Helper()
	end := c.wantNothingChanged(t)
	c.run(t, procedure(t, "stop", "argocd"))
	former := *c
	site := *c.site
	former.site = &site
	c.oldFolder = c.site.Spec.Repository.Path
	c.site.Spec.ArgoCD.Names, c.site.Spec.Repository.Path = v1alpha1.NamesSite, "argocd/names"
	steps := procedure(t, "switch", "names")
	last := len(steps) - 1
	said := c.run(t, steps[:last])
	assert.Contains(t, said, "(0 new)")
	assert.Contains(t, said, "continuing with the hosts and addresses of the tree in ")
	c.readTree(t)
	c.started, c.synced = true, nil
	c.follow(t, "other names")
	for _, o := range c.rig.api.List(t, engine.Applications, engine.ArgoNamespace) {
		assert.False(t, strings.HasPrefix(o.GetName(), former.prefix()), o.GetName())
	}
	c.run(t, slices.Concat([]string{"fleet=$(mktemp -d) && git clone --quiet \"$REPO\" \"$fleet\"\n"}, steps[last:]))
	for name := range c.repo.Files(t) {
		assert.True(t, strings.HasPrefix(name, c.site.Spec.Repository.Path+"/"), name)
	}
	c.follow(t, "other names, without the former tree")
	end("other names")
	c.settle(t, "other names")
}

// comesBack takes a guard away, and waits until Argo CD has put it back.
func (c *circle) comesBack(t *testing.T, name string) {
	t.Helper()
	c.rig.api.Delete(t, guardBindings, "", name)
	c.rig.argo.Refresh(t, c.root()+"-policy")
	waitWhile(t, "the guard", func() (bool, any) { return !c.rig.api.Exists(t, guardBindings, "", name), name })
}

// stopTenant stops one tenant of Argo CD's, with a commit that changes hosts of both in between: rowSeveral has Flux.
// TestTwoEngines stops whole sites.
func (c *circle) stopTenant(t *testing.T, services string) {
	t.Helper()
	c.run(t, procedure(t, "stop-tenant", "argocd"))
	end := c.wantNothingChanged(t, "n5", "n6")
	c.tenantWith("a", 3, services)
	c.tenant("b", 2)
	c.commit(t)
	c.begin(t)
	for _, name := range []string{c.root(), c.root() + "-policy", c.name("b", "hosts")} {
		c.rig.argo.Refresh(t, name)
		c.await(t, name, c.repo.Head(t), "", nil)
	}
	c.insist(t)
	end("tenant a stopped")
	assert.Len(t, c.holds(t, "b"), 2, "tenant a is stopped: b's hosts")
	c.run(t, procedure(t, "resume-tenant", "argocd"))
	c.sync(t, nil)
	assert.Len(t, c.holds(t, "a"), 3, "tenant a goes on: its hosts")
	c.settle(t, "tenant a goes on")
}

// insist gives an engine that is stopped every reason to sync, for a while: the newest commit, a request for each sync
// object, and what the root makes of them. A sync takes a second.
func (c *circle) insist(t *testing.T) {
	t.Helper()
	c.begin(t)
	for range 4 {
		c.nudge(t)
		time.Sleep(time.Second)
	}
}

// switchEngine does what gitops.md says to get to another engine. plans is what sipgen says of hosts on the way.
func (c *circle) switchEngine(t *testing.T, to *rig, direction, plans string) {
	t.Helper()
	from := c.rig
	old := string(from.engine)
	end := c.wantNothingChanged(t)
	c.run(t, procedure(t, "stop", old))

	oldReader, oldSpec := c.account, c.site.Spec
	c.rig, c.site.Spec.Engine = to, to.engine
	c.oldFolder = cmp.Or(c.site.Spec.Repository.Path, ".")
	c.site.Spec.Repository.Path = string(to.engine) + "/dc1"
	c.site.Spec.Repository.URL = c.repo.URL()
	if to.flux != nil {
		c.site.Spec.Repository.URL = "ssh://git@git.invalid/" + c.ns + ".git"
	}
	c.account = c.reader(t)
	steps := procedure(t, "switch", direction)
	if to.flux != nil {
		// "With the functions from above."
		steps = slices.Insert(steps, 0, handOver(t))
	}
	c.halfWay(t, from, oldSpec, oldReader, steps)
	end("half-way " + direction + ", and back")
	end = c.wantNothingChanged(t)
	c.run(t, procedure(t, "stop", old))
	// The old engine's objects, and its tree.
	last := len(steps) - 2
	said := c.run(t, steps[:last])
	assert.Contains(t, said, "2 clusters, "+plans+".\n", "the plan for another engine")
	assert.Contains(t, said, "continuing with the hosts and addresses of the tree in ", "the plan for another engine")
	assert.NotContains(t, said, "adopted", "the plan for another engine")
	c.readTree(t)
	c.started, c.synced = true, nil
	c.follow(t, direction+", the new one started")
	c.run(t, slices.Concat([]string{"fleet=$(mktemp -d) && git clone --quiet \"$REPO\" \"$fleet\"\n"}, steps[last:]))
	c.gone(t, from)
	for name := range c.repo.Files(t) {
		assert.Truef(t, strings.HasPrefix(name, c.site.Spec.Repository.Path+"/"), "%s: the branch still has %s",
			direction, name)
	}
	c.follow(t, direction)
	end(direction)
	if namespace, name, _ := strings.Cut(strings.TrimPrefix(oldReader, "system:serviceaccount:"),
		":"); c.rig.api.Exists(t, serviceAccounts, namespace, name) {
		t.Errorf("%s: %s is still there", direction, oldReader)
	}
	c.settle(t, direction)
}

// halfWay goes up to the hand-over and back again, and wants everything to be as it was: owners, deletion policies, the
// branch, and the old engine at work.
func (c *circle) halfWay(t *testing.T, from *rig, old v1alpha1.SiteSpec, oldReader string, steps []string) {
	t.Helper()
	handedOver := slices.IndexFunc(steps,
		func(block string) bool { return strings.HasPrefix(block, "hand_over_tree ") })
	back := procedure(t, "switch", "back")
	require.Truef(t, len(back) == 4 && handedOver >= 0, "the way back is %d blocks:\n%s", len(back),
		strings.Join(back, "\n"))
	if from.argo == nil {
		back = slices.Delete(back, 1, 2) // if the new engine was to be Flux
	} else {
		back = back[1:3] // if it was to be Argo CD; nor has Flux a deletion policy
	}
	before := c.owners(t)
	switched, switchedReader, to := c.site.Spec, c.account, c.rig
	c.run(t, slices.Concat(steps[:handedOver+1],
		[]string{"test \"$(git -C \"$fleet\" rev-list --count HEAD)\" -gt 1\n"}, back))
	c.rig, c.site.Spec, c.account = from, old, oldReader
	assert.Equal(t, before, c.owners(t), "half-way and back: owners")
	for name := range c.repo.Files(t) {
		assert.Truef(t, !strings.HasPrefix(name, switched.Repository.Path+"/"), "the branch still has %s", name)
	}
	c.readTree(t)
	c.run(t, procedure(t, "resume", string(from.engine)))
	c.follow(t, "half-way and back")
	c.settle(t, "half-way and back")
	if from.flux != nil {
		for _, o := range c.rig.api.List(t, engine.Kustomizations, engine.FluxNamespace) {
			prune, _, _ := unstructured.NestedBool(o.Object, "spec", "prune")
			policy, _, _ := unstructured.NestedString(o.Object, "spec", "deletionPolicy")
			if keeps := policy == "Orphan"; keeps == prune && c.owns(o.GetName()) && o.GetName() != c.root() {
				t.Errorf("half-way and back, and %s has prune %t, deletionPolicy %q", o.GetName(), prune, policy)
			}
		}
	}
	c.rig, c.site.Spec, c.account = to, switched, switchedReader
}

// owners are the engines' entries in managedFields of the tenants' services and of the hosts.
func (c *circle) owners(t *testing.T) (owners []string) {
	t.Helper()
	for _, one := range []struct {
		resource  schema.GroupVersionResource
		namespace string
	}{{engine.Deployments, c.tenants}, {engine.Services, c.tenants}, {engine.ConfigMaps, c.tenants},
		{engine.Hosts, c.ns}} {
		for _, o := range c.rig.api.List(t, one.resource, one.namespace) {
			for _, entry := range o.GetManagedFields() {
				if entry.Manager == "kustomize-controller" || entry.Manager == "argocd-controller" {
					owners = append(owners,
						fmt.Sprintf("%s %s: %s %s %s", o.GetKind(), o.GetName(), entry.Manager, entry.Operation,
							entry.FieldsV1))
				}
			}
		}
	}
	assert.Truef(t, len(owners) >= 5, "the engine owns %v", owners)
	slices.Sort(owners)
	return owners
}

var (
	serviceAccounts = schema.GroupVersionResource{Version: "v1", Resource: "serviceaccounts"}
	guardBindings   = schema.GroupVersionResource{Group: "admissionregistration.k8s.io", Version: "v1",
		Resource: "validatingadmissionpolicybindings"}
)

// handOver is the block of the first direction that defines the functions.
func handOver(t *testing.T) string {
	t.Helper()
	for _, block := range procedure(t, "switch", "to-argocd") {
		if strings.HasPrefix(block, "hand_over()") {
			return block
		}
	}
	t.Fatal("docs/gitops.md: no function hand_over")
	return ""
}

// owns says whether a sync object is the site's.
func (c *circle) owns(name string) bool {
	return name == c.root() || strings.HasPrefix(name, c.root()+"-") || strings.HasPrefix(name, c.prefix())
}

// gone wants no sync object of an engine, within a moment: Flux takes a finalizer off first.
func (c *circle) gone(t *testing.T, from *rig) {
	t.Helper()
	resources, namespace := []schema.GroupVersionResource{engine.Kustomizations, engine.GitRepos}, engine.FluxNamespace
	if from.argo != nil {
		resources, namespace = []schema.GroupVersionResource{engine.Applications}, engine.ArgoNamespace
	}
	engine.Wait(t, "the end of the old engine's objects", engine.SyncTimeout, func() error {
		for _, resource := range resources {
			for _, o := range c.rig.api.List(t, resource, namespace) {
				if c.owns(o.GetName()) {
					return fmt.Errorf("%s %s is still there", o.GetKind(), o.GetName())
				}
			}
		}
		return nil
	})
}

// ownsItsObjects is a later change that shows who owns what: a shorter range of ports loses its port, a host that is
// given back its labels.
func (c *circle) ownsItsObjects(t *testing.T, shorter string, want ...int32) {
	t.Helper()
	c.tenantWith("a", len(want), shorter)
	c.settle(t, "a shorter range and a host less")
	assert.Len(t, c.holds(t, "a"), len(want), "a's hosts")
	var ports []int32
	for _, o := range c.rig.api.List(t, engine.Services, c.tenants) {
		list, _, _ := unstructured.NestedSlice(o.Object, "spec", "ports")
		for _, p := range list {
			if port := p.(map[string]any)["port"].(int64); port >= 30000 {
				ports = append(ports, int32(port))
			}
		}
	}
	assert.Equal(t, want, ports, "the load balancer's ports")
}
