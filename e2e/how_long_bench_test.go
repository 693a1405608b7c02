//go:build bench

package e2e_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/airshipit/sipgen/api/v1alpha1"
)

// TestHowLong prints how long it takes from the moment that the engine is told of a commit to the labels on the hosts:
// the figures of docs/gitops.md, "How long until a change is live". The engine is told as a webhook tells it, once:
// Flux by a new artifact of its GitRepository, Argo CD by the annotation that its own webhook sets on each Application
// of the repository. The rig's engines have shorter waits than a site's: Flux takes up to five seconds more for a
// Deployment, Argo CD one for each wave. What needs a second push never comes, and fails. It asserts no time, and so it
// is built with the tag bench only: make bench-sync.
func TestHowLong(t *testing.T) {
	argo := func(order string) func(testing.TB) *rig {
		return func(t testing.TB) *rig {
			r := *argoRig(t)
			r.order = order
			return &r
		}
	}
	for _, row := range []struct {
		name string
		rig  func(testing.TB) *rig
	}{{"flux", fluxRig}, {"argocd-none", argo(v1alpha1.OrderNone)}, {"argocd-waves", argo(v1alpha1.OrderWaves)}} {
		t.Run(row.name, func(t *testing.T) { howLong(t, row.rig(t), row.name) })
	}
}

func howLong(t *testing.T, r *rig, name string) {
	c := newCircle(t, r, "how-long-"+name)
	c.hosts(t, "controller", "n1", "n2", "n3")
	c.tenantWith("b", 1, loadBalancer())
	c.step(t, "the first cluster")
	// wait waits until exactly these hosts are a's, and prints how long that took.
	wait := func(what string, hosts ...string) {
		t.Helper()
		began := time.Now()
		waitWhile(t, what, func() (bool, any) {
			got := c.holds(t, "a")
			return !slices.Equal(got, hosts), fmt.Sprintf("a has the hosts %v, want %v", got, hosts)
		})
		t.Logf("%-13s %-30s %5.1f s", name, what, time.Since(began).Seconds())
	}
	commit := func(what string, workers int, hosts ...string) {
		t.Helper()
		c.tenantWith("a", workers, c.services["a"])
		c.commit(t)
		c.begin(t)
		if r.argo != nil {
			for _, name := range c.synced {
				r.argo.Refresh(t, name)
			}
		}
		wait(what, hosts...)
		c.follow(t, what)
	}
	c.services["a"] = loadBalancer()
	commit("a new cluster", 1, "n2")
	commit("one host more", 2, "n2", "n3")
	commit("one host less", 1, "n2")
	if r.argo == nil {
		return // Flux looks again after spec.flux.interval
	}
	c.settle(t, "one host less")
	r.api.Kubectl(t, "", "label", "--overwrite", "--field-manager=people", "-n", c.ns, "baremetalhosts.metal3.io/n2",
		clusterName+"=z")
	wait("a label that somebody edited", "n2")
}
