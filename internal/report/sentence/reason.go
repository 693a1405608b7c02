// Package sentence says in words what package schedule finds: reasons, shortages, refusals, warnings. Every text about a placement is made
// from these, so that the terminal, the commit message, PLAN.md and the picture say the same.
package sentence

import (
	"slices"
	"strconv"
	"strings"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/schedule"
)

// Reason says why a host is where it is. It is empty for nil.
func Reason(r schedule.Reason) string {
	switch r.(type) {
	case nil:
		return ""
	case schedule.NewInDomain, schedule.NewAnywhere, schedule.NewWithoutLabel:
		return chosen(r)
	}
	for _, say := range []func(schedule.Reason) string{kept, released, state, claim, candidate} {
		if words := say(r); words != "" {
			return words
		}
	}
	return ""
}

// chosen is for new hosts.
func chosen(r schedule.Reason) string {
	switch r := r.(type) {
	case schedule.NewAnywhere:
		return "new: " + oneOf(r.Hosts)
	case schedule.NewWithoutLabel:
		return "new: has no label " + r.Key + " and is not constrained; " + oneOf(r.Hosts)
	case schedule.NewInDomain:
		words := "new: " + r.Key + "=" + r.Value + ", "
		if r.There == 1 {
			words += "the only free host there that fits"
		} else {
			words += "one of " + strconv.Itoa(r.There) + " free hosts there that fit"
		}
		if r.Elsewhere == 0 {
			return words + ", none elsewhere"
		}
		return words + "; " + strconv.Itoa(r.Elsewhere) + " elsewhere in " + text.Count(r.Domains, "domain")
	}
	return ""
}

// oneOf says among how many free hosts one was chosen.
func oneOf(hosts int) string {
	if hosts == 1 {
		return "the only free host that fits"
	}
	return "one of " + strconv.Itoa(hosts) + " free hosts that fit"
}

// kept is for hosts that a role has from before.
func kept(r schedule.Reason) string {
	switch r := r.(type) {
	case schedule.KeptByLabels:
		return "held: its labels say so"
	case schedule.KeptByTree:
		return "held: the previous tree says so, but the host does not carry its labels yet"
	case schedule.Consumed:
		return "held, " + Use(r.Use)
	case schedule.Serving:
		return Reason(r.Trouble) + ": held, " + Use(r.Use)
	case schedule.StandIn:
		return Reason(r.Trouble) + ": should be replaced, but no other host can take its place"
	case schedule.Frozen:
		return Reason(r.Kept) + "; its cluster is frozen: " + strings.Join(Refusals(r.Refused), "; ")
	case schedule.ReleaseWaits:
		if _, is := r.Use.(schedule.Faulty); is {
			return Reason(r.Why) + "; release waits until this is fixed: " + Reason(r.Use)
		}
		words := Reason(r.Why) + "; release waits until " + letGo(r)
		switch r.Why.(type) {
		case schedule.SiteAsks: // nobody reads an annotation
			return words + ": " + Reason(r.Use)
		}
		return words + " or " + v1.ApproveReleaseAnnotation + " names it: " + Reason(r.Use)
	case schedule.Vanished:
		return "no longer in the inventory"
	case schedule.Anew:
		return "created anew, with another uid"
	case schedule.Promoted:
		return "promoted from standby"
	case schedule.MarkedForRemoval:
		return besides("marked for removal", r.Error)
	}
	return ""
}

// letGo is what the release of a host in use waits for. Where a person asked for this host, nobody else deletes its machine.
func letGo(r schedule.ReleaseWaits) string {
	by, is := r.Use.(schedule.InUse)
	switch {
	case !is || !strings.HasPrefix(by.By, "Metal3Machine "):
		return "it is free"
	case Marked(r.Why):
		return `somebody deletes its machine (sipgen help runbook free-a-host)`
	}
	return "its machine is deleted"
}

// Marked says whether a host goes because an annotation of its cluster asks for it.
func Marked(why schedule.Reason) bool {
	var trouble schedule.Reason
	switch why := why.(type) {
	case schedule.Replaced:
		trouble = why.Trouble
	case schedule.Unwanted:
		trouble = why.Trouble
	}
	_, is := trouble.(schedule.MarkedForRemoval)
	return is
}

// Use says what uses a held host.
func Use(use schedule.Reason) string {
	if by, is := use.(schedule.InUse); is {
		return "consumed by " + by.By
	}
	return Reason(use)
}

// released is for hosts that leave a role.
func released(r schedule.Reason) string {
	switch r := r.(type) {
	case schedule.Surplus:
		return "more than the " + text.Count(r.Want, "host") + " wanted"
	case schedule.SiteAsks:
		return "the Site asks for it (spec.hosts.release)"
	case schedule.Decommissioned:
		return "its cluster is being decommissioned"
	case schedule.NoneWanted:
		return "the role wants no hosts"
	case schedule.ReleasedBefore:
		return "released earlier, but not yet seen without labels"
	case schedule.Replaced:
		return Reason(r.Trouble) + ", and the role has enough hosts without it"
	case schedule.Unwanted:
		return Reason(r.Trouble) + ", and " + Reason(r.Why)
	case schedule.Approved:
		return Reason(r.Why) + "; approved, although " + Reason(r.Use)
	}
	return ""
}

// state is what metal3 and Cluster API say of a host.
func state(r schedule.Reason) string {
	switch r := r.(type) {
	case schedule.Deleting:
		return "being deleted"
	case schedule.Paused:
		return "paused"
	case schedule.Detached:
		return "detached"
	case schedule.Unhealthy:
		return besides("marked unhealthy", r.Error)
	case schedule.Retired:
		return "retired"
	case schedule.InError:
		words := "in error"
		if r.Type != "" {
			words += " (" + r.Type + ")"
		}
		if r.Message != "" {
			words += ": " + r.Message
		}
		return words
	case schedule.InUse:
		return by("in use", r.By)
	case schedule.KeptForReuse:
		return by("kept for reuse", r.By)
	case schedule.ExternallyProvisioned:
		return "externally provisioned"
	case schedule.UnclaimedImage:
		return "has an image, but no claim"
	case schedule.HasImage:
		return "it has an image"
	case schedule.OperationalStatus:
		return "operational status " + r.Status
	case schedule.ProvisioningState:
		return "provisioning state " + r.State
	case schedule.NoProvisioningState:
		return "no provisioning state yet"
	case schedule.Faulty:
		return faulty(r)
	case schedule.Unsure:
		return "cannot tell whether it is in use"
	}
	return ""
}

// faulty says what is wrong with the objects of hosts.
func faulty(r schedule.Faulty) string {
	switch {
	case r.Text != "":
		return r.Text
	case r.Kind == inventory.FaultObject:
		return "not readable"
	case r.Kind == inventory.FaultTwice:
		return "defined more than once"
	case r.Kind == inventory.FaultLabel:
		return "with a label that the API server would reject"
	case r.Kind == inventory.FaultName:
		return "with a name that is too long"
	case r.Kind == inventory.FaultPatch:
		return "that no patch may be written for"
	case r.Kind == inventory.FaultNetwork:
		return "with the same address as a service"
	case r.Kind == inventory.FaultUID, r.Kind == inventory.FaultBMC, r.Kind == inventory.FaultMAC:
		return "with the " + string(r.Kind) + " of another host"
	}
	return ""
}

// besides adds what metal3 reports of a host to what others say of it.
func besides(words string, reported schedule.Reason) string {
	if reported == nil {
		return words
	}
	return words + ", " + Reason(reported)
}

func by(words, whom string) string {
	if whom == "" {
		return words
	}
	return words + " by " + whom
}

// claim is what the labels and the tree say of a host.
func claim(r schedule.Reason) string {
	switch r := r.(type) {
	case schedule.IncompleteLabels:
		if r.Keys == (schedule.LabelKeys{}) {
			return "incomplete sipgen labels"
		}
		return "carries some of " + keys(r.Keys) + ", but not a whole claim"
	case schedule.UnknownCluster:
		if r.Cluster == (schedule.ClusterKey{}) {
			return "labelled for a cluster that is in neither the specs nor the tree"
		}
		return "labelled for " + r.Cluster.Quoted() + ", which is in neither the specs nor the tree"
	case schedule.InvalidRole:
		if r.Role == "" {
			return "claimed for a role without a valid name"
		}
		return "claimed for role " + strconv.Quote(r.Role) + ", which is no valid name"
	case schedule.HeldBy:
		return "held by " + r.Role.String()
	case schedule.BeingReleased:
		return "being released, and free once seen without labels"
	case schedule.HeldByOtherCluster:
		return "held by another cluster"
	case schedule.HeldByOtherRole:
		return "held by another role of the cluster"
	case schedule.HeldByOtherRoles:
		return "held by other roles"
	}
	return ""
}

func keys(k schedule.LabelKeys) string {
	return strings.Join(k.All(), ", ")
}

// candidate is for hosts that a role could use, or could but for one thing.
func candidate(r schedule.Reason) string {
	switch r := r.(type) {
	case schedule.Fits:
		return "free: fits " + strconv.Itoa(r.Roles) + " of the roles, and none gets it"
	case schedule.NotSelected:
		return "free: no role selects it"
	case schedule.NotGranted:
		return "not granted to the tenant"
	case schedule.GrantedToNone:
		return "free: no tenant whose roles select it is granted it"
	case schedule.NoAddress:
		return "no address on " + r.Network + known(r.Problem)
	case schedule.NoLabel:
		return "no label " + r.Key
	case schedule.NamedByCluster:
		return "named by an annotation of the cluster"
	case schedule.ClusterRefused:
		return "the cluster is frozen"
	case schedule.ClusterUnschedulable:
		return "the cluster cannot have all it needs and gets nothing new"
	case schedule.DomainFull:
		return "has all it may have in " + r.Key + "=" + r.Value + ": " + list(hostNames(r.Hosts), mostHosts, "others")
	case schedule.Satisfied:
		return "has the " + text.Count(r.Want, "host") + " it wants"
	case schedule.Outranked:
		return "others need it"
	}
	return ""
}

// known is what the inventory knows, in brackets.
func known(problem string) string {
	if problem == "" {
		return ""
	}
	return " (" + problem + ")"
}

// mostHosts is how many hosts one sentence names with what is said of them.
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

// Sorted are the counts in words, by reason.
func Sorted(counts []schedule.ReasonCount) []Count {
	var out []Count
	for _, c := range counts {
		out = append(out, Count{Reason(c.Reason), c.Count})
	}
	slices.SortFunc(out, func(a, b Count) int { return strings.Compare(a.Reason, b.Reason) })
	return out
}

// Counts is "1 in error, 2 paused".
func Counts(counts []schedule.ReasonCount) string {
	var parts []string
	for _, c := range Sorted(counts) {
		parts = append(parts, strconv.Itoa(c.Count)+" "+c.Reason)
	}
	return strings.Join(parts, ", ")
}
