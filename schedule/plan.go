package schedule

import (
	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/inventory"
)

// Plan assigns hosts to clusters. It depends only on its arguments: the order of clusters and hosts
// never changes the result, and a claimed host never moves.
func Plan(clusters []v1.SIPCluster, hosts []inventory.Host, previous Previous, options Options) (*Placement, error) {
	return &Placement{}, nil
}
