package tenancy

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/schedule"
)

// Surge is how many hosts a tenant may have above those that it is granted while hosts are still to be let go: a failed host's successor comes before that
// host goes, and one in use goes only when its machine is deleted. It is a tenth, rounded up: whatever is granted, one host can be replaced,
// and of many hosts more than one fails at a time.
func Surge(granted int) int { return (granted + 9) / 10 }

// share is what clusters have after a decision.
type share struct {
	// held stay, leaving are to go and still there, and given are new.
	held, leaving, given Count
	// used, of leaving: released, seen without labels, and in use still. labelled, of leaving: released by an earlier commit, and not seen without labels.
	used, labelled int
	// replaced failed hosts get a successor, which is among given.
	replaced int
	// lacks: a slot of theirs is empty, or has a failed host in it.
	lacks bool
}

func (s share) plus(t share) share {
	return share{held: s.held.plus(t.held), leaving: s.leaving.plus(t.leaving), given: s.given.plus(t.given), used: s.used + t.used, labelled: s.labelled + t.labelled}
}

func (s share) all() Count { return s.held.plus(s.leaving).plus(s.given) }

// growth is a cluster that gets new hosts.
type growth struct {
	cluster *v1.SIPCluster
	share
}

// growing are the clusters that get new hosts, and what each tenant has without those. Clusters that hold hosts come first, then the higher priority, then
// the name. again as Surges has it.
func (t *Tenants) growing(clusters []v1.SIPCluster, p *schedule.Placement, again map[string]bool) (growing []growth, used map[string]share) {
	specs := make(map[schedule.ClusterKey]*v1.SIPCluster, len(clusters))
	for i := range clusters {
		specs[keyOf(&clusters[i])] = &clusters[i]
	}
	used = map[string]share{} // by tenant
	for _, u := range p.StillUsed {
		if tenant := t.Of(u.Cluster.Namespace); tenant != nil {
			//guard: a tenant approves releases itself, waits until the labels are gone, keeps its machines, and gets others
			used[tenant.Name] = used[tenant.Name].plus(share{leaving: Count{Hosts: 1}, used: 1})
		}
	}
	for i := range p.Clusters { // by priority and name
		c := &p.Clusters[i]
		tenant := t.Of(c.Key.Namespace)
		if tenant == nil {
			continue
		}
		of := shareOf(c)
		if spec := specs[c.Key]; spec != nil && !c.Gone && len(c.Refused) == 0 && (of.given.Hosts > 0 || of.lacks && again[tenant.Name]) {
			growing = append(growing, growth{spec, of})
		}
		of.given = Count{}
		used[tenant.Name] = used[tenant.Name].plus(of)
	}
	slices.SortStableFunc(growing, func(a, b growth) int { return cmp.Compare(min(1, b.held.Hosts), min(1, a.held.Hosts)) })
	return growing, used
}

// over is how many hosts a tenant would have too many of, where its clusters have so much now and one of them gets more; standby ones count by themselves.
func (t *Tenant) over(now share, given Count) (hosts, standby int) {
	after, most, mostStandby := now.all().plus(given), *t.Hosts.Max, *t.Hosts.MaxStandby
	if given.Hosts > 0 {
		hosts = max(0, after.Hosts-most-Surge(most))
	}
	if given.Standby > 0 {
		standby = max(0, after.Standby-mostStandby-Surge(mostStandby))
	}
	return hosts, standby
}

// Replacements bounds how many failed hosts of a cluster are replaced in one run, where their successors would be more than the tenant may have: as many as
// there is room for, and the others in later runs. bounds are those that the placement was made under. It gives nil if these do; else the
// placement has to be made again. What clusters get beside that is for Surges, and a tenant's second time ends with no replacement at all.
func (t *Tenants) Replacements(clusters []v1.SIPCluster, p *schedule.Placement, bounds map[schedule.ClusterKey]int) map[schedule.ClusterKey]int {
	growing, used := t.growing(clusters, p, nil)
	over, again := map[string]bool{}, map[string]bool{}
	for key := range bounds { // each by itself
		again[t.Of(key.Namespace).Name] = true
	}
	room := map[schedule.ClusterKey]int{}
	for _, c := range growing {
		tenant := t.Of(c.cluster.Namespace)
		now := used[tenant.Name]
		hosts, standby := tenant.over(now, c.given)
		tooMany := max(hosts, standby)
		if tooMany > 0 && c.replaced > 0 {
			over[tenant.Name] = true
		}
		if tooMany > c.replaced {
			continue // Surges refuses it
		}
		//guard: a tenant that has no room for all successors at once is frozen as a whole
		room[keyOf(c.cluster)] = c.replaced - tooMany
		now.given = now.given.plus(Count{Hosts: c.given.Hosts - tooMany, Standby: max(0, c.given.Standby-tooMany)})
		used[tenant.Name] = now
	}
	if len(over) == 0 {
		return nil
	}
	out := maps.Clone(bounds)
	if out == nil {
		out = map[schedule.ClusterKey]int{}
	}
	for i := range clusters {
		key := keyOf(&clusters[i])
		switch tenant := t.Of(key.Namespace); {
		case tenant == nil || !over[tenant.Name]:
		//guard: hosts that were not replaced for one cluster of a tenant are those of its next one, as often as is looked
		case again[tenant.Name]:
			out[key] = 0
		default:
			out[key] = room[key]
		}
	}
	return out
}

// Surges reports the clusters that get new hosts with which their tenant would have more than it is granted and Surge: what its clusters hold, what they
// get, and what they are to let go and still have, those without a spec too. Hosts that are released count as long as they are in use, also when their
// labels are gone and nobody has them, and from the commit after their release until they have been seen without labels. So a tenant that keeps its old
// hosts in use, or its releases from being synced, gets no others. What it has it keeps. Clusters that hold hosts come first, then the higher priority,
// then the name.
//
// again are the tenants, by name, of which clusters were refused for this before, and are frozen now. If more of theirs are to be refused, all that get hosts or
// lack some are, because they could get in turn those that the refused ones go without: so a few decisions do, however many clusters a tenant has.
func (t *Tenants) Surges(clusters []v1.SIPCluster, p *schedule.Placement, again map[string]bool) []v1.ClusterError {
	growing, used := t.growing(clusters, p, again)
	var errs []v1.ClusterError
	refuse := func(c growth, now share, field string) {
		errs = append(errs, v1.ClusterError{Cluster: c.cluster, FieldError: v1.FieldError{Path: "spec.nodes", Message: t.Of(c.cluster.Namespace).surges(c.given, now, field)}})
	}
	over := map[string]bool{}
	var fit []growth
	for _, c := range growing {
		tenant := t.Of(c.cluster.Namespace)
		now := used[tenant.Name]
		switch hosts, standby := tenant.over(now, c.given); {
		case hosts > 0:
			refuse(c, now, "hosts.max")
		case standby > 0:
			refuse(c, now, "hosts.maxStandby")
		default:
			now.given = now.given.plus(c.given)
			used[tenant.Name], fit = now, append(fit, c)
			continue
		}
		over[tenant.Name] = true
	}
	for _, c := range fit {
		//guard: a tenant with a hundred clusters has a run decide a hundred times
		if tenant := t.Of(c.cluster.Namespace); over[tenant.Name] && again[tenant.Name] {
			refuse(c, used[tenant.Name], "hosts.max")
		}
	}
	return errs
}

// Room is what a tenant's clusters have beside the hosts that they keep, after a decision.
type Room struct {
	// Leaving are hosts that they are to let go and still have, those included that are released and in use still.
	Leaving int
	// More is how many new hosts they could get now if they asked for so many more.
	More int
}

// Rooms gives the room of each tenant that a decision knows, by name.
func (t *Tenants) Rooms(clusters []v1.SIPCluster, held Holdings, p *schedule.Placement) map[string]Room {
	have, asked := map[string]share{}, map[string]int{}
	tenants := map[string]*Tenant{}
	add := func(namespace string, s share) {
		if tenant := t.Of(namespace); tenant != nil {
			tenants[tenant.Name] = tenant
			have[tenant.Name] = have[tenant.Name].plus(s)
		}
	}
	for _, u := range p.StillUsed {
		add(u.Cluster.Namespace, share{leaving: Count{Hosts: 1}, used: 1})
	}
	wants := map[schedule.ClusterKey]int{}
	for i := range clusters {
		wants[keyOf(&clusters[i])] = Wants(&clusters[i]).Hosts
	}
	for i := range p.Clusters {
		key := p.Clusters[i].Key
		add(key.Namespace, shareOf(&p.Clusters[i]))
		if tenant := t.Of(key.Namespace); tenant != nil {
			asks := held.Of(key).Hosts
			if len(p.Clusters[i].Refused) == 0 {
				asks = max(asks, wants[key])
			}
			asked[tenant.Name] += asks
		}
	}
	rooms := map[string]Room{}
	for name, tenant := range tenants { // each by itself
		most := *tenant.Hosts.Max
		rooms[name] = Room{
			Leaving: have[name].leaving.Hosts,
			//guard: a tenant is said to get hosts that no run gives it
			More: max(0, min(most-asked[name], most+Surge(most)-have[name].all().Hosts)),
		}
	}
	return rooms
}

// surges says why a cluster cannot have the hosts that it would be given, where the tenant's clusters have so much now.
func (t *Tenant) surges(given Count, now share, field string) string {
	what, most, of := "new host", *t.Hosts.Max, func(c Count) int { return c.Hosts }
	if field == "hosts.maxStandby" {
		what, most, of = "new standby host", *t.Hosts.MaxStandby, func(c Count) int { return c.Standby }
	}
	var those []string
	if now.used > 0 {
		those = append(those, fmt.Sprintf("%d of them without labels but still in use", now.used))
	}
	if now.labelled > 0 {
		those = append(those, fmt.Sprintf("%d of them released but still labelled: sipgen status says whether the engine has synced", now.labelled))
	}
	after := ""
	if len(those) > 0 && field != "hosts.maxStandby" {
		after = " (" + strings.Join(those, ", ") + ")"
	}
	return fmt.Sprintf("would get %s, but the tenant's clusters keep %d, have yet to release %d%s, and are given %d before this one; %s may have at most %d, "+
		"plus %d while hosts are still to be let go: replace fewer hosts at a time, or wait until the old ones are let go",
		text.Count(of(given), what), of(now.held), of(now.leaving), after, of(now.given), t.hostLimit(field), most, Surge(most))
}

// shareOf counts what a cluster has.
func shareOf(c *schedule.Cluster) share {
	var s share
	one := func(standby bool) Count {
		if standby {
			return Count{1, 1}
		}
		return Count{1, 0}
	}
	for i := range c.Roles {
		role := &c.Roles[i]
		s.replaced += role.Replaced
		s.lacks = s.lacks || role.ShortActive+role.ShortStandby > 0
		for j := range role.Assigned {
			a := &role.Assigned[j]
			switch _, replaced := a.Reason.(schedule.Replacing); {
			case a.Origin == schedule.New:
				s.given = s.given.plus(one(a.Standby))
			case a.Pending, replaced:
				//guard: hosts that are to be let go count for nobody
				s.leaving = s.leaving.plus(one(a.Standby))
			default:
				s.held = s.held.plus(one(a.Standby))
				s.lacks = s.lacks || a.Trouble != nil
			}
		}
		for _, r := range role.Releasing {
			//guard: a tenant approves releases itself, keeps its machines on the hosts, and gets others
			if r.Host.State.InUse() || r.Since == schedule.FromTree {
				s.leaving = s.leaving.plus(one(false))
			}
			if r.Since == schedule.FromTree {
				s.labelled++
			}
		}
	}
	return s
}
