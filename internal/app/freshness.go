package app

import (
	"fmt"
	"strings"
	"time"

	"github.com/airshipit/sipgen/internal/holdings"
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

// labelsOlder reports whether the hosts were read before the previous tree was committed, if both times are known.
func (l *Loaded) labelsOlder(before Before) bool {
	return !l.Hosts.TakenAt.IsZero() && !before.Committed.IsZero() && !l.labelsNewer(before)
}

// releasesInDoubt warns of hosts whose release may not be complete, depending on when they were read. In manifests
// without a time, hosts without sipgen's labels that the tree releases may have been written before the labels were
// set.
func (p *Planned) releasesInDoubt() []string {
	var free, leaving []string
	for i := range p.Placement.Holdings.Hosts {
		h := &p.Placement.Holdings.Hosts[i]
		switch {
		case h.Claim == nil || !h.Claim.Releasing || h.Labels.Any:
		case h.State == holdings.Free:
			free = append(free, h.Host.Key())
		case h.State == holdings.Leaving:
			leaving = append(leaving, h.Host.Key())
		}
	}
	switch {
	case p.Clusters.Options.LabelsOlder && len(leaving) > 0:
		return []string{fmt.Sprintf("not known to be free yet, because the hosts were read at %s and the tree was committed "+
			"at %s: %s; no cluster gets them until a new snapshot, or the cluster itself, shows that they are free",
			p.Loaded.Hosts.TakenAt.UTC().Format(time.RFC3339), p.Before.Committed.UTC().Format(time.RFC3339),
			strings.Join(leaving, ", "))}
	case !p.Clusters.Options.LabelsOlder && (p.Loaded.Hosts.TakenAt.IsZero() || !p.Clusters.Options.LabelsNewer) &&
		len(free) > 0:
		return []string{fmt.Sprintf("assumed to be free, because they have none of sipgen's labels, but they may have been "+
			"read before the tree was written: %s; a live inventory, or a snapshot with --repo, would be certain", strings.Join(free, ", "))}
	}
	return nil
}

// Age returns the age of the inventory, "" for plain files.
func (l *Loaded) Age(now time.Time) string {
	if l.Hosts.TakenAt.IsZero() {
		return ""
	}
	return now.Sub(l.Hosts.TakenAt).Round(time.Second).String()
}
