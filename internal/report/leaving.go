package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/schedule"
)

// mostLeaving bounds how many hosts of a cluster that is gone a danger names, of each kind.
const mostLeaving = 40

// givenUp returns the hosts in use that the role gives up by this run.
func (r *RoleResult) givenUp() (hosts []string) {
	for i := range r.Slots {
		if s := &r.Slots[i]; s.givenUp() {
			hosts = append(hosts, s.Host)
		}
	}
	return hosts
}

func (c *ClusterResult) givesUp() bool {
	return slices.ContainsFunc(c.Roles, func(r RoleResult) bool { return len(r.givenUp()) > 0 })
}

// goes describes a leaving cluster, with the hosts that it releases, and those whose release waits.
func (c *ClusterResult) goes() string { return c.Key() + " is being decommissioned" + leaving(c) }

// leaving names the hosts that a leaving cluster releases, and those whose release waits, in use or not.
func leaving(c *ClusterResult) string {
	const released, inUse, waits = "released", "IN USE, with release pending", "with release pending"
	hosts := map[string][]string{}
	for i := range c.Roles {
		for _, slot := range c.Roles[i].Slots {
			switch {
			case slot.Status == StatusReleased:
				hosts[released] = append(hosts[released], slot.Host)
			case slot.Status == StatusPending && slot.InUse != "":
				hosts[inUse] = append(hosts[inUse], slot.Host)
			case slot.Status == StatusPending:
				hosts[waits] = append(hosts[waits], slot.Host)
			}
		}
	}
	var parts []string
	for _, kind := range []string{released, inUse, waits} {
		if names := hosts[kind]; len(names) > 0 {
			parts = append(parts, text.Count(len(names), "host")+" "+kind+": "+some(names))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return ": " + strings.Join(parts, "; ")
}

// returns describes the hosts of a cluster that was leaving and has a spec again: those that it keeps, and those that
// leave nevertheless.
func returns(c *ClusterResult) string {
	var kept, left []string
	for i := range c.Roles {
		for _, slot := range c.Roles[i].Slots {
			switch {
			case slices.Contains(slot.Changes, takenBack):
				kept = append(kept, slot.Host)
			case slot.Status == StatusLeaving:
				left = append(left, slot.Host)
			}
		}
	}
	var parts []string
	if len(kept) > 0 {
		parts = append(parts, "it keeps "+text.Plural(len(kept), "host that was",
			"hosts that were")+" being released: "+some(kept))
	}
	if len(left) > 0 {
		parts = append(parts, text.Plural(len(left), "host that still has its labels leaves",
			"hosts that still have its labels leave")+" all the same: "+some(left))
	}
	if len(parts) == 0 {
		return ""
	}
	return c.Key() + " is back: " + strings.Join(parts, "; ")
}

// lostHost is a host that a cluster lost without a release, or that has another uid, in words. labels is what becomes
// of its labels; if the tree patches manifests, they go, and the refusal has that.
type lostHost struct{ words, labels string }

// losses returns the words about lost hosts.
func (p *Plan) losses(hosts []lostHost) (out []string) {
	for _, h := range hosts {
		out = append(out, h.words+when(!p.Overlay, h.labels))
	}
	return out
}

// lost returns the hosts that a cluster lost without a release, and those that have another uid.
func lost(cluster schedule.ClusterKey, warnings []schedule.Warning) (out []lostHost) {
	add := func(labels, format string, args ...any) {
		out = append(out, lostHost{words: fmt.Sprintf(format, args...), labels: labels})
	}
	for _, w := range warnings {
		switch w := w.(type) {
		case schedule.NotInInventory:
			switch {
			case w.Outside && w.Releasing:
				add(": the host keeps the labels that it still has, and leaves the guards",
					"%s %s was releasing %s, and spec.hosts.namespaces of the Site leaves out %s", cluster, w.Role,
					w.Host, w.Host.Namespace)
			case w.Outside:
				add("; the host keeps its labels, and leaves the load balancers and the guards",
					"%s %s loses %s: spec.hosts.namespaces of the Site leaves out %s", cluster, w.Role, w.Host,
					w.Host.Namespace)
			case !w.Releasing:
				add("", "%s %s loses %s: it is not in the inventory", cluster, w.Role, w.Host)
			}
		case schedule.AnotherUID:
			switch {
			case w.Restored:
				add("", "%s %s keeps %s, which has another uid and still has sipgen's labels: check that it is the "+
					"same server", cluster, w.Role, w.Host)
			case w.TakenBack:
				add("", "%s %s takes %s back, which was recreated with another uid", cluster, w.Role, w.Host)
			case !w.Releasing:
				add("", "%s loses %s: it was recreated, with another uid", cluster, w.Host)
			}
		}
	}
	return out
}

// loses reports whether this run takes the last host of a role.
func loses(role *RoleResult) bool {
	released := false
	for _, slot := range role.Slots {
		switch slot.Status {
		case StatusReleased:
			released = true
		case StatusLeaving:
		default:
			return false
		}
	}
	return released
}
