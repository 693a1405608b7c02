package schedule

import (
	"reflect"
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/inventory"
	"github.com/stretchr/testify/assert"
)

// rack hosts: "h1 kind rack" as in host("h1", "cp", "r1").
func host1(name, kind, rack string) inventory.Host { return newHost(name, "kind="+kind+" rack="+rack) }

func with(h inventory.Host, change func(*inventory.State)) inventory.Host {
	change(&h.State)
	return h
}

func provisionedBy(h inventory.Host, machine string) inventory.Host {
	return with(h, func(s *inventory.State) {
		s.Provisioning, s.Image = "provisioned", true
		s.Consumer = &inventory.Consumer{Kind: "Metal3Machine", Namespace: "tenants", Name: machine}
	})
}

// keptForNext: Cluster API keeps the host for the cluster's next machine.
func keptForNext(s *inventory.State) {
	s.Consumer = &inventory.Consumer{Kind: inventory.ClusterKind, Namespace: "tenants", Name: "a"}
}

func broken(h inventory.Host) inventory.Host {
	return with(h, func(s *inventory.State) { s.Operational, s.ErrorType = "error", "power management error" })
}

func standbyOf(h inventory.Host) inventory.Host {
	h.Labels[testOptions.Keys.Standby] = "true"
	return h
}

func inTree(name, cluster, role string) PreviousClaim {
	return PreviousClaim{Host: HostKey{Namespace: "metal", Name: name}, UID: "uid-" + name,
		Cluster: ClusterKey{Namespace: "tenants", Name: cluster}, Role: role,
		Source: "clusters/tenants/" + cluster + "/assignments.yaml"}
}

func releasing(c PreviousClaim) PreviousClaim { c.Releasing = true; return c }

func annotated(c v1.SIPCluster, key, value string) v1.SIPCluster {
	c.Annotations = map[string]string{key: value}
	return c
}

// TestPlan: clusters, hosts and the tree as sited reads them, and the placement as summary says it.
func TestPlan(t *testing.T) {
	for _, row := range []struct{ why, clusters, hosts, tree, want string }{
		{"enough hosts for both roles: a worker may share a rack with a control plane",
			"a:cp2,2", "c1/cp/r1 c2/cp/r2 w1/r1 w2/r2", "", "a ControlPlane: +c1 +c2\na Worker: +w1 +w2"},
		{"too few control planes: the workers are not taken either",
			"a:cp2,1", "c1/cp/r1 w1/r1", "",
			"a ControlPlane: short 2/0 unschedulable\na Worker: short 1/0 unschedulable"},
		{"hosts that another cluster has are not taken", "a:1 b:1", "w1/r1=b w2/r2", "", "a Worker: +w2\nb Worker: w1"},
		{"a host with an incomplete set of our labels is nobody's, and not free", "a:1", "w1/r1?b", "",
			"a Worker: short 1/0 unschedulable"},
		{"the racks that a cluster uses already count: the new worker goes to the other rack",
			"a:2", "w1/r1=a w2/r1 w3/r2", "", "a Worker: w1 +w3"},
		{"collisions from before are kept", "a:2", "w1/r1=a w2/r1=a", "", "a Worker: w1 w2"},
		{"active of the second cluster comes before standby of the first",
			"a:1+1 b:1", "w1/r1 w2/r2", "", "a Worker: +w1 short 0/1\nb Worker: +w2"},
		{"standby fills an active slot that is empty, and the new host is standby", "a:2+1", "w1/r1=a w3/r3~=a w2/r2",
			"", "a Worker: w1 w3 +~w2"},
		{"the tree's decisions hold before they are synced", "a:1", "w1/r1 w2/r2", "w2=a", "a Worker: w2"},
		{"a host that was created anew: its own role takes it back", "a:1", "w1/r1 w2/r2^", "w2=a", "a Worker: w2"},
		{"the same, and its cluster wants fewer: it leaves before another cluster can have it", "a:1 b:2",
			"w1/r1=a w2/r2^ w3/r3", "w1=a w2=a", "a Worker: w1 -w2\nb Worker: short 2/0 unschedulable"},
		{"the same a run later", "a:1 b:2", "w1/r1=a w2/r2 w3/r3", "w1=a -w2=a", "a Worker: w1\nb Worker: +w2 +w3"},
		{"the same, and its machine has taken it: it leaves, and another host gets its slot", "a:1", "w1/r1 w2/r2^!",
			"w2=a",
			"a Worker: +w1 -w2"},
		{"fewer wanted: never provisioned goes first, then the last name", "a:1", "w1/r1=a w2/r2=a w3/r3!=a", "",
			"a Worker: w3 -w1 -w2"},
		{"fewer wanted, all in use: pending, not released", "a:1", "w1/r1!=a w2/r2!=a", "", "a Worker: w1 (w2)"},
		{"an approval names another one, which goes instead", "a:1!approve=metal/w1", "w1/r1!=a w2/r2!=a", "w1=a w2=a",
			"a Worker: w2 -w1"},
		{"the same, and the tree had not given it to the cluster", "a:1!approve=metal/w1", "w1/r1!=a w2/r2!=a", "",
			"a Worker: w1 (w2)"},
		{"marked for removal: goes first when fewer are wanted", "a:1!remove=w1", "w1/r1=a w2/r2=a", "",
			"a Worker: w2 -w1"},
		{"marked for removal: of two, the idle one goes, even if the one in use shares its rack",
			"a:2!remove=w1,w2", "w1/r2=a w2/r1!=a w3/r1=a", "", "a Worker: w2 w3 -w1"},
		{"marked for removal: replaced first when as many are wanted", "a:1!remove=w1", "w1/r1=a w2/r1", "",
			"a Worker: +w2 -w1"},
		{"failed: replaced, in its own rack if need be, and released", "a:2", "w1/r1*=a w2/r2=a w3/r1", "",
			"a Worker: w2 +w3 -w1"},
		{"failed and not replaced: it stays, and the cluster is no worse for it", "a:2", "w1/r1*=a w2/r2=a", "",
			"a Worker: w1 w2"},
		{"failed, its replacement seen: released", "a:2", "w1/r1*=a w2/r2=a w3/r1=a", "", "a Worker: w2 w3 -w1"},
		{"failed, its replacement only in the tree: released", "a:2", "w1/r1*=a w2/r2=a w3/r1", "w1=a w2=a w3=a",
			"a Worker: w2 w3 -w1"},
		{"in error and in use, which is no failure: the idle host goes", "a:1", "w1/r1!*=a w3/r1=a", "",
			"a Worker: w1 -w3"},
		{"released in the tree, labels still there: keeps leaving", "a:1", "w1/r1=a w2/r2=a", "-w1=a w2=a",
			"a Worker: w2 -w1"},
		{"released in the tree and in use since: it is held again, another one goes", "a:1", "w1/r1!=a w2/r2=a",
			"-w1=a w2=a", "a Worker: w1 -w2"},
		{"released in the tree, wanted again before the labels are gone: held again",
			"a:2", "w1/r1=a w2/r2=a w0/r0", "-w1=a w2=a", "a Worker: w1 w2"},
		{"released in the tree, wanted again, but its rack is taken by now: another host",
			"a:2", "w1/r1=a w2/r1=a w3/r3", "-w1=a w2=a", "a Worker: w2 +w3 -w1"},
		{"released in the tree, and the cluster is back before the labels are gone: its standby host, too, is held again",
			"a:1+1", "w1/r1=a w2/r2=a w0/r0", "-w1=a -w2=a", "a Worker: w1 ~w2"},
		{"the same, and the labels say which one is standby", "a:1+1", "w1/r1~=a w2/r2=a w0/r0", "-w1=a -w2=a",
			"a Worker: w2 ~w1"},
		{"the same, and another cluster lacks a host: its own role takes it back first",
			"a:1+1 b:1", "w1/r1~=a w2/r2=a", "-w1=a -w2=a", "a Worker: w2 ~w1\nb Worker: short 1/0 unschedulable"},
		{"the same, but no more than it wants", "a:0+1", "w1/r1=a w2/r2=a w0/r0", "-w1=a -w2=a", "a Worker: ~w1 -w2"},
		{"the same, but the rack of the standby host is taken: another host",
			"a:1+1", "w1/r1=a w2/r1=a w3/r3", "-w1=a -w2=a", "a Worker: w1 +~w3 -w2"},
		{"the same, and a failed host of another cluster is to be replaced",
			"a:1+1 b:1", "w1/r1=a w2/r2=a w3/r3*=b", "-w1=a -w2=a w3=b", "a Worker: w1 ~w2\nb Worker: w3"},
		{"the same, and another cluster lacks a standby host: who is served first gets it",
			"a:1 b:1+1", "w1/r1=b w2/r2=b w3/r3=a w4/r4", "-w1=b -w2=b w3=a", "a Worker: w3\nb Worker: w1 ~w2"},
		{"the same with the standby host of the other missing",
			"a:1+1 b:1+1", "w1/r1=b w2/r2=b w3/r3=a", "-w1=b -w2=b w3=a", "a Worker: w3 short 0/1\nb Worker: w1 ~w2"},
		{"released in the tree and seen clean: free for others at once", "b:1", "w1/r1", "-w1=a", "b Worker: +w1"},
		{"being released by one cluster: no other cluster has it before it is seen clean",
			"a:0 b:1", "w1/r1=a", "", "a Worker: -w1\nb Worker: short 1/0 unschedulable"},
		{"no spec any more: released, but what is in use is pending", "", "w1/r1=a w2/r2!=a", "w1=a w2=a",
			"a Worker: (w2) -w1"},
		{"no spec, and not in the tree: another site's, or another tool's: left alone, and nobody gets it",
			"b:1", "w1/r1=a w2/r2", "", "b Worker: +w2"},
		{"no spec any more: a host that the tree does not have is left alone, the others are released",
			"", "w1/r1=a w2/r2=a", "w1=a", "a Worker: -w1"},
		{"labels and tree disagree, nothing uses the host: the tree decides",
			"a:1 b:1", "w1/r1=b w2/r2 w3/r3", "w1=a", "a Worker: w1\nb Worker: +w2"},
		{"the same a run later: the release goes on, though the other cluster lacks a host",
			"a:1 b:1", "w1/r1=b w2/r2=a", "-w1=a w2=a", "a Worker: w2 -w1\nb Worker: short 1/0 unschedulable"},
		{"labels and tree disagree, and something runs on the host: it stays where the tree has it",
			"a:1 b:1", "w1/r1!=b w2/r2", "w1=a", "a Worker: w1\nb Worker: +w2"},
		{"the same, and the tree's cluster gives it to the other one",
			"a:1!approve=w1 b:1", "w1/r1!=b w2/r2", "w1=a", "a Worker: +w2\nb Worker: w1"},
		{"the same while the tree is releasing it", "a:0 b:1", "w1/r1!=b", "-w1=a", "a Worker:\nb Worker: w1"},
		{"the labels name a cluster that nobody knows, the tree another one: it is not in use, and the tree decides",
			"a:1", "w1/r1=x w2/r2", "w1=a", "a Worker: w1"},
		{"the same, and it is in use: it stays where the tree has it", "a:1", "w1/r1!=x w2/r2", "w1=a", "a Worker: w1"},
		{"some labels contradict the tree: the claim of the tree stands", "a:1", "w1/r1?c w2/r2", "w1=a",
			"a Worker: w1"},
		{"spec being deleted: the same", "a:2!deleted", "w1/r1=a", "", "a Worker: -w1"},
		{"a role that is gone from the spec", "a:1", "w1/r1=a e1/e/r1=a.Edge", "", "a Worker: w1\na Edge: -e1"},
		{"a held host that is paused, or matches no more, stays", "a:1", "x1/other/r1#=a w1/r2", "", "a Worker: x1"},
		// A role that wants fewer hosts loses hosts of the slots that it has too many of. A machine runs on an active
		// host, and the standby label would take that host out of what Cluster API looks for.
		{"active hosts are too many, and in use: one of them waits, the standby host stays",
			"c:1+1", "a/ra!=c b/rb!=c s/rs~=c", "", "c Worker: a (b) ~s"},
		{"active hosts are too many, and one is not in use", "c:1+1", "a/ra!=c b/rb=c s/rs~=c", "",
			"c Worker: a ~s -b"},
		{"Cluster API let the other one go", "c:1+1", "a/ra=c b/rb!=c s/rs~=c", "", "c Worker: b ~s -a"},
		{"standby hosts are too many", "c:2", "a/ra=c b/rb=c s/rs~=c", "", "c Worker: a b -s"},
		{"the standby host that is too many is in use: it waits, and no slot changes", "c:2", "a/ra=c b/rb=c s/rs!~=c",
			"", "c Worker: a b (~s)"},
		{"active ones are too many, standby ones too few", "c:1+1", "a/ra!=c b/rb=c", "", "c Worker: a ~b"},
		{"both are too many: who is not in use goes first", "c:1", "a/ra!=c b/rb!=c s/rs~=c", "", "c Worker: a (b) -s"},
		{"both are too many, and nobody is in use", "c:1", "a/ra=c b/rb=c s/rs~=c", "", "c Worker: a -b -s"},
		{"the last by name", "c:2", "a/r1=c b/r2=c d/r3=c", "a=c b=c d=c", "c Worker: a b -d"},
		{"of the rack that has two", "c:2", "a/r1=c b/r1=c d/r3=c", "a=c b=c d=c", "c Worker: a d -b"},
		{"idle before used", "c:2", "a/r1=c b/rb!=c d/rd!=c", "a=c b=c d=c", "c Worker: b d -a"},
		{"all are in use", "c:2", "a/ra!=c b/rb!=c d/rd!=c", "a=c b=c d=c", "c Worker: a b (d)"},
		{"one that is approved", "c:2!approve=b", "a/ra!=c b/rb!=c d/rd!=c", "a=c b=c d=c", "c Worker: a d -b"},
		{"failed before idle", "c:2", "a/r1*=c b/r2=c d/r3=c", "a=c b=c d=c", "c Worker: b d -a"},
	} {
		t.Run(row.why, func(t *testing.T) {
			clusters, hosts, tree := sited(t, row.clusters, row.hosts, row.tree)
			wantPlaced(t, "", plan(t, clusters, hosts, tree, newerLabels()), row.want+"\n")
		})
	}
}

// TestLosses: what the brake counts, each host once.
func TestLosses(t *testing.T) {
	worker := v1.RoleWorker
	hosts := []inventory.Host{
		provisionedBy(claimed(host1("alone", "w", "r1"), "x", worker), "n"),
		claimed(host1("disputed", "w", "r2"), "b", worker),
		provisionedBy(claimed(host1("used", "w", "r3"), "b", worker), "m"),
		host1("kept", "w", "r4"), host1("anew", "w", "r7"), claimed(host1("left", "w", "r5"), "a", worker),
		claimed(host1("others", "w", "r6"), "y", worker),
	}
	previous := Previous{}
	for _, name := range []string{"alone", "disputed", "used", "kept", "vanished"} {
		previous.Claims = append(previous.Claims, inTree(name, "a", worker))
	}
	anew := inTree("anew", "a", worker)
	anew.UID = "uid-of-the-one-before"
	hosts[4].UID = "uid-of-anew"
	previous.Claims = append(previous.Claims, anew, releasing(inTree("left", "a", worker)))
	clusters := []v1.SIPCluster{newCluster("a", map[string]v1.NodeSet{worker: nodes("", 1, 0)}),
		newCluster("b", map[string]v1.NodeSet{worker: nodes("", 1, 0)})}
	clusters[0].Annotations = map[string]string{v1.ApproveReleaseAnnotation: "used"}
	loss := Losses(plan(t, clusters, hosts, previous, newerLabels()))
	want := Loss{Claimed: 6, Missing: []HostKey{{Namespace: "metal", Name: "vanished"}},
		Recreated: []HostKey{{Namespace: "metal", Name: "anew"}}, Moved: []HostKey{{Namespace: "metal", Name: "used"}},
		Released: []HostKey{{Namespace: "metal", Name: "disputed"}, {Namespace: "metal", Name: "kept"}},
		Asked:    map[ClusterKey]int{{Namespace: "tenants", Name: "a"}: 2}}
	assert.Truef(t, reflect.DeepEqual(loss, want), "found %+v, want %+v", loss, want)
	assert.Truef(t, loss.Total() == 5, "found %d in all, want 5", loss.Total())
}

// TestOutside: a host of the tree in none of the site's namespaces is lost, and not "not in the inventory".
func TestOutside(t *testing.T) {
	worker := v1.RoleWorker
	away := inTree("away", "a", worker)
	away.Host.Namespace = "other"
	previous := Previous{Claims: []PreviousClaim{away, inTree("vanished", "a", worker), inTree("kept", "a", worker)}}
	clusters := []v1.SIPCluster{newCluster("a", map[string]v1.NodeSet{worker: nodes("", 2, 0)})}
	options := testOptions
	options.Namespaces = []string{"metal"}
	hosts := []inventory.Host{claimed(host1("kept", "w", "r1"), "a", worker), host1("new", "w", "r2")}
	p := plan(t, clusters, hosts, previous, options)
	loss := Losses(p)
	assert.Equal(t, []HostKey{away.Host}, loss.Outside, "outside")
	assert.Equal(t, []HostKey{{Namespace: "metal", Name: "vanished"}}, loss.Missing, "missing")
	assert.Equal(t, 2, loss.Total(), "in all")
	wantPlaced(t, "", p, "a Worker: kept +new\n")
	replaces := p.Clusters[0].Roles[0].Assigned[1].Replaces
	assert.Equal(t, "not in the inventory", Say.Reason(replaces.Why), "replaces")
	replaces = p.Clusters[0].Roles[0].Assigned[0].Replaces
	assert.Truef(t, replaces == nil, "kept replaces %v", replaces)
}

// TestLossOfALeavingCluster: all its hosts count in the run in which it begins to leave, those in use too, and none of
// them later. So does what a spec has replaced.
func TestLossOfALeavingCluster(t *testing.T) {
	worker := v1.RoleWorker
	leaves := newCluster("a", map[string]v1.NodeSet{worker: nodes("", 2, 0)})
	leaves.Annotations = map[string]string{v1.DecommissionAnnotation: leaves.Key()}
	named := newCluster("a", map[string]v1.NodeSet{worker: nodes("", 2, 0)})
	named.Annotations = map[string]string{v1.RemoveAnnotation: "used"}
	key := ClusterKey{Namespace: "tenants", Name: "a"}
	used, idle := provisionedBy(claimed(host1("used", "w", "r1"), "a", worker), "m"), claimed(host1("idle", "w", "r2"),
		"a", worker)
	pending := inTree("used", "a", worker)
	pending.Pending = true
	for _, row := range []struct {
		why      string
		cluster  v1.SIPCluster
		hosts    []inventory.Host
		previous Previous
		want     int
	}{
		{"it begins to leave", leaves, []inventory.Host{used, idle},
			Previous{Claims: []PreviousClaim{inTree("used", "a", worker), inTree("idle", "a", worker)}}, 2},
		{"one waits", leaves, []inventory.Host{used},
			Previous{Claims: []PreviousClaim{pending}, Leaving: map[ClusterKey]bool{key: true}}, 0},
		{"its user has let go", leaves, []inventory.Host{claimed(host1("used", "w", "r1"), "a", worker)},
			Previous{Claims: []PreviousClaim{pending}, Leaving: map[ClusterKey]bool{key: true}}, 0},
		{"a host that the spec names", named, []inventory.Host{used, idle, host1("free", "w", "r3")},
			Previous{Claims: []PreviousClaim{inTree("used", "a", worker), inTree("idle", "a", worker)}}, 1},
	} {
		loss := Losses(plan(t, []v1.SIPCluster{row.cluster}, row.hosts, row.previous, newerLabels()))
		assert.Truef(t, loss.Total() == row.want && loss.Asked[key] == row.want,
			"%s: %d hosts, %d of them asked for, want %d: %+v", row.why, loss.Total(), loss.Asked[key], row.want, loss)
	}
}

// TestSpread is contract 14: a role is even over its narrowest key within the limit, or over that of spread. Package
// solve tries random sites.
func TestSpread(t *testing.T) {
	var hosts []inventory.Host
	for _, name := range []string{"h1 r1 a", "h2 r1 a", "h3 r1 a", "h4 r2 a", "h5 r2 b", "h6 r3 b"} {
		word := strings.Fields(name)
		hosts = append(hosts, newHost(word[0], "rack="+word[1]+" row="+word[2]))
	}
	rows := []struct {
		why    string
		change func(*v1.NodeSet)
		want   string
	}{
		{"spread over racks: as even as four in three racks can be",
			func(s *v1.NodeSet) { s.TopologyKey, s.Spread = "", &v1.Spread{TopologyKey: "rack"} },
			"a Edge: +h1 +h2 +h4 +h6\n"},
		{"a skew of two lets names decide longer",
			func(s *v1.NodeSet) { s.TopologyKey, s.Spread = "", &v1.Spread{TopologyKey: "rack", MaxSkew: 2} },
			"a Edge: +h1 +h2 +h4 +h5\n"},
		{"once the emptier row has one, names decide again",
			func(s *v1.NodeSet) { s.TopologyKey, s.Spread = "", &v1.Spread{TopologyKey: "row", MaxSkew: 2} },
			"a Edge: +h1 +h2 +h3 +h5\n"},
		{"spread over rows, two of a rack at most",
			func(s *v1.NodeSet) { s.MaxPerDomain, s.Spread = 2, &v1.Spread{TopologyKey: "row"} },
			"a Edge: +h1 +h2 +h5 +h6\n"},
		{"by default even over racks, two of a rack at most", func(s *v1.NodeSet) { s.MaxPerDomain = 2 },
			"a Edge: +h1 +h2 +h4 +h6\n"},
		{"three of a rack at most", func(s *v1.NodeSet) { s.MaxPerDomain = 3 }, "a Edge: +h1 +h2 +h4 +h6\n"},
		{"spread over the same key says how even", func(s *v1.NodeSet) {
			s.MaxPerDomain, s.Spread = 3, &v1.Spread{TopologyKey: "rack", MaxSkew: 2}
		}, "a Edge: +h1 +h2 +h4 +h5\n"},
	}
	for _, row := range rows {
		set := nodes("", 4, 0)
		row.change(&set)
		p := plan(t, []v1.SIPCluster{newCluster("a", map[string]v1.NodeSet{"Edge": set})}, hosts, Previous{},
			testOptions)
		wantPlaced(t, row.why, p, row.want)
	}
}

// TestUneven: held hosts do not move, so a role whose hosts are spread less evenly than its spec wants says where.
func TestUneven(t *testing.T) {
	for _, row := range []struct {
		why   string
		hosts string
		skew  int
		want  []Warning
	}{
		{"three and none", "h1/r1=a h2/r1=a h3/r1=a f1/r3 f2/r2", 1,
			[]Warning{Uneven{Key: "rack", Fullest: "r1", Emptiest: "r2", Most: 3, Least: 0, Skew: 1}}},
		{"three and one, of several", "h1/r2=a h2/r2=a h3/r2=a h4/r1=a h5/r3=a h6/r3=a", 1,
			[]Warning{Uneven{Key: "rack", Fullest: "r2", Emptiest: "r1", Most: 3, Least: 1, Skew: 1}}},
		{"as uneven as it may be", "h1/r2=a h2/r2=a h3/r2=a h4/r1=a", 2, nil},
		{"even", "h1/r1=a h2/r2=a", 1, nil},
	} {
		_, hosts, tree := sited(t, "", row.hosts, "")
		set := nodes("kind=w", strings.Count(row.hosts, "=a"), 0)
		set.TopologyKey, set.Spread = "", &v1.Spread{TopologyKey: "rack", MaxSkew: row.skew}
		p := plan(t, []v1.SIPCluster{newCluster("a", map[string]v1.NodeSet{v1.RoleWorker: set})}, hosts, tree,
			testOptions)
		assert.Equal(t, row.want, p.Clusters[0].Roles[0].Warnings, row.why)
	}
}

// TestEvenNested: of nested keys the narrowest is even, within the limits of all, and held hosts stay.
func TestEvenNested(t *testing.T) {
	for _, row := range []struct {
		why       string
		row, rack v1.PerDomain
		held      string
		want      string
	}{
		{"over racks", 4, 3, "", "a Worker: +h1 +h2 +h3 +h5\n"},
		{"the row bounds, too", 2, 2, "", "a Worker: +h1 +h3 +h5 +h6\n"},
		{"one of a rack", 2, 1, "", "a Worker: short 4/0 unschedulable\n"},
		{"a held host counts, and does not move", 4, 3, "h2", "a Worker: +h1 h2 +h3 +h5\n"},
		{"two in a rack", 4, 3, "h1 h2", "a Worker: h1 h2 +h3 +h5\n"},
	} {
		var hosts []inventory.Host
		for _, name := range []string{"h1 r1 a", "h2 r1 a", "h3 r2 a", "h4 r2 a", "h5 r3 b", "h6 r3 b"} {
			word := strings.Fields(name)
			h := newHost(word[0], "rack="+word[1]+" row="+word[2])
			if strings.Contains(row.held, word[0]) {
				h = claimed(h, "a", v1.RoleWorker)
			}
			hosts = append(hosts, h)
		}
		set := nodes("", 4, 0)
		set.TopologyKey, set.TopologyKeys = "", []string{"row", "rack"}
		set.MaxPerDomainByKey = map[string]v1.PerDomain{"row": row.row, "rack": row.rack}
		p := plan(t, []v1.SIPCluster{newCluster("a", map[string]v1.NodeSet{v1.RoleWorker: set})}, hosts, Previous{},
			testOptions)
		wantPlaced(t, row.why, p, row.want)
	}
}

func TestStandbyRequired(t *testing.T) {
	options := testOptions
	options.StandbyRequired = true
	clusters := []v1.SIPCluster{newCluster("a", map[string]v1.NodeSet{v1.RoleWorker: nodes("", 1, 1)})}
	wantPlaced(t, "", plan(t, clusters, []inventory.Host{host1("h1", "w", "r1")}, Previous{}, options),
		"a Worker: short 1/1 unschedulable\n")
}
