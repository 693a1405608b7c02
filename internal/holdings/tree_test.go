package holdings

import (
	"net/netip"
	"slices"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/inventory"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestAsOfTree: contract 19, of a host that the tree has an old reading says nothing, and the labels of another one
// decide nothing.
func TestAsOfTree(t *testing.T) {
	for _, r := range rows {
		in := r.input()
		in.Hosts = append(in.Hosts, inventory.Host{Namespace: "m", Name: "new"})
		for _, read := range [][]inventory.Host{in.Hosts, in.Hosts[1:]} {
			in.Hosts = AsOfTree(read, in.Tree, keys)
			got, err := Of(in)
			require.NoError(t, err)
			if len(in.Tree) == 0 {
				assert.Equal(t, len(read), len(got.Hosts), r.line)
				if h := got.Find(HostKey{"m", "h"}); h != nil && r.labels != "" {
					assert.Equal(t, "left alone: OldLabels", text(h), r.line)
				}
				continue
			}
			h, want := &got.Hosts[0], Held
			if in.Tree[0].Releasing {
				want = Leaving
			}
			if h.State != want || h.Cluster != in.Tree[0].Cluster || h.Host.UID != "u1" || h.Rival != (ClusterKey{}) ||
				h.Relabeled ||
				len(got.Gone)+len(got.Recreated) > 0 || got.Hosts[1].State != Free {
				t.Errorf("%s: found %s and %s", r.line, text(h), text(&got.Hosts[1]))
			}
		}
	}
}

// TestAsOfTreeUnfit: contract 19, an old reading still says that a host is not fit, and neither its use nor its
// failure.
func TestAsOfTreeUnfit(t *testing.T) {
	machine := &inventory.Consumer{Kind: inventory.MachineKind, Namespace: "m", Name: "x"}
	for _, one := range []struct {
		read inventory.State
		want Why
	}{
		{inventory.State{Known: true, Operational: "OK", Provisioning: "available"}, Why{}},
		{inventory.State{Paused: true}, Why{Code: Paused}},
		{inventory.State{Detached: true}, Why{Code: Detached}},
		{inventory.State{Cordoned: "audit"}, Why{Cordoned, "audit"}},
		{inventory.State{Cordoned: "audit", Consumer: machine}, Why{}},
		{inventory.State{Known: true, Provisioning: "inspecting"}, Why{ProvisioningState, "inspecting"}},
		{inventory.State{Known: true, Provisioning: "deprovisioning"}, Why{}},
		{inventory.State{Known: true, Operational: "error", ErrorType: "power", Provisioning: "available"}, Why{}},
		{inventory.State{Image: true, Cordoned: "audit"}, Why{Cordoned, "audit"}},
		{inventory.State{Unhealthy: true, Retired: "disks", Deleting: true}, Why{}},
	} {
		in := (&row{tree: "red Worker"}).input()
		in.Hosts[0].State = one.read
		got := AsOfTree(in.Hosts, in.Tree, keys)
		assert.Equal(t, one.want, Unfit(&got[0]), "not fit")
		assert.Equal(t, Why{}, Failed(&got[0]), "failed")
		assert.False(t, got[0].State.InUse(), "in use")
	}
}

func TestGoneHosts(t *testing.T) {
	in := (&row{tree: "red Worker"}).input()
	in.Hosts = nil
	got, err := Of(in)
	assert.Truef(t, err == nil && len(got.Gone) == 1 && got.Gone[0].Host == (HostKey{"m", "h"}),
		"found %+v, %v, want one claim whose host is gone", got, err)
}

func TestTwice(t *testing.T) {
	in := (&row{tree: "red Worker"}).input()
	in.Hosts = append(in.Hosts, in.Hosts[0])
	in.Tree = append(in.Tree, claim("blue Worker")...)
	_, err := Of(in)
	for _, want := range []string{"host m/h: is in the inventory twice",
		"host m/h: claimed twice in the previous tree: by t/"} {
		need.Error(t, "", err, want)
	}
}

// TestTree: what the tree says of clusters, hosts and networks, without the hosts that leave.
func TestTree(t *testing.T) {
	a, b := ClusterKey{"t", "a"}, ClusterKey{"t", "b"}
	tree := []Claim{
		{Host: HostKey{"m", "n2"}, Cluster: b, Role: "Worker", Releasing: true},
		{Host: HostKey{"m", "n3"}, Cluster: a, Role: "Worker"},
		{Host: HostKey{"m", "n1"}, Cluster: a, Role: "Worker", Addresses: map[string][]netip.Addr{"oam": nil}},
		{Host: HostKey{"m", "n4"}, Cluster: a, Role: "ControlPlane"},
	}
	assert.Equal(t, []ClusterKey{a, b}, Clusters(tree), "clusters")
	var names []string
	for _, claim := range ClusterHosts(tree, a) {
		names = append(names, claim.Host.Name)
	}
	assert.Truef(t, slices.Equal(names, []string{"n4", "n1", "n3"}) && len(ClusterHosts(tree, b)) == 0,
		"hosts of a %v, of b %v", names, ClusterHosts(tree, b))
	got := Networks(tree)
	assert.Truef(t, len(got) == 1 && got["oam"], "networks %v", got)
}
