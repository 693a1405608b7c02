package render

import (
	"bytes"
	"fmt"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/render/infra"
	"github.com/airshipit/sipgen/schedule"
)

// tolerated are the services of a cluster whose pods may run on control-plane nodes in the tree before, by their name. Nothing but
// this toleration is taken from there, and only where nobody says whether.
func (s *site) tolerated(key schedule.ClusterKey) map[string]bool {
	spec := s.specs[key]
	if spec == nil {
		return nil
	}
	return tolerated(s.Site, spec, s.Previous)
}

func tolerated(site *v1alpha1.Site, c *v1.SIPCluster, tree Tree) map[string]bool {
	if site.Spec.Defaults.ControlPlaneNodes != nil {
		return nil
	}
	found := map[string]bool{}
	for _, e := range c.Entries() {
		file := Folder(schedule.ClusterKey{Namespace: c.Namespace, Name: c.Name}) + "/infra/" + e.Name + ".yaml"
		if e.Service.ControlPlaneNodes == nil && bytes.Contains(tree[file], []byte("\n        key: "+infra.ControlPlaneTaint+"\n")) {
			//guard: an upgrade takes the nodes from the pods of a management cluster that has no others
			found[e.Name] = true
		}
	}
	return found
}

// Undecided says which services may run on control-plane nodes for no other reason than that they might before, in one sentence for all of them;
// empty where there are none.
func Undecided(site *v1alpha1.Site, clusters []v1.SIPCluster, tree Tree) string {
	n, first := 0, ""
	for i := range clusters {
		if services := len(tolerated(site, &clusters[i], tree)); services > 0 {
			if n += services; first == "" || clusters[i].Key() < first {
				first = clusters[i].Key()
			}
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%d services, of %s the first, may run on control-plane nodes as in earlier versions: want spec.defaults.controlPlaneNodes in the Site, true if the management cluster has no other nodes, else false", n, first)
}
