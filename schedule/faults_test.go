package schedule

import (
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/inventory"
)

func faulty(h inventory.Host, kind inventory.FaultKind) inventory.Host {
	h.Faults = []inventory.Fault{{Kind: kind, Text: "wrong"}}
	return h
}

func without(h inventory.Host, labels ...string) inventory.Host {
	for _, key := range labels {
		delete(h.Labels, key)
	}
	return h
}

// TestFaultyHosts: nobody gets a host whose object is wrong, whoever has it keeps it, and the others go on.
func TestFaultyHosts(t *testing.T) {
	worker := v1.RoleWorker
	uid := func(h inventory.Host, uid string) inventory.Host { h.UID = uid; return h }
	object, twice, label, mac := inventory.FaultObject, inventory.FaultTwice, inventory.FaultLabel, inventory.FaultMAC
	nothing := inventory.Host{Namespace: "metal", Name: "h1"}
	for _, row := range []struct {
		why      string
		want     int
		hosts    []inventory.Host
		previous []PreviousClaim
		plan     string
	}{
		{"free: another one is taken", 1, []inventory.Host{faulty(host1("h1", "w", "r1"), mac), host1("h2", "w", "r2")}, nil, "a Worker: +h2\n"},
		{"held by its labels", 1, []inventory.Host{faulty(claimed(host1("h1", "w", "r1"), "a", worker), mac), host1("h2", "w", "r2")}, nil, "a Worker: h1\n"},
		{"held by the tree, and nothing can be read but its name", 1, []inventory.Host{faulty(nothing, object), host1("h2", "w", "r2")},
			[]PreviousClaim{inTree("h1", "a", worker)}, "a Worker: h1\n"},
		{"there twice, with another uid than the tree's", 1, []inventory.Host{faulty(uid(host1("h1", "w", "r1"), "other"), twice), host1("h2", "w", "r2")},
			[]PreviousClaim{inTree("h1", "a", worker)}, "a Worker: h1\n"},
		{"not wanted any more, and cannot tell whether it is in use", 0, []inventory.Host{faulty(nothing, object)},
			[]PreviousClaim{inTree("h1", "a", worker)}, "a Worker: (h1)\n"},
		{"not wanted any more, and what it is used for is known", 0, []inventory.Host{faulty(host1("h1", "w", "r1"), mac)},
			[]PreviousClaim{inTree("h1", "a", worker)}, "a Worker: -h1\n"},
		{"released, and not seen clean as long as its labels cannot be read", 0, []inventory.Host{faulty(host1("h1", "w", "r1"), label)},
			[]PreviousClaim{releasing(inTree("h1", "a", worker))}, "a Worker: -h1\n"},
		{"a label of a claim is none: the tree says whose it is", 1, []inventory.Host{faulty(without(claimed(host1("h1", "w", "r1"), "a", worker), testOptions.Keys.ClusterName), label)},
			[]PreviousClaim{inTree("h1", "a", worker)}, "a Worker: h1\n"},
	} {
		c := newCluster("a", map[string]v1.NodeSet{worker: nodes("kind=w", row.want, 0)})
		p := plan(t, []v1.SIPCluster{c}, row.hosts, Previous{Claims: row.previous}, testOptions)
		if got := summary(p); got != row.plan {
			t.Errorf("%s: got %q, want %q", row.why, got, row.plan)
		}
		if len(row.previous) > 0 {
			for _, a := range p.Clusters[0].Roles[0].Assigned {
				if a.Host.Name == "h1" && a.Host.UID != "uid-h1" {
					t.Errorf("%s: its patch would be for uid %q", row.why, a.Host.UID)
				}
			}
			if loss := Losses(p); len(loss.Missing)+len(loss.Recreated) > 0 {
				t.Errorf("%s: counts as lost", row.why)
			}
		}
		said := false
		for _, w := range p.Warnings {
			said = said || strings.Contains(strings.Join(Say.Warnings([]Warning{w}), ""), "host metal/h1: wrong: it is not handed out")
		}
		if !said {
			t.Errorf("%s: nothing says so: %v", row.why, p.Warnings)
		}
	}
}

// TestUntouchableHosts: a host of which no patch may be written is handed out to nobody, and whoever has it by the tree keeps it as it is, whatever its
// labels say: a release waits, and one that has begun goes on.
func TestUntouchableHosts(t *testing.T) {
	worker, patch := v1.RoleWorker, inventory.FaultPatch
	marked := func(h inventory.Host) inventory.Host { return faulty(h, patch) }
	nameless := func(h inventory.Host) inventory.Host { h.UID = ""; return h }
	used := func(h inventory.Host) inventory.Host {
		h.State.Consumer = &inventory.Consumer{Kind: "Metal3Machine", Namespace: "metal", Name: "m"}
		return h
	}
	h1 := func() inventory.Host { return host1("h1", "w", "r1") }
	tree := func(claims ...PreviousClaim) []PreviousClaim { return claims }
	for _, row := range []struct {
		why      string
		want     int
		hosts    []inventory.Host
		previous []PreviousClaim
		plan     string
	}{
		{"free: another one is taken", 1, []inventory.Host{marked(h1()), host1("h2", "w", "r2")}, nil, "a Worker: +h2\n"},
		{"held", 1, []inventory.Host{marked(claimed(h1(), "a", worker)), host1("h2", "w", "r2")}, tree(inTree("h1", "a", worker)), "a Worker: h1\n"},
		{"held, and its labels say that it is free and was never handed out", 1, []inventory.Host{marked(h1())}, tree(inTree("h1", "a", worker)), "a Worker: h1\n"},
		{"its labels name another cluster, and nothing uses it", 1, []inventory.Host{marked(claimed(h1(), "z", worker)), host1("h2", "w", "r2")}, tree(inTree("h1", "a", worker)), "a Worker: h1\n"},
		{"its labels name another role", 1, []inventory.Host{marked(claimed(h1(), "a", "Other")), host1("h2", "w", "r2")}, tree(inTree("h1", "a", worker)), "a Worker: h1\n"},
		{"its uid cannot be read", 1, []inventory.Host{nameless(marked(claimed(h1(), "a", worker)))}, tree(inTree("h1", "a", worker)), "a Worker: h1\n"},
		{"not wanted any more", 0, []inventory.Host{marked(claimed(h1(), "a", worker))}, tree(inTree("h1", "a", worker)), "a Worker: (h1)\n"},
		{"its release has begun", 0, []inventory.Host{marked(claimed(h1(), "a", worker))}, tree(releasing(inTree("h1", "a", worker))), "a Worker: -h1\n"},
		{"its release has begun, and it is wanted again", 1, []inventory.Host{marked(claimed(h1(), "a", worker)), host1("h2", "w", "r2")},
			tree(releasing(inTree("h1", "a", worker))), "a Worker: +h2 -h1\n"},
		{"its release has begun, and somebody uses it", 0, []inventory.Host{used(marked(claimed(h1(), "a", worker)))}, tree(releasing(inTree("h1", "a", worker))), "a Worker: -h1\n"},
		{"its release was seen", 0, []inventory.Host{marked(h1())}, tree(releasing(inTree("h1", "a", worker))), "a Worker:\n"},
	} {
		c := newCluster("a", map[string]v1.NodeSet{worker: nodes("kind=w", row.want, 0)})
		p := plan(t, []v1.SIPCluster{c}, row.hosts, Previous{Claims: row.previous}, testOptions)
		if got := summary(p); got != row.plan {
			t.Errorf("%s: got %q, want %q", row.why, got, row.plan)
		}
		for _, placed := range p.Clusters {
			for _, role := range placed.Roles {
				for _, a := range role.Assigned {
					if a.Host.Name == "h1" && a.Host.UID != "uid-h1" {
						t.Errorf("%s: the tree forgets its uid: %q", row.why, a.Host.UID)
					}
				}
			}
		}
	}
}
