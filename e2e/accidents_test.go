package e2e_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// rowInfraFirst: a host gets its labels only when what it will need is there.
func rowInfraFirst(t *testing.T, r *rig, name string) {
	c := newCircle(t, r, name)
	c.hosts(t, "controller", "n1")
	r.kubelet.Hold(c.tenants, true)
	c.tenantWith("a", 1, loadBalancer())
	c.commit(t)
	revision := c.begin(t)
	waitWhile(t, "the tenant's Deployment", func() (bool, any) {
		list := r.api.List(t, engine.Deployments, c.tenants)
		return len(list) == 0, "none"
	})
	// Hosts wait for the guards too. Once those are there, it is the services that they still wait for, and however
	// often the engine is asked.
	hosts := c.name("a", "hosts")
	r.flux.WaitApplied(t, engine.FluxNamespace, c.root()+"-policy", revision)
	for range 3 {
		r.flux.WaitDependency(t, engine.FluxNamespace, hosts, c.name("a", "infra"), func() error {
			if got := c.holds(t, "a"); len(got) > 0 {
				return fmt.Errorf("hosts %v have labels, and the services are not ready", got)
			}
			return nil
		})
	}
	c.wantHolds(t, "services that are not ready", "a")
	r.kubelet.Hold(c.tenants, false)
	c.follow(t, "services that are ready")
	c.wantHolds(t, "services that are ready", "a", "n1")
}

// rowDeleted: a host that somebody deleted is not created again by the engine. One of the same name is another host,
// and is not touched until sipgen has seen it.
func rowDeleted(t *testing.T, r *rig, name string) {
	c := newCircle(t, r, name)
	c.hosts(t, "controller", "n1", "n2", "n3")
	c.tenant("a", 2)
	c.step(t, "assign")
	r.api.HostWatch.During(t, c.ns, "n1", func() {
		r.api.Delete(t, engine.Hosts, c.ns, "n1")
		c.waitGone(t, "n1")
	})
	c.accept(t)
	// That the engine may not create hosts is another guard: the uid comes first.
	again := func(words string) {
		t.Helper()
		revision := r.flux.Publish(t, engine.FluxNamespace, c.root(), c.repo)
		r.flux.Reconcile(t, engine.FluxNamespace, c.name("a", "hosts"))
		r.flux.WaitFailed(t, engine.FluxNamespace, c.name("a", "hosts"), revision, words)
	}
	again("uid mismatch")
	c.untouched.Check(t, "a sync without the host")
	c.hosts(t, "controller", "n1")
	again("immutable")
	c.untouched.Check(t, "a sync with the old uid")
	assert.Len(t, r.api.OurLabels(t, c.ns, "n1"), 0, "the new host has labels")
	c.settle(t, "the new host is seen")
	assert.Len(t, c.holds(t, "a"), 2, "a has hosts")
}

// rowFileDeleted: a person deletes a host's patch, takes it out of the overlay, and then the last one. The labels stay,
// whatever the engine makes of it, and the next run puts the files back.
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
	c.sync(t, nil)
	c.untouched.Check(t, "an empty overlay")
	c.wantHolds(t, "an empty overlay", "a", "n1", "n2")
	c.short = true // a cluster whose files were edited is frozen for this run, and the files are restored
	c.step(t, "the next run")
	c.short = false
	c.wantHolds(t, "the next run", "a", "n1", "n2")
	c.settle(t, "the next run")
}

// rowDrift: a label edited by hand is set back. Then somebody deletes the Kustomization or Application of the hosts:
// the hosts stay as they are, and the root brings it back.
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
	waitWhile(t, "the labels", func() (bool, any) {
		got := r.api.OurLabels(t, c.ns, "n1")
		return fmt.Sprint(got) != fmt.Sprint(want), fmt.Sprintf("labels are %v, want %v", got, want)
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
	waitWhile(t, "the return of "+hosts, func() (bool, any) {
		return !r.api.Exists(t, resource, namespace, hosts), "not there"
	})
	c.follow(t, "the return")
	c.wantHolds(t, "the return", "a", "n1")
}

func remove(t *testing.T, path string) {
	t.Helper()
	require.NoError(t, os.Remove(path))
}

func replace(t *testing.T, path, old, text string) {
	t.Helper()
	content := need.Read(t, path)
	require.Truef(t, strings.Contains(string(content), old), "%s: no %q in\n%s", path, old, content)
	require.NoError(t, os.WriteFile(path, []byte(strings.Replace(string(content), old, text, 1)), 0o600))
}
