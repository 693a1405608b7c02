package e2e_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// rowMadeAnew: a load balancer gets an address of its own. The commit says that the Service has to be made anew, the
// sync fails as docs/change-site.md says, nothing is lost meanwhile, and with the page's commands the Service is there
// with the new address and the same ports.
func rowMadeAnew(t *testing.T, r *rig, name string) {
	c := newCircle(t, r, name)
	c.hosts(t, "controller", "n1")
	// Each row and engine has addresses of its own, in the lowest 256 of the API server's range: it gives no Service
	// one of those by itself.
	address := fmt.Sprintf("10.96.0.%d", 20+nextNodePort()%230)
	balancer := loadBalancer()
	withAddress := c.grant(balancer, address)
	c.tenantWith("a", 1, balancer)
	c.step(t, "assign")
	service := func() *unstructured.Unstructured {
		t.Helper()
		list := r.api.List(t, engine.Services, c.tenants)
		require.Truef(t, len(list) == 1, "found %d Services, want one", len(list))
		return &list[0]
	}
	before := service()
	ports := fmt.Sprint(before.Object["spec"].(map[string]any)["ports"])
	commands := procedure(t, "recreate")
	c.tenantWith("a", 1, withAddress)
	require.Truef(t, c.commit(t), "nothing to commit: %s", c.said)
	text := c.repo.Message(t)
	for _, word := range []string{"spec.clusterIP cannot change", "Service " + before.GetName()} {
		assert.Contains(t, text, word, "the commit")
	}
	c.sync(t, map[string]string{c.name("a", "infra"): "may not change once set", c.name("a", "hosts"): "dependency"})
	assert.Equal(t, before.GetUID(), service().GetUID(), "the Service that stays is")
	c.wantHolds(t, address, "a", "n1")
	fill := strings.NewReplacer("NAMESPACE", c.tenants, "NAME", before.GetName())
	c.run(t, []string{fill.Replace(strings.Join(commands, "\n"))})
	c.follow(t, address)
	now := service()
	spec := now.Object["spec"].(map[string]any)
	assert.Equal(t, any(address), spec["clusterIP"], "its address is")
	assert.Equal(t, ports, fmt.Sprint(spec["ports"]), "its ports are")
	assert.Truef(t, now.GetUID() != before.GetUID(), "it is the former Service")
	c.settle(t, address)
}
