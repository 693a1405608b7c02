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
	"github.com/airshipit/sipgen/schedule"
)

// serviceChanges returns the changes in the services of the clusters in the previous tree. was and hadRights are
// theirs there; a cluster without services has none. They come from git and may have been edited, so services that
// are not as sipgen writes them are not built, but reported.
func serviceChanges(was, hadRights map[string]map[string][]byte, after render.Tree) []report.ServiceChanges {
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
	var out []report.ServiceChanges
	done := comparisons{}
	for _, cluster := range changed {
		changes := report.ServiceChanges{Cluster: cluster}
		if is[cluster] == nil {
			changes.Gone, changes.Emptied = true, render.IsEmptied(after["clusters/"+cluster+
				"/infra/kustomization.yaml"]) ||
				render.IsEmptied(after["clusters/"+cluster+"/kustomization.yaml"])
			changes.Account = len(hasRights[cluster]) > 0
		} else if objects, err := done.of(cluster, change{was[cluster], hadRights[cluster], is[cluster],
			hasRights[cluster]}); err != nil {
			changes.Unknown = err.Error()
		} else {
			changes.Objects = objects
		}
		out = append(out, changes)
	}
	return out
}

// leaves reports whether hosts of a cluster that has no spec leave the site with their namespace.
func (p *Planned) leaves(cluster string) bool {
	return slices.ContainsFunc(p.Placement.Warnings, func(w schedule.Warning) bool {
		of, is := w.(schedule.OfCluster)
		if !is || of.Cluster.String() != cluster {
			return false
		}
		missing, is := of.Warning.(schedule.NotInInventory)
		return is && missing.Outside && !missing.Releasing
	})
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

// change is the services of a cluster and their rights, before and after.
type change struct{ was, hadRights, is, hasRights map[string][]byte }

// comparisons are the comparisons that were made. Two builds take about 0.05 s, and most changes of a site, such as
// another image, are the same in every cluster.
type comparisons map[overlay.Signature]comparison

// comparison is what was found of the first cluster with a change.
type comparison struct {
	cluster string
	effects []objdiff.Effect
}

// of compares the services of a cluster, unless those of another cluster have changed in the same way.
func (c comparisons) of(cluster string, change change) ([]objdiff.Effect, error) {
	id := overlay.SignatureOf(cluster, [2]map[string][]byte{change.was, change.is},
		[2]map[string][]byte{change.hadRights, change.hasRights})
	if same, done := c[id]; done {
		if effects, ok := overlay.Renamed(same.effects, same.cluster, cluster); ok {
			return effects, nil
		}
	}
	effects, err := change.compare()
	if err == nil {
		c[id] = comparison{cluster, effects}
	}
	return effects, err
}

// compare compares services with their rights, if these differ. Rights that moved out of the services have not
// changed.
func (c *change) compare() ([]objdiff.Effect, error) {
	before, hadRights := overlay.Built{}, c.hadRights
	var err error
	if c.was == nil {
		hadRights = nil // nothing that they were for is there
	} else if before, err = buildServices(c.was); err != nil {
		return nil, fmt.Errorf("before: %w", err)
	}
	after, errs := overlay.Check(c.is, nil, "")
	if len(errs) > 0 {
		return nil, fmt.Errorf("after: %w", errors.Join(errs...))
	}
	if !maps.EqualFunc(hadRights, c.hasRights, bytes.Equal) {
		if before, err = withRights(before, hadRights); err != nil {
			return nil, fmt.Errorf("before: %w", err)
		}
		if after, err = withRights(after, c.hasRights); err != nil {
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
