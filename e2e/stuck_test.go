package e2e_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// grant permits services of the site's tenants to have an address, and gives that of a load balancer to them.
func (c *circle) grant(balancer, address string) string {
	c.site.Spec.Tenants = []v1alpha1.Tenant{{
		Name: "all", Namespaces: []string{c.tenants}, Addresses: []string{address + "/32"},
		NodePorts: []v1alpha1.NodePorts{*c.site.Spec.NodePorts},
	}}
	c.site.Default()
	return strings.Replace(balancer, "nodeInterfaceId: oam", "nodeInterfaceId: oam, clusterIP: "+address, 1)
}

// refusedBalancer is a load balancer that the API server refuses: its address is none of the range for Services.
func (c *circle) refusedBalancer() string { return c.grant(loadBalancer(), "10.255.0.1") }

// rowBrokenGone: a tenant's services cannot be synced, and then the tenant goes. Argo CD deletes nothing of an
// Application as long as it tries a sync again, and so that sync must come to an end.
func rowBrokenGone(t *testing.T, r *rig, name string) {
	c := newCircle(t, r, name)
	c.hosts(t, "controller", "n1", "n2")
	c.tenantWith("a", 1, loadBalancer())
	c.tenantWith("b", 1, "")
	c.step(t, "assign")
	folder := filepath.Join("clusters", c.tenants, "a", "infra")
	c.edit(t, "a service elsewhere", func(dir string) {
		// Into a file of sipgen's: it refuses the tree with any other file there.
		replace(t, filepath.Join(dir, folder, "loadbalancer-worker-a.yaml"), "apiVersion: ",
			"apiVersion: v1\nkind: ConfigMap\nmetadata: {namespace: default, name: smuggled}\n---\napiVersion: ")
	})
	failures := map[string]string{c.name("a", "infra"): "namespace default is not permitted in project"}
	if r.flux != nil {
		failures = map[string]string{c.name("a", "infra"): "forbidden", c.name("a", "hosts"): "dependency"}
	}
	c.sync(t, failures)
	if _, err := exec.LookPath("jq"); r.argo != nil && err == nil { // TestProcedures asks for it
		// Whoever is on call finds the sync by the page, and no other.
		said := c.run(t, procedure(t, "stuck-syncs"))
		fields := strings.Split(said, "\t")
		require.Lenf(t, fields, 4, "the syncs that are tried again are said to be\n%s", said)
		assert.Equal(t, c.name("a", "infra"), fields[0])
		assert.Truef(t, strings.HasPrefix(folder, fields[1]), "%s is not in %s", folder, fields[1])
		assert.Equal(t, fields[1], fields[2])
		assert.Contains(t, fields[3], "Retrying attempt")
	}
	// As long as it has hosts its services stay as they are, and are refused. Then they go.
	c.decommission("a")
	c.commit(t)
	c.begin(t)
	c.nudge(t)
	waitWhile(t, "the release", func() (bool, any) {
		got := c.holds(t, "a")
		return len(got) > 0, got
	})
	c.settle(t, "the broken tenant is gone")
	c.wantHolds(t, "the broken tenant is gone", "a")
	c.wantHolds(t, "the broken tenant is gone", "b", "n2")
	for _, resource := range []schema.GroupVersionResource{engine.Deployments, engine.Services} {
		r.api.WaitGone(t, resource, c.tenants, "")
	}
}

// rowWayOut: services of one of two tenants in one push cannot be synced, and the other one is served. Hosts are needed
// now. With order none they come, and the services when they are mended: the sync that was begun in waves does not keep
// Argo CD from it.
func rowWayOut(t *testing.T, r *rig, name string) {
	c := newCircle(t, r, name)
	c.hosts(t, "controller", "n1", "n2")
	c.tenantWith("a", 1, c.refusedBalancer())
	c.tenantWith("b", 1, loadBalancer())
	c.commit(t)
	failures := map[string]string{c.name("a", "infra"): "10.255.0.1"}
	c.sync(t, failures)
	c.wantHolds(t, "waves", "a")
	c.wantHolds(t, "waves: the other tenant", "b", "n2")
	none := *r
	none.order = v1alpha1.OrderNone
	c.rig, c.site.Spec.ArgoCD.Order = &none, none.order
	c.commit(t)
	c.sync(t, failures)
	c.wantHolds(t, "none", "a", "n1")
	c.tenantWith("a", 1, loadBalancer())
	c.step(t, "mended")
	c.settle(t, "mended")
	assert.Truef(t, len(r.api.List(t, engine.Deployments, c.tenants)) != 0, "services that were mended are not there")
}
