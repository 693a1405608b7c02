package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/airshipit/sipgen/internal/report/sentence"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/schedule"
)

// Status is the change of a slot's host in this run.
type Status string

// The statuses of a slot.
const (
	StatusNew      Status = "new"
	StatusKept     Status = "kept"
	StatusPending  Status = "pending"  // to be released, once its user is gone or the release is approved
	StatusReleased Status = "released" // by this run
	StatusLeaving  Status = "leaving"  // released by an earlier run, not yet seen clean
)

// words returns the status as text for a reviewer.
func (s Status) words() string {
	if s == StatusPending {
		return "release pending"
	}
	return string(s)
}

// Slot is one host of a role.
type Slot struct {
	Host      string   `json:"host"`
	UID       string   `json:"uid,omitempty"`
	Standby   bool     `json:"standby,omitempty"`
	Domain    string   `json:"domain,omitempty"`
	Addresses []string `json:"addresses,omitempty"`
	Status    Status   `json:"status"`
	Why       string   `json:"why,omitempty"`
	// From is the cluster that the previous tree had the host in, where that is another one.
	From string `json:"from,omitempty"`
	// Trouble is what is wrong with a held host: in error, marked unhealthy, being deleted, or named for removal.
	Trouble string `json:"trouble,omitempty"`
	// Changes are the other changes of the host in this run: promoted, replacing another one, adopted.
	Changes []string `json:"changes,omitempty"`
	// use is what consumes the host, as text; empty for nothing, or if Why or more has it.
	use string
	// trouble is Trouble without metal3's own message. failed: it is more than a request to remove the host.
	trouble string
	failed  bool
	standIn bool // it is to be replaced, and no other host can take its place
	marked  bool // its release was asked for, and waits
	adopted bool
	// uncleaned: metal3 leaves the data of an earlier user on the host's disks.
	uncleaned bool
	// InUse is what runs on a host that is released or whose release is pending, as text; empty for nothing.
	InUse string `json:"-"`
	// unseen: the inventory has no status of a released host, and cannot tell that nothing uses it.
	unseen bool
	// decided: this run decided on its pending release.
	decided bool
}

// State returns the change of the slot's host, and its trouble: "kept, promoted from standby, in error".
func (s *Slot) State() string { return s.state() }

// state has more words between the status and the changes.
func (s *Slot) state(more ...string) string {
	words := slices.Concat([]string{s.Status.words()}, more, s.Changes)
	if s.trouble != "" {
		words = append(words, s.trouble)
	}
	return strings.Join(words, ", ")
}

// changed: this run does something to the host, it was another cluster's, or something is wrong with it.
func (s *Slot) changed() bool {
	return s.Status != StatusKept || len(s.Changes) > 0 || s.From != "" || s.failed || s.stays()
}

// givenUp: this run decides that a host in use leaves. The decision takes effect once nothing uses the host.
func (s *Slot) givenUp() bool { return s.decided && s.InUse != "" }

// stays: an annotation asks for its release, and no other host can take its place.
func (s *Slot) stays() bool { return s.standIn && !s.failed }

// DrawnChanges returns what else a run does, and what reservations keep, a line each, for a picture.
func (p *Plan) DrawnChanges() []string {
	var lines []string
	for _, change := range Changes(p) {
		lines = append(lines, "change: "+change)
	}
	if words, n := KeptWords(p.Kept); n > 0 {
		lines = append(lines, "of the hosts that stay free, "+words)
	}
	return lines
}

// Undrawn returns the failed hosts, and the warnings of the inputs and of preflight, a line each: a picture's notes
// have them only from here.
func (p *Plan) Undrawn() []string {
	var lines []string
	for _, trouble := range p.troubles() {
		lines = append(lines, "failed: "+trouble)
	}
	for _, warning := range slices.Concat(p.InputWarnings, p.Preflight) {
		lines = append(lines, "warning: "+warning)
	}
	return unique(lines)
}

// troubles returns the hosts that have failed, a sentence each.
func (p *Plan) troubles() []string {
	return p.ofSlots(func(role *RoleResult, slot *Slot) string {
		switch {
		case !slot.failed:
			return ""
		case !strings.HasPrefix(slot.Why, slot.Trouble):
			return slot.Trouble + "; " + slot.Why
		}
		return slot.Why + when(slot.standIn, role.unavailable())
	})
}

// unavailable says why the other hosts that match the role's selector cannot be had, "" if none is known.
func (r *RoleResult) unavailable() string {
	var parts []string
	for _, reject := range r.Rejected {
		parts = append(parts, fmt.Sprintf("%d %s", reject.Count, reject.Reason))
	}
	return when(len(parts) > 0, "; matched but unavailable: "+strings.Join(parts, ", "))
}

// waiting returns a sentence for each host whose requested release waits until an operator deletes its machine.
func (p *Plan) waiting() []string {
	return p.ofSlots(func(_ *RoleResult, slot *Slot) string {
		if slot.marked && slot.Status == StatusPending && !slot.failed {
			return slot.Why
		}
		return ""
	})
}

// staying returns a sentence for each host that is to go, and that no other host can replace.
func (p *Plan) staying() []string {
	return p.ofSlots(func(role *RoleResult, slot *Slot) string {
		return when(slot.stays(), slot.Why+role.unavailable())
	})
}

// ofSlots returns the sentences about hosts, without empty ones.
func (p *Plan) ofSlots(words func(*RoleResult, *Slot) string) (lines []string) {
	for i := range p.Clusters {
		c := &p.Clusters[i]
		for j := range c.Roles {
			role := &c.Roles[j]
			for k := range role.Slots {
				if said := words(role, &role.Slots[k]); said != "" {
					lines = append(lines, fmt.Sprintf("%s %s %s: %s", c.Key(), role.Name, role.Slots[k].Host, said))
				}
			}
		}
	}
	return lines
}

// inUse describes what runs on a host, by its state.
func inUse(state inventory.State) string {
	switch {
	case state.Consumer != nil:
		return "it is in use by " + state.Consumer.String()
	case state.ExternallyProvisioned:
		return "it is externally provisioned"
	case state.Provisioning == "provisioned" || state.Provisioning == "provisioning":
		return "it is " + state.Provisioning
	case state.Image:
		return "it has an image"
	}
	return ""
}

// adopted is the change of a slot whose host was not in the previous tree.
const adopted = "adopted"

// takenBack is the change of a slot whose host the previous tree was releasing.
const takenBack = "taken back"

// promoted is the change of a slot that was standby.
var promoted = sentence.Reason(schedule.Promoted{})
