package schedule

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/inventory"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/labels"
)

// TestExplain: a host that nobody gets is explained by the roles that could use it. docs/placement.md explains a
// cluster.
func TestExplain(t *testing.T) {
	clusters := []v1.SIPCluster{
		newCluster("a", map[string]v1.NodeSet{v1.RoleWorker: nodes("kind=w", 1, 0)}),
		newCluster("b", map[string]v1.NodeSet{v1.RoleWorker: nodes("kind=w", 2, 0), "Edge": nodes("kind=e", 1, 0)}),
	}
	_, hosts, _ := sited(t, "", "h1/r1 h2/r1 h3/r1 h4/r2 h5/e/r2", "")
	p := plan(t, clusters, hosts, Previous{}, testOptions)
	got, found := Say.ExplainHost(p, HostKey{Namespace: "metal", Name: "h3"})
	want := `metal/h3: free
  free: fits 2 of the roles, and none gets it
  tenants/a Worker: could use it, but has all it may have in rack=r1: metal/h1
  tenants/b Worker: could use it, but has all it may have in rack=r1: metal/h2
  1 other role does not select it
`
	assert.Equal(t, want, got, found)
	_, found = Say.ExplainHost(p, HostKey{Namespace: "metal", Name: "h9"})
	assert.Truef(t, !found, "a host that is none is explained")
}

// TestExplainNearest: of thousands of roles that select a host, those are named that were near to having it, and the
// others are counted.
func TestExplainNearest(t *testing.T) {
	var clusters []v1.SIPCluster
	var hosts []inventory.Host
	for i := range 2000 {
		clusters = append(clusters, newCluster(fmt.Sprintf("c%04d", i), map[string]v1.NodeSet{
			v1.RoleControlPlane: nodes("kind=w", 1, 0), v1.RoleWorker: nodes("kind=w", 0, 0), "Edge": nodes("", 1, 0)}))
		hosts = append(hosts, newHost(fmt.Sprintf("h%04d", i), fmt.Sprintf("kind=w rack=r%d", i%50)),
			newHost(fmt.Sprintf("x%04d", i), fmt.Sprintf("kind=x rack=r%d", i%50)))
	}
	hosts = append(hosts, newHost("y1", "kind=w rack=r1"))
	clusters = append(clusters, newCluster("d", map[string]v1.NodeSet{v1.RoleWorker: nodes("kind=w", 3000, 0)}))
	p := plan(t, clusters, hosts, Previous{}, testOptions)
	said, _ := Say.ExplainHost(p, HostKey{Namespace: "metal", Name: "y1"})
	lines := strings.Split(strings.TrimSuffix(said, "\n"), "\n")
	require.Truef(t, len(lines) == 16 && len(said) <= 2000, "%d lines, %d bytes:\n%.3000s", len(lines), len(said), said)
	for i, want := range map[int]string{
		0:  "metal/y1: assigned, tenants/c1999 ControlPlane",
		2:  "  tenants/c0000 Edge: could use it, but has all it may have in rack=r1: metal/h0001",
		12: "  each of 3919 more roles: could use it, but has all its hosts",
		13: "  each of 2000 more roles: selects it, but asks for no hosts",
		14: "  each of 70 more roles: could use it, but has all it may have in its domain",
	} {
		assert.Truef(t, lines[i] == want, "line %d: got %q, want %q\n%s", i, lines[i], want, said)
	}
	held, _ := Say.ExplainHost(p, HostKey{Namespace: "metal", Name: "h0001"})
	assert.Truef(t, len(held) <= 2000, "%d bytes:\n%.3000s", len(held), held)
}

// TestExplainRoleOfNone: a role that asks for no hosts is named with the hosts that it selects, whatever their state.
func TestExplainRoleOfNone(t *testing.T) {
	role := map[string]v1.NodeSet{v1.RoleWorker: nodes("kind=w", 0, 0)}
	none, ungranted := newCluster("a", role), newCluster("a", maps.Clone(role))
	paused := newHost("h2", "kind=w rack=r2")
	paused.State.Paused = true
	hosts := []inventory.Host{newHost("h1", "kind=w rack=r1"), paused, newHost("h3", "kind=x rack=r3")}
	narrow := testOptions
	narrow.Granted = granted(&ungranted, "red")
	some := newCluster("b", map[string]v1.NodeSet{"Edge": nodes("kind=w", 1, 0)})
	const asks = "  tenants/a Worker: selects it, but asks for no hosts\n"
	for _, row := range []struct {
		why, host, want string
		clusters        []v1.SIPCluster
		options         Options
	}{
		{"free", "h1", "free\n  the roles that select it ask for no hosts\n" + asks, []v1.SIPCluster{none},
			testOptions},
		{"beyond the grant", "h1", "free\n  the roles that select it ask for no hosts\n" + asks,
			[]v1.SIPCluster{ungranted}, narrow},
		{"not eligible", "h2", "not eligible\n  paused\n" + asks, []v1.SIPCluster{none}, testOptions},
		{"not selected", "h3", "free\n  free: no role selects it\n  1 other role does not select it\n",
			[]v1.SIPCluster{none}, testOptions},
		{"another role has it", "h1", "assigned, tenants/b Edge\n  new: rack=r1, the only free host there that fits, none elsewhere\n" + asks,
			[]v1.SIPCluster{none, some}, testOptions},
	} {
		p := plan(t, row.clusters, hosts, Previous{}, row.options)
		said, _ := Say.ExplainHost(p, HostKey{Namespace: "metal", Name: row.host})
		assert.Truef(t, said == "metal/"+row.host+": "+row.want, "%s: got\n%swant\n%s", row.why, said, row.want)
	}
}

// TestBeingReleased: a host that its cluster lets go of is held by nobody.
func TestBeingReleased(t *testing.T) {
	one := nodes("", 1, 0)
	hosts := []inventory.Host{
		claimed(newHost("h1", "rack=r1 kind=a"), "a", v1.RoleWorker),
		claimed(newHost("h2", "rack=r2 kind=a"), "a", v1.RoleWorker),
		claimed(newHost("h3", "rack=r3 kind=a"), "a", v1.RoleWorker),
	}
	clusters := []v1.SIPCluster{
		newCluster("a", map[string]v1.NodeSet{v1.RoleWorker: one}),
		newCluster("b", map[string]v1.NodeSet{v1.RoleWorker: nodes("", 4, 0), v1.RoleControlPlane: one}),
	}
	p := plan(t, clusters, hosts, Previous{}, testOptions)
	const want = "1 held by other roles"
	for _, r := range p.Clusters[1].Roles {
		counts := map[string]int{}
		for _, rejected := range r.Rejected {
			counts[Say.Reason(rejected.Reason)] = rejected.Count
		}
		assert.Truef(t,
			len(counts) == 2 && counts["held by other roles"] == 1 &&
				counts["being released, and free once seen without labels"] == 2,
			"%s: %v, want %s and 2 that are being released", r.Name, counts, want)
	}
	assert.Truef(t, len(p.Shortages) != 0 && !strings.Contains(Say.Shortage(&p.Shortages[0]), "2 held"), "%v",
		p.Shortages)
	said, _ := Say.ExplainHost(p, HostKey{Namespace: "metal", Name: "h3"})
	assert.Truef(t,
		strings.Contains(said, "each of tenants/b ControlPlane, tenants/b Worker: selects it, but it is not eligible: being released, and free once seen without labels"),
		"explain:\n%s", said)
}

// granted gives a cluster the hosts of a pool.
func granted(c *v1.SIPCluster, pool string) map[ClusterKey]labels.Selector {
	return map[ClusterKey]labels.Selector{KeyOf(c): labels.SelectorFromSet(labels.Set{"pool": pool})}
}

// TestNotGranted: a host that a grant keeps from a role is free, and whoever looks learns that it is the grant.
func TestNotGranted(t *testing.T) {
	broken := newHost("h4", "rack=r4 kind=a pool=blue")
	broken.State.Paused = true
	hosts := []inventory.Host{
		newHost("h1", "rack=r1 kind=a pool=red"), newHost("h2", "rack=r2 kind=a pool=blue"),
		newHost("h3", "rack=r3 kind=a"), broken, newHost("h5", "rack=r5 kind=b pool=red"),
	}
	c := newCluster("a", map[string]v1.NodeSet{v1.RoleWorker: nodes("kind=a", 2, 0)})
	options := testOptions
	options.Granted = granted(&c, "red")
	p := plan(t, []v1.SIPCluster{c}, hosts, Previous{}, options)
	for host, want := range map[string]string{
		"h1": "metal/h1: free\n  free: fits 1 of the roles, and none gets it\n  tenants/a Worker: could use it, but the cluster cannot have all it needs, and gets only successors of failed hosts\n",
		"h2": "metal/h2: free\n  not granted to the tenant\n  tenants/a Worker: selects it, but its tenant is not granted it\n",
		"h4": "metal/h4: not eligible\n  paused\n  tenants/a Worker: selects it, but its tenant is not granted it\n",
		"h5": "metal/h5: free\n  free: no role selects it\n  1 other role does not select it\n",
	} {
		got, _ := Say.ExplainHost(p, HostKey{Namespace: "metal", Name: host})
		assert.Truef(t, got == want, "%s: got\n%swant\n%s", host, got, want)
	}
	assert.Contains(t, Say.Shortage(&p.Shortages[0]), "3 more hosts match but: 3 not granted to the tenant.",
		"shortage")

	none := newCluster("a", map[string]v1.NodeSet{v1.RoleWorker: nodes("kind=b", 1, 0), "Edge": nodes("kind=a", 1, 0)})
	options.Granted = granted(&none, "green")
	p = plan(t, []v1.SIPCluster{none}, hosts, Previous{}, options)
	for i := range p.Shortages {
		assert.Contains(t, Say.Shortage(&p.Shortages[i]), "not granted to the tenant.",
			"a selector that matches hosts of others")
		assert.NotContains(t, Say.Shortage(&p.Shortages[i]), "No host matches",
			"a selector that matches hosts of others")
	}
	assert.Truef(t, len(p.Shortages) != 0, "no shortage")

	near := newCluster("a", map[string]v1.NodeSet{v1.RoleWorker: nodes("kind=aa", 1, 0)})
	options.Granted = granted(&near, "red")
	p = plan(t, []v1.SIPCluster{near}, hosts, Previous{}, options)
	assert.Contains(t, Say.Shortage(&p.Shortages[0]),
		"No host matches its selector: none has kind=aa, did you mean kind=a?", "a misspelled value")
}
