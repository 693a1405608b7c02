package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/schedule"
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

// releasesInDoubt warns of hosts whose release may or may not be over, because of when the hosts were read.
func (d *decided) releasesInDoubt() []string {
	switch {
	case d.options.LabelsOlder:
		return notSeenClean(d.claims, d.hosts.Hosts, d.options.Keys, d.hosts.TakenAt, d.before.committed)
	case d.hosts.TakenAt.IsZero(), !d.options.LabelsNewer:
		return takenForClean(d.claims, d.placement, d.hosts.Hosts, d.options.Keys)
	}
	return nil
}

// takenForClean warns of hosts that the tree was releasing and that manifests without a time show without our labels:
// they may have been written before the labels were ever set.
func takenForClean(claims schedule.Previous, placement *schedule.Placement, hosts []inventory.Host, keys schedule.LabelKeys) []string {
	leaving := map[string]bool{}
	for i := range placement.Clusters {
		for j := range placement.Clusters[i].Roles {
			role := &placement.Clusters[i].Roles[j]
			for _, release := range role.Releasing {
				leaving[release.Host.Key()] = true
			}
		}
	}
	clean := slices.DeleteFunc(releasedWithoutLabels(claims, hosts, keys), func(host string) bool { return leaving[host] })
	if len(clean) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("assumed to be free, because they have none of sipgen's labels, but nothing says that they were read after the tree was written: %s; a live inventory would be certain, and so would a snapshot with --repo", strings.Join(clean, ", "))}
}

// releasedWithoutLabels are the hosts that the tree releases and that have no label of sipgen's.
func releasedWithoutLabels(claims schedule.Previous, hosts []inventory.Host, keys schedule.LabelKeys) (released []string) {
	clean := map[string]bool{}
	for i := range hosts {
		labels := hosts[i].Labels
		clean[hosts[i].Key()] = labels[keys.ClusterNamespace]+labels[keys.ClusterName]+labels[keys.NodeType]+labels[keys.Standby] == ""
	}
	for _, claim := range claims.Claims {
		//guard: hosts with all their labels are said to have none
		if claim.Releasing && clean[claim.Host.String()] {
			released = append(released, claim.Host.String())
		}
	}
	return released
}

// notSeenClean names the hosts that the tree releases and that have no label of sipgen's in an inventory older than the tree.
func notSeenClean(claims schedule.Previous, hosts []inventory.Host, keys schedule.LabelKeys, read, committed time.Time) []string {
	waiting := releasedWithoutLabels(claims, hosts, keys)
	if len(waiting) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("not known to be free yet, because the hosts were read at %s and the tree was committed at %s: %s; nobody gets them until a new snapshot, or the cluster itself, shows that they are free",
		read.UTC().Format(time.RFC3339), committed.UTC().Format(time.RFC3339), strings.Join(waiting, ", "))}
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
