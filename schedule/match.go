package schedule

import (
	"encoding/binary"
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"

	"github.com/airshipit/sipgen/inventory"
)

func selectorOf(s *metav1.LabelSelector) (labels.Selector, error) {
	return metav1.LabelSelectorAsSelector(s)
}

func matches(s labels.Selector, set map[string]string) bool { return s.Matches(labels.Set(set)) }

// shape is what a role asks of a host: a selector, and networks to have an address on. Many roles
// share one.
type shape struct {
	selector labels.Selector
	never    map[int32]bool // hosts that the cluster asked to be rid of
	networks []string
	kinds    []int32 // label kinds that the selector matches
	selects  []bool  // by kind: the same
	classes  []int32 // classes that fit
	refused  int     // hosts that match, but are among never
	uses     []bool  // by class: whether it fits
	buckets  []int32 // buckets that fit

	rem  []int32 // scratch of the network: buckets, those not visited first
	n    int
	seen int32
}

// kind is a set of hosts with the same values of every label that a selector looks at.
type kind struct {
	labels map[string]string
	// Hosts by reason why nobody may take them, and hosts that are held.
	rejects map[Reason]int
	held    int
	single  int32 // the host, for a kind of one that annotations name; else -1
}

// class is a set of hosts that are equal to every role: same kind, same networks.
type class struct {
	kind     int32
	networks []string // of those that any role asks for
	free     int      // hosts free to be taken, as far as labels and state go
	shapes   int      // number of shapes that it fits
}

// classes is the collapsed inventory.
type classes struct {
	kinds   []kind
	classes []class
}

// match sorts hosts into classes and finds out which classes fit which role.
func (s *site) match() *classes {
	s.shapes = nil
	index := map[string]*shape{}
	var keys, networks []string
	for _, r := range s.roles {
		var want []string
		if r.cluster.spec != nil {
			want = r.cluster.spec.Networks(r.name)
		}
		id := r.selector.String() + "\x00" + strings.Join(want, "\x00")
		if len(r.cluster.never) > 0 {
			id += "\x00" + r.cluster.key.String()
		}
		if r.selector == labels.Nothing() || r.want() == 0 && r.key() != s.options.asked {
			id = "\x00nothing"
		}
		if index[id] == nil {
			sh := &shape{selector: r.selector, networks: want, never: r.cluster.never}
			if id == "\x00nothing" {
				sh = &shape{selector: labels.Nothing()}
			}
			index[id] = sh
			s.shapes = append(s.shapes, sh)
			requirements, _ := sh.selector.Requirements()
			for _, q := range requirements {
				keys = append(keys, q.Key())
			}
			networks = append(networks, want...)
		}
		r.shape = index[id]
	}
	slices.Sort(keys)
	slices.Sort(networks)
	c := s.sortHosts(slices.Compact(keys), slices.Compact(networks))
	c.fit(s.shapes)
	return c
}

func (s *site) sortHosts(keys, networks []string) *classes {
	c := &classes{}
	kinds, ids := map[string]int32{}, map[string]int32{}
	bit := map[string]int{}
	for i, id := range networks {
		bit[id] = i
	}
	var buf []byte
	on := make([]bool, len(networks))
	never := map[int32]bool{}
	for _, c := range s.clusters {
		maps.Copy(never, c.never)
	}
	for i := range s.hosts {
		h := &s.hosts[i]
		buf = buf[:0]
		for _, key := range keys {
			value, is := h.Labels[key]
			if is {
				buf = append(buf, value...)
				buf = append(buf, 1)
			}
			buf = append(buf, 0)
		}
		single := int32(-1)
		if never[int32(i)] {
			single = int32(i)
			buf = binary.LittleEndian.AppendUint32(buf, uint32(i))
		}
		k, known := kinds[string(buf)]
		if !known {
			k = int32(len(c.kinds))
			kinds[string(buf)] = k
			c.kinds = append(c.kinds, kind{labels: only(h.Labels, keys), rejects: map[Reason]int{}, single: single})
		}
		h.kind = k
		switch {
		case h.role != nil:
			c.kinds[k].held++
			continue
		case h.reject != nil:
			c.kinds[k].rejects[general(h.reject)]++
			continue
		}
		buf = binary.LittleEndian.AppendUint32(buf[:0], uint32(k))
		clear(on)
		for _, a := range h.Addresses {
			if b, wanted := bit[a.Network]; wanted && a.IP.IsValid() {
				on[b] = true
			}
		}
		for b, is := range on {
			if is {
				buf = binary.LittleEndian.AppendUint32(buf, uint32(b))
			}
		}
		id, known := ids[string(buf)]
		if !known {
			id = int32(len(c.classes))
			ids[string(buf)] = id
			var names []string
			for b, is := range on {
				if is {
					names = append(names, networks[b])
				}
			}
			c.classes = append(c.classes, class{kind: k, networks: names})
		}
		h.class = id
		c.classes[id].free++
	}
	return c
}

func only(set map[string]string, keys []string) map[string]string {
	out := map[string]string{}
	for _, key := range keys {
		if value, is := set[key]; is {
			out[key] = value
		}
	}
	return out
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

// fit finds the kinds and classes of every shape. A kind is looked up by one label that the
// selector pins to a value where there is one, so that selectors which name single hosts stay cheap.
func (c *classes) fit(shapes []*shape) {
	byKind := make([][]int32, len(c.kinds))
	for i := range c.classes {
		k := c.classes[i].kind
		byKind[k] = append(byKind[k], int32(i))
	}
	type pair struct{ key, value string }
	postings := map[pair][]int32{}
	for k := range c.kinds {
		for key, value := range c.kinds[k].labels {
			postings[pair{key, value}] = append(postings[pair{key, value}], int32(k))
		}
	}
	all := make([]int32, len(c.kinds))
	for k := range all {
		all[k] = int32(k)
	}
	for _, sh := range shapes {
		candidates := all
		sh.selects = make([]bool, len(c.kinds))
		requirements, selectable := sh.selector.Requirements()
		if !selectable {
			continue
		}
		for _, q := range requirements {
			switch q.Operator() {
			case selection.Equals, selection.DoubleEquals, selection.In:
			default:
				continue
			}
			var pinned []int32
			for value := range q.Values() {
				pinned = append(pinned, postings[pair{q.Key(), value}]...)
			}
			if len(pinned) < len(candidates) {
				slices.Sort(pinned)
				candidates = pinned
			}
		}
		for _, k := range candidates {
			if !matches(sh.selector, c.kinds[k].labels) {
				continue
			}
			if single := c.kinds[k].single; single >= 0 && sh.never[single] {
				sh.refused++
				continue
			}
			sh.kinds = append(sh.kinds, k)
			sh.selects[k] = true
			for _, id := range byKind[k] {
				if c.classes[id].missing(sh.networks) == "" {
					sh.classes = append(sh.classes, id)
					c.classes[id].shapes++
				}
			}
		}
	}
}

// fits says whether a host could be used by a role as far as selector and addresses go.
func (sh *shape) fits(h *inventory.Host) bool {
	if !matches(sh.selector, h.Labels) {
		return false
	}
	for _, id := range sh.networks {
		if len(h.On(id)) == 0 {
			return false
		}
	}
	return true
}
