package schedule

import (
	"fmt"
	"slices"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/inventory"
	"github.com/stretchr/testify/assert"
)

// TestErrors: a host that another cluster lets go is used. That a host, or a claim, is there twice is TestTwice's of
// holdings.
func TestErrors(t *testing.T) {
	clusters, hosts, tree := sited(t, "a:1", "h1/r1!=a", "-h1=b")
	p, err := Plan(clusters, hosts, tree, testOptions)
	assert.Truef(t, p == nil, "a placement beside the error")
	assert.ErrorContains(t, err, "host metal/h1: its labels name cluster tenants/a, "+
		"but clusters/tenants/b/assignments.yaml names cluster tenants/b, and the hosts may have been read before that was committed: plan from the cluster (--inventory cluster), "+
		"or from a new snapshot of it with --repo (sipgen inventory records when the hosts were read, and a commit when it was made; "+
		"other files do not); if these labels were written into a file by hand, remove them")
}

// newerLabels are testOptions for hosts that were read after the tree was committed.
func newerLabels() Options {
	options := testOptions
	options.LabelsNewer = true
	return options
}

// TestWarnings: what stops nobody is said, with the names that a person needs.
func TestWarnings(t *testing.T) {
	worker := v1.RoleWorker
	one := newCluster("a", map[string]v1.NodeSet{worker: nodes("", 1, 0)})
	alone := func(n int) (hosts []inventory.Host) {
		for i := range n {
			hosts = append(hosts, claimed(host1(fmt.Sprintf("h%02d", i+1), "w", "r1"), "x", worker))
		}
		return hosts
	}
	rows := []struct {
		why      string
		cluster  v1.SIPCluster
		hosts    []inventory.Host
		previous []PreviousClaim
		want     string
	}{
		{"an approval that was carried out, and the host is gone",
			annotated(one, v1.ApproveReleaseAnnotation, "metal/h9"), alone(1), nil,
			`annotation sip.airshipit.org/approve-release names host "metal/h9", which is not in the inventory: this entry has no effect; remove it from the annotation`},
		{"an approval of what Cluster API keeps", annotated(one, v1.ApproveReleaseAnnotation, "h1"),
			[]inventory.Host{with(claimed(host1("h1", "w", "r1"), "a", worker), keptForNext)}, nil,
			"annotation sip.airshipit.org/approve-release names host metal/h1, which Cluster tenants/a keeps for its next machine: such a release cannot be approved; if no machine is to come, remove the host's consumer (sipgen help runbook free-a-host)"},
		{"a removal that was carried out, and the host is gone", annotated(one, v1.RemoveAnnotation, "h9"), alone(1),
			nil,
			`annotation sip.airshipit.org/remove names host "h9", which is not in the inventory: this entry has no effect; remove it from the annotation`},
		{"an approval of what the role still wants", annotated(one, v1.ApproveReleaseAnnotation, "h1"),
			[]inventory.Host{claimed(host1("h1", "w", "r1"), "a", worker)},
			[]PreviousClaim{inTree("h1", "a", worker)},
			"annotation sip.airshipit.org/approve-release approves the release of 1 host that the role still " +
				"needs: no effect " +
				"until its count is lower: metal/h1"},
		{"a host of another site", one, alone(1), nil,
			"1 host left alone: labeled for tenants/x, which is in neither the specs nor the tree: metal/h01; if no other site or tool has it, spec.hosts.release of the Site releases it"},
		{"many hosts of another site", one, alone(12), nil,
			"12 hosts left alone: labeled for tenants/x, which is in neither the specs nor the tree: metal/h01, metal/h02, metal/h03, metal/h04, metal/h05, metal/h06, metal/h07, metal/h08, metal/h09, metal/h10 and 2 more; if no other site or tool has it, spec.hosts.release of the Site releases it"},
		{"an approval of an earlier use", annotated(one, v1.ApproveReleaseAnnotation, "h1"),
			[]inventory.Host{provisionedBy(claimed(host1("h1", "w", "r1"), "a", worker), "m1")}, nil,
			"annotation sip.airshipit.org/approve-release names 1 host for another use than the present one, or from before the cluster had the host: no effect; to approve this use, remove the name, publish, and add the name again: metal/h1"},
		{"the tree was rolled back, and the host is not in use", one,
			[]inventory.Host{claimed(host1("h1", "w", "r1"), "a", worker)}, []PreviousClaim{inTree("h1", "b", worker)},
			"host metal/h1: its labels name tenants/a Worker, but clusters/tenants/b/assignments.yaml names " +
				"tenants/b Worker: the host is not in use, so the tree counts, and the next sync corrects the labels"},
		{"some labels contradict the tree", one, []inventory.Host{newHost("h1", "sip.airshipit.org/cluster-name=c")},
			[]PreviousClaim{inTree("h1", "a", worker)},
			`host metal/h1: its labels name "/c", but clusters/tenants/a/assignments.yaml names tenants/a Worker: the host is not in use, so the tree counts, and the next sync corrects the labels`},
	}
	for _, row := range rows {
		p := plan(t, []v1.SIPCluster{row.cluster}, row.hosts, Previous{Claims: row.previous}, newerLabels())
		found := Say.Warnings(p.Warnings)
		for _, c := range p.Clusters {
			found = append(found, Say.Warnings(c.Warnings)...)
			for i := range c.Roles {
				found = append(found, Say.Warnings(c.Roles[i].Warnings)...)
			}
		}
		assert.Truef(t, slices.Contains(found, row.want), "%s: found %q, want %q", row.why, found, row.want)
	}
}

// TestNamesThatAreNone: what labels and files call a cluster or a role becomes a folder of the tree, and a label. A
// name that cannot be one is nobody's, and the host is not handed out.
func TestNamesThatAreNone(t *testing.T) {
	worker := v1.RoleWorker
	clusters := []v1.SIPCluster{newCluster("a", map[string]v1.NodeSet{worker: nodes("kind=w", 1, 0)})}
	for _, row := range []struct {
		why      string
		host     inventory.Host
		previous []PreviousClaim
		want     string
	}{
		{"a cluster, by labels", claimed(host1("h1", "w", "r1"), "Edge_A", worker), nil,
			`labeled for "tenants/Edge_A", which is in neither the specs nor the tree`},
		{"a cluster that leads out of the tree, by the tree", host1("h1", "w", "r1"),
			[]PreviousClaim{inTree("h1", "../../x", worker)},
			`labeled for "tenants/../../x", which is in neither the specs nor the tree`},
		{"a role, by labels", claimed(host1("h1", "w", "r1"), "a", "no role"), nil,
			`claimed for role "no role", which is no valid name`},
		{"a role, by the tree", host1("h1", "w", "r1"), []PreviousClaim{inTree("h1", "a", "")},
			`claimed for role "", which is no valid name`},
	} {
		p := plan(t, clusters, []inventory.Host{row.host}, Previous{Claims: row.previous}, newerLabels())
		assert.Truef(t,
			len(p.Clusters) == 1 && len(p.Clusters[0].Roles) == 1 && len(p.Clusters[0].Roles[0].Assigned) == 0,
			"%s: found %+v, want cluster a and its role, without the host", row.why, p.Clusters)
		assert.Equal(t, row.want, Say.Reason(p.Hosts[0].Reason), row.why)
	}
}
