package validation

import (
	"fmt"
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/stretchr/testify/assert"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestFewComplaints: however many lists of a spec are too long, few of them are told of.
func TestFewComplaints(t *testing.T) {
	requirement := metav1.LabelSelectorRequirement{Key: "a", Operator: "In", Values: make([]string, MaxValues+1)}
	set := v1.NodeSet{}
	for range MaxRequirements {
		set.LabelSelector.MatchExpressions = append(set.LabelSelector.MatchExpressions, requirement)
	}
	cluster := v1.SIPCluster{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "b"},
		Spec: v1.SIPClusterSpec{Nodes: map[string]v1.NodeSet{}}}
	for n := range 64 {
		cluster.Spec.Nodes[fmt.Sprintf("r%d", n)] = set
	}
	errs := ValidateCluster(&cluster)
	if last := errs[len(errs)-1]; len(errs) != 21 ||
		last.Error() != "spec: 6380 more lists are longer than they may be" {
		t.Errorf("%d complaints, the last is %v", len(errs), last)
	}
}

func TestLimits(t *testing.T) {
	keys := func(n int) []string {
		out := make([]string, n)
		for i := range out {
			out[i] = fmt.Sprintf("k%d", i)
		}
		return out
	}
	worker := func(change func(*v1.NodeSet)) func(*v1.SIPCluster) {
		return func(c *v1.SIPCluster) {
			set := c.Spec.Nodes["Worker"]
			change(&set)
			c.Spec.Nodes["Worker"] = set
		}
	}
	dex := func(change func(*v1.Dex)) func(*v1.SIPCluster) {
		return func(c *v1.SIPCluster) { c.Spec.Services.Dex = make([]v1.Dex, 1); change(&c.Spec.Services.Dex[0]) }
	}
	for why, row := range map[string]struct {
		change func(*v1.SIPCluster)
		want   string // with one more than may be
	}{
		"requirements": {worker(func(n *v1.NodeSet) {
			for _, key := range keys(MaxRequirements + 1) {
				n.LabelSelector.MatchExpressions = append(n.LabelSelector.MatchExpressions,
					metav1.LabelSelectorRequirement{Key: key, Operator: "Exists"})
			}
		}), "spec.nodes.Worker.labelSelector: found 101 requirements, want at most 100"},
		"values": {worker(func(n *v1.NodeSet) {
			n.LabelSelector.MatchExpressions = []metav1.LabelSelectorRequirement{{Key: "a", Operator: "In",
				Values: keys(MaxValues + 1)}}
		}), "spec.nodes.Worker.labelSelector.matchExpressions[0].values: found 1001 values, want at most 1000"},
		"names to remove": {func(c *v1.SIPCluster) {
			c.Annotations = map[string]string{v1.RemoveAnnotation: strings.Join(keys(MaxNames+1), ",")}
		}, "metadata.annotations[sip.airshipit.org/remove]: found 1001 names, want at most 1000"},
		"annotations": {func(c *v1.SIPCluster) { c.Annotations = map[string]string{"a": strings.Repeat("x", 256<<10)} },
			"metadata.annotations: found 262145 bytes, want at most 262144"},
		"addresses of a Service": {dex(func(d *v1.Dex) { d.Service.Service = &v1.ServiceExposure{LoadBalancerIP: strings.Repeat(",", MaxIPs)} }),
			"spec.services.dex[0].service.loadBalancerIP: found 17 addresses, want at most 16"},
		"a connector": {dex(func(d *v1.Dex) {
			d.Connectors = []apiextensionsv1.JSON{{Raw: []byte(`"` + strings.Repeat("x", MaxConnector-1) + `"`)}}
		}), "spec.services.dex[0].connectors[0]: found 65537 bytes, want at most 65536"},
	} {
		cluster := v1.SIPCluster{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "b"},
			Spec: v1.SIPClusterSpec{Nodes: map[string]v1.NodeSet{"Worker": {}}}}
		assert.Len(t, ValidateCluster(&cluster), 0, why)
		row.change(&cluster)
		if errs := ValidateCluster(&cluster); len(errs) != 1 || errs[0].Error() != row.want {
			t.Errorf("%s: got %.300v, want %s alone", why, errs, row.want)
		}
	}
}
