package e2e_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/stretchr/testify/assert"
)

// rowLeaving runs docs/leaving.md, word by word, while a machine runs on a host: nothing of a tenant's services or of
// the hosts goes or changes, and of the site's objects nothing is left but the services.
func rowLeaving(t *testing.T, r *rig, name string) {
	c := newCircle(t, r, name)
	c.hosts(t, "controller", "n1", "n2", "n3")
	c.tenantWith("a", 2, loadBalancer())
	c.tenant("b", 1)
	c.step(t, "assign")
	c.consumed(t, "n1")
	had, syncs := c.serviceUIDs(t), append(c.syncs(t), c.root())
	assert.Truef(t, len(had) > 0, "there are no services")
	variables := "export HOSTS=" + c.ns + "\n"
	engineAndAccounts := func() {
		t.Helper()
		c.run(t, slices.Concat([]string{variables}, procedure(t, "leave", string(r.engine)),
			procedure(t, "leave", "accounts")))
		resource, namespace := r.syncKind()
		for _, sync := range syncs {
			r.api.WaitGone(t, resource, namespace, sync)
		}
		if r.argo != nil && !r.alone {
			r.api.WaitGone(t, resource, namespace, c.root()+"-policy")
		}
	}
	engineAndAccounts()
	c.run(t, procedure(t, "apply-policy"))
	c.started = false
	c.follow(t, "back again")
	c.tenant("b", 0)
	c.settle(t, "back again, and a host less")
	assert.Equal(t, fmt.Sprint(had), fmt.Sprint(c.serviceUIDs(t)), "back again: the services are")
	syncs = append(c.syncs(t), c.root())
	engineAndAccounts()
	c.run(t, slices.Concat([]string{variables}, procedure(t, "leave", "guards")))
	time.Sleep(3 * time.Second) // a sync, and the garbage collector, take a second
	c.check(t, "no engine and no guard", nil)
	c.wantHolds(t, "no engine and no guard", "a", "n1", "n2")
	assert.Equal(t, fmt.Sprint(had), fmt.Sprint(c.serviceUIDs(t)), "the services are")
	left := c.run(t, []string{"kubectl get validatingadmissionpolicybindings,validatingadmissionpolicies,serviceaccounts,roles,rolebindings," +
		"clusterroles,clusterrolebindings,resourcequotas -A -o name -l sipgen.airshipit.org/site=$SITE\n"})
	assert.Empty(t, left, "left of the site")

	c.run(t, slices.Concat([]string{variables}, procedure(t, "leave", "labels")))
	c.untouched.Check(t, "no labels")
	r.wantNoHarm(t, c.ns, "no labels")
	for _, host := range r.api.List(t, engine.Hosts, c.ns) {
		assert.Len(t, engine.OurLabels(&host), 0, "labels of "+host.GetName())
	}
	assert.Equal(t, fmt.Sprint(had), fmt.Sprint(c.serviceUIDs(t)), "the services are")
}
