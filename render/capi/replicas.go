package capi

import (
	"maps"
	"slices"
	"strings"

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
		out = append(out, Machines{Role: role, File: replicasFile(role, names[role]), Replicas: active})
	}
	return out
}

const (
	controlPlaneFile = "kubeadmcontrolplane.yaml"
	deploymentPrefix = "machinedeployment-"
)

// replicasFile returns the file that sets the replicas of a role. name is the role's part of file names.
func replicasFile(role, name string) string {
	if role == v1.RoleControlPlane {
		return controlPlaneFile
	}
	return deploymentPrefix + name + ".yaml"
}

// SetsReplicas reports whether a file of a component sets replicas. of is the file that sets those of the role's one
// object, another one if the file is for a domain.
func SetsReplicas(file string) (of string, sets bool) {
	folder, _, byDomain := strings.Cut(file, "/")
	switch {
	case !strings.HasPrefix(file, deploymentPrefix):
		return file, file == controlPlaneFile
	case byDomain:
		return folder + ".yaml", true
	}
	return file, true
}

// Replicas returns the replicas in a file of a component, and their domain, such as rack=r1, if the file is for one.
// The file may come from an edited tree, and have none.
func Replicas(file []byte) (replicas int, domain string, found bool) {
	var patch struct {
		Metadata metadata `json:"metadata"`
		Spec     struct {
			Replicas *int `json:"replicas"`
		} `json:"spec"`
	}
	if err := yaml.Unmarshal(file, &patch); err != nil || patch.Spec.Replicas == nil {
		return 0, "", false
	}
	if labels := patch.Metadata.Labels; len(labels) == 1 {
		for key, value := range labels {
			domain = key + "=" + value
		}
	}
	return *patch.Spec.Replicas, domain, true
}
