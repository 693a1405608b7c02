package e2e_test

import (
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/hack/need"
)

// rowMadeAnew: a load balancer gets an address of its own. The commit says that the Service has to be made anew, the sync fails as docs/change-site.md
// says, nothing is lost meanwhile, and with the page's commands the Service is there with the new address and the same ports.
func rowMadeAnew(t *testing.T, r *rig, name string) {
	c := newCircle(t, r, name)
	c.hosts(t, "controller", "n1")
	// Each row and engine has addresses of its own, in the lowest 256 of the API server's range: it gives no Service one of those by itself.
	address := fmt.Sprintf("10.96.0.%d", 20+nextNodePort()%230)
	c.site.Spec.Tenants = []v1alpha1.Tenant{{
		Name: "all", Namespaces: []string{c.tenants}, NodePorts: []v1alpha1.NodePorts{*c.site.Spec.NodePorts}, Addresses: []string{address + "/32"},
	}}
	c.site.Default()
	balancer := loadBalancer()
	c.tenantWith("a", 1, balancer)
	c.step(t, "assign")
	service := func() *unstructured.Unstructured {
		list := r.api.List(t, services, c.tenants)
		if len(list) != 1 {
			return nil
		}
		return &list[0]
	}
	before := service()
	ports := fmt.Sprint(before.Object["spec"].(map[string]any)["ports"])
	commands := procedure(t, "recreate")
	c.tenantWith("a", 1, strings.Replace(balancer, "nodeInterfaceId: oam", "nodeInterfaceId: oam, clusterIP: "+address, 1))
	need.Must(t, c.commit(t), "nothing to commit: %s", c.said)
	if message := c.repo.Message(t); !strings.Contains(message, "spec.clusterIP cannot change") || !strings.Contains(message, "Service "+before.GetName()) {
		t.Errorf("%s: the commit does not say what has to be made anew:\n%s", address, message)
	}
	c.sync(t, map[string]string{c.name("a", "infra"): "may not change once set", c.name("a", "hosts"): "dependency"})
	if now := service(); now == nil || now.GetUID() != before.GetUID() {
		t.Errorf("%s: the Service did not stay as it was", address)
	}
	c.wantHolds(t, address, "a", "n1")
	fill := strings.NewReplacer("NAMESPACE", c.tenants, "NAME", before.GetName())
	c.run(t, []string{fill.Replace(strings.Join(commands, "\n"))})
	c.follow(t, address)
	now := service()
	need.Must(t, now != nil, "%s: there is no Service", address)
	got, _, _ := unstructured.NestedString(now.Object, "spec", "clusterIP")
	need.That(t, got == address && now.GetUID() != before.GetUID() && fmt.Sprint(now.Object["spec"].(map[string]any)["ports"]) == ports,
		"the Service is %s with the address %s and the ports %v, want another than %s with %s and %s", now.GetUID(), got, now.Object["spec"].(map[string]any)["ports"], before.GetUID(), address, ports)
	c.settle(t, address)
}
