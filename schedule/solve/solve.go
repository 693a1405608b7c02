// Package solve gives hosts to roles: a maximum flow by augmenting paths, and then, of all ways to fill as many
// slots, the first by name. It is pure, and has numbers for everything: hosts in the order of their names, roles and
// clusters in the order served.
package solve

// None is the number of no domain, no tree and no class.
const None = -1

// Site is free hosts, and roles that want some.
type Site struct {
	// Kinds has the kind of each host, None for one that nobody gets. Hosts of a kind fit the same roles.
	Kinds []int32
	// Trees are the domains that the roles' keys part the hosts into.
	Trees []Tree
	Roles []Role
	// Clusters are their roles, one after the other.
	Clusters []Cluster
}

// Tree is nested domains: those of a narrow key lie within those of a wider one.
type Tree struct {
	// Of has the narrowest domain of each host, None for a host in none.
	Of []int32
	// Parent has the domain around each domain, None for none. It has a lower number. Level has the key of each
	// domain, 0 for the widest.
	Parent, Level []int32
	// Names are those of the domains.
	Names []string
}

// Cluster is the roles From to To, without To, which get all their active slots or none.
type Cluster struct {
	From, To int
}

// Role is what one role wants.
type Role struct {
	// Fits says of each kind whether the role can use it. It is empty for a role that wants nothing.
	Fits []bool
	// Tree is that of its topology keys, None for none, and Most how many of its hosts may lie in a domain of each
	// of its levels.
	Tree int
	Most []int
	// Held are the domains of the hosts that it has, which take up room, None for a host in none.
	Held []int32
	// Active are the new hosts that it must have, and Standby those that it takes if there are any left.
	Active, Standby int
	// Failed are the domains of its failed hosts, those that go first at first: they are among Held. ReplaceActive
	// and ReplaceStandby say how many of them are to be replaced, right after the active slots of the cluster and
	// before its standby slots.
	Failed                        []int32
	ReplaceActive, ReplaceStandby int
	// Spread is the tree of one key over whose domains its hosts are to be evened out, None for none; Skew how far
	// domains may differ. Even are the domains there of the hosts that it has.
	Spread, Skew int
	Even         []int32
	// Pack is the tree of one key in one of whose domains all its hosts are to lie, None for none; PackAt that of
	// the hosts that it has, None where it has none.
	Pack   int
	PackAt int32
}

// Result is what the roles get, by role, and why slots stay empty.
type Result struct {
	Roles []Got
	// Placed says by cluster whether it has all its active slots.
	Placed    []bool
	Shortages []Shortage
}

// Got is the hosts that one role gets, in the order in which they were chosen.
type Got struct {
	Hosts []int32
	// Replaced are the failed hosts that get a successor, as they stand in Role.Failed.
	Replaced []int
	// ShortActive and ShortStandby are the new hosts that it wants and does not get. A cluster that is not placed
	// has only ShortActive: what each of its roles lacked at its turn.
	ShortActive, ShortStandby int
}

// Solve serves the clusters in order: all active slots of a cluster or none, then successors for its failed hosts;
// when all had their turn, standby slots in the same order. What a role was given it keeps in number. If there is an
// assignment that fills the slots it is found, but for the choice of a domain to pack a role into.
func Solve(site *Site) *Result {
	f := newFlow(site)
	f.result = &Result{Roles: make([]Got, len(site.Roles)), Placed: make([]bool, len(site.Clusters))}
	for i := range site.Clusters {
		f.result.Placed[i] = f.place(i)
	}
	for i := range site.Clusters {
		if f.result.Placed[i] {
			f.standby(i)
		}
	}
	for i := range f.roles {
		f.choose(&f.roles[i])
	}
	return f.result
}

// place fills the active slots of a cluster, or none, and replaces failed hosts as far as that goes.
func (f *flow) place(cluster int) bool {
	c := &f.Clusters[cluster]
	if !f.fillAll(c.From, c.To, true) {
		f.explainAll(c)
		return false
	}
	for i := c.From; i < c.To; i++ {
		f.replace(&f.roles[i], f.roles[i].ReplaceActive)
	}
	return true
}

// fillAll fills the active slots of some roles. It goes through the domains of the first that is to be packed, if
// retry is set; others are packed into the first domain in which they have room.
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
		for _, d := range f.packs(r, r.Active) {
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

// explainAll says of each role of a cluster that cannot be placed what it lacks, without what a role before it that
// is short could have.
func (f *flow) explainAll(c *Cluster) {
	f.clear(c.From, c.To)
	for i := c.From; i < c.To; i++ {
		r := &f.roles[i]
		if r.pack != nil && r.PackAt == None {
			f.pack(r, f.fullest(r))
		}
		missing := r.Active - f.fill(r, r.Active)
		f.result.Roles[i].ShortActive = missing
		if missing > 0 {
			f.explain(r, missing, false)
			f.clear(i, i+1)
		}
	}
	f.clear(c.From, c.To)
}

// standby replaces failed hosts in standby slots, and fills the empty ones.
func (f *flow) standby(cluster int) {
	for i := f.Clusters[cluster].From; i < f.Clusters[cluster].To; i++ {
		r := &f.roles[i]
		if r.pack != nil && !r.packed {
			f.pack(r, f.fullest(r))
		}
		f.replace(r, r.ReplaceStandby)
		short := r.Standby - f.fill(r, r.Standby)
		f.result.Roles[i].ShortStandby = short
		if short > 0 {
			f.explain(r, short, true)
		}
	}
}

// replace finds successors for up to k failed hosts. A failed host's own domain is open to its successor. Which
// failed hosts can be replaced together is a matroid, so one after the other finds the most.
func (f *flow) replace(r *role, k int) {
	got := &f.result.Roles[r.index]
	for n := 0; n < len(r.Failed) && k > 0; n++ {
		if r.replaced[n] {
			continue
		}
		r.hold(r.Failed[n], -1)
		if f.fill(r, 1) == 0 {
			r.hold(r.Failed[n], 1)
			continue
		}
		r.replaced[n] = true
		got.Replaced = append(got.Replaced, n)
		k--
	}
}
