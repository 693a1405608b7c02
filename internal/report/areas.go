package report

import (
	"slices"
	"strings"
)

// Area is a part of the tree as a reviewer thinks of it, with the number of its files that change.
type Area struct {
	Name  string
	Files int
}

// Areas sorts changed paths into the parts of the tree. Lists of owned files and PLAN.md follow from the
// others and are left out.
func Areas(paths []string) []Area {
	counts := map[string]int{}
	for _, path := range paths {
		if name := areaOf(path); name != "" {
			counts[name]++
		}
	}
	var areas []Area
	for name, n := range counts {
		areas = append(areas, Area{name, n})
	}
	slices.SortFunc(areas, func(a, b Area) int { return strings.Compare(a.Name, b.Name) })
	return areas
}

const (
	policies    = "policies"
	syncObjects = "sync objects"
)

func areaOf(path string) string {
	parts := strings.Split(path, "/")
	switch {
	case parts[0] == "clusters" && len(parts) > 3:
		cluster := parts[1] + "/" + parts[2]
		switch parts[3] {
		case "infra":
			return "services of " + cluster
		case "hosts":
			return "host patches of " + cluster
		case "capi":
			return "component for Cluster API of " + cluster
		case "kustomization.yaml":
			return syncObjects
		}
		return ""
	case parts[0] == "claims":
		return "rights to claim hosts"
	case parts[0] == "rights" && len(parts) > 3:
		return "rights of " + parts[1] + "/" + parts[2]
	case parts[0] == "policy":
		return policies
	case parts[0] == "runner":
		return "the runner"
	case parts[0] == "flux" || parts[0] == "argocd":
		return syncObjects
	case parts[0] == "site":
		return "definitions of the site"
	case parts[0] == "hosts":
		return "the overlay of hosts"
	}
	return ""
}
