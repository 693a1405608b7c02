package schedule

import (
	"slices"
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/inventory"
)

// TestRestored: a backup that is restored, and clusterctl move, give hosts other uids. One that carries the labels of the cluster
// that the tree has it for, or is in use under any of sipgen's labels, is the same machine: it stays where the tree has it, whatever its
// consumer has made of its network data, and nothing is lost. Any other is a new host.
func TestRestored(t *testing.T) {
	worker := v1.RoleWorker
	was := knew(inTree("h1", "a", worker), "192.0.2.1")
	moved := func(h inventory.Host) inventory.Host {
		h = at(h, inventory.FromNetworkData, "192.0.2.9")
		h.UID = "after"
		return h
	}
	inUse := moved(provisionedBy(claimed(host1("h1", "w", "r1"), "a", worker), "m1"))
	for _, row := range []struct {
		why      string
		host     inventory.Host
		claim    PreviousClaim
		restored bool
		at       string
	}{
		{"it is in use under the tree's labels", inUse, was, true, "192.0.2.1"},
		{"nothing runs on it", moved(claimed(host1("h1", "w", "r1"), "a", worker)), was, true, "192.0.2.1"},
		{"it has no labels", moved(provisionedBy(host1("h1", "w", "r1"), "m1")), was, false, ""},
		{"its labels say another cluster", moved(claimed(host1("h1", "w", "r1"), "b", worker)), was, false, ""},
		{"the same, and it is in use", moved(provisionedBy(claimed(host1("h1", "w", "r1"), "b", worker), "m1")), was, true, "192.0.2.1"},
		{"it was on its way out", inUse, releasing(was), true, "192.0.2.1"},
	} {
		hosts, previous := []inventory.Host{row.host}, Previous{Claims: []PreviousClaim{row.claim}}
		p := plan(t, []v1.SIPCluster{onOAM("a", 1, 0)}, hosts, previous, testOptions)
		loss := Losses(p)
		if row.restored != (loss.Total() == 0) && !row.claim.Releasing {
			t.Errorf("%s: %+v is lost", row.why, loss)
		}
		said := slices.ContainsFunc(Say.Warnings(p.Clusters[0].Warnings), func(w string) bool { return strings.Contains(w, "restored or moved") })
		if said != row.restored {
			t.Errorf("%s: %q", row.why, Say.Warnings(p.Clusters[0].Warnings))
		}
		got := ""
		if assigned := p.Clusters[0].Roles[0].Assigned; len(assigned) == 1 {
			got = addressesOf(assigned[0].Host.On("oam"))
			if assigned[0].Host.UID != "after" || assigned[0].Adopted == row.restored {
				t.Errorf("%s: uid %s, adopted %t", row.why, assigned[0].Host.UID, assigned[0].Adopted)
			}
		}
		if got != row.at {
			t.Errorf("%s: at %q, want %q", row.why, got, row.at)
		}
	}
}
