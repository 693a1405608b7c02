package schedule

import (
	"maps"
	"math/rand/v2"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/inventory"
)

// granted narrows the roles of a cluster to a pool, as package tenancy does, and gives what they asked for.
func granted(c *v1.SIPCluster, pool string) map[RoleKey]labels.Selector {
	asked := map[RoleKey]labels.Selector{}
	for name, set := range c.Spec.Nodes {
		selector, _ := set.HostSelector()
		asked[RoleKey{ClusterKey{Namespace: c.Namespace, Name: c.Name}, name}] = selector
		set.LabelSelector.MatchExpressions = append(set.LabelSelector.MatchExpressions, metav1.LabelSelectorRequirement{Key: "pool", Operator: metav1.LabelSelectorOpIn, Values: []string{pool}})
		c.Spec.Nodes[name] = set
	}
	return asked
}

// TestNotGranted: a host that a grant keeps from a role is free, and whoever looks learns that it is the grant.
func TestNotGranted(t *testing.T) {
	broken := newHost("h4", "rack=r4 kind=a pool=blue")
	broken.State.Paused = true
	hosts := []inventory.Host{
		newHost("h1", "rack=r1 kind=a pool=red"), newHost("h2", "rack=r2 kind=a pool=blue"), newHost("h3", "rack=r3 kind=a"), broken, newHost("h5", "rack=r5 kind=b pool=red"),
	}
	c := newCluster("a", map[string]v1.NodeSet{v1.RoleWorker: nodes("kind=a", 2, 0)})
	options := testOptions
	options.Asked = granted(&c, "red")
	p := plan(t, []v1.SIPCluster{c}, hosts, Previous{}, options)
	for host, want := range map[string]string{
		"h1": "metal/h1: free\n  free: fits 1 of the roles, and none gets it\n  tenants/a Worker: could use it, but the cluster cannot have all it needs, and gets only successors of failed hosts\n",
		"h2": "metal/h2: free\n  not granted to the tenant\n  tenants/a Worker: selects it, but its tenant is not granted it\n",
		"h4": "metal/h4: not eligible\n  paused\n  tenants/a Worker: selects it, but its tenant is not granted it\n",
		"h5": "metal/h5: free\n  free: no role selects it\n  1 other role does not select it\n",
	} {
		if got, _ := Say.ExplainHost(p, HostKey{Namespace: "metal", Name: host}); got != want {
			t.Errorf("%s: got\n%swant\n%s", host, got, want)
		}
	}
	if said := Say.Shortage(&p.Shortages[0]); !strings.Contains(said, "3 more hosts match but: 3 not granted to the tenant.") {
		t.Errorf("shortage: %s", said)
	}

	none := newCluster("a", map[string]v1.NodeSet{v1.RoleWorker: nodes("kind=b", 1, 0), "Edge": nodes("kind=a", 1, 0)})
	options.Asked = granted(&none, "green")
	p = plan(t, []v1.SIPCluster{none}, hosts, Previous{}, options)
	for i := range p.Shortages {
		if said := Say.Shortage(&p.Shortages[i]); !strings.Contains(said, "not granted to the tenant.") || strings.Contains(said, "No host matches") {
			t.Errorf("a selector that matches hosts of others: %s", said)
		}
	}
	if len(p.Shortages) == 0 {
		t.Error("no shortage")
	}

	near := newCluster("a", map[string]v1.NodeSet{v1.RoleWorker: nodes("kind=aa", 1, 0)})
	options.Asked = granted(&near, "red")
	p = plan(t, []v1.SIPCluster{near}, hosts, Previous{}, options)
	if said := Say.Shortage(&p.Shortages[0]); !strings.Contains(said, "No host matches its selector: none has kind=aa, did you mean kind=a?") {
		t.Errorf("a misspelled value: %s", said)
	}
}

// TestGrantsOnlyExplain: what roles asked for before they were narrowed changes no placement, only words.
func TestGrantsOnlyExplain(t *testing.T) {
	rng := rand.New(rand.NewPCG(16, 1))
	for range 200 {
		clusters, hosts := randomSite(rng)
		options := testOptions
		options.Asked = map[RoleKey]labels.Selector{}
		for i := range hosts {
			hosts[i].Labels = maps.Clone(hosts[i].Labels)
			hosts[i].Labels["pool"] = []string{"red", "blue"}[rng.IntN(2)]
		}
		for i := range clusters {
			clusters[i].Spec.Nodes = maps.Clone(clusters[i].Spec.Nodes)
			maps.Copy(options.Asked, granted(&clusters[i], "red"))
		}
		with := plan(t, clusters, hosts, Previous{}, options)
		without := plan(t, clusters, hosts, Previous{}, testOptions)
		for i := range with.Hosts {
			a, b := with.Hosts[i], without.Hosts[i]
			if a.Verdict != b.Verdict || a.Cluster != b.Cluster || a.Role != b.Role {
				t.Fatalf("%s: %s %s %s, and without %s %s %s\n%s", a.Host.Key(), a.Verdict, a.Cluster, a.Role, b.Verdict, b.Cluster, b.Role, describe(clusters, hosts))
			}
		}
	}
}
