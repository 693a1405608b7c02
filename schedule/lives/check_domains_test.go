package lives

import (
	"fmt"
	"slices"
)

// inRack counts the hosts of a role in a rack, but for those that leave: all, and those that are well and stay.
func (r *run) inRack(e entry, rack string) (all, stay int) {
	for i := range r.hosts {
		h := &r.hosts[i]
		if o, ok := r.after.of(h.name); ok && !o.leaving && o.cluster == e.cluster && o.role == e.role &&
			h.rack == rack {
			all++
			if !r.bad(h, e.cluster) && !r.surplus(h, o) {
				stay++
			}
		}
	}
	return all, stay
}

// crowded: a rack in which a role gets a host has no more of its hosts than the role may have in a rack, but for those
// that are not well, or are to go.
func (r *run) crowded() string {
	for i := range r.hosts {
		h := &r.hosts[i]
		e, is := r.gets(h)
		if s := r.specs[e.cluster]; !is || s == nil || s.roles[e.role].perRack == 0 {
			continue
		}
		if _, stay := r.inRack(e, h.rack); stay > r.specs[e.cluster].roles[e.role].perRack {
			return fmt.Sprintf("%+v: %+v, one of %d", *h, e, stay)
		}
	}
	return ""
}

// uneven: where a role with racks gets a host, no rack with two of its hosts fewer has one that would have done as
// well.
func (r *run) uneven() string {
	for i := range r.hosts {
		h := &r.hosts[i]
		e, is := r.gets(h)
		s := r.specs[e.cluster]
		if !is || s == nil || s.roles[e.role].perRack == 0 {
			continue
		}
		_, most := r.inRack(e, h.rack)
		for j := range r.hosts {
			o := &r.hosts[j]
			if _, taken := r.after.of(o.name); taken || !r.free(o) || o.kind != h.kind || o.vendor != h.vendor ||
				slices.Contains(s.remove, o.name) || slices.Contains(s.approve, o.name) {
				continue
			}
			if least, _ := r.inRack(e, o.rack); most > least+1 {
				return fmt.Sprintf("%+v: %+v, one of %d in its rack; that of %s has %d", *h, e, most, o.name, least)
			}
		}
	}
	return ""
}
