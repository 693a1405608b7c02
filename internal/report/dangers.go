package report

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/airshipit/sipgen/internal/report/sentence"
	"github.com/airshipit/sipgen/internal/text"
)

// Dangers returns what a reviewer must not miss, the worst first: what is in use, lost, not cleaned, opened to
// somebody, or guards less.
func Dangers(p *Plan) []string { return sentences(p.dangers()) }

// Changes returns what else a run does, in one line a kind: hosts that nothing uses and that are cleaned, and what
// follows from them.
func Changes(p *Plan) []string { return sentences(p.find(change)) }

// FirstDangers returns at most most dangers, in their order and spread fairly over tenants, and a sentence about the
// others, "" if there are none.
func FirstDangers(p *Plan, most int) (shown []string, more string) {
	all := p.dangers()
	first := fairly(all, most, func(string) int { return 1 })
	if len(first) < len(all) {
		more = moreDangers(all, first)
	}
	return sentences(first), more
}

// rule finds one kind of danger, or of change.
type rule struct {
	kind  string
	level level
	find  finder
}

// level tells which dangers are shown if not all fit.
type level int

const (
	weak   level = iota // tenants and kinds take turns
	strong              // before all others: what runs is touched
	change              // no danger
)

// finder finds dangers. Their kind is that of the rule.
type finder func(p *Plan) []danger

// missing is the kind of dangers about hosts that are no longer there.
const missing = "missing"

const guardsChange = "the policies that guard the hosts change"

// rules are all that a reviewer must not miss, the worst first, and then what else changes. TestRules has a row for
// each. Every output lists what they find, in this order.
var rules = []rule{
	{"emptied", strong, ofSite(func(p *Plan) []string { return p.Emptied() })},
	{"forgotten", strong, ofSite(func(p *Plan) []string { return nonempty(p.forgotten()) })},
	{"running", strong, ofSlots(func(s *Slot) string {
		return when(s.Status == StatusReleased && s.InUse != "",
			" releases "+s.Host+": "+s.Why+"; the host is IN USE: "+s.InUse)
	})},
	{"given up", strong, ofRoles(func(_ *Plan, c *ClusterResult, r *RoleResult) string {
		hosts := r.givenUp()
		return when(!c.Gone && len(hosts) > 0, fmt.Sprintf(" gives up %s: %s; %s once nothing uses %s",
			text.Plural(len(hosts), "host that is IN USE", "hosts that are IN USE"), some(hosts),
			sentence.Verb(len(hosts), "it is released", "they are released"), sentence.Verb(len(hosts), "it", "them")))
	})},
	{"gone in use", strong, ofClusters(func(_ *Plan, c *ClusterResult) []string {
		return nonempty(when(c.Gone && c.givesUp(), c.goes()))
	})},
	{"maybe running", weak, hostsOf(func(_ *ClusterResult, s *Slot) bool {
		return s.Status == StatusReleased && s.unseen
	}, "without status is released, and may be in use", "without status are released, and may be in use")},
	{"disputed", strong, func(p *Plan) []danger { return p.relabeledBy(true) }},
	{"relabeled", strong, func(p *Plan) []danger { return p.relabeledBy(false) }},
	{"virtual", strong, ofSite(func(p *Plan) []string { return p.Virtual })},
	{"no tree", weak, ofSite(func(p *Plan) []string { return nonempty(p.NoTree) })},
	{"source", weak, ofSite(func(p *Plan) []string { return nonempty(p.Source) })},
	{missing, weak, func(p *Plan) []danger {
		return append(ofSite(func(*Plan) []string { return p.losses(p.lost) })(p),
			ofClusters(func(_ *Plan, c *ClusterResult) []string { return p.losses(c.lost) })(p)...)
	}},
	{"moved", weak, ofSlots(func(s *Slot) string {
		return when(s.From != "",
			" takes over "+s.Host+", which "+s.From+" had")
	})},
	{"adopted", weak, ofRoles((*Plan).takenByLabels)},
	{"machines without labels", weak, ofRoles(func(_ *Plan, c *ClusterResult, r *RoleResult) string {
		return when(c.first && r.running > 0, fmt.Sprintf(" is new, and selects %s machines and %s no labels of a cluster: "+
			"if they run this cluster, %s", text.Plural(r.running, "host that runs", "hosts that run"),
			sentence.Verb(r.running, "has", "have"), sentence.LabelFirst))
	})},
	{"not cleaned", weak, ofSite(func(p *Plan) []string { return nonempty(notCleaned(p.Totals())) })},
	{"gone", weak, ofClusters(func(_ *Plan, c *ClusterResult) []string {
		return nonempty(when(c.Gone && !c.givesUp() && leaving(c) != "", c.goes()))
	})},
	{"left", weak, func(p *Plan) (out []danger) {
		for _, key := range p.left {
			out = append(out, ofCluster(key, key+" has no host and leaves the tree"))
		}
		return out
	}},
	{"frozen", weak, ofClusters(func(_ *Plan, c *ClusterResult) []string { return nonempty(keeps(c)) })},
	{"patches", weak, ofClusters(func(_ *Plan, c *ClusterResult) []string {
		return nonempty(when(c.AnyPatches, c.Key()+" has patches (its tenant's grant is patches: any)"))
	})},
	{"lines", weak, ofClusters(func(_ *Plan, c *ClusterResult) []string {
		return nonempty(when(c.HAProxyLines, c.Key()+" has lines of HAProxy's configuration (haproxy.lines), which may do "+
			"anything there (its tenant's grant has patches: any)"))
	})},
	{"last host", weak, ofRoles(func(_ *Plan, c *ClusterResult, r *RoleResult) string {
		return when(!c.Gone && loses(r), " loses its last host"+
			when(r.reached, ": its load balancers and jump hosts have no backend then"))
	})},
	{"foreign", weak, ofFiles(func(_ *Plan, f *File) string {
		return when(f.Foreign, f.Path+": sipgen did not write the file there, and replaces it (--adopt)")
	})},
	{"policy", weak, ofFiles(func(p *Plan, f *File) string { // with a first tree come the first guards
		switch {
		case f.Path == "site/jump-host-guard.yaml" && f.Kind == "changed":
			return guardsChange
		case !f.below("policy") || f.first(p):
			return ""
		case f.Path == "policy/tenant-guard.yaml": // with each tenant that comes or goes
			return "the policy that keeps the tenants' Applications in their namespaces changes"
		case f.Path == "policy/reader.yaml":
			return "sipgen's read-only account changes"
		}
		return guardsChange
	})},
	{"claims", weak, ofFiles(func(_ *Plan, f *File) string {
		return when(f.below("claims"),
			"other namespaces may claim hosts through HostClaims, regardless of the hosts' labels: see claims/")
	})},
	{"runner", weak, ofFiles(func(p *Plan, f *File) string {
		if f.first(p) {
			return when(f.below("runner"), "there is a runner: it runs in the cluster with the site's git credentials")
		}
		return when(f.below("runner"), "the runner changes, which runs in the cluster with the site's git credentials")
	})},
	{"site services", weak, ofFiles(func(_ *Plan, f *File) string {
		switch {
		case !f.below("site") || strings.Count(f.Path, "/") == 1 || path.Base(f.Path) == "kustomization.yaml":
			return ""
		case f.Kind == "changed":
			return f.Path + " changes: a service of the site, which hosts or tenants use"
		case f.Kind == "deleted":
			return f.Path + " is deleted: the engine goes on running the service, until you delete the object"
		}
		return ""
	})},
	{"services", weak, once(ofServices((*ServiceChanges).changes))},
	{"rights", weak, once(ofObjects(rightsOf))},
	{"reached", weak, once(ofObjects(reachedAt))},
	{"logins", weak, once(ofObjects(loginsBy))},
	{"component authentication", weak, once(ofComponents(ComponentAuthentication))},
	{"component endpoint", weak, once(ofComponents(ComponentEndpoint))},
	{"component patches", weak, once(ofComponents(ComponentPatches))},
	{"component deleted", weak, once(ofComponents(ComponentDeleted))},
	{"fewer machines", weak, once(ofReplicas(false))},

	{"handed out", change, ofSite(func(p *Plan) []string { return nonempty(handedOut(p.Totals())) })},
	{"promoted", change, hostsOf(func(_ *ClusterResult, s *Slot) bool { return slices.Contains(s.Changes, promoted) },
		"is promoted from standby", "are promoted from standby")},
	{"released", change, hostsOf(func(c *ClusterResult, s *Slot) bool {
		return s.Status == StatusReleased && s.InUse == "" && !s.unseen && !c.Gone // whose danger names its hosts
	}, "that nothing uses is released", "that nothing uses are released")},
	{"back", change, ofClusters(func(_ *Plan, c *ClusterResult) []string { return nonempty(when(c.back, returns(c))) })},
	{"component domains", change, once(ofComponents(ComponentDomains))},
	{"more machines", change, once(ofReplicas(true))},
}

// dangers returns all dangers.
func (p *Plan) dangers() []danger {
	return p.find(weak, strong)
}

// find returns what the rules of some levels find.
func (p *Plan) find(levels ...level) []danger {
	var out []danger
	for _, r := range rules {
		if !slices.Contains(levels, r.level) {
			continue
		}
		for _, d := range r.find(p) {
			d.kind, d.level = r.kind, r.level
			if d.tenant == "" && d.cluster != "" {
				d.tenant = p.tenantOf(d.cluster)
			}
			out = append(out, d)
		}
	}
	return out
}

// tenantOf returns the name of a cluster's tenant, or the namespace of a cluster without one.
func (p *Plan) tenantOf(cluster string) string {
	namespace, _, _ := strings.Cut(cluster, "/")
	if tenant, found := p.Tenants[namespace]; found {
		return "tenant " + tenant
	}
	return namespace
}

// notCleaned describes the hosts that Cluster API may provision from now on and that metal3 does not clean. The tree
// does not say who had a host before.
func notCleaned(t Totals) string {
	n := len(t.Uncleaned)
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%s %s, and metal3 does not clean %s (automatedCleaningMode: disabled): "+
		"an earlier user's data may remain on %s: %s", are(n, "host"), offering(n, t.UncleanedNew),
		sentence.Verb(n, "it", "them"), sentence.Verb(n, "its disks", "their disks"), some(t.Uncleaned))
}

// handedOut describes the other hosts that Cluster API may provision from now on.
func handedOut(t Totals) string {
	n := t.Offered - len(t.Uncleaned)
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%s %s: Cluster API may provision %s, and that wipes %s", are(n, "host"),
		offering(n, t.New-t.UncleanedNew), sentence.Verb(n, "it", "them"), sentence.Verb(n, "its disks", "their disks"))
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

// some names the first few hosts.
func some(names []string) string {
	return text.Some(slices.Sorted(slices.Values(names)), mostLeaving)
}

// keeps describes a cluster that gets nothing new. The problems have the reason.
func keeps(c *ClusterResult) string {
	switch {
	case len(c.Frozen) > 0:
		return c.Key() + " is frozen: it keeps what it has, as it is, and gets nothing new"
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

// forgotten describes the hosts in use whose status a restore left out, "" for none.
func (p *Plan) forgotten() string {
	var hosts []string
	for i := range p.Hosts {
		if p.Hosts[i].forgotten {
			hosts = append(hosts, p.Hosts[i].Host)
		}
	}
	return sentence.Forgotten(hosts)
}

// emptied describes one such host. whose is "namespace/name role" of its owner, empty for none.
func emptied(host, whose string) string {
	return fmt.Sprintf("the spec of %s (%s) is EMPTY, and there is a system on the host: metal3 wipes the server as soon as its BMC is put back without its image; "+
		`pause the host before anything else (sipgen help runbook spec-emptied)`, host, cmp.Or(whose, "no cluster's"))
}

func are(n int, noun string) string {
	if n == 1 {
		return "1 " + noun + " is"
	}
	return fmt.Sprintf("%d %ss are", n, noun)
}
