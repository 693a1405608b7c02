package schedule

import (
	"slices"
	"strings"
)

// carriedColumn is the name of a column of kinds: whether a host carries a label, whatever its value. No label has such a name.
func carriedColumn(key string) string { return "\x00" + key }

// required are the labels that a host has to carry to take a slot of the role.
func (r *role) required() []string {
	if r.anyLabels {
		return nil
	}
	return r.keys
}

// requiredKeys are those of all roles, sorted.
func (s *site) requiredKeys() []string {
	var keys []string
	for _, r := range s.roles {
		for _, key := range r.required() {
			if !slices.Contains(keys, key) {
				keys = append(keys, key)
			}
		}
	}
	slices.Sort(keys)
	return keys
}

// lack takes the kinds that do not carry all of the labels out of the shape, and remembers which label each lacks, the first that it does.
func (sh *shape) lack(required []string, k *kinds) {
	if len(required) == 0 || sh.kinds.n == 0 {
		return
	}
	carrying := k.carrying(required)
	lacking := newBitset(k.n)
	sh.kinds.addTo(lacking)
	if lacking.without(carrying); lacking.next(0) < 0 {
		return
	}
	left := newBitset(k.n)
	sh.kinds.addTo(left)
	left.without(lacking)
	sh.kinds, sh.lacking, sh.required = newSet(left), newSet(lacking), required
}

// carrying are the kinds that carry all of the labels.
func (k *kinds) carrying(required []string) bitset {
	id := strings.Join(required, "\x00")
	if known := k.carried[id]; known != nil {
		return known
	}
	all := newBitset(k.n)
	all.fill(k.n)
	for _, key := range required {
		k.and(all, &k.columns[carriedColumn(key)].has)
	}
	k.carried[id] = all
	return all
}

// missingLabel is the first of the labels that hosts of a kind do not carry, "" if they carry all.
func missingLabel(required []string, k *kinds, kind int32) string {
	for _, key := range required {
		if !k.columns[carriedColumn(key)].has.has(kind) {
			return key
		}
	}
	return ""
}

// lost is the first of the role's required labels that the host does not carry, "" if it carries all.
func (r *role) lost(h *host) string {
	for _, key := range r.required() {
		if h.Labels[key] == "" {
			return key
		}
	}
	return ""
}

// mostNamed is how many hosts a warning carries by name.
const mostNamed = 3

// leftOut warns of free hosts that the role selects, and that it does not take for want of a label.
func (s *site) leftOut() {
	type ask struct {
		hosts []HostKey
		n     int
	}
	asks, byKind := map[*shape]*ask{}, map[int32][]*ask{}
	for _, sh := range s.shapes {
		if sh.lacking.n == 0 {
			continue
		}
		asks[sh] = &ask{}
		for kind := range sh.lacking.all {
			byKind[kind] = append(byKind[kind], asks[sh])
		}
	}
	if len(asks) == 0 {
		return
	}
	for i := range s.hosts {
		h := &s.hosts[i]
		if h.class < 0 {
			continue
		}
		for _, of := range byKind[h.kind] {
			if of.n++; of.n <= mostNamed {
				of.hosts = append(of.hosts, h.key())
			}
		}
	}
	for _, r := range s.roles {
		if of := asks[r.shape]; of != nil && of.n > 0 && r.want() > 0 && len(r.cluster.refused) == 0 {
			r.warn(LeftOut{r.required(), of.hosts, of.n})
		}
	}
}

// unlabelled warns of hosts of the role that lack its topology keys: those that it holds for all that, and where it takes such hosts, how many.
func (s *site) unlabelled(r *role) {
	if r.topo < 0 || r.want() == 0 || len(r.cluster.refused) > 0 {
		return
	}
	if !r.anyLabels {
		for _, list := range [][]int32{r.held, r.standIn} {
			for _, i := range list {
				if key := r.lost(&s.hosts[i]); key != "" {
					r.warn(KeptUnlabelled{s.hosts[i].key(), key})
				}
			}
		}
		return
	}
	m := s.room(r)
	lack, held := m.loose, 0
	for _, list := range [][]int32{r.held, r.standIn} {
		for _, i := range list {
			held++
			if s.domain(r, i) == noLabel {
				lack++
			}
		}
	}
	for _, p := range r.picks[:r.given] {
		held++
		if s.domain(r, p.host) == noLabel {
			lack++
		}
	}
	switch {
	case lack == 0:
	case lack == m.hosts+held:
		r.warn(NoneLabelled{r.keys})
	default:
		r.warn(SomeUnlabelled{r.keys, lack})
	}
}
