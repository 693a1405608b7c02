package schedule

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/inventory"
)

// TestWaitsTogether: who waits for which host is decided for all that wait: one that could have either host gives way to one that could not.
func TestWaitsTogether(t *testing.T) {
	worker := v1.RoleWorker
	for _, names := range [][2]string{{"y", "z"}, {"z", "y"}} {
		one := func(name, selector string) v1.SIPCluster {
			return newCluster(name, map[string]v1.NodeSet{worker: nodes(selector, 1, 0)})
		}
		clusters := []v1.SIPCluster{one(names[0], ""), one(names[1], "kind=b")}
		hosts := []inventory.Host{claimed(newHost("h1", "rack=r1"), "gone", worker), claimed(newHost("h5", "kind=b rack=r5"), "gone", worker)}
		p := plan(t, clusters, hosts, Previous{Claims: []PreviousClaim{inTree("h1", "gone", worker), inTree("h5", "gone", worker)}}, testOptions)
		for i := range p.Clusters {
			c := &p.Clusters[i]
			if c.Gone {
				continue
			}
			want := "placed as soon as 1 released host is seen without labels: metal/h1"
			if c.Key.Name == names[1] {
				want = strings.Replace(want, "h1", "h5", 1)
			}
			waits := Say.Warnings(c.Roles[0].Warnings)
			if got := Say.Warnings(c.Warnings); !slices.Equal(got, []string{want}) || len(waits) != 1 || !strings.HasSuffix(want, waits[0][len(waits[0])-len("h1 is seen without labels"):][:2]) {
				t.Errorf("%s of %v: %q, %q", c.Key, names, got, waits)
			}
		}
		adopt(hosts, p)
		if again := plan(t, clusters, hosts, tree(p), testOptions); !strings.Contains(summary(again), names[0]+" Worker: +h1\n") || !strings.Contains(summary(again), names[1]+" Worker: +h5\n") {
			t.Errorf("%v: once synced: %s", names, summary(again))
		}
	}
}

// TestNoHostForAWait: y keeps the free host that it has, though it could wait for h2 instead, which z refuses.
func TestNoHostForAWait(t *testing.T) {
	worker := v1.RoleWorker
	hosts := []inventory.Host{newHost("f", "rack=rf"), claimed(newHost("h1", "rack=r1"), "gone", worker), claimed(newHost("h2", "rack=r2"), "gone", worker)}
	clusters := []v1.SIPCluster{
		newCluster("y", map[string]v1.NodeSet{worker: nodes("", 2, 0)}),
		annotated(newCluster("z", map[string]v1.NodeSet{worker: nodes("", 1, 0)}), v1.RemoveAnnotation, "h2,h1"),
	}
	p := plan(t, clusters, hosts, Previous{Claims: []PreviousClaim{inTree("h1", "gone", worker), inTree("h2", "gone", worker)}}, testOptions)
	if got := summary(p); !strings.Contains(got, "y Worker: +f short 1/0\nz Worker: short 1/0 unschedulable\n") {
		t.Error(got)
	}
}

// TestWaitsAgreeWithTheOracle: of clusters that could have released hosts only, in the order served, each waits that can be placed with all that wait before
// it. The oracle tries every host for every slot.
func TestWaitsAgreeWithTheOracle(t *testing.T) {
	sites := RandomSites(t, 400)
	waiting, left := 0, 0
	for seed := range sites.Seeds() {
		rng := rand.New(rand.NewPCG(uint64(seed), 81))
		labels := []string{"kind=a", "kind=b", "more=a", "kind=a more=a", "kind=b more=a", ""}
		selectors := []string{"", "kind=a", "kind=b", "more=a"}
		var hosts []inventory.Host
		var previous Previous
		for i := range 2 + rng.IntN(4) {
			name := fmt.Sprintf("h%d", i)
			hosts = append(hosts, claimed(newHost(name, labels[rng.IntN(len(labels))]), "gone", v1.RoleWorker))
			previous.Claims = append(previous.Claims, inTree(name, "gone", v1.RoleWorker))
		}
		var clusters []v1.SIPCluster
		var slots, placed [][]int // hosts that each could have
		want := map[string]bool{}
		for i := range 2 + rng.IntN(4) {
			set := nodes(selectors[rng.IntN(len(selectors))], 1+rng.IntN(2), 0)
			set.TopologyKey = ""
			c := newCluster(fmt.Sprintf("c%d", i), map[string]v1.NodeSet{v1.RoleWorker: set})
			if rng.IntN(4) == 0 {
				c.Annotations = map[string]string{v1.RemoveAnnotation: "h0"}
			}
			clusters = append(clusters, c)
			selector, err := set.HostSelector()
			if err != nil {
				t.Fatal(err)
			}
			var can []int
			for k := range hosts {
				if matches(selector, &hosts[k]) && (c.Annotations == nil || k > 0) {
					can = append(can, k)
				}
			}
			slots = placed
			for range set.Count.Active {
				slots = append(slots[:len(slots):len(slots)], can)
			}
			if want[c.Name] = allHave(slots, 0); want[c.Name] {
				placed = slots
			}
		}
		p := plan(t, clusters, hosts, previous, testOptions)
		for i := range p.Clusters {
			c := &p.Clusters[i]
			if c.Gone {
				continue
			}
			if want[c.Key.Name] == c.Unschedulable {
				t.Fatalf("site %d: %s: unschedulable %t\n%s%s", seed, c.Key, c.Unschedulable, describe(clusters, hosts), summary(p))
			}
			if c.Unschedulable {
				left++
			} else {
				waiting++
			}
		}
	}
	sites.Want("clusters that wait", waiting, 200)
	sites.Want("clusters that cannot be placed", left, 100)
}

// allHave says whether each of the slots can have a host of its own.
func allHave(slots [][]int, taken uint) bool {
	if len(slots) == 0 {
		return true
	}
	return slices.ContainsFunc(slots[0], func(h int) bool { return taken>>h&1 == 0 && allHave(slots[1:], taken|1<<h) })
}

// TestHints: what a cluster that cannot be placed is told of.
func TestHints(t *testing.T) {
	worker := v1.RoleWorker
	one := func(name, selector string, n int) v1.SIPCluster {
		return newCluster(name, map[string]v1.NodeSet{worker: nodes(selector, n, 0)})
	}
	leaving := func(name, labels string) inventory.Host { return claimed(newHost(name, labels), "gone", worker) }
	for _, row := range []struct {
		why      string
		clusters []v1.SIPCluster
		hosts    []inventory.Host
		want     []string // of cluster b
	}{
		{"a host that nobody waits for, where a later cluster waits for another",
			[]v1.SIPCluster{one("a", "", 1), one("b", "kind=b", 1), one("c", "kind=a", 1)},
			[]inventory.Host{claimed(newHost("hb", "kind=b rack=rb"), "a", worker), leaving("r1", "kind=a rack=r1"), leaving("r2", "kind=a rack=r2")},
			[]string{"feasible at its turn if 1 unprovisioned host moves: metal/hb from tenants/a Worker to tenants/b Worker and 1 released host is seen without labels: metal/r1 (the site forbids moves)"}},
		{"not a host of a cluster that cannot be placed",
			[]v1.SIPCluster{one("b", "kind=b", 1), newCluster("c", map[string]v1.NodeSet{worker: nodes("", 1, 0), "Infra": nodes("kind=none", 1, 0)})},
			[]inventory.Host{claimed(newHost("hb", "kind=b rack=rb"), "c", worker), newHost("f", "rack=rf")}, nil},
		{"but one of a cluster that can, where either would do",
			[]v1.SIPCluster{one("b", "kind=b", 1), newCluster("c", map[string]v1.NodeSet{worker: nodes("", 1, 0), "Infra": nodes("kind=none", 1, 0)}), one("d", "", 1)},
			[]inventory.Host{claimed(newHost("hb", "kind=b rack=rb"), "c", worker), claimed(newHost("hd", "kind=b rack=rd"), "d", worker), newHost("f", "rack=rf")},
			[]string{"feasible at its turn if 1 unprovisioned host moves: metal/hd from tenants/d Worker to tenants/b Worker (the site forbids moves)"}},
		{"which it is where that can be placed",
			[]v1.SIPCluster{one("b", "kind=b", 1), one("c", "", 1)},
			[]inventory.Host{claimed(newHost("hb", "kind=b rack=rb"), "c", worker), newHost("f", "rack=rf")},
			[]string{"feasible at its turn if 1 unprovisioned host moves: metal/hb from tenants/c Worker to tenants/b Worker (the site forbids moves)"}},
		{"not a host that it has itself asked to release",
			[]v1.SIPCluster{one("a", "", 1), annotated(one("b", "", 1), v1.RemoveAnnotation, "r1")},
			[]inventory.Host{newHost("f", "rack=rf"), leaving("r1", "rack=r1")}, nil},
		{"nor one that a could have in exchange for a free host: a gets the free one in this run, and keeps it",
			[]v1.SIPCluster{one("a", "", 1), one("b", "kind=b", 1)},
			[]inventory.Host{newHost("f", "kind=b rack=rf"), leaving("r1", "rack=r1")}, nil},
	} {
		var previous Previous
		for _, h := range row.hosts {
			if h.Labels[testOptions.Keys.ClusterName] == "gone" {
				previous.Claims = append(previous.Claims, inTree(h.Name, "gone", worker))
			}
		}
		p := plan(t, row.clusters, row.hosts, previous, testOptions)
		for i := range p.Clusters {
			var got []string
			for _, words := range Say.Warnings(p.Clusters[i].Warnings) {
				if strings.HasPrefix(words, "feasible") {
					got = append(got, words)
				}
			}
			if p.Clusters[i].Key.Name == "b" && !slices.Equal(got, row.want) {
				t.Errorf("%s: got %q, want %q\n%s", row.why, got, row.want, summary(p))
			}
		}
	}
}

// TestReleasedHostsAreCounted: by who gets them, in what a shortage says of hosts that match.
func TestReleasedHostsAreCounted(t *testing.T) {
	worker, cp := v1.RoleWorker, v1.RoleControlPlane
	own := provisionedBy(claimed(newHost("h1", "rack=r1"), "a", worker), "m")
	roles := map[string]v1.NodeSet{worker: nodes("", 0, 0), cp: nodes("", 1, 0)}
	moving := testOptions
	moving.AllowMoves = true
	moves := []v1.SIPCluster{
		newCluster("a", map[string]v1.NodeSet{worker: nodes("kind=b", 1, 0)}),
		newCluster("z", map[string]v1.NodeSet{worker: nodes("", 1, 0)}),
	}
	for _, row := range []struct {
		why      string
		clusters []v1.SIPCluster
		hosts    []inventory.Host
		options  Options
		want     string
	}{
		{"its own annotation names it, so another role does not get it either",
			[]v1.SIPCluster{annotated(newCluster("a", roles), v1.ApproveReleaseAnnotation, "h1")}, []inventory.Host{own}, testOptions,
			"1 more host matches but: 1 named by an annotation of the cluster"},
		{"it moves", moves, []inventory.Host{claimed(newHost("h1", "kind=b rack=r1"), "z", worker), newHost("f", "rack=rf")}, moving,
			"1 more host matches but: 1 being released, and free once seen without labels"},
		{"it does not move", moves, []inventory.Host{claimed(newHost("h1", "kind=b rack=r1"), "z", worker), newHost("f", "rack=rf")}, testOptions,
			"1 more host matches but: 1 held by another cluster"},
	} {
		p := plan(t, row.clusters, row.hosts, Previous{}, row.options)
		if len(p.Shortages) != 1 {
			t.Fatalf("%s: %d shortages\n%s", row.why, len(p.Shortages), summary(p))
		}
		if got := Say.Shortage(&p.Shortages[0]); !strings.Contains(got, row.want) {
			t.Errorf("%s: %s, want %q", row.why, got, row.want)
		}
	}
}

// TestAdviceSeesTheNextRun: one more host would let b wait for h3, and in the next run c gives h4 to a and takes h3 in exchange.
func TestAdviceSeesTheNextRun(t *testing.T) {
	any := func(n int, selector, key string) v1.NodeSet {
		set := nodes(selector, n, 0)
		set.TopologyKey = key
		return set
	}
	a := newCluster("a", map[string]v1.NodeSet{v1.RoleControlPlane: any(2, "", "row")})
	b := newCluster("b", map[string]v1.NodeSet{"Infra": any(2, "", "")})
	c := newCluster("c", map[string]v1.NodeSet{v1.RoleControlPlane: any(2, "", ""), "Infra": any(1, "kind=a", "")})
	c.Spec.Priority, a.Spec.Priority = -1, 1
	b.Spec.Priority = -2
	hosts := []inventory.Host{
		claimed(newHost("h0", ""), "c", v1.RoleControlPlane), claimed(newHost("h1", ""), "c", v1.RoleControlPlane), claimed(newHost("h2", ""), "a", v1.RoleControlPlane),
		claimed(newHost("h3", "kind=a"), "c", v1.RoleControlPlane), claimed(newHost("h4", "row=w2"), "c", "Infra"),
	}
	options := testOptions
	options.AllowMoves = true
	clusters := []v1.SIPCluster{a, b, c}
	p := plan(t, clusters, hosts, Previous{}, options)
	for i := range p.Shortages {
		advice := p.Shortages[i].Advice
		if advice.Cluster.Name != "b" {
			continue
		}
		w := &world{clusters: clusters, hosts: hosts, options: options}
		if !placedWith(t, w, advice.Cluster, advice, 0) {
			t.Errorf("b is not placed with what is advised: %s", Say.Shortage(&p.Shortages[i]))
		}
		return
	}
	t.Errorf("b is not advised\n%s", summary(p))
}

// TestShortStandbyOfOneThatWaits: the host that a role waits for is none of those that its standby slots lack, and that is said.
func TestShortStandbyOfOneThatWaits(t *testing.T) {
	worker := v1.RoleWorker
	hosts := []inventory.Host{newHost("f", "rack=rf"), claimed(newHost("h1", "rack=r1"), "gone", worker)}
	clusters := []v1.SIPCluster{newCluster("a", map[string]v1.NodeSet{worker: nodes("", 2, 1)})}
	p := plan(t, clusters, hosts, Previous{Claims: []PreviousClaim{inTree("h1", "gone", worker)}}, testOptions)
	var got []string
	for i := range p.Shortages {
		got = append(got, Say.Shortage(&p.Shortages[i]))
	}
	if len(got) != 2 || strings.Contains(got[0], "in addition") || !strings.Contains(got[1], "tenants/a Worker needs 2, including standby hosts, in addition to 1 host that it waits for; there is only 1 free host it can use") {
		t.Errorf("%q", got)
	}
}

// TestAdviceKnowsTheRow: a host in rack r0 is in row w1, like the others there, and b, which needs a host of any row, gets it first.
func TestAdviceKnowsTheRow(t *testing.T) {
	row := nodes("", 1, 0)
	row.TopologyKey = "row"
	clusters := []v1.SIPCluster{
		newCluster("a", map[string]v1.NodeSet{v1.RoleWorker: nodes("", 0, 1)}),
		newCluster("b", map[string]v1.NodeSet{v1.RoleWorker: row}),
	}
	for _, r := range []struct{ labels, want string }{
		{"rack=r0 row=w1", "1 more host, in a rack of its own, would fill the standby slots of tenants/a."},
		{"rack=r0", "1 more host, in a rack of its own or in rack r0, would fill the standby slots of tenants/a."},
	} {
		hosts := []inventory.Host{
			with(newHost("h0", r.labels), func(s *inventory.State) { s.Paused = true }),
			with(newHost("h1", "row=w2"), func(s *inventory.State) { s.Paused = true }),
		}
		p := plan(t, clusters, hosts, Previous{}, testOptions)
		at := slices.IndexFunc(p.Shortages, func(s Shortage) bool { return s.Standby })
		if at < 0 {
			t.Fatal(summary(p))
		}
		if got := Say.Shortage(&p.Shortages[at]); !strings.HasSuffix(got, r.want) {
			t.Errorf("%s: %s, want %s", r.labels, got, r.want)
		}
	}
}
