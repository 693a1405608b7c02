package schedule

import (
	"strings"
	"testing"

	"github.com/airshipit/sipgen/inventory"
)

// TestFaultyHosts: nobody gets a host whose object is wrong, whoever has it keeps it, and the others go on. One of which no patch may be written is kept
// as it is by whoever has it by the tree, whatever its labels say: a release waits, and one that has begun goes on. h1 has the fault.
func TestFaultyHosts(t *testing.T) {
	object, twice, label, mac, patch := inventory.FaultObject, inventory.FaultTwice, inventory.FaultLabel, inventory.FaultMAC, inventory.FaultPatch
	for _, row := range []struct {
		why                          string
		fault                        inventory.FaultKind
		clusters, hosts, tree, place string
	}{
		{"free: another one is taken", mac, "a:1", "h1/r1 h2/r2", "", "a Worker: +h2"},
		{"held by its labels", mac, "a:1", "h1/r1=a h2/r2", "", "a Worker: h1"},
		{"held by the tree, and nothing can be read but its name", object, "a:1", "h1/r1 h2/r2", "h1=a", "a Worker: h1"},
		{"there twice, with another uid than the tree's", twice, "a:1", "h1/r1^ h2/r2", "h1=a", "a Worker: h1"},
		{"not wanted any more, and cannot tell whether it is in use", object, "a:0", "h1/r1", "h1=a", "a Worker: (h1)"},
		{"not wanted any more, and what it is used for is known", mac, "a:0", "h1/r1", "h1=a", "a Worker: -h1"},
		{"released, and not seen clean as long as its labels cannot be read", label, "a:0", "h1/r1", "-h1=a", "a Worker: -h1"},
		{"a label of a claim is none: the tree says whose it is", label, "a:1", "h1/r1=a", "h1=a", "a Worker: h1"},
		{"free: another one is taken", patch, "a:1", "h1/r1 h2/r2", "", "a Worker: +h2"},
		{"held", patch, "a:1", "h1/r1=a h2/r2", "h1=a", "a Worker: h1"},
		{"held, and its labels say that it is free and was never handed out", patch, "a:1", "h1/r1", "h1=a", "a Worker: h1"},
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
		if said := strings.Join(Say.Warnings(p.Warnings), "\n"); strings.Contains(said, "host metal/h1: wrong: it is not handed out") != (row.fault != patch) {
			t.Errorf("%s: said %q", row.why, said)
		}
	}
}
