package holdings

import (
	"maps"
	"slices"

	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/inventory"
)

// AsOfTree returns the hosts of an inventory that was read before the tree was committed. Of a host that the tree has
// such an inventory says nothing but that it is not fit: neither that it is gone, nor its uid, its labels of sipgen or
// its use. A failed one that leaves is not fit to be taken back. Labels of another host may be those of a release that
// has been carried out since, so they decide nothing. The hosts are sorted by namespace and name.
func AsOfTree(hosts []inventory.Host, tree []Claim, keys LabelKeys) []inventory.Host {
	at := make(map[HostKey]int, len(hosts))
	for i := range hosts {
		at[KeyOf(&hosts[i])] = i
	}
	out := slices.Clone(hosts)
	claimed := make([]bool, len(hosts))
	for i := range tree {
		t := &tree[i]
		n, found := at[t.Host]
		if !found {
			n = len(out)
			at[t.Host] = n
			out = append(out, inventory.Host{Namespace: t.Host.Namespace, Name: t.Host.Name,
				Source: manifest.Place{File: t.Source}})
			claimed = append(claimed, true)
		}
		out[n], claimed[n] = asClaimed(&out[n], t, keys), true
	}
	for n := range out {
		if labels := LabelsOf(&out[n], keys); labels.Any && !claimed[n] {
			out[n].Faults = append(slices.Clone(out[n].Faults), readBefore())
		}
	}
	inventory.Sort(out)
	return out
}

// asClaimed returns a host as the tree knows it. Its other labels and its hardware stay: they change rarely.
func asClaimed(read *inventory.Host, t *Claim, keys LabelKeys) inventory.Host {
	h := *read
	h.State, h.Managers, h.Engine, h.Warnings = unfitState(read), nil, nil, nil
	if s := &read.State; t.Releasing {
		h.State.Deleting, h.State.Unhealthy, h.State.Retired = s.Deleting, s.Unhealthy, s.Retired
		h.State.ErrorType, h.State.ErrorMessage = s.ErrorType, s.ErrorMessage
	}
	if t.UID != "" {
		h.UID = t.UID
	}
	h.Labels = maps.Clone(read.Labels)
	for _, key := range keys.All() {
		delete(h.Labels, key)
	}
	h.Faults = slices.DeleteFunc(slices.Clone(read.Faults),
		func(f inventory.Fault) bool { return f.Kind != inventory.FaultPatch })
	h.Faults = append(h.Faults, readBefore())
	return h
}

// unfitState returns of a host's state what keeps a machine from taking it (see Unfit), and neither use nor failure.
func unfitState(read *inventory.Host) (out inventory.State) {
	s := &read.State
	if Unfit(read) == (Why{}) {
		return out
	}
	out.Paused, out.Detached, out.Cordoned = s.Paused, s.Detached, s.Cordoned
	if !s.InUse() && !s.InError() {
		out.Known, out.Operational, out.Provisioning = s.Known, s.Operational, s.Provisioning
	}
	return out
}

func readBefore() inventory.Fault {
	return inventory.Fault{Kind: inventory.FaultOld, Text: "read before the tree was committed"}
}
