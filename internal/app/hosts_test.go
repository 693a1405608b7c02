package app

import (
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/schedule"
)

// TestServicesOfOthers: a live Deployment that another controller made, with the name of one cluster's service, is that
// cluster's finding, and no other cluster is frozen for it.
func TestServicesOfOthers(t *testing.T) {
	cluster := func(namespace string) v1.SIPCluster {
		c := v1.SIPCluster{}
		c.Namespace, c.Name = namespace, "a"
		c.Spec.Services.LoadBalancerWorker = make([]v1.LoadBalancerWorker, 1)
		return c
	}
	l := &Loaded{
		Site: &v1alpha1.Site{}, Hosts: &inventory.Inventory{}, Clusters: []v1.SIPCluster{cluster("bank"), cluster("edge")},
		services: []inventory.ServiceObject{{
			Kind: "Deployment", Namespace: "bank", Name: v1.ServiceName(v1.ListWorker, 0, "a"),
			Owners: []inventory.Owner{{Manager: "manager", Operation: "Update", Made: true}},
		}},
	}
	l.Site.Spec.Engine = v1alpha1.EngineFlux
	l.leaveAlone()
	var frozen []schedule.ClusterKey
	for _, f := range l.Problems {
		frozen = append(frozen, f.Cluster)
	}
	if len(frozen) != 1 || frozen[0] != (schedule.ClusterKey{Namespace: "bank", Name: "a"}) {
		t.Errorf("frozen are %v, want bank/a", frozen)
	}
}
