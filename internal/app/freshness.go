package app

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/airshipit/sipgen/internal/holdings"
	"github.com/airshipit/sipgen/schedule"
)

// labelsNewer reports whether the hosts were read after the previous tree was committed. The time of a commit has no
// fractions of a second. The time of a folder is unknown, and manifests do not record when they were read.
func (l *Loaded) labelsNewer(before Before) bool {
	switch {
	case l.Hosts.TakenAt.IsZero():
		return false
	case before.Committed.IsZero():
		return l.Live
	}
	return !l.Hosts.TakenAt.Before(before.Committed.Add(time.Second))
}

// older reports whether the hosts were read before the previous tree was committed, if both times are known.
func (l *Loaded) older(before Before) bool {
	return before.Known() && !l.Hosts.TakenAt.IsZero() && !before.Committed.IsZero() && !l.labelsNewer(before)
}

// asOfTree returns the inputs with hosts that were read before the tree was committed: they say nothing of the hosts of
// the tree. The Site, which is not old, says which namespaces it has.
func (l *Loaded) asOfTree(tree []schedule.PreviousClaim, options *schedule.Options) *Loaded {
	out, hosts := *l, *l.Hosts
	tree = slices.DeleteFunc(slices.Clone(tree),
		func(c schedule.PreviousClaim) bool { return options.Outside(c.Host) })
	hosts.Hosts = holdings.AsOfTree(hosts.Hosts, tree, options.Keys)
	out.Hosts = &hosts
	return &out
}

// inDoubt warns of hosts that were read before the tree was committed, or may have been: manifests have no time, so a
// host without sipgen's labels that the tree releases may have been written before the labels were set.
func (p *Planned) inDoubt() []string {
	if p.Loaded.older(p.Before) {
		return []string{fmt.Sprintf("the hosts were read at %s, before the tree was committed at %s: they only add hosts, and "+
			"say nothing of those of the tree; a new snapshot, or the cluster itself, does",
			p.Loaded.Hosts.TakenAt.UTC().Format(time.RFC3339), p.Before.Committed.UTC().Format(time.RFC3339))}
	}
	var free []string
	for i := range p.Placement.Holdings.Hosts {
		h := &p.Placement.Holdings.Hosts[i]
		if h.Claim != nil && h.Claim.Releasing && h.State == holdings.Free {
			free = append(free, h.Host.Key())
		}
	}
	if len(free) > 0 && (p.Loaded.Hosts.TakenAt.IsZero() || !p.Clusters.Options.LabelsNewer) {
		return []string{fmt.Sprintf("assumed to be free, because they have none of sipgen's labels, but they may have been "+
			"read before the tree was written: %s; a live inventory, or a snapshot with --repo, would be certain",
			strings.Join(free, ", "))}
	}
	return nil
}

// Age returns the age of the inventory, "" for plain files.
func (l *Loaded) Age(now time.Time) string {
	if l.Hosts.TakenAt.IsZero() {
		return ""
	}
	return max(0, now.Sub(l.Hosts.TakenAt).Round(time.Second)).String() // clocks differ
}
