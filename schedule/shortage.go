package schedule

import (
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/labels"
)

// minimalWork bounds the steps of searches that go into making the sets of competing roles minimal,
// per site: what a site of a few thousand hosts needs. Sets beyond that are minimum cuts still.
const minimalWork = 50_000_000

// blame records why slots of a role stay empty. It follows a search that failed: the buckets and
// roles that the search saw are the source side of a minimum cut, the least one, which is the same
// whatever flow led to it. Roles that the shortage does not need are taken out.
func (s *site) blame(r *role, missing int, standby bool) {
	n := s.net
	got := r.units
	competing := n.reached()
	var dropped []*role
	units := map[*role]int{}
	if missing > 1 {
		dropped = s.minimal(r, got+missing, competing, units)
	}
	for n.augment(r) { // until it fails, and shows the cut
	}
	s.shortages = append(s.shortages, s.certificate(n.reached(), r, got+missing, standby))
	for r.units > got {
		n.drop(r, n.edges[r.edges[len(r.edges)-1]].bucket)
	}
	for _, other := range dropped {
		s.fill(other, units[other])
	}
}

// reached are the roles that the last search saw, in the order served.
func (n *network) reached() []*role {
	var roles []*role
	for i, at := range n.visited {
		if at == n.search {
			roles = append(roles, n.s.roles[i])
		}
	}
	return roles
}

// minimal takes roles out of the network, those served last first, as long as r stays short of
// want. It gives those taken out, in the order served, and notes how many units each had.
func (s *site) minimal(r *role, want int, competing []*role, had map[*role]int) (dropped []*role) {
	n := s.net
	room := want - r.units // r stays short if less than this is given up
	for _, other := range slices.Backward(competing) {
		if other == r {
			continue
		}
		if s.worked > minimalWork {
			break
		}
		before, got := n.work, r.units
		had[other] = other.units
		n.clear(other)
		if had[other] < room {
			room -= had[other]
			dropped = append(dropped, other)
			continue
		}
		for r.units < want && n.augment(r) {
		}
		if r.units < want {
			room = want - r.units
			dropped = append(dropped, other)
		} else {
			for r.units > got {
				n.drop(r, n.edges[r.edges[len(r.edges)-1]].bucket)
			}
			s.fill(other, had[other])
		}
		s.worked += n.work - before
	}
	slices.Reverse(dropped)
	return dropped
}

// place is what a set of roles can use of one domain.
type place struct {
	name            string
	hosts, capacity int
}

// certificate puts the cut of the last search into numbers and words.
func (s *site) certificate(roles []*role, short *role, want int, standby bool) Shortage {
	out := Shortage{Standby: standby, Rejected: s.rejectedOf(roles)}
	for _, r := range roles {
		out.Roles = append(out.Roles, RoleKey{r.cluster.key, r.name})
		out.Capacity += r.units
		if r == short {
			out.Need += want
		} else {
			out.Need += r.units
		}
	}
	shared := roles[0].topo
	for _, r := range roles {
		if r.topo != shared {
			shared = -1
		}
	}
	places, loose, full := s.places(roles, shared)
	out.Hosts = loose.hosts
	for _, p := range places {
		out.Hosts += p.hosts
		out.Domains = append(out.Domains, p.name)
	}
	key := ""
	if shared >= 0 {
		key = strings.Join(s.topology[shared].keys, "/")
	}
	out.Text = certificateText(roles, short, want, key, out, places, loose, full)
	if len(roles) == 1 && out.Hosts+full+len(out.Rejected) == 0 {
		out.Text += s.unmatched(short)
	}
	return out
}

// unmatched says that a role's selector matches no host, whatever its state, and which of its requirements no host meets.
func (s *site) unmatched(r *role) string {
	if len(r.shape.kinds) > 0 {
		return ""
	}
	requirements, _ := r.selector.Requirements()
	for _, q := range requirements {
		met := false
		for k := range s.matched.kinds {
			met = met || q.Matches(labels.Set(s.matched.kinds[k].labels))
		}
		if !met {
			return " No host matches its selector: none has " + q.String() + "."
		}
	}
	return " No host matches its selector."
}

// places counts, per domain of the topology that the roles share, the free hosts that they can use
// and how many they can use together. loose are hosts in no domain; full counts hosts that fit but
// lie where every role that could use them has all it may have.
func (s *site) places(roles []*role, shared int32) (places []place, loose place, full int) {
	const fits, usable = 1, 2
	n := s.net
	state := make([]uint8, len(n.buckets))
	var limited []int // by domain: places of roles whose own limit is what binds
	if shared >= 0 {
		limited = make([]int, len(s.topology[shared].names))
	}
	seen := map[roomKey]bool{}
	for _, r := range roles {
		var taken []int32
		if r.topo >= 0 && len(r.taken) > 0 {
			taken = make([]int32, len(s.topology[r.topo].names))
			for _, d := range r.taken {
				taken[d]++
			}
		}
		if key := (roomKey{r.shape, r.topo}); taken != nil || !seen[key] {
			seen[key] = seen[key] || taken == nil
			for _, b := range r.shape.buckets {
				if d := n.domainOf(r, b); d >= 0 && taken != nil && int(taken[d]) >= r.max {
					state[b] = max(state[b], fits)
				} else {
					state[b] = usable
				}
			}
		}
		// Where the role has all it may have in a domain, and none of that on the source side of the
		// cut, its own limit is what binds.
		binds := map[int32]bool{}
		t := n.mark(r)
		for _, e := range r.edges {
			b := n.edges[e].bucket
			d := n.domainOf(r, b)
			if d < 0 || !n.full(t, r, d) {
				continue
			}
			if _, known := binds[d]; !known {
				binds[d] = true
			}
			if n.buckets[b].seen == n.search {
				binds[d] = false
			}
		}
		for d, binding := range binds { // sums only
			room := r.max
			if taken != nil {
				room -= int(taken[d])
			}
			switch {
			case !binding:
			case shared >= 0:
				limited[d] += room
			default:
				loose.capacity += room
			}
		}
	}
	var inDomain []place
	if shared >= 0 {
		inDomain = make([]place, len(limited))
	}
	for b, how := range state {
		at := &n.buckets[b]
		hosts, through := len(at.hosts), 0
		if at.seen == n.search {
			through = hosts
		}
		d := int32(noLabel)
		if shared >= 0 {
			d = at.dom[shared]
		}
		switch {
		case how == 0:
		case how == fits:
			full += hosts
		case d >= 0:
			inDomain[d].hosts += hosts
			inDomain[d].capacity += through
		case d == alone:
			for _, i := range at.hosts {
				_, name := roles[0].decides(&s.hosts[i])
				places = append(places, place{name, 1, min(1, through)})
			}
		default:
			loose.hosts += hosts
			loose.capacity += through
		}
	}
	for d, p := range inDomain {
		if p.hosts > 0 {
			places = append(places, place{s.topology[shared].names[d], p.hosts, p.capacity + limited[d]})
		}
	}
	slices.SortFunc(places, func(a, b place) int { return strings.Compare(a.name, b.name) })
	return places, loose, full
}

// rejectedOf counts the hosts that a selector of the roles matches and none of them can have.
func (s *site) rejectedOf(roles []*role) []ReasonCount {
	if len(roles) == 1 {
		return roles[0].rejected
	}
	kinds, shapes, ours := map[int32]bool{}, map[*shape]bool{}, map[*role]bool{}
	for _, r := range roles {
		shapes[r.shape], ours[r] = true, true
		for _, k := range r.shape.kinds {
			kinds[k] = true
		}
	}
	n := map[string]int{}
	for k := range kinds {
		for reason, hosts := range s.matched.kinds[k].rejects {
			n[reason] += hosts
		}
		n[heldByOthers] += s.matched.kinds[k].held
	}
	for _, r := range roles {
		for _, i := range r.claimed {
			for sh := range shapes {
				if sh.selects[s.hosts[i].kind] {
					n[heldByOthers]--
					break
				}
			}
		}
	}
	for id := range s.matched.classes {
		c := &s.matched.classes[id]
		if !kinds[c.kind] || c.free == 0 {
			continue
		}
		network, usable := "", false
		for _, r := range roles {
			if r.shape.uses[id] {
				usable = true
			} else if m := c.missing(r.shape.networks); m != "" && slices.Contains(r.shape.kinds, c.kind) && (network == "" || m < network) {
				network = m
			}
		}
		if !usable && network != "" {
			n["no address on "+network] += c.free
		}
	}
	var out []ReasonCount
	for reason, hosts := range n {
		if hosts > 0 {
			out = append(out, ReasonCount{reason, hosts})
		}
	}
	sortReasons(out)
	return out
}

func certificateText(roles []*role, short *role, want int, key string, c Shortage, places []place, loose place, full int) string {
	var b strings.Builder
	they, can := "it", "it can use"
	if len(roles) == 1 {
		b.WriteString(short.String() + " needs " + strconv.Itoa(c.Need))
	} else {
		they, can = "they", "they can use"
		var names []string
		for _, r := range roles {
			names = append(names, r.String())
		}
		b.WriteString(list(names, 6, "other roles") + " together need " + strconv.Itoa(c.Need))
	}
	if holds(roles) {
		b.WriteString(" more")
	}
	names := make([]string, len(places))
	even := true
	for i, p := range places {
		names[i] = p.name
		even = even && p.capacity == places[0].capacity
	}
	b.WriteString("; ")
	switch {
	case c.Hosts == 0:
		b.WriteString("there is no free host " + can)
	case c.Capacity == c.Hosts:
		b.WriteString("there " + are(c.Hosts, "is", "are") + " only " + count(c.Hosts, "free host") + " " + can)
		if len(names) > 0 {
			b.WriteString(" (in " + key + " " + list(names, 16, "others") + ")")
		}
	case len(places) == 0:
		b.WriteString("of the " + count(c.Hosts, "free host") + " " + can + ", " + they + " can have " + strconv.Itoa(c.Capacity) + " at once, as their topology keys allow")
	default:
		b.WriteString("the " + count(c.Hosts, "free host") + " " + can)
		if loose.hosts > 0 {
			b.WriteString(" are " + strconv.Itoa(loose.hosts) + " without " + key + " and " + strconv.Itoa(c.Hosts-loose.hosts) + " that")
		}
		b.WriteString(" " + are(c.Hosts-loose.hosts, "lies", "lie") + " in " + strconv.Itoa(len(places)) + " " + key + " " + are(len(places), "domain", "domains"))
		if even {
			b.WriteString(" (" + strings.Join(short16(names), " ") + "), " + each(places[0].capacity))
		} else {
			var parts []string
			for _, p := range places {
				parts = append(parts, strconv.Itoa(p.capacity)+" of "+strconv.Itoa(p.hosts)+" in "+p.name)
			}
			b.WriteString(", and " + they + " can have " + list(parts, 16, "others"))
		}
	}
	b.WriteString("; short " + strconv.Itoa(c.Need-c.Capacity) + ".")
	if full > 0 {
		b.WriteString(" " + count(full, "more free host") + " " + are(full, "fits", "fit") + ", but " + are(full, "lies", "lie") + " in a domain where the role has its hosts already.")
	}
	if len(c.Rejected) > 0 {
		total := 0
		var parts []string
		for _, rejected := range c.Rejected {
			total += rejected.Count
			parts = append(parts, strconv.Itoa(rejected.Count)+" "+rejected.Reason)
		}
		b.WriteString(" " + count(total, "more host") + " " + are(total, "matches", "match") + " but: " + strings.Join(parts, ", ") + ".")
	}
	return b.String()
}

func holds(roles []*role) bool {
	for _, r := range roles {
		if len(r.held)+len(r.standIn) > 0 {
			return true
		}
	}
	return false
}

func are(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

func each(n int) string {
	if n == 1 {
		return "one each"
	}
	return strconv.Itoa(n) + " each"
}

// list is "a, b and c", with no more than limit items.
func list(items []string, limit int, others string) string {
	if len(items) == 1 {
		return items[0]
	}
	if len(items) > limit {
		return strings.Join(items[:limit], ", ") + " and " + strconv.Itoa(len(items)-limit) + " " + others
	}
	return strings.Join(items[:len(items)-1], ", ") + " and " + items[len(items)-1]
}

func short16(items []string) []string {
	if len(items) <= 16 {
		return items
	}
	return append(slices.Clone(items[:16]), "and "+strconv.Itoa(len(items)-16)+" others")
}
