package capi

import (
	"maps"
	"slices"

	"sigs.k8s.io/yaml"

	v1 "github.com/airshipit/sipgen/api/v1"
)

// Machines are the machines of one role: how many of them the component of a cluster asks Cluster API for.
type Machines struct {
	Role string
	// File sets the number, a path relative to the component.
	File     string
	Replicas int
}

// MachinesOf returns those of a cluster, by role, as Component writes them.
func MachinesOf(cluster *v1.SIPCluster) []Machines {
	roles := slices.Sorted(maps.Keys(cluster.Spec.Nodes))
	names := fileNames(roles)
	var out []Machines
	for _, role := range roles {
		set := cluster.Spec.Nodes[role]
		active, _ := set.Want()
		out = append(out, Machines{Role: role, File: replicasFile(role, names), Replicas: active})
	}
	return out
}

// replicasFile returns the file that sets the replicas of a role. names are those of fileNames.
func replicasFile(role string, names map[string]string) string {
	if role == v1.RoleControlPlane {
		return "kubeadmcontrolplane.yaml"
	}
	return "machinedeployment-" + names[role] + ".yaml"
}

// Replicas returns the replicas in a file of a component. The file may come from an edited tree, and have none.
func Replicas(file []byte) (replicas int, found bool) {
	var patch struct {
		Spec struct {
			Replicas *int `json:"replicas"`
		} `json:"spec"`
	}
	if err := yaml.Unmarshal(file, &patch); err != nil || patch.Spec.Replicas == nil {
		return 0, false
	}
	return *patch.Spec.Replicas, true
}
