package render

import (
	"strings"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/render/assignments"
	"github.com/airshipit/sipgen/schedule"
)

// Previous reads the claims out of a previous tree's assignments.yaml files. where is what the
// tree is called in messages. A file that was edited by hand is a problem, and so is one that was deleted while its
// cluster has patches: hosts would change hands without being released. A tree that was made for a site that is not
// this one in what assignments.Conditions holds is a problem too. Every problem is reported: a claim that is not
// understood must not be forgotten.
func Previous(where string, tree Tree, site *v1alpha1.Site) (schedule.Previous, error) {
	return assignments.Read(where, tree, site)
}

// Former is Previous for a tree in another folder, which may have been made for another engine or another namespace of
// the engine: nothing prunes there what a new folder lacks.
func Former(where string, tree Tree, site *v1alpha1.Site) (schedule.Previous, error) {
	return assignments.ReadFormer(where, tree, site)
}

// IsAssignments reports whether a path in a tree is, or looks like, an assignments file: in another case, with
// another ending, or at another depth. A foreign one is neither read nor ignored.
func IsAssignments(name string) bool { return assignments.Is(name) }

// IsAboutHosts reports whether a file of a tree has decisions about hosts: a cluster's assignments, or its patches.
func IsAboutHosts(name string) bool {
	return assignments.Is(name) || strings.HasPrefix(name, "clusters/") && strings.Contains(name, "/hosts/")
}

// HostsOf returns the folder of the cluster whose kustomization of host patches is at a path, "" for any other path.
func HostsOf(name string) string { return assignments.HostsOf(name) }
