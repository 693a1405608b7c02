package schedule

import (
	"reflect"
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/inventory"
	"github.com/stretchr/testify/assert"
)

// TestHeldHostThatLostItsRow: it lies in the row that others in its rack lie in, and takes up its rack and its row.
func TestHeldHostThatLostItsRow(t *testing.T) {
	set := nodes("", 3, 0)
	set.TopologyKey, set.TopologyKeys, set.MaxPerDomainByKey = "", []string{"row",
		"rack"}, map[string]v1.PerDomain{"row": 2}
	hosts := []inventory.Host{
		claimed(newHost("h1", "rack=r1"), "a", "Edge"), newHost("h2", "row=w1 rack=r1"),
		newHost("h3", "row=w1 rack=r2"), newHost("h4", "row=w1 rack=r3"),
		newHost("h5", "row=w2 rack=r4"),
	}
	p := plan(t, []v1.SIPCluster{newCluster("a", map[string]v1.NodeSet{"Edge": set})}, hosts, Previous{}, testOptions)
	wantPlaced(t, "", p, "a Edge: h1 +h3 +h5\n")
	p = plan(t, []v1.SIPCluster{newCluster("a", map[string]v1.NodeSet{"Edge": set})},
		[]inventory.Host{claimed(newHost("h1", "rack=r1"), "a", "Edge"), newHost("h2", "rack=r2")}, Previous{},
		testOptions)
	wantPlaced(t, "no host has a row", p, "a Edge: h1 short 2/0 unschedulable\n")
}

func TestHostsWithoutTheKey(t *testing.T) {
	hosts := func(labels ...string) []inventory.Host {
		var out []inventory.Host
		for i, l := range labels {
			out = append(out, newHost("h"+string(rune('1'+i)), l))
		}
		return out
	}
	for _, row := range []struct {
		why    string
		change func(*v1.NodeSet)
		hosts  []inventory.Host
		want   string
	}{
		{"a host without the key takes no slot", nil, hosts("", "rack=r1", "rack=r2", ""), "a Edge: +h2 +h3\n"},
		{"an empty value is none", nil, hosts("rack=", "rack=r1", "rack=r2"), "a Edge: +h2 +h3\n"},
		{"too few with the key", nil, hosts("", "rack=r1", ""), "a Edge: short 2/0 unschedulable\n"},
		{"refuse is the default", func(s *v1.NodeSet) { s.Unlabelled = v1.UnlabelledRefuse }, hosts("", "rack=r1", ""),
			"a Edge: short 2/0 unschedulable\n"},
		{"allow", func(s *v1.NodeSet) { s.Unlabelled = v1.UnlabelledAllow }, hosts("", "rack=r1", ""),
			"a Edge: +h1 +h2\n"},
		{"no key, nothing to lack", func(s *v1.NodeSet) { s.TopologyKey = "" }, hosts("", "rack=r1", ""),
			"a Edge: +h1 +h2\n"},
		{"every key", func(s *v1.NodeSet) { s.TopologyKey, s.TopologyKeys = "", []string{"row", "rack"} },
			hosts("row=w1", "rack=r2", "row=w1 rack=r1", "row=w2 rack=r3"), "a Edge: +h3 +h4\n"},
		{"a host that lost its wide key makes nobody's keys cross",
			func(s *v1.NodeSet) { s.TopologyKey, s.TopologyKeys = "", []string{"row", "rack"} },
			hosts("rack=r1", "row=w1 rack=r1", "row=w2 rack=r3"), "a Edge: +h2 +h3\n"},
		{"a host whose rack others have in several rows lies in none", func(s *v1.NodeSet) {
			s.LabelSelector, s.TopologyKey, s.TopologyKeys = nodes("kind=w", 2, 0).LabelSelector, "", []string{"row",
				"rack"}
		},
			hosts("kind=w rack=r1", "row=w1 rack=r1", "row=w2 rack=r1", "kind=w rack=r1", "kind=w row=w1 rack=r2",
				"kind=w row=w2 rack=r3"), "a Edge: +h5 +h6\n"},
	} {
		set := nodes("", 2, 0)
		if row.change != nil {
			row.change(&set)
		}
		p := plan(t, []v1.SIPCluster{newCluster("a", map[string]v1.NodeSet{"Edge": set})}, row.hosts, Previous{},
			testOptions)
		wantPlaced(t, row.why, p, row.want)
	}
}

// TestChosenAmongUnlabelled: hosts in one domain are not elsewhere for each other, and a host that lacks the deciding
// label is in no other domain.
func TestChosenAmongUnlabelled(t *testing.T) {
	const free = "new: rack=r1, the only free host there that fits"
	for _, row := range []struct {
		why, keys, want string
		labels          []string // of h1, which is chosen, and of the others
	}{
		{"the only one", "row rack", free + ", none elsewhere", []string{"row=w1 rack=r1"}},
		{"another rack of its row", "row rack", free + "; 1 elsewhere in 1 domain",
			[]string{"row=w1 rack=r1", "row=w1 rack=r2"}},
		{"its row, without a rack", "row rack", free + "; 1 without label rack", []string{"row=w1 rack=r1", "row=w1"}},
		{"neither row nor rack", "row rack", free + "; 1 without label rack", []string{"row=w1 rack=r1", ""}},
		{"one key", "rack", free + "; 1 without label rack", []string{"rack=r1", ""}},
		{"all of these", "row rack", free + "; 2 elsewhere in 1 domain; 2 without label rack",
			[]string{"row=w1 rack=r1", "row=w1", "", "row=w2", "row=w2 rack=r3"}},
		{"it has no rack, and its row has racks", "row rack",
			"new: row=w1, one of 3 free hosts there that fit; 2 elsewhere in 2 domains; 1 without label row",
			[]string{"row=w1", "row=w1 rack=r1", "row=w1 rack=r2", "row=w2 rack=r3", "row=w3", ""}},
		{"it has no label", "row rack", "new: has no label row and is not constrained; one of 2 free hosts that fit",
			[]string{"", "row=w1 rack=r1"}},
	} {
		set := nodes("", 1, 0)
		set.TopologyKey, set.TopologyKeys, set.Unlabelled = "", strings.Fields(row.keys), v1.UnlabelledAllow
		set.MaxPerDomainByKey = map[string]v1.PerDomain{"row": 2}
		if row.keys == "rack" {
			set.MaxPerDomainByKey = nil
		}
		var hosts []inventory.Host
		for i, labels := range row.labels {
			hosts = append(hosts, newHost("h"+string(rune('1'+i)), labels))
		}
		p := plan(t, []v1.SIPCluster{newCluster("a", map[string]v1.NodeSet{"Edge": set})}, hosts, Previous{},
			testOptions)
		assert.Equal(t, row.want, Say.Reason(p.Hosts[0].Reason), row.why)
	}
}

// TestLostLabel: a host that lost its label is that host's finding: it stays, and nobody else's placement changes.
func TestLostLabel(t *testing.T) {
	clusters := []v1.SIPCluster{newCluster("a", map[string]v1.NodeSet{"Edge": nodes("", 2, 0)}),
		newCluster("b", map[string]v1.NodeSet{"Edge": nodes("", 1, 0)})}
	ours := " sip.airshipit.org/cluster-namespace=tenants sip.airshipit.org/cluster-name=a sip.airshipit.org/node-type=Edge"
	hosts := []inventory.Host{newHost("h1", strings.TrimSpace(ours)), newHost("h2", "rack=r2"+ours), newHost("h3", ""),
		newHost("h4", "rack=r4")}
	p := plan(t, clusters, hosts, Previous{}, testOptions)
	wantPlaced(t, "", p, "a Edge: h1 h2\nb Edge: +h4\n")
	var kept, left []Warning
	for i := range p.Clusters {
		for _, role := range p.Clusters[i].Roles {
			for _, w := range role.Warnings {
				if lacks, ok := w.(Unlabelled); ok && lacks.Held {
					kept = append(kept, w)
				} else if ok {
					left = append(left, w)
				}
			}
		}
	}
	assert.Equal(t,
		[]Warning{Unlabelled{Keys: []string{"rack"}, Hosts: []HostKey{{Namespace: "metal", Name: "h1"}}, Count: 1,
			Held: true}},
		kept, "kept")
	want := Unlabelled{Keys: []string{"rack"}, Hosts: []HostKey{{Namespace: "metal", Name: "h3"}}, Count: 1}
	assert.Truef(t, len(left) == 2 && reflect.DeepEqual(left[0], want), "left out: %v, want twice %v", left, want)
	line, _ := p.ExplainHost(HostKey{Namespace: "metal", Name: "h3"})
	assert.Equal(t, []Reason{NoLabel{"rack"}, NoLabel{"rack"}}, []Reason{line.Line.Reason, line.Roles[0].Reason}, "h3")
}
