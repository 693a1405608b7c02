package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/airshipit/sipgen/internal/holdings"
)

// labelsNewer says whether the hosts were read after the previous tree was committed. The time of a commit has no
// fractions of a second. Of a folder nobody knows when it was written, and manifests do not say when they were read.
func (l *loaded) labelsNewer(before previousTree) bool {
	switch {
	case l.hosts.TakenAt.IsZero():
		//guard: labels of which nobody knows the age count for more than the tree
		return false
	case before.committed.IsZero():
		//guard: labels in manifests of any age count for more than the tree in a folder
		return l.live
	}
	//guard: labels that were read in the second before the commit count for more than it
	return !l.hosts.TakenAt.Before(before.committed.Add(time.Second))
}

// labelsOlder says whether the hosts were read before the previous tree was committed, as far as both times are known.
func (l *loaded) labelsOlder(before previousTree) bool {
	return !l.hosts.TakenAt.IsZero() && !before.committed.IsZero() && !l.labelsNewer(before)
}

// releasesInDoubt warns of hosts whose release may or may not be over, because of when the hosts were read: of manifests without a time, those
// that the tree was releasing and that have no label of sipgen's may have been written before the labels were ever set.
func (d *decided) releasesInDoubt() []string {
	var free, leaving []string
	for i := range d.placement.Holdings.Hosts {
		h := &d.placement.Holdings.Hosts[i]
		switch {
		//guard: hosts with all their labels are said to have none
		case h.Claim == nil || !h.Claim.Releasing || h.Labels.Any:
		case h.State == holdings.Free:
			free = append(free, h.Host.Key())
		case h.State == holdings.Leaving:
			leaving = append(leaving, h.Host.Key())
		}
	}
	switch {
	case d.options.LabelsOlder && len(leaving) > 0:
		return []string{fmt.Sprintf("not known to be free yet, because the hosts were read at %s and the tree was committed at %s: %s; nobody gets them until a new snapshot, or the cluster itself, shows that they are free",
			d.hosts.TakenAt.UTC().Format(time.RFC3339), d.before.committed.UTC().Format(time.RFC3339), strings.Join(leaving, ", "))}
	case !d.options.LabelsOlder && (d.hosts.TakenAt.IsZero() || !d.options.LabelsNewer) && len(free) > 0:
		return []string{fmt.Sprintf("assumed to be free, because they have none of sipgen's labels, but nothing says that they were read after the tree was written: %s; a live inventory would be certain, and so would a snapshot with --repo", strings.Join(free, ", "))}
	}
	return nil
}

// age says how old the inventory is, empty for plain files.
func (l *loaded) age(now time.Time) string {
	if l.hosts.TakenAt.IsZero() {
		return ""
	}
	return now.Sub(l.hosts.TakenAt).Round(time.Second).String()
}

// sayAge says how old a snapshot is.
func (l *loaded) sayAge(ui *ui, now time.Time) {
	if age := l.age(now); age != "" {
		ui.say("the inventory is %s old (%s)", age, l.hosts.Context)
	}
}
