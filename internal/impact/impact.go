// Package impact computes what clusters lose while some hosts are down, and in which order these can go: `sipgen
// impact`. It is pure.
package impact

import (
	"cmp"
	"slices"
	"strings"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/internal/holdings"
	"github.com/airshipit/sipgen/internal/order"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/schedule"
)

// Site is a placement, ready for questions about its hosts.
type Site struct {
	placement *schedule.Placement
	roles     []role
	of        map[schedule.HostKey]int // the role of a host, as an index into roles
}

// Options are choices for a question. The zero value asks about the site as it is.
type Options struct {
	// Tolerate replaces how many hosts roles tolerate to lose at a time.
	Tolerate map[schedule.RoleKey]int
	// Planned asks about the site as it is planned: a host without a machine is as good as one with it.
	Planned bool
}

// Of prepares a placement of the clusters.
func Of(placement *schedule.Placement, clusters []v1.SIPCluster, options Options) *Site {
	s := &Site{placement: placement, of: map[schedule.HostKey]int{}}
	specs := map[schedule.ClusterKey]*v1.SIPCluster{}
	for i := range clusters {
		specs[schedule.KeyOf(&clusters[i])] = &clusters[i]
	}
	for i := range placement.Clusters {
		c := &placement.Clusters[i]
		for n := range c.Roles {
			r := newRole(c, &c.Roles[n], specs[c.Key], options)
			for _, m := range r.members {
				s.of[holdings.KeyOf(m.host)] = len(s.roles)
			}
			s.roles = append(s.roles, r)
		}
	}
	return s
}

// Role is what a role loses. Its fields are stable.
type Role struct {
	Cluster string `json:"cluster"`
	Role    string `json:"role"`
	// Active is how many active hosts the role asks for; in a frozen cluster, how many it has.
	Active int `json:"active"`
	// Lost are its active hosts that go, and Left how many still run.
	Lost []string `json:"lost"`
	Left int      `json:"left"`
	// Down is how many of its hosts are down whatever goes, and Because has why.
	Down    int      `json:"down"`
	Because []string `json:"because,omitempty"`
	// Quorum is how many hosts a control plane needs, 0 for another role.
	Quorum      int  `json:"quorum,omitempty"`
	LosesQuorum bool `json:"losesQuorum"`
	LosesAll    bool `json:"losesAll"`
	// LoadBalancers are the cluster's services that are left without a server.
	LoadBalancers []string `json:"loadBalancers,omitempty"`
	// Replaceable are the hosts that could take the place of Lost.
	Replaceable []Substitute `json:"replaceable,omitempty"`
	// Tolerates is how many hosts the role may lose at a time, those that are down included. Waves is how many waves
	// its hosts need, 0 if no order helps.
	Tolerates int `json:"tolerates"`
	Waves     int `json:"waves"`

	accepted bool // --tolerate has at least as many as are lost
	cordoned int  // of Lost, that people have taken down
	voters   int  // hosts in no active slot that go, if that breaks the role: they are still members of etcd
}

// Substitute is a host that could take the place of one that goes.
type Substitute struct {
	Host string          `json:"host"`
	From schedule.Source `json:"from"`
}

// Host is a host that goes.
type Host struct {
	Host    string `json:"host"`
	Cluster string `json:"cluster,omitempty"`
	Role    string `json:"role,omitempty"`
	State   string `json:"state"`
	// UsedBy is what uses a host in no role: no wave spares that.
	UsedBy string `json:"usedBy,omitempty"`
	// Wave in which it goes, from 1; 0 if its role breaks in any order.
	Wave      int                 `json:"wave,omitempty"`
	Addresses []inventory.Address `json:"addresses,omitempty"`

	cordoned bool
}

// Lost is what goes with some hosts.
type Lost struct {
	Hosts []Host
	// Roles lose active hosts, or members of etcd that leave: the worst first.
	Roles []Role
	// Waves is how many waves the hosts need, those of roles that break in any order apart.
	Waves int
}

// Without returns what goes with some hosts.
func (s *Site) Without(goes map[schedule.HostKey]bool) *Lost {
	out := &Lost{}
	touched := map[int]bool{}
	var lines []*schedule.HostLine
	for i := range s.placement.Hosts {
		line := &s.placement.Hosts[i]
		key := holdings.KeyOf(line.Host)
		if !goes[key] {
			continue
		}
		lines = append(lines, line)
		if at, found := s.of[key]; found {
			touched[at] = true
		}
	}
	substitutes := s.placement.Substitutes(goes)
	waves := map[schedule.HostKey]int{}
	for at := range touched { // each by itself
		r := &s.roles[at]
		lost, of := r.without(goes)
		for key, wave := range of {
			waves[key] = wave
		}
		if len(lost.Lost) == 0 && lost.Waves == 1 {
			continue
		}
		for _, found := range substitutes[r.key] {
			if len(lost.Replaceable) < len(lost.Lost) {
				lost.Replaceable = append(lost.Replaceable, Substitute{found.Host.String(), found.From})
			}
		}
		out.Waves = max(out.Waves, lost.Waves)
		out.Roles = append(out.Roles, lost)
	}
	slices.SortFunc(out.Roles, compareRoles)
	for _, line := range lines {
		out.Hosts = append(out.Hosts, s.host(line, waves))
		out.Waves = max(out.Waves, out.Hosts[len(out.Hosts)-1].Wave)
	}
	return out
}

// host describes a host that goes. One that no role waits for goes with the first.
func (s *Site) host(line *schedule.HostLine, waves map[schedule.HostKey]int) Host {
	key := holdings.KeyOf(line.Host)
	out := Host{Host: key.String(), State: string(line.Verdict), Wave: 1, Addresses: line.Host.Addresses,
		cordoned: line.Host.State.Cordoned != ""}
	if line.Cluster != (schedule.ClusterKey{}) {
		out.Cluster, out.Role = line.Cluster.String(), line.Role
	}
	if at, found := s.of[key]; found {
		out.State = s.roles[at].member(key).slot
	} else if line.Host.State.InUse() {
		out.UsedBy = cmp.Or(line.Host.State.Consumer.String(), holdings.Use(line.Host))
	}
	if wave, found := waves[key]; found {
		out.Wave = wave
	}
	return out
}

// Breaks reports whether a role breaks whatever the order.
func (l *Lost) Breaks() bool {
	return slices.ContainsFunc(l.Roles, func(r Role) bool { return r.Waves == 0 })
}

// compareRoles orders roles: the worst first.
func compareRoles(a, b Role) int {
	return cmp.Or(order.Bool(b.LosesAll, a.LosesAll), order.Bool(b.LosesQuorum, a.LosesQuorum),
		order.Bool(a.Waves > 0, b.Waves > 0), cmp.Compare(len(b.Lost)*a.Active, len(a.Lost)*b.Active),
		strings.Compare(a.Cluster, b.Cluster), strings.Compare(a.Role, b.Role))
}
