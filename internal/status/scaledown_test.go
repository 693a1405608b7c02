package status

import (
	"strings"
	"testing"

	"github.com/airshipit/sipgen/internal/holdings"
	"github.com/airshipit/sipgen/inventory"
	"github.com/stretchr/testify/assert"
)

// TestScaleDown: sipgen chose i, and Cluster API deleted the machine of h instead. An operator who deletes the machine
// of i as well wipes a second server.
func TestScaleDown(t *testing.T) {
	const run = "idle of its role: metal/h. Run sipgen before you delete a machine: it releases idle hosts first."
	const idle, waits = "idle, while metal/i should be: the next run releases idle hosts first", "waits until its machine is deleted"
	for _, row := range []struct {
		why    string
		change func(h, i *inventory.Host, claim, pending *holdings.Claim)
		h, i   string // how What begins
	}{
		{"another machine was deleted", nil, idle, run},
		{"its machine is still there", func(h, i *inventory.Host, _, _ *holdings.Claim) {
			h.State = i.State
		}, "", waits},
		{"h is its successor", func(_, _ *inventory.Host, _, pending *holdings.Claim) { pending.Replaced = true }, "",
			waits},
		{"i has failed", func(_, i *inventory.Host, _, _ *holdings.Claim) { i.State.Unhealthy = true }, "",
			"marked unhealthy; " + waits},
		{"h is standby", func(h, _ *inventory.Host, claim, _ *holdings.Claim) {
			claim.Standby, h.Labels[keys.Standby] = true, "true"
		}, "", waits},
		{"h is of another role", func(h, _ *inventory.Host, claim, _ *holdings.Claim) {
			claim.Role, h.Labels[keys.NodeType] = "Storage", "Storage"
		}, "", waits},
		{"no machine can take h", func(h, _ *inventory.Host, _, _ *holdings.Claim) { h.State.Paused = true },
			"paused: no machine can take it", waits},
		{"h leaves, too", func(_, _ *inventory.Host, claim, _ *holdings.Claim) { claim.Pending = true },
			"nothing uses it",
			"its whole cluster is to go"},
	} {
		host := func(name string) inventory.Host {
			return inventory.Host{Namespace: "metal", Name: name,
				State:  inventory.State{Known: true, Provisioning: "available"},
				Labels: map[string]string{"ns": "t", "name": "a", keys.NodeType: "Worker"}}
		}
		h, i := host("h"), host("i")
		i.State.Provisioning, i.State.Image = "provisioned", true
		i.State.Consumer = &inventory.Consumer{Kind: inventory.MachineKind, Namespace: "metal", Name: "m"}
		claim := holdings.Claim{Host: holdings.KeyOf(&h), Role: "Worker",
			Cluster: holdings.ClusterKey{Namespace: "t", Name: "a"}}
		pending := claim
		pending.Host, pending.Pending = holdings.KeyOf(&i), true
		if row.change != nil {
			row.change(&h, &i, &claim, &pending)
		}
		said := map[string]string{}
		for _, s := range Of(Input{Holdings: answer(t, []inventory.Host{h, i}, claim, pending), Keys: keys}) {
			said[s.Host] = s.What
		}
		for name, want := range map[string]string{"metal/h": row.h, "metal/i": row.i} {
			got := said[name]
			assert.Truef(t, strings.HasPrefix(got, want) && (want == "") == (got == ""), "%s: %s: found %q, want %q",
				row.why, name, got, want)
		}
	}
}
