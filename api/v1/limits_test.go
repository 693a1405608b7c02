package v1

import (
	"fmt"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestLimits(t *testing.T) {
	keys := func(n int) []string {
		out := make([]string, n)
		for i := range out {
			out[i] = fmt.Sprintf("k%d", i)
		}
		return out
	}
	worker := func(change func(*NodeSet)) func(*SIPCluster) {
		return func(c *SIPCluster) {
			set := c.Spec.Nodes["Worker"]
			change(&set)
			c.Spec.Nodes["Worker"] = set
		}
	}
	for why, row := range map[string]struct {
		change func(*SIPCluster)
		want   string // with one more than may be
	}{
		"roles": {func(c *SIPCluster) {
			for _, role := range keys(MaxRoles) {
				c.Spec.Nodes[role] = NodeSet{}
			}
		}, "spec.nodes: found 65 roles, want at most 64"},
		"topology keys":       {worker(func(n *NodeSet) { n.TopologyKeys = keys(MaxTopologyKeys + 1) }), "spec.nodes.Worker.topologyKeys: found 9 keys, want at most 8"},
		"namespaces of hosts": {worker(func(n *NodeSet) { n.HostNamespaces = keys(MaxNamespaces + 1) }), "spec.nodes.Worker.hostNamespaces: found 101 namespaces, want at most 100"},
		"limits of topology keys": {worker(func(n *NodeSet) {
			n.MaxPerDomainByKey = map[string]PerDomain{}
			for _, key := range keys(MaxTopologyKeys + 1) {
				n.MaxPerDomainByKey[key] = 1
			}
		}), "spec.nodes.Worker.maxPerDomainByKey: found 9 keys, want at most 8"},
		"requirements": {worker(func(n *NodeSet) {
			for _, key := range keys(MaxRequirements + 1) {
				n.LabelSelector.MatchExpressions = append(n.LabelSelector.MatchExpressions, metav1.LabelSelectorRequirement{Key: key, Operator: "Exists"})
			}
		}), "spec.nodes.Worker.labelSelector: found 101 requirements, want at most 100"},
		"values": {worker(func(n *NodeSet) {
			n.LabelSelector.MatchExpressions = []metav1.LabelSelectorRequirement{{Key: "a", Operator: "In", Values: keys(MaxValues + 1)}}
		}), "spec.nodes.Worker.labelSelector.matchExpressions[0].values: found 1001 values, want at most 1000"},
		"names to remove": {func(c *SIPCluster) {
			c.Annotations = map[string]string{RemoveAnnotation: strings.Join(keys(MaxNames+1), ",")}
		}, "metadata.annotations[sip.airshipit.org/remove]: found 1001 names, want at most 1000"},
		"annotations": {func(c *SIPCluster) { c.Annotations = map[string]string{"a": strings.Repeat("x", 256<<10)} },
			"metadata.annotations: found 262145 bytes, want at most 262144"},
		"jump hosts": {func(c *SIPCluster) { c.Spec.Services.JumpHost = make([]JumpHost, MaxServices+1) }, "spec.services.jumpHost: found 65 of them, want at most 64"},
	} {
		cluster := SIPCluster{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "b"}, Spec: SIPClusterSpec{Nodes: map[string]NodeSet{"Worker": {}}}}
		if errs := cluster.Validate(); len(errs) > 0 {
			t.Fatal(errs)
		}
		row.change(&cluster)
		if errs := cluster.Validate(); len(errs) != 1 || errs[0].Error() != row.want {
			t.Errorf("%s: got %.300v, want %s alone", why, errs, row.want)
		}
	}
}
