// Package sentence turns the findings of package schedule into sentences: reasons, shortages, refusals, warnings. All
// texts about a placement are made from these, so that the terminal, the commit message, PLAN.md and the picture
// agree.
package sentence

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/internal/holdings"
	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/schedule"
)

// Reason explains the place of a host. It is empty for nil.
func Reason(r schedule.Reason) string {
	for _, say := range []func(schedule.Reason) string{placed, released, candidate} {
		if words := say(r); words != "" {
			return words
		}
	}
	return ""
}

// placed describes hosts in a role, and what is wrong with them.
func placed(r schedule.Reason) string {
	switch r := r.(type) {
	case schedule.Condition:
		return condition(&r)
	case schedule.Chosen:
		return chosen(&r)
	case schedule.Kept:
		return kept(&r)
	case schedule.Promoted:
		return "promoted from standby"
	case schedule.WaitsForOthers:
		return fmt.Sprintf("until fewer failed hosts are to leave (spec.brake allows %d): %s",
			r.Most, text.Some(hostNames(r.Hosts), 10))
	case schedule.NoRoom:
		return fmt.Sprintf("because %s may have at most %d, those that are being released included: until one of them is free, "+
			"a BareMetalHost is deleted, or the limit is raised", r.Limit.HostsFrom, r.Limit.Hosts)
	case schedule.MarkedForRemoval:
		if r.Error != nil {
			return "marked for removal, " + Reason(r.Error)
		}
		return "marked for removal"
	}
	return ""
}

// chosen is for new hosts.
func chosen(r *schedule.Chosen) string {
	switch {
	case r.Key == "":
		return "new: " + oneOf(r.There)
	case r.Value == "":
		return "new: has no label " + r.Key + " and is not constrained; " + oneOf(r.There)
	}
	words := "new: " + r.Key + "=" + r.Value + ", "
	if r.There == 1 {
		words += "the only free host there that fits"
	} else {
		words += "one of " + strconv.Itoa(r.There) + " free hosts there that fit"
	}
	switch {
	case r.Elsewhere > 0:
		words += "; " + strconv.Itoa(r.Elsewhere) + " elsewhere in " + text.Count(r.Domains, "domain")
	case r.Unlabelled == 0:
		words += ", none elsewhere"
	}
	if r.Unlabelled > 0 {
		words += "; " + strconv.Itoa(r.Unlabelled) + " without label " + r.Key
	}
	return words
}

// oneOf describes the number of free hosts to choose from.
func oneOf(hosts int) string {
	if hosts == 1 {
		return "the only free host that fits"
	}
	return "one of " + strconv.Itoa(hosts) + " free hosts that fit"
}

// kept is for hosts that a role has from before.
func kept(r *schedule.Kept) string {
	switch {
	case len(r.Refused) > 0:
		return kept(&schedule.Kept{Origin: r.Origin}) + "; its cluster is frozen: " + strings.Join(Refusals(r.Refused), "; ")
	case r.StandIn && r.Stays != nil:
		return Reason(r.Trouble) + ": keeps its slot " + Reason(r.Stays)
	case r.StandIn:
		words := Reason(r.Trouble) + ": should be replaced, but no other host can take its place"
		if r.Reserved != "" {
			words += "; " + Reason(schedule.KeptBack{Name: r.Reserved})
		}
		return words
	case r.Trouble != nil:
		return Reason(r.Trouble) + ": held, " + Use(r.Use)
	case r.Use != nil:
		return "held, " + Use(r.Use)
	case r.Origin == schedule.FromLive:
		return "held, labeled"
	}
	return "held, not labeled"
}

// waits describes a release that waits.
func waits(r *schedule.ReleaseWaits) string {
	if use, ok := r.Use.(schedule.Condition); ok && use.Code == holdings.Faulty {
		return Reason(r.Why) + "; release waits until this is fixed: " + Reason(r.Use)
	}
	words := Reason(r.Why) + "; release waits until " + letGo(r)
	if r.Why == (schedule.Decommissioned{BySite: true}) { // no annotation is read
		return words + ": " + Reason(r.Use)
	}
	return words + " or " + v1.ApproveReleaseAnnotation + " names it: " + Reason(r.Use)
}

// letGo returns what the release of a host in use waits for. If an operator asked for this host, no controller
// deletes its machine.
func letGo(r *schedule.ReleaseWaits) string {
	use, ok := r.Use.(schedule.Condition)
	switch {
	case !ok || use.Code != holdings.InUse || !strings.HasPrefix(use.Detail, inventory.MachineKind+" "):
		return "it is free"
	case Marked(r.Why):
		return `its machine is deleted (sipgen help runbook free-a-host)`
	}
	return "its machine is deleted"
}

// Marked reports whether a host leaves because an annotation of its cluster asks for it.
func Marked(why schedule.Reason) bool {
	gone, _ := why.(schedule.Replaced)
	_, ok := gone.Trouble.(schedule.MarkedForRemoval)
	return ok
}

// Use describes what uses a held host.
func Use(use schedule.Reason) string {
	if by, ok := use.(schedule.Condition); ok && by.Code == holdings.InUse {
		return "consumed by " + by.Detail
	}
	return Reason(use)
}

// released is for hosts that leave a role.
func released(r schedule.Reason) string {
	switch r := r.(type) {
	case schedule.Surplus:
		if r.Want == 0 {
			return "the role needs no hosts"
		}
		return "more than the " + text.Count(r.Want, "requested host")
	case schedule.Decommissioned:
		if r.BySite {
			return "the Site asks for it (spec.hosts.release)"
		}
		return "its cluster is being decommissioned"
	case schedule.ReleasedBefore:
		return "released earlier, but not yet seen without labels"
	case schedule.Replaced:
		if r.Why != nil {
			return Reason(r.Trouble) + ", and " + Reason(r.Why)
		}
		return Reason(r.Trouble) + ", and it has no slot"
	case schedule.Approved:
		return Reason(r.Why) + "; approved, although " + Reason(r.Use)
	case schedule.ReleaseWaits:
		return waits(&r)
	}
	return ""
}

// candidate is for hosts that a role could use, or could but for one thing.
func candidate(r schedule.Reason) string {
	switch r := r.(type) {
	case schedule.HeldBy:
		if r.Role == (schedule.RoleKey{}) {
			return "held by other roles"
		}
		return "held by " + r.Role.String()
	case schedule.BeingReleased:
		return "being released, and free once seen without labels"
	case schedule.Fits:
		return "free: fits " + strconv.Itoa(r.Roles) + " of the roles, and none gets it"
	case schedule.NotSelected:
		return "free: no role selects it"
	case schedule.AsksForNone:
		return "the roles that select it ask for no hosts"
	case schedule.NotGranted:
		return "not granted to the tenant"
	case schedule.NoAddress:
		return "no address on " + r.Network + known(r.Problem)
	case schedule.CrossingLabel:
		return crossing(&r)
	case schedule.NoLabel:
		return "no label " + r.Key
	case schedule.ReservedFor:
		return "reserved for tenant " + r.Tenants + " (" + r.Name + ")"
	case schedule.KeptBack:
		return "reservation " + r.Name + " keeps such hosts"
	case schedule.NotInspected:
		return "not inspected by metal3, and the role asks for hardware"
	case schedule.TooLittle:
		return tooLittle(&r)
	case schedule.NamedByCluster:
		return "named by an annotation of the cluster"
	case schedule.NothingNew:
		if r.Frozen {
			return "the cluster is frozen"
		}
		return "the cluster cannot have all it needs, and gets only successors of failed hosts"
	case schedule.DomainFull:
		if r.Key == "" {
			return "has all it may have in its domain"
		}
		return "has all it may have in " + r.Key + "=" + r.Value + ": " + list(hostNames(r.Hosts), mostHosts)
	case schedule.Satisfied:
		if r.Want == 0 {
			return "has all its hosts"
		}
		return "has its " + text.Count(r.Want, "host")
	case schedule.Outranked:
		return "other roles need it"
	}
	return ""
}

// tooLittle returns, for example, "with 128Gi of memory, want 256Gi", without the second part if it is not a single
// amount.
func tooLittle(r *schedule.TooLittle) string {
	words := "with " + r.Has + " " + r.What
	switch {
	case r.What == "memory":
		words = "with " + r.Has + " of memory"
	case (r.What == "vendor" || r.What == "model") && r.Has == "":
		words = "without a known " + r.What
	case r.What == "vendor" || r.What == "model":
		words = "of " + r.What + " " + strconv.Quote(r.Has)
	case r.What == "architecture" && r.Has == "":
		words = "without a known CPU architecture"
	case r.What == "architecture":
		words = "with CPUs of " + r.Has
	}
	if r.Want != "" {
		words += ", want " + r.Want
	}
	return words
}

// known returns the inventory's explanation in brackets.
func known(problem string) string {
	if problem == "" {
		return ""
	}
	return " (" + problem + ")"
}

// mostHosts is how many hosts a sentence names with details.
const mostHosts = 4

func hostNames(hosts []schedule.HostKey) []string {
	names := make([]string, len(hosts))
	for i, host := range hosts {
		names[i] = host.String()
	}
	return names
}

// Count is a number of hosts with one reason.
type Count struct {
	Reason string
	Count  int
}

// Sorted returns the counts in words, by reason.
func Sorted(counts []schedule.ReasonCount) []Count {
	var out []Count
	for _, c := range counts {
		out = append(out, Count{Reason(c.Reason), c.Count})
	}
	slices.SortFunc(out, func(a, b Count) int { return strings.Compare(a.Reason, b.Reason) })
	return out
}

// Counts returns "1 in error, 2 paused".
func Counts(counts []schedule.ReasonCount) string {
	var parts []string
	for _, c := range Sorted(counts) {
		parts = append(parts, strconv.Itoa(c.Count)+" "+c.Reason)
	}
	return strings.Join(parts, ", ")
}

// Running counts the hosts that belong to no cluster and run a machine.
func Running(counts []schedule.ReasonCount) (n int) {
	for _, c := range counts {
		n += c.Running
	}
	return n
}

// LabelFirst tells what to do with hosts that run the machines of a cluster which is new to sipgen.
const LabelFirst = "label them before it gets others (docs/running-cluster.md)"

// crossing describes a host that lies in another wide domain than hosts of the same narrow one.
func crossing(c *schedule.CrossingLabel) string {
	has := "has " + c.Wide + "=" + c.Found
	if c.Found == "" {
		has = "has no label " + c.Wide
	}
	if c.Want == "" {
		return has + ", and hosts with " + c.Narrow + "=" + c.Value + " differ in it"
	}
	return has + ", but " + c.Narrow + "=" + c.Value + " lies in " + c.Wide + "=" + c.Want
}
