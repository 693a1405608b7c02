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

// TestDown: which hosts of a role count as down, and how many it tolerates to lose at a time. The role asks for so many
// hosts. A host of the tree is NAME, then u in use, c cordoned, p paused, d deprovisioning, o powered off, e in error,
// f unhealthy, s standby, and - waits to leave, another one in its place; + is a free host, ! one of the tree that is
// gone. h0 goes.
func TestDown(t *testing.T) {
	const frozen, planned = "frozen", "planned"
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
		{"two more are wanted", v1.RoleControlPlane, 5, "h0u h1u h2u h3+ h4+",
			"2, down 2 [h3 is without a machine yet h4 is without a machine yet]; 2 of 5 left"},
		{"the same, as planned", v1.RoleControlPlane, 5, "h0u h1u h2u h3+ h4+ " + planned, "2, down 0 []; 4 of 5 left"},
		{"a slot without a host", v1.RoleWorker, 3, "h0u h1u h2!", "1, down 1 [1 slot has no host]; 1 of 3 left"},
		{"a host that is gone, and a new one for it", v1.RoleWorker, 3, "h0u h1u h2! h3+",
			"1, down 1 [h3 is without a machine yet]; 1 of 3 left"},
		{"a failed host and its successor are one", v1.RoleControlPlane, 3, "h0u h1u h2uf h3+",
			"1, down 1 [h2 is leaving h3 is without a machine yet]; 1 of 3 left"},
		{"the successor runs, and the old one is still a member", v1.RoleControlPlane, 3, "h0u h1u h2uf- h3u",
			"1, down 1 [h2 is leaving]; 2 of 3 left"},
		{"failed, and no other", v1.RoleControlPlane, 3, "h0u h1u h2uf", "1, down 1 [h2 is failed]; 1 of 3 left"},
		{"in error, and it runs", v1.RoleControlPlane, 3, "h0u h1u h2ue", "1, down 0 []; 2 of 3 left"},
		{"people at work", v1.RoleControlPlane, 5, "h0u h1uc h2up h3u h4u",
			"2, down 2 [h1 is cordoned h2 is paused]; 2 of 5 left"},
		{"machines that come and go", v1.RoleControlPlane, 5, "h0u h1ud h2uo h3u h4u",
			"2, down 2 [h1 is deprovisioning h2 is powered off]; 2 of 5 left"},
		{"the cordoned host goes itself", v1.RoleControlPlane, 3, "h0uc h1u h2u", "1, down 0 []; 2 of 3 left"},
		{"a frozen cluster: what it has counts", v1.RoleControlPlane, 1, "h0u h1u h2u " + frozen,
			"1, down 0 []; 2 of 3 left"},
	} {
		c := v1.SIPCluster{ObjectMeta: metav1.ObjectMeta{Namespace: "t", Name: "a"}}
		c.Spec.Nodes = map[string]v1.NodeSet{row.role: {Count: &v1.NodeCount{Active: row.active,
			Standby: strings.Count(row.hosts, "s")}}}
		how, asked := options, impact.Options{}
		var hosts []inventory.Host
		var tree schedule.Previous
		for word := range strings.FieldsSeq(row.hosts) {
			switch word {
			case frozen:
				how.Refused = map[schedule.ClusterKey][]string{schedule.KeyOf(&c): {"a reason"}}
				continue
			case planned:
				asked.Planned = true
				continue
			}
			h := hostOf(word)
			claim := schedule.PreviousClaim{Host: schedule.KeyOfHost(&h), UID: h.UID, Cluster: schedule.KeyOf(&c),
				Role: row.role, Standby: strings.Contains(word, "s"), Pending: strings.Contains(word, "-"),
				Replaced: strings.Contains(word, "-")}
			if !strings.Contains(word, "+") {
				tree.Claims = append(tree.Claims, claim)
			}
			if !strings.Contains(word, "!") {
				hosts = append(hosts, h)
			}
		}
		p := need.Value(schedule.Plan([]v1.SIPCluster{c}, hosts, tree, how))(t)
		lost := impact.Of(p, []v1.SIPCluster{c},
			asked).Without(map[schedule.HostKey]bool{{Namespace: "m", Name: "h0"}: true})
		require.Truef(t, len(lost.Roles) == 1, "%s: %d roles lose hosts, want 1", row.why, len(lost.Roles))
		r := lost.Roles[0]
		slices.Sort(r.Because)
		found := fmt.Sprintf("%d, down %d %v; %d of %d left", r.Tolerates, r.Down, r.Because, r.Left, r.Active)
		assert.Equal(t, row.want, strings.ReplaceAll(found, "m/", ""), row.why)
	}
	assert.Equal(t, 3, impact.Tolerance(v1.RoleWorker, 39), "a tenth of 39")
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
		case 'f':
			h.State.Unhealthy = true
		}
	}
	return h
}
