package e2e_test

import (
	"fmt"
	"testing"

	"github.com/airshipit/sipgen/e2e/engine"
)

// TestFaults: while the API server answers 429 and 500 to a share of the requests the engine may
// fail as often as it likes; it ends where it would have, and no host is harmed on the way.
func TestFaults(t *testing.T) {
	for name, shared := range map[string]func(testing.TB) *rig{"flux": fluxRig, "argocd": argoRig} {
		t.Run(name, func(t *testing.T) {
			r := shared(t)
			c := newCircle(t, r, "faults")
			c.hosts(t, "controller", "n1", "n2", "n3")
			c.tenantWith("a", 2, loadBalancer())
			c.step(t, "assign")
			r.proxy.Fail(3)
			defer r.proxy.Fail(0)
			c.tenantWith("a", 3, loadBalancer())
			c.commit(t)
			c.begin(t)
			engine.Wait(t, "some faults", engine.SyncTimeout, func() error {
				c.nudge(t)
				if n := r.proxy.Refused.Load(); n < 10 {
					return fmt.Errorf("%d so far", n)
				}
				return nil
			})
			c.untouched.Check(t, "faults")
			r.proxy.Fail(0)
			c.nudge(t)
			c.follow(t, "the end of the faults")
			c.wantHolds(t, "the end of the faults", "a", "n1", "n2", "n3")
			c.settle(t, "the end of the faults")
		})
	}
}
