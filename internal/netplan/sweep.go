package netplan

import "slices"

// maxEach is how many conflicts are noted for one claim with the site's. All of them would be more than anybody reads,
// and their number grows with the square of that of the claims.
const maxEach = 8

// sweep goes through the claims in their order, and compares each with those that it can still overlap. What hosts
// have are single addresses, of which the first two of different hosts stand for all: the time does not grow with how
// many hosts have the same one.
type sweep struct {
	plan *Comparison

	site, clusters []*Claim
	// noted are clusters' claims that a host is at odds with.
	noted map[*Claim]bool

	at      number
	byNet   map[string]*two
	address two
	mac     two
}

// two are claims of different hosts.
type two [2]*Claim

// other returns one that is not of the claim's own host, nil if there is none.
func (t *two) other(c *Claim) *Claim {
	for _, has := range t {
		if has != nil && has.Host != c.Host {
			return has
		}
	}
	return nil
}

func (t *two) add(c *Claim) {
	switch {
	case t[0] == nil:
		t[0] = c
	case t[1] == nil && t[0].Host != c.Host:
		t[1] = c
	}
}

func (s *sweep) run() {
	s.noted = map[*Claim]bool{}
	claims := s.plan.Claims
	for i := range claims {
		c := &claims[i]
		if i == 0 || c.apart(&claims[i-1]) != 0 {
			s.site, s.clusters = nil, nil
			s.forget()
		}
		gone := func(other *Claim) bool { return other.span.to.compare(c.span.from) < 0 }
		s.site, s.clusters = slices.DeleteFunc(s.site, gone), slices.DeleteFunc(s.clusters, gone)
		n := 0
		for _, other := range s.site {
			if n < maxEach && s.compare(other, c) {
				n++
			}
		}
		s.named(c)
		switch c.party() {
		case ofSite:
			for _, other := range s.clusters {
				s.compare(other, c)
			}
			s.site = append(s.site, c)
		case ofCluster:
			s.clusters = append(s.clusters, c)
		case ofHost:
			s.host(c)
		}
	}
}

// named notes an address that is not in the pool that it names.
func (s *sweep) named(c *Claim) {
	if c.Pool == "" || slices.ContainsFunc(s.site, func(pool *Claim) bool { return pool.Owner == c.Pool }) {
		return
	}
	claims := s.plan.Claims
	if at := slices.IndexFunc(claims, func(pool Claim) bool { return pool.Owner == c.Pool }); at >= 0 {
		s.plan.Conflicts = append(s.plan.Conflicts, Conflict{At: c, With: &claims[at], Outside: true})
	}
}

func (s *sweep) forget() {
	s.byNet, s.address, s.mac = nil, two{}, two{}
}

// host compares what a host has with clusters, which stand before hosts, and with other hosts.
func (s *sweep) host(c *Claim) {
	if s.at != c.span.from {
		s.at = c.span.from
		s.forget()
	}
	n := 0
	for _, other := range s.clusters {
		if (n == 0 || !s.noted[other]) && s.compare(other, c) {
			s.noted[other] = true
			n++
		}
	}
	pair := func(other *Claim) {
		if other != nil {
			s.compare(other, c)
		}
	}
	switch c.Use {
	case HostAddress, Lease:
		if s.byNet == nil {
			s.byNet = map[string]*two{}
		}
		if s.byNet[c.Network] == nil {
			s.byNet[c.Network] = &two{}
		}
		pair(s.byNet[c.Network].other(c))
		s.byNet[c.Network].add(c)
		s.address.add(c)
	case PowerControl:
		pair(s.address.other(c))
	case BootMAC:
		pair(s.mac.other(c))
		s.mac.add(c)
	}
}

// compare notes a conflict, and says whether there is one.
func (s *sweep) compare(a, b *Claim) bool {
	at, mild := clash(a, b)
	if !at {
		return false
	}
	blamed, with := s.plan.blame(a, b)
	s.plan.Conflicts = append(s.plan.Conflicts, Conflict{At: blamed, With: with, Mild: mild})
	return true
}
