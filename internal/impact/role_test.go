package impact_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/internal/impact"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/schedule"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Words for the site of lostOf, beside its hosts.
const isFrozen, asPlanned = "frozen", "planned"

// TestDown: which hosts of a role count as down, and how many it tolerates to lose at a time. The role asks for so many
// hosts. A host of the tree is NAME, then u in use, c cordoned, p paused, d deprovisioning, o powered off, e in error,
// f unhealthy, r retired, v in servicing, w without power, s standby, m taken by a machine, i as that and provisioning,
// k kept for a cluster's next machine, x outside metal3, and - waits to leave, another one in its place; + is a free
// host, ! one of the tree that is gone. h0 goes.
func TestDown(t *testing.T) {
	for _, row := range []struct {
		why, role string
		active    int
		hosts     string
		want      string // tolerated, down, why; and left of active
	}{
		{"all in use", v1.RoleControlPlane, 3, "h0u h1u h2u", "1, down 0 []; 2 of 3 left"},
		{"none in use: the role is judged as planned", v1.RoleControlPlane, 3, "h0 h1 h2", "1, down 0 []; 2 of 3 left"},
		{"all new", v1.RoleControlPlane, 3, "h0+ h1+ h2+", "1, down 0 []; 2 of 3 left"},
		{"none but a standby host in use", v1.RoleControlPlane, 3, "h0 h1 h2 h3us", "1, down 0 []; 2 of 3 left"},
		{"all new, but for a standby host", v1.RoleControlPlane, 3, "h0+ h1+ h2+ h3sc", "1, down 0 []; 2 of 3 left"},
		{"five", v1.RoleControlPlane, 5, "h0u h1u h2u h3u h4u", "2, down 0 []; 4 of 5 left"},
		{"two tolerate none", v1.RoleControlPlane, 2, "h0u h1u", "0, down 0 []; 1 of 2 left"},
		{"a tenth", v1.RoleWorker, 3, "h0u h1u h2u", "1, down 0 []; 2 of 3 left"},
		{"a member of etcd that is not there yet", v1.RoleControlPlane, 3, "h0u h1u h2",
			"1, down 1 [h2 is without a machine yet]; 1 of 3 left"},
		{"a worker that nothing uses", v1.RoleWorker, 3, "h0u h1u h2", "1, down 0 []; 2 of 3 left"},
		{"people work on a host that has no machine yet", v1.RoleControlPlane, 3, "h0u h1u h2p",
			"1, down 1 [h2 is without a machine yet]; 1 of 3 left"},
		{"a failed host, and people work on its successor", v1.RoleControlPlane, 3, "h0u h1u h2uf- h3p",
			"1, down 1 [h2 is leaving h3 is without a machine yet]; 1 of 3 left"},
		{"two more are wanted", v1.RoleControlPlane, 5, "h0u h1u h2u h3+ h4+",
			"2, down 2 [h3 is without a machine yet h4 is without a machine yet]; 2 of 5 left"},
		{"the same, as planned", v1.RoleControlPlane, 5, "h0u h1u h2u h3+ h4+ " + asPlanned,
			"2, down 0 []; 4 of 5 left"},
		{"a slot without a host", v1.RoleWorker, 3, "h0u h1u h2!", "1, down 1 [1 slot has no host]; 1 of 3 left"},
		{"a host that is gone, and a new one for it", v1.RoleWorker, 3, "h0u h1u h2! h3+",
			"1, down 1 [h3 is without a machine yet]; 1 of 3 left"},
		{"a failed host and its successor are one", v1.RoleControlPlane, 3, "h0u h1u h2uf h3+",
			"1, down 1 [h2 is leaving h3 is without a machine yet]; 1 of 3 left"},
		{"the successor runs, and the old one is still a member", v1.RoleControlPlane, 3, "h0u h1u h2uf- h3u",
			"1, down 1 [h2 is leaving]; 2 of 3 left"},
		{"failed, and no other", v1.RoleControlPlane, 3, "h0u h1u h2uf", "1, down 1 [h2 is failed]; 1 of 3 left"},
		{"in error, and it runs", v1.RoleControlPlane, 3, "h0u h1u h2ue", "1, down 0 []; 2 of 3 left"},
		{"in error, without power", v1.RoleControlPlane, 3, "h0u h1u h2uw",
			"1, down 1 [h2 is powered off]; 1 of 3 left"},
		{"people at work", v1.RoleControlPlane, 5, "h0u h1uc h2up h3u h4u",
			"2, down 2 [h1 is cordoned h2 is paused]; 2 of 5 left"},
		{"machines that come and go", v1.RoleControlPlane, 5, "h0u h1ud h2uo h3u h4u",
			"2, down 2 [h1 is deprovisioning h2 is powered off]; 2 of 5 left"},
		{"firmware is written", v1.RoleControlPlane, 3, "h0u h1u h2uv", "1, down 1 [h2 is servicing]; 1 of 3 left"},
		{"a machine without a system", v1.RoleControlPlane, 5, "h0u h1m h2i h3u h4u",
			"2, down 2 [h1 is without a system yet h2 is without a system yet]; 2 of 5 left"},
		{"the same, as planned", v1.RoleControlPlane, 5, "h0u h1m h2i h3u h4u " + asPlanned,
			"2, down 0 []; 4 of 5 left"},
		{"kept for the next machine", v1.RoleControlPlane, 3, "h0u h1u h2k",
			"1, down 1 [h2 is without a system yet]; 1 of 3 left"},
		{"a worker whose machine is new", v1.RoleWorker, 3, "h0u h1u h2m",
			"1, down 1 [h2 is without a system yet]; 1 of 3 left"},
		{"systems that metal3 did not write", v1.RoleControlPlane, 3, "h0u h1ux h2ux", "1, down 0 []; 2 of 3 left"},
		{"the successor's system is being written", v1.RoleControlPlane, 3, "h0u h1u h2uf- h3i",
			"1, down 1 [h2 is leaving h3 is without a system yet]; 1 of 3 left"},
		{"a standby host that is still a member, and is down", v1.RoleControlPlane, 3, "h0u h1u h2u h3uso",
			"1, down 1 [h3 is powered off]; 2 of 3 left"},
		{"members that people work on", v1.RoleControlPlane, 3, "h0u h1u h2u h3usc h4usp",
			"1, down 2 [h3 is cordoned h4 is paused]; 2 of 3 left"},
		{"the same, as planned", v1.RoleControlPlane, 3, "h0u h1u h2u h3uso " + asPlanned, "1, down 0 []; 2 of 3 left"},
		{"a standby worker that is down", v1.RoleWorker, 3, "h0u h1u h2u h3uso", "1, down 0 []; 2 of 3 left"},
		{"a standby host that nothing uses", v1.RoleControlPlane, 3, "h0u h1u h2u h3sc", "1, down 0 []; 2 of 3 left"},
		{"the cordoned host goes itself", v1.RoleControlPlane, 3, "h0uc h1u h2u", "1, down 0 []; 2 of 3 left"},
		{"a frozen cluster: what it has counts", v1.RoleControlPlane, 1, "h0u h1u h2u " + isFrozen,
			"1, down 0 []; 2 of 3 left"},
	} {
		lost := lostOf(t, row.role, row.active, row.hosts, "h0")
		require.Truef(t, len(lost.Roles) == 1, "%s: %d roles lose hosts, want 1", row.why, len(lost.Roles))
		r := lost.Roles[0]
		slices.Sort(r.Because)
		found := fmt.Sprintf("%d, down %d %v; %d of %d left", r.Tolerates, r.Down, r.Because, r.Left, r.Active)
		assert.Equal(t, row.want, strings.ReplaceAll(found, "m/", ""), row.why)
	}
	assert.Equal(t, 3, impact.Tolerance(v1.RoleWorker, 39), "a tenth of 39")
}

// TestHostsThatStillRun: a leaving host in use is a member of etcd until its machine is gone, and a retired host runs.
// Both go in a wave as the others do. The last hosts leave if the role asks for fewer.
func TestHostsThatStillRun(t *testing.T) {
	for _, row := range []struct {
		why, role   string
		active      int
		hosts, goes string
		want        string // the wave of each, whether all at once take the quorum, and what is said
	}{
		{"two of three", v1.RoleControlPlane, 1, "h0u h1u h2u", "h1 h2", "h1 0, h2 0, true, " +
			"[t/a ControlPlane: no order helps: " +
			"2 leaving or standby hosts are members of etcd until their machines are gone]"},
		{"one of two", v1.RoleControlPlane, 1, "h0u h1u", "h1", "h1 0, true, " +
			"[t/a ControlPlane: no order helps: " +
			"1 leaving or standby host is a member of etcd until its machine is gone]"},
		{"two of five", v1.RoleControlPlane, 3, "h0u h1u h2u h3u h4u", "h3 h4", "h3 1, h4 2, false, []"},
		{"two of five, and a member is ill", v1.RoleControlPlane, 3, "h0u h1u h2uo h3u h4u", "h3 h4",
			"h3 0, h4 0, true, [t/a ControlPlane: no order helps: " +
				"2 leaving or standby hosts are members of etcd until their machines are gone]"},
		{"one of three", v1.RoleControlPlane, 2, "h0u h1u h2u", "h2", "h2 1, false, []"},
		{"one of four", v1.RoleControlPlane, 3, "h0u h1u h2u h3u", "h3", "h3 1, false, []"},
		{"one of four, and another one", v1.RoleControlPlane, 3, "h0u h1u h2u h3u", "h0 h3", "h0 0, h3 1, true, " +
			"[t/a ControlPlane: no order helps: it tolerates the loss of 1 of 3 active hosts, and 1 is down already]"},
		{"one has a successor, and another one is cordoned", v1.RoleControlPlane, 3, "h0ur h1u h2uc h3+", "h0 h1 h2",
			"h0 0, h1 0, h2 0, true, [t/a ControlPlane: no order helps: " +
				"1 leaving or standby host is a member of etcd until its machine is gone " +
				"t/a ControlPlane: no order helps: it tolerates the loss of 1 of 3 active hosts, " +
				"and 2 are down already]"},
		{"with successors that have no machine", v1.RoleControlPlane, 3, "h0u h1u h2uf h3+", "h2", "h2 1, false, []"},
		{"one of six, and two are ill", v1.RoleControlPlane, 3, "h0u h1u h2u h3u h4uo h5uo", "h3", "h3 0, true, " +
			"[t/a ControlPlane: no order helps: " +
			"1 leaving or standby host is a member of etcd until its machine is gone]"},
		{"two of three, and both are ill", v1.RoleControlPlane, 1, "h0u h1uf h2uf", "h1 h2", "h1 1, h2 1, false, []"},
		{"two of three are standby", v1.RoleControlPlane, 1, "h0u h1us h2us", "h1 h2", "h1 0, h2 0, true, " +
			"[t/a ControlPlane: no order helps: " +
			"2 leaving or standby hosts are members of etcd until their machines are gone]"},
		{"two of five are standby", v1.RoleControlPlane, 3, "h0u h1u h2u h3us h4us", "h3 h4", "h3 1, h4 2, false, []"},
		{"one of four is standby", v1.RoleControlPlane, 3, "h0u h1u h2u h3us", "h3", "h3 1, false, []"},
		{"one of four is standby, and another one", v1.RoleControlPlane, 3, "h0u h1u h2u h3us", "h0", "h0 1, false, []"},
		{"two of five are standby, and down", v1.RoleControlPlane, 3, "h0u h1u h2u h3uso h4uso", "h0", "h0 0, true, " +
			"[t/a ControlPlane: no order helps: it tolerates the loss of 1 of 3 active hosts, and 2 are down already]"},
		{"one of four is standby, and cordoned", v1.RoleControlPlane, 3, "h0u h1u h2u h3usc", "h3", "h3 1, false, []"},
		{"one is cordoned", v1.RoleControlPlane, 3, "h0u h1u h2uc", "h0 h2", "h0 2, h2 1, true, []"},
		{"one is cordoned, and its machine goes", v1.RoleControlPlane, 3, "h0u h1u h2ucd", "h0 h2", "h0 0, h2 1, " +
			"true, [t/a ControlPlane: no order helps: it tolerates the loss of 1 of 3 active hosts, " +
			"and 1 is down already]"},
		{"one is cordoned, and has no machine yet", v1.RoleControlPlane, 3, "h0u h1u h2c", "h0 h2", "h0 0, h2 1, " +
			"true, [t/a ControlPlane: no order helps: it tolerates the loss of 1 of 3 active hosts, " +
			"and 1 is down already]"},
		{"one is cordoned, and its system is being written", v1.RoleControlPlane, 3, "h0u h1u h2ic", "h0 h2",
			"h0 0, h2 1, true, [t/a ControlPlane: no order helps: it tolerates the loss of 1 of 3 active hosts, " +
				"and 1 is down already]"},
		{"the role leaves, and a standby host is cordoned", v1.RoleControlPlane, 0, "h0u h1u h2usc", "h1 h2",
			"h1 1, h2 1, false, []"},
		{"standby hosts that nothing uses", v1.RoleControlPlane, 1, "h0u h1s h2s", "h1 h2", "h1 1, h2 1, false, []"},
		{"two of three are standby, as planned", v1.RoleControlPlane, 1, "h0u h1us h2us " + asPlanned, "h1 h2",
			"h1 1, h2 1, false, []"},
		{"two are retired, without successors", v1.RoleControlPlane, 3, "h0u h1ur h2ur", "h1 h2",
			"h1 1, h2 2, true, []"},
		{"the same workers", v1.RoleWorker, 3, "h0u h1ur h2ur", "h1 h2", "h1 1, h2 2, false, []"},
		{"two are unhealthy, without successors", v1.RoleControlPlane, 3, "h0u h1uf h2uf", "h1 h2",
			"h1 1, h2 1, true, []"},
		{"nothing uses them", v1.RoleControlPlane, 1, "h0u h1 h2", "h1 h2", "h1 1, h2 1, false, []"},
		{"workers", v1.RoleWorker, 1, "h0u h1u h2u", "h1 h2", "h1 1, h2 1, false, []"},
		{"the role leaves", v1.RoleControlPlane, 0, "h0u h1u h2u", "h1 h2", "h1 1, h2 1, false, []"},
		{"as planned", v1.RoleControlPlane, 1, "h0u h1u h2u " + asPlanned, "h1 h2", "h1 1, h2 1, false, []"},
	} {
		lost := lostOf(t, row.role, row.active, row.hosts, row.goes)
		var waves []string
		for _, h := range lost.Hosts {
			waves = append(waves, fmt.Sprintf("%s %d", strings.TrimPrefix(h.Host, "m/"), h.Wave))
		}
		quorum := slices.ContainsFunc(lost.Roles, func(r impact.Role) bool { return r.LosesQuorum })
		found := fmt.Sprintf("%s, %t, %v", strings.Join(waves, ", "), quorum, impact.OfHosts("s", lost).Broken())
		assert.Equal(t, row.want, found, row.why)
	}
	waves := impact.OfHosts("s", lostOf(t, v1.RoleControlPlane, 3, "h0u h1u h2u h3u h4u", "h3 h4")).Waves
	require.Len(t, waves, 2)
	assert.Equal(t, []string{"m/h3"}, waves[1].Before, "the other leaving host comes back first")
}

// lostOf returns what goes with hosts of a cluster with one role.
func lostOf(t *testing.T, role string, active int, words, goes string) *impact.Lost {
	t.Helper()
	c := v1.SIPCluster{ObjectMeta: metav1.ObjectMeta{Namespace: "t", Name: "a"}}
	c.Spec.Nodes = map[string]v1.NodeSet{role: {Count: &v1.NodeCount{Active: active,
		Standby: strings.Count(words, "s")}}}
	how, asked := options, impact.Options{}
	var hosts []inventory.Host
	var tree schedule.Previous
	for word := range strings.FieldsSeq(words) {
		switch word {
		case isFrozen:
			how.Refused = map[schedule.ClusterKey][]string{schedule.KeyOf(&c): {"a reason"}}
			continue
		case asPlanned:
			asked.Planned = true
			continue
		}
		h := hostOf(word)
		claim := schedule.PreviousClaim{Host: schedule.KeyOfHost(&h), UID: h.UID, Cluster: schedule.KeyOf(&c),
			Role: role, Standby: strings.Contains(word, "s"), Pending: strings.Contains(word, "-"),
			Replaced: strings.Contains(word, "-")}
		if !strings.Contains(word, "+") {
			tree.Claims = append(tree.Claims, claim)
		}
		if !strings.Contains(word, "!") {
			hosts = append(hosts, h)
		}
	}
	p := need.Value(schedule.Plan([]v1.SIPCluster{c}, hosts, tree, how))(t)
	gone := map[schedule.HostKey]bool{}
	for name := range strings.FieldsSeq(goes) {
		gone[schedule.HostKey{Namespace: "m", Name: name}] = true
	}
	return impact.Of(p, []v1.SIPCluster{c}, asked).Without(gone)
}

// hostOf reads a host from its word.
func hostOf(word string) inventory.Host {
	h := inventory.Host{Namespace: "m", Name: word[:2], UID: "u-" + word[:2],
		State: inventory.State{Known: true, Provisioning: "available", Operational: "OK", Online: true}}
	for _, mark := range word[2:] {
		switch mark {
		case 'u':
			h.State.Consumer = &inventory.Consumer{Kind: inventory.MachineKind, Namespace: "t", Name: "m-" + word[:2]}
			h.State.Image, h.State.Provisioning = true, "provisioned"
		case 'm', 'i', 'k':
			kind := map[rune]string{'m': inventory.MachineKind, 'i': inventory.MachineKind, 'k': inventory.ClusterKind}
			h.State.Consumer = &inventory.Consumer{Kind: kind[mark], Namespace: "t", Name: "m-" + word[:2]}
			if mark == 'i' {
				h.State.Image, h.State.Provisioning = true, "provisioning"
			}
		case 'v':
			h.State.Operational = "servicing"
		case 'x':
			h.State.Image, h.State.ExternallyProvisioned, h.State.Provisioning = false, true, "externally provisioned"
			if word[:2] == "h2" {
				h.State.ExternallyProvisioned, h.State.Provisioning = false, "unmanaged"
			}
		case 'c':
			h.State.Cordoned = "disks"
		case 'p':
			h.State.Paused = true
		case 'd':
			h.State.Provisioning = "deprovisioning"
		case 'o':
			h.State.Online = false
		case 'e':
			h.State.Operational, h.State.ErrorType = "error", "power management error"
		case 'w':
			h.State.Operational, h.State.ErrorType, h.State.PoweredOff = "error", "power management error", true
		case 'r':
			h.State.Retired = "disks fail"
		case 'f':
			h.State.Unhealthy = true
		}
	}
	return h
}
