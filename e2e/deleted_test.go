package e2e_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/airshipit/sipgen/hack/need"
)

var namespaces = schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}

// rowRootDeleted: somebody deletes the root of the site, while machines run on hosts. Nothing goes with it: what was synced stays in force. Applied again, as
// docs/safety.md says, it goes on from there.
func rowRootDeleted(t *testing.T, r *rig, name string) {
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
		need.That(t, r.api.Exists(t, resource, namespace, sync), "%s went with the root", sync)
	}
	need.Equal(t, "the services are", fmt.Sprint(c.serviceUIDs(t)), fmt.Sprint(had))
	c.check(t, "the end of the root", nil)
	c.wantHolds(t, "the end of the root", "a", "n1")
	c.tenantWith("a", 2, loadBalancer())
	c.commit(t)
	if r.flux != nil {
		c.run(t, procedure(t, "restore-root", "flux"))
	} else {
		r.bootstrap(t, c) // without the policies, which are other sites' too: procedure "Argo CD" is TestProcedures'
	}
	c.follow(t, "the root is back")
	c.wantHolds(t, "the root is back", "a", "n1", "n2")
	c.settle(t, "the root is back")
	need.Len(t, "the services are", c.serviceUIDs(t), len(had))
}

// serviceUIDs are the Deployments and Services of the tenants, sorted.
func (c *circle) serviceUIDs(t *testing.T) []string {
	t.Helper()
	var found []string
	for _, resource := range []schema.GroupVersionResource{engine.Deployments, services} {
		for _, o := range c.rig.api.List(t, resource, c.tenants) {
			found = append(found, o.GetKind()+"/"+o.GetName()+" "+string(o.GetUID()))
		}
	}
	slices.Sort(found)
	return found
}

// rowHostsNamespaceGone: somebody deletes the namespace of the hosts, while a machine runs on one. The namespace's controller is denied the hosts that a cluster holds,
// and never gets further: they keep labels, spec, power and the Secrets of their BMCs.
func rowHostsNamespaceGone(t *testing.T, r *rig, name string) {
	c := newCircle(t, r, name)
	c.hosts(t, "controller", "n1", "n2", "n3")
	c.tenantWith("a", 2, loadBalancer())
	c.step(t, "assign")
	c.consumed(t, "n1")
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
			t.Errorf("Secret %s: deleted at %v, finalizers %v; the page says that metal3's keeps it", secret.GetName(), secret.GetDeletionTimestamp(), secret.GetFinalizers())
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
	if state, _, _ := unstructured.NestedString(r.api.Get(t, engine.Hosts, c.ns, "n1").Object, "status", "provisioning", "state"); state != "provisioned" {
		t.Errorf("the host on which a machine runs is %s, want provisioned", state)
	}
}
