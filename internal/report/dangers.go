package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/schedule"
)

// Dangers are what a reviewer must not miss, the worst first: hosts that run something and are released, hosts that
// change hands, clusters that go or cannot be served, policies and services that change, and how many hosts are handed
// out. files are the files that change.
func Dangers(p *Plan, files []File) []string { return sentences(p.dangers(files)) }

// FirstDangers are at most so many of them, in their order and spread fairly over tenants, and what to say of the others, empty if there are none.
func FirstDangers(p *Plan, files []File, most int) (shown []string, more string) {
	all := p.dangers(files)
	first := fairly(all, most, func(string) int { return 1 })
	if len(first) < len(all) {
		more = moreDangers(all, first)
	}
	return sentences(first), more
}

func (p *Plan) dangers(files []File) []danger {
	dangers := slices.Concat(p.placementDangers(), p.fileDangers(files), p.serviceDangers(), p.componentDangers())
	if t := p.Totals(); t.Offered > 0 {
		them, disks, how := "them", "their disks", "handed out"
		if t.Offered == 1 {
			them, disks = "it", "its disks"
		}
		switch {
		case t.New == 0:
			how = "promoted from standby"
		case t.Offered > t.New:
			how = "handed out or promoted from standby"
		}
		dangers = append(dangers, ofSite("handed out", fmt.Sprintf("%s %s: Cluster API may provision %s, and that wipes %s", are(t.Offered, "host"), how, them, disks)))
	}
	return dangers
}

// Dangers are those of the plan itself: of the placement, and of the services where they are known.
func (p *Plan) Dangers() []string {
	return sentences(slices.Concat(p.placementDangers(), p.serviceDangers(), p.componentDangers()))
}

// DangersUndrawn are the dangers that a picture of the site and its notes do not show: it draws what is released and promoted, and says what is frozen.
func (p *Plan) DangersUndrawn() []string {
	drawn := []string{"frozen", "promoted", "released"}
	return sentences(slices.DeleteFunc(p.dangers(nil), func(d danger) bool { return slices.Contains(drawn, d.kind) }))
}

// mostLeaving bounds how many hosts of a cluster that is gone a danger names, of each kind.
const mostLeaving = 40

// leaving names the hosts that a cluster gives back because it is gone: those that are released, and those that wait. The brake counts only the
// first, so they are said here. Without named, they are only counted.
func leaving(c *Cluster, named bool) string {
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

// some names hosts, so many at most.
func some(names []string) string {
	slices.Sort(names)
	if n := len(names) - mostLeaving; n > 0 {
		return strings.Join(names[:mostLeaving], ", ") + fmt.Sprintf(", and %d more", n)
	}
	return strings.Join(names, ", ")
}

// returns says what becomes of the hosts of a cluster that was to go, and has a spec again: those that it keeps, and those that leave all the same.
func returns(c *Cluster) string {
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
		parts = append(parts, "it keeps "+text.Plural(len(kept), "host that was", "hosts that were")+" being released: "+some(kept))
	}
	if len(left) > 0 {
		parts = append(parts, text.Plural(len(left), "host that still has its labels leaves", "hosts that still have its labels leave")+" all the same: "+some(left))
	}
	if len(parts) == 0 {
		return ""
	}
	return c.Key() + " is back: " + strings.Join(parts, "; ")
}

// decommissioned says that a cluster is gone, why, and what becomes of its hosts.
func (c *Cluster) decommissioned(named bool) string {
	return c.Key() + " is being decommissioned" + leaving(c, named)
}

// keeps says of a cluster that gets nothing new that it keeps what it has, and why.
func (p *Plan) keeps(c *Cluster) string {
	switch {
	case len(c.Frozen) > 0 && p.whySaid:
		return c.Key() + " is frozen: it keeps what it has, as it is, and gets nothing new"
	case len(c.Frozen) > 0:
		return c.Key() + " is frozen: it keeps what it has, as it is, and gets nothing new: " + strings.Join(c.Frozen, "; ")
	case c.Unschedulable:
		return c.Key() + " is unschedulable: it keeps what it has and gets nothing new"
	}
	return ""
}

func (p *Plan) placementDangers() []danger {
	var emptied, running, missing, moved, taken, promotions, released, clusters []danger
	for _, words := range p.Emptied() {
		emptied = append(emptied, ofSite("emptied", words))
	}
	if p.NoTree != "" {
		missing = append(missing, ofSite("no tree", p.NoTree))
	}
	for _, words := range p.lost {
		missing = append(missing, ofSite("missing", words))
	}
	for i := range p.Clusters {
		c := &p.Clusters[i]
		add := func(to *[]danger, kind, words string) { *to = append(*to, danger{kind, c.Namespace, words}) }
		if c.Gone {
			add(&clusters, "gone", c.decommissioned(true))
		}
		if words := returns(c); c.back && words != "" {
			add(&clusters, "back", words)
		}
		if words := p.keeps(c); words != "" {
			add(&clusters, "frozen", words)
		}
		for _, words := range c.lost {
			add(&missing, "missing", words)
		}
		if c.AnyPatches {
			add(&clusters, "patches", c.Key()+" has patches (its tenant's grant is patches: any)")
		}
		if c.HAProxyLines {
			add(&clusters, "lines", c.Key()+" has lines of HAProxy's configuration (haproxy.lines), which may do anything there (its tenant's grant has patches: any)")
		}
		for j := range c.Roles {
			if !c.Gone && loses(&c.Roles[j]) {
				add(&clusters, "last host", c.Key()+" "+c.Roles[j].Name+" loses its last host: its load balancers and jump hosts will have nothing behind them")
			}
			if words := p.takenByLabels(c, &c.Roles[j]); words != "" {
				add(&taken, "adopted", words)
			}
			for _, slot := range c.Roles[j].Slots {
				for _, change := range slot.Changes {
					if change == promoted || strings.HasPrefix(change, "was ") {
						add(&promotions, "promoted", fmt.Sprintf("%s %s: %s: %s", c.Key(), c.Roles[j].Name, slot.Host, strings.Join(slot.Changes, "; ")))
						break
					}
				}
				if slot.From != "" {
					add(&moved, "moved", fmt.Sprintf("%s %s takes over %s, which %s had", c.Key(), c.Roles[j].Name, slot.Host, slot.From))
				}
				if slot.Status != StatusReleased {
					continue
				}
				words := fmt.Sprintf("%s %s releases %s: %s", c.Key(), c.Roles[j].Name, slot.Host, slot.Why)
				if slot.InUse != "" {
					add(&running, "running", words+"; the host is IN USE: "+slot.InUse)
				} else {
					add(&released, "released", words)
				}
			}
		}
	}
	return slices.Concat(emptied, running, missing, moved, taken, clusters, promotions, released)
}

// takenByLabels names the hosts that a role has because somebody labelled them, where there is a tree and it does not say so. Without a tree labels are all
// that is known of who has what.
func (p *Plan) takenByLabels(c *Cluster, r *Role) string {
	var hosts []string
	for _, slot := range r.Slots {
		if slot.adopted && (slot.Status == StatusKept || slot.Status == StatusPending) {
			hosts = append(hosts, slot.Host)
		}
	}
	if !p.HasTree || c.Gone || len(hosts) == 0 {
		return ""
	}
	return fmt.Sprintf("%s %s takes %s that only labels give to it, not the tree: %s", c.Key(), r.Name, text.Count(len(hosts), "host"), some(hosts))
}

// Emptied are the hosts whose spec was emptied while something runs on them, with what to do before anything else. Nothing that sipgen finds is worse.
func (p *Plan) Emptied() []string {
	var out []string
	for i := range p.Hosts {
		if h := &p.Hosts[i]; h.Emptied {
			out = append(out, emptied(h.Host, strings.TrimSpace(h.Cluster+" "+h.Role)))
		}
	}
	return out
}

// emptied says it of a host, and whose it is: "namespace/name role", empty for nobody's.
func emptied(host, whose string) string {
	return fmt.Sprintf("the spec of %s (%s) is EMPTY, and there is a system on the host: metal3 wipes the server as soon as its BMC is put back without its image; "+
		`pause the host before anything else (sipgen help runbook spec-emptied)`, host, cmp.Or(whose, "nobody's"))
}

// lost says which hosts a cluster had and has not, though nobody released them, and which it has under another uid.
func lost(cluster schedule.ClusterKey, warnings []schedule.Warning) []string {
	var out []string
	for _, w := range warnings {
		switch w := w.(type) {
		case schedule.NotInInventory:
			out = append(out, fmt.Sprintf("%s %s loses %s: it is not in the inventory any more", cluster, w.Role, w.Host))
		case schedule.AnotherUID:
			switch {
			case w.Restored:
				out = append(out, fmt.Sprintf("%s %s keeps %s, which has another uid and still has the labels of the cluster: check that it is the same server", cluster, w.Role, w.Host))
			case !w.Releasing:
				out = append(out, fmt.Sprintf("%s loses %s: it was created anew, with another uid", cluster, w.Host))
			}
		case schedule.LabelsDiffer:
			if w.Foreign {
				out = append(out, fmt.Sprintf("%s loses %s: its labels name %s, which is not this site's", cluster, w.Host, w.Labels.Cluster.Quoted()))
			}
		}
	}
	return out
}

// loses says that a role had hosts, and that this run takes the last of them.
func loses(role *Role) bool {
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

// fileDangers are changes outside the hosts that a reviewer must not miss, as far as paths tell. Of services whose objects are compared they say
// nothing.
func (p *Plan) fileDangers(files []File) []danger {
	var (
		services  = map[string]map[string]bool{} // cluster → what happens to its services
		policy    bool
		claims    bool
		runner    bool
		newRunner bool // it comes with a first tree
	)
	var dangers []danger
	for _, file := range files {
		//guard: nobody reads that a file of the repository's owner is overwritten
		if file.Foreign {
			dangers = append(dangers, ofSite("foreign", file.Path+": sipgen did not write the file there, and replaces it (--adopt)"))
		}
		parts := strings.Split(file.Path, "/")
		switch {
		case parts[0] == "policy":
			policy = policy || file.Kind != "added" || p.HasTree || p.NoTree != "" // with a first tree come the first guards
		case parts[0] == "claims":
			claims = true
		case parts[0] == "runner":
			runner, newRunner = true, file.Kind == "added" && !p.HasTree && p.NoTree == ""
		case parts[0] == "clusters" && len(parts) > 4 && parts[3] == "infra" && file.Kind != "added" && !p.built(parts[1]+"/"+parts[2]):
			if parts[4] == "kustomization.yaml" && file.Kind == "deleted" {
				continue // services that go are compared: it was emptied with the commit before
			}
			cluster, name := parts[1]+"/"+parts[2], strings.TrimSuffix(strings.TrimSuffix(parts[4], ".yaml"), ".cfg")
			what := name + " changes, and its pods roll"
			if name == "kustomization" {
				what = "its kustomization changes: labels, images or patches of all its services"
			}
			if file.Kind == "deleted" {
				what = "files of " + name + " go"
			}
			if services[cluster] == nil {
				services[cluster] = map[string]bool{}
			}
			services[cluster][what] = true
		}
	}
	dangers = append(dangers, treeDangers(policy, claims, runner, newRunner)...)
	for _, cluster := range sorted(services) {
		for _, what := range sorted(services[cluster]) {
			dangers = append(dangers, ofCluster("services", cluster, cluster+": "+what))
		}
	}
	return dangers
}

// treeDangers are those that whole folders of the tree show by changing.
func treeDangers(policy, claims, runner, newRunner bool) (dangers []danger) {
	if policy {
		dangers = append(dangers, ofSite("tree", "the policies that guard the hosts change"))
	}
	if claims {
		dangers = append(dangers, ofSite("tree", "other namespaces may claim hosts through HostClaims, regardless of the hosts' labels: see claims/"))
	}
	switch {
	case newRunner:
		dangers = append(dangers, ofSite("tree", "there is a runner: it runs in the cluster with the site's git credentials"))
	case runner:
		dangers = append(dangers, ofSite("tree", "the runner changes: what runs in the cluster with the site's git credentials"))
	}
	return dangers
}

func sorted[V any](set map[string]V) []string {
	names := make([]string, 0, len(set))
	for name := range set {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func are(n int, noun string) string {
	if n == 1 {
		return "1 " + noun + " is"
	}
	return fmt.Sprintf("%d %ss are", n, noun)
}
