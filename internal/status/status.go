// Package status compares the hosts of a tree with the live ones: what the engine has not done yet, what waits, and
// what is stuck. Pure.
package status

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/airshipit/sipgen/internal/holdings"
	"github.com/airshipit/sipgen/internal/order"
	"github.com/airshipit/sipgen/internal/redact"
	"github.com/airshipit/sipgen/inventory"
)

// State is the state of a host, compared with the tree.
type State string

// The states. A host that is Emptied, Denied, Missing, Recreated or Refused is stuck until an operator acts, and so is
// one that has Failed in use.
const (
	Synced    State = "synced"     // What may show that it is cordoned
	Emptied   State = "emptied"    // its spec is empty, and something runs on it
	Taken     State = "taken"      // its labels are right; something that is no machine of Cluster API uses it
	Failed    State = "failed"     // its labels are right; it is in error, marked unhealthy or being deleted
	NotSynced State = "not synced" // the engine has not set its labels yet
	Drifted   State = "drifted"    // its labels were edited; the engine restores them
	Pending   State = "release pending"
	Releasing State = "releasing" // its labels are to be removed, and are still there
	Released  State = "released"  // seen without labels, or gone: the next run can assign it, if nothing uses it
	LeftAlone State = "left alone"
	Reserved  State = "kept for reuse" // of no cluster, or leaving one, and Cluster API keeps it for a machine
	Denied    State = "denied"         // by the guards: it is in use
	Refused   State = "refused"        // a patch of it would do harm
	Missing   State = "missing"
	Recreated State = "recreated"
)

// states are all of them, as Summary lists them.
var states = []State{Emptied, Synced, Taken, Failed, NotSynced, Drifted, Pending, Releasing, Released, Reserved,
	LeftAlone, Denied, Refused, Missing, Recreated}

// HostStatus is one host of the tree, or one that carries labels without being in it.
type HostStatus struct {
	Host    string `json:"host"`
	Cluster string `json:"cluster,omitempty"`
	Role    string `json:"role,omitempty"`
	State   State  `json:"state"`
	// What is more detail: which labels differ, what the host waits for.
	What string `json:"what,omitempty"`
	// Stuck: nothing changes until an operator acts.
	Stuck bool `json:"stuck,omitempty"`
}

// Input is the owners of the live hosts, by a tree and by their labels.
type Input struct {
	Holdings *holdings.Holdings
	Keys     holdings.LabelKeys
	// NoTree: there is no tree at all. Hosts with labels may be hosts of a lost tree.
	NoTree bool
	// Clusters are the clusters of the tree, with or without hosts.
	Clusters map[holdings.ClusterKey]bool
	// Refused is why the patches of hosts would do harm, by host.
	Refused map[string]string
	// stays: the cluster keeps a host.
	stays map[holdings.ClusterKey]bool
	// idle are the active hosts of roles that a machine could take, and surplus those that wait to leave without a
	// fault and without a successor while a machine uses them: the next run releases the former instead.
	idle, surplus map[role][]string
}

// role is a role of a cluster.
type role struct {
	cluster holdings.ClusterKey
	name    string
}

// Of returns the hosts by cluster, role and name; those without a cluster in the tree come last.
func Of(in Input) []HostStatus {
	claimed := map[*inventory.Host]bool{}
	in.stays = map[holdings.ClusterKey]bool{}
	for _, c := range in.Holdings.Tree {
		if !c.Pending && !c.Releasing {
			in.stays[c.Cluster] = true
		}
	}
	in.findIdle()
	out := []HostStatus{}
	for _, claim := range in.Holdings.Tree {
		var live *inventory.Host
		if is := in.Holdings.Find(claim.Host); is != nil {
			live = is.Host
			claimed[live] = true
		}
		h := in.claim(claim, live)
		h.health(live)
		h.Host, h.Cluster, h.Role = claim.Host.String(), claim.Cluster.String(), claim.Role
		if why := in.Refused[h.Host]; why != "" && h.State != Emptied {
			h.State, h.What = Refused, why
		}
		out = append(out, h.setStuck(live))
	}
	for _, kept := range in.Holdings.KeptForReuse() {
		if !claimed[kept.Host] {
			out = append(out, HostStatus{Host: kept.Host.Key(), State: Reserved, What: reserved(kept.Host, "no cluster")})
		}
	}
	for i := range in.Holdings.Hosts {
		is := &in.Holdings.Hosts[i]
		h := is.Host
		if claimed[h] {
			continue
		}
		if labels := in.carried(h); len(labels) > 0 {
			alone := HostStatus{Host: h.Key(), State: LeftAlone, What: "not in the tree: carries " + strings.Join(labels, ", ")}
			if in.Clusters[is.Labels.Cluster] {
				alone.What = "not among this cluster's hosts in the tree; the next run of sipgen decides: carries " +
					strings.Join(labels, ", ")
			}
			if alone.Stuck = in.NoTree; alone.Stuck {
				alone.What = "there is no tree: carries " + strings.Join(labels, ", ")
			}
			if h.Emptied() {
				alone.State, alone.What, alone.Stuck = Emptied, emptied(h)+"; "+alone.What, true
			}
			out = append(out, alone)
		}
	}
	slices.SortStableFunc(out, func(a, b HostStatus) int {
		return cmp.Or(order.Bool(a.Cluster == "", b.Cluster == ""), cmp.Compare(a.Cluster, b.Cluster),
			cmp.Compare(a.Role, b.Role), cmp.Compare(a.Host, b.Host))
	})
	return out
}

// findIdle sets idle and surplus.
func (in *Input) findIdle() {
	in.idle, in.surplus = map[role][]string{}, map[role][]string{}
	for _, c := range in.Holdings.Tree {
		is := in.Holdings.Find(c.Host)
		key := role{c.Cluster, c.Role}
		switch {
		case is == nil || c.Standby || c.Releasing || holdings.Failed(is.Host) != holdings.Why{}:
		case c.Pending && !c.Replaced && usesMachine(&is.Host.State):
			in.surplus[key] = append(in.surplus[key], c.Host.String())
		case !c.Pending && !is.Host.State.InUse() && holdings.Unfit(is.Host) == holdings.Why{}:
			in.idle[key] = append(in.idle[key], c.Host.String())
		}
	}
}

// setStuck sets Stuck. A host in error without a use is not stuck: the next run replaces it, if another host is free.
func (h HostStatus) setStuck(live *inventory.Host) HostStatus {
	h.Stuck = slices.Contains([]State{Emptied, Denied, Refused, Missing, Recreated}, h.State) || h.State == Failed &&
		live.State.InUse()
	return h
}

// Waits reports whether the host is on its way to what the tree has: the engine has yet to sync it.
func (h HostStatus) Waits() bool {
	return !h.Stuck && slices.Contains([]State{NotSynced, Drifted, Releasing}, h.State)
}

// health adds trouble of the host itself, which correct labels do not show. It adds nothing for a host that is not
// the tree's but has its name.
func (h *HostStatus) health(live *inventory.Host) {
	if live == nil || h.State == Recreated {
		return
	}
	what, trouble := h.What, trouble(&live.State)
	switch {
	case live.Emptied():
		if h.State != Synced {
			what = strings.TrimSuffix(string(h.State)+": "+what, ": ")
		}
		h.State, h.What = Emptied, emptied(live)
	case trouble == "" && live.State.Cordoned == "":
		return
	case trouble == "":
		h.What = "cordoned (" + live.State.Cordoned + ")"
	case h.State == Synced || h.State == Taken:
		h.State, h.What = Failed, trouble
		if live.State.InUse() {
			h.What += "; it probably still serves: " + use(&live.State)
		}
	default:
		h.What = trouble
	}
	if what != "" {
		h.What += "; " + what
	}
}

// emptied describes a host whose spec is empty, and what to do first.
func emptied(host *inventory.Host) string {
	words := "its spec is empty, and there is a system on it (" + host.State.Provisioning +
		"): metal3 WIPES the server as soon as its BMC is put back without its image; "
	if host.State.Paused {
		return words + `it is paused; continue with sipgen help runbook spec-emptied`
	}
	return words + `pause the host before anything else (sipgen help runbook spec-emptied)`
}

// trouble returns what is wrong with a host by its own state, "" for nothing.
func trouble(s *inventory.State) string {
	var words []string
	if s.Deleting {
		words = append(words, "being deleted")
	}
	if s.Unhealthy {
		words = append(words, "marked unhealthy")
	}
	if s.Retired != "" {
		words = append(words, "retired ("+s.Retired+")")
	}
	if s.InError() {
		what := "in error"
		if s.ErrorType != "" {
			what += " (" + s.ErrorType + ")"
		}
		if s.ErrorMessage != "" {
			what += ": " + redact.FreeText(s.ErrorMessage)
		}
		words = append(words, what)
	}
	return strings.Join(words, ", ")
}

// claim returns the state of one claim of the tree. host is nil if no host has the name.
func (in *Input) claim(claim *holdings.Claim, host *inventory.Host) HostStatus {
	switch {
	case host == nil && claim.Releasing:
		return HostStatus{State: Released, What: "the host is gone"}
	case host == nil:
		return HostStatus{State: Missing, What: "no such host"}
	case claim.UID != "" && host.UID != "" && claim.UID != host.UID:
		return HostStatus{State: Recreated, What: "the tree has uid " + claim.UID + ", the host has " + host.UID}
	case claim.Releasing:
		return in.releasing(claim, host)
	}
	differ, denied := in.differ(claim, host)
	switch {
	case denied:
		return HostStatus{State: Denied, What: strings.Join(differ, ", ") +
			"; the guards deny the change while the host is in use: " + use(&host.State)}
	case len(differ) > 0 && len(in.carried(host)) > 0 && !onlyStandby(differ, in.Keys.Standby):
		what := strings.Join(differ, ", ")
		if host.State.InUse() {
			what += "; it is in use: " + use(&host.State)
		}
		return HostStatus{State: Drifted, What: what}
	case len(differ) > 0 && len(in.carried(host)) == 0 && host.State.InUse():
		// It had the labels when it was assigned, or it would not be in use.
		return HostStatus{State: Drifted, What: "has lost its labels, and is in use: " + use(&host.State)}
	case len(differ) > 0 && len(in.carried(host)) == 0:
		return HostStatus{State: NotSynced, What: "has none of its labels yet"}
	case len(differ) > 0:
		return HostStatus{State: NotSynced, What: strings.Join(differ, ", ")}
	case claim.Pending:
		return in.pending(claim, host)
	}
	if taken(&host.State) {
		return HostStatus{State: Taken, What: use(&host.State) + ": no machine of its cluster can take it"}
	}
	return HostStatus{State: Synced, What: cmp.Or(idle(claim, host), in.freed(claim))}
}

// idle returns why no machine can take an active host that nothing uses, "" if one can. health adds a cordon.
func idle(claim *holdings.Claim, host *inventory.Host) string {
	const waits = "no machine can take it"
	why := holdings.Unfit(host)
	switch {
	case why.Code == "" || claim.Standby || host.State.InUse() || holdings.Failed(host).Code != "":
		return ""
	case why.Code == holdings.Cordoned:
		return waits
	case why.Code == holdings.Paused:
		return "paused: " + waits
	case why.Code == holdings.Detached:
		return "detached: " + waits
	case why.Detail != "":
		return "its state is " + why.Detail + ": " + waits
	}
	return "it has no provisioning state yet: " + waits
}

// differ returns the labels that differ from the tree's. denied: the guards deny a change of one of them while the
// host is in use.
func (in *Input) differ(claim *holdings.Claim, host *inventory.Host) (differ []string, denied bool) {
	for _, label := range in.Keys.Differ(host, *claim) {
		differ = append(differ, redact.Sprintf("%s: found %q, want %q", label.Key, label.Is, label.Want))
		denied = denied || label.Key != in.Keys.Standby && label.Is != "" && host.State.InUse()
	}
	return differ, denied
}

func onlyStandby(differ []string, key string) bool {
	return len(differ) == 1 && strings.HasPrefix(differ[0], key+":")
}

// carried returns sipgen's labels on a host.
func (in *Input) carried(host *inventory.Host) (labels []string) {
	for _, label := range in.Keys.Differ(host, holdings.Claim{}) {
		labels = append(labels, redact.Sprintf("%s=%s", label.Key, label.Is))
	}
	return labels
}

// use describes what uses a host.
func use(state *inventory.State) string {
	switch {
	case state.Consumer != nil:
		return "consumed by " + state.Consumer.String()
	case state.ExternallyProvisioned:
		return "externally provisioned"
	case state.Provisioning != "":
		return "provisioning state " + state.Provisioning
	}
	return "it has an image"
}

// Summary returns a line such as "18 hosts: 16 synced, 1 not synced, 1 denied".
func Summary(hosts []HostStatus) string {
	n := map[State]int{}
	for _, h := range hosts {
		n[h.State]++
	}
	var parts []string
	for _, state := range states {
		if n[state] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n[state], state))
		}
	}
	words := fmt.Sprintf("%d hosts", len(hosts))
	if len(hosts) == 1 {
		words = "1 host"
	}
	if len(parts) > 0 {
		words += ": " + strings.Join(parts, ", ")
	}
	return words
}
