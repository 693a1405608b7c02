package app

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/airshipit/sipgen/internal/holdings"
	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/schedule"
)

// labelsNewer reports whether the hosts were read after the previous tree was committed. The time of a commit has no
// fractions of a second. Manifests do not record when they were read. Hosts that this run reads are newer than the tree
// of a folder, and a snapshot is not known to be newer than one that no commit has.
func (l *Loaded) labelsNewer(before Before) bool {
	switch {
	case l.Hosts.TakenAt.IsZero():
		return false
	case before.Commit == "" && l.Live:
		return true
	case before.Committed.IsZero():
		return false
	}
	return !l.Hosts.TakenAt.Before(before.Committed.Add(time.Second))
}

// older reports whether the hosts were read before the previous tree was committed, or may have been. Manifests have no
// time.
func (l *Loaded) older(before Before) bool {
	return before.Known() && !l.Hosts.TakenAt.IsZero() && !l.labelsNewer(before)
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

// Old returns the warning that the hosts were read before the previous tree was committed, or may have been, "" if they
// were not.
func (a *Admitted) Old() string {
	words := a.Loaded.readBefore(a.Before)
	switch {
	case words == "":
		return ""
	case a.Before.Committed.IsZero():
		return words + ", so they only add hosts, and do not count for those of the tree; commit the tree and take a " +
			"new snapshot, or use the cluster itself"
	}
	next := "a new snapshot, or the cluster itself, does"
	if a.Loaded.Live {
		next = "run sipgen again"
	}
	return words + ": they only add hosts, and do not count for those of the tree; " + next
}

// readBefore returns that the hosts were read before the previous tree was committed, or may have been, "" if they were
// not.
func (l *Loaded) readBefore(before Before) string {
	taken, committed := l.Hosts.TakenAt.UTC().Format(time.RFC3339), before.Committed.UTC().Format(time.RFC3339)
	switch {
	case !l.older(before):
		return ""
	case before.Committed.IsZero():
		return fmt.Sprintf("the hosts were read at %s, and no commit has the tree in %s as it is: the hosts may be "+
			"older", taken, before.Where)
	case taken == committed: // git has whole seconds
		return fmt.Sprintf("the hosts were read at %s, in the second in which the tree was committed", taken)
	}
	return fmt.Sprintf("the hosts were read at %s, before the tree was committed at %s", taken, committed)
}

// NotLive returns what keeps hosts from being compared with a tree: they were read before it was committed, or are
// manifests that never were in a cluster. It is "" for hosts as they are.
func NotLive(hosts *inventory.Inventory, live bool, before Before) string {
	if words := (&Loaded{Hosts: hosts, Live: live}).readBefore(before); words != "" && !live {
		return words + ": they do not have what was synced since; take a new snapshot, or use --inventory cluster"
	}
	read := func(h inventory.Host) bool { return h.UID != "" || h.State.Known || h.Unsure() }
	if n := len(hosts.Hosts); n > 0 && !slices.ContainsFunc(hosts.Hosts, read) {
		return fmt.Sprintf("%s without uid and status: these are manifests, which do not have what was synced, and no "+
			"use; use --inventory cluster, or a snapshot", text.Count(n, "host"))
	}
	return ""
}

// inDoubt warns of hosts that were read before the tree was committed, or may have been: manifests have no time, so a
// host without sipgen's labels that the tree releases may have been written before the labels were set.
func (p *Planned) inDoubt() []string {
	if words := (&Admitted{p.Loaded, p.Before, p.Clusters}).Old(); words != "" {
		return []string{words}
	}
	var free []string
	for i := range p.Placement.Holdings.Hosts {
		h := &p.Placement.Holdings.Hosts[i]
		if h.Claim != nil && h.Claim.Releasing && h.State == holdings.Free {
			free = append(free, h.Host.Key())
		}
	}
	if len(free) > 0 && p.Loaded.Hosts.TakenAt.IsZero() {
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
