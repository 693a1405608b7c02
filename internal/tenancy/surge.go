package tenancy

import (
	"cmp"
	"fmt"
	"slices"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/schedule"
)

// Surge is how many hosts a tenant may have above those that it is granted while hosts are replaced: a failed host's successor comes before that
// host goes, and one in use goes only when its machine is deleted. It is a tenth, rounded up: whatever is granted, one host can be replaced,
// and of many hosts more than one fails at a time.
func Surge(granted int) int { return (granted + 9) / 10 }

// share is what clusters have after a decision.
type share struct {
	// held stay, leaving are to go and still there, and given are new.
	held, leaving, given Count
	// used, of leaving: released, seen without labels, and in use still.
	used int
	// lacks: a slot of theirs is empty, or has a failed host in it.
	lacks bool
}

func (s share) plus(t share) share {
	return share{held: s.held.plus(t.held), leaving: s.leaving.plus(t.leaving), given: s.given.plus(t.given), used: s.used + t.used}
}

func (s share) all() Count { return s.held.plus(s.leaving).plus(s.given) }

// Surges reports the clusters that get new hosts with which their tenant would have more than it is granted and Surge: what its clusters hold, what they
// get, and what they are to let go and still have, those without a spec too. Hosts that are released count as long as they are in use, also when their
// labels are gone and nobody has them. So a tenant that keeps its old hosts in use gets no others. What it has it keeps. Clusters that hold hosts come first, then the higher priority, then
// the name.
//
// again are the tenants, by name, of which clusters were refused for this before, and are frozen now. If more of theirs are to be refused, all that get hosts or
// lack some are, because they could get in turn those that the refused ones go without: so a few decisions do, however many clusters a tenant has.
func (t *Tenants) Surges(clusters []v1.SIPCluster, p *schedule.Placement, again map[string]bool) []v1.ClusterError {
	type growth struct {
		cluster *v1.SIPCluster
		share
	}
	specs := make(map[schedule.ClusterKey]*v1.SIPCluster, len(clusters))
	for i := range clusters {
		specs[keyOf(&clusters[i])] = &clusters[i]
	}
	used := map[string]share{} // by tenant
	for _, u := range p.StillUsed {
		if tenant := t.Of(u.Cluster.Namespace); tenant != nil {
			used[tenant.Name] = used[tenant.Name].plus(share{leaving: Count{Hosts: 1}, used: 1})
		}
	}
	var growing []growth
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
	var errs []v1.ClusterError
	refuse := func(c growth, now share, field string) {
		errs = append(errs, v1.ClusterError{Cluster: c.cluster, FieldError: v1.FieldError{Path: "spec.nodes", Message: t.Of(c.cluster.Namespace).surges(c.given, now, field)}})
	}
	over := map[string]bool{}
	var fit []growth
	for _, c := range growing {
		tenant := t.Of(c.cluster.Namespace)
		now, most, standby := used[tenant.Name], *tenant.Hosts.Max, *tenant.Hosts.MaxStandby
		after := now.all().plus(c.given)
		switch {
		case c.given.Hosts > 0 && after.Hosts > most+Surge(most):
			refuse(c, now, "hosts.max")
		case c.given.Standby > 0 && after.Standby > standby+Surge(standby):
			refuse(c, now, "hosts.maxStandby")
		default:
			now.given = now.given.plus(c.given)
			used[tenant.Name], fit = now, append(fit, c)
			continue
		}
		over[tenant.Name] = true
	}
	for _, c := range fit {
		if tenant := t.Of(c.cluster.Namespace); over[tenant.Name] && again[tenant.Name] {
			refuse(c, used[tenant.Name], "hosts.max")
		}
	}
	return errs
}

// surges says why a cluster cannot have the hosts that it would be given, where the tenant's clusters have so much now.
func (t *Tenant) surges(given Count, now share, field string) string {
	what, most, of := "new host", *t.Hosts.Max, func(c Count) int { return c.Hosts }
	if field == "hosts.maxStandby" {
		what, most, of = "new standby host", *t.Hosts.MaxStandby, func(c Count) int { return c.Standby }
	}
	after := ""
	if now.used > 0 && field != "hosts.maxStandby" {
		after = fmt.Sprintf(" (%d without labels, and in use still)", now.used)
	}
	return fmt.Sprintf("would get %s: the tenant's clusters keep %d, still have %d to release%s, and get %d before it; %s has at most %d, "+
		"and %d more while hosts are replaced: want fewer replaced at a time, or those released first",
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
		s.lacks = s.lacks || role.ShortActive+role.ShortStandby > 0
		for j := range role.Assigned {
			a := &role.Assigned[j]
			switch _, replaced := a.Reason.(schedule.Replacing); {
			case a.Origin == schedule.New:
				s.given = s.given.plus(one(a.Standby))
			case a.Pending, replaced:
				s.leaving = s.leaving.plus(one(a.Standby))
			default:
				s.held = s.held.plus(one(a.Standby))
				s.lacks = s.lacks || a.Trouble != nil
			}
		}
		for _, r := range role.Releasing {
			if r.Host.State.InUse() {
				s.leaving = s.leaving.plus(one(false))
			}
		}
	}
	return s
}
