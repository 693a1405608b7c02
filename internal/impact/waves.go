package impact

import (
	"slices"

	"github.com/airshipit/sipgen/internal/holdings"
	"github.com/airshipit/sipgen/schedule"
)

// withoutMembers adds what a control plane loses with hosts that still run in no active slot, and their waves. etcd has
// all hosts in use as members, until their machines are gone.
func (r *role) withoutMembers(goes map[schedule.HostKey]bool, out *Role, waves map[schedule.HostKey]int) {
	var leaves []schedule.HostKey // that go
	members, beyond, down, left := 0, 0, 0, 0
	for i := range r.members {
		m := &r.members[i]
		if !m.used {
			continue
		}
		members++
		if m.slot != active {
			beyond++
		}
		switch key := holdings.KeyOf(m.host); {
		case !m.runs:
			down++
		case !goes[key]:
			left++
		case m.slot != active:
			leaves = append(leaves, key)
		}
	}
	if beyond > 0 {
		out.LosesQuorum = out.LosesQuorum || left < ControlPlaneQuorum(members)
	}
	if len(leaves) == 0 || r.tolerates >= out.Down && out.Waves > 0 { // also with all of them down
		return
	}
	room := Tolerance(r.key.Role, members-beyond+1) // while the last of them is a member
	if r.accepts >= 0 {
		room = r.accepts
	}
	last := intoWaves(waves, nil, leaves, room-down)
	if last == 0 {
		out.voters = len(leaves)
	}
	out.Waves = max(out.Waves, last) * min(out.Waves, last, 1)
}

// intoWaves notes the waves of hosts that go, as many in each as there is room for, and returns how many waves these
// are; 0, of each host as well, if there is no order. Hosts that are down already go first.
func intoWaves(waves map[schedule.HostKey]int, already, running []schedule.HostKey, room int) int {
	last := 1
	for n, key := range slices.Concat(already, running) {
		if room <= 0 || len(already) > room {
			last = 0
		} else {
			last = n/room + 1
		}
		waves[key] = last
	}
	return last
}
