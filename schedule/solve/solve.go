// Package solve assigns hosts to roles: a maximum flow by augmenting paths and then, of all ways to fill as many
// slots, the first by name. It is pure, and works on numbers only: hosts in the order of their names, roles and
// clusters in the order served.
package solve

import (
	"math"
	"slices"
)

// None is the absence of a domain, tree or class.
const None = -1

// Problem is the free hosts, and the roles that ask for some.
type Problem struct {
	// Kinds has the kind of each host, None for a host to leave out. Hosts of a kind fit the same roles.
	Kinds []int32
	// Trees are the domains of the roles' keys.
	Trees []Tree
	Roles []Request
	// Clusters are the ranges of Roles that belong together, in order.
	Clusters []Group
	// Budgets are those of tenants.
	Budgets []Budget
	// Number is how many failed hosts in use may wait to leave at a time, and Places how many more may lose their slots
	// now. Busy has for each tenant whether one of it waits: if none does, one of it may lose its slot without a place.
	Number, Places int
	Busy           []bool
	// Kept are free hosts that are kept, in the order in which they are served: before all clusters.
	Kept []Kept
	// Alone has for each kind whether its hosts are for some clusters alone, nil for none. What is kept counts once
	// more there.
	Alone []bool
}

// Budget is how many hosts the clusters of one tenant may still get, and how many of these in standby slots. It is
// below zero for one that has too many. Leaving are its failed hosts in use that are to leave: as many as
// Problem.Number take nothing of the budget.
type Budget struct{ Hosts, Standby, Leaving int }

// Failed is a failed host of a role.
type Failed struct {
	// Domain is None for a host in no domain.
	Domain int32
	// Named: it has not failed by itself. It waits for no other host, gets no spare, and counts until it is gone.
	// Used: something runs on it.
	Named, Used bool
}

// Tree is nested domains: those of a narrow key lie within those of a wider one.
type Tree struct {
	// Of has the narrowest domain of each host, None for a host in none.
	Of []int32
	// Parent has the surrounding domain of each domain, None for none; its number is lower. Level has the key of each
	// domain, 0 for the widest.
	Parent, Level []int32
	// Names are those of the domains.
	Names []string
}

// Group is the roles From to To-1, which get all their active slots or none.
type Group struct {
	From, To int
	// Tenant is the index of its tenant in Busy.
	Tenant int
	// Budget is the index of its tenant's, None for none. Standby of the roles' active slots are standby slots that it
	// cannot do without.
	Budget, Standby int
}

// Request is the request of one role.
type Request struct {
	// Fits are the kinds that the role can use. It is nil for a role without a request.
	Fits *Set
	// Tree is that of its topology keys, None for none. Most is the limit of its hosts per domain, by level.
	Tree int
	Most []int
	// Held are the domains of the role's present hosts, which take up room; None for a host in no domain.
	Held []int32
	// Active are the new hosts that it requires, and Standby those that it takes if any are left.
	Active, Standby int
	// Failed are its failed hosts, in the order of replacement; their domains are among Held. The first ReplaceActive
	// of them are to be replaced after the active slots of the cluster, and the other ones before its standby slots.
	Failed        []Failed
	ReplaceActive int
	// Refill are active slots whose hosts are gone: each is filled like that of a failed host, with those.
	Refill int
	// Spread is the tree of one key over whose domains its hosts are spread, None for none; Skew is the allowed
	// difference. Even are the domains of its present hosts there.
	Spread, Skew int
	Even         []int32
	// Pack is the tree of one key, in one domain of which all its hosts should lie, None for none. PackAt is the
	// domain of its present hosts, None without any.
	Pack   int
	PackAt int32
}

// Result is the hosts of each role, and why slots stay empty.
type Result struct {
	Roles []Got
	// Placed has for each cluster whether it got all its active slots.
	Placed    []bool
	Shortages []Shortage
	// Kept has for each of Problem.Kept how many hosts can be kept before any cluster is served, Left how many are kept
	// after the run, and Lack how many were to be then.
	Kept, Left, Lack []int
	// KeptAlone are those of Kept, and LeftAlone those of Left, that can be hosts of Problem.Alone.
	KeptAlone, LeftAlone []int
	// Limits are the clusters that want more than their budgets have left.
	Limits []Limit
}

// Limit is a cluster that needs Need new hosts, or standby hosts, and whose budget had Left at its turn.
type Limit struct {
	Cluster    int
	Standby    bool
	Need, Left int
}

// Got is the hosts that one role gets, in the order in which they were chosen.
type Got struct {
	Hosts []int32
	// Replaced are the failed hosts with a replacement, as indexes into Role.Failed. Waiting keep their slots because
	// as many as may are waiting, and Crowded because of the budget. Refilled counts Refill's.
	Replaced, Waiting, Crowded []int
	Refilled                   int
	// ShortActive and ShortStandby are the requested hosts that it does not get. In a cluster that is not placed,
	// only ShortActive is set: the lack of each role at its turn.
	ShortActive, ShortStandby int
}

// Solve serves the clusters in order: all active slots of a cluster or none, then replacements for its failed hosts;
// after all clusters, standby slots in the same order. A role keeps the number of hosts that it got. If an assignment
// that fills the slots exists, it is found, except for the choice of the domain of a packed role.
func Solve(site *Problem) *Result {
	f := newFlow(site)
	f.result = &Result{Roles: make([]Got, len(site.Roles)), Placed: make([]bool, len(site.Clusters))}
	f.keep()
	for i := range site.Clusters {
		f.result.Placed[i] = f.place(i)
	}
	for i := range site.Clusters {
		if f.result.Placed[i] {
			f.standby(i)
		}
	}
	for i := range site.Roles {
		f.choose(&f.roles[i], f.roles[i].units, f.roles[i].fits)
	}
	f.countLeft()
	return f.result
}

// place fills all active slots of a cluster, or none, and then replaces hosts that are gone, and failed ones, as far as
// possible.
func (f *flow) place(cluster int) bool {
	c := &f.Clusters[cluster]
	need := 0
	for i := c.From; i < c.To; i++ {
		need += f.roles[i].Active
	}
	placed, explained := false, false
	switch {
	case !f.within(cluster, need, false) || !f.within(cluster, c.Standby, true):
	case !f.fillActive(cluster):
		f.explainAll(cluster)
		explained = true
	default:
		f.spendBudget(cluster, need, c.Standby)
		placed = true
	}
	for i := c.From; i < c.To; i++ {
		r := &f.roles[i]
		if r.Refill+r.ReplaceActive > 0 && r.pack != nil && !r.packed {
			f.pack(r, f.fullest(r))
		}
		got := &f.result.Roles[i]
		f.replacing = true
		refill := min(r.Refill, max(0, f.left(cluster, false)))
		if !explained {
			f.within(cluster, r.Refill, false)
		}
		got.Refilled = f.fill(r, refill)
		f.spendBudget(cluster, got.Refilled, 0)
		f.replacing = false
		if got.Refilled < r.Refill {
			if placed = false; !explained && got.Refilled < refill {
				f.explain(r, refill-got.Refilled, false)
			}
			if !explained {
				got.ShortActive += r.Refill - got.Refilled
			}
		}
		f.replace(c, r, 0, r.ReplaceActive)
	}
	return placed
}

// fillActive fills all active slots of a cluster, or none. A cluster that finds no place is tried a second time, and
// then takes what is kept for it first.
func (f *flow) fillActive(cluster int) bool {
	c := &f.Clusters[cluster]
	f.promise(c)
	defer f.unpromise(c)
	if f.fillAll(c.From, c.To, true) {
		return true
	}
	if f.clear(c.From, c.To); !f.hasKept(cluster) {
		return false
	}
	f.again = true
	defer func() { f.again = false }()
	return f.fillAll(c.From, c.To, true)
}

// hasKept reports whether something is kept for a cluster.
func (f *flow) hasKept(cluster int) bool {
	return slices.ContainsFunc(f.kept, func(k kept) bool { return k.role.units > 0 && k.isOf(cluster) })
}

// within reports whether the cluster's budget has so many hosts left, or so many for standby slots, and notes a limit
// if it does not.
func (f *flow) within(cluster, need int, standby bool) bool {
	left := f.left(cluster, standby)
	if need > 0 && need > left {
		f.result.Limits = append(f.result.Limits, Limit{cluster, standby, need, left})
		return false
	}
	return true
}

// left returns how many hosts the cluster's budget has left, or how many for standby slots.
func (f *flow) left(cluster int, standby bool) int {
	switch n := f.Clusters[cluster].Budget; {
	case n == None:
		return math.MaxInt
	case standby:
		return f.budgets[n].Standby
	default:
		return f.budgets[n].Hosts
	}
}

// spendBudget takes new hosts from the cluster's budget, some of them for standby slots.
func (f *flow) spendBudget(cluster, hosts, standby int) {
	if n := f.Clusters[cluster].Budget; n != None {
		f.budgets[n].Hosts -= hosts
		f.budgets[n].Standby -= standby
	}
}

// fillAll fills the active slots of some roles. With retry, it tries the domains of the first packed role in turn;
// other packed roles take the first domain with room.
func (f *flow) fillAll(from, to int, retry bool) bool {
	for i := from; i < to; i++ {
		r := &f.roles[i]
		if r.pack == nil || r.PackAt != None || r.Active == 0 {
			if f.fill(r, r.Active) < r.Active {
				f.clear(i, to)
				return false
			}
			continue
		}
		packed := false
		for _, d := range append(f.packs(r, r.Active+r.Refill), f.packs(r, r.Active)...) {
			f.pack(r, d)
			packed = f.fill(r, r.Active) == r.Active && (!retry || f.fillAll(i+1, to, false))
			if packed {
				break
			}
			f.clear(i, to)
		}
		if !packed || retry {
			return packed
		}
	}
	return true
}

// explainAll explains what each role of an unplaced cluster lacks, without the hosts that its earlier roles need. The
// slots of hosts that are gone are among them.
func (f *flow) explainAll(cluster int) {
	c := &f.Clusters[cluster]
	f.clear(c.From, c.To)
	f.explaining, f.again = true, f.hasKept(cluster)
	short := false
	for i := c.From; i < c.To; i++ {
		r := &f.roles[i]
		if r.pack != nil && r.PackAt == None {
			f.pack(r, f.fullest(r))
		}
		f.replacing = true
		missing := r.Active + r.Refill - f.fill(r, r.Refill)
		f.replacing = false
		missing -= f.fill(r, r.Active)
		f.result.Roles[i].ShortActive = missing
		if missing > 0 {
			short = true
			f.explain(r, missing, false)
			f.clear(i, i+1)
		}
	}
	if !short { // it could have enough hosts, but for those that its second try chose first
		r := &f.roles[c.To-1]
		f.begin()
		r.seen[0] = f.search
		f.explain(r, 1, false)
		last := &f.result.Shortages[len(f.result.Shortages)-1]
		last.Behind = append(last.Behind, cluster)
		f.result.Roles[r.index].ShortActive = 1
	}
	f.explaining, f.again = false, false
	f.clear(c.From, c.To)
}

// standby replaces failed hosts in standby slots, and fills the empty ones.
func (f *flow) standby(cluster int) {
	for i := f.Clusters[cluster].From; i < f.Clusters[cluster].To; i++ {
		r := &f.roles[i]
		if r.pack != nil && !r.packed {
			f.pack(r, f.fullest(r))
		}
		f.replace(&f.Clusters[cluster], r, r.ReplaceActive, len(r.Failed))
		want := r.Standby
		for _, of := range []bool{false, true} {
			if !f.within(cluster, want, of) {
				want = max(0, f.left(cluster, of))
			}
		}
		got := f.fill(r, want)
		f.spendBudget(cluster, got, got)
		if got < want {
			f.explain(r, want-got, true)
		}
		f.result.Roles[i].ShortStandby = r.Standby - got
	}
}

// replace finds replacements for the failed hosts from one place to another. The domain of a failed host is open to its
// replacement. The sets of failed hosts that can be replaced together are a matroid, so choosing one after the other
// finds the most.
func (f *flow) replace(c *Group, r *role, from, to int) {
	got := &f.result.Roles[r.index]
	defer func() { f.replacing = false }()
	for n := from; n < to; n++ {
		failed := &r.Failed[n]
		switch {
		case !failed.Named && f.places <= 0 && f.busy[c.Tenant]:
			got.Waiting = append(got.Waiting, n)
			continue
		case !f.roomFor(c, failed):
			got.Crowded = append(got.Crowded, n)
			continue
		}
		r.hold(failed.Domain, -1)
		f.replacing = !failed.Named
		if f.fill(r, 1) == 0 {
			r.hold(failed.Domain, 1)
			continue
		}
		got.Replaced = append(got.Replaced, n)
		f.letGo(c, failed)
	}
}

// roomFor reports whether the budget has room for the successor of a failed host: its own place is the successor's,
// unless it is only named.
func (f *flow) roomFor(c *Group, failed *Failed) bool {
	if c.Budget == None {
		return true
	}
	left := f.budgets[c.Budget].Hosts
	return left >= 1 || left == 0 && !failed.Named
}

// letGo counts a failed host that has a successor.
func (f *flow) letGo(c *Group, failed *Failed) {
	if !failed.Named {
		f.places--
		f.busy[c.Tenant] = true
	}
	if c.Budget == None {
		return
	}
	if b := &f.budgets[c.Budget]; failed.Used && !failed.Named && b.Leaving < f.Number {
		b.Leaving++
	} else {
		b.Hosts--
	}
}
