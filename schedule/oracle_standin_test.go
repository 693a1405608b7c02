package schedule_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/schedule"
)

// TestStandInAgreesWithTheOracle: "When a host fails", on random roles of one cluster in which many hosts fail. Every way to give out the
// active slots is judged by the page's rules; there are no racks, so that any host can take any slot.
func TestStandInAgreesWithTheOracle(t *testing.T) {
	roles := schedule.RandomSites(t, 2000)
	swaps, stuck := 0, 0
	for seed := range roles.Seeds() {
		rng := rand.New(rand.NewPCG(uint64(seed), 80))
		active, standby := 1+rng.IntN(3), rng.IntN(3)
		var hosts []inventory.Host
		replace, steady, wasStandby := map[string]bool{}, map[string]bool{}, map[string]bool{}
		claim := func(name string, isStandby bool) {
			h := inventory.Host{
				Namespace: oracleMetal, Name: name, UID: "u" + name,
				Labels: map[string]string{oracleKeys.ClusterNamespace: oracleNamespace, oracleKeys.ClusterName: "c", oracleKeys.NodeType: v1.RoleWorker},
				State:  inventory.State{Known: true, Provisioning: "available", Operational: "OK"},
			}
			if isStandby {
				h.Labels[oracleKeys.Standby] = "true"
				wasStandby[name] = true
			}
			used := rng.IntN(2) == 0
			if used {
				h.State.Consumer = &inventory.Consumer{Kind: "Metal3Machine", Name: name}
				h.State.Provisioning, h.State.Image = "provisioned", true
			}
			switch rng.IntN(6) {
			case 0, 1:
				h.State.Operational = "error"
				replace[name] = !used
			case 2:
				h.State.Unhealthy = true
				replace[name] = true
			case 3:
				h.State.Operational, h.State.Deleting = "error", true
				replace[name] = true
			}
			steady[name] = !replace[name]
			hosts = append(hosts, h)
		}
		for i := range rng.IntN(active + 1) {
			claim(fmt.Sprintf("a%d", i), false)
		}
		for i := range rng.IntN(standby + 1) {
			claim(fmt.Sprintf("s%d", i), true)
		}
		free := rng.IntN(4)
		for i := range free {
			hosts = append(hosts, inventory.Host{Namespace: oracleMetal, Name: fmt.Sprintf("x%d", i), State: inventory.State{Known: true, Provisioning: "available", Operational: "OK"}})
		}
		rng.Shuffle(len(hosts), func(i, j int) { hosts[i], hosts[j] = hosts[j], hosts[i] })
		spec := v1.SIPCluster{}
		spec.Namespace, spec.Name = oracleNamespace, "c"
		spec.Spec.Nodes = map[string]v1.NodeSet{v1.RoleWorker: {Count: &v1.NodeCount{Active: active, Standby: standby}}}
		p, err := schedule.Plan([]v1.SIPCluster{spec}, hosts, schedule.Previous{}, schedule.Options{Keys: oracleKeys})
		if err != nil {
			t.Fatal(err)
		}
		fail := func(format string, args ...any) {
			t.Helper()
			for _, h := range hosts {
				t.Log(h.Name, h.Labels[oracleKeys.Standby], h.State)
			}
			for _, a := range p.Clusters[0].Roles[0].Assigned {
				t.Log(a.Host.Name, "standby", a.Standby, "origin", a.Origin, fmt.Sprintf("%T", a.Reason))
			}
			t.Fatalf("role %d (%d active, %d standby): "+format, append([]any{seed, active, standby}, args...)...)
		}
		if p.Clusters[0].Unschedulable {
			able := free
			for _, h := range hosts {
				if is, held := steady[h.Name]; held && (is || !wasStandby[h.Name]) {
					able++
				}
			}
			if able >= active {
				fail("cannot be scheduled, with %d hosts", able)
			}
			continue
		}
		steadyHosts := 0
		for _, ok := range steady {
			if ok {
				steadyHosts++
			}
		}
		fresh, filled, idle, failing, replaced := 0, 0, 0, 0, 0
		for _, a := range p.Clusters[0].Roles[0].Assigned {
			name := a.Host.Name
			switch {
			case a.Origin == schedule.New:
				fresh++
			case a.Pending && !replace[name]:
				fail("%s is to be released, and has not failed", name)
			case steady[name] && !wasStandby[name] && a.Standby:
				fail("%s lost its active slot", name)
			}
			if !a.Pending && !a.Standby {
				filled++
				if replace[name] {
					failing++
				}
			}
			if a.Standby && !replace[name] {
				idle++
			}
			if a.Replaced {
				replaced++
			}
		}
		// A failed host in a slot is replaced while there are hosts, and leaves then.
		if want := min(free, active+standby-steadyHosts); fresh != want {
			fail("%d new hosts, want %d", fresh, want)
		}
		if filled > active || failing > 0 && idle > 0 {
			fail("%d active, %d of them failed while %d that are not are standby", filled, failing, idle)
		}
		left := 0
		for _, gone := range p.Clusters[0].Roles[0].Releasing {
			if !replace[gone.Host.Name] || gone.Host.State.Consumer != nil {
				fail("%s is released", gone.Host.Name)
			}
			left++
		}
		if loss := schedule.Losses(p); len(loss.Replaced) != replaced || len(loss.Released) != left {
			fail("the brake counts %+v, want %d that stay and %d released", loss, replaced, left)
		}
		if left > 0 {
			swaps++
		}
		if failing > 0 {
			stuck++
		}
	}
	roles.Want("releases", swaps, 20)
	roles.Want("failed active hosts left", stuck, 20)
}
