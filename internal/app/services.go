package app

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/airshipit/sipgen/internal/objdiff"
	"github.com/airshipit/sipgen/internal/overlay"
	"github.com/airshipit/sipgen/internal/report"
	"github.com/airshipit/sipgen/render"
)

// maxCompared is how many clusters' services are built to find their changes. Two builds take about 0.05 s. Beyond
// it, only the changed files are named.
const maxCompared = 200

// serviceChanges returns the changes in the services of the clusters in the previous tree. was and hadRights are
// theirs there; a cluster without services has none. They come from git and may have been edited, so services that
// are not as sipgen writes them are not built, but reported. built are the services of the new tree that were built
// already.
func serviceChanges(was, hadRights map[string]map[string][]byte, after render.Tree,
	built map[string]*overlay.Built) []report.ServiceChanges {
	is, hasRights := filesOf(after, "clusters", "infra/"), filesOf(after, "rights", "")
	var changed []string
	for _, cluster := range slices.Sorted(maps.Keys(was)) {
		if was[cluster] == nil && is[cluster] == nil {
			continue
		}
		if !maps.EqualFunc(was[cluster], is[cluster], bytes.Equal) ||
			!maps.EqualFunc(hadRights[cluster], hasRights[cluster], bytes.Equal) {
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
			changes.Gone, changes.Emptied = true, render.IsEmptied(after["clusters/"+cluster+"/infra/kustomization.yaml"]) ||
				render.IsEmptied(after["clusters/"+cluster+"/kustomization.yaml"])
		case i >= maxCompared:
			changes.Unknown = "too many clusters change at once to compare them all"
		default:
			objects, err := compared(was[cluster], hadRights[cluster], is[cluster], hasRights[cluster], built[cluster])
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

// servicesBefore returns the files of the services in the previous tree, including clusters without any that have
// hosts or a folder.
func servicesBefore(tree render.Tree) map[string]map[string][]byte {
	out := filesOf(tree, "clusters", "infra/")
	for path := range tree {
		if parts := strings.SplitN(path, "/", 4); len(parts) == 4 && parts[0] == "clusters" &&
			out[parts[1]+"/"+parts[2]] == nil {
			out[parts[1]+"/"+parts[2]] = nil
		}
	}
	return out
}

// filesOf returns the files below TOP/NAMESPACE/NAME/FOLDER, by "namespace/name" and by path in that folder: of
// services, of components for Cluster API, and with an empty folder of rights.
func filesOf(tree render.Tree, top, folder string) map[string]map[string][]byte {
	out := map[string]map[string][]byte{}
	for path, text := range tree {
		parts := strings.SplitN(path, "/", 4)
		if len(parts) < 4 || parts[0] != top || render.IsEmptied(text) {
			continue
		}
		inside, found := strings.CutPrefix(parts[3], folder)
		if !found {
			continue
		}
		cluster := parts[1] + "/" + parts[2]
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

// compared compares services with their rights, if these differ. Rights that moved out of the services have not
// changed. built are the new services, if they were built already.
func compared(was, hadRights, is, hasRights map[string][]byte, built *overlay.Built) ([]objdiff.Effect, error) {
	before := overlay.Built{}
	var err error
	if was == nil {
		hadRights = nil // nothing that they were for is there
	} else if before, err = buildServices(was); err != nil {
		return nil, fmt.Errorf("before: %w", err)
	}
	after := overlay.Built{}
	if built != nil {
		after = *built
	} else {
		var errs []error
		if after, errs = overlay.Check(is, 0, ""); len(errs) > 0 {
			return nil, fmt.Errorf("after: %w", errors.Join(errs...))
		}
	}
	if !maps.EqualFunc(hadRights, hasRights, bytes.Equal) {
		if before, err = withRights(before, hadRights); err != nil {
			return nil, fmt.Errorf("before: %w", err)
		}
		if after, err = withRights(after, hasRights); err != nil {
			return nil, fmt.Errorf("after: %w", err)
		}
	}
	return overlay.Changes(before, after)
}

func buildServices(files map[string][]byte) (overlay.Built, error) {
	folder, err := overlay.Parse(files)
	if err != nil {
		return overlay.Built{}, err
	}
	return folder.Built()
}

// withRights returns services with their rights, if they have any.
func withRights(services overlay.Built, rights map[string][]byte) (overlay.Built, error) {
	if rights == nil {
		return services, nil
	}
	built, err := buildServices(rights)
	if err != nil {
		return services, fmt.Errorf("rights: %w", err)
	}
	return services.And(built), nil
}
