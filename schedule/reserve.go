package schedule

import (
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/schedule/solve"
)

// Reservation is an entry of the Site's spec.hosts.reserved. With Tenants and without Count, the selected hosts are
// eligible for the clusters of these tenants alone. With both, as many free hosts are kept as these clusters lack to
// that number. With Count alone they are spares, which only replacements get.
type Reservation struct {
	Name     string
	Selector labels.Selector
	// Tenants are its tenants by name, and Namespaces those of their clusters.
	Tenants    []string
	Namespaces map[string]bool
	Count      *int
}

// ReservedFor returns the reason that keeps a free host from tenants that are not named; nil if it is for all.
func (r *Reservation) ReservedFor(h *inventory.Host) Reason {
	if r.Count != nil || !matches(r.Selector, h) {
		return nil
	}
	return ReservedFor{r.Name, strings.Join(r.Tenants, ", ")}
}

// Selects reports whether the reservation selects a host.
func (r *Reservation) Selects(h *inventory.Host) bool { return matches(r.Selector, h) }

// ReservedForOthers reports whether a host is reserved for tenants alone of which a tenant is none.
func ReservedForOthers(all []Reservation, tenant string, h *inventory.Host) bool {
	return slices.ContainsFunc(all, func(r Reservation) bool {
		return r.Count == nil && !slices.Contains(r.Tenants, tenant) && matches(r.Selector, h)
	})
}

// closed reports whether hosts of the reservation are closed to clusters of a namespace.
func (r *Reservation) closed(namespace string) bool {
	return r.Count == nil && !r.Namespaces[namespace]
}

// Fills reports whether a free host can be among those that a reservation with a count keeps: it is selected, and
// reserved for no others alone.
func (r *Reservation) Fills(h *inventory.Host, all []Reservation) bool {
	return matches(r.Selector, h) && !slices.ContainsFunc(all, func(other Reservation) bool {
		return r.barredBy(&other) && matches(other.Selector, h)
	})
}

// barredBy reports whether the hosts of the other reservation are for tenants alone of which it has none.
func (r *Reservation) barredBy(other *Reservation) bool {
	return len(r.Tenants) > 0 && other.Count == nil &&
		!slices.ContainsFunc(r.Tenants, func(t string) bool { return slices.Contains(other.Tenants, t) })
}

// Reserve is what a reservation keeps: all free hosts that it selects, for its tenants Alone, or a number of them.
type Reserve struct {
	Name    string
	Tenants []string
	Alone   bool
	// Lack is how many free hosts it was to keep, and Could how many there were for it. After the run it is to keep
	// LackAfter, and keeps Left.
	Lack, Could, LackAfter, Left int
	// Of Could and Left, so many are counted with a reservation for tenants alone.
	CouldTwice, LeftTwice int
	// Wider are roles of its tenants that select some of its hosts, and others: nothing is kept for them.
	Wider []RoleKey
}

// closedTo returns the reservations whose hosts the role cannot have.
func (s *planner) closedTo(r *role) (out []*Reservation) {
	for i := range s.options.Reserved {
		if one := &s.options.Reserved[i]; one.closed(r.cluster.key.Namespace) {
			out = append(out, one)
		}
	}
	return out
}

// reservedFor returns the reservation that closes a free host to roles of a shape, nil if none does.
func (s *planner) reservedFor(sh *shape, i int32) Reason {
	for _, one := range sh.closed {
		if s.selects(one.Selector).Has(s.hosts[i].kind) {
			return ReservedFor{one.Name, strings.Join(one.Tenants, ", ")}
		}
	}
	return nil
}

// keptInNumbers converts the reservations with a count to the form of package solve. holder returns the role that has a
// host, nil for none.
func (s *planner) keptInNumbers(holder func(i int) *role) (out []solve.Kept) {
	for i := range s.options.Reserved {
		one := &s.options.Reserved[i]
		if one.Count == nil {
			continue
		}
		selected := s.selects(one.Selector)
		var fits []int32
		for c := range s.classes {
			kind := s.hosts[s.classes[c].hosts[0]].kind
			if selected.Has(kind) && !slices.ContainsFunc(s.options.Reserved, func(other Reservation) bool {
				return one.barredBy(&other) && s.selects(other.Selector).Has(kind)
			}) {
				fits = append(fits, int32(c))
			}
		}
		kept := solve.Kept{Count: *one.Count, Fits: solve.NewSet(fits, len(s.classes))}
		if len(one.Tenants) > 0 {
			for i := range s.hosts {
				r := holder(i)
				if r != nil && one.Namespaces[r.cluster.key.Namespace] && selected.Has(s.hosts[i].kind) {
					kept.Count--
				}
			}
			kept.Of, kept.For = make([]bool, len(s.clusters)), make([]bool, len(s.roles))
			for n, c := range s.clusters {
				kept.Of[n] = one.Namespaces[c.key.Namespace]
			}
			for n, r := range s.roles {
				kept.For[n] = one.Namespaces[r.cluster.key.Namespace] && s.within(r, selected)
			}
		}
		kept.Count = max(0, kept.Count)
		out = append(out, kept)
	}
	return out
}

// within reports whether a role selects no hosts but those of some kinds.
func (s *planner) within(r *role, kinds *solve.Set) bool {
	return !slices.ContainsFunc(r.shape.selected.All(), func(kind int32) bool { return !kinds.Has(kind) })
}

// beyond returns the roles of a reservation's tenants that select some of its hosts, and others.
func (s *planner) beyond(one *Reservation) (out []RoleKey) {
	selected := s.selects(one.Selector)
	for _, r := range s.roles {
		if !one.Namespaces[r.cluster.key.Namespace] || r.cluster.gone || s.within(r, selected) {
			continue
		}
		if slices.ContainsFunc(r.shape.selected.All(), selected.Has) {
			out = append(out, r.key())
		}
	}
	return out
}

// alone returns for each class whether a reservation closes it to other tenants, nil if there is no such reservation.
func (s *planner) alone() (out []bool) {
	for i := range s.options.Reserved {
		if one := &s.options.Reserved[i]; one.Count == nil {
			selected := s.selects(one.Selector)
			if out == nil {
				out = make([]bool, len(s.classes))
			}
			for c := range s.classes {
				out[c] = out[c] || selected.Has(s.hosts[s.classes[c].hosts[0]].kind)
			}
		}
	}
	return out
}

// reserves returns what each reservation keeps, in their order. A host that several select for tenants alone counts
// with the first of them.
func (s *planner) reserves() (out []Reserve) {
	picked := map[int32]bool{}
	for _, r := range s.roles {
		for _, p := range r.picks {
			picked[p.host] = true
		}
	}
	counted, known := s.kept, map[int32]bool{}
	for n := range s.options.Reserved {
		one := &s.options.Reserved[n]
		if one.Count != nil {
			out, counted = append(out, counted[0]), counted[1:]
			continue
		}
		kept, selected := Reserve{Name: one.Name, Tenants: one.Tenants, Alone: true}, s.selects(one.Selector)
		for i := range s.hosts {
			if h := &s.hosts[i]; h.class >= 0 && selected.Has(h.kind) && !known[int32(i)] {
				known[int32(i)] = true
				if kept.Could++; !picked[int32(i)] {
					kept.Left++
				}
			}
		}
		kept.Lack, kept.LackAfter = kept.Could, kept.Left
		out = append(out, kept)
	}
	return out
}

// noteKept records what is kept.
func (s *planner) noteKept(asked []solve.Kept, found *solve.Result) {
	n := 0
	for i := range s.options.Reserved {
		one := &s.options.Reserved[i]
		if one.Count == nil {
			continue
		}
		kept := Reserve{Name: one.Name, Tenants: one.Tenants, Lack: asked[n].Count, Could: found.Kept[n],
			LackAfter: found.Lack[n], Left: found.Left[n], CouldTwice: found.KeptAlone[n], LeftTwice: found.LeftAlone[n],
			Wider: s.beyond(one)}
		if s.kept = append(s.kept, kept); kept.Could < kept.Lack {
			s.warn(TooMuchReserved{one.Name, *one.Count, kept.Lack, kept.Could})
		}
		n++
	}
}

// reservedFrom returns the first reservation that may keep a successor of a failed host from a role, or of one that is
// only named, "" for none.
func (s *planner) reservedFrom(r *role, named bool) string {
	if len(s.options.Reserved) == 0 || len(r.standIn) == 0 {
		return ""
	}
	in, failed := map[int32]int{}, map[int32]int{} // by domain
	count := func(by map[int32]int, hosts []int32) {
		for _, i := range hosts {
			for d := s.domain(r, i); d >= 0; d = r.tree.above(d) {
				by[d]++
			}
		}
	}
	count(in, r.has())
	count(failed, r.standIn)
	room := func(i int32) bool { // in place of a failed host
		for d := s.domain(r, i); d >= 0; d = r.tree.above(d) {
			if in[d]-min(failed[d], 1) >= r.most(d) {
				return false
			}
		}
		return true
	}
	for c := range s.classes {
		i := s.classes[c].hosts[0]
		if !room(i) {
			continue
		}
		if r.shape.fits.Has(int32(c)) {
			if name := s.keptFrom(r, i, named); name != "" {
				return name
			}
		} else if r.shape.selects(s.hosts[i].kind) {
			if closed, ok := s.reservedFor(r.shape, i).(ReservedFor); ok {
				return closed.Name
			}
		}
	}
	return ""
}

// keptFrom returns the reservation that may keep a free host from a role that lacks hosts, "" if none does. Spares are
// kept from the successors of hosts that are only named, and not from those of failed ones.
func (s *planner) keptFrom(r *role, i int32, named bool) string {
	for _, kept := range s.kept {
		at := slices.IndexFunc(s.options.Reserved, func(one Reservation) bool { return one.Name == kept.Name })
		one := &s.options.Reserved[at]
		selected := s.selects(one.Selector)
		lacks := len(r.has()) < r.want() || len(r.standIn) > 0 && (named || len(one.Tenants) > 0)
		if one.Namespaces[r.cluster.key.Namespace] { // but for standby slots, its roles may have what is kept
			lacks = len(r.has()) < r.want() && r.shortActive == 0 && !s.within(r, selected)
		}
		if kept.Left > 0 && lacks && selected.Has(s.hosts[i].kind) {
			return one.Name
		}
	}
	return ""
}

// KeptFor is what a reservation keeps from the roles of a shortage.
type KeptFor struct {
	Name  string
	Hosts int
}

// reservedKeys are the labels that reservations select by.
func (s *planner) reservedKeys() []string {
	keys := map[string]bool{}
	for i := range s.options.Reserved {
		requirements, _ := s.options.Reserved[i].Selector.Requirements()
		for j := range requirements {
			keys[requirements[j].Key()] = true
		}
	}
	return slices.Sorted(maps.Keys(keys))
}
