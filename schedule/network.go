package schedule

import (
	"encoding/binary"
	"slices"
)

// network is the flow network: role → (role, domain) → bucket → sink. Hosts that every role and
// every topology key sees alike lie in one bucket, whose capacity is their number. The nodes
// (role, domain), of capacity max, are implicit: a search marks the domains that a role uses.
//
// Flow is augmented along shortest paths, breadth first (Edmonds and Karp). A search visits each
// bucket and each role once, and skips visited buckets in bulk, so it costs no more than the
// flow that is there.
type network struct {
	s       *site
	buckets []bucket
	edges   []edge
	unused  []int32 // edges that carry nothing

	// Scratch of one search.
	search     int32
	visited    []int32 // by role: search that visited it
	heap       []item
	goal       goal
	work       int   // steps of all searches, to bound what is only for words
	found      int32 // where the search ended
	queue      []int32
	path       []step
	generation int32 // of choose, one per role
	epoch      int32 // of the topologies' stamps
	focus      *role // whose edges focusEdge holds
	focusAt    []int32
	focusIn    []int32 // units of the focus by domain
}

// bucket is a set of hosts that can stand in for one another.
type bucket struct {
	class int32
	dom   []int32 // by topology
	hosts []int32 // by name
	next  int32   // hosts before it are given away for good
	used  int32   // units of flow through the bucket
	edges []int32
	rank  int32 // shapes that the class fits: buckets that few roles can use are filled first

	seen    int32 // search that visited it
	dead    int32 // generation whose searches found no way on from here
	refused int32 // generation whose role cannot have a host of it
	parent  int32 // edge by which the search came: its role gives up a host in the edge's bucket. -1: root
}

// edge is flow from a role to a bucket.
type edge struct {
	role   *role
	bucket int32
	n      int32
	posR   int32 // in role.edges
	posB   int32 // in bucket.edges
}

func (b *bucket) free() int32 { return int32(len(b.hosts)) - b.next - b.used }

// newNetwork collapses the free hosts into buckets.
func (s *site) newNetwork() *network {
	c := s.matched
	n := &network{s: s, visited: make([]int32, len(s.roles)), generation: 1}
	index := map[string]int32{}
	byClass := make([][]int32, len(c.classes))
	var buf []byte
	for i := range s.hosts {
		h := &s.hosts[i]
		if h.class < 0 || c.classes[h.class].shapes == 0 {
			continue
		}
		buf = binary.LittleEndian.AppendUint32(buf[:0], uint32(h.class))
		for _, t := range s.topology {
			buf = binary.LittleEndian.AppendUint32(buf, uint32(max(t.dom[i], noLabel)))
		}
		b, known := index[string(buf)]
		if !known {
			b = int32(len(n.buckets))
			index[string(buf)] = b
			dom := make([]int32, len(s.topology))
			for t := range dom {
				dom[t] = s.topology[t].dom[i]
			}
			n.buckets = append(n.buckets, bucket{class: h.class, dom: dom, rank: int32(c.classes[h.class].shapes)})
			byClass[h.class] = append(byClass[h.class], b)
		}
		n.buckets[b].hosts = append(n.buckets[b].hosts, int32(i))
	}
	for t, topology := range s.topology {
		topology.focus = make([]int32, len(topology.names))
		topology.buckets = make([][]int32, len(topology.names))
		for b := range n.buckets {
			if d := n.buckets[b].dom[t]; d >= 0 {
				topology.buckets[d] = append(topology.buckets[d], int32(b))
			}
		}
	}
	for _, sh := range s.shapes {
		sh.uses = make([]bool, len(c.classes))
		for _, id := range sh.classes {
			sh.uses[id] = true
		}
		for _, id := range sh.classes {
			sh.buckets = append(sh.buckets, byClass[id]...)
		}
		slices.Sort(sh.buckets)
		sh.rem = slices.Clone(sh.buckets)
	}
	n.focusAt = make([]int32, len(n.buckets))
	for _, r := range s.roles {
		for _, list := range [][]int32{r.held, r.standIn} {
			for _, i := range list {
				if d := s.domain(r, i); d >= 0 {
					r.taken = append(r.taken, d)
				}
			}
		}
	}
	return n
}

// domainOf a bucket for a role.
func (n *network) domainOf(r *role, b int32) int32 {
	if r.topo < 0 {
		return alone
	}
	return n.buckets[b].dom[r.topo]
}

// add puts one unit of a role on a bucket.
func (n *network) add(r *role, b int32) {
	r.units++
	n.buckets[b].used++
	if n.focus == r {
		n.focusAt[b]++
		if d := n.domainOf(r, b); d >= 0 {
			n.focusIn[d]++
		}
	}
	if e := n.edge(r, b); e >= 0 {
		n.edges[e].n++
		return
	}
	var e int32
	if last := len(n.unused) - 1; last >= 0 {
		e = n.unused[last]
		n.unused = n.unused[:last]
	} else {
		e = int32(len(n.edges))
		n.edges = append(n.edges, edge{})
	}
	bucket := &n.buckets[b]
	n.edges[e] = edge{role: r, bucket: b, n: 1, posR: int32(len(r.edges)), posB: int32(len(bucket.edges))}
	r.edges = append(r.edges, e)
	bucket.edges = append(bucket.edges, e)
}

// drop takes one unit of a role off a bucket.
func (n *network) drop(r *role, b int32) {
	r.units--
	n.buckets[b].used--
	if n.focus == r {
		n.focusAt[b]--
		if d := n.domainOf(r, b); d >= 0 {
			n.focusIn[d]--
		}
	}
	e := n.edge(r, b)
	n.edges[e].n--
	if n.edges[e].n > 0 {
		return
	}
	gone := n.edges[e]
	bucket := &n.buckets[b]
	last := r.edges[len(r.edges)-1]
	r.edges[gone.posR] = last
	n.edges[last].posR = gone.posR
	r.edges = r.edges[:len(r.edges)-1]
	last = bucket.edges[len(bucket.edges)-1]
	bucket.edges[gone.posB] = last
	n.edges[last].posB = gone.posB
	bucket.edges = bucket.edges[:len(bucket.edges)-1]
	n.unused = append(n.unused, e)
}

// edge of a role to a bucket, -1 if there is none.
func (n *network) edge(r *role, b int32) int32 {
	if at := n.buckets[b].edges; len(at) <= len(r.edges) {
		for _, e := range at {
			if n.edges[e].role == r {
				return e
			}
		}
		return -1
	}
	for _, e := range r.edges {
		if n.edges[e].bucket == b {
			return e
		}
	}
	return -1
}

// mark counts, per domain, the hosts that the role has there. Domains that are not stamped with the
// epoch have none.
func (n *network) mark(r *role) (t *topology) {
	if r.topo < 0 {
		return nil
	}
	t = n.s.topology[r.topo]
	n.epoch++
	count := func(d, units int32) {
		if t.stamp[d] != n.epoch {
			t.stamp[d], t.used[d] = n.epoch, 0
		}
		t.used[d] += units
	}
	for _, d := range r.taken {
		count(d, 1)
	}
	for _, e := range r.edges {
		if d := n.buckets[n.edges[e].bucket].dom[r.topo]; d >= 0 {
			count(d, n.edges[e].n)
		}
	}
	return t
}

// full says whether the domain d has all the hosts of the role that it may have, by the marks.
func (n *network) full(t *topology, r *role, d int32) bool {
	return t != nil && d >= 0 && t.stamp[d] == n.epoch && int(t.used[d]) >= r.max
}
