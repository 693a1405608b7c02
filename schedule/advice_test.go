package schedule

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/inventory"
)

// TestAdviceSuffices: with the hosts that a shortage asks for the cluster is placed, and where it says that fewer would not do, with one less it is not.
func TestAdviceSuffices(t *testing.T) {
	sites := RandomSites(t, 240)
	short, standby, advised := 0, 0, 0
	for seed := range sites.Seeds(
		3411,          // of one role that is short there are hosts of two kinds to add
		903616,        // one of two roles needs none, and then the other needs fewer
		2078000001153, // with fewer hosts another cluster is promised one, and the promise is given up
	) {
		w := newWorld(uint64(seed))
		if seed%2 == 0 {
			w.clusters, w.hosts = randomSite(rand.New(rand.NewPCG(uint64(seed), 9)))
		} else if err := live(w, 4); err != nil {
			t.Fatal(err)
		}
		w.options.unadvised = false
		p, err := Plan(w.clusters, w.hosts, w.tree, w.options)
		if err != nil {
			continue
		}
		for i := range p.Clusters {
			c := &p.Clusters[i]
			if !lacks(c) || len(c.Refused) > 0 || c.Gone {
				continue
			}
			short++
			if !c.Unschedulable {
				standby++
			}
			at := slices.IndexFunc(p.Shortages, func(s Shortage) bool { return s.Advice.Cluster == c.Key })
			if at < 0 {
				continue
			}
			advised++
			advice := p.Shortages[at].Advice
			if !placedWith(t, w, c.Key, advice, 0) {
				t.Fatalf("site %d: %s is not placed with what is advised: %s\n%s%s", seed, c.Key, Say.Shortage(&p.Shortages[at]), describe(w.clusters, w.hosts), summary(p))
			}
			for less := 1; advice.Fewest && less <= advice.Hosts[0].Count; less++ {
				if placedWith(t, w, c.Key, advice, less) {
					t.Fatalf("site %d: %s is placed with %d less than: %s\n%s%s", seed, c.Key, less, Say.Shortage(&p.Shortages[at]), describe(w.clusters, w.hosts), summary(p))
				}
			}
		}
	}
	t.Logf("%d clusters short, %d of them of standby hosts, %d with advice", short, standby, advised)
	sites.Want("clusters short", short, 10)
	sites.Want("clusters short of standby hosts", standby, 20)
	if advised < short*9/10 {
		t.Errorf("%d clusters short, %d with advice", short, advised)
	}
}

// lacks says that a cluster is not placed, or has empty standby slots.
func lacks(c *Cluster) bool {
	return c.Unschedulable || slices.ContainsFunc(c.Roles, func(r Role) bool { return r.ShortStandby > 0 })
}

// placedWith adds hosts as a person would who reads the advice, less of the first kind, and says whether the cluster is placed, and its standby slots
// filled where they are what the advice is for. Where an advised host may
// lie in a domain that there is, it does.
func placedWith(t *testing.T, w *world, key ClusterKey, advice Advice, less int) bool {
	hosts := slices.Clone(w.hosts)
	for k, kind := range advice.Hosts {
		for i := range kind.Count {
			if k == 0 && i < less {
				continue
			}
			h := newHost(fmt.Sprintf("added-%d-%d", k, i), strings.Join(kind.Labels, " "))
			if kind.Key != "" {
				h.Labels[kind.Key] = "of-" + h.Name
				if i == less && len(kind.Domains) > 0 && len(advice.Hosts) == 1 && less == 0 {
					domain := kind.Domains[len(kind.Domains)-1]
					h.Labels[kind.Key] = domain
					for key, value := range alikeIn(w, kind.Key, domain) {
						if h.Labels[key] == "" && !slices.Contains(kind.Narrower, key) {
							h.Labels[key] = value
						}
					}
				}
			}
			hosts = append(hosts, h)
		}
	}
	options := w.options
	options.unadvised = true
	p, err := Plan(w.clusters, hosts, w.tree, options)
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(p.Clusters, func(c Cluster) bool { return c.Key == key })
	return !p.Clusters[at].Unschedulable && !(advice.Standby && lacks(&p.Clusters[at]))
}

// alikeIn are the topology labels that all hosts in a domain have in common.
func alikeIn(w *world, key, domain string) map[string]string {
	common := map[string]string{}
	for i := range w.clusters {
		for _, set := range w.clusters[i].Spec.Nodes {
			for _, k := range set.Keys() {
				values := map[string]bool{}
				for _, h := range w.hosts {
					if h.Labels[key] == domain {
						values[h.Labels[k]] = true
						common[k] = h.Labels[k]
					}
				}
				if len(values) != 1 || values[""] {
					delete(common, k)
				}
			}
		}
	}
	return common
}

// TestAdviceCountsRivals: what is short for the cut is not what places the cluster, because a cluster before it takes hosts first.
func TestAdviceCountsRivals(t *testing.T) {
	workers := func(name string, n int) v1.SIPCluster {
		set := nodes("kind=w", n, 0)
		set.TopologyKey = ""
		return newCluster(name, map[string]v1.NodeSet{v1.RoleWorker: set})
	}
	clusters := []v1.SIPCluster{workers("a", 3), workers("b", 2)}
	hosts := []inventory.Host{newHost("h1", "kind=w")}
	p := plan(t, clusters, hosts, Previous{}, testOptions)
	var said []string
	for i := range p.Shortages {
		said = append(said, Say.Shortage(&p.Shortages[i]))
	}
	want := []string{
		"short 2: tenants/a Worker needs 3; there is only 1 free host it can use. 2 more hosts with kind=w would place tenants/a, and fewer would not.",
		"short 1: tenants/b Worker needs 2; there is only 1 free host it can use. 1 more host with kind=w would place tenants/b.",
	}
	if !slices.Equal(said, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(said, "\n"), strings.Join(want, "\n"))
	}
	clusters[0] = workers("a", 2)
	p = plan(t, clusters, hosts, Previous{}, testOptions)
	got := Say.Shortage(&p.Shortages[1])
	if want := "short 1: tenants/b Worker needs 2; there is only 1 free host it can use. 3 more hosts with kind=w would place tenants/b, and fewer would not."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestAdviceNamesDomains: of many racks, those in which the role has hosts are tried first, and it is said that others were not.
func TestAdviceNamesDomains(t *testing.T) {
	hosts := []inventory.Host{newHost("z0", "kind=w rack=z"), newHost("z1", "kind=w rack=z")}
	for i := range 9 {
		hosts = append(hosts, newHost(fmt.Sprintf("a%d", i), fmt.Sprintf("kind=x rack=a%d", i)))
	}
	set := nodes("kind=w", 3, 0)
	set.TopologyKey, set.MaxPerDomain = "rack", 3
	c := newCluster("a", map[string]v1.NodeSet{v1.RoleWorker: set})
	p := plan(t, []v1.SIPCluster{c}, hosts, Previous{}, testOptions)
	want := "1 more host with kind=w, in a rack of its own or in rack a0 or a1 or a2 or a3 or a4 or a5 or a6 or z or perhaps another, would place tenants/a."
	if said := Say.Shortage(&p.Shortages[0]); !strings.HasSuffix(said, want) {
		t.Errorf("got\n%s\nwant\n%s", said, want)
	}
	p = plan(t, []v1.SIPCluster{c}, hosts[:6], Previous{}, testOptions)
	want = "1 more host with kind=w, in a rack of its own or in rack a0 or a1 or a2 or a3 or z, would place tenants/a."
	if said := Say.Shortage(&p.Shortages[0]); !strings.HasSuffix(said, want) {
		t.Errorf("got\n%s\nwant\n%s", said, want)
	}
}

// TestAdviceOnListedNetworks: hosts that people add have addresses of those that the site lists for their namespace, where it lists any there.
func TestAdviceOnListedNetworks(t *testing.T) {
	oam := func(namespaces ...string) []inventory.HostNetwork {
		return []inventory.HostNetwork{{Name: "oam", Addresses: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}, Namespaces: namespaces}}
	}
	for _, row := range []struct {
		why, selector string
		networks      []inventory.HostNetwork
		want          string
	}{
		{"none is listed", "", nil, " 1 more host with an address on oam would place tenants/a."},
		{"hosts of all namespaces", "", oam(), " 1 more host with an address on oam would place tenants/a."},
		{"hosts of one namespace, and the role takes any", "", oam("metal"), " 1 more host with an address on oam would place tenants/a."},
		{"hosts of the namespace", v1.HostNamespaceKey + "=metal", oam("metal"), " 1 more host in namespace metal with an address on oam would place tenants/a."},
		{"hosts of another namespace only", v1.HostNamespaceKey + "=metal", oam("steel"), " none has metadata.namespace=metal."},
	} {
		set := nodes(row.selector, 1, 0)
		set.TopologyKey = ""
		c := newCluster("a", map[string]v1.NodeSet{v1.RoleWorker: set})
		c.Spec.Services.LoadBalancerWorker = []v1.LoadBalancerWorker{{Service: v1.Service{NodeInterface: "oam"}}}
		options := testOptions
		options.Networks = row.networks
		p := plan(t, []v1.SIPCluster{c}, nil, Previous{}, options)
		if said := Say.Shortage(&p.Shortages[0]); !strings.HasSuffix(said, row.want) {
			t.Errorf("%s: found %q, want %q at its end", row.why, said, row.want)
		}
		if len(row.networks) > 0 && len(row.networks[0].Addresses) != 1 {
			t.Errorf("%s: the site's own list has become %v", row.why, row.networks)
		}
	}
}

// TestAdviceOfLargeSites: a plan of a large site does not try hosts, and says where that is done; Advise tries them all the same.
func TestAdviceOfLargeSites(t *testing.T) {
	var hosts []inventory.Host
	for i := range adviceWork/2 + 1 {
		hosts = append(hosts, newHost(fmt.Sprintf("h%05d", i), "kind=x"))
	}
	c := newCluster("a", map[string]v1.NodeSet{v1.RoleWorker: nodes("kind=w", 2, 0)})
	p := plan(t, []v1.SIPCluster{c}, hosts, Previous{}, testOptions)
	if said := Say.Shortage(&p.Shortages[0]); !strings.HasSuffix(said, "For the hosts that would place tenants/a, see `sipgen explain tenants/a`.") {
		t.Error(said)
	}
	said, _ := Say.ExplainCluster(p, ClusterKey{"tenants", "a"})
	if want := "2 more hosts with kind=w, each in a rack of its own, would place tenants/a, and fewer would not."; !strings.Contains(said, want) {
		t.Errorf("got\n%s\nwant %q", said, want)
	}
}

// TestAdviceOfManyRoles: a plan takes long on a site of few hosts too, if the roles are many. What is tried to advise on them is bounded by both.
func TestAdviceOfManyRoles(t *testing.T) {
	hosts := []inventory.Host{newHost("h1", "kind=w")}
	var clusters []v1.SIPCluster
	for i := range 150 {
		roles := map[string]v1.NodeSet{}
		for _, name := range []string{v1.RoleControlPlane, v1.RoleWorker, "Storage"} {
			roles[name] = chosenBy(1, 0, expression("kind", metav1.LabelSelectorOpIn, "w"))
		}
		clusters = append(clusters, newCluster(fmt.Sprintf("c%03d", i), roles))
	}
	p := plan(t, clusters, hosts, Previous{}, testOptions)
	advised, untried := 0, 0
	for _, s := range p.Shortages {
		if s.Advice.Untried {
			untried++
		} else if s.Advice.Cluster != (ClusterKey{}) {
			advised++
		}
	}
	plans := p.site.advising / (1 + 2*3*150)
	if plans == 0 || plans > 67 || advised == 0 || untried < 100 {
		t.Errorf("%d plans to advise, %d clusters advised and %d not: want a few plans, and words for all clusters", plans, advised, untried)
	}
}

// TestFewestClaimsNoMore: fewer hosts than advised may do in a domain that there is, and "fewer would not" is not said then.
func TestFewestClaimsNoMore(t *testing.T) {
	worker := v1.RoleWorker
	one := func(name, selector string, n int) v1.SIPCluster {
		c := newCluster(name, map[string]v1.NodeSet{worker: nodes(selector, n, 0)})
		return c
	}
	anywhere := func(c v1.SIPCluster) v1.SIPCluster {
		set := c.Spec.Nodes[worker]
		set.TopologyKey = ""
		c.Spec.Nodes[worker] = set
		return c
	}
	for _, row := range []struct {
		why      string
		clusters []v1.SIPCluster
		hosts    []inventory.Host
		previous []PreviousClaim
		key      string
		want     string
	}{
		{"blue would take one in a rack of its own, and cannot have one in r1", []v1.SIPCluster{one("blue", "", 2), one("red", "", 1)},
			[]inventory.Host{claimed(newHost("h1", "rack=r1"), "blue", worker)}, nil, "red",
			"2 more hosts, each in a rack of its own (one of them may be in rack r1), would place tenants/red"},
		{"blue would take one wherever it is", []v1.SIPCluster{one("blue", "kind=w", 1), one("red", "kind=w", 1)}, nil, nil, "red",
			"2 more hosts with kind=w, each in a rack of its own, would place tenants/red, and fewer would not"},
		{"three, which may lie in racks in many ways", []v1.SIPCluster{one("blue", "kind=w", 1), one("red", "kind=w", 2)}, nil, nil, "red",
			"3 more hosts with kind=w, each in a rack of its own, would place tenants/red"},
		{"three without racks", []v1.SIPCluster{anywhere(one("blue", "kind=w", 1)), anywhere(one("red", "kind=w", 2))}, nil, nil, "red",
			"3 more hosts with kind=w would place tenants/red, and fewer would not"},
		{"two that are being released do once they were seen without labels: blue lacks a host, so red does not take them back before",
			[]v1.SIPCluster{anywhere(one("blue", "kind=x", 1)), anywhere(newCluster("red", map[string]v1.NodeSet{worker: nodes("kind=w", 1, 2)}))},
			[]inventory.Host{claimed(newHost("h1", "kind=w"), "red", worker), claimed(newHost("h2", "kind=w"), "red", worker), claimed(newHost("h3", "kind=w"), "red", worker)},
			[]PreviousClaim{inTree("h1", "red", worker), releasing(inTree("h2", "red", worker)), releasing(inTree("h3", "red", worker))}, "red",
			"2 more hosts with kind=w would fill the standby slots of tenants/red"},
	} {
		p := plan(t, row.clusters, row.hosts, Previous{Claims: row.previous}, testOptions)
		advice := p.Advise(ClusterKey{"tenants", row.key})
		if got := Say.Shortage(&Shortage{Roles: []RoleKey{{Role: "x"}}, Advice: advice}); !strings.HasSuffix(got, row.want+".") && !strings.HasSuffix(got, row.want) {
			t.Errorf("%s: got %q, want %q", row.why, got, row.want)
		}
	}
}

// TestAdviceForSpread: the label of a role's spread is asked for where the cluster would be frozen without it, and only there.
func TestAdviceForSpread(t *testing.T) {
	set := nodes("kind=a", 1, 0)
	set.TopologyKey, set.Spread = "", &v1.Spread{TopologyKey: "row"}
	clusters := []v1.SIPCluster{newCluster("red", map[string]v1.NodeSet{v1.RoleWorker: set})}
	for _, row := range []struct {
		labels string
		spread string
	}{{"kind=b row=w1", "row"}, {"kind=a row=w1", ""}} {
		h := newHost("h1", row.labels)
		h.State.Paused = true
		advice := plan(t, clusters, []inventory.Host{h}, Previous{}, testOptions).Advise(ClusterKey{"tenants", "red"})
		if len(advice.Hosts) != 1 || advice.Hosts[0].Spread != row.spread {
			t.Errorf("%s: %+v", row.labels, advice)
		}
	}
}
