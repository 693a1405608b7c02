package schedule

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/inventory"
)

// TestWaits: what a cluster waits for is a host that it will get.
func TestWaits(t *testing.T) {
	worker := v1.RoleWorker
	one := func(name, selector string) v1.SIPCluster {
		return newCluster(name, map[string]v1.NodeSet{worker: nodes(selector, 1, 0)})
	}
	served := func(c v1.SIPCluster) v1.SIPCluster {
		c.Spec.Services.JumpHost = []v1.JumpHost{{Service: v1.Service{NodeInterface: "oam"}}}
		return c
	}
	leaving := func(name, labels string) inventory.Host { return claimed(newHost(name, labels), "gone", worker) }
	kept := inTree("h1", "gone", worker)
	kept.Addresses = map[string][]netip.Addr{"oam": {addressOf("h1")}}
	for _, row := range []struct {
		why      string
		clusters []v1.SIPCluster
		hosts    []inventory.Host
		previous []PreviousClaim
		want     string // of the last cluster
	}{
		{"a host that another cluster lets go of", []v1.SIPCluster{one("b", "")}, []inventory.Host{leaving("h1", "rack=r1")}, []PreviousClaim{inTree("h1", "gone", worker)},
			"placed as soon as 1 released host is seen without labels: metal/h1"},
		{"not one that an approval of its own names: it would refuse the host as long as that stands",
			[]v1.SIPCluster{annotated(one("b", ""), v1.ApproveReleaseAnnotation, "h1")}, []inventory.Host{leaving("h1", "rack=r1")}, []PreviousClaim{inTree("h1", "gone", worker)}, ""},
		{"nor where another role of its own lets go of it",
			[]v1.SIPCluster{annotated(newCluster("b", map[string]v1.NodeSet{worker: nodes("", 0, 0), v1.RoleControlPlane: nodes("", 1, 0)}), v1.ApproveReleaseAnnotation, "h1")},
			[]inventory.Host{claimed(newHost("h1", "rack=r1"), "b", worker)}, nil, ""},
		{"which it waits for without the approval",
			[]v1.SIPCluster{newCluster("b", map[string]v1.NodeSet{worker: nodes("", 0, 0), v1.RoleControlPlane: nodes("", 1, 0)})},
			[]inventory.Host{claimed(newHost("h1", "rack=r1"), "b", worker)}, nil, "placed as soon as 1 released host is seen without labels: metal/h1"},
		{"not one that its own removal names",
			[]v1.SIPCluster{annotated(one("b", ""), v1.RemoveAnnotation, "metal/h1")}, []inventory.Host{leaving("h1", "rack=r1")}, []PreviousClaim{inTree("h1", "gone", worker)}, ""},
		{"not one that replaces a failed host of an earlier cluster then",
			[]v1.SIPCluster{one("a", ""), one("b", "")}, []inventory.Host{broken(claimed(newHost("h0", "rack=r0"), "a", worker)), leaving("h1", "rack=r1")},
			[]PreviousClaim{inTree("h1", "gone", worker)}, ""},
		{"but another one that is left then",
			[]v1.SIPCluster{one("a", ""), one("b", "")}, []inventory.Host{broken(claimed(newHost("h0", "rack=r0"), "a", worker)), leaving("h1", "rack=r1"), leaving("h2", "rack=r2")},
			[]PreviousClaim{inTree("h1", "gone", worker), inTree("h2", "gone", worker)}, "placed as soon as 1 released host is seen without labels: metal/h2"},
		{"not one whose address only the tree has: it is gone with the claim",
			[]v1.SIPCluster{served(one("b", ""))}, []inventory.Host{func() inventory.Host { h := leaving("h1", "rack=r1"); h.Addresses = nil; return h }()},
			[]PreviousClaim{kept}, ""},
		{"one that has an address of its own",
			[]v1.SIPCluster{served(one("b", ""))}, []inventory.Host{leaving("h1", "rack=r1")}, []PreviousClaim{kept},
			"placed as soon as 1 released host is seen without labels: metal/h1"},
		{"not one whose own address another host has by then: the earlier by name keeps it",
			[]v1.SIPCluster{served(one("b", "kind=b"))}, []inventory.Host{
				newHost("h0", "rack=r0"),
				func() inventory.Host {
					h := leaving("h1", "kind=b rack=r1")
					h.Addresses = newHost("h0", "").Addresses
					return h
				}(),
			}, []PreviousClaim{kept}, ""},
	} {
		t.Run(row.why, func(t *testing.T) {
			p := plan(t, row.clusters, row.hosts, Previous{Claims: row.previous}, testOptions)
			last := p.Clusters[len(row.clusters)-1]
			if last.Key.Name != "b" {
				t.Fatalf("the last cluster is %s", last.Key)
			}
			if got := strings.Join(Say.Warnings(last.Warnings), "\n"); !strings.HasPrefix(got, row.want) || row.want == "" && strings.Contains(got, "as soon as") {
				t.Errorf("warnings %q, want %q", got, row.want)
			}
			if last.Unschedulable != (row.want == "") {
				t.Errorf("unschedulable %t", last.Unschedulable)
			}
		})
	}
}

// TestHintsNameAHostOnce: two clusters could each be placed if the same host moved; only the first is told.
func TestHintsNameAHostOnce(t *testing.T) {
	worker := v1.RoleWorker
	role := func(name, selector string) v1.SIPCluster {
		return newCluster(name, map[string]v1.NodeSet{worker: nodes(selector, 1, 0)})
	}
	hosts := []inventory.Host{claimed(newHost("h1", "kind=any gold=yes rack=r1"), "a", worker), newHost("h2", "kind=any rack=r2"), newHost("h3", "kind=any rack=r3")}
	p := plan(t, []v1.SIPCluster{role("a", "kind=any"), role("b", "gold=yes"), role("c", "gold=yes")}, hosts, Previous{}, testOptions)
	if b := strings.Join(Say.Warnings(p.Clusters[1].Warnings), "\n"); !strings.Contains(b, "metal/h1 from tenants/a Worker to tenants/b Worker") {
		t.Errorf("b: %q", b)
	}
	if c := p.Clusters[2].Warnings; len(c) > 0 || len(p.Moves) != 1 {
		t.Errorf("c: %q, moves %v", c, p.Moves)
	}
}

// TestHintGivesWay: a cluster that cannot be placed is not told of a host that a later one waits for.
func TestHintGivesWay(t *testing.T) {
	worker := v1.RoleWorker
	hosts := []inventory.Host{
		claimed(newHost("h1", "kind=any gold=yes rack=r1"), "a", worker), newHost("h2", "kind=any rack=r2"),
		claimed(newHost("h3", "gold=yes rack=r3"), "gone", worker),
	}
	clusters := []v1.SIPCluster{
		newCluster("a", map[string]v1.NodeSet{worker: nodes("kind=any", 1, 0)}),
		newCluster("b", map[string]v1.NodeSet{worker: nodes("gold=yes", 2, 0)}),
		newCluster("c", map[string]v1.NodeSet{worker: nodes("gold=yes", 1, 0)}),
	}
	p := plan(t, clusters, hosts, Previous{Claims: []PreviousClaim{inTree("h3", "gone", worker)}}, testOptions)
	if b := p.Clusters[1].Warnings; len(b) > 0 || len(p.Moves) > 0 {
		t.Errorf("b: %q, moves %v", b, p.Moves)
	}
	if c := p.Clusters[slices.IndexFunc(p.Clusters, func(c Cluster) bool { return c.Key.Name == "c" })]; c.Unschedulable || len(c.Warnings) != 1 {
		t.Errorf("c: %+v", c)
	}
}

// TestPartNow: a cluster that waits for one host has the others at once, and says so.
func TestPartNow(t *testing.T) {
	hosts := []inventory.Host{newHost("h1", "rack=r1"), claimed(newHost("h2", "rack=r2"), "gone", v1.RoleWorker)}
	clusters := []v1.SIPCluster{newCluster("b", map[string]v1.NodeSet{v1.RoleWorker: nodes("", 2, 0)})}
	p := plan(t, clusters, hosts, Previous{Claims: []PreviousClaim{inTree("h2", "gone", v1.RoleWorker)}}, testOptions)
	want := "placed as soon as 1 released host is seen without labels: metal/h2; until then it has hosts for 1 of its 2 active slots"
	if got := Say.Warnings(p.Clusters[0].Warnings); len(got) != 1 || got[0] != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestReplacesAfterItWaited: h1 is to go, and only h2 could take its place, in the same rack; h3 is on its way. While the role waits for h3, h1
// keeps its slot and h2 is not taken: once h2 had labels of the role, the next run would count three hosts and not wait any more.
func TestReplacesAfterItWaited(t *testing.T) {
	worker := v1.RoleWorker
	clusters := []v1.SIPCluster{annotated(newCluster("b", map[string]v1.NodeSet{worker: nodes("", 1, 2)}), v1.RemoveAnnotation, "h1")}
	hosts := []inventory.Host{
		claimed(newHost("h0", "rack=r0"), "b", worker), claimed(newHost("h1", "rack=r1"), "b", worker), newHost("h2", "rack=r1"),
		claimed(newHost("h3", "rack=r3"), "gone", worker),
	}
	options := testOptions
	options.StandbyRequired = true
	previous := Previous{Claims: []PreviousClaim{inTree("h3", "gone", worker)}}
	for run, want := range []string{"b Worker: h0 ~h1 short 0/1", "b Worker: h0 ~h1 short 0/1", "b Worker: h0 ~h1 +~h2 +~h3", "b Worker: h0 ~h2 ~h3 -h1"} {
		p := plan(t, clusters, hosts, previous, options)
		if got, _, _ := strings.Cut(summary(p), "\n"); got != want {
			t.Errorf("run %d: %s, want %s", run, got, want)
		}
		previous = tree(p)
		if run > 0 { // the first is not synced before the second
			adopt(hosts, p)
		}
	}
}

// TestMoveFromARoleThatGrows: a wants one more host than it has, and gives one to b in the same run: the next one, in which a has what it wants,
// changes nothing, whoever is served first.
func TestMoveFromARoleThatGrows(t *testing.T) {
	worker := v1.RoleWorker
	for _, first := range []string{"a", "b"} {
		hosts := []inventory.Host{
			claimed(newHost("h1", "gold=yes kind=any rack=r1"), "a", worker), newHost("h2", "kind=any rack=r2"), newHost("h3", "kind=any rack=r3"),
		}
		clusters := []v1.SIPCluster{
			newCluster("a", map[string]v1.NodeSet{worker: nodes("kind=any", 2, 0)}),
			newCluster("b", map[string]v1.NodeSet{worker: nodes("gold=yes", 1, 0)}),
		}
		for i := range clusters {
			if clusters[i].Name == first {
				clusters[i].Spec.Priority = 1
			}
		}
		options := testOptions
		options.AllowMoves = true
		p := plan(t, clusters, hosts, Previous{}, options)
		if got := summary(p); !strings.Contains(got, "a Worker: +h2 +h3 -h1\n") || !p.Schedulable() {
			t.Errorf("%s first: %s", first, got)
		}
		if again := plan(t, clusters, hosts, tree(p), options); fmt.Sprint(tree(p)) != fmt.Sprint(tree(again)) {
			t.Errorf("%s first: the next run: %s", first, summary(again))
		}
	}
}

// TestMoveFromLaterCluster: b gives a host to a, which is served before it, where b itself can be placed: else its hosts stay.
func TestMoveFromLaterCluster(t *testing.T) {
	worker := v1.RoleWorker
	for _, row := range []struct {
		why  string
		more int // what the other role of b wants
		want string
	}{
		{"b is placed", 1, "a Worker: short 1/0\nb ControlPlane: +h3\nb Worker: +h2 -h1\n"},
		{"b could not be placed then, and is without the move", 2, "a Worker: short 1/0 unschedulable\nb ControlPlane: +h2 +h3\nb Worker: h1\n"},
		{"b cannot be placed", 3, "a Worker: short 1/0 unschedulable\nb ControlPlane: short 3/0 unschedulable\nb Worker: h1 unschedulable\n"},
	} {
		hosts := []inventory.Host{
			claimed(newHost("h1", "gold=yes kind=any rack=r1"), "b", worker), newHost("h2", "kind=any rack=r2"), newHost("h3", "kind=any rack=r3"),
		}
		clusters := []v1.SIPCluster{
			newCluster("a", map[string]v1.NodeSet{worker: nodes("gold=yes", 1, 0)}),
			newCluster("b", map[string]v1.NodeSet{worker: nodes("kind=any", 1, 0), v1.RoleControlPlane: nodes("kind=any", row.more, 0)}),
		}
		options := testOptions
		options.AllowMoves = true
		p := plan(t, clusters, hosts, Previous{}, options)
		got := summary(p)
		if row.more == 1 {
			got = strings.NewReplacer("+h2", "+x", "+h3", "+x").Replace(got)
			row.want = strings.NewReplacer("+h2", "+x", "+h3", "+x").Replace(row.want)
		}
		if got != row.want {
			t.Errorf("%s: got\n%swant\n%s", row.why, got, row.want)
		}
	}
}

// TestWaitsForRequiredStandby: standby slots that a cluster must have are waited for like active ones, and not in vain.
func TestWaitsForRequiredStandby(t *testing.T) {
	worker := v1.RoleWorker
	role := func(name string, active, standby int) v1.SIPCluster {
		return newCluster(name, map[string]v1.NodeSet{worker: nodes("", active, standby)})
	}
	options := testOptions
	options.StandbyRequired = true
	for _, row := range []struct {
		why   string
		first v1.SIPCluster
		host  inventory.Host // that it holds
		want  string
	}{
		{"it gets the released host", role("a", 1, 0), claimed(newHost("h0", "rack=r0"), "a", worker),
			"a Worker: h0\nb Worker: h1 short 0/1\n"},
		{"not one that replaces a failed host first", role("a", 1, 0), broken(claimed(newHost("h0", "rack=r0"), "a", worker)),
			"a Worker: h0\nb Worker: h1 short 0/1 unschedulable\n"},
	} {
		hosts := []inventory.Host{row.host, claimed(newHost("h1", "rack=r1"), "b", worker), claimed(newHost("h2", "rack=r2"), "gone", worker)}
		p := plan(t, []v1.SIPCluster{row.first, role("b", 1, 1)}, hosts, Previous{Claims: []PreviousClaim{inTree("h2", "gone", worker)}}, options)
		if got := summary(p); !strings.HasPrefix(got, row.want) {
			t.Errorf("%s: got\n%swant\n%s", row.why, got, row.want)
		}
	}
}

// TestWaitsThoughAMoveIsInVain: in the next run h1 would be the exchange for the host that c gives to a, so b does not wait for it.
func TestWaitsThoughAMoveIsInVain(t *testing.T) {
	worker := v1.RoleWorker
	hosts := []inventory.Host{claimed(newHost("h0", "gold=yes kind=any rack=r0"), "c", worker), claimed(newHost("h1", "kind=any rack=r1"), "gone", worker)}
	for _, row := range []struct {
		why  string
		also int // what another role of c wants, which nothing matches
		want string
	}{
		{"c can be placed", 0, "a Worker: short 1/0 unschedulable\nb Worker: short 0/1 unschedulable\nc "},
		{"c cannot be placed, so its host stays", 1, "a Worker: short 1/0 unschedulable\nb Worker: short 0/1\nc "},
	} {
		clusters := []v1.SIPCluster{
			newCluster("a", map[string]v1.NodeSet{worker: nodes("gold=yes", 1, 0)}),
			newCluster("b", map[string]v1.NodeSet{worker: nodes("kind=any", 0, 1)}),
			newCluster("c", map[string]v1.NodeSet{worker: nodes("kind=any", 1, 0), "Infra": nodes("kind=none", row.also, 0)}),
		}
		options := testOptions
		options.AllowMoves, options.StandbyRequired = true, true
		p := plan(t, clusters, hosts, Previous{Claims: []PreviousClaim{inTree("h1", "gone", worker)}}, options)
		if got := summary(p); !strings.HasPrefix(got, row.want) {
			t.Errorf("%s: got\n%swant\n%s", row.why, got, row.want)
		}
	}
}
