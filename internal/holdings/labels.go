package holdings

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/airshipit/sipgen/inventory"
)

// LabelKeys are the label keys by which a host is claimed.
type LabelKeys struct {
	ClusterNamespace, ClusterName, NodeType, Standby string
}

// All returns the keys, those of Claim first.
func (k LabelKeys) All() []string { return append(k.Claim(), k.Standby) }

// Claim returns the keys that name the owner of a host. Standby is not among them: it changes while a host is in use.
func (k LabelKeys) Claim() []string { return []string{k.ClusterNamespace, k.ClusterName, k.NodeType} }

// Labels is the claim that a host's labels make.
type Labels struct {
	Cluster ClusterKey
	Role    string
	Standby bool
	// Any: it has one of the labels. Complete: it has all three of a claim.
	Any, Complete bool
}

// NameCluster reports whether the labels name a cluster, with or without a role.
func (l *Labels) NameCluster() bool { return l.Cluster.Namespace != "" && l.Cluster.Name != "" }

// named reports whether a label of a claim has a value.
func (l *Labels) named() bool { return l.Cluster != ClusterKey{} || l.Role != "" }

// LabelsOf reads the labels of a host.
func LabelsOf(h *inventory.Host, keys LabelKeys) Labels {
	l := Labels{
		Cluster: ClusterKey{h.Labels[keys.ClusterNamespace], h.Labels[keys.ClusterName]},
		Role:    h.Labels[keys.NodeType], Standby: h.Labels[keys.Standby] == "true",
	}
	for _, key := range [...]string{keys.ClusterNamespace, keys.ClusterName, keys.NodeType, keys.Standby} {
		if _, ok := h.Labels[key]; ok {
			l.Any = true
		}
	}
	l.Complete = l.NameCluster() && l.Role != ""
	return l
}

// Label is one label of sipgen's: its value on the host (Is) and in a tree (Want), empty for none.
type Label struct{ Key, Is, Want string }

// Differ returns the labels of a host that differ from a claim, in the order of LabelKeys.All. The zero claim has no
// labels.
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

// sipLabels are the keys by which the SIP operator claimed hosts before April 2021.
var sipLabels = []string{
	"sip.airshipit.org/cluster", "sip.airshipit.org/note-type", "sip.airshipit.org/scheduled",
	"sip.airshipit.org/sip-scheduled", "sip.airshipit.org/workload-cluster",
}

// ofOldSIP reports whether an old SIP operator claimed a host, with the arguments of kubectl label that remove its
// labels. A name that Kubernetes does not allow is in no command.
func ofOldSIP(h *inventory.Host, keys LabelKeys) (why Why, is bool) {
	var old, remove []string
	for _, key := range sipLabels {
		if _, ok := h.Labels[key]; ok && !slices.Contains(keys.All(), key) {
			old = append(old, key)
		}
	}
	for _, key := range append(slices.Clone(old), keys.All()...) {
		if _, ok := h.Labels[key]; ok {
			remove = append(remove, key+"-")
		}
	}
	why.Code = SIPLabels
	if len(validation.IsDNS1123Label(h.Namespace))+len(validation.IsDNS1123Subdomain(h.Name)) == 0 {
		why.Detail = "-n " + h.Namespace + " baremetalhost " + h.Name + " " + strings.Join(remove, " ")
	}
	return why, len(old) > 0
}
