package app

import (
	"maps"
	"slices"
	"strings"

	"github.com/airshipit/sipgen/internal/report"
	"github.com/airshipit/sipgen/render/capi"
)

// replicaChanges says which numbers of machines differ from those in the tree before, in the components for Cluster API that it has. Those of a
// cluster that is refused, or has no spec any more, stay.
func (p *Planned) replicaChanges() []report.ReplicaChange {
	was, stay := filesOfComponents(p.Before.Files), p.componentsStay()
	var out []report.ReplicaChange
	for i := range p.Clusters.All {
		c := &p.Clusters.All[i]
		before := was[c.Key()]
		maps.DeleteFunc(before, func(file string, _ []byte) bool {
			return file != "kubeadmcontrolplane.yaml" && (strings.Contains(file, "/") || !strings.HasPrefix(file, "machinedeployment-"))
		})
		//guard: a reviewer reads of machines that go, of a cluster that keeps them
		if len(before) == 0 || stay[c.Key()] || p.Loaded.Site.Spec.ClusterAPI == nil {
			continue
		}
		for _, machines := range capi.MachinesOf(c) {
			to := machines.Replicas
			from, found := capi.Replicas(before[machines.File])
			delete(before, machines.File)
			change := report.ReplicaChange{Cluster: c.Key(), Role: machines.Role, File: machines.File, To: &to}
			if found {
				change.From = &from
			}
			//guard: machines are deleted, and no reviewer is told
			if !found || from != to {
				out = append(out, change)
			}
		}
		for file, text := range before {
			if from, found := capi.Replicas(text); found {
				out = append(out, report.ReplicaChange{Cluster: c.Key(), File: file, From: &from})
			}
		}
	}
	slices.SortFunc(out, func(a, b report.ReplicaChange) int {
		return strings.Compare(a.Cluster+"/"+a.File, b.Cluster+"/"+b.File)
	})
	return out
}
