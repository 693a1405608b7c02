package status

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/internal/holdings"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/schedule"
	"github.com/stretchr/testify/assert"
)

var keys = schedule.LabelKeys{ClusterNamespace: "ns", ClusterName: "name", NodeType: "role", Standby: "standby"}

func answer(t *testing.T, hosts []inventory.Host, tree ...holdings.Claim) *holdings.Holdings {
	t.Helper()
	found := need.Value(holdings.Of(holdings.Input{Hosts: hosts, Tree: tree, Keys: keys}))(t)
	return found
}

// TestOf: every state, and whether it goes on by itself. Whole commands are in cmd/sipgen.
func TestOf(t *testing.T) {
	claim := schedule.PreviousClaim{Host: schedule.HostKey{Namespace: "metal", Name: "h"}, UID: "u",
		Cluster: schedule.ClusterKey{Namespace: "t", Name: "a"}, Role: "Worker"}
	releasing, pending, standby := claim, claim, claim
	releasing.Releasing, pending.Pending, standby.Standby = true, true, true
	host := func(labels string, consumer string) *inventory.Host {
		h := &inventory.Host{Namespace: "metal", Name: "h", UID: "u", Labels: map[string]string{}}
		for _, word := range strings.Fields(labels) {
			key, value, _ := strings.Cut(word, "=")
			h.Labels[key] = value
		}
		if consumer != "" {
			h.State.Consumer = &inventory.Consumer{Kind: consumer, Namespace: "metal", Name: "m"}
		}
		return h
	}
	ill := func(h *inventory.Host) *inventory.Host {
		bad := *h
		bad.State.Operational, bad.State.ErrorType = "error", "power management error"
		return &bad
	}
	cordoned := func(h *inventory.Host) *inventory.Host { h.State.Cordoned = "audit"; return h }
	retired := func(h *inventory.Host) *inventory.Host { h.State.Retired = "disks"; return h }
	reused := func(h *inventory.Host) *inventory.Host { h.State.NodeReuse = "md-0"; return h }
	imaged := func(h *inventory.Host) *inventory.Host { h.State.Image = true; return h }
	external := func(h *inventory.Host) *inventory.Host { h.State.ExternallyProvisioned = true; return h }
	standbyOf := func(h *inventory.Host) *inventory.Host { h.Labels[keys.Standby] = "true"; return h }
	deleting := func(h *inventory.Host) *inventory.Host { h.State.Deleting = true; return h }
	empty := func(h *inventory.Host) *inventory.Host { h.State.Provisioning = "provisioned"; return h }
	const whole, machine, noTree = "ns=t name=a role=Worker", "Metal3Machine", "no tree"
	anew := host(whole, "")
	anew.UID = "other"
	for _, row := range []struct {
		why      string
		claim    schedule.PreviousClaim
		host     *inventory.Host
		approved bool
		refused  string
		want     State
		stuck    bool
	}{
		{"as the tree has it", claim, host(whole, machine), false, "", Synced, false},
		{"as the tree has it, cordoned", claim, cordoned(host(whole, machine)), false, "", Synced, false},
		{"as the tree has it, cordoned and idle", claim, cordoned(host(whole, "")), false, "", Synced, false},
		{"a Cluster keeps it for its next machine", claim, host(whole, inventory.ClusterKind), false, "", Synced, false},
		{"a HostClaim uses it", claim, host(whole, "HostClaim"), false, "", Taken, false},
		{"another system uses a standby host", standby, standbyOf(host(whole, "BareMetalInstance")), false, "", Taken,
			false},
		{"an image without a consumer", claim, imaged(host(whole, "")), false, "", Taken, false},
		{"externally provisioned", claim, external(host(whole, "")), false, "", Taken, false},
		{"a HostClaim uses it, and it is in error", claim, ill(host(whole, "HostClaim")), false, "", Failed, true},
		{"a HostClaim uses it, and it has no label", claim, host("", "HostClaim"), false, "", Drifted, false},
		{"retired, in use", claim, retired(host(whole, machine)), false, "", Failed, true},
		{"retired, idle: the next run replaces it", claim, retired(host(whole, "")), false, "", Failed, false},
		{"no label yet", claim, host("", ""), false, "", NotSynced, false},
		{"standby on its way", standby, host(whole, machine), false, "", NotSynced, false},
		{"another cluster's labels, and nobody uses it", claim, host("ns=t name=b role=Worker", ""), false, "", Drifted,
			false},
		{"the same in use", claim, host("ns=t name=b role=Worker", machine), false, "", Denied, true},
		{"a label is missing on a host in use: that is put back", claim, host("ns=t role=Worker", machine), false, "",
			Drifted, false},
		{"no label is left on a host in use", claim, host("", machine), false, "", Drifted, false},
		{"it waits for its consumer", pending, host(whole, machine), false, "", Pending, false},
		{"it waits, and a Cluster keeps it for its next machine", pending, host(whole, inventory.ClusterKind), false,
			"", Reserved, false},
		{"it waited, and nothing uses it any more", pending, host(whole, ""), false, "", Pending, false},
		{"on its way out", releasing, host(whole, ""), false, "", Releasing, false},
		{"on its way out, in use", releasing, host(whole, machine), false, "", Denied, true},
		{"the same, approved", releasing, host(whole, machine), true, "", Releasing, false},
		{"approved, but Cluster API keeps it", releasing, host(whole, inventory.ClusterKind), true, "", Denied, true},
		{"seen clean", releasing, host("", ""), false, "", Released, false},
		{"gone while it was released", releasing, nil, false, "", Released, false},
		{"gone", claim, nil, false, "", Missing, true},
		{"another one of its name", claim, anew, false, "", Recreated, true},
		{"preflight says no", claim, host("", ""), false, "spec is the engine's", Refused, true},
		{"in error, and it serves", claim, ill(host(whole, machine)), false, "", Failed, true},
		{"in error, and nothing runs on it: the next run replaces it", claim, ill(host(whole, "")), false, "", Failed,
			false},
		{"being deleted, in use", claim, deleting(host(whole, machine)), false, "", Failed, true},
		{"in error, and it waits for its labels", claim, ill(host("", "")), false, "", NotSynced, false},
		{"in error, but another host than the tree's", claim, ill(anew), false, "", Recreated, true},
		{"its spec was emptied", claim, empty(host(whole, "")), false, "", Emptied, true},
		{"the same, on its way out", releasing, empty(host(whole, "")), true, "", Emptied, true},
		{"the same, and a patch of it would do harm", claim, empty(host(whole, "")), false, "spec is the engine's",
			Emptied, true},
		{"the same, of others", schedule.PreviousClaim{}, empty(host("name=x", "")), false, "", Emptied, true},
		{"labels of others", schedule.PreviousClaim{}, host("name=x", ""), false, "", LeftAlone, false},
		{"kept for a machine, and of no cluster", schedule.PreviousClaim{}, reused(host("", "")), false, "", Reserved,
			false},
		{"kept for a machine by its cluster", claim, reused(host(whole, "")), false, "", Synced, false},
		{"kept for a machine, on its way out", releasing, reused(host(whole, "")), false, "", Releasing, false},
		{"kept for a machine, seen clean", releasing, reused(host("", "")), false, "", Reserved, false},
		{"kept for a machine, under labels of others", schedule.PreviousClaim{}, reused(host("name=x", "")), false, "",
			LeftAlone, false},
		{"labels, and the branch has no tree", schedule.PreviousClaim{}, host(whole, ""), false, noTree, LeftAlone,
			true},
	} {
		var hosts []inventory.Host
		if row.host != nil {
			hosts = append(hosts, *row.host)
		}
		if row.approved {
			row.claim.Use = holdings.Use(row.host)
		}
		var tree []holdings.Claim
		if row.claim.Role != "" {
			tree = append(tree, row.claim)
		}
		got := Of(Input{Holdings: answer(t, hosts, tree...), Keys: keys, NoTree: row.refused == noTree,
			Refused: map[string]string{"metal/h": row.refused}})
		if len(got) != 1 || got[0].State != row.want || got[0].Stuck != row.stuck ||
			row.refused == noTree && !strings.HasPrefix(got[0].What, "there is no tree") {
			t.Errorf("%s: %+v, want %s, stuck %t", row.why, got, row.want, row.stuck)
		}
	}
}

// TestWhatIsSaid: who is on call is told what runs on a host whose labels are gone, and of which host the next run
// decides.
func TestWhatIsSaid(t *testing.T) {
	claim := schedule.PreviousClaim{Host: schedule.HostKey{Namespace: "metal", Name: "h"},
		Cluster: schedule.ClusterKey{Namespace: "t", Name: "a"}, Role: "Worker"}
	used := inventory.State{Consumer: &inventory.Consumer{Kind: "Metal3Machine", Namespace: "metal", Name: "m"}}
	for _, row := range []struct {
		why, host string
		labels    map[string]string
		state     inventory.State
		want      string
	}{
		{"a host in error that serves", "h", map[string]string{"ns": "t", "name": "a", "role": "Worker"},
			inventory.State{Consumer: used.Consumer, ErrorType: "power management error", ErrorMessage: "no power"},
			"in error (power management error): no power; it probably still serves: consumed by Metal3Machine metal/m"},
		{"an empty spec", "h", map[string]string{"ns": "t", "name": "a", "role": "Worker"},
			inventory.State{Provisioning: "provisioned"},
			"its spec is empty, and there is a system on it (provisioned): metal3 WIPES the server as soon as its BMC is put back without its image; " +
				`pause the host before anything else (sipgen help runbook spec-emptied)`},
		{"the same, paused, and without a label", "h", nil, inventory.State{Provisioning: "provisioned", Paused: true},
			"its spec is empty, and there is a system on it (provisioned): metal3 WIPES the server as soon as its BMC is put back without its image; " +
				`it is paused; continue with sipgen help runbook spec-emptied; drifted: has lost its labels, and is in use: provisioning state provisioned`},
		{"labels that were taken off", "h", nil, used,
			"has lost its labels, and is in use: consumed by Metal3Machine metal/m"},
		{"the same, and nobody uses it", "h", map[string]string{"ns": "t", "role": "Worker"}, inventory.State{},
			`name: found "", want "a"`},
		{"a host that a rollback took from its cluster", "i",
			map[string]string{"ns": "t", "name": "a", "role": "Worker"}, used,
			"not among this cluster's hosts in the tree; the next run of sipgen decides: carries ns=t, name=a, role=Worker"},
		{"another site's", "i", map[string]string{"ns": "t", "name": "b"}, used,
			"not in the tree: carries ns=t, name=b"},
	} {
		hosts := []inventory.Host{{Namespace: "metal", Name: row.host, Labels: row.labels, State: row.state}}
		in := Input{Holdings: answer(t, hosts, claim), Keys: keys,
			Clusters: map[schedule.ClusterKey]bool{claim.Cluster: true, {Namespace: "t", Name: "empty"}: true}}
		found := false
		for _, h := range Of(in) {
			found = found || h.What == row.want && h.Host == "metal/"+row.host
		}
		assert.Truef(t, found, "%s: found %+v, want %q", row.why, Of(in), row.want)
	}
}

// TestReleasedAndInUse: a released host without labels that somebody still uses is nobody's to have, and status says
// who uses it.
func TestReleasedAndInUse(t *testing.T) {
	claim := schedule.PreviousClaim{Host: schedule.HostKey{Namespace: "metal", Name: "h"},
		Cluster: schedule.ClusterKey{Namespace: "t", Name: "a"}, Role: "Worker", Releasing: true}
	const notNow = "seen without labels, and not eligible (sipgen hosts prints the reason)"
	for _, state := range []inventory.State{{Cordoned: "a new disk"}, {Unhealthy: true}, {Paused: true},
		{Detached: true}} {
		got := Of(Input{Holdings: answer(t, []inventory.Host{{Namespace: "metal", Name: "h", State: state}}, claim),
			Keys: keys})
		assert.Truef(t, len(got) == 1 && got[0].State == Released && strings.HasSuffix(got[0].What, notNow),
			"%+v: found %+v", state, got)
	}
	for _, row := range []struct {
		host inventory.Host
		want string
	}{
		{inventory.Host{Faults: []inventory.Fault{{Kind: inventory.FaultTwice}}}, notNow},
		{inventory.Host{Labels: map[string]string{"sip.airshipit.org/scheduled": "true"}}, notNow},
		{inventory.Host{Labels: map[string]string{keys.ClusterName: ""}}, // another manager had set it, too
			"its labels are empty: the next run removes them, and a later one can assign it"},
	} {
		row.host.Namespace, row.host.Name = "metal", "h"
		got := Of(Input{Holdings: answer(t, []inventory.Host{row.host}, claim), Keys: keys})
		assert.Truef(t, len(got) == 1 && got[0].State == Released && got[0].What == row.want, "found %+v, want %q", got,
			row.want)
	}
	for want, state := range map[string]inventory.State{
		"seen without labels: the next run can assign it":                                                         {},
		"seen without labels, but still in use, so no cluster can have it yet: consumed by Metal3Machine metal/m": {Consumer: &inventory.Consumer{Kind: "Metal3Machine", Namespace: "metal", Name: "m"}},
	} {
		got := Of(Input{Holdings: answer(t, []inventory.Host{{Namespace: "metal", Name: "h", State: state}}, claim),
			Keys: keys})
		assert.Truef(t, len(got) == 1 && got[0].State == Released && got[0].What == want, "found %+v, want %q", got,
			want)
	}
}

// TestKeptForReuse: a host that Cluster API keeps is named, with what to do, and a leaving one with its cluster.
func TestKeptForReuse(t *testing.T) {
	const words = "Cluster API keeps it for the next machine of md-0, so %s can have it; if none is to come, remove its " +
		"label (sipgen help runbook free-a-host)"
	host := inventory.Host{Namespace: "metal", Name: "h", State: inventory.State{NodeReuse: "md-0"}}
	claim := holdings.Claim{Host: holdings.KeyOf(&host), Cluster: holdings.ClusterKey{Namespace: "t", Name: "a"},
		Role: "Worker", Releasing: true}
	for _, row := range []struct {
		tree []holdings.Claim
		want HostStatus
	}{
		{nil, HostStatus{Host: "metal/h", State: Reserved, What: fmt.Sprintf(words, "no cluster")}},
		{[]holdings.Claim{claim}, HostStatus{Host: "metal/h", Cluster: "t/a", Role: "Worker", State: Reserved,
			What: "seen without labels; " + fmt.Sprintf(words, "no other cluster")}},
	} {
		got := Of(Input{Holdings: answer(t, []inventory.Host{host}, row.tree...), Keys: keys})
		assert.Equal(t, []HostStatus{row.want}, got)
	}
}

// TestAllHostsAreToGo: a cluster that lets go of all its hosts may have lost its spec by mistake, and nobody is to
// delete its machines before that is known.
func TestAllHostsAreToGo(t *testing.T) {
	var tree []holdings.Claim
	var hosts []inventory.Host
	labels := map[string]string{"ns": "t", "name": "a", "role": "Worker"}
	for _, name := range []string{"h", "i"} {
		tree = append(tree, schedule.PreviousClaim{Host: schedule.HostKey{Namespace: "metal", Name: name},
			Cluster: schedule.ClusterKey{Namespace: "t", Name: "a"}, Role: "Worker", Pending: true})
		hosts = append(hosts, inventory.Host{Namespace: "metal", Name: name, Labels: labels,
			State: inventory.State{Consumer: &inventory.Consumer{Kind: "Metal3Machine", Namespace: "metal",
				Name: "m"}}})
	}
	const all = "its whole cluster is to go: if that is a mistake, restore the spec "
	for _, stays := range []bool{false, true} {
		tree[1].Pending = !stays
		got := Of(Input{Holdings: answer(t, hosts, tree...), Keys: keys})
		assert.Truef(t, strings.HasPrefix(got[0].What, all) != stays, "one stays %t: %+v", stays, got)
	}
}

// TestStatesAreDocumented: docs/runbooks/host-states.md has the table of rows, which explains every state that an
// operator may have to act on.
func TestStatesAreDocumented(t *testing.T) {
	page := need.Read(t, "../../docs/runbooks/host-states.md")
	want, err := Page(string(page))
	assert.Truef(t, err == nil && want == string(page),
		"docs/runbooks/host-states.md is not current: make generate (%v)", err)
	for _, state := range states {
		if state != Synced && !slices.ContainsFunc(rows,
			func(r row) bool { return r.State == state && r.Meaning != "" && r.Do != "" }) {
			t.Errorf("no row explains %q", state)
		}
	}
	_, err = Page("# No table\n")
	assert.Truef(t, err != nil, "a page without a table: want an error")
}

// TestIdle: an active host that no machine can take has its labels, and is named.
func TestIdle(t *testing.T) {
	machine := &inventory.Consumer{Kind: inventory.MachineKind, Namespace: "metal", Name: "m"}
	for _, row := range []struct {
		state   inventory.State
		standby bool
		want    string
	}{
		{inventory.State{Known: true, Provisioning: "available"}, false, ""},
		{inventory.State{Cordoned: "audit"}, false, "cordoned (audit); no machine can take it"},
		{inventory.State{Cordoned: "audit"}, true, "cordoned (audit)"},
		{inventory.State{Cordoned: "audit", Consumer: machine}, false, "cordoned (audit)"},
		{inventory.State{Paused: true}, false, "paused: no machine can take it"},
		{inventory.State{Detached: true}, false, "detached: no machine can take it"},
		{inventory.State{Known: true, Provisioning: "inspecting"}, false,
			"its state is inspecting: no machine can take it"},
		{inventory.State{Known: true}, false, "it has no provisioning state yet: no machine can take it"},
	} {
		labels := map[string]string{"ns": "t", "name": "a", "role": "Worker"}
		claim := holdings.Claim{Host: schedule.HostKey{Namespace: "metal", Name: "h"},
			Cluster: schedule.ClusterKey{Namespace: "t", Name: "a"}, Role: "Worker", Standby: row.standby}
		if row.standby {
			labels[keys.Standby] = "true"
		}
		host := inventory.Host{Namespace: "metal", Name: "h", Labels: labels, State: row.state}
		got := Of(Input{Holdings: answer(t, []inventory.Host{host}, claim), Keys: keys})
		assert.Equal(t, row.want, got[0].What, row.want)
		assert.Equal(t, Synced, got[0].State, row.want)
	}
}
