package solve

import "slices"

// Shortage is a minimum cut: competing roles, and how many hosts they can have at most.
type Shortage struct {
	// Role lacks Missing hosts, for active or for Standby slots.
	Role, Missing int
	Standby       bool
	// Roles compete, in the order served. Needs are the new hosts of each; Capacity of them can be assigned. Kept are
	// competing ones of Problem.Kept; KeptHosts has how many each keeps, which Need and Capacity include.
	Roles, Needs    []int
	Kept, KeptHosts []int
	Need, Capacity  int
	// Tree is the one tree of all the roles, None if they differ or have none. Domains are its domains with usable
	// hosts, Loose are the hosts in none. Hosts counts all of them.
	Tree    int
	Domains []Domain
	Loose   int
	Hosts   int
	// Full counts hosts that fit, in domains where every role that could use them is at its limit.
	Full int
	// Bound: the role's keys bound it. Rooms are the domains of its tree with room for one more host.
	Bound bool
	Rooms []int32
	// Behind are the clusters whose second try chose hosts before: without them, more hosts might be had.
	Behind []int
	// Packed is the domain that the role is packed into, None if it is not packed, or no domain has hosts for it.
	Packed int32
}

// Domain counts the hosts of a domain that competing roles can use, without those of inner domains, and how many of
// them at once. Limit is the part of Capacity that the roles' own limit in the domain bounds.
type Domain struct{ Domain, Hosts, Capacity, Limit int }

// explain records why a role lacks hosts. It follows a failed search, whose seen classes are the smallest minimum
// cut, independent of the path.
func (f *flow) explain(r *role, missing int, standby bool) {
	out := Shortage{Role: int(r.index), Missing: missing, Standby: standby, Tree: r.Tree, Bound: r.tree != nil,
		Packed: r.packedInto()}
	if out.Bound {
		for d := range r.in {
			if r.binds(int32(d)) && r.roomIn(int32(d)) > 0 {
				out.Rooms = append(out.Rooms, int32(d))
			}
		}
	}
	for n := range f.Clusters {
		if slices.ContainsFunc(f.roles[f.Clusters[n].From:f.Clusters[n].To], func(other role) bool {
			return len(f.result.Roles[other.index].Hosts) > 0
		}) {
			out.Behind = append(out.Behind, n)
		}
	}
	usable, full := newBitset(len(f.classes)), newBitset(len(f.classes))
	for i := range f.roles {
		other := &f.roles[i]
		if other.seen[0] != f.search {
			continue
		}
		need := other.units
		if other == r {
			need += missing
		}
		if n := i - (len(f.roles) - len(f.kept)); n >= 0 {
			out.Kept, out.KeptHosts = append(out.Kept, n), append(out.KeptHosts, need)
		} else {
			out.Roles, out.Needs = append(out.Roles, i), append(out.Needs, need)
		}
		out.Need += need
		out.Capacity += other.units
		if other.Tree != r.Tree {
			out.Tree = None
		}
		other.fits.all(func(c int32) bool {
			if other.mayHave(c) {
				usable.add(c)
			} else {
				full.add(c)
			}
			return true
		})
	}
	f.addUp(&out, usable, full)
	f.result.Shortages = append(f.result.Shortages, out)
}

// addUp counts the hosts of a shortage, by domain if the roles share a tree.
func (f *flow) addUp(out *Shortage, usable, full bitset) {
	var hosts, through, limits []int // by domain
	if out.Tree != None {
		n := len(f.Trees[out.Tree].Parent)
		hosts, through, limits = make([]int, n), make([]int, n), make([]int, n)
		for _, i := range out.Roles {
			f.limits(&f.roles[i], limits)
		}
	}
	for h, c := range f.classOf {
		switch {
		case c == None:
		case !usable.has(c):
			if full.has(c) {
				out.Full++
			}
		case out.Tree == None || f.Trees[out.Tree].Of[h] < 0:
			out.Hosts++
			out.Loose++
		default:
			out.Hosts++
			d := f.Trees[out.Tree].Of[h]
			hosts[d]++
			if !f.fresh.has(c) {
				through[d]++
			}
		}
	}
	for d := range hosts {
		if hosts[d]+limits[d] > 0 {
			out.Domains = append(out.Domains, Domain{d, hosts[d], through[d] + limits[d], limits[d]})
		}
	}
}

// limits adds the new hosts that the role may have in the domains whose limit is what it lacks. Of nested domains,
// the widest counts.
func (f *flow) limits(r *role, limits []int) {
	if r.tree == nil {
		return
	}
	known := map[int32]bool{}
	r.own.all(func(c int32) bool {
		widest := int32(None)
		for d := r.tree.byClass[c]; d >= 0; d = r.tree.parent[d] {
			if r.in[d] >= r.most[r.tree.Level[d]] && r.seen[d+1] != f.search {
				widest = d
			}
		}
		if widest != None && !known[widest] {
			known[widest] = true
			limits[widest] += int(r.in[widest] - r.held[widest])
		}
		return true
	})
}
