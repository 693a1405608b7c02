package schedule

import (
	"fmt"
	"net/netip"
	"reflect"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/inventory"
)

// rack hosts: "h1 kind rack" as in host("h1", "cp", "r1").
func host1(name, kind, rack string) inventory.Host {
	return newHost(name, "kind="+kind+" rack="+rack)
}

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
	return PreviousClaim{Host: HostKey{"metal", name}, UID: "uid-" + name, Cluster: ClusterKey{"tenants", cluster}, Role: role,
		Source: "clusters/tenants/" + cluster + "/assignments.yaml"}
}

func releasing(c PreviousClaim) PreviousClaim { c.Releasing = true; return c }

func annotated(c v1.SIPCluster, key, value string) v1.SIPCluster {
	c.Annotations = map[string]string{key: value}
	return c
}

func TestPlan(t *testing.T) {
	cp, worker := v1.RoleControlPlane, v1.RoleWorker
	both := func(n, m int) map[string]v1.NodeSet {
		return map[string]v1.NodeSet{cp: nodes("kind=cp", n, 0), worker: nodes("kind=w", m, 0)}
	}
	workers := func(n, standby int) map[string]v1.NodeSet {
		return map[string]v1.NodeSet{worker: nodes("kind=w", n, standby)}
	}
	deleted := newCluster("a", workers(2, 0))
	deleted.DeletionTimestamp = &metav1.Time{}
	rows := []struct {
		why      string
		clusters []v1.SIPCluster
		hosts    []inventory.Host
		previous []PreviousClaim
		want     string
	}{
		{"enough hosts for both roles: a worker may share a rack with a control plane",
			[]v1.SIPCluster{newCluster("a", both(2, 2))},
			[]inventory.Host{host1("c1", "cp", "r1"), host1("c2", "cp", "r2"), host1("w1", "w", "r1"), host1("w2", "w", "r2")}, nil,
			"a ControlPlane: +c1 +c2\na Worker: +w1 +w2\n"},
		{"too few control planes: the workers are not taken either",
			[]v1.SIPCluster{newCluster("a", both(2, 1))},
			[]inventory.Host{host1("c1", "cp", "r1"), host1("w1", "w", "r1")}, nil,
			"a ControlPlane: short 2/0 unschedulable\na Worker: short 1/0 unschedulable\n"},
		{"too few workers: nor are the control planes",
			[]v1.SIPCluster{newCluster("a", both(1, 2))},
			[]inventory.Host{host1("c1", "cp", "r1"), host1("w1", "w", "r1")}, nil,
			"a ControlPlane: short 1/0 unschedulable\na Worker: short 2/0 unschedulable\n"},
		{"all candidates of one role in one rack: one fits, two do not",
			[]v1.SIPCluster{newCluster("a", both(2, 1))},
			[]inventory.Host{host1("c1", "cp", "r1"), host1("c2", "cp", "r1"), host1("w1", "w", "r2")}, nil,
			"a ControlPlane: short 2/0 unschedulable\na Worker: short 1/0 unschedulable\n"},
		{"all candidates of both roles in one rack",
			[]v1.SIPCluster{newCluster("a", both(2, 2))},
			[]inventory.Host{host1("c1", "cp", "r1"), host1("c2", "cp", "r1"), host1("w1", "w", "r1"), host1("w2", "w", "r1")}, nil,
			"a ControlPlane: short 2/0 unschedulable\na Worker: short 2/0 unschedulable\n"},
		{"hosts that another cluster has are not taken",
			[]v1.SIPCluster{newCluster("a", workers(1, 0)), newCluster("b", workers(1, 0))},
			[]inventory.Host{claimed(host1("w1", "w", "r1"), "b", worker), host1("w2", "w", "r2")}, nil,
			"a Worker: +w2\nb Worker: w1\n"},
		{"a host with an incomplete set of our labels is nobody's, and not free",
			[]v1.SIPCluster{newCluster("a", workers(1, 0))},
			[]inventory.Host{newHost("w1", "kind=w rack=r1 sip.airshipit.org/cluster-name=b")}, nil,
			"a Worker: short 1/0 unschedulable\n"},
		{"greed takes w1 in r1 for the first slot and fails; the rack it leaves decides",
			[]v1.SIPCluster{newCluster("a", map[string]v1.NodeSet{worker: nodes("", 1, 0), cp: nodes("kind=cp", 1, 0)})},
			[]inventory.Host{host1("h1", "cp", "r1"), host1("h2", "w", "r1")}, nil,
			"a ControlPlane: +h1\na Worker: +h2\n"},
		{"the racks that a cluster uses already count: the new worker goes to the other rack",
			[]v1.SIPCluster{newCluster("a", workers(2, 0))},
			[]inventory.Host{claimed(host1("w1", "w", "r1"), "a", worker), host1("w2", "w", "r1"), host1("w3", "w", "r2")}, nil,
			"a Worker: w1 +w3\n"},
		{"collisions from before are kept",
			[]v1.SIPCluster{newCluster("a", workers(2, 0))},
			[]inventory.Host{claimed(host1("w1", "w", "r1"), "a", worker), claimed(host1("w2", "w", "r1"), "a", worker)}, nil,
			"a Worker: w1 w2\n"},
		{"active of the second cluster comes before standby of the first",
			[]v1.SIPCluster{newCluster("a", workers(1, 1)), newCluster("b", workers(1, 0))},
			[]inventory.Host{host1("w1", "w", "r1"), host1("w2", "w", "r2")}, nil,
			"a Worker: +w1 short 0/1\nb Worker: +w2\n"},
		{"standby fills an active slot that is empty, and the new host is standby",
			[]v1.SIPCluster{newCluster("a", workers(2, 1))},
			[]inventory.Host{claimed(host1("w1", "w", "r1"), "a", worker), standbyOf(claimed(host1("w3", "w", "r3"), "a", worker)), host1("w2", "w", "r2")}, nil,
			"a Worker: w1 w3 +~w2\n"},
		{"the tree's decisions hold before they are synced",
			[]v1.SIPCluster{newCluster("a", workers(1, 0))},
			[]inventory.Host{host1("w1", "w", "r1"), host1("w2", "w", "r2")}, []PreviousClaim{inTree("w2", "a", worker)},
			"a Worker: w2\n"},
		{"a host that was created anew is not the one the tree means",
			[]v1.SIPCluster{newCluster("a", workers(1, 0))},
			[]inventory.Host{host1("w1", "w", "r1"), func() inventory.Host { h := host1("w2", "w", "r2"); h.UID = "other"; return h }()},
			[]PreviousClaim{inTree("w2", "a", worker)},
			"a Worker: +w1\n"},
		{"fewer wanted: never provisioned goes first, then the last name",
			[]v1.SIPCluster{newCluster("a", workers(1, 0))},
			[]inventory.Host{claimed(host1("w1", "w", "r1"), "a", worker), claimed(host1("w2", "w", "r2"), "a", worker), provisionedBy(claimed(host1("w3", "w", "r3"), "a", worker), "m3")}, nil,
			"a Worker: w3 -w1 -w2\n"},
		{"fewer wanted, all in use: pending, not released",
			[]v1.SIPCluster{newCluster("a", workers(1, 0))},
			[]inventory.Host{provisionedBy(claimed(host1("w1", "w", "r1"), "a", worker), "m1"), provisionedBy(claimed(host1("w2", "w", "r2"), "a", worker), "m2")}, nil,
			"a Worker: w1 (w2)\n"},
		{"an approval names another one, which goes instead",
			[]v1.SIPCluster{annotated(newCluster("a", workers(1, 0)), v1.ApproveReleaseAnnotation, "metal/w1")},
			[]inventory.Host{provisionedBy(claimed(host1("w1", "w", "r1"), "a", worker), "m1"), provisionedBy(claimed(host1("w2", "w", "r2"), "a", worker), "m2")}, nil,
			"a Worker: w2 -w1\n"},
		{"of two hosts in a rack one goes before others",
			[]v1.SIPCluster{newCluster("a", workers(2, 0))},
			[]inventory.Host{claimed(host1("w1", "w", "r1"), "a", worker), claimed(host1("w2", "w", "r1"), "a", worker), claimed(host1("w3", "w", "r3"), "a", worker)}, nil,
			"a Worker: w1 w3 -w2\n"},
		{"marked for removal: goes first when fewer are wanted",
			[]v1.SIPCluster{annotated(newCluster("a", workers(1, 0)), v1.RemoveAnnotation, "w1")},
			[]inventory.Host{claimed(host1("w1", "w", "r1"), "a", worker), claimed(host1("w2", "w", "r2"), "a", worker)}, nil,
			"a Worker: w2 -w1\n"},
		{"marked for removal: replaced first when as many are wanted",
			[]v1.SIPCluster{annotated(newCluster("a", workers(1, 0)), v1.RemoveAnnotation, "w1")},
			[]inventory.Host{claimed(host1("w1", "w", "r1"), "a", worker), host1("w2", "w", "r1")}, nil,
			"a Worker: w1 +w2\n"},
		{"failed: replaced, in its own rack if need be, and kept until that is seen",
			[]v1.SIPCluster{newCluster("a", workers(2, 0))},
			[]inventory.Host{broken(claimed(host1("w1", "w", "r1"), "a", worker)), claimed(host1("w2", "w", "r2"), "a", worker), host1("w3", "w", "r1")}, nil,
			"a Worker: w1 w2 +w3\n"},
		{"failed and not replaced: it stays, and the cluster is no worse for it",
			[]v1.SIPCluster{newCluster("a", workers(2, 0))},
			[]inventory.Host{broken(claimed(host1("w1", "w", "r1"), "a", worker)), claimed(host1("w2", "w", "r2"), "a", worker)}, nil,
			"a Worker: w1 w2\n"},
		{"failed, its replacement only in the tree: still kept",
			[]v1.SIPCluster{newCluster("a", workers(2, 0))},
			[]inventory.Host{broken(claimed(host1("w1", "w", "r1"), "a", worker)), claimed(host1("w2", "w", "r2"), "a", worker), host1("w3", "w", "r1")},
			[]PreviousClaim{inTree("w1", "a", worker), inTree("w2", "a", worker), inTree("w3", "a", worker)},
			"a Worker: w1 w2 w3\n"},
		{"failed, its replacement seen: released",
			[]v1.SIPCluster{newCluster("a", workers(2, 0))},
			[]inventory.Host{broken(claimed(host1("w1", "w", "r1"), "a", worker)), claimed(host1("w2", "w", "r2"), "a", worker), claimed(host1("w3", "w", "r1"), "a", worker)}, nil,
			"a Worker: w2 w3 -w1\n"},
		{"failed, replaced, but provisioned: pending",
			[]v1.SIPCluster{newCluster("a", workers(1, 0))},
			[]inventory.Host{broken(provisionedBy(claimed(host1("w1", "w", "r1"), "a", worker), "m1")), claimed(host1("w3", "w", "r1"), "a", worker)}, nil,
			"a Worker: (w1) w3\n"},
		{"released in the tree, labels still there: keeps leaving",
			[]v1.SIPCluster{newCluster("a", workers(1, 0))},
			[]inventory.Host{claimed(host1("w1", "w", "r1"), "a", worker), claimed(host1("w2", "w", "r2"), "a", worker)},
			[]PreviousClaim{releasing(inTree("w1", "a", worker)), inTree("w2", "a", worker)},
			"a Worker: w2 -w1\n"},
		{"released in the tree and in use since: it is held again, another one goes",
			[]v1.SIPCluster{newCluster("a", workers(1, 0))},
			[]inventory.Host{provisionedBy(claimed(host1("w1", "w", "r1"), "a", worker), "m1"), claimed(host1("w2", "w", "r2"), "a", worker)},
			[]PreviousClaim{releasing(inTree("w1", "a", worker)), inTree("w2", "a", worker)},
			"a Worker: w1 -w2\n"},
		{"released in the tree, wanted again before the labels are gone: held again",
			[]v1.SIPCluster{newCluster("a", workers(2, 0))},
			[]inventory.Host{claimed(host1("w1", "w", "r1"), "a", worker), claimed(host1("w2", "w", "r2"), "a", worker), host1("w0", "w", "r0")},
			[]PreviousClaim{releasing(inTree("w1", "a", worker)), inTree("w2", "a", worker)},
			"a Worker: w1 w2\n"},
		{"released in the tree, wanted again, but its rack is taken by now: another host",
			[]v1.SIPCluster{newCluster("a", workers(2, 0))},
			[]inventory.Host{claimed(host1("w1", "w", "r1"), "a", worker), claimed(host1("w2", "w", "r1"), "a", worker), host1("w3", "w", "r3")},
			[]PreviousClaim{releasing(inTree("w1", "a", worker)), inTree("w2", "a", worker)},
			"a Worker: w2 +w3 -w1\n"},
		{"released in the tree and seen clean: free for others at once",
			[]v1.SIPCluster{newCluster("b", workers(1, 0))},
			[]inventory.Host{host1("w1", "w", "r1")}, []PreviousClaim{releasing(inTree("w1", "a", worker))},
			"b Worker: +w1\n"},
		{"being released by one cluster: another waits for it, so that the release is written",
			[]v1.SIPCluster{newCluster("a", workers(0, 0)), newCluster("b", workers(1, 0))},
			[]inventory.Host{claimed(host1("w1", "w", "r1"), "a", worker)}, nil,
			"a Worker: -w1\nb Worker: short 1/0\n"},
		{"no spec any more: released, but what is in use is pending",
			nil,
			[]inventory.Host{claimed(host1("w1", "w", "r1"), "a", worker), provisionedBy(claimed(host1("w2", "w", "r2"), "a", worker), "m2")},
			[]PreviousClaim{inTree("w1", "a", worker), inTree("w2", "a", worker)},
			"a Worker: (w2) -w1\n"},
		{"no spec, and not in the tree: another site's, or another tool's: left alone, and nobody gets it",
			[]v1.SIPCluster{newCluster("b", workers(1, 0))},
			[]inventory.Host{claimed(host1("w1", "w", "r1"), "a", worker), host1("w2", "w", "r2")}, nil,
			"b Worker: +w2\n"},
		{"no spec any more: a host that the tree does not have is left alone, the others are released",
			nil,
			[]inventory.Host{claimed(host1("w1", "w", "r1"), "a", worker), claimed(host1("w2", "w", "r2"), "a", worker)},
			[]PreviousClaim{inTree("w1", "a", worker)},
			"a Worker: -w1\n"},
		{"labels and tree disagree, nothing uses the host: it is released, and neither gets it before it is clean",
			[]v1.SIPCluster{newCluster("a", workers(1, 0)), newCluster("b", workers(1, 0))},
			[]inventory.Host{claimed(host1("w1", "w", "r1"), "b", worker), host1("w2", "w", "r2"), host1("w3", "w", "r3")},
			[]PreviousClaim{inTree("w1", "a", worker)},
			"a Worker: +w2 -w1\nb Worker: +w3\n"},
		{"the same a run later: the release goes on, though the other cluster lacks a host",
			[]v1.SIPCluster{newCluster("a", workers(1, 0)), newCluster("b", workers(1, 0))},
			[]inventory.Host{claimed(host1("w1", "w", "r1"), "b", worker), claimed(host1("w2", "w", "r2"), "a", worker)},
			[]PreviousClaim{releasing(inTree("w1", "a", worker)), inTree("w2", "a", worker)},
			"a Worker: w2 -w1\nb Worker: short 1/0\n"},
		{"labels and tree disagree, and something runs on the host: who uses it keeps it",
			[]v1.SIPCluster{newCluster("a", workers(1, 0)), newCluster("b", workers(1, 0))},
			[]inventory.Host{provisionedBy(claimed(host1("w1", "w", "r1"), "b", worker), "m1"), host1("w2", "w", "r2")},
			[]PreviousClaim{inTree("w1", "a", worker)},
			"a Worker: +w2\nb Worker: w1\n"},
		{"the same while the tree is releasing it",
			[]v1.SIPCluster{newCluster("a", workers(0, 0)), newCluster("b", workers(1, 0))},
			[]inventory.Host{provisionedBy(claimed(host1("w1", "w", "r1"), "b", worker), "m1")},
			[]PreviousClaim{releasing(inTree("w1", "a", worker))},
			"a Worker:\nb Worker: w1\n"},
		{"the labels name a cluster that nobody knows, the tree another one: left alone",
			[]v1.SIPCluster{newCluster("a", workers(1, 0))},
			[]inventory.Host{claimed(host1("w1", "w", "r1"), "x", worker), host1("w2", "w", "r2")},
			[]PreviousClaim{inTree("w1", "a", worker)},
			"a Worker: +w2\n"},
		{"some labels contradict the tree: the claim of the tree stands",
			[]v1.SIPCluster{newCluster("a", workers(1, 0))},
			[]inventory.Host{newHost("w1", "kind=w rack=r1 sip.airshipit.org/cluster-name=c"), host1("w2", "w", "r2")},
			[]PreviousClaim{inTree("w1", "a", worker)},
			"a Worker: w1\n"},
		{"spec being deleted: the same",
			[]v1.SIPCluster{deleted},
			[]inventory.Host{claimed(host1("w1", "w", "r1"), "a", worker)}, nil,
			"a Worker: -w1\n"},
		{"a role that is gone from the spec",
			[]v1.SIPCluster{newCluster("a", workers(1, 0))},
			[]inventory.Host{claimed(host1("w1", "w", "r1"), "a", worker), claimed(host1("e1", "e", "r1"), "a", "Edge")}, nil,
			"a Worker: w1\na Edge: -e1\n"},
		{"a held host that is paused, or matches no more, stays",
			[]v1.SIPCluster{newCluster("a", workers(1, 0))},
			[]inventory.Host{with(claimed(host1("x1", "other", "r1"), "a", worker), func(s *inventory.State) { s.Paused = true }), host1("w1", "w", "r2")}, nil,
			"a Worker: x1\n"},
	}
	for _, row := range rows {
		t.Run(row.why, func(t *testing.T) {
			previous := Previous{Claims: row.previous}
			p := plan(t, row.clusters, row.hosts, previous, newerLabels())
			if got := summary(p); got != row.want {
				t.Errorf("got\n%swant\n%s", got, row.want)
			}
			w := &world{clusters: row.clusters, hosts: row.hosts, tree: previous}
			if row.clusters != nil && row.clusters[0].Annotations == nil {
				if err := w.check(p, row.hosts); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// TestEligible: a free host is handed out or not by its state; rows carry the reason that is told.
func TestEligible(t *testing.T) {
	rows := []struct {
		reason string
		change func(*inventory.Host)
	}{
		{"", func(h *inventory.Host) {}},
		{"", func(h *inventory.Host) { h.State.Provisioning = "ready" }},
		{"", func(h *inventory.Host) { h.State = inventory.State{} }},
		{"being deleted", func(h *inventory.Host) { h.State.Deleting = true }},
		{"paused", func(h *inventory.Host) { h.State.Paused = true }},
		{"detached", func(h *inventory.Host) { h.State.Detached = true }},
		{"marked unhealthy", func(h *inventory.Host) { h.State.Unhealthy = true }},
		{"in error", func(h *inventory.Host) { h.State.Operational = "error" }},
		{"in error", func(h *inventory.Host) { h.State.ErrorMessage = "no power" }},
		{"in use", func(h *inventory.Host) { h.State.Consumer = &inventory.Consumer{Kind: "Metal3Machine"} }},
		{"kept for reuse", func(h *inventory.Host) { h.State.NodeReuse = "md-0" }},
		{"externally provisioned", func(h *inventory.Host) { h.State.ExternallyProvisioned = true }},
		{"has an image, but no claim", func(h *inventory.Host) { h.State.Image = true }},
		{"has an image, but no claim", func(h *inventory.Host) { h.State = inventory.State{Image: true} }},
		{"provisioning state inspecting", func(h *inventory.Host) { h.State.Provisioning = "inspecting" }},
		{"no provisioning state yet", func(h *inventory.Host) { h.State.Provisioning = "" }},
		{"operational status servicing", func(h *inventory.Host) { h.State.Operational = "servicing" }},
		{"no address on oam", func(h *inventory.Host) { h.Addresses = nil }},
		{"no address on oam", func(h *inventory.Host) { h.Addresses[0].Network = "storage" }},
		{"no address on oam", func(h *inventory.Host) { h.Addresses[0].IP = netip.Addr{} }},
		{"incomplete sipgen labels", func(h *inventory.Host) { h.Labels[testOptions.Keys.NodeType] = "Worker" }},
		{"incomplete sipgen labels", func(h *inventory.Host) { h.Labels[testOptions.Keys.Standby] = "true" }},
	}
	for _, row := range rows {
		c := newCluster("a", map[string]v1.NodeSet{v1.RoleWorker: nodes("kind=w", 1, 0)})
		c.Spec.Services.LoadBalancerWorker = []v1.LoadBalancerWorker{{Service: v1.Service{NodeInterface: "oam"}}}
		h := host1("h1", "w", "r1")
		row.change(&h)
		p := plan(t, []v1.SIPCluster{c}, []inventory.Host{h}, Previous{}, testOptions)
		r := &p.Clusters[0].Roles[0]
		switch {
		case row.reason == "" && len(r.Assigned) != 1:
			t.Errorf("%+v: not handed out: %v", h.State, p.Hosts[0])
		case row.reason != "" && len(r.Assigned) != 0:
			t.Errorf("%s: handed out all the same", row.reason)
		case row.reason != "" && (len(r.Rejected) != 1 || r.Rejected[0].Count != 1 || Say.Reason(r.Rejected[0].Reason) != row.reason):
			t.Errorf("reasons %v, want 1 %s", r.Rejected, row.reason)
		case row.reason != "" && !strings.Contains(Say.Shortage(&p.Shortages[0]), "1 more host matches but: 1 "+row.reason):
			t.Errorf("shortage %q does not say %q", Say.Shortage(&p.Shortages[0]), row.reason)
		}
	}
}

// TestErrors: what only Plan can see, each told by name.
func TestErrors(t *testing.T) {
	worker := v1.RoleWorker
	one := []v1.SIPCluster{newCluster("a", map[string]v1.NodeSet{worker: nodes("", 1, 0)})}
	rows := []struct {
		why      string
		clusters []v1.SIPCluster
		hosts    []inventory.Host
		previous []PreviousClaim
		want     string
	}{
		{"two clusters claim a host", one, []inventory.Host{claimed(host1("h1", "w", "r1"), "a", worker)}, []PreviousClaim{inTree("h1", "b", worker)},
			"host metal/h1: its labels say cluster tenants/a, but clusters/tenants/b/assignments.yaml says cluster tenants/b, and the hosts may have been read before that was committed: read them again"},
		{"two files claim a host", one, []inventory.Host{host1("h1", "w", "r1")}, []PreviousClaim{inTree("h1", "b", worker), inTree("h1", "a", worker)},
			"host metal/h1: claimed twice in the previous tree: by tenants/a Worker in clusters/tenants/a/assignments.yaml and by tenants/b Worker in clusters/tenants/b/assignments.yaml"},
		{"a host stands twice", one, []inventory.Host{host1("h1", "w", "r1"), host1("h1", "w", "r2")}, nil,
			"host metal/h1: stands twice in the inventory: h1.yaml and h1.yaml"},
	}
	for _, row := range rows {
		p, err := Plan(row.clusters, row.hosts, Previous{Claims: row.previous}, testOptions)
		if err == nil || err.Error() != row.want {
			t.Errorf("%s: got %v, want %s", row.why, err, row.want)
		}
		if p != nil {
			t.Errorf("%s: a placement beside the error", row.why)
		}
	}
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
		{"an approval that was carried out, and the host is gone", annotated(one, v1.ApproveReleaseAnnotation, "metal/h9"), alone(1), nil,
			`annotation sip.airshipit.org/approve-release names host "metal/h9", which is not in the inventory: it has no effect, take it out`},
		{"an approval of what Cluster API keeps", annotated(one, v1.ApproveReleaseAnnotation, "h1"), []inventory.Host{with(claimed(host1("h1", "w", "r1"), "a", worker), keptForNext)}, nil,
			"annotation sip.airshipit.org/approve-release names host metal/h1, which Cluster tenants/a keeps for its next machine: such a release cannot be approved, it waits until Cluster API lets the host go"},
		{"a removal that was carried out, and the host is gone", annotated(one, v1.RemoveAnnotation, "h9"), alone(1), nil,
			`annotation sip.airshipit.org/remove names host "h9", which is not in the inventory: it has no effect, take it out`},
		{"a host of another site", one, alone(1), nil,
			"1 host left alone: labelled for tenants/x, which is in neither the specs nor the tree: metal/h01"},
		{"many hosts of another site", one, alone(12), nil,
			"12 hosts left alone: labelled for tenants/x, which is in neither the specs nor the tree: metal/h01, metal/h02, metal/h03, metal/h04, metal/h05, metal/h06, metal/h07, metal/h08, metal/h09, metal/h10 and 2 more"},
		{"a name that is none, from a file, beside a claim of the tree", one, []inventory.Host{claimed(host1("h1", "w", "r1"), "x\ny", worker)}, []PreviousClaim{inTree("h1", "a", worker)},
			`1 host left alone: labelled for "tenants/x\ny", which is in neither the specs nor the tree: metal/h1`},
		{"the tree was rolled back, and the host is in use", one, []inventory.Host{provisionedBy(claimed(host1("h1", "w", "r1"), "a", worker), "m1")}, []PreviousClaim{inTree("h1", "b", worker)},
			"host metal/h1: its labels say cluster tenants/a, but clusters/tenants/b/assignments.yaml says cluster tenants/b: the labels count, because it is in use by Metal3Machine tenants/m1; was the tree rolled back? if the labels are wrong, set them right by hand"},
		{"the tree was rolled back, and the host is not in use", one, []inventory.Host{claimed(host1("h1", "w", "r1"), "a", worker)}, []PreviousClaim{inTree("h1", "b", worker)},
			"host metal/h1: its labels say cluster tenants/a, but clusters/tenants/b/assignments.yaml says cluster tenants/b: nothing uses it, and so it is released, for whoever needs it once it was seen without labels; was the tree rolled back?"},
		{"some labels contradict the tree", one, []inventory.Host{newHost("h1", "sip.airshipit.org/cluster-name=c")}, []PreviousClaim{inTree("h1", "a", worker)},
			"host metal/h1: carries some of sip.airshipit.org/cluster-namespace, sip.airshipit.org/cluster-name, sip.airshipit.org/node-type, sip.airshipit.org/standby, but not a whole claim, and what they say is not what clusters/tenants/a/assignments.yaml says: the claim of tenants/a stands"},
	}
	for _, row := range rows {
		p := plan(t, []v1.SIPCluster{row.cluster}, row.hosts, Previous{Claims: row.previous}, newerLabels())
		found := Say.Warnings(p.Warnings)
		for _, c := range p.Clusters {
			found = append(found, Say.Warnings(c.Warnings)...)
		}
		if !slices.Contains(found, row.want) {
			t.Errorf("%s: found %q, want %q", row.why, found, row.want)
		}
	}
}

// TestLosses: what the brake counts, each host once.
func TestLosses(t *testing.T) {
	worker := v1.RoleWorker
	hosts := []inventory.Host{
		claimed(host1("alone", "w", "r1"), "x", worker), claimed(host1("disputed", "w", "r2"), "b", worker), provisionedBy(claimed(host1("used", "w", "r3"), "b", worker), "m"),
		host1("kept", "w", "r4"), host1("anew", "w", "r7"), claimed(host1("left", "w", "r5"), "a", worker), claimed(host1("others", "w", "r6"), "y", worker),
	}
	previous := Previous{}
	for _, name := range []string{"alone", "disputed", "used", "kept", "vanished"} {
		previous.Claims = append(previous.Claims, inTree(name, "a", worker))
	}
	anew := inTree("anew", "a", worker)
	anew.UID = "uid-of-the-one-before"
	hosts[4].UID = "uid-of-anew"
	previous.Claims = append(previous.Claims, anew, releasing(inTree("left", "a", worker)))
	clusters := []v1.SIPCluster{newCluster("a", map[string]v1.NodeSet{worker: nodes("", 1, 0)}), newCluster("b", map[string]v1.NodeSet{worker: nodes("", 1, 0)})}
	loss := Losses(plan(t, clusters, hosts, previous, newerLabels()), previous, hosts)
	want := Loss{Claimed: 6, Missing: []HostKey{{"metal", "anew"}, {"metal", "vanished"}}, Foreign: []HostKey{{"metal", "alone"}}, Moved: []HostKey{{"metal", "used"}}, Released: []HostKey{{"metal", "disputed"}}}
	if !reflect.DeepEqual(loss, want) {
		t.Errorf("found %+v, want %+v", loss, want)
	}
	if loss.Total() != 5 {
		t.Errorf("found %d in all, want 5", loss.Total())
	}
}

func TestNestedKeys(t *testing.T) {
	set := nodes("", 2, 0)
	set.TopologyKey, set.TopologyKeys, set.Unlabelled = "", []string{"row", "rack"}, v1.UnlabelledAllow
	hosts := []inventory.Host{newHost("h1", "row=w1 rack=r1"), newHost("h2", "row=w1 rack=r2"), newHost("h3", "row=w2 rack=r3"), newHost("h4", "rack=r4"), newHost("h5", "rack=r4")}
	clusters := []v1.SIPCluster{newCluster("a", map[string]v1.NodeSet{"Edge": set})}
	for want, line := range map[int]string{2: "a Edge: +h1 +h3\n", 3: "a Edge: +h1 +h3 +h4\n", 4: "a Edge: short 4/0 unschedulable\n"} {
		changed, err := WithCount(clusters, ClusterKey{"tenants", "a"}, "Edge", want)
		if err != nil {
			t.Fatal(err)
		}
		if got := summary(plan(t, changed, hosts, Previous{}, testOptions)); got != line {
			t.Errorf("%d: got %s want %s", want, got, line)
		}
	}
}

func TestMaxPerDomainAndSpread(t *testing.T) {
	var hosts []inventory.Host
	perKey := func(most map[string]v1.PerDomain, n int) func(*v1.NodeSet) {
		return func(s *v1.NodeSet) {
			s.TopologyKey, s.TopologyKeys, s.MaxPerDomainByKey, s.Count = "", []string{"hall", "rack"}, most, &v1.NodeCount{Active: n}
		}
	}
	for _, name := range []string{"h1 r1 a", "h2 r1 a", "h3 r1 a", "h4 r2 a", "h5 r2 b", "h6 r3 b"} {
		word := strings.Fields(name)
		hall := map[string]string{"r1": "A", "r2": "A", "r3": "B"}[word[1]]
		hosts = append(hosts, newHost(word[0], "rack="+word[1]+" row="+word[2]+" hall="+hall))
	}
	rows := []struct {
		why    string
		change func(*v1.NodeSet)
		want   string
	}{
		{"two of a rack at most", func(s *v1.NodeSet) { s.MaxPerDomain = 2 }, "a Edge: +h1 +h2 +h4 +h5\n"},
		{"two of a hall and one of a rack at most", perKey(map[string]v1.PerDomain{"hall": 2}, 3), "a Edge: +h1 +h4 +h6\n"},
		{"three of a hall and two of a rack: the hall binds", perKey(map[string]v1.PerDomain{"hall": 3, "rack": 2}, 4), "a Edge: +h1 +h2 +h4 +h6\n"},
		{"one of a hall: the racks in it do not matter", perKey(map[string]v1.PerDomain{"rack": 5}, 2), "a Edge: +h1 +h6\n"},
		{"more than the halls allow", perKey(map[string]v1.PerDomain{"hall": 2, "rack": 2}, 4), "a Edge: short 4/0 unschedulable\n"},
		{"more than the racks allow", perKey(map[string]v1.PerDomain{"hall": 4}, 4), "a Edge: short 4/0 unschedulable\n"},
		{"no key: the least names", func(s *v1.NodeSet) { s.TopologyKey = "" }, "a Edge: +h1 +h2 +h3 +h4\n"},
		{"spread over racks: as even as four in three racks can be", func(s *v1.NodeSet) { s.TopologyKey, s.Spread = "", &v1.Spread{TopologyKey: "rack"} }, "a Edge: +h1 +h2 +h4 +h6\n"},
		{"a skew of two lets names decide longer", func(s *v1.NodeSet) { s.TopologyKey, s.Spread = "", &v1.Spread{TopologyKey: "rack", MaxSkew: 2} }, "a Edge: +h1 +h2 +h4 +h5\n"},
		{"spread over rows, two of a rack at most", func(s *v1.NodeSet) { s.MaxPerDomain, s.Spread = 2, &v1.Spread{TopologyKey: "row"} }, "a Edge: +h1 +h2 +h5 +h6\n"},
	}
	for _, row := range rows {
		set := nodes("", 4, 0)
		row.change(&set)
		p := plan(t, []v1.SIPCluster{newCluster("a", map[string]v1.NodeSet{"Edge": set})}, hosts, Previous{}, testOptions)
		if got := summary(p); got != row.want {
			t.Errorf("%s: got %swant %s", row.why, got, row.want)
		}
	}
}

func TestStandbyRequired(t *testing.T) {
	options := testOptions
	options.StandbyRequired = true
	clusters := []v1.SIPCluster{newCluster("a", map[string]v1.NodeSet{v1.RoleWorker: nodes("", 1, 1)})}
	if got, want := summary(plan(t, clusters, []inventory.Host{host1("h1", "w", "r1")}, Previous{}, options)), "a Worker: short 1/1 unschedulable\n"; got != want {
		t.Errorf("got %s want %s", got, want)
	}
}

// TestInUse: a host that somebody uses is not released, whatever it is that says so. Each row has the others' default.
func TestInUse(t *testing.T) {
	for _, row := range []struct {
		why    string
		change func(*inventory.State)
		want   string
	}{
		{"nothing uses it", func(*inventory.State) {}, "a Worker: -w1\n"},
		{"a consumer alone", func(s *inventory.State) {
			s.Consumer = &inventory.Consumer{Kind: "Metal3Machine", Namespace: "tenants", Name: "m"}
		}, "a Worker: (w1)\n"},
		{"an image alone", func(s *inventory.State) { s.Image = true }, "a Worker: (w1)\n"},
		{"provisioned by others", func(s *inventory.State) { s.ExternallyProvisioned = true }, "a Worker: (w1)\n"},
		{"a state alone", func(s *inventory.State) { s.Provisioning = "provisioned" }, "a Worker: (w1)\n"},
		{"a state alone", func(s *inventory.State) { s.Provisioning = "externally provisioned" }, "a Worker: (w1)\n"},
		{"a system is being written", func(s *inventory.State) { s.Provisioning = "provisioning" }, "a Worker: (w1)\n"},
		{"it is being wiped", func(s *inventory.State) { s.Provisioning = "deprovisioning" }, "a Worker: (w1)\n"},
	} {
		clusters := []v1.SIPCluster{newCluster("a", map[string]v1.NodeSet{v1.RoleWorker: nodes("kind=w", 0, 0)})}
		hosts := []inventory.Host{with(claimed(host1("w1", "w", "r1"), "a", v1.RoleWorker), row.change)}
		if got := summary(plan(t, clusters, hosts, Previous{}, testOptions)); got != row.want {
			t.Errorf("%s: got %s, want %s", row.why, got, row.want)
		}
	}
}

// TestNamesThatAreNone: what labels and files call a cluster or a role becomes a folder of the tree, and a label. A name that cannot be
// one is nobody's, and the host is not handed out.
func TestNamesThatAreNone(t *testing.T) {
	worker := v1.RoleWorker
	clusters := []v1.SIPCluster{newCluster("a", map[string]v1.NodeSet{worker: nodes("kind=w", 1, 0)})}
	for _, row := range []struct {
		why      string
		host     inventory.Host
		previous []PreviousClaim
		want     Reason
	}{
		{"a cluster, by labels", claimed(host1("h1", "w", "r1"), "Edge_A", worker), nil, InvalidCluster{ClusterKey{"tenants", "Edge_A"}}},
		{"a cluster that leads out of the tree, by the tree", host1("h1", "w", "r1"), []PreviousClaim{inTree("h1", "../../x", worker)}, InvalidCluster{ClusterKey{"tenants", "../../x"}}},
		{"a role, by labels", claimed(host1("h1", "w", "r1"), "a", "no role"), nil, InvalidRole{"no role"}},
		{"a role, by the tree", host1("h1", "w", "r1"), []PreviousClaim{inTree("h1", "a", "")}, InvalidRole{""}},
	} {
		p := plan(t, clusters, []inventory.Host{row.host}, Previous{Claims: row.previous}, newerLabels())
		if len(p.Clusters) != 1 || len(p.Clusters[0].Roles) != 1 || len(p.Clusters[0].Roles[0].Assigned) != 0 {
			t.Errorf("%s: found %+v, want cluster a and its role, without the host", row.why, p.Clusters)
		}
		if found := p.Hosts[0].Reason; !reflect.DeepEqual(found, row.want) {
			t.Errorf("%s: found %#v, want %#v", row.why, found, row.want)
		}
	}
}
