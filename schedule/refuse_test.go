package schedule

import (
	"slices"
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/inventory"
	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestRefused: a spec that cannot be meant as it stands is its tenant's finding: the cluster gets nothing, and others
// are served.
func TestRefused(t *testing.T) {
	one := func(change func(*v1.NodeSet)) map[string]v1.NodeSet {
		set := nodes("kind=w", 1, 0)
		change(&set)
		return map[string]v1.NodeSet{v1.RoleWorker: set}
	}
	racks := []inventory.Host{host1("h1", "w", "r1"), host1("h2", "w", "r2"), host1("h3", "other", "r3")}
	ofA := func(name, labels string) inventory.Host { return claimed(newHost(name, labels), "a", v1.RoleWorker) }
	free := newHost("h9", "kind=other row=w9 rack=r9")
	rows := []struct {
		why    string
		change func(*v1.NodeSet)
		hosts  []inventory.Host
		want   []string
	}{
		{"a key that hosts carry", func(*v1.NodeSet) {}, racks, nil},
		{"a selector that is none", func(s *v1.NodeSet) {
			s.LabelSelector.MatchExpressions = []metav1.LabelSelectorRequirement{{Key: "kind", Operator: "Foo"}}
		}, racks, []string{`Worker: labelSelector: not a valid selector: "Foo" is not a valid label selector operator`}},
		{"namespaces that are none", func(s *v1.NodeSet) { s.HostNamespaces = []string{strings.Repeat("a", 64)} },
			racks, []string{
				`Worker: labelSelector: not a valid selector: values[0][metadata.namespace]: Invalid value: a value of 64 characters (not shown): must be no more than 63 bytes`}},
		{"a misspelled key", func(s *v1.NodeSet) { s.TopologyKey = "rak" }, racks,
			[]string{`Worker: topologyKey: no host that the role selects has a label rak, did you mean "rack"?`}},
		{"a key of nothing", func(s *v1.NodeSet) { s.TopologyKey = "example.org/server" }, racks,
			[]string{"Worker: topologyKey: no host that the role selects has a label example.org/server"}},
		{"only hosts of others carry it", func(s *v1.NodeSet) { s.TopologyKey = "row" },
			append(slices.Clone(racks), newHost("h4", "kind=other row=w1")),
			[]string{"Worker: topologyKey: no host that the role selects has a label row"}},
		{"some carry it", func(s *v1.NodeSet) { s.TopologyKey = "row" },
			append(slices.Clone(racks), newHost("h4", "kind=w row=w1")), nil},
		{"the label is there, and empty", func(s *v1.NodeSet) { s.TopologyKey = "row" },
			[]inventory.Host{newHost("h1", "kind=w row=")},
			[]string{"Worker: topologyKey: no host that the role selects has a label row"}},
		{"one of several keys", func(s *v1.NodeSet) { s.TopologyKey, s.TopologyKeys = "", []string{"row", "rack"} },
			racks, []string{"Worker: topologyKeys: no host that the role selects has a label row"}},
		{"the key of a spread", func(s *v1.NodeSet) { s.Spread = &v1.Spread{TopologyKey: "rick"} }, racks,
			[]string{`Worker: spread.topologyKey: no host that the role selects has a label rick, did you mean "rack"?`}},
		{"a key that is none may be a secret", func(s *v1.NodeSet) { s.TopologyKey = "pass: word\n" }, racks,
			[]string{"Worker: topologyKey: no host that the role selects has a label (not shown)"}},
		{"nor that of a spread", func(s *v1.NodeSet) { s.Spread = &v1.Spread{TopologyKey: "pass: word\n"} }, racks,
			[]string{"Worker: spread.topologyKey: no host that the role selects has a label (not shown)"}},
		{"no host is selected: a shortage, and nothing to say of the key",
			func(s *v1.NodeSet) { s.TopologyKey = "rak" }, []inventory.Host{host1("h3", "other", "r3")}, nil},
		{"no host is wanted", func(s *v1.NodeSet) { s.TopologyKey, s.Count = "rak", &v1.NodeCount{} }, racks, nil},
		{
			"keys that cross", func(s *v1.NodeSet) { s.TopologyKey, s.TopologyKeys = "", []string{"row", "rack"} },
			[]inventory.Host{ofA("h1", "kind=w row=w1 rack=r1"), ofA("h2", "kind=w row=w2 rack=r1"), free},
			[]string{`Worker: topologyKeys: rack is not nested in row: hosts metal/h1 and metal/h2 share rack=r1, but one lies in row="w1" and the other lies in row="w2"`},
		},
		{
			"keys that cross, though the one between them does not", func(s *v1.NodeSet) {
				s.TopologyKey, s.TopologyKeys, s.Unlabelled = "", []string{"zone", "row", "rack"}, v1.UnlabelledAllow
			},
			[]inventory.Host{ofA("h1", "kind=w zone=z1 rack=r1"), ofA("h2", "kind=w zone=z2 rack=r1"),
				newHost("h3", "kind=w zone=z1 row=w1 rack=r2")},
			[]string{`Worker: topologyKeys: rack is not nested in zone: hosts metal/h1 and metal/h2 share rack=r1, but one lies in zone="z1" and the other lies in zone="z2"`},
		},
		{
			"keys in the wrong order", func(s *v1.NodeSet) {
				s.TopologyKey, s.TopologyKeys = "", []string{"rack",
					"row"}
			},
			[]inventory.Host{ofA("h1", "kind=w row=w1 rack=r1"), ofA("h2", "kind=w row=w1 rack=r2"), free},
			[]string{`Worker: topologyKeys: row is not nested in rack: hosts metal/h1 and metal/h2 share row=w1, but one lies in rack="r1" and the other lies in rack="r2"`},
		},
		{
			"keys that cross on a host that the role has and does not select any more",
			func(s *v1.NodeSet) { s.TopologyKey, s.TopologyKeys = "", []string{"row", "rack"} },
			[]inventory.Host{ofA("h1", "kind=w row=w1 rack=r1"), ofA("h2", "kind=x row=w2 rack=r1"), free},
			[]string{`Worker: topologyKeys: rack is not nested in row: hosts metal/h1 and metal/h2 share rack=r1, but one lies in row="w1" and the other lies in row="w2"`},
		},
	}
	for _, row := range rows {
		clusters := []v1.SIPCluster{newCluster("a", one(row.change)),
			newCluster("b", map[string]v1.NodeSet{"Edge": {Count: &v1.NodeCount{Active: 1}}})}
		p := plan(t, clusters, row.hosts, Previous{}, testOptions)
		got := Say.Refusals(p.Clusters[0].Refused)
		assert.Truef(t, slices.Equal(got, row.want), "%s: refused %q, want %q", row.why, got, row.want)
		if row.want != nil && (!p.Clusters[0].Unschedulable || p.Clusters[0].Roles[0].Counts().New > 0) {
			t.Errorf("%s: placed all the same", row.why)
		}
		b := p.Clusters[1]
		assert.Truef(t, !b.Unschedulable && len(b.Roles[0].Assigned) == 1, "%s: the other cluster has to suffer",
			row.why)
	}
}

// TestCrossing is contract 14: a label that crosses on a host that a role neither holds nor can get is nothing to the
// role, and a free host that crosses is not eligible. The role nests rows and racks, with at most nine hosts in each.
func TestCrossing(t *testing.T) {
	set := v1.NodeSet{Count: &v1.NodeCount{Active: 2}, TopologyKeys: []string{"row", "rack"},
		MaxPerDomainByKey: map[string]v1.PerDomain{"row": 9, "rack": 9},
		LabelSelector:     metav1.LabelSelector{MatchLabels: map[string]string{"kind": "w"}}}
	good := []inventory.Host{newHost("h2", "kind=w row=w1 rack=r1"), newHost("h3", "kind=w row=w1 rack=r1")}
	typo := newHost("h1", "kind=w row=typo rack=r1")
	wrong := CrossingLabel{Narrow: "rack", Value: "r1", Wide: "row", Found: "typo", Want: "w1"}
	tie := wrong
	tie.Want = ""
	for _, row := range []struct {
		why   string
		hosts []inventory.Host
		want  string
		h1    Reason // that keeps the role from h1; nil if it is another's, or not eligible anyway
		warns bool
	}{
		{"nothing crosses", append(good, newHost("h1", "kind=w row=w2 rack=r2")), "+h1 +h2", nil, false},
		{"a free host", append(good, typo), "+h2 +h3", wrong, true},
		{"a cordoned host", append(good, with(typo, func(s *inventory.State) { s.Cordoned = "repair" })), "+h2 +h3",
			nil, true},
		{"another cluster's host", append(good, claimed(newHost("h1", "kind=w row=typo rack=r1"), "z", "Edge")),
			"+h2 +h3",
			nil, true},
		{"a host of another kind", append(good, newHost("h1", "kind=x row=typo rack=r1")), "+h2 +h3", nil, true},
		{"a host of its own, and a free one that differs",
			[]inventory.Host{claimed(newHost("h2", "kind=w row=w1 rack=r1"), "a", v1.RoleWorker), typo,
				newHost("h4", "kind=w row=typo rack=r1"), newHost("h5", "kind=w row=w2 rack=r2")}, "h2 +h5", wrong,
			true},
		{"one against one: neither", []inventory.Host{typo, newHost("h2", "kind=w row=w1 rack=r1")},
			"short 2/0 unschedulable", tie, true},
	} {
		clusters := []v1.SIPCluster{newCluster("a", map[string]v1.NodeSet{v1.RoleWorker: set}),
			newCluster("z", map[string]v1.NodeSet{"Edge": {Count: &v1.NodeCount{}}})}
		p := plan(t, clusters, row.hosts, Previous{}, testOptions)
		first, _, _ := strings.Cut(summary(p), "\n")
		assert.Equal(t, "a Worker: "+row.want, first, row.why)
		warned := slices.ContainsFunc(p.Warnings, func(w Warning) bool { _, ok := w.(Crossing); return ok })
		assert.Equal(t, row.warns, warned, row.why+": a warning")
		if row.h1 == nil {
			continue
		}
		found, _ := p.ExplainHost(HostKey{Namespace: "metal", Name: "h1"})
		assert.Equal(t, row.h1, found.Roles[0].Reason, row.why)
	}
}

// TestRefusedKeepsWhatItHas: a label that vanishes from every host, or a key that is misspelled later, takes nothing
// from a cluster: not the hosts that it has too many of, not those that failed, and no standby host is promoted.
func TestRefusedKeepsWhatItHas(t *testing.T) {
	set := nodes("kind=w", 2, 1)
	set.TopologyKey = "rak"
	a := annotated(newCluster("a", map[string]v1.NodeSet{v1.RoleWorker: set}), v1.RemoveAnnotation, "h2")
	hosts := []inventory.Host{
		claimed(host1("h1", "w", "r1"), "a", v1.RoleWorker), claimed(host1("h2", "w", "r2"), "a", v1.RoleWorker),
		broken(claimed(host1("h3", "w", "r3"), "a", v1.RoleWorker)),
		standbyOf(claimed(host1("h4", "w", "r4"), "a", v1.RoleWorker)),
		claimed(host1("h5", "w", "r5"), "a", v1.RoleWorker), claimed(host1("h6", "w", "r6"), "a", "Edge"),
		claimed(host1("h7", "w", "r7"), "a", v1.RoleWorker), host1("h8", "w", "r8"),
	}
	previous := Previous{Claims: []PreviousClaim{releasing(inTree("h7", "a", v1.RoleWorker))}}
	p := plan(t, []v1.SIPCluster{a}, hosts, previous, testOptions)
	wantPlaced(t, "", p, "a Worker: h1 h2 h3 h5 ~h4 -h7 unschedulable\na Edge: h6 unschedulable\n")
	hosts[6] = provisionedBy(hosts[6], "m7")
	p = plan(t, []v1.SIPCluster{a}, hosts, previous, testOptions)
	wantPlaced(t, "somebody uses the host that was on its way out", p,
		"a Worker: h1 h2 h3 h5 h7 ~h4 unschedulable\na Edge: h6 unschedulable\n")
	gone := a
	gone.DeletionTimestamp = &metav1.Time{}
	p = plan(t, []v1.SIPCluster{gone}, hosts, Previous{}, testOptions)
	assert.Truef(t, len(p.Clusters[0].Refused) == 0 && len(p.Clusters[0].Roles[0].Releasing) > 0, "being deleted: %s",
		summary(p))
}

// TestCrossingHostsOfItsOwn is contract 14: a role two of whose hosts cross is frozen, each pair of keys is named once,
// and a cluster that leaves is not frozen: it would keep the hosts forever.
func TestCrossingHostsOfItsOwn(t *testing.T) {
	set := v1.NodeSet{Count: &v1.NodeCount{Active: 2}, TopologyKeys: []string{"hall", "row", "rack"},
		MaxPerDomainByKey: map[string]v1.PerDomain{"hall": 9, "row": 9, "rack": 9},
		LabelSelector:     metav1.LabelSelector{MatchLabels: map[string]string{"kind": "w"}}}
	hosts := []inventory.Host{claimed(newHost("h1", "kind=w hall=1 row=w1 rack=r1"), "a", v1.RoleWorker),
		claimed(newHost("h2", "kind=w hall=2 row=w2 rack=r1"), "a", v1.RoleWorker)}
	a := newCluster("a", map[string]v1.NodeSet{v1.RoleWorker: set})
	p := plan(t, []v1.SIPCluster{a}, hosts, Previous{}, testOptions)
	wantPlaced(t, "frozen", p, "a Worker: h1 h2 unschedulable")
	assert.Len(t, p.Clusters[0].Refused, 1)
	a.DeletionTimestamp = &metav1.Time{}
	p = plan(t, []v1.SIPCluster{a}, hosts, Previous{}, testOptions)
	wantPlaced(t, "leaving", p, "a Worker: -h1 -h2")
}

// TestRefusedKeepsTheDomain: the file of a frozen cluster keeps the domain that a host had at its assignment, whatever
// its label says now. Only a cluster that is not frozen gets the new one.
func TestRefusedKeepsTheDomain(t *testing.T) {
	clusters := []v1.SIPCluster{newCluster("a", map[string]v1.NodeSet{v1.RoleWorker: nodes("kind=w", 1, 0)})}
	claim := inTree("h1", "a", v1.RoleWorker)
	claim.Domain = "r1"
	for refused, want := range map[string]string{"": "r2", "wrong": "r1"} {
		options := testOptions
		if refused != "" {
			options.Refused = map[ClusterKey][]string{claim.Cluster: {refused}}
		}
		p := plan(t, clusters, []inventory.Host{claimed(host1("h1", "w", "r2"), "a", v1.RoleWorker)},
			Previous{Claims: []PreviousClaim{claim}}, options)
		assert.Equal(t, want, p.Clusters[0].Roles[0].Assigned[0].Domain, refused)
	}
}

// TestRefusedByTheCaller: what the caller found is as good a reason.
func TestRefusedByTheCaller(t *testing.T) {
	options := testOptions
	options.Refused = map[ClusterKey][]string{{Namespace: "tenants", Name: "a"}: {"second", "first"},
		{Namespace: "tenants", Name: "nobody"}: {"x"}}
	p := plan(t, []v1.SIPCluster{newCluster("a", map[string]v1.NodeSet{v1.RoleWorker: nodes("", 1, 0)})},
		[]inventory.Host{host1("h1", "w", "r1")}, Previous{}, options)
	wantPlaced(t, "", p, "a Worker: short 1/0 unschedulable")
	assert.Equal(t, []string{"first", "second"}, Say.Refusals(p.Clusters[0].Refused))
}

// TestNetworkThatIsNone: what no network can be called, and a secret, validation has refused: nothing else is said of
// it, and the cluster keeps its hosts.
func TestNetworkThatIsNone(t *testing.T) {
	options := testOptions
	options.Refused = map[ClusterKey][]string{{Namespace: "tenants", Name: "a"}: {"said"}}
	for _, id := range []string{"\n::error::x", "a b", strings.Repeat("L", 129), "ghp_" + strings.Repeat("a1B2", 9)} {
		c := onOAM("a", 1, 0)
		c.Spec.Services.LoadBalancerWorker[0].NodeInterface = id
		h := claimed(host1("h1", "w", "r1"), "a", v1.RoleWorker)
		p := plan(t, []v1.SIPCluster{c}, []inventory.Host{h, host1("h2", "w", "r2")},
			Previous{Claims: []PreviousClaim{inTree("h1", "a", v1.RoleWorker)}}, options)
		wantPlaced(t, id, p, "a Worker: h1 unschedulable\n")
		assert.Equal(t, []string{"said"}, Say.Refusals(p.Clusters[0].Refused), id)
		assert.Len(t, slices.Concat(p.Clusters[0].Warnings, p.Clusters[0].Roles[0].Warnings), 0, id+": warnings")
	}
}

// TestFaultyHosts: nobody gets a host whose object is wrong, whoever has it keeps it, and the others go on. One of
// which no patch may be written is kept as it is by whoever has it by the tree, whatever its labels say: a release
// waits, and one that has begun goes on. h1 has the fault.
func TestFaultyHosts(t *testing.T) {
	object, twice, label, mac, patch := inventory.FaultObject, inventory.FaultTwice, inventory.FaultLabel, inventory.FaultMAC, inventory.FaultPatch
	for _, row := range []struct {
		why                          string
		fault                        inventory.FaultKind
		clusters, hosts, tree, place string
	}{
		{"free: another one is taken", mac, "a:1", "h1/r1 h2/r2", "", "a Worker: +h2"},
		{"held by its labels", mac, "a:1", "h1/r1=a h2/r2", "", "a Worker: h1"},
		{"held by the tree, and nothing can be read but its name", object, "a:1", "h1/r1 h2/r2", "h1=a",
			"a Worker: h1"},
		{"there twice, with another uid than the tree's", twice, "a:1", "h1/r1^ h2/r2", "h1=a", "a Worker: h1"},
		{"not wanted any more, and cannot tell whether it is in use", object, "a:0", "h1/r1", "h1=a", "a Worker: (h1)"},
		{"not wanted any more, and what it is used for is known", mac, "a:0", "h1/r1", "h1=a", "a Worker: -h1"},
		{"released, and not seen clean as long as its labels cannot be read", label, "a:0", "h1/r1", "-h1=a",
			"a Worker: -h1"},
		{"a label of a claim is none: the tree says whose it is", label, "a:1", "h1/r1=a", "h1=a", "a Worker: h1"},
		{"free: another one is taken", patch, "a:1", "h1/r1 h2/r2", "", "a Worker: +h2"},
		{"held", patch, "a:1", "h1/r1=a h2/r2", "h1=a", "a Worker: h1"},
		{"held, and its labels say that it is free and was never handed out", patch, "a:1", "h1/r1", "h1=a",
			"a Worker: h1"},
		{"its labels name another cluster, and nothing uses it", patch, "a:1", "h1/r1=z h2/r2", "h1=a", "a Worker: h1"},
		{"its labels name another role", patch, "a:1", "h1/r1=a.Other h2/r2", "h1=a", "a Worker: h1"},
		{"its uid cannot be read", patch, "a:1", "h1/r1%=a", "h1=a", "a Worker: h1"},
		{"not wanted any more", patch, "a:0", "h1/r1=a", "h1=a", "a Worker: (h1)"},
		{"its release has begun", patch, "a:0", "h1/r1=a", "-h1=a", "a Worker: -h1"},
		{"its release has begun, and it is wanted again", patch, "a:1", "h1/r1=a h2/r2", "-h1=a", "a Worker: +h2 -h1"},
		{"its release has begun, and somebody uses it", patch, "a:0", "h1/r1!=a", "-h1=a", "a Worker: -h1"},
		{"its release was seen", patch, "a:0", "h1/r1", "-h1=a", "a Worker:"},
	} {
		clusters, hosts, tree := sited(t, row.clusters, row.hosts, row.tree)
		switch row.fault {
		case object:
			hosts[0] = inventory.Host{Namespace: "metal", Name: "h1"}
		case label:
			delete(hosts[0].Labels, testOptions.Keys.ClusterName)
		}
		hosts[0].Faults = []inventory.Fault{{Kind: row.fault, Text: "wrong"}}
		p := plan(t, clusters, hosts, tree, testOptions)
		wantPlaced(t, row.why, p, row.place+"\n")
		for _, a := range p.Clusters[0].Roles[0].Assigned {
			if a.Host.Name == "h1" && row.tree != "" && a.Host.UID != "uid-h1" {
				t.Errorf("%s: its patch would be for uid %q", row.why, a.Host.UID)
			}
		}
		if loss := Losses(p); row.tree != "" && len(loss.Missing)+len(loss.Recreated) > 0 {
			t.Errorf("%s: counts as lost", row.why)
		}
		if said := strings.Join(Say.Warnings(p.Warnings), "\n"); strings.Contains(said,
			"host metal/h1: wrong: it is not handed out") != (row.fault != patch) {
			t.Errorf("%s: said %q", row.why, said)
		}
	}
}

// TestSupposed is contract 18: who is frozen is told of all faults at once, so the hosts that a spec gives up are
// counted although the spec contradicts the hosts; not those of a spec that the caller refuses.
func TestSupposed(t *testing.T) {
	hosts := []inventory.Host{
		claimed(newHost("h1", "kind=w row=w1 rack=r1"), "a", v1.RoleWorker),
		claimed(newHost("h2", "kind=w row=w2 rack=r1"), "a", v1.RoleWorker),
		claimed(newHost("h3", "kind=w row=w1 rack=r3"), "a", v1.RoleWorker),
	}
	for why, change := range map[string]func(*v1.NodeSet){
		"a misspelled key": func(s *v1.NodeSet) { s.TopologyKey = "rak" },
		"keys that cross":  func(s *v1.NodeSet) { s.TopologyKey, s.TopologyKeys = "", []string{"row", "rack"} },
		"no network":       nil,
	} {
		set := nodes("kind=w", 1, 0)
		c := newCluster("a", map[string]v1.NodeSet{v1.RoleWorker: set})
		if change == nil {
			c = onOAM("a", 1, 0)
			for i := range hosts {
				hosts[i].Addresses = nil
			}
		} else {
			change(&set)
			c.Spec.Nodes[v1.RoleWorker] = set
		}
		options := testOptions
		lost := func() int {
			loss := Losses(plan(t, []v1.SIPCluster{c}, hosts, Previous{}, options))
			return loss.Asked[KeyOf(&c)]
		}
		assert.Equal(t, 0, lost(), why+": frozen")
		options.Supposed = true
		assert.Equal(t, 2, lost(), why+": supposed")
		options.Refused = map[ClusterKey][]string{KeyOf(&c): {"wrong"}}
		assert.Equal(t, 0, lost(), why+": refused")
	}
}
