package holdings

import "github.com/airshipit/sipgen/inventory"

// LabelKeys are the label keys by which a host is claimed.
type LabelKeys struct {
	ClusterNamespace, ClusterName, NodeType, Standby string
}

// All are the keys, those of Claim first.
func (k LabelKeys) All() []string { return append(k.Claim(), k.Standby) }

// Claim are the keys that say whose a host is. Standby is not among them: it changes while a host is in use.
func (k LabelKeys) Claim() []string { return []string{k.ClusterNamespace, k.ClusterName, k.NodeType} }

// Labels is what the labels of a host claim.
type Labels struct {
	Cluster ClusterKey
	Role    string
	Standby bool
	// Any: it has one of the labels. Complete: it has the three that make a claim.
	Any, Complete bool
}

// NameCluster says whether the labels name a cluster, with or without a role.
func (l *Labels) NameCluster() bool { return l.Cluster.Namespace != "" && l.Cluster.Name != "" }

// LabelsOf reads the labels of a host.
func LabelsOf(h *inventory.Host, keys LabelKeys) Labels {
	l := Labels{
		Cluster: ClusterKey{h.Labels[keys.ClusterNamespace], h.Labels[keys.ClusterName]},
		Role:    h.Labels[keys.NodeType], Standby: h.Labels[keys.Standby] == "true",
	}
	for _, key := range [...]string{keys.ClusterNamespace, keys.ClusterName, keys.NodeType, keys.Standby} {
		if _, is := h.Labels[key]; is {
			l.Any = true
		}
	}
	l.Complete = l.NameCluster() && l.Role != ""
	return l
}

// Label is one label of sipgen's: the value Is on the host, and Want in a tree; empty for none.
type Label struct{ Key, Is, Want string }

// Differ gives the labels of a host that are not those of a claim, in the order of LabelKeys.All. The zero claim is one of no cluster.
func (k LabelKeys) Differ(h *inventory.Host, c Claim) (labels []Label) {
	want := [...]string{c.Cluster.Namespace, c.Cluster.Name, c.Role, ""}
	if c.Standby {
		want[3] = "true"
	}
	for i, key := range k.All() {
		if is := h.Labels[key]; is != want[i] {
			labels = append(labels, Label{key, is, want[i]})
		}
	}
	return labels
}
