package schedule

import (
	"maps"
	"slices"
)

// spread counts a role's hosts by the value of its spread key.
type spread struct {
	key   string
	skew  int
	n     map[string]int
	least int
}

// newSpread counts the hosts that the role holds. It is nil for a role without spread.
func (n *network) newSpread(r *role) *spread {
	if r.spread == nil {
		return nil
	}
	sp := &spread{key: r.spread.TopologyKey, skew: max(1, r.spread.MaxSkew), n: map[string]int{}}
	for b := range r.shape.buckets.all {
		for _, i := range n.buckets[b].hosts {
			if value := n.s.hosts[i].Labels[sp.key]; value != "" {
				sp.n[value] += 0
			}
		}
	}
	for _, list := range [][]int32{r.held, r.standIn} {
		for _, i := range list {
			if value := n.s.hosts[i].Labels[sp.key]; value != "" {
				sp.n[value]++
			}
		}
	}
	sp.lowest()
	return sp
}

func (sp *spread) lowest() {
	first := true
	for _, n := range sp.n {
		if first || n < sp.least {
			sp.least, first = n, false
		}
	}
}

// add counts a host, and says whether the emptiest domain is fuller than before.
func (sp *spread) add(n *network, host int32) bool {
	if sp == nil {
		return false
	}
	before := sp.least
	if value := n.s.hosts[host].Labels[sp.key]; value != "" {
		sp.n[value]++
		sp.lowest()
	}
	return sp.least != before
}

// order is the place of a bucket among those the role may choose from: by how far its next host
// would take the domain beyond the skew allowed, then by the host's name.
func (n *network) order(sp *spread, b int32) int64 {
	at := &n.buckets[b]
	host := at.hosts[at.next]
	if sp == nil {
		return int64(host)
	}
	beyond := 0
	if value := n.s.hosts[host].Labels[sp.key]; value != "" {
		beyond = max(0, sp.n[value]+1-sp.least-sp.skew)
	}
	return int64(beyond)<<32 + int64(host)
}

// uneven warns of a role whose hosts are spread less evenly than it prefers.
func (s *site) uneven(r *role) {
	if r.spread == nil || r.want() == 0 {
		return
	}
	sp := s.net.newSpread(r)
	for _, p := range r.picks {
		sp.add(s.net, p.host)
	}
	most, fullest, emptiest := 0, "", ""
	for _, value := range slices.Sorted(maps.Keys(sp.n)) {
		if n := sp.n[value]; n > most {
			most, fullest = n, value
		}
		if sp.n[value] == sp.least && emptiest == "" {
			emptiest = value
		}
	}
	if most-sp.least > sp.skew {
		r.warn(Uneven{sp.key, fullest, emptiest, most, sp.least, sp.skew})
	}
}
