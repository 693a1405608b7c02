package main

import (
	"bytes"
	"fmt"
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
	hadRights, hasRights := rights(before), rights(after)
	var changed []string
	for _, cluster := range slices.Sorted(maps.Keys(was)) {
		if !maps.EqualFunc(was[cluster], is[cluster], bytes.Equal) || !maps.EqualFunc(hadRights[cluster], hasRights[cluster], bytes.Equal) {
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
			objects, err := compared(was[cluster], hadRights[cluster], is[cluster], hasRights[cluster])
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
	return filesByCluster(tree, func(path string) (cluster, inside string, found bool) {
		parts := strings.SplitN(path, "/", 5)
		if len(parts) < 5 || parts[0] != "clusters" || parts[3] != "infra" {
			return "", "", false
		}
		return parts[1] + "/" + parts[2], parts[4], true
	})
}

// rights are the files of every cluster's rights, likewise.
func rights(tree render.Tree) map[string]map[string][]byte {
	return filesByCluster(tree, func(path string) (cluster, inside string, found bool) {
		parts := strings.SplitN(path, "/", 4)
		if len(parts) < 4 || parts[0] != "rights" {
			return "", "", false
		}
		return parts[1] + "/" + parts[2], parts[3], true
	})
}

func filesByCluster(tree render.Tree, of func(path string) (cluster, inside string, found bool)) map[string]map[string][]byte {
	out := map[string]map[string][]byte{}
	for path, text := range tree {
		cluster, inside, found := of(path)
		if !found {
			continue
		}
		if out[cluster] == nil {
			out[cluster] = map[string][]byte{}
		}
		out[cluster][inside] = text
	}
	return out
}

func rank(was, is map[string][]byte) int {
	if bytes.Equal(was["kustomization.yaml"], is["kustomization.yaml"]) {
		return 1
	}
	return 0
}

// compared compares services together with their rights: rights were among the services once, and have not changed when they are no longer.
func compared(was, hadRights, is, hasRights map[string][]byte) ([]report.ObjectChange, error) {
	before, err := withRights(was, hadRights)
	if err != nil {
		return nil, err
	}
	after, err := withRights(is, hasRights)
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

// withRights is a folder of services that has their rights, too.
func withRights(services, rights map[string][]byte) (overlay.Folder, error) {
	folder, err := overlay.Parse(services)
	if err != nil || rights == nil {
		return folder, err
	}
	more, err := overlay.Parse(rights)
	if err != nil {
		return folder, fmt.Errorf("rights: %w", err)
	}
	for _, name := range more.Kustomization.Resources {
		folder.Files["rights/"+name] = more.Files[name]
		folder.Kustomization.Resources = append(folder.Kustomization.Resources, "rights/"+name)
	}
	return folder, nil
}
