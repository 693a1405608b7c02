package lint

import (
	"github.com/airshipit/sipgen/api/v1/validation"
	"github.com/airshipit/sipgen/internal/finding"
)

// backendless finds load balancers whose role asks for no host. One that the tree has had like this must not stop the
// site.
func (c *checker) backendless() {
	for i := range c.Clusters {
		cluster := &c.Clusters[i]
		if c.leaves(cluster) {
			continue
		}
		for _, lb := range validation.BackendlessServices(cluster) {
			severity, fix := finding.Warning, "ask for a host, or remove the load balancer"
			if lb.Missing {
				fix = "add or rename the role, or remove the load balancer"
				if !c.Served[cluster.Key()+" "+lb.Path] {
					severity = finding.Error
				}
			}
			c.cluster(finding.Backendless, severity, cluster, lb.Path, lb.Message, fix)
		}
	}
}
