package schedule

import (
	"fmt"
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/inventory"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestPack: all hosts of a role that is packed lie in one domain, the smallest that suffices; or in that of the hosts
// that it has.
func TestPack(t *testing.T) {
	packed := func(selector string, active, standby int) v1.NodeSet {
		set := nodes(selector, active, standby)
		set.TopologyKey, set.Pack = "", "rack"
		return set
	}
	free := func() []inventory.Host {
		return []inventory.Host{newHost("a1", "rack=ra kind=w"), newHost("a2", "rack=ra kind=w"),
			newHost("a3", "rack=ra kind=w"),
			newHost("b1", "rack=rb kind=w"), newHost("b2", "rack=rb kind=w"), newHost("c1", "kind=w"),
			newHost("d1", "rack=rd")}
	}
	holds := func() []inventory.Host {
		hosts := free()
		hosts[0] = claimed(hosts[0], "red", v1.RoleWorker)
		return hosts
	}
	for _, row := range []struct {
		why        string
		set        v1.NodeSet
		hosts      []inventory.Host
		want, says string
	}{
		{"the smallest domain that suffices", packed("kind=w", 2, 0), free(), "red Worker: +b1 +b2", ""},
		{"a larger one", packed("kind=w", 3, 0), free(), "red Worker: +a1 +a2 +a3", ""},
		{"standby hosts lie there, too", packed("kind=w", 2, 1), free(), "red Worker: +b1 +b2 short 0/1",
			"All hosts of tenants/red Worker are to lie in one rack: these are in rb."},
		{"a role stays in the domain of its hosts", packed("kind=w", 2, 0), holds(), "red Worker: a1 +a2", ""},
		{"no domain suffices", packed("kind=w", 4, 0), free(), "red Worker: short 4/0 unschedulable",
			"there are only 3 free hosts it can use. All hosts of tenants/red Worker are to lie in one rack: these are in ra."},
	} {
		p := plan(t, []v1.SIPCluster{newCluster("red", map[string]v1.NodeSet{v1.RoleWorker: row.set})}, row.hosts,
			Previous{}, testOptions)
		wantPlaced(t, row.why, p, row.want)
		if row.says != "" && (len(p.Shortages) != 1 || !strings.Contains(Say.Shortage(&p.Shortages[0]), row.says)) {
			t.Errorf("%s: found %v, want %q", row.why, p.Shortages, row.says)
		}
	}
	misspelled := packed("kind=w", 2, 0)
	misspelled.Pack = "rak"
	p := plan(t, []v1.SIPCluster{newCluster("red", map[string]v1.NodeSet{v1.RoleWorker: misspelled})}, free(),
		Previous{}, testOptions)
	assert.Len(t, p.Clusters[0].Refused, 1, "a key that no host has")
	text := strings.Join(Say.Refusals(p.Clusters[0].Refused), "")
	for _, word := range []string{"pack", "rack"} {
		assert.Contains(t, text, word, "a key that no host has")
	}
}

// TestIdleRoles: nothing is computed from the topology keys of roles that neither have nor get a host. One cluster may
// have 64 of them, and a tenant 100 clusters.
func TestIdleRoles(t *testing.T) {
	role := func(n, count int) v1.NodeSet {
		return v1.NodeSet{
			TopologyKeys:      []string{"row", "rack"},
			MaxPerDomainByKey: map[string]v1.PerDomain{"row": v1.PerDomain(1000 + n), "rack": v1.PerDomain(1 + n)},
			Count:             &v1.NodeCount{Active: count},
		}
	}
	roles, refused := map[string]v1.NodeSet{"Edge": role(0, 1)}, map[string]v1.NodeSet{}
	for n := 1; n < 64; n++ {
		roles[fmt.Sprintf("w%d", n)], refused[fmt.Sprintf("w%d", n)] = role(n, 0), role(n, 1)
	}
	hosts := []inventory.Host{newHost("h1", "row=a rack=r1"), newHost("h2", "row=a rack=r2")}
	options := testOptions
	options.Refused = map[ClusterKey][]string{{Namespace: "tenants", Name: "b"}: {"beyond its grants"}}
	s, err := prepare([]v1.SIPCluster{newCluster("a", roles), newCluster("b", refused)}, hosts, Previous{}, options)
	require.Truef(t, err == nil && len(s.topology) == 1, "%d topologies, %v, want that of the role that wants a host",
		len(s.topology), err)
	p := plan(t, []v1.SIPCluster{newCluster("a", roles), newCluster("b", refused)}, hosts, Previous{}, options)
	assert.Truef(t, !p.Clusters[0].Unschedulable && p.Clusters[1].Unschedulable, "got %s", summary(p))
}

// TestUnpacked: a packed role in two racks is warned of, and its shortage counts the hosts elsewhere.
func TestUnpacked(t *testing.T) {
	set := nodes("kind=w", 4, 0)
	set.TopologyKey, set.Pack = "", "rack"
	hosts := []inventory.Host{claimed(host1("h1", "w", "r1"), "a", v1.RoleWorker),
		claimed(host1("h2", "w", "r1"), "a", v1.RoleWorker), claimed(host1("h3", "w", "r9"), "a", v1.RoleWorker),
		host1("x1", "w", "r9"), host1("x2", "w", "r8")}
	p := plan(t, []v1.SIPCluster{newCluster("a", map[string]v1.NodeSet{v1.RoleWorker: set})}, hosts, Previous{},
		testOptions)
	assert.Equal(t, []Warning{Unpacked{"rack", []string{"r1", "r9"}}}, p.Clusters[0].Roles[0].Warnings, "warnings")
	assert.Equal(t, 2, p.Shortages[0].Elsewhere, "hosts elsewhere")
	text := Say.Shortage(&p.Shortages[0])
	for _, word := range []string{"2 more hosts lie elsewhere", "Missing: 1 host with kind=w in rack r1."} {
		assert.Contains(t, text, word, "shortage")
	}
}
