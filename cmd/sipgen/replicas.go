package main

import (
	"path"
	"slices"
	"strings"

	"github.com/airshipit/sipgen/internal/report"
	"github.com/airshipit/sipgen/render"
	"github.com/airshipit/sipgen/render/capi"
)

// replicaChanges says which numbers of machines differ from those in the tree before, in the components for Cluster API that it has. Those of a
// cluster that is refused, or has no spec any more, stay.
func (d *decided) replicaChanges() []report.ReplicaChange {
	was := map[string]map[string][]byte{} // folder → files that may set a number
	for file, text := range d.before.files {
		name := path.Base(file)
		if folder := path.Dir(file); path.Base(folder) == "capi" && (name == "kubeadmcontrolplane.yaml" || strings.HasPrefix(name, "machinedeployment-")) {
			if was[folder] == nil {
				was[folder] = map[string][]byte{}
			}
			was[folder][name] = text
		}
	}
	stay := map[string]bool{}
	for i := range d.placement.Clusters {
		c := &d.placement.Clusters[i]
		stay[c.Key.String()] = c.Gone || len(c.Refused) > 0
	}
	var out []report.ReplicaChange
	for i := range d.clusters {
		c := &d.clusters[i]
		before := was[render.Folder(keyOf(c))+"/capi"]
		if len(before) == 0 || stay[c.Key()] {
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
