package status

import (
	"slices"
	"strings"

	"github.com/airshipit/sipgen/internal/holdings"
	"github.com/airshipit/sipgen/internal/redact"
	"github.com/airshipit/sipgen/inventory"
)

// freed describes an active host that nothing uses while a machine runs on a surplus one: Cluster API deletes machines
// as it likes.
func (in *Input) freed(claim *holdings.Claim) string {
	key := role{claim.Cluster, claim.Role}
	if !slices.Contains(in.idle[key], claim.Host.String()) || len(in.surplus[key]) == 0 {
		return ""
	}
	return "idle, while " + strings.Join(in.surplus[key], ", ") + " should be: the next run releases idle hosts first"
}

// pending describes a host whose release waits for the end of its use.
func (in *Input) pending(claim *holdings.Claim, host *inventory.Host) HostStatus {
	switch {
	case keptByCluster(&host.State):
		return HostStatus{State: Reserved, What: reserved(host, "no other cluster")}
	case host.State.InUse():
		return HostStatus{State: Pending, What: in.letGo(claim, &host.State) + use(&host.State)}
	}
	return HostStatus{State: Pending, What: "nothing uses it: the next run releases it"}
}

// taken reports whether something uses a host that is no machine of Cluster API, so that no machine can take it.
func taken(s *inventory.State) bool {
	if s.Consumer != nil {
		return s.Consumer.Kind != inventory.MachineKind && !keptByCluster(s)
	}
	return s.Image || s.ExternallyProvisioned
}

// usesMachine reports whether a machine of Cluster API uses a host.
func usesMachine(s *inventory.State) bool {
	return s.Consumer != nil && s.Consumer.Kind == inventory.MachineKind
}

// keptByCluster reports whether a Cluster is the consumer: since CAPM3 1.14 node reuse leaves it on a host.
func keptByCluster(s *inventory.State) bool {
	return s.Consumer != nil && s.Consumer.Kind == inventory.ClusterKind
}

// letGo returns what the release of a host in use waits for. If all hosts of a cluster are to be released, its spec
// may be missing by mistake.
func (in *Input) letGo(claim *holdings.Claim, state *inventory.State) string {
	machine := usesMachine(state)
	key := role{claim.Cluster, claim.Role}
	const meant = `its whole cluster is to go: if that is a mistake, restore the spec (sipgen help runbook undo-a-merge); else `
	switch stays := in.stays[claim.Cluster]; {
	case machine && !stays:
		return meant + "delete its machine: "
	case !stays:
		return meant + "Cluster API has to free it: "
	case slices.Contains(in.surplus[key], claim.Host.String()) && len(in.idle[key]) > 0:
		return "idle of its role: " + strings.Join(in.idle[key], ", ") + ". Run sipgen before you delete a " +
			"machine: it " +
			"releases idle hosts first. If this host still waits then, delete its machine (sipgen help runbook " +
			"free-a-host): "
	case machine:
		return `waits until its machine is deleted (sipgen help runbook free-a-host): `
	}
	return "waits until Cluster API frees it: "
}

func (in *Input) releasing(claim *holdings.Claim, host *inventory.Host) HostStatus {
	carried, is := in.carried(host), in.Holdings.Find(claim.Host)
	switch {
	case len(carried) == 0 && host.State.InUse():
		return HostStatus{State: Released, What: "seen without labels, but still in use, so no cluster can have it " +
			"yet: " +
			use(&host.State)}
	case len(carried) == 0 && host.State.NodeReuse != "":
		return HostStatus{State: Reserved, What: "seen without labels; " + reserved(host, "no other cluster")}
	case len(carried) == 0 && is.Labels.Any:
		return HostStatus{State: Released, What: "its labels are empty: the next run removes them, and a later one " +
			"can assign it"}
	case len(carried) == 0 && (is.State != holdings.Free || is.Why != holdings.Why{}):
		return HostStatus{State: Released, What: "seen without labels, and not eligible (sipgen hosts prints the " +
			"reason)"}
	case len(carried) == 0:
		return HostStatus{State: Released, What: "seen without labels: the next run can assign it"}
	case !host.State.InUse():
	case keptByCluster(&host.State), !claim.Approved(host):
		return HostStatus{State: Denied, What: "should lose " + strings.Join(carried, ", ") +
			", but the guards deny it while the host is in use (" + use(&host.State) + "); the next run withdraws " +
			"the release"}
	}
	return HostStatus{State: Releasing, What: "still carries " + strings.Join(carried, ", ")}
}

// reserved describes a host that Cluster API keeps for a machine, and what to do. none are the clusters that cannot
// have it.
func reserved(host *inventory.Host, none string) string {
	of, mark := host.State.NodeReuse, "label"
	if keptByCluster(&host.State) {
		of, mark = host.State.Consumer.String(), "consumer"
	}
	return redact.Sprintf("Cluster API keeps it for the next machine of %s, so %s can have it; "+
		"if none is to come, remove its %s (sipgen help runbook free-a-host)", of, none, mark)
}
