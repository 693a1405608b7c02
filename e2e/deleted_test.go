package e2e_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var namespaces = schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}

// rowParentsGone: somebody deletes the root of the site, while machines run on hosts. Nothing goes with it: what was
// synced stays in force. Applied again, as docs/safety.md says, it goes on from there. Then somebody deletes a tenant's
// namespace: the services are gone, the hosts keep labels, spec and power, and when the namespace is back, so are the
// services.
func rowParentsGone(t *testing.T, r *rig, name string) {
	c := newCircle(t, r, name)
	c.hosts(t, "controller", "n1", "n2")
	c.tenantWith("a", 1, loadBalancer())
	c.step(t, "assign")
	c.consumed(t, "n1")
	resource, namespace := r.syncKind()
	had := c.serviceUIDs(t)
	r.api.Delete(t, resource, namespace, c.root())
	r.api.WaitGone(t, resource, namespace, c.root())
	for range 4 { // a sync takes a second
		c.nudgeOnly(t, c.syncs(t))
		time.Sleep(time.Second)
	}
	for _, sync := range c.syncs(t) {
		assert.Truef(t, r.api.Exists(t, resource, namespace, sync), "%s went with the root", sync)
	}
	assert.Equal(t, fmt.Sprint(had), fmt.Sprint(c.serviceUIDs(t)), "the services are")
	c.check(t, "the end of the root", nil)
	c.wantHolds(t, "the end of the root", "a", "n1")
	c.tenantWith("a", 2, loadBalancer())
	c.commit(t)
	if r.flux != nil {
		c.run(t, procedure(t, "restore-root", "flux"))
	} else {
		r.bootstrap(t, c)
	}
	c.follow(t, "the root is back")
	c.wantHolds(t, "the root is back", "a", "n1", "n2")
	c.settle(t, "the root is back")
	assert.Len(t, c.serviceUIDs(t), len(had), "the services are")

	r.api.Delete(t, namespaces, "", c.tenants)
	r.api.WaitGone(t, namespaces, "", c.tenants)
	c.nudge(t)
	c.check(t, "the end of the namespace", nil)
	c.wantHolds(t, "the end of the namespace", "a", "n1", "n2")
	// What the tree says does not depend on the namespace.
	assert.Truef(t, !c.commit(t), "the end of a namespace changes the tree:\n%s", c.said)
	// Word by word; with Flux, what asks for a sync too.
	commands := procedure(t, "restore-namespace")
	commands[0] = strings.Replace(commands[0], "NAMESPACE", c.tenants, 1)
	if r.argo != nil {
		commands = commands[:1]
	}
	c.run(t, commands)
	engine.Wait(t, "the return of the services", engine.SyncTimeout, func() error {
		if len(r.api.List(t, engine.Deployments, c.tenants)) == 0 {
			if r.argo != nil {
				c.nudge(t)
			}
			return fmt.Errorf("no Deployment")
		}
		return nil
	})
	c.follow(t, "the return of the namespace")
	c.settle(t, "the return of the namespace")
}

// TestRootHangs: somebody deletes the root with cascade, as Argo CD's CLI and UI do by default. Mostly it waits for
// itself, which another finalizer plays here; status says so, and with the runbook's commands it is back. Nothing goes,
// not even where Argo CD does not wait: TestArgoRootAlone.
func TestRootHangs(t *testing.T) {
	t.Parallel()
	r := besideTheOther(t, v1alpha1.EngineArgoCD)
	c := newCircle(t, r, "root-hangs")
	c.hosts(t, "controller", "n1", "n2")
	c.tenantWith("a", 1, loadBalancer())
	c.step(t, "assign")
	had := c.serviceUIDs(t)
	r.api.Kubectl(t, "", "-n", engine.ArgoNamespace, "patch", "applications.argoproj.io", c.root(), "--type=merge",
		"-p",
		`{"metadata":{"finalizers":["resources-finalizer.argocd.argoproj.io","e2e.sipgen.airshipit.org/waits"]}}`)
	r.api.Kubectl(t, "", "-n", engine.ArgoNamespace, "delete", "applications.argoproj.io", c.root(), "--wait=false")
	for range 4 { // a sync takes a second
		r.argo.Refresh(t, c.root())
		time.Sleep(time.Second)
	}
	c.exits(t, "the root is in deletion", 1, "status")
	c.wantSaid(t, "the root is in deletion", c.root()+" ",
		"is being deleted, and waits for ", "sipgen help runbook deleted-objects")
	c.run(t, procedure(t, "restore-root", "hanging"))
	r.api.WaitGone(t, engine.Applications, engine.ArgoNamespace, c.root())
	assert.Equal(t, fmt.Sprint(had), fmt.Sprint(c.serviceUIDs(t)), "the services are")
	c.check(t, "the end of the root", nil)
	r.bootstrap(t, c)
	c.tenantWith("a", 2, loadBalancer())
	c.commit(t)
	c.follow(t, "the root is back")
	c.wantHolds(t, "the root is back", "a", "n1", "n2")
	c.settle(t, "the root is back")
}

// serviceUIDs are the Deployments and Services of the tenants, sorted.
func (c *circle) serviceUIDs(t *testing.T) []string {
	t.Helper()
	var found []string
	for _, resource := range []schema.GroupVersionResource{engine.Deployments, engine.Services} {
		for _, o := range c.rig.api.List(t, resource, c.tenants) {
			found = append(found, o.GetKind()+"/"+o.GetName()+" "+string(o.GetUID()))
		}
	}
	slices.Sort(found)
	return found
}

// rowHostsNamespaceGone: somebody deletes the namespace of the hosts, while a machine runs on one. The namespace's
// controller is denied the hosts that a cluster holds, and never gets further: they keep labels, spec, power and the
// Secrets of their BMCs. Before, hosts belong to an object, as those that ViNO makes do, and somebody deletes that: the
// garbage collector takes the free host, and is denied the one that a cluster holds. Neither controller is an admin.
func rowHostsNamespaceGone(t *testing.T, r *rig, name string) {
	c := newCircle(t, r, name)
	c.hosts(t, "controller", "n1", "n2", "n3", "n4")
	c.tenantWith("a", 2, loadBalancer())
	c.step(t, "assign")
	c.consumed(t, "n1")

	r.api.Create(t, "e2e", "apiVersion: v1\nkind: ConfigMap\nmetadata: {namespace: "+c.ns+", name: owner}\n")
	uid := string(r.api.Get(t, engine.ConfigMaps, c.ns, "owner").GetUID())
	owner := []any{map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": uid}}
	for _, host := range []string{"n2", "n4"} {
		r.api.Edit(t, "vino", engine.Hosts, c.ns, host, "", set(owner, "metadata", "ownerReferences"))
	}
	r.api.HostWatch.During(t, c.ns, "n4", func() {
		r.api.Delete(t, engine.ConfigMaps, c.ns, "owner")
		c.waitGone(t, "n4")
	})
	waitWhile(t, "the garbage collector's try", func() (bool, any) {
		said := r.controllers.Logs(1, "garbage", c.root()+"-delete-guard-v1", c.ns)
		return said == "", r.controllers.Logs(5, "garbage")
	})
	c.accept(t)
	c.check(t, "the end of the owner", nil)
	c.wantHolds(t, "the end of the owner", "a", "n1", "n2")

	r.api.Delete(t, namespaces, "", c.ns)
	said := ""
	engine.Wait(t, "the controller to be denied", engine.SyncTimeout, func() error {
		said = c.run(t, []string{strings.Replace(procedure(t, "hosts-namespace")[0], "NAMESPACE", c.ns, 1)})
		if !strings.Contains(said, c.root()+"-delete-guard-v1") {
			return fmt.Errorf("it says %q", said)
		}
		return nil
	})
	for _, host := range []string{"n1", "n2", "n3"} {
		secret := r.api.Get(t, engine.Secrets, c.ns, host+"-bmc")
		if secret.GetDeletionTimestamp() == nil || len(secret.GetFinalizers()) == 0 {
			t.Errorf("Secret %s: deleted at %v, finalizers %v; the page says that metal3's keeps it", secret.GetName(),
				secret.GetDeletionTimestamp(), secret.GetFinalizers())
		}
	}
	c.accept(t) // the Secrets
	r.wantNoHarm(t, c.ns, "the deletion")
	c.wantHolds(t, "the deletion", "a", "n1", "n2")
	for range 4 { // whatever the engine still tries, it takes nothing away
		c.nudge(t)
		time.Sleep(time.Second)
	}
	c.untouched.Check(t, "the deletion")
	r.wantNoHarm(t, c.ns, "the deletion")
	c.wantHolds(t, "the deletion", "a", "n1", "n2")
	state, _ := c.state(t, "n1")
	assert.Equal(t, "provisioned", state, "the host on which a machine runs is")
}
