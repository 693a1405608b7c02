package holdings

import "slices"

// Disputes returns the hosts in use that the tree has for one cluster and the labels name another one for, by name.
func (hs *Holdings) Disputes() []*Holding {
	return hs.which(func(h *Holding) bool { return h.Rival != ClusterKey{} })
}

// Relabeled returns the hosts in use whose labels are not those that the tree gives them, by name.
func (hs *Holdings) Relabeled() []*Holding {
	return hs.which(func(h *Holding) bool { return h.Relabeled })
}

// KeptForReuse returns the unused hosts without sipgen's labels that Cluster API keeps for its next machine, by name:
// those of no cluster, and those that leave one. No other cluster can have one.
func (hs *Holdings) KeptForReuse() []*Holding {
	return hs.which(func(h *Holding) bool {
		kept := h.State == Free || h.State == Leaving && !h.Labels.Any
		return kept && h.Host.State.NodeReuse != "" && !h.Host.State.InUse()
	})
}

func (hs *Holdings) which(is func(*Holding) bool) (out []*Holding) {
	for i := range hs.Hosts {
		if is(&hs.Hosts[i]) {
			out = append(out, &hs.Hosts[i])
		}
	}
	return out
}

// Writers returns the managers that own labels of the claim of a host, sorted, without the engines' own: who wrote them
// by hand. It is empty if metadata.managedFields does not tell.
func (h *Holding) Writers(keys LabelKeys, engines ...string) []string {
	var out []string
	for _, m := range h.Host.Managers {
		if !slices.Contains(engines, m.Name) && slices.ContainsFunc(keys.Claim(),
			func(key string) bool { return slices.Contains(m.Labels, key) }) {
			out = append(out, m.Name)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
