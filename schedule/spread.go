package schedule

import (
	"math"
	"slices"
)

// spread counts a role's hosts by domain of its spread key.
type spread struct {
	tree *topology // of the key alone
	key  string
	skew int32
	n    []int32 // by domain: hosts; -1 where the role has none, and could have none
	// least is the lowest number of hosts in a domain, and of how many domains that is.
	least, emptiest int32
}

// newSpread counts the hosts that the role holds. It is nil for a role without spread. The next call overwrites it.
func (n *network) newSpread(r *role) *spread {
	if r.spread == nil || r.even < 0 {
		return nil
	}
	t := n.s.topology[r.even]
	sp := &spread{tree: t, key: r.spread.TopologyKey, skew: int32(min(max(1, r.spread.MaxSkew), math.MaxInt32)), n: slices.Grow(n.even[:0], len(t.names))[:len(t.names)]}
	n.even = sp.n
	for d := range sp.n {
		sp.n[d] = -1
	}
	dom := n.dom[r.even]
	for b := range r.shape.buckets.all { // the hosts of a bucket lie in one domain, or each alone
		switch d := dom[b]; {
		case d >= 0:
			sp.n[d] = 0
		case d == alone:
			for _, i := range n.buckets[b].hosts {
				sp.n[t.raw[i]] = 0
			}
		}
	}
	for _, list := range [][]int32{r.held, r.standIn} {
		for _, i := range list {
			if d := t.raw[i]; d >= 0 {
				sp.n[d] = max(sp.n[d], 0) + 1
			}
		}
	}
	for _, p := range r.picks[:r.given] {
		if d := t.raw[p.host]; d >= 0 {
			sp.n[d] = max(sp.n[d], 0) + 1
		}
	}
	sp.lowest()
	return sp
}

func (sp *spread) lowest() {
	sp.least, sp.emptiest = 0, 0
	for _, n := range sp.n {
		switch {
		case n < 0 || sp.emptiest > 0 && n > sp.least:
		case sp.emptiest > 0 && n == sp.least:
			sp.emptiest++
		default:
			sp.least, sp.emptiest = n, 1
		}
	}
}

// add counts a host, and says whether the emptiest domain is fuller than before.
func (sp *spread) add(host int32) bool {
	if sp == nil {
		return false
	}
	d := sp.tree.raw[host]
	if d < 0 {
		return false
	}
	sp.n[d]++
	if sp.n[d]-1 > sp.least {
		return false
	}
	if sp.emptiest--; sp.emptiest > 0 {
		return false
	}
	sp.lowest()
	return true
}

// order is the place of a bucket among those the role may choose from: by how far its next host
// would take the domain beyond the skew allowed, then by the host's name.
func (n *network) order(sp *spread, b int32) int64 {
	at := &n.buckets[b]
	host := at.hosts[at.next]
	if sp == nil {
		return int64(host)
	}
	beyond := int32(0)
	if d := sp.tree.raw[host]; d >= 0 {
		beyond = max(0, sp.n[d]+1-sp.least-sp.skew)
	}
	return int64(beyond)<<32 + int64(host)
}

// uneven warns of a role whose hosts are spread less evenly than it prefers.
func (s *site) uneven(r *role) {
	if r.spread == nil || r.want() == 0 {
		return
	}
	sp := s.net.newSpread(r)
	if sp == nil {
		return
	}
	for _, p := range r.picks[r.given:] {
		sp.add(p.host)
	}
	most, fullest, emptiest := int32(0), "", ""
	for d, name := range sp.tree.names {
		n := sp.n[d]
		if n > most || n == most && most > 0 && name < fullest {
			most, fullest = n, name
		}
		if n == sp.least && (emptiest == "" || name < emptiest) {
			emptiest = name
		}
	}
	if most-sp.least > sp.skew {
		r.warn(Uneven{sp.key, fullest, emptiest, int(most), int(sp.least), int(sp.skew)})
	}
}
