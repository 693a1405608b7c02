package e2e_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/airshipit/sipgen/hack/need"
)

// rowInfraFirst: with Flux a host gets its labels only when what it will need is there. Argo CD has no such order
// between Applications, as it ships: sipgen refuses a site that does not accept that, and with one that does both come.
func rowInfraFirst(t *testing.T, r *rig, name string) {
	c := newCircle(t, r, name)
	c.hosts(t, "controller", "n1")
	r.kubelet.Hold(c.tenants, true)
	c.tenantWith("a", 1, loadBalancer())
	if r.argo != nil {
		c.site.Spec.ArgoCD.Order = ""
		c.refused(t, "an order that Argo CD does not keep", "spec.argocd.order: missing: Argo CD does not wait")
		c.site.Spec.ArgoCD.Order = v1alpha1.OrderNone
	}
	c.commit(t)
	revision := c.begin(t)
	engine.Wait(t, "the tenant's Deployment", engine.SyncTimeout, func() error {
		if list := r.api.List(t, engine.Deployments, c.tenants); len(list) == 0 {
			return fmt.Errorf("none")
		}
		return nil
	})
	if r.flux != nil {
		// Hosts wait for the guards too. Once those are there, it is the services that they still wait for, and however often
		// the engine is asked.
		hosts := c.name("a", "hosts")
		r.flux.WaitApplied(t, engine.FluxNamespace, c.root()+"-policy", revision)
		for range 3 {
			r.flux.Request(t, engine.FluxNamespace, hosts)
			r.flux.WaitDependency(t, engine.FluxNamespace, hosts, c.name("a", "infra"), func() error {
				if got := c.holds(t, "a"); len(got) > 0 {
					return fmt.Errorf("hosts %v have labels, and the services are not ready", got)
				}
				return nil
			})
		}
		c.wantHolds(t, "services that are not ready", "a")
	}
	r.kubelet.Hold(c.tenants, false)
	c.follow(t, "services that are ready")
	c.wantHolds(t, "services that are ready", "a", "n1")
}

// rowMade: however a host was made, its spec stays. Argo CD would take over the spec of a host by
// kubectl apply, and the policy that stops it comes too late: it owns the spec by then. So such a
// host is fixed before the first sync; TestWhatEnginesDo has the rows without.
func rowMade(t *testing.T, r *rig, name string) {
	c := newCircle(t, r, name)
	c.hosts(t, "kubectl create", "n1")
	c.hosts(t, "server-side apply", "n2")
	c.hosts(t, "controller", "n3")
	c.hosts(t, "kubectl apply", "n4", "n5")
	// Of n5 nothing but its manager tells how it was made.
	r.api.Kubectl(t, "", "-n", c.ns, "annotate", "baremetalhost", "n5", "kubectl.kubernetes.io/last-applied-configuration-")
	c.accept(t)
	c.tenant("a", 5)
	if r.argo != nil {
		c.short = true
		c.commit(t)
		c.short = false
		c.wantSaid(t, "a host by kubectl apply", c.ns+"/n4", c.ns+"/n5", "not handed out until this is fixed", "fix it with: kubectl ")
		need.That(t, !strings.Contains(c.said, c.ns+"/n1"), "refused for a host that is as it should be:\n%s", c.said)
		c.fix(t)
		c.accept(t)
		c.commit(t)
		c.follow(t, "assign")
	} else {
		c.step(t, "assign")
	}
	c.wantHolds(t, "assign", "a", "n1", "n2", "n3", "n4", "n5")
	c.tenant("a", 3)
	c.step(t, "release")
	c.settle(t, "release")
}

// fix does what sipgen said would fix a host, as a person would who copies it to a shell.
func (c *circle) fix(t *testing.T) {
	t.Helper()
	for line := range strings.Lines(c.said) {
		if _, command, found := strings.Cut(line, "fix it with: "); found {
			shell(t, c.rig.api, command)
		}
	}
}

// rowDeleted: a host that somebody deleted is not created again by the engine. One of the same name is another host, and is not touched until
// sipgen has seen it.
func rowDeleted(t *testing.T, r *rig, name string) {
	c := newCircle(t, r, name)
	c.hosts(t, "controller", "n1", "n2", "n3")
	c.tenant("a", 2)
	c.step(t, "assign")
	c.deleteHost(t, "n1")
	c.accept(t)
	// That the engine may not create hosts is another guard: the uid comes first.
	c.again(t, c.name("a", "hosts"), "uid mismatch")
	c.untouched.Check(t, "a sync without the host")
	c.hosts(t, "controller", "n1")
	c.again(t, c.name("a", "hosts"), "immutable")
	c.untouched.Check(t, "a sync with the old uid")
	need.Len(t, "the new host has labels", r.api.OurLabels(t, c.ns, "n1"), 0)
	c.settle(t, "the new host is seen")
	need.Len(t, "a has hosts", c.holds(t, "a"), 2)
}

// rowOwned: hosts belong to an object, as those that ViNO makes do, and somebody deletes that. The garbage collector takes the free
// host, and is denied the one that a cluster holds: it is no admin.
func rowOwned(t *testing.T, r *rig, name string) {
	c := newCircle(t, r, name)
	c.hosts(t, "controller", "n1", "n2")
	r.api.Create(t, "e2e", "apiVersion: v1\nkind: ConfigMap\nmetadata: {namespace: "+c.ns+", name: owner}\n")
	owner := r.api.Get(t, engine.ConfigMaps, c.ns, "owner")
	for _, host := range []string{"n1", "n2"} {
		r.api.Edit(t, "vino", engine.Hosts, c.ns, host, "", func(o map[string]any) {
			_ = unstructured.SetNestedSlice(o, []any{map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": string(owner.GetUID())}}, "metadata", "ownerReferences")
		})
	}
	c.tenant("a", 1)
	c.step(t, "assign")
	c.wantHolds(t, "assign", "a", "n1")
	r.api.HostWatch.During(t, c.ns, "n2", func() {
		r.api.Delete(t, engine.ConfigMaps, c.ns, "owner")
		c.waitGone(t, "n2")
	})
	engine.Wait(t, "the garbage collector's try", engine.SyncTimeout, func() error {
		if said := r.controllers.Logs(1, "garbage", "sipgen-"+c.site.Name+"-delete-guard-v1", c.ns); said == "" {
			return fmt.Errorf("it has not been denied the host: %s", r.controllers.Logs(5, "garbage"))
		}
		return nil
	})
	c.accept(t)
	c.check(t, "the end of the owner", nil)
	c.wantHolds(t, "the end of the owner", "a", "n1")
}

// rowOldOperator: labels that the SIP operator set with the same values are co-owned. Dropping them is
// not enough: they have to be taken over first.
func rowOldOperator(t *testing.T, r *rig, name string) {
	c := newCircle(t, r, name)
	c.hosts(t, "controller", "n1", "n2")
	for _, host := range []string{"n1", "n2"} {
		r.api.Edit(t, "sip-operator", engine.Hosts, c.ns, host, "", func(o map[string]any) {
			for key, value := range map[string]string{"cluster-namespace": c.tenants, "cluster-name": "a", "node-type": "Worker"} {
				_ = unstructured.SetNestedField(o, value, "metadata", "labels", "sip.airshipit.org/"+key)
			}
		})
	}
	c.tenant("a", 2)
	c.step(t, "adopt")
	c.wantHolds(t, "adopt", "a", "n1", "n2")
	c.tenant("a", 1)
	c.settle(t, "release")
	c.wantHolds(t, "release", "a", "n1")
	need.Len(t, "the released host has labels", r.api.OurLabels(t, c.ns, "n2"), 0)
}

// rowFileDeleted: a person deletes a host's patch, takes it out of the overlay, and then the last one. The labels stay, whatever the engine makes
// of it, and the next run puts the files back.
func rowFileDeleted(t *testing.T, r *rig, name string) {
	c := newCircle(t, r, name)
	c.hosts(t, "controller", "n1", "n2")
	c.tenant("a", 2)
	c.step(t, "assign")
	overlay := filepath.Join("clusters", c.tenants, "a", "hosts")
	c.edit(t, "delete a file", func(dir string) { remove(t, filepath.Join(dir, overlay, c.ns+".n1.yaml")) })
	c.sync(t, map[string]string{c.name("a", "hosts"): "n1.yaml"})
	c.untouched.Check(t, "a file that is missing")
	c.wantHolds(t, "a file that is missing", "a", "n1", "n2")
	drop := func(host string) {
		c.edit(t, "drop a file from the overlay", func(dir string) {
			replace(t, filepath.Join(dir, overlay, "kustomization.yaml"), "- "+c.ns+"."+host+".yaml\n", "")
		})
	}
	drop("n1")
	c.sync(t, nil)
	c.untouched.Check(t, "a host that is dropped")
	c.wantHolds(t, "a host that is dropped", "a", "n1", "n2")
	drop("n2")
	failures := map[string]string{}
	if r.argo != nil {
		// Argo CD calls the kustomize command, which refuses an overlay with nothing in it.
		failures[c.name("a", "hosts")] = "empty"
	}
	c.sync(t, failures)
	c.untouched.Check(t, "an empty overlay")
	c.wantHolds(t, "an empty overlay", "a", "n1", "n2")
	c.step(t, "the next run")
	c.wantHolds(t, "the next run", "a", "n1", "n2")
	c.settle(t, "the next run")
}

// rowDrift: a label edited by hand is set back. Then somebody deletes the Kustomization or Application of the hosts: the hosts stay as they are,
// and the root brings it back.
func rowDrift(t *testing.T, r *rig, name string) {
	c := newCircle(t, r, name)
	c.hosts(t, "controller", "n1")
	c.tenantWith("a", 1, loadBalancer())
	c.step(t, "assign")
	want := r.api.OurLabels(t, c.ns, "n1")
	r.api.Kubectl(t, "", "label", "--overwrite", "--field-manager=people", "-n", c.ns, "baremetalhosts.metal3.io/n1",
		clusterName+"=z", "sip.airshipit.org/node-type-", "example.org/shelf=9")
	c.accept(t)
	c.reconcile(t, c.name("a", "hosts"))
	engine.Wait(t, "the labels", engine.SyncTimeout, func() error {
		if got := r.api.OurLabels(t, c.ns, "n1"); fmt.Sprint(got) != fmt.Sprint(want) {
			return fmt.Errorf("labels are %v, want %v", got, want)
		}
		return nil
	})
	c.check(t, "an edited label", nil)
	c.settle(t, "an edited label")
	resource, namespace := r.syncKind()
	hosts := c.name("a", "hosts")
	uid := r.api.Get(t, resource, namespace, hosts).GetUID()
	r.api.Delete(t, resource, namespace, hosts)
	engine.Wait(t, "the end of "+hosts, engine.SyncTimeout, func() error {
		for _, o := range r.api.List(t, resource, namespace) {
			if o.GetUID() == uid {
				return fmt.Errorf("still there")
			}
		}
		return nil
	})
	c.check(t, "the deletion", nil)
	c.wantHolds(t, "the deletion", "a", "n1")
	c.reconcile(t, c.root())
	engine.Wait(t, "the return of "+hosts, engine.SyncTimeout, func() error {
		if !r.api.Exists(t, resource, namespace, hosts) {
			return fmt.Errorf("not there")
		}
		return nil
	})
	c.follow(t, "the return")
	c.wantHolds(t, "the return", "a", "n1")
}

// rowBroken: two tenants in one push, of which one can't be applied. The other one is served.
func rowBroken(t *testing.T, r *rig, name string) {
	c := newCircle(t, r, name)
	c.hosts(t, "controller", "n1", "n2")
	c.tenantWith("a", 1, c.refusedBalancer())
	c.tenantWith("b", 1, loadBalancer())
	c.commit(t)
	failures := map[string]string{c.name("a", "infra"): "10.255.0.1"}
	if r.flux != nil {
		failures[c.name("a", "hosts")] = "dependency"
	}
	c.sync(t, failures)
	c.check(t, "one broken tenant", failures)
	c.wantHolds(t, "one broken tenant", "b", "n2")
	c.tenantWith("a", 1, loadBalancer())
	c.step(t, "the tenant is fixed")
	c.wantHolds(t, "the tenant is fixed", "a", "n1")
	c.settle(t, "the tenant is fixed")
}

func remove(t *testing.T, path string) {
	t.Helper()
	need.OK(t, os.Remove(path))
}

func replace(t *testing.T, path, old, text string) {
	t.Helper()
	content := need.Read(t, path)
	need.Must(t, strings.Contains(string(content), old), "%s: no %q in\n%s", path, old, content)
	need.OK(t, os.WriteFile(path, []byte(strings.Replace(string(content), old, text, 1)), 0o600))
}
