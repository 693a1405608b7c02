package admit

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/airshipit/sipgen/api"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/internal/finding"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/internal/netplan"
	"github.com/airshipit/sipgen/internal/tenancy"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/schedule"
)

// TestDisputed is contract 3: a host in use, which the tree has for a/a and whose labels name b/b, freezes both, but
// for one that is to leave.
func TestDisputed(t *testing.T) {
	for _, row := range []struct {
		why, specs   string
		decommission []string
		want         []string
	}{
		{"both stay", spec("a/a", "", one) + spec("b/b", "", one), nil, []string{"a/a", "b/b"}},
		{"the tree's is to leave", spec("a/a", fmt.Sprintf(leaves, "a/a"), one) + spec("b/b", "", one), nil, []string{"b/b"}},
		{"the labels' is to leave", spec("a/a", "", one) + spec("b/b", "", one), []string{"b/b"}, []string{"a/a"}},
	} {
		specs := need.Value(api.ClustersFromDocuments(need.Value(manifest.Parse("specs.yaml", []byte(row.specs)))(t)))(t)
		site := &v1alpha1.Site{}
		site.Name = "s"
		site.Spec.Decommission = row.decommission
		site.Default()
		keys := site.Spec.LabelKeys
		hosts := []inventory.Host{{Namespace: "metal3", Name: "n1", UID: "u1",
			Labels:    map[string]string{keys.ClusterNamespace: "b", keys.ClusterName: "b", keys.NodeType: "Worker"},
			State:     inventory.State{Known: true, Consumer: &inventory.Consumer{Kind: "Metal3Machine", Name: "m"}},
			Addresses: []inventory.Address{{Network: "oam"}}}}
		got := Of(Input{
			Site: site, Clusters: specs, Hosts: hosts, Tenants: tenancy.Of(site, []string{"metal3"}),
			Network: netplan.Of(site, specs, hosts),
			Claims: schedule.Previous{Claims: []schedule.PreviousClaim{holds("a/a", "n1")},
				Leaving: map[schedule.ClusterKey]bool{}},
			Options: schedule.Options{Keys: schedule.LabelKeys{ClusterNamespace: keys.ClusterNamespace,
				ClusterName: keys.ClusterName, NodeType: keys.NodeType, Standby: keys.Standby}},
		})
		var frozen []string
		for key, found := range got.Frozen {
			frozen = append(frozen, key.String())
			assert.Equal(t, finding.Disputed, found[0].Code, row.why)
		}
		slices.Sort(frozen)
		assert.Equal(t, row.want, frozen, row.why)
	}
}
