package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/airshipit/sipgen/internal/report/sentence"
	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/schedule"
)

// Dangers returns the changes that a reviewer must not miss, the worst first: released hosts in use, hosts whose labels
// were changed, hosts that change clusters, clusters that leave or cannot be served, changed policies and services, and
// the number of assigned hosts. files are the changed files.
func Dangers(p *Plan, files []File) []string { return sentences(p.dangers(files)) }

// FirstDangers returns at most most dangers, in their order and spread fairly over tenants, and a sentence about the
// others, "" if there are none.
func FirstDangers(p *Plan, files []File, most int) (shown []string, more string) {
	all := p.dangers(files)
	first := fairly(all, most, func(string) int { return 1 })
	if len(first) < len(all) {
		more = moreDangers(all, first)
	}
	return sentences(first), more
}

// rule finds one kind of danger in one part of a run.
type rule struct {
	kind string
	in   part
	find finder
}

// part is a part of a run.
type part int

const (
	hosts      part = iota // assignments of hosts
	tree                   // files that change
	services               // the built services of clusters
	components             // the component for Cluster API
)

// finder finds dangers. Their kind is that of the rule.
type finder func(p *Plan, files []File) []danger

// missing is the kind of dangers about hosts that are no longer there.
const missing = "missing"

// rules are all that a reviewer must not miss, the worst first. TestRules has a row for each.
var rules = []rule{
	{"emptied", hosts, ofSite(func(p *Plan, _ []File) []string { return p.Emptied() })},
	{"handed out", hosts, ofSite(func(p *Plan, _ []File) []string { return handedOut(p.Totals()) })},
	{"running", hosts, ofSlots(func(s *Slot) string {
		return when(s.Status == StatusReleased && s.InUse != "",
			" releases "+s.Host+": "+s.Why+"; the host is IN USE: "+s.InUse)
	})},
	{"disputed", hosts, func(p *Plan, _ []File) []danger { return p.relabeledBy(true) }},
	{"relabeled", hosts, func(p *Plan, _ []File) []danger { return p.relabeledBy(false) }},
	{"no tree", hosts, ofSite(func(p *Plan, _ []File) []string { return nonempty(p.NoTree) })},
	{missing, hosts, func(p *Plan, files []File) []danger {
		return append(ofSite(func(*Plan, []File) []string { return p.lost })(p, files),
			ofClusters(func(_ *Plan, c *ClusterResult) []string { return c.lost })(p, files)...)
	}},
	{"moved", hosts, ofSlots(func(s *Slot) string {
		return when(s.From != "",
			" takes over "+s.Host+", which "+s.From+" had")
	})},
	{"adopted", hosts, ofRoles((*Plan).takenByLabels)},
	{"gone", hosts, ofClusters(func(_ *Plan, c *ClusterResult) []string {
		return nonempty(when(c.Gone,
			c.decommissioned(true)))
	})},
	{"left", hosts, func(p *Plan, _ []File) (out []danger) {
		for _, key := range p.left {
			out = append(out, ofCluster(key, key+" has no host and leaves the tree"))
		}
		return out
	}},
	{"back", hosts, ofClusters(func(_ *Plan, c *ClusterResult) []string { return nonempty(when(c.back, returns(c))) })},
	{"frozen", hosts, ofClusters(func(p *Plan, c *ClusterResult) []string { return nonempty(p.keeps(c)) })},
	{"patches", hosts, ofClusters(func(_ *Plan, c *ClusterResult) []string {
		return nonempty(when(c.AnyPatches, c.Key()+" has patches (its tenant's grant is patches: any)"))
	})},
	{"lines", hosts, ofClusters(func(_ *Plan, c *ClusterResult) []string {
		return nonempty(when(c.HAProxyLines, c.Key()+" has lines of HAProxy's configuration (haproxy.lines), which may do anything there (its tenant's grant has patches: any)"))
	})},
	{"last host", hosts, ofRoles(func(_ *Plan, c *ClusterResult, r *RoleResult) string {
		return when(!c.Gone && loses(r), " loses its last host"+
			when(r.reached, ": its load balancers and jump hosts will have nothing behind them"))
	})},
	{"promoted", hosts, ofSlots(func(s *Slot) string {
		return when(slices.Contains(s.Changes, promoted), ": "+s.Host+": "+strings.Join(s.Changes, "; "))
	})},
	{"released", hosts, ofSlots(func(s *Slot) string {
		return when(s.Status == StatusReleased && s.InUse == "", " releases "+s.Host+": "+s.Why)
	})},
	{"foreign", tree, ofFiles(func(_ *Plan, f *File) string {
		if !f.Foreign {
			return ""
		}
		return f.Path + ": sipgen did not write the file there, and replaces it (--adopt)"
	})},
	{"policy", tree, ofFiles(func(p *Plan, f *File) string { // with a first tree come the first guards
		return when(f.below("policy") && !f.first(p), "the policies that guard the hosts change")
	})},
	{"claims", tree, ofFiles(func(_ *Plan, f *File) string {
		return when(f.below("claims"), "other namespaces may claim hosts through HostClaims, regardless of the hosts' labels: see claims/")
	})},
	{"runner", tree, ofFiles(func(p *Plan, f *File) string {
		if f.first(p) {
			return when(f.below("runner"), "there is a runner: it runs in the cluster with the site's git credentials")
		}
		return when(f.below("runner"), "the runner changes: what runs in the cluster with the site's git credentials")
	})},
	{"services", services, ofServices((*ServiceChanges).changes)},
	{"rights", services, ofObjects(rightsOf)},
	{"reached", services, ofObjects(reachedAt)},
	{"logins", services, ofObjects(loginsBy)},
	{"component authentication", components, ofComponents(ComponentAuthentication)},
	{"component endpoint", components, ofComponents(ComponentEndpoint)},
	{"component domains", components, ofComponents(ComponentDomains)},
	{"component patches", components, ofComponents(ComponentPatches)},
	{"component deleted", components, ofComponents(ComponentDeleted)},
	{"replicas", components, func(p *Plan, _ []File) (out []danger) {
		for i := range p.Replicas {
			out = append(out, ofCluster(p.Replicas[i].Cluster, p.Replicas[i].String()))
		}
		return out
	}},
}

// dangers returns those of some parts, or of all if none is named.
func (p *Plan) dangers(files []File, parts ...part) []danger {
	var out []danger
	for _, r := range rules {
		if len(parts) > 0 && !slices.Contains(parts, r.in) {
			continue
		}
		for _, d := range r.find(p, files) {
			d.kind = r.kind
			out = append(out, d)
		}
	}
	return out
}

// DangersUndrawn returns the dangers that a picture of the site and its notes do not show. The picture shows
// released, promoted and frozen.
func (p *Plan) DangersUndrawn() []string {
	drawn := []string{"frozen", "promoted", "released"}
	return sentences(slices.DeleteFunc(p.dangers(nil), func(d danger) bool { return slices.Contains(drawn, d.kind) }))
}

// handedOut describes the hosts that Cluster API may provision from now on: those that metal3 does not clean, and the
// others. The tree does not say who had a host before.
func handedOut(t Totals) (out []string) {
	if n := len(t.Uncleaned); n > 0 {
		how := offering(n, t.UncleanedNew)
		out = append(out, fmt.Sprintf("%s %s, and metal3 does not clean %s (automatedCleaningMode: disabled): "+
			"an earlier user's data may remain on %s: %s", are(n, "host"), how,
			sentence.Verb(n, "it", "them"), sentence.Verb(n, "its disks", "their disks"), some(t.Uncleaned)))
	}
	if n := t.Offered - len(t.Uncleaned); n > 0 {
		out = append(out, fmt.Sprintf("%s %s: Cluster API may provision %s, and that wipes %s", are(n, "host"),
			offering(n, t.New-t.UncleanedNew), sentence.Verb(n, "it", "them"), sentence.Verb(n, "its disks", "their disks")))
	}
	return out
}

// offering tells how hosts are offered to Cluster API. isNew are the new ones among n.
func offering(n, isNew int) string {
	switch {
	case isNew == 0:
		return "promoted from standby"
	case n > isNew:
		return "handed out or promoted from standby"
	}
	return "handed out"
}

// mostLeaving bounds how many hosts of a cluster that is gone a danger names, of each kind.
const mostLeaving = 40

// leaving names the hosts that a leaving cluster releases, and those whose release waits. The brake counts only the
// former, so both are listed. Without named, they are only counted.
func leaving(c *ClusterResult, named bool) string {
	hosts := map[Status][]string{}
	for i := range c.Roles {
		for _, slot := range c.Roles[i].Slots {
			hosts[slot.Status] = append(hosts[slot.Status], slot.Host)
		}
	}
	var parts []string
	for _, kind := range []struct {
		status Status
		words  string
	}{{StatusReleased, "released"}, {StatusPending, "with release pending"}} {
		if names := hosts[kind.status]; len(names) > 0 {
			words := text.Count(len(names), "host") + " " + kind.words
			if named {
				words += ": " + some(names)
			}
			parts = append(parts, words)
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return ": " + strings.Join(parts, "; ")
}

// some names the first few hosts.
func some(names []string) string {
	return text.Some(slices.Sorted(slices.Values(names)), mostLeaving)
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

// decommissioned describes a leaving cluster: why it leaves, and its hosts.
func (c *ClusterResult) decommissioned(named bool) string {
	return c.Key() + " is being decommissioned" + leaving(c, named)
}

// keeps describes a cluster that gets nothing new, and why.
func (p *Plan) keeps(c *ClusterResult) string {
	switch {
	case len(c.Frozen) > 0 && p.whySaid:
		return c.Key() + " is frozen: it keeps what it has, as it is, and gets nothing new"
	case len(c.Frozen) > 0:
		return c.Key() + " is frozen: it keeps what it has, as it is, and gets nothing new: " + strings.Join(c.Frozen, "; ")
	case c.Unschedulable:
		return c.Key() + " is unschedulable: it keeps what it has, and gets only successors of failed hosts"
	}
	return ""
}

// takenByLabels names the hosts that a role has only by their labels, if there is a tree. Without a tree, only labels
// show the owners.
func (p *Plan) takenByLabels(c *ClusterResult, r *RoleResult) string {
	var hosts []string
	for _, slot := range r.Slots {
		if slot.adopted && (slot.Status == StatusKept || slot.Status == StatusPending) {
			hosts = append(hosts, slot.Host)
		}
	}
	if !p.HasTree || c.Gone || len(hosts) == 0 {
		return ""
	}
	return fmt.Sprintf(" takes %s that only labels give to it, not the tree: %s", text.Count(len(hosts), "host"),
		some(hosts))
}

// Emptied describes the hosts whose spec was emptied while a system runs on them, with the first step. It is the
// worst danger.
func (p *Plan) Emptied() []string {
	var out []string
	for i := range p.Hosts {
		if h := &p.Hosts[i]; h.Emptied {
			out = append(out, emptied(h.Host, strings.TrimSpace(h.Cluster+" "+h.Role)))
		}
	}
	return out
}

// emptied describes one such host. whose is "namespace/name role" of its owner, empty for none.
func emptied(host, whose string) string {
	return fmt.Sprintf("the spec of %s (%s) is EMPTY, and there is a system on the host: metal3 wipes the server as soon as its BMC is put back without its image; "+
		`pause the host before anything else (sipgen help runbook spec-emptied)`, host, cmp.Or(whose, "nobody's"))
}

// lost names the hosts that a cluster lost without a release, and those that have another uid.
func lost(cluster schedule.ClusterKey, warnings []schedule.Warning) []string {
	var out []string
	for _, w := range warnings {
		switch w := w.(type) {
		case schedule.NotInInventory:
			if w.Outside {
				out = append(out, fmt.Sprintf("%s %s loses %s: spec.hosts.namespaces of the Site leaves out %s; the host keeps "+
					"its labels, and leaves the load balancers and the guards", cluster, w.Role, w.Host, w.Host.Namespace))
				continue
			}
			out = append(out, fmt.Sprintf("%s %s loses %s: it is no longer in the inventory", cluster, w.Role, w.Host))
		case schedule.AnotherUID:
			switch {
			case w.Restored:
				out = append(out, fmt.Sprintf("%s %s keeps %s, which has another uid and still has sipgen's labels: check that it is the same server", cluster, w.Role, w.Host))
			case w.TakenBack:
				out = append(out, fmt.Sprintf("%s %s takes %s back, which was recreated with another uid", cluster, w.Role, w.Host))
			case !w.Releasing:
				out = append(out, fmt.Sprintf("%s loses %s: it was recreated, with another uid", cluster, w.Host))
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

func are(n int, noun string) string {
	if n == 1 {
		return "1 " + noun + " is"
	}
	return fmt.Sprintf("%d %ss are", n, noun)
}
