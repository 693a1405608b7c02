package history

import (
	"slices"
	"strings"

	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/schedule"
)

// mostNames is how many hosts a reason names.
const mostNames = 3

// claims are those of one commit.
type claims map[key]*schedule.PreviousClaim

// change is what one commit changed: the claims before and after it.
type change struct {
	before, after claims
	// lost and got are the hosts whose slot ended or began, by kind.
	lost, got map[slot][]string
	// was and is are the clusters of each host.
	was, is map[schedule.HostKey][]schedule.ClusterKey
}

// slot is a kind of slot: one of those of a role.
type slot struct {
	cluster schedule.ClusterKey
	role    string
	standby bool
}

// slotFilled returns the slot that a host fills, the zero one for none: a leaving host, or one with a successor.
func slotFilled(c *schedule.PreviousClaim) slot {
	if c == nil || c.Releasing || c.Replaced {
		return slot{}
	}
	return slot{c.Cluster, c.Role, c.Standby}
}

// changeOf compares two commits.
func changeOf(before, after claims) *change {
	c := &change{before: before, after: after, lost: map[slot][]string{}, got: map[slot][]string{},
		was: clustersOf(before), is: clustersOf(after)}
	compare := func(from, to claims, moved map[slot][]string) {
		for k, claim := range from {
			if s := slotFilled(claim); s != (slot{}) && slotFilled(to[k]) != s {
				moved[s] = append(moved[s], k.host.String())
			}
		}
		for _, names := range moved {
			slices.Sort(names)
		}
	}
	compare(before, after, c.lost)
	compare(after, before, c.got)
	return c
}

func clustersOf(of claims) map[schedule.HostKey][]schedule.ClusterKey {
	out := make(map[schedule.HostKey][]schedule.ClusterKey, len(of))
	for k := range of {
		out[k.host] = append(out[k.host], k.cluster)
	}
	return out
}

// began returns why a host has its place since this commit.
func (c *change) began(k key) string {
	now, was := c.after[k], c.before[k]
	switch {
	case now.Releasing && was != nil && was.Replaced:
		return "released: another host has its slot"
	case now.Releasing:
		return "released"
	}
	return c.entered(was, now) + c.replaces(now)
}

// entered returns how a host got a slot.
func (c *change) entered(was, now *schedule.PreviousClaim) string {
	switch {
	case was == nil && len(c.was[now.Host]) > 0:
		return "was in " + names(c.was[now.Host])
	case was == nil:
		return "new"
	case now.UID != was.UID && now.UID != "" && was.UID != "":
		return "recreated with another uid"
	case now.Role != was.Role:
		return "was " + was.Role
	case was.Releasing:
		return "taken back"
	case was.Standby:
		return "promoted from standby"
	}
	return "now standby"
}

// replaces names the hosts that lost a slot of the kind that a host got.
func (c *change) replaces(now *schedule.PreviousClaim) string {
	s := slotFilled(now)
	lost, got := c.lost[s], c.got[s]
	switch {
	case len(lost) == 0:
		return ""
	case len(got) > len(lost): // the role grew, too
		return ", or replaces " + oneOf(lost)
	}
	return ", replaces " + oneOf(lost)
}

// ended returns why a host has its place until this commit.
func (c *change) ended(k key) string {
	was := c.before[k]
	switch {
	case c.after[k] != nil:
		return c.began(k)
	case len(c.is[k.host]) > 0 && !was.Releasing:
		return "now in " + names(c.is[k.host])
	case was.Releasing:
		return "free"
	case len(c.got[slotFilled(was)]) > 0:
		return "gone, replaced by " + oneOf(c.got[slotFilled(was)])
	}
	return "gone"
}

// oneOf names hosts of which one is meant.
func oneOf(hosts []string) string {
	if len(hosts) == 1 {
		return hosts[0]
	}
	return "one of " + text.Some(hosts, mostNames)
}

func names(clusters []schedule.ClusterKey) string {
	var out []string
	for _, c := range clusters {
		out = append(out, c.String())
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}
