package schedule

import (
	"cmp"
	"container/heap"
	"slices"
	"strings"

	"github.com/airshipit/sipgen/internal/order"
)

// crowd counts the hosts of a role in the domains of its topology keys, narrowest first, and of its spread's key.
type crowd struct {
	keys []string
	in   []map[string]int // by key
}

func (s *planner) crowd(r *role, hosts []int32) *crowd {
	c := &crowd{keys: slices.Clone(r.keys)}
	slices.Reverse(c.keys)
	if r.spread != nil && !slices.Contains(c.keys, r.spread.TopologyKey) {
		c.keys = append(c.keys, r.spread.TopologyKey)
	}
	for _, key := range c.keys {
		in := map[string]int{}
		for _, i := range hosts {
			if value := s.hosts[i].Labels[key]; value != "" {
				in[value]++
			}
		}
		c.in = append(c.in, in)
	}
	return c
}

// count returns how many hosts of the role share each of the values, and leave takes one of them away.
func (c *crowd) count(values []string) []int {
	out := make([]int, len(values))
	for k, value := range values {
		out[k] = c.in[k][value]
	}
	return out
}

func (c *crowd) leave(values []string) {
	for k, value := range values {
		if value != "" {
			c.in[k][value]--
		}
	}
}

// firstToGo returns the n of some hosts that are released first, in the order of compareUse; of equal ones one after
// the other from the domain with the most hosts of the role, last by name. The crowd counts them out.
func (s *planner) firstToGo(r *role, hosts []int32, in *crowd, n int) []int32 {
	if n <= 0 {
		return nil
	}
	sorted := slices.SortedFunc(slices.Values(hosts), func(a, b int32) int { return s.compareRelease(r, a, b) })
	var out []int32
	for len(sorted) > 0 && len(out) < n {
		end := 1
		for end < len(sorted) && s.compareUse(r, sorted[0], sorted[end]) == 0 {
			end++
		}
		out = append(out, s.fromFullest(sorted[:end], in, n-len(out))...)
		sorted = sorted[end:]
	}
	return out
}

// fromFullest takes up to n hosts, last by name, each from the fullest domain by then.
func (s *planner) fromFullest(hosts []int32, in *crowd, n int) (out []int32) {
	at := map[string]*domainQueue{}
	var fullest domainHeap
	for _, i := range hosts {
		var values []string
		for _, key := range in.keys {
			values = append(values, s.hosts[i].Labels[key])
		}
		id := strings.Join(values, "\x00")
		if at[id] == nil {
			at[id] = &domainQueue{values: values, count: in.count(values)}
			fullest = append(fullest, at[id])
		}
		at[id].hosts = append(at[id].hosts, i)
	}
	heap.Init(&fullest)
	for len(fullest) > 0 && len(out) < n {
		top := fullest[0]
		if now := in.count(top.values); !slices.Equal(now, top.count) { // counts only fall
			top.count = now
			heap.Fix(&fullest, 0)
			continue
		}
		out, top.hosts = append(out, top.hosts[0]), top.hosts[1:]
		in.leave(top.values)
		if len(top.hosts) == 0 {
			heap.Pop(&fullest)
		} else {
			heap.Fix(&fullest, 0)
		}
	}
	return out
}

// domainQueue is the hosts with the same values of the keys, last by name first, and how many hosts shared each value
// when it was last looked at.
type domainQueue struct {
	values []string
	count  []int
	hosts  []int32
}

// domainHeap has the fullest domain first, of equal ones that of the last host by name.
type domainHeap []*domainQueue

func (h domainHeap) Len() int { return len(h) }
func (h domainHeap) Less(a, b int) bool {
	return cmp.Or(slices.Compare(h[b].count, h[a].count), cmp.Compare(h[b].hosts[0], h[a].hosts[0])) < 0
}
func (h domainHeap) Swap(a, b int) { h[a], h[b] = h[b], h[a] }
func (h *domainHeap) Push(x any)   { *h = append(*h, x.(*domainQueue)) }
func (h *domainHeap) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}

// compareRelease orders hosts for release without their domains: by compareUse, then by name from the last.
func (s *planner) compareRelease(r *role, a, b int32) int {
	return cmp.Or(s.compareUse(r, a, b), cmp.Compare(b, a))
}

// compareUse orders hosts for release: failed and named ones, then idle ones that are not fit, then other idle ones,
// then those in use with an approval, then the other ones. Of the last two groups those come first that the role has
// by their labels alone, or that wait to leave since an earlier run: a copy of a host with its labels and its machine
// takes no slot from a host in use that the tree has (contract 8), and the next run does not change its mind.
func (s *planner) compareUse(r *role, a, b int32) int {
	x, y := &s.hosts[a], &s.hosts[b]
	used, too := inUse(x) != nil, inUse(y) != nil
	return cmp.Or(order.Bool(s.fails(r, b), s.fails(r, a)), order.Bool(used, too),
		order.Bool(!too && !s.fit(b), !used && !s.fit(a)),
		order.Bool(too && r.cluster.approved[b], used && r.cluster.approved[a]),
		order.Bool(too && (y.adopted || y.wasPending), used && (x.adopted || x.wasPending)))
}
