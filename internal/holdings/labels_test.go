package holdings

import (
	"strings"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/inventory"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// everyLabel has each use, claim of the tree and labels, for a host with the uid of the tree, and for one with another.
const everyLabel = `
use  tree                labels      the same uid                                   another uid
idle red Worker          red Worker  held red Worker by tree                        held red Worker by tree restored
idle red Worker          blue Worker held red Worker by tree                        leaving red Worker by tree: Recreated
idle red Worker          zz Worker   held red Worker by tree                        leaving red Worker by tree: Recreated
idle red Worker          part        held red Worker by tree                        leaving red Worker by tree: Recreated
idle red Worker          -           held red Worker by tree                        leaving red Worker by tree: Recreated
idle -                   red Worker  held red Worker by labels                      held red Worker by labels
idle -                   blue Worker held blue Worker by labels                     held blue Worker by labels
idle -                   zz Worker   left alone: UnknownCluster                     left alone: UnknownCluster
idle -                   part        left alone: IncompleteLabels                   left alone: IncompleteLabels
idle -                   -           free                                           free
idle red Worker leaving  red Worker  leaving red Worker by tree: Released           leaving red Worker by tree restored: Released
idle red Worker leaving  blue Worker leaving red Worker by tree: Released           leaving red Worker by tree: Recreated
idle red Worker leaving  zz Worker   leaving red Worker by tree: Released           leaving red Worker by tree: Recreated
idle red Worker leaving  part        leaving red Worker by tree: Released           leaving red Worker by tree: Recreated
idle red Worker leaving  -           free                                           leaving red Worker by tree: Recreated
used red Worker          red Worker  held red Worker by use                         held red Worker by use restored
used red Worker          blue Worker held red Worker by tree, disputed by blue      held red Worker by tree restored, disputed by blue
used red Worker          zz Worker   held red Worker by tree, relabeled             held red Worker by tree restored, relabeled
used red Worker          part        held red Worker by tree, relabeled             held red Worker by tree restored, relabeled
used red Worker          -           held red Worker by tree, relabeled             leaving red Worker by tree: Recreated
used -                   red Worker  held red Worker by use                         held red Worker by use
used -                   blue Worker held blue Worker by use                        held blue Worker by use
used -                   zz Worker   left alone: UnknownCluster                     left alone: UnknownCluster
used -                   part        left alone: IncompleteLabels                   left alone: IncompleteLabels
used -                   -           free: InUse                                    free: InUse
used red Worker leaving  red Worker  held red Worker by use                         held red Worker by use restored
used red Worker leaving  blue Worker held blue Worker by use                        held blue Worker by use restored
used red Worker leaving  zz Worker   leaving red Worker by tree: Released, relabeled leaving red Worker by tree restored: Released, relabeled
used red Worker leaving  part        leaving red Worker by tree: Released, relabeled leaving red Worker by tree restored: Released, relabeled
used red Worker leaving  -           leaving red Worker by tree: Released           leaving red Worker by tree: Recreated
`

// TestEveryLabel: contract 3 to 7, each combination.
func TestEveryLabel(t *testing.T) {
	lines := strings.Split(strings.TrimSpace(everyLabel), "\n")[1:]
	require.Truef(t, len(lines) == 2*3*5, "%d lines", len(lines))
	for _, line := range lines {
		of := func(from, to int) string { return strings.Trim(line[from:to], " -") }
		wants := strings.SplitN(line[37:], "  ", 2)
		if len(wants) == 1 { // the first one is as long as its column
			at := strings.LastIndex(line[37:], " leaving red")
			wants = []string{line[37 : 37+at], line[37+at:]}
		}
		for i, want := range wants {
			r := row{line: line[:37], tree: of(5, 24), labels: of(25, 37), used: of(0, 4) == "used",
				want: strings.TrimSpace(want)}
			if i == 1 {
				r.change = newUID
			}
			r.decide(t)
		}
	}
}

// TestLabelsOfOldSIP: what a SIP operator of before April 2021 claimed is nobody's, in use or not, unless the tree has
// it, also once it has left its cluster, and the reason removes each of its labels.
func TestLabelsOfOldSIP(t *testing.T) {
	today := LabelKeys{"sip.airshipit.org/cluster-namespace", "sip.airshipit.org/cluster-name",
		"sip.airshipit.org/node-type", "sip.airshipit.org/standby"}
	const at = "-n m baremetalhost h "
	for _, row := range []struct{ labels, want string }{
		{"sip-scheduled note-type workload-cluster",
			at + "sip.airshipit.org/note-type- sip.airshipit.org/sip-scheduled- " +
				"sip.airshipit.org/workload-cluster-"},
		{"scheduled workload-cluster node-type",
			at + "sip.airshipit.org/scheduled- sip.airshipit.org/workload-cluster- " +
				"sip.airshipit.org/node-type-"},
		{"cluster node-type", at + "sip.airshipit.org/cluster- sip.airshipit.org/node-type-"},
		{"cluster", at + "sip.airshipit.org/cluster-"},
		{"rack server", ""},
	} {
		for _, used := range []bool{false, true} {
			host := inventory.Host{Namespace: "m", Name: "h", UID: "u1", Labels: map[string]string{}}
			for name := range strings.FieldsSeq(row.labels) {
				host.Labels["sip.airshipit.org/"+name] = "red"
			}
			if used {
				host.State.Consumer = &inventory.Consumer{Kind: "Machine", Namespace: "t", Name: "m1"}
			}
			is := need.Value(Of(Input{Hosts: []inventory.Host{host}, Keys: today}))(t).Hosts[0]
			if row.want == "" {
				assert.Equal(t, Free, is.State, row.labels)
				continue
			}
			assert.Equal(t, LeftAlone, is.State, row.labels)
			assert.Equal(t, Why{SIPLabels, row.want}, is.Why, row.labels)
			tree := Claim{Host: HostKey{"m", "h"}, UID: "u1", Cluster: ClusterKey{"t", "red"}, Role: "Worker"}
			is = need.Value(Of(Input{Hosts: []inventory.Host{host}, Keys: today, Tree: []Claim{tree}}))(t).Hosts[0]
			assert.Equal(t, Held, is.State, row.labels+", in the tree")
			tree.Releasing = true
			is = need.Value(Of(Input{Hosts: []inventory.Host{host}, Keys: today, Tree: []Claim{tree}}))(t).Hosts[0]
			want := LeftAlone
			if used || strings.Contains(row.labels, "node-type") { // one of today's labels
				want = Leaving
			}
			assert.Equal(t, want, is.State, row.labels+", leaving")
		}
	}
	host := inventory.Host{Namespace: "m", Name: "$(reboot)",
		Labels: map[string]string{"sip.airshipit.org/cluster": "a"}}
	is := need.Value(Of(Input{Hosts: []inventory.Host{host}, Keys: today}))(t).Hosts[0]
	assert.Equal(t, Why{Code: SIPLabels}, is.Why, "a name that is none")
	// A Site can keep the old key as its own: it says nothing of an old operator then.
	today.ClusterName = "sip.airshipit.org/cluster"
	own := inventory.Host{Namespace: "m", Name: "h", UID: "u1", Labels: map[string]string{today.ClusterNamespace: "t",
		today.ClusterName: "red", today.NodeType: "Worker"}}
	in := Input{Hosts: []inventory.Host{own}, Keys: today, Specs: map[ClusterKey]bool{{"t", "red"}: true}}
	assert.Equal(t, "held red Worker by labels", text(&need.Value(Of(in))(t).Hosts[0]), "a key of the Site")
	delete(own.Labels, today.NodeType)
	assert.Equal(t, "left alone: IncompleteLabels", text(&need.Value(Of(in))(t).Hosts[0]), "a key of the Site")
}

// TestClusterNames: labels can hold any text, and one that names no cluster is quoted in a message.
func TestClusterNames(t *testing.T) {
	for key, want := range map[ClusterKey]string{
		{"t", "red"}: "t/red", {"T", "red"}: `"T/red"`, {"t", "Red"}: `"t/Red"`, {"", "red"}: `"/red"`, {"t", ""}: `"t/"`,
		{"t\n", "red"}: `"t\n/red"`,
	} {
		assert.Equal(t, want, key.Quoted())
		assert.Equal(t, want == key.String(), key.Valid(), want)
	}
}

// TestWriters: who wrote a label of the claim by hand is named once, and neither the engine nor who wrote others is.
func TestWriters(t *testing.T) {
	h := &Holding{Host: &inventory.Host{Managers: []inventory.Manager{
		{Name: "kubectl-label", Labels: []string{keys.ClusterName}}, {Name: "engine", Labels: keys.Claim()},
		{Name: "a", Labels: []string{keys.NodeType}}, {Name: "kubectl-label", Labels: []string{keys.NodeType}},
		{Name: "other", Labels: []string{"rack", keys.Standby}}}}}
	assert.Equal(t, []string{"a", "kubectl-label"}, h.Writers(keys, "engine"))
}
