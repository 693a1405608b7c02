package schedule

import (
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/internal/holdings"
	"github.com/airshipit/sipgen/inventory"
)

// TestApprovedRelease: a host whose release was approved by its name, and that leaves already, is taken back by its role if that needs it. An approval is of one
// use: the next waits. An approval of a host without a uid is none.
func TestApprovedRelease(t *testing.T) {
	used := func(name string) inventory.Host {
		return provisionedBy(claimed(host1(name, "w", "r"+name), "a", v1.RoleWorker), name)
	}
	leavesUsed := func(by string) PreviousClaim {
		c := releasing(inTree("h2", "a", v1.RoleWorker))
		c.Use = "Metal3Machine/tenants/" + by
		c.Approval = c.UID + "/" + c.Use
		return c
	}
	nameless := used("h2")
	nameless.UID = ""
	for _, row := range []struct {
		why             string
		active, standby int
		hosts           []inventory.Host
		tree            []PreviousClaim
		want            string
	}{
		{"for a standby slot", 1, 1, []inventory.Host{used("h1"), used("h2"), host1("h3", "w", "r3")}, []PreviousClaim{inTree("h1", "a", v1.RoleWorker), releasing(inTree("h2", "a", v1.RoleWorker))}, "a Worker: h1 ~h2\n"},
		{"for an active slot", 2, 0, []inventory.Host{used("h1"), used("h2"), host1("h3", "w", "r3")}, []PreviousClaim{inTree("h1", "a", v1.RoleWorker), releasing(inTree("h2", "a", v1.RoleWorker))}, "a Worker: h1 h2\n"},
		{"it is approved for this use", 1, 0, []inventory.Host{used("h1"), used("h2")}, []PreviousClaim{inTree("h1", "a", v1.RoleWorker), leavesUsed("h2")}, "a Worker: h1 -h2\n"},
		{"it is approved for another use", 1, 0, []inventory.Host{used("h1"), used("h2")}, []PreviousClaim{inTree("h1", "a", v1.RoleWorker), leavesUsed("m0")}, "a Worker: h1 (h2)\n"},
		{"its labels are gone, and it is still in use", 1, 0, []inventory.Host{used("h1"), provisionedBy(host1("h2", "w", "rh2"), "h2")}, []PreviousClaim{inTree("h1", "a", v1.RoleWorker), leavesUsed("h2")}, "a Worker: h1 -h2\n"},
		{"its uid is not known", 1, 0, []inventory.Host{used("h1"), nameless}, []PreviousClaim{inTree("h1", "a", v1.RoleWorker), inTree("h2", "a", v1.RoleWorker)}, "a Worker: h1 (h2)\n"},
	} {
		a := newCluster("a", map[string]v1.NodeSet{v1.RoleWorker: nodes("kind=w", row.active, row.standby)})
		a.Annotations = map[string]string{v1.ApproveReleaseAnnotation: "h2"}
		p := plan(t, []v1.SIPCluster{a}, row.hosts, Previous{Claims: row.tree}, testOptions)
		if got := summary(p); got != row.want {
			t.Errorf("%s: got\n%swant\n%s", row.why, got, row.want)
		}
	}
}

// TestGiven: an approval gives a disputed host to the cluster that its labels name. The host keeps the address that it was handed out with, and the run that
// gives it does not say that the approval names another's host; the next one does.
func TestGiven(t *testing.T) {
	used := provisionedBy(at(claimed(host1("h1", "w", "r1"), "b", v1.RoleWorker), inventory.FromNetworkData, "192.0.2.9"), "m1")
	a, b := annotated(onOAM("a", 0, 0), v1.ApproveReleaseAnnotation, "h1"), onOAM("b", 1, 0)
	b.Spec.Priority = 1 // it comes first
	before := knew(inTree("h1", "a", v1.RoleWorker), "192.0.2.1")
	before.Approval = "uid-h1/" + holdings.Use(&used)
	after := knew(inTree("h1", "b", v1.RoleWorker), "192.0.2.1")
	for _, row := range []struct {
		claim  PreviousClaim
		warned int
	}{{before, 0}, {after, 1}} {
		p := plan(t, []v1.SIPCluster{a, b}, []inventory.Host{used}, Previous{Claims: []PreviousClaim{row.claim}}, newerLabels())
		if got := summary(p); got != "b Worker: h1\na Worker:\n" {
			t.Errorf("got %s", got)
		}
		if got := addressesOf(p.Clusters[0].Roles[0].Assigned[0].Host.On("oam")); got != "192.0.2.1" {
			t.Errorf("at %s, want the address of the tree", got)
		}
		if len(p.Clusters[1].Warnings) != row.warned {
			t.Errorf("a: %q, want %d warnings", Say.Warnings(p.Clusters[1].Warnings), row.warned)
		}
	}
}
