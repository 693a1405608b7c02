package schedule

import (
	"fmt"
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/inventory"
	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestSelected holds what selectors match of each kind of hosts to what they match host by host. A label that is
// missing is not an empty one.
func TestSelected(t *testing.T) {
	var hosts []inventory.Host
	for i, labels := range []string{"", "pool=", "pool=a", "pool=b", "slot=1", "pool=a slot=1", "pool= slot=1",
		"slot="} {
		h := newHost(fmt.Sprint("h", i), labels)
		hosts = append(hosts, h, within("other", h))
	}
	var clusters []v1.SIPCluster
	for i, text := range []string{"", "pool", "!pool", "pool=", "pool in (a, b)", "pool notin (a)", "pool=a, slot",
		"!slot"} {
		selector := need.Value(metav1.ParseToLabelSelector(text))(t)
		set := v1.NodeSet{LabelSelector: *selector, Count: &v1.NodeCount{Active: 1}}
		roles := map[string]v1.NodeSet{"Edge": set, v1.RoleWorker: from(set, "other")}
		clusters = append(clusters, newCluster(fmt.Sprint("c", i), roles))
	}
	s := newSite(clusters, hosts, testOptions)
	s.sortByTurn()
	s.sortByLabels()
	for _, r := range s.roles {
		for i := range s.hosts {
			h := &s.hosts[i]
			why := fmt.Sprintf("%s: %s matches %s", r, r.selector, h.key())
			assert.Equal(t, matches(r.selector, h.Host), s.selects(r.selector).Has(h.kind), why)
		}
	}
}

// Secrets are read of the hosts whose addresses may decide anything, or are kept when a role gets the host, and of no
// others.
func TestCandidates(t *testing.T) {
	cluster := newCluster("a", map[string]v1.NodeSet{v1.RoleWorker: nodes("kind=x", 1, 0)})
	cluster.Spec.Services.LoadBalancerWorker = []v1.LoadBalancerWorker{{NodeInterface: "oam"}}
	held, free, other := claimed(newHost("h1", "kind=x"), "a", v1.RoleWorker), newHost("h2", "kind=x"), newHost("h3",
		"kind=y")
	noService := newCluster("a", map[string]v1.NodeSet{v1.RoleWorker: nodes("kind=x", 1, 0)})
	for why, cluster := range map[string]v1.SIPCluster{"a service reaches the hosts by their address": cluster,
		"no service does": noService} {
		candidate := Candidates([]v1.SIPCluster{cluster}, testOptions.Keys)
		assert.Truef(t, candidate(&held), "%s: a host with our labels is left out", why)
		assert.Truef(t, !candidate(&other), "%s: a host that no selector matches is a candidate", why)
		assert.Truef(t, candidate(&free),
			"%s: a host that the role may get is left out: its addresses could not be kept", why)
	}
}

// within has a host in a namespace.
func within(namespace string, h inventory.Host) inventory.Host {
	h.Namespace = namespace
	return h
}

// from narrows a role to namespaces of hosts.
func from(set v1.NodeSet, namespaces ...string) v1.NodeSet {
	set.HostNamespaces = namespaces
	return set
}

func TestHostNamespaces(t *testing.T) {
	role := func(set v1.NodeSet) []v1.SIPCluster {
		set.TopologyKey = ""
		return []v1.SIPCluster{newCluster("a", map[string]v1.NodeSet{v1.RoleWorker: set})}
	}
	hosts := []inventory.Host{within("east", newHost("h1", "kind=w")), within("west", newHost("h2", "kind=w")),
		within("west", newHost("h3", "kind=w metadata.namespace=east"))}
	held := func() []inventory.Host {
		return []inventory.Host{within("east", claimed(newHost("h1", "kind=w"), "a", v1.RoleWorker)), hosts[1],
			hosts[2]}
	}
	for _, row := range []struct {
		why      string
		clusters []v1.SIPCluster
		hosts    []inventory.Host
		want     string // the summary
		says     string // of the first shortage
	}{
		{"any namespace", role(nodes("kind=w", 3, 0)), hosts, "a Worker: +h1 +h2 +h3", ""},
		{"one namespace", role(from(nodes("kind=w", 2, 0), "west")), hosts, "a Worker: +h2 +h3", ""},
		{"several", role(from(nodes("kind=w", 3, 0), "west", "east")), hosts, "a Worker: +h1 +h2 +h3", ""},
		{"no label of a host is its namespace", role(from(nodes("kind=w", 2, 0), "east")), hosts,
			"a Worker: short 2/0 unschedulable",
			"there is only 1 free host it can use. Missing: 1 host in namespace east with kind=w."},
		{"hosts of nowhere", role(from(nodes("kind=w", 1, 0), "north", "south")), hosts,
			"a Worker: short 1/0 unschedulable",
			"No host matches its selector: none is in namespace north or south. Missing: 1 host in namespace north or south with kind=w."},
		{"a host that it has stays, wherever it is", role(from(nodes("kind=w", 2, 0), "west")), held(),
			"a Worker: h1 +h2", ""},
	} {
		p := plan(t, row.clusters, row.hosts, Previous{}, testOptions)
		wantPlaced(t, row.why, p, row.want)
		if row.says != "" && (len(p.Shortages) == 0 || !strings.Contains(Say.Shortage(&p.Shortages[0]), row.says)) {
			t.Errorf("%s: got %v, want in it: %s", row.why, p.Shortages, row.says)
		}
	}
	candidate := Candidates(role(from(nodes("kind=w", 2, 0), "west")), testOptions.Keys)
	assert.Truef(t, !candidate(&hosts[0]) && candidate(&hosts[1]),
		"candidates: want the hosts of the namespace, and no others")
	assert.Truef(t, !Candidates(role(from(nodes("kind=w", 2, 0), "east")), testOptions.Keys)(&hosts[2]),
		"candidates: a label of a host is taken for its namespace")
}

// TestLabelsDiffer: a warning of labels that are not the tree's has why the tree counts.
func TestLabelsDiffer(t *testing.T) {
	cluster := annotated(newCluster("a", map[string]v1.NodeSet{v1.RoleControlPlane: nodes("", 0, 0)}),
		v1.ApproveReleaseAnnotation, "h1")
	idle := claimed(newHost("h1", "rack=r1"), "a", v1.RoleControlPlane)
	tree := PreviousClaim{Host: KeyOfHost(&idle), UID: idle.UID, Cluster: KeyOf(&cluster), Role: v1.RoleWorker}
	used, twice, released := idle, idle, tree
	used.State.Consumer = &inventory.Consumer{Kind: inventory.MachineKind, Namespace: "t", Name: "m"}
	released.Releasing, released.Use = true, "Metal3Machine/t/m"
	released.Approval = used.UID + "/" + released.Use
	twice.State.Consumer, twice.Faults = used.State.Consumer, []inventory.Fault{{Kind: inventory.FaultTwice}}
	for _, row := range []struct {
		why  string
		host inventory.Host
		tree PreviousClaim
		want LabelsDiffer
	}{
		{"idle", idle, tree, LabelsDiffer{}},
		{"in use, and its release is approved", used, released, LabelsDiffer{Approved: true}},
		{"defined twice", twice, tree, LabelsDiffer{Unsure: true}},
	} {
		row.want.Host, row.want.Source = row.tree.Host, row.tree.Source
		row.want.Labels = RoleKey{row.tree.Cluster, v1.RoleControlPlane}
		row.want.Tree = RoleKey{row.tree.Cluster, v1.RoleWorker}
		p := plan(t, []v1.SIPCluster{cluster}, []inventory.Host{row.host}, Previous{Claims: []PreviousClaim{row.tree}},
			testOptions)
		assert.Contains(t, p.Warnings, Warning(row.want), row.why)
	}
}
