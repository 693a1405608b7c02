package schedule

import (
	"testing"

	"github.com/airshipit/sipgen/internal/holdings"
	"github.com/airshipit/sipgen/inventory"
	"github.com/stretchr/testify/assert"
)

// TestFit is contract 9 to 11: a host that can serve no machine is neither promoted nor taken back, keeps its slot
// meanwhile, and goes first of the idle ones. A paused host stands for each that is not fit: see TestUnfit.
func TestFit(t *testing.T) {
	for _, row := range []struct{ why, clusters, hosts, tree, want string }{
		{"the fit one of two takes a failed one's slot", "c:1+2", "f/r1!&=c s/r2#~=c t/r3~=c", "",
			"c Worker: (f) t ~s short 0/1"},
		{"none is fit: a free one does", "c:1+1", "f/r1!&=c s/r2#~=c x/r4", "", "c Worker: (f) +x ~s"},
		{"none is fit, and none is free", "c:1+1", "f/r1!&=c s/r2#~=c", "", "c Worker: f ~s"},
		{"the count grows", "c:2+1", "a/r1=c s/r2#~=c t/r3~=c", "", "c Worker: a t ~s"},
		{"the count grows, and a free one is new", "c:2+1", "a/r1=c s/r2#~=c x/r4", "", "c Worker: a +x ~s"},
		{"a machine runs on it already", "c:2+1", "a/r1=c s/r2!#~=c t/r3~=c", "", "c Worker: a s ~t"},
		{"one that is leaving stays so", "c:2", "a/r1=c b/r2#=c x/r4", "a=c -b=c", "c Worker: a +x -b"},
		{"one that is leaving and fit comes back", "c:2", "a/r1=c b/r2=c x/r4", "a=c -b=c", "c Worker: a b"},
		{"it goes before other idle ones", "c:1", "a/r1#=c b/r2=c", "a=c b=c", "c Worker: b -a"},
		{"but after a failed one", "c:2", "a/r1#=c b/r2*=c d/r3=c", "a=c b=c d=c", "c Worker: a d -b"},
		{"one with a machine is not idle", "c:1", "a/r1!#=c b/r2=c", "a=c b=c", "c Worker: a -b"},
		{"it becomes the standby host", "c:1+1", "a/r1#=c b/r2=c", "a=c b=c", "c Worker: b ~a"},
		{"it keeps an active slot", "c:1+1", "a/r1#=c b/r2~=c", "", "c Worker: a ~b"},
	} {
		clusters, hosts, tree := sited(t, row.clusters, row.hosts, row.tree)
		wantPlaced(t, row.why, plan(t, clusters, hosts, tree, testOptions), row.want)
	}
}

// TestUnfit: why a held host can serve no machine, and that a plan names it if it has an active slot.
func TestUnfit(t *testing.T) {
	consumer := func(kind string) *inventory.Consumer {
		return &inventory.Consumer{Kind: kind, Namespace: "metal", Name: "m"}
	}
	for _, row := range []struct {
		why   string
		state inventory.State
		want  holdings.Why
		says  string
	}{
		{"available", inventory.State{Known: true, Provisioning: "available"}, holdings.Why{}, ""},
		{"without a status", inventory.State{}, holdings.Why{}, ""},
		{"kept for the next machine", inventory.State{NodeReuse: "md-0"}, holdings.Why{}, ""},
		{"used by a machine", inventory.State{Cordoned: "audit", Consumer: consumer("Metal3Machine")}, holdings.Why{},
			""},
		{"kept by a Cluster", inventory.State{Consumer: consumer(inventory.ClusterKind)}, holdings.Why{}, ""},
		{"cordoned", inventory.State{Cordoned: "audit"}, holdings.Why{Code: holdings.Cordoned, Detail: "audit"},
			"cordoned (audit)"},
		{"paused", inventory.State{Paused: true}, holdings.Why{Code: holdings.Paused}, "paused"},
		{"detached", inventory.State{Detached: true}, holdings.Why{Code: holdings.Detached}, "detached"},
		{"used by a HostClaim", inventory.State{Consumer: consumer("HostClaim")},
			holdings.Why{Code: holdings.InUse, Detail: "HostClaim metal/m"}, "in use by HostClaim metal/m"},
		{"an image and no consumer", inventory.State{Image: true}, holdings.Why{Code: holdings.HasImage},
			"has an image"},
		{"inspected", inventory.State{Known: true, Provisioning: "inspecting"},
			holdings.Why{Code: holdings.ProvisioningState, Detail: "inspecting"}, "provisioning state inspecting"},
	} {
		h := claimed(host1("h", "w", "r1"), "c", "Worker")
		h.State = row.state
		assert.Equal(t, row.want, holdings.Unfit(&h), row.why)
		clusters, _, _ := sited(t, "c:1", "", "")
		said := Say.Warnings(plan(t, clusters, []inventory.Host{h}, Previous{},
			testOptions).Clusters[0].Roles[0].Warnings)
		if row.says == "" {
			assert.Len(t, said, 0, row.why)
			continue
		}
		assert.Len(t, said, 1, row.why)
		assert.Contains(t, said[0], "host metal/h: "+row.says, row.why)
		assert.Contains(t, said[0], ": it has an active slot, and no machine can take it", row.why)
	}
}
