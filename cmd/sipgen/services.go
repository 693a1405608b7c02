package main

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"github.com/airshipit/sipgen/internal/overlay"
	"github.com/airshipit/sipgen/internal/report"
	"github.com/airshipit/sipgen/render"
)

// maxCompared is how many clusters' services are built to see what changes in them: two builds take some 0.05 s. Of those beyond it
// the files are named.
const maxCompared = 200

// serviceChanges says what differs in the services of the clusters that have some in both trees, or had. The tree before comes from git: whoever can
// push may have edited it, so one that is not as sipgen writes it is not built, and that is said.
func serviceChanges(before, after render.Tree) []report.ServiceChanges {
	was, is := services(before), services(after)
	var changed []string
	for _, cluster := range slices.Sorted(maps.Keys(was)) {
		if !maps.EqualFunc(was[cluster], is[cluster], bytes.Equal) {
			changed = append(changed, cluster)
		}
	}
	// Those whose patches may change come first.
	slices.SortStableFunc(changed, func(a, b string) int {
		return rank(was[a], is[a]) - rank(was[b], is[b])
	})
	var out []report.ServiceChanges
	for i, cluster := range changed {
		changes := report.ServiceChanges{Cluster: cluster}
		switch {
		case is[cluster] == nil:
			changes.Gone = true
		case i >= maxCompared:
			changes.Unknown = "too many clusters change at once to compare them all"
		default:
			objects, err := compared(was[cluster], is[cluster])
			changes.Objects = objects
			if err != nil {
				changes.Unknown = err.Error()
			}
		}
		out = append(out, changes)
	}
	slices.SortFunc(out, func(a, b report.ServiceChanges) int { return strings.Compare(a.Cluster, b.Cluster) })
	return out
}

// services are the files of every cluster's services, by "namespace/name" and by path in their folder.
func services(tree render.Tree) map[string]map[string][]byte {
	out := map[string]map[string][]byte{}
	for path, text := range tree {
		parts := strings.SplitN(path, "/", 5)
		if len(parts) < 5 || parts[0] != "clusters" || parts[3] != "infra" {
			continue
		}
		cluster := parts[1] + "/" + parts[2]
		if out[cluster] == nil {
			out[cluster] = map[string][]byte{}
		}
		out[cluster][parts[4]] = text
	}
	return out
}

func rank(was, is map[string][]byte) int {
	if bytes.Equal(was["kustomization.yaml"], is["kustomization.yaml"]) {
		return 1
	}
	return 0
}

func compared(was, is map[string][]byte) ([]report.ObjectChange, error) {
	before, err := overlay.Parse(was)
	if err != nil {
		return nil, err
	}
	after, err := overlay.Parse(is)
	if err != nil {
		return nil, err
	}
	changes, err := overlay.Changes(before, after)
	var out []report.ObjectChange
	for _, c := range changes {
		out = append(out, report.ObjectChange(c))
	}
	return out, err
}
