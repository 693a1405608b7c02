package schedule

import (
	"fmt"
	"os"
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/inventory"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestShortages: what Plan says of six sites, whose numbers can be checked by hand. docs/placement.md shows one of
// them.
func TestShortages(t *testing.T) {
	page, err := os.ReadFile("../docs/placement.md")
	require.NoError(t, err)
	cp, worker := v1.RoleControlPlane, v1.RoleWorker
	one := func(name, role string, set v1.NodeSet) v1.SIPCluster {
		return newCluster(name, map[string]v1.NodeSet{role: set})
	}
	perKey := nodes("", 4, 0)
	perKey.TopologyKey, perKey.TopologyKeys, perKey.MaxPerDomainByKey = "", []string{"row",
		"rack"}, map[string]v1.PerDomain{"row": 2, "rack": 1}
	anywhere := func(set v1.NodeSet) v1.NodeSet { set.TopologyKey = ""; return set }
	for _, row := range []struct {
		why      string
		clusters []v1.SIPCluster
		hosts    []inventory.Host
		at       int // which of the shortages
		want     string
	}{
		{"hosts are short", []v1.SIPCluster{one("red", worker, anywhere(nodes("kind=w", 4, 0)))}, []inventory.Host{
			newHost("w1", "kind=w"), newHost("w2", "kind=w"),
			with(newHost("w3", "kind=w"), func(s *inventory.State) { s.Paused = true }),
			broken(newHost("w4", "kind=w")),
		}, 0, `short 2: tenants/red Worker needs 4; there are only 2 free hosts it can use. 2 more hosts match but: 1 in error, 1 paused. Missing: 2 hosts with kind=w.`},
		{"racks are short", []v1.SIPCluster{one("red", cp, nodes("kind=cp", 3, 0))}, []inventory.Host{
			newHost("c1", "kind=cp rack=r1"), newHost("c2", "kind=cp rack=r1"), newHost("c3", "kind=cp rack=r1"),
			newHost("c4", "kind=cp rack=r2"), newHost("c5", "kind=cp rack=r2"),
		}, 0, `short 1: tenants/red ControlPlane needs 3; the 5 free hosts it can use lie in 2 rack domains (r1 r2), and it can have one in each. Missing: 1 host with kind=cp, in a rack of its own.`},
		{"two roles compete", []v1.SIPCluster{newCluster("red",
			map[string]v1.NodeSet{cp: nodes("ssd=yes", 2, 0), worker: anywhere(nodes("", 3, 0))})}, []inventory.Host{
			newHost("h1", "ssd=yes rack=r1"), newHost("h2", "ssd=yes rack=r2"), newHost("h3", "rack=r3"),
			newHost("h4", "rack=r3"),
		}, 0, `short 1: tenants/red ControlPlane (2) and tenants/red Worker (3) together need 5; there are only 4 free hosts they can use. Missing: 1 host.`},
		{"a host that two competing roles select counts once",
			[]v1.SIPCluster{newCluster("red",
				map[string]v1.NodeSet{cp: nodes("ssd=yes", 2, 0), worker: anywhere(nodes("", 3, 0))})},
			[]inventory.Host{
				newHost("h1", "ssd=yes rack=r1"), newHost("h2", "ssd=yes rack=r2"), newHost("h3", "rack=r3"),
				newHost("h4", "rack=r3"),
				with(newHost("h5", "ssd=yes rack=r4"), func(s *inventory.State) { s.Paused = true }),
			}, 0, "short 1: tenants/red ControlPlane (2) and tenants/red Worker (3) together need 5; there are only 4 free " +
				"hosts they can use. 1 more host matches but: 1 paused. Missing: 1 host."},
		{"a cluster before it takes what is added",
			[]v1.SIPCluster{one("blue", worker, anywhere(nodes("kind=w", 2, 0))),
				one("red", worker, anywhere(nodes("kind=w", 2, 0)))},
			[]inventory.Host{newHost("w1", "kind=w")}, 1,
			`short 1: tenants/red Worker needs 2; there is only 1 free host it can use. Missing: 1 host with kind=w.`},
		{"standby is short", []v1.SIPCluster{one("red", worker, nodes("kind=w", 2, 1))},
			[]inventory.Host{newHost("w1", "kind=w rack=r1"), newHost("w2", "kind=w rack=r2"),
				newHost("w3", "kind=w rack=r2")}, 0,
			`short 1: tenants/red Worker needs 3, including standby hosts; the 3 free hosts it can use lie in 2 rack domains (r1 r2), and it can have one in each. Missing: 1 host with kind=w, in a rack of its own.`},
		{"rows and racks are short", []v1.SIPCluster{one("red", cp, perKey)}, []inventory.Host{
			newHost("a1", "row=a rack=r1"), newHost("a2", "row=a rack=r2"), newHost("a3", "row=a rack=r3"),
			newHost("b1", "row=b rack=r4"), newHost("b2", "row=b rack=r4"),
		}, 0, `short 1: tenants/red ControlPlane needs 4; the 5 free hosts it can use lie in 2 row domains, and it can have 2 of 3 in a and 1 of 2 in b (1 of 2 in rack r4). Missing: 1 host, in a row and a rack of its own or in a rack of its own in row b.`},
	} {
		p := plan(t, row.clusters, row.hosts, Previous{}, testOptions)
		assert.Equal(t, row.want, Say.Shortage(&p.Shortages[row.at]), row.why)
		if shown := strings.Contains(string(page), "    "+row.want+"\n"); row.why == "racks are short" && !shown {
			t.Errorf("docs/placement.md does not show:\n%s", row.want)
		}
	}
}

// wantsOf are workers of one of some pools, one of them on standby.
func wantsOf(active int, pools ...string) map[string]v1.NodeSet {
	by := []metav1.LabelSelectorRequirement{{Key: "pool", Operator: metav1.LabelSelectorOpIn, Values: pools}}
	set := v1.NodeSet{LabelSelector: metav1.LabelSelector{MatchExpressions: by},
		Count: &v1.NodeCount{Active: active, Standby: 1}}
	return map[string]v1.NodeSet{v1.RoleWorker: set}
}

// TestNeighbours: each cluster selects a pool and the next one, so that all compete for the standby hosts. The groups
// that need most are told apart, first the one that is short, and the others counted.
func TestNeighbours(t *testing.T) {
	const n = 20
	var clusters []v1.SIPCluster
	var hosts []inventory.Host
	for c := range n {
		pools := []string{fmt.Sprintf("p%d", 7*c%n), fmt.Sprintf("p%d", (7*c+1)%n)}
		clusters = append(clusters, newCluster(fmt.Sprintf("c%02d", c), wantsOf(2, pools...)))
		for i := range 2 {
			hosts = append(hosts, newHost(fmt.Sprintf("h%d-%d", c, i), fmt.Sprintf("pool=p%d", c)))
		}
	}
	p := plan(t, clusters, hosts, Previous{}, testOptions)
	assert.Len(t, p.Shortages, n, "shortages")
	for i, short := range p.Shortages {
		roles, needed := short.Others.Roles, short.Others.Need
		for _, group := range short.Groups {
			roles, needed = roles+group.Roles, needed+group.Need
		}
		set := clusters[i].Spec.Nodes[v1.RoleWorker]
		selector, _ := set.HostSelector()
		first := short.Groups[0]
		told := len(short.Groups) == mostGroups && first.Selector == selector.String() && first.Need == 3
		assert.Truef(t, told && roles == n && needed == short.Need, "%s: %+v and others, %d roles that need %d",
			short.Short, short.Groups, roles, needed)
	}
}

// TestShortBehindAnother: a cluster that is short of what another could have too is told of that one only if it could
// have what the other is short of. That the searches for the two come one right after the other changes nothing.
func TestShortBehindAnother(t *testing.T) {
	hosts := []inventory.Host{newHost("a", "pool=a"), newHost("b", "pool=b")}
	for _, row := range []struct {
		why   string
		pools [2]string // of the two clusters, by name
		want  [2]int    // roles that compete, for each of them
	}{
		{"only the first could have the other's host", [2]string{"a b", "b"}, [2]int{2, 1}},
		{"each could have the other's", [2]string{"a b", "a b"}, [2]int{2, 2}},
		{"neither could", [2]string{"a", "b"}, [2]int{1, 1}},
	} {
		var clusters []v1.SIPCluster
		for c, name := range []string{"first", "second"} {
			clusters = append(clusters, newCluster(name, wantsOf(1, strings.Fields(row.pools[c])...)))
		}
		p := plan(t, clusters, hosts, Previous{}, testOptions)
		require.Truef(t, len(p.Shortages) == 2, "%s: %d shortages, want 2", row.why, len(p.Shortages))
		for c, short := range p.Shortages {
			assert.Truef(t, len(short.Roles) == row.want[c] && len(short.Needs) == row.want[c],
				"%s: %s: compete %v, want %d roles", row.why, short.Short, short.Roles, row.want[c])
		}
	}
}

// TestWorkedExample: docs/placement.md shows what Plan says.
func TestWorkedExample(t *testing.T) {
	text, err := os.ReadFile("../docs/placement.md")
	require.NoError(t, err)
	quoted := func(what string) {
		t.Helper()
		indented := "    " + strings.ReplaceAll(strings.TrimSuffix(what, "\n"), "\n", "\n    ") + "\n"
		assert.Truef(t, strings.Contains(string(text), indented), "docs/placement.md does not show:\n%s", indented)
	}
	clusters := []v1.SIPCluster{newCluster("red", map[string]v1.NodeSet{
		v1.RoleControlPlane: nodes("cp=yes", 2, 0), v1.RoleWorker: nodes("w=yes", 1, 0)})}
	hosts := []inventory.Host{newHost("n1", "rack=r1 cp=yes w=yes"), newHost("n2", "rack=r1 cp=yes"),
		newHost("n3", "rack=r2 cp=yes")}
	p := plan(t, clusters, hosts, Previous{}, testOptions)
	said, _ := Say.ExplainCluster(p, ClusterKey{Namespace: "tenants", Name: "red"})
	quoted(said)
	hosts[1].State.Paused = true
	p = plan(t, clusters, hosts, Previous{}, testOptions)
	quoted(Say.Shortage(&p.Shortages[0]))
}
