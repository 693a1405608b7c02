package schedule

import (
	"fmt"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/inventory"
)

// racked are hosts in racks of 40 and rows of 800, with more labels.
func racked(n int, more func(i int) string) (hosts []inventory.Host) {
	for i := range n {
		hosts = append(hosts, newHost(fmt.Sprintf("node-%06d", i), fmt.Sprintf("rack=rack-%04d row=row-%03d %s", i/40, i/800, more(i))))
	}
	return hosts
}

// tenant is cluster number c, with workers alone.
func tenant(c int, workers v1.NodeSet) v1.SIPCluster {
	return newCluster(fmt.Sprintf("tenant-%05d", c), map[string]v1.NodeSet{v1.RoleWorker: workers})
}

func is(key string, values ...string) metav1.LabelSelectorRequirement {
	return expression(key, metav1.LabelSelectorOpIn, values...)
}

// neighboursFleet has pools of 50 hosts, and as many clusters: each selects a pool and the next one, so that all compete, and none of them gets the standby host that it
// wants too. The pool of the next cluster is so many further on.
func neighboursFleet(n, on int) ([]v1.SIPCluster, []inventory.Host) {
	pool := func(p int) string { return fmt.Sprintf("p%d", p%(n/50)) }
	var clusters []v1.SIPCluster
	for c := range n / 50 {
		clusters = append(clusters, tenant(c, chosenBy(50, 1, is("pool", pool(c*on), pool(c*on+1)))))
	}
	return clusters, racked(n, func(i int) string { return "pool=" + pool(i/50) })
}

// TestNeighbours: all clusters are named that compete.
func TestNeighbours(t *testing.T) {
	clusters, hosts := neighboursFleet(1000, 7)
	p := plan(t, clusters, hosts, Previous{}, testOptions)
	need.Must(t, len(p.Shortages) == len(clusters), "%d shortages, want %d", len(p.Shortages), len(clusters))
	for _, short := range p.Shortages {
		need.That(t, len(short.Roles) == len(clusters),
			"%s: %d roles compete, want %d", short.Short, len(short.Roles), len(clusters))
		// Each has a selector of its own, and the one that is short needs one more.
		selector := workerSelectors(clusters)[short.Short.Cluster]
		if first := short.Groups[0]; first.Selector != selector || first.Need != 51 {
			t.Errorf("%s: the group that needs most is %+v, want 51 for %s", short.Short, first, selector)
		}
		roles, needed := short.Others.Roles, short.Others.Need
		for _, group := range short.Groups {
			roles, needed = roles+group.Roles, needed+group.Need
		}
		need.That(t, len(short.Groups) == mostGroups && roles == len(short.Roles) && needed == short.Need,
			"%s: %d groups and others have %d roles that need %d, want %d that need %d", short.Short, len(short.Groups), roles, needed, len(short.Roles), short.Need)
	}
}

// workerSelectors are the selectors of the clusters' workers.
func workerSelectors(clusters []v1.SIPCluster) map[ClusterKey]string {
	selectors := map[ClusterKey]string{}
	for _, c := range clusters {
		set := c.Spec.Nodes[v1.RoleWorker]
		selector, _ := set.HostSelector()
		selectors[ClusterKey{Namespace: c.Namespace, Name: c.Name}] = selector.String()
	}
	return selectors
}

func expression(key string, operator metav1.LabelSelectorOperator, values ...string) metav1.LabelSelectorRequirement {
	return metav1.LabelSelectorRequirement{Key: key, Operator: operator, Values: values}
}

func chosenBy(active, standby int, by ...metav1.LabelSelectorRequirement) v1.NodeSet {
	return v1.NodeSet{LabelSelector: metav1.LabelSelector{MatchExpressions: by}, Count: &v1.NodeCount{Active: active, Standby: standby}}
}
