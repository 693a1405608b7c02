package holdings

import (
	"strings"
	"testing"

	"github.com/airshipit/sipgen/inventory"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var keys = LabelKeys{"x/ns", "x/cluster", "x/role", "x/standby"}

// labels are those of a claim, as in "red Worker" or "red Worker standby"; "part" is an incomplete one.
func labels(text string) map[string]string {
	words := strings.Fields(text)
	out := map[string]string{"rack": "r1"}
	switch {
	case text == "part":
		out[keys.ClusterName] = "red"
	case text == "nonamespace":
		out[keys.ClusterName], out[keys.NodeType] = "red", "Worker"
	case text == "norole":
		out[keys.ClusterNamespace], out[keys.ClusterName] = "t", "red"
	case len(words) > 1:
		out[keys.ClusterNamespace], out[keys.ClusterName], out[keys.NodeType] = "t", words[0], words[1]
	}
	if len(words) > 2 {
		out[keys.Standby] = "true"
	}
	return out
}

func claim(text string) []Claim {
	words := strings.Fields(text)
	if len(words) == 0 {
		return nil
	}
	c := Claim{Host: HostKey{"m", "h"}, UID: "u1", Cluster: ClusterKey{"t", words[0]}, Role: words[1], Source: "a.yaml"}
	for _, word := range words[2:] {
		switch word {
		case "standby":
			c.Standby = true
		case "leaving":
			c.Releasing = true
		case "approved":
			c.Use = "Machine/t/m1"
		case "otheruse":
			c.Use = "Machine/t/m0"
		default:
			c.Approval = strings.TrimPrefix(word, "approval=")
		}
	}
	return []Claim{c}
}

// row is one host, with a claim of the tree and labels as above. Specs are red and blue, the tree knows red and old.
type row struct {
	line         string // of the contract, and what it is about
	tree, labels string
	used         bool
	approved     string // the cluster that approves its release
	release      string // the cluster that the Site releases it from
	change       func(h *inventory.Host)
	want         string // as text gives it
}

func text(h *Holding) string {
	out := string(h.State)
	if h.State == Held || h.State == Leaving {
		out += " " + h.Cluster.Name + " " + h.Role
		if h.Standby {
			out += " standby"
		}
		out += " by " + string(h.By)
	}
	if h.Restored {
		out += " restored"
	}
	if h.Why.Code != "" {
		out += ": " + string(h.Why.Code)
	}
	if (h.Rival != ClusterKey{}) {
		out += ", disputed by " + h.Rival.Name
	}
	if h.Relabeled {
		out += ", relabeled"
	}
	if h.Approval != "" {
		out += ", approval " + h.Approval
	}
	return out
}

func newUID(h *inventory.Host) { h.UID = "u2" }

func emptied(h *inventory.Host) {
	h.Labels = map[string]string{}
	for _, key := range keys.Claim() {
		h.Labels[key] = ""
	}
}

func keptForReuse(h *inventory.Host) { h.State.NodeReuse = "x" }

func broken(h *inventory.Host) {
	h.Faults = []inventory.Fault{{Kind: inventory.FaultObject, Text: "x"}}
}

func badPatch(h *inventory.Host) {
	h.Faults = []inventory.Fault{{Kind: inventory.FaultPatch, Text: "x"}}
}

func badLabel(h *inventory.Host) {
	h.Faults = []inventory.Fault{{Kind: inventory.FaultLabel, Text: "x"}}
}

// rows are what everyLabel, with its plain combinations of use, claim and labels, does not have.
var rows = []row{
	// 3: in use, complete labels.
	{line: "3: a standby host", labels: "red Worker standby", used: true, want: "held red Worker standby by use"},
	{line: "3: the tree has another cluster", tree: "blue Worker", labels: "red Worker", used: true,
		want: "held blue Worker by tree, disputed by red"},
	{line: "3: the tree's cluster gives it", tree: "blue Worker", labels: "red Worker standby", used: true,
		approved: "blue", want: "held red Worker standby by use"},
	{line: "3: the labels' cluster approves", tree: "blue Worker", labels: "red Worker", used: true, approved: "red",
		want: "held blue Worker by tree, disputed by red"},
	{line: "3: approved for the use before", tree: "blue Worker approval=u1/Machine/t/m0", labels: "red Worker",
		used: true, approved: "blue", want: "held blue Worker by tree, disputed by red, approval u1/Machine/t/m0"},
	{line: "3: approved for the object before", tree: "blue Worker approval=u0/Machine/t/m1", labels: "red Worker",
		used: true, approved: "blue", want: "held blue Worker by tree, disputed by red, approval u0/Machine/t/m1"},
	{line: "3: approved before the cluster had it", tree: "blue Worker approval=void", labels: "red Worker", used: true,
		approved: "blue", want: "held blue Worker by tree, disputed by red, approval void"},
	{line: "3: the tree's cluster has no spec", tree: "old Worker", labels: "red Worker", used: true,
		want: "held old Worker by tree, disputed by red"},
	{line: "3: first seen while idle", tree: "red Worker", labels: "red Worker", approved: "red",
		want: "held red Worker by tree, approval u1/"},
	{line: "3: first seen in use", tree: "red Worker", labels: "red Worker", used: true, approved: "red",
		want: "held red Worker by use, approval u1/Machine/t/m1"},
	{line: "3: the note stays", tree: "red Worker approval=u1/", labels: "red Worker", used: true, approved: "red",
		want: "held red Worker by use, approval u1/"},
	{line: "3: the note goes with the approval", tree: "red Worker approval=u1/", labels: "red Worker", used: true,
		want: "held red Worker by use"},
	{line: "3: the note stays while the spec is missing", tree: "old Worker approval=u1/x", labels: "old Worker",
		used: true, want: "held old Worker by use, approval u1/x"},
	{line: "3: the tree had not given the host then", labels: "red Worker", used: true, approved: "red",
		want: "held red Worker by use, approval void"},
	{line: "3 and 20: no note of a use that was not read", tree: "red Worker", labels: "red Worker", used: true,
		approved: "red", change: broken, want: "held red Worker by tree"},
	{line: "3: the tree has another slot, which was not synced yet", tree: "red Worker standby", labels: "red Worker",
		used: true, want: "held red Worker standby by use"},
	{line: "3: the tree has another role", tree: "red Edge standby", labels: "red Worker", used: true,
		want: "held red Edge standby by use, relabeled"},
	{line: "3: a cluster that only the tree has", labels: "old Worker", used: true,
		want: "held old Worker by use, approval void"},
	{line: "3: an image is a use", labels: "red Worker", change: func(h *inventory.Host) { h.State.Image = true },
		want: "held red Worker by use"},
	{line: "3: so is a state", labels: "red Worker",
		change: func(h *inventory.Host) { h.State.Provisioning = "deprovisioning" }, want: "held red Worker by use"},
	{line: "3: in error, and used", labels: "red Worker", used: true,
		change: func(h *inventory.Host) { h.State.Operational = "error" }, want: "held red Worker by use"},
	{line: "3: leaving, approved for this use", tree: "red Worker leaving approved", labels: "red Worker", used: true,
		approved: "red", want: "leaving red Worker by tree: ReleaseApproved, approval u1/Machine/t/m1"},
	{line: "3: leaving, approved, and restored", tree: "red Worker leaving approved approval=u1/Machine/t/m1",
		labels: "red Worker", used: true, approved: "red", change: newUID,
		want: "held red Worker by use restored, approval u1/Machine/t/m1"},
	{line: "3: leaving, approved for the use before", tree: "red Worker leaving otheruse approval=u1/Machine/t/m0",
		labels: "red Worker", used: true, approved: "red", want: "held red Worker by use, approval u1/Machine/t/m0"},
	{line: "3: leaving, the approval is taken back", tree: "red Worker leaving approved", labels: "red Worker",
		used: true, want: "held red Worker by use"},
	{line: "3: leaving, approved by another cluster", tree: "red Worker leaving approved", labels: "red Worker",
		used: true, approved: "blue", want: "held red Worker by use"},
	{line: "3: leaving, used under another cluster's labels", tree: "blue Worker leaving approved",
		labels: "red Worker", used: true, approved: "blue", want: "held red Worker by use"},
	{line: "3 and 4: in use, labels are not complete", tree: "blue Worker", labels: "part", used: true,
		want: "held blue Worker by tree, relabeled"},
	{line: "3 and 4: in use, and another cluster without a role", tree: "blue Worker", labels: "norole", used: true,
		want: "held blue Worker by tree, relabeled"},
	{line: "3 and 4: leaving, used, and no label has a role", tree: "red Worker leaving", labels: "norole", used: true,
		want: "leaving red Worker by tree: Released, relabeled"},
	{line: "6: a cluster without a namespace", labels: "nonamespace", want: "left alone: IncompleteLabels"},
	{line: "6: a cluster without a role", labels: "norole", want: "left alone: IncompleteLabels"},
	{line: "3: a state is a use that can be approved", tree: "red Worker", labels: "red Worker", approved: "red",
		change: func(h *inventory.Host) { h.State.Provisioning = "deprovisioning" },
		want:   "held red Worker by use, approval u1/deprovisioning"},
	{line: "3 and 4: in use, no labels", tree: "blue Worker standby", used: true,
		want: "held blue Worker standby by tree, relabeled"},
	{line: "3 and 20: nobody can read the host", tree: "blue Worker", labels: "red Worker", used: true, change: broken,
		want: "held blue Worker by tree"},
	{line: "3 and 20: no patch of the host may be written", tree: "blue Worker", labels: "red Worker", used: true,
		change: badPatch, want: "held blue Worker by tree"},
	// 4: the tree decides.
	{line: "4: synced", tree: "red Worker standby", labels: "red Worker", want: "held red Worker standby by tree"},
	{line: "4: labels of another role", tree: "red Worker", labels: "red Edge", want: "held red Worker by tree"},
	{line: "4: the spec is gone", tree: "old Worker", labels: "old Worker", want: "held old Worker by tree"},
	{line: "4: a host that failed is held", tree: "red Worker", labels: "red Worker",
		change: func(h *inventory.Host) { h.State.Deleting = true }, want: "held red Worker by tree"},
	{line: "4 and 11: leaving, seen clean, paused", tree: "red Worker leaving",
		change: func(h *inventory.Host) { h.State.Paused = true }, want: "free: Paused"},
	{line: "4 and 11: leaving, without labels, and used", tree: "red Worker leaving approved", used: true,
		approved: "red", want: "leaving red Worker by tree: ReleaseApproved, approval u1/Machine/t/m1"},
	{line: "4 and 11: leaving, used, and the release emptied labels of another manager",
		tree: "red Worker leaving approved", used: true, approved: "red", change: emptied,
		want: "leaving red Worker by tree: ReleaseApproved, approval u1/Machine/t/m1"},
	{line: "3 and 4: in use, the labels are empty", tree: "red Worker", used: true, change: emptied,
		want: "held red Worker by tree, relabeled"},
	{line: "11 and 20: leaving, nobody can read the host", tree: "red Worker leaving", change: broken,
		want: "leaving red Worker by tree: Released"},
	{line: "11 and 20: leaving, a label that cannot be", tree: "red Worker leaving", change: badLabel,
		want: "leaving red Worker by tree: Released"},
	{line: "11 and 20: leaving, no patch may be written", tree: "red Worker leaving", labels: "red Worker",
		change: badPatch, want: "leaving red Worker by tree: Released"},
	{line: "11 and 20: left, no patch may be written", tree: "red Worker leaving", change: badPatch,
		want: "free: Faulty"},
	{line: "11: leaving, kept for reuse", tree: "red Worker leaving", change: keptForReuse,
		want: "leaving red Worker by tree: KeptForReuse"},
	{line: "11: leaving, kept for reuse, and labels are left", tree: "red Worker leaving", labels: "part",
		change: keptForReuse, want: "leaving red Worker by tree: Released"},
	{line: "11: leaving with an approval, kept for reuse", tree: "red Worker leaving approved", change: keptForReuse,
		want: "leaving red Worker by tree: KeptForReuse"},
	// 5: the tree has nothing of the host.
	{line: "5: standby", labels: "red Worker standby", want: "held red Worker standby by labels"},
	{line: "5 and 6: labels of a cluster that only the tree has", labels: "old Worker",
		want: "left alone: UnknownCluster"},
	{line: "6: the Site releases it", labels: "zz Worker", release: "zz",
		want: "held zz Worker by site, approval void"},
	{line: "6: the Site releases it, and it is in use", labels: "zz Worker standby", used: true, release: "zz",
		want: "held zz Worker standby by site, approval void"},
	{line: "6: the Site releases it from another cluster", labels: "zz Worker", release: "old",
		want: "left alone: UnknownCluster"},
	{line: "4 and 6: the Site releases it, and the tree has it", tree: "red Worker", labels: "zz Worker", used: true,
		release: "zz", want: "held red Worker by tree, relabeled"},
	{line: "5 and 6: the Site releases it from a cluster of the specs", labels: "red Worker", release: "red",
		want: "held red Worker by labels"},
	{line: "5 and 6: no name of a role", labels: "red a/b", want: "left alone: InvalidRole"},
	{line: "5 and 6: no name of a cluster", labels: "re_d Worker", want: "left alone: UnknownCluster"},
	// 6: all others are free.
	{line: "6: free, without a status", change: func(h *inventory.Host) { h.State = inventory.State{} }, want: "free"},
	{line: "6: ready is an older word for available",
		change: func(h *inventory.Host) { h.State.Provisioning = "ready" }, want: "free"},
	{line: "6: deleting comes before paused",
		change: func(h *inventory.Host) { h.State.Deleting, h.State.Paused = true, true }, want: "free: Deleting"},
	{line: "6: detached", change: func(h *inventory.Host) { h.State.Detached = true }, want: "free: Detached"},
	{line: "6: unhealthy comes before an error",
		change: func(h *inventory.Host) { h.State.Unhealthy, h.State.Operational = true, "error" },
		want:   "free: Unhealthy"},
	{line: "6: retired comes before an error",
		change: func(h *inventory.Host) { h.State.Retired, h.State.Operational = "disks", "error" },
		want:   "free: Retired"},
	{line: "6: retired comes before cordoned",
		change: func(h *inventory.Host) { h.State.Retired, h.State.Cordoned = "disks", "audit" },
		want:   "free: Retired"},
	{line: "6: cordoned comes before an error",
		change: func(h *inventory.Host) { h.State.Cordoned, h.State.Operational = "audit", "error" },
		want:   "free: Cordoned"},
	{line: "4 and 11: leaving, seen clean, cordoned", tree: "red Worker leaving",
		change: func(h *inventory.Host) { h.State.Cordoned = "audit" }, want: "free: Cordoned"},
	{line: "4: held, and cordoned", tree: "red Worker", labels: "red Worker",
		change: func(h *inventory.Host) { h.State.Cordoned = "audit" }, want: "held red Worker by tree"},
	{line: "4: held, and retired", tree: "red Worker", labels: "red Worker",
		change: func(h *inventory.Host) { h.State.Retired = "disks" }, want: "held red Worker by tree"},
	{line: "6: in error", change: func(h *inventory.Host) { h.State.ErrorType = "power" }, want: "free: InError"},
	{line: "6: kept for its last cluster", change: keptForReuse, want: "free: KeptForReuse"},
	{line: "6: externally provisioned", change: func(h *inventory.Host) { h.State.ExternallyProvisioned = true },
		want: "free: ExternallyProvisioned"},
	{line: "6: an image", change: func(h *inventory.Host) { h.State.Image = true }, want: "free: HasImage"},
	{line: "6: not OK", change: func(h *inventory.Host) { h.State.Operational = "delayed" },
		want: "free: OperationalStatus"},
	{line: "6: no state yet", change: func(h *inventory.Host) { h.State.Provisioning = "" },
		want: "free: NoProvisioningState"},
	{line: "6: another state", change: func(h *inventory.Host) { h.State.Provisioning = "inspecting" },
		want: "free: ProvisioningState"},
	{line: "6 and 20: a fault", change: badLabel, want: "free: Faulty"},
	// 7: another uid.
	{line: "7: restored, idle", tree: "red Worker standby", labels: "red Worker", change: newUID,
		want: "held red Worker standby by tree restored"},
	{line: "7: recreated, a standby host", tree: "red Worker standby", change: newUID,
		want: "leaving red Worker standby by tree: Recreated"},
	{line: "7: recreated, and the old use was approved", tree: "red Worker leaving approved approval=u1/Machine/t/m1",
		used: true, approved: "red", change: newUID,
		want: "leaving red Worker by tree: Recreated, approval u1/Machine/t/m1"},
	{line: "7 and 11: seen again", tree: "red Worker leaving", want: "free"},
	{line: "7 and 11: seen again, taken by its machine", tree: "red Worker leaving", used: true,
		want: "leaving red Worker by tree: Released"},
	{line: "7 and 3: its labels are written back", tree: "red Worker leaving", labels: "red Worker", used: true,
		want: "held red Worker by use"},
	{line: "7: no uid in the inventory", tree: "red Worker", change: func(h *inventory.Host) { h.UID = "" },
		want: "held red Worker by tree"},
	{line: "7 and 20: nobody can read the host", tree: "red Worker",
		change: func(h *inventory.Host) { newUID(h); broken(h) }, want: "held red Worker by tree"},
}

func (r *row) input() Input {
	h := inventory.Host{Namespace: "m", Name: "h", UID: "u1", Labels: labels(r.labels),
		State: inventory.State{Known: true, Provisioning: "available", Operational: "OK"}}
	if r.used {
		h.State.Consumer, h.State.Provisioning = &inventory.Consumer{Kind: "Machine", Namespace: "t",
			Name: "m1"}, "provisioned"
	}
	if r.change != nil {
		r.change(&h)
	}
	in := Input{
		Hosts: []inventory.Host{h}, Tree: claim(r.tree), Keys: keys,
		Specs: map[ClusterKey]bool{{"t", "red"}: true, {"t", "blue"}: true},
		Known: map[ClusterKey]bool{{"t", "red"}: true, {"t", "old"}: true},
	}
	if r.release != "" {
		in.Release = map[HostKey]ClusterKey{{"m", "h"}: {"t", r.release}}
	}
	if r.approved != "" {
		in.Approved = func(c ClusterKey, _ *inventory.Host) bool { return c.Name == r.approved }
	}
	return in
}

// decide holds a row to what is wanted.
func (r *row) decide(t *testing.T) {
	t.Helper()
	got, err := Of(r.input())
	require.NoError(t, err)
	assert.Equal(t, r.want, text(&got.Hosts[0]), r.line)
	assert.Equal(t, got.Hosts[0].Recreated, len(got.Recreated) > 0, r.line+": recreated")
}

func TestOf(t *testing.T) {
	for _, r := range rows {
		r.decide(t)
	}
}

// TestKeptForReuse: the hosts that are lost to every other cluster, and no other.
func TestKeptForReuse(t *testing.T) {
	hosts := []inventory.Host{{Name: "lost"}, {Name: "ill"}, {Name: "used"}, {Name: "free"}, {Name: "held"},
		{Name: "leaving"}, {Name: "left"}}
	for i := range hosts {
		hosts[i].Namespace, hosts[i].UID, hosts[i].State.NodeReuse = "m", "u", "md-0"
	}
	hosts[1].State.Unhealthy = true
	hosts[2].State.Consumer = &inventory.Consumer{Kind: "Metal3Machine", Namespace: "m", Name: "x"}
	hosts[3].State.NodeReuse = ""
	tree := []Claim{{Host: KeyOf(&hosts[4])}, {Host: KeyOf(&hosts[5]), Releasing: true},
		{Host: KeyOf(&hosts[6]), Releasing: true}}
	for i := range tree {
		tree[i].UID, tree[i].Cluster, tree[i].Role = "u", ClusterKey{"t", "a"}, "Worker"
	}
	hosts[5].Labels = map[string]string{keys.ClusterNamespace: "t", keys.ClusterName: "a", keys.NodeType: "Worker"}
	of, err := Of(Input{Hosts: hosts, Tree: tree, Keys: keys})
	require.NoError(t, err)
	var got []string
	for _, h := range of.KeptForReuse() {
		got = append(got, h.Host.Name)
	}
	assert.Equal(t, []string{"ill", "left", "lost"}, got)
}

// TestApproved: an approval ends the use that it was given for, and no other one.
func TestApproved(t *testing.T) {
	host := inventory.Host{UID: "u1", State: inventory.State{Provisioning: "deprovisioning"}}
	for approval, want := range map[string]bool{"": false, VoidApproval: false, "u1/": false, "u1/deprovisioning": true,
		"u0/deprovisioning": false} {
		assert.Equal(t, want, (&Holding{Host: &host, Approval: approval}).Approved(), approval)
	}
	broken(&host)
	assert.False(t, (&Holding{Host: &host, Approval: "u1/deprovisioning"}).Approved(), "not read")
}
