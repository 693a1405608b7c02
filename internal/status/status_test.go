package status

import (
	"os"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/schedule"
)

var keys = schedule.LabelKeys{ClusterNamespace: "ns", ClusterName: "name", NodeType: "role", Standby: "standby"}

// TestOf: every state, and whether it goes on by itself. Whole commands are in cmd/sipgen.
func TestOf(t *testing.T) {
	claim := schedule.PreviousClaim{Host: schedule.HostKey{Namespace: "metal", Name: "h"}, UID: "u", Cluster: schedule.ClusterKey{Namespace: "t", Name: "a"}, Role: "Worker"}
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
	const whole, machine = "ns=t name=a role=Worker", "Metal3Machine"
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
		{"no label yet", claim, host("", ""), false, "", NotSynced, false},
		{"standby on its way", standby, host(whole, machine), false, "", NotSynced, false},
		{"another cluster's labels, and nobody uses it", claim, host("ns=t name=b role=Worker", ""), false, "", Drifted, false},
		{"the same in use", claim, host("ns=t name=b role=Worker", machine), false, "", Denied, true},
		{"a label is missing on a host in use: that is put back", claim, host("ns=t role=Worker", machine), false, "", Drifted, false},
		{"it waits for its consumer", pending, host(whole, machine), false, "", Pending, false},
		{"it waited, and nothing uses it any more", pending, host(whole, ""), false, "", Pending, false},
		{"on its way out", releasing, host(whole, ""), false, "", Releasing, false},
		{"on its way out, in use", releasing, host(whole, machine), false, "", Denied, true},
		{"the same, approved", releasing, host(whole, machine), true, "", Releasing, false},
		{"approved, but Cluster API keeps it", releasing, host(whole, inventory.ClusterKind), true, "", Denied, true},
		{"seen clean", releasing, host("", ""), false, "", Released, false},
		{"gone while it was released", releasing, nil, false, "", Released, false},
		{"gone", claim, nil, false, "", Missing, true},
		{"another one of its name", claim, anew, false, "", Anew, true},
		{"preflight says no", claim, host("", ""), false, "spec is the engine's", Refused, true},
		{"labels of others", schedule.PreviousClaim{}, host("name=x", ""), false, "", LeftAlone, false},
	} {
		in := Input{Keys: keys, Guarded: true, Refused: map[string]string{"metal/h": row.refused},
			Approved: func(*schedule.PreviousClaim, *inventory.Host) bool { return row.approved }}
		if row.claim.Role != "" {
			in.Claims = []schedule.PreviousClaim{row.claim}
		}
		if row.host != nil {
			in.Hosts = []inventory.Host{*row.host}
		}
		got := Of(in)
		if len(got) != 1 || got[0].State != row.want || got[0].Stuck != row.stuck {
			t.Errorf("%s: %+v, want %s, stuck %t", row.why, got, row.want, row.stuck)
		}
		if in.Guarded = false; row.want == Denied {
			if got := Of(in); got[0].Stuck {
				t.Errorf("%s: without guards nothing is denied: %+v", row.why, got)
			}
		}
	}
}

// TestStatesAreDocumented: whoever is on call finds every state in docs/safety.md, with what to do about it.
func TestStatesAreDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/safety.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, state := range states {
		if !strings.Contains(string(page), "\n| `"+string(state)+"` | ") && state != Synced {
			t.Errorf("docs/safety.md: no row says what %q means", state)
		}
	}
}
