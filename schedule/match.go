package schedule

import (
	"encoding/binary"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/labels"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/inventory"
)

// matches says whether a selector, of hosts' labels and namespaces, matches a host.
func matches(s labels.Selector, h *inventory.Host) bool {
	return s.Matches(v1.HostLabels{Namespace: h.Namespace, Labels: h.Labels})
}

// shape is what a role asks of a host: a selector, and networks to have an address on. Many roles
// share one.
type shape struct {
	networks []string
	roles    int32 // roles of this shape
	kinds    set   // label kinds that the selector matches, but for hosts that the cluster asked to release
	refused  int   // those hosts
	lacking  set   // label kinds that the selector matches, and that lack a label that is required
	required []string
	buckets  fits  // buckets that fit
	counted  int32 // the cut in which its buckets were counted last
}

// class is a set of hosts that are equal to every role: same kind, same networks.
type class struct {
	kind     int32
	networks []string // of those that any role asks for
	free     int      // hosts free to be taken, as far as labels and state go
	roles    int32    // number of roles that it fits
}

// classes is the collapsed inventory.
type classes struct {
	classes  []class
	byKind   [][]int32 // classes of a kind
	networks []string  // that any role asks for
	// For each kind, hosts that are held, and hosts by reason why nobody may take them.
	held    []int32
	reasons []Reason
	rejects map[int32][]rejects
	// Kinds that have any of the two, kinds with a class that lacks an address on some network, and kinds that some role selects.
	unfree, unreached, wanted bitset
}

// rejects is a number of hosts with one reason.
type rejects struct {
	reason int32 // in classes.reasons
	hosts  int
}

// match sorts hosts into classes and finds out which classes fit which role.
func (s *site) match() *classes {
	s.shapes = nil
	index := map[string]*shape{}
	var networks []string
	for _, r := range s.roles {
		var want []string
		if r.cluster.spec != nil {
			want = networksOf(r.cluster.spec, r.name)
		}
		id := "\x00nothing"
		if r.selector != labels.Nothing() && (r.want() > 0 || r.key() == s.options.asked) {
			id = r.selector.String() + "\x00" + strings.Join(want, "\x00")
			if required := r.required(); len(required) > 0 {
				id += "\x00carries\x00" + strings.Join(required, "\x00")
			}
			if len(r.cluster.never) > 0 {
				id += "\x00" + r.cluster.key.String()
			}
		}
		if index[id] == nil {
			sh := &shape{}
			if id != "\x00nothing" {
				sh = &shape{networks: want, kinds: s.selects(r).kinds}
				sh.refuse(r.cluster.never, s.kinds)
				sh.lack(r.required(), s.kinds)
			}
			index[id] = sh
			s.shapes = append(s.shapes, sh)
			networks = append(networks, want...)
		}
		r.shape = index[id]
		r.shape.roles++
	}
	slices.Sort(networks)
	c := s.sortHosts(slices.Compact(networks))
	c.wanted = newBitset(s.kinds.n)
	for _, sh := range s.shapes {
		sh.kinds.addTo(c.wanted)
	}
	return c
}

// refuse takes out the hosts that the cluster asked to release: each is a kind of its own.
func (sh *shape) refuse(never map[int32]bool, k *kinds) {
	if len(never) == 0 {
		return
	}
	left := newBitset(k.n)
	for kind := range sh.kinds.all {
		if host, single := k.single[kind]; single && never[host] {
			sh.refused++
		} else {
			left.add(kind)
		}
	}
	sh.kinds = newSet(left)
}

func (s *site) sortHosts(networks []string) *classes {
	n := s.kinds.n
	c := &classes{networks: networks, byKind: make([][]int32, n), held: make([]int32, n), rejects: map[int32][]rejects{}, unfree: newBitset(n), unreached: newBitset(n)}
	first := make([]int32, n) // room for one class of each kind, side by side
	for k := range c.byKind {
		c.byKind[k] = first[k : k : k+1]
	}
	c.classes = make([]class, 0, n)
	bit := map[string]int{}
	for i, id := range networks {
		bit[id] = i
	}
	ids, reasons := map[string]int32{}, map[Reason]int32{}
	var buf []byte
	on := make([]bool, len(networks))
	has := func(names []string) bool { // those that are on, and no others
		for b, is := range on {
			if is && (len(names) == 0 || names[0] != networks[b]) {
				return false
			} else if is {
				names = names[1:]
			}
		}
		return len(names) == 0
	}
	for i := range s.hosts {
		h := &s.hosts[i]
		k := h.kind
		switch {
		case h.reject != nil:
			c.unfree.add(k)
			reason := general(h.reject)
			id, known := reasons[reason]
			if !known {
				id = int32(len(c.reasons))
				reasons[reason] = id
				c.reasons = append(c.reasons, reason)
			}
			c.reject(k, id)
			continue
		case h.role != nil:
			c.held[k]++
			c.unfree.add(k)
			continue
		}
		clear(on)
		for _, a := range h.Addresses {
			if b, wanted := bit[a.Network]; wanted && a.IP.IsValid() {
				on[b] = true
			}
		}
		if known := c.byKind[k]; len(known) > 0 && has(c.classes[known[0]].networks) { // most kinds have one class
			h.class = known[0]
			c.classes[h.class].free++
			continue
		}
		buf = binary.LittleEndian.AppendUint32(buf[:0], uint32(k))
		for b, is := range on {
			if is {
				buf = binary.LittleEndian.AppendUint32(buf, uint32(b))
			}
		}
		id, known := ids[string(buf)]
		if !known {
			id = int32(len(c.classes))
			if len(c.byKind[k]) > 0 { // else it is found without
				ids[string(buf)] = id
			}
			var names []string
			for b, is := range on {
				if is {
					names = append(names, networks[b])
				}
			}
			if len(names) < len(networks) {
				c.unreached.add(k)
			}
			c.classes = append(c.classes, class{kind: k, networks: names})
			c.byKind[k] = append(c.byKind[k], id)
		}
		h.class = id
		c.classes[id].free++
	}
	return c
}

func (c *classes) reject(kind, reason int32) {
	list := c.rejects[kind]
	for i := range list {
		if list[i].reason == reason {
			list[i].hosts++
			return
		}
	}
	c.rejects[kind] = append(list, rejects{reason, 1})
}

// missing is the first of the networks that the class has no address on, "" if it has all.
func (c *class) missing(networks []string) string {
	for _, id := range networks {
		if _, has := slices.BinarySearch(c.networks, id); !has {
			return id
		}
	}
	return ""
}
