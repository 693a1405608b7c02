// Package picture draws a placement as people see the site: rows, racks and hosts, colored by
// tenant. It is pure: the same site gives the same bytes.
package picture

import (
	"cmp"
	"slices"
	"strings"

	"github.com/airshipit/sipgen/internal/order"
	"github.com/airshipit/sipgen/internal/report/sentence"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/schedule"
)

// Options are what a placement does not have. The zero value is useful.
type Options struct {
	// Name is the site's name, for the heading.
	Name string
	// AsOf is what the placement was made from: the time of the inventory, the commit of the tree, sipgen's version.
	AsOf string
	// WhatIf is how the planned site differs from the real one, one sentence each.
	WhatIf []string
	// Refusals are why nothing would be written of the plan, one sentence each.
	Refusals []string
	// Dangers are what a reviewer must not miss, one sentence each.
	Dangers []string
	// Changes are what else a run does, and what reservations keep: nothing that asks for attention.
	Changes []string
	// More are other notes: troubles of hosts, and warnings of the run.
	More []string
	// Removed are the hosts that a what-if leaves out of the placement. They are drawn as gone.
	Removed []inventory.Host
	// Lost returns what clusters lose with some hosts, the worst first. Nil: a rack cannot be chosen.
	Lost func(hosts []string) []Loss
}

// Loss is what a cluster loses in one role.
type Loss struct{ Cluster, Words string }

// Drawing is what is drawn. Of makes one from a placement.
type Drawing struct {
	Name, AsOf string
	// RackKey is the host label with a host's rack, and RowKey the one with the row that the rack stands in.
	RackKey, RowKey string
	// Tenants are the clusters, by name: c2 before c10.
	Tenants []Tenant
	// Hosts by namespace and name, numbers in them counted: n2 before n10.
	Hosts []Cell
	// Notes are shown under the heading: what-ifs, why nothing would be written, dangers, why clusters are frozen,
	// shortages, failed hosts and warnings.
	Notes []string
	// Changes are shown below the notes, in the color of the text.
	Changes []string
	// Racks are what goes with each rack, in the order in which they are drawn; empty: that is not known.
	Racks []Rack
}

// Rack is what goes with the hosts of one rack.
type Rack struct {
	// Row and Name are empty where the hosts lack the label.
	Row, Name string
	Hosts     int
	Lost      []Loss
}

// Tenant is one cluster.
type Tenant struct {
	Name string
	// Gone: its spec is gone, every host is to be released.
	Gone bool
	// Frozen: it keeps what it has, and its spec is not placed.
	Frozen bool
	// Unschedulable: it cannot have all the slots it must have.
	Unschedulable bool
	// Short counts the slots that stay empty.
	Short int
	// Limits are the limits of a role's hosts per domain of each of its keys, a sentence for each role.
	Limits []string
}

// Cell is one host, as it is drawn.
type Cell struct {
	// Name is "namespace/name".
	Name string
	// Rack and Row are empty where the host lacks the label.
	Rack, Row string
	Verdict   schedule.Verdict
	// Tenant is an index in Site.Tenants, or -1.
	Tenant  int
	Role    string
	Standby bool
	// Failed: a host of a tenant is in error, marked unhealthy or being deleted.
	Failed bool
	// Promoted and Demoted: a host that stays, and becomes active or standby in this run.
	Promoted, Demoted bool
	// Reason is one sentence, or empty.
	Reason string
}

// removed is the verdict of a host that a what-if leaves out; no placement gives it.
const removed schedule.Verdict = "removed"

// Of makes a picture's input from a placement.
//
// The rack is a topology key that ends in "rack", else the one that most roles name; of two named equally often the one
// that comes first in a role, and then the one with fewer values, which is the wider. A key that tells every host from
// every other (a host name) is no rack while there is another. The row is a key that some role names before the rack,
// the most frequent one, else the label of hosts that is called as the rack's, with "row" for "rack", or none.
func Of(p *schedule.Placement, options Options) Drawing {
	site := Drawing{Name: options.Name, AsOf: options.AsOf, RackKey: rackKey(p), Changes: options.Changes}
	site.RowKey = rowKey(p, site.RackKey)
	site.Notes = append(site.Notes, options.WhatIf...)
	for _, refusal := range options.Refusals {
		site.Notes = append(site.Notes, "nothing would be written: "+refusal)
	}
	for _, danger := range options.Dangers {
		site.Notes = append(site.Notes, "danger: "+danger)
	}
	for i := range p.Clusters {
		for _, why := range sentence.Refusals(p.Clusters[i].Refused) {
			site.Notes = append(site.Notes, "frozen: "+p.Clusters[i].Key.String()+": "+why)
		}
	}
	for i := range p.Shortages {
		site.Notes = append(site.Notes, sentence.Shortage(&p.Shortages[i]))
	}
	site.Notes = append(site.Notes, options.More...)
	for _, f := range sentence.Findings(p) {
		site.Notes = append(site.Notes, "warning: "+f.Words())
	}

	tenants := map[schedule.ClusterKey]int{}
	assigned := map[string]*schedule.Assignment{}
	byName := make([]*schedule.Cluster, 0, len(p.Clusters))
	for i := range p.Clusters {
		byName = append(byName, &p.Clusters[i])
	}
	slices.SortFunc(byName, func(a, b *schedule.Cluster) int { return natural(a.Key.String(), b.Key.String()) })
	for i, c := range byName {
		tenant := Tenant{Name: c.Key.String(), Gone: c.Gone, Frozen: len(c.Refused) > 0, Unschedulable: c.Unschedulable}
		for j := range c.Roles {
			if limits := sentence.Limits(&c.Roles[j]); limits != "" {
				tenant.Limits = append(tenant.Limits, c.Roles[j].Name+" "+limits)
			}
			tenant.Short += c.Roles[j].ShortActive + c.Roles[j].ShortStandby
			for k := range c.Roles[j].Assigned {
				a := &c.Roles[j].Assigned[k]
				assigned[a.Host.Key()] = a
			}
		}
		tenants[c.Key] = i
		site.Tenants = append(site.Tenants, tenant)
	}
	for i := range p.Hosts {
		line := &p.Hosts[i]
		host := Cell{
			Name: line.Host.Key(), Verdict: line.Verdict, Tenant: -1, Role: line.Role, Reason: sentence.Reason(line.Reason),
		}
		if a := assigned[host.Name]; a != nil {
			host.Standby, host.Failed = a.Standby, a.Trouble != nil && a.Trouble != schedule.MarkedForRemoval{}
			host.Promoted, host.Demoted = a.Promoted(), a.Demoted()
			if change := strings.Join(sentence.Changes(a), "; "); change != "" {
				host.Reason = change + "; " + host.Reason
			}
			if cordoned := line.Host.State.Cordoned; cordoned != "" {
				host.Reason = "cordoned (" + cordoned + "); " + host.Reason
			}
			if host.Failed {
				host.Reason = sentence.Reason(a.Trouble) + "; " + host.Reason
			}
		}
		site.place(&host, line.Host.Labels)
		if tenant, found := tenants[line.Cluster]; found {
			host.Tenant = tenant
		}
		site.Hosts = append(site.Hosts, host)
	}
	for i := range options.Removed {
		host := Cell{Name: options.Removed[i].Key(), Verdict: removed, Tenant: -1, Reason: "by --without"}
		site.place(&host, options.Removed[i].Labels)
		site.Hosts = append(site.Hosts, host)
	}
	slices.SortFunc(site.Hosts, func(a, b Cell) int { return natural(a.Name, b.Name) })
	if options.Lost != nil && site.RackKey != "" {
		site.lose(options.Lost)
	}
	return site
}

// lose asks what goes with each rack.
func (s *Drawing) lose(lost func(hosts []string) []Loss) {
	for _, r := range rows(s) {
		for _, k := range r.racks {
			var goes []string
			for _, h := range k.hosts {
				goes = append(goes, h.Name)
			}
			s.Racks = append(s.Racks, Rack{Row: r.name, Name: k.name, Hosts: len(k.hosts), Lost: lost(goes)})
		}
	}
}

// place sets a host's rack and row, by its labels.
func (s *Drawing) place(host *Cell, labels map[string]string) {
	if s.RackKey != "" {
		host.Rack = labels[s.RackKey]
	}
	if s.RowKey != "" {
		host.Row = labels[s.RowKey]
	}
}

func rackKey(p *schedule.Placement) string {
	type use struct {
		key                  string
		roles, depth, values int
		single, other        bool
	}
	var uses []use
	for i := range p.Clusters {
		for j := range p.Clusters[i].Roles {
			for depth, key := range p.Clusters[i].Roles[j].TopologyKeys {
				at := slices.IndexFunc(uses, func(u use) bool { return u.key == key })
				if at < 0 {
					distinct, labeled := values(p, key)
					uses = append(uses, use{key: key, depth: depth, values: distinct, single: distinct == labeled,
						other: !strings.HasSuffix(key, "rack")})
					at = len(uses) - 1
				}
				uses[at].roles++
				uses[at].depth = min(uses[at].depth, depth)
			}
		}
	}
	if len(uses) == 0 {
		return ""
	}
	best := slices.MinFunc(uses, func(a, b use) int {
		return cmp.Or(order.Bool(a.single, b.single), order.Bool(a.other, b.other), cmp.Compare(b.roles, a.roles),
			cmp.Compare(a.depth, b.depth),
			cmp.Compare(a.values, b.values), cmp.Compare(a.key, b.key))
	})
	return best.key
}

// values returns how many values a key has, and how many hosts have one.
func values(p *schedule.Placement, key string) (distinct, labeled int) {
	seen := map[string]bool{}
	for i := range p.Hosts {
		if value := p.Hosts[i].Host.Labels[key]; value != "" {
			labeled++
			seen[value] = true
		}
	}
	return len(seen), labeled
}

func rowKey(p *schedule.Placement, rack string) string {
	count := map[string]int{}
	best := ""
	for i := range p.Clusters {
		for j := range p.Clusters[i].Roles {
			keys := p.Clusters[i].Roles[j].TopologyKeys
			for _, key := range keys[:max(0, slices.Index(keys, rack))] {
				count[key]++
				if count[key] > count[best] || count[key] == count[best] && key < best {
					best = key
				}
			}
		}
	}
	if prefix, found := strings.CutSuffix(rack, "rack"); found && best == "" {
		if distinct, _ := values(p, prefix+"row"); distinct > 0 {
			return prefix + "row"
		}
	}
	return best
}

// natural compares as people count: r2 before r10. Equal numbers written differently compare as text.
func natural(a, b string) int {
	x, y := a, b
	for x != "" && y != "" {
		if digit(x[0]) && digit(y[0]) {
			var m, n string
			m, x = number(x)
			n, y = number(y)
			if c := cmp.Or(cmp.Compare(len(m), len(n)), strings.Compare(m, n)); c != 0 {
				return c
			}
			continue
		}
		if x[0] != y[0] {
			return cmp.Compare(x[0], y[0])
		}
		x, y = x[1:], y[1:]
	}
	return cmp.Or(cmp.Compare(len(x), len(y)), strings.Compare(a, b))
}

func digit(c byte) bool { return '0' <= c && c <= '9' }

// number cuts the digits off the front of s, without leading zeros.
func number(s string) (digits, rest string) {
	end := 0
	for end < len(s) && digit(s[end]) {
		end++
	}
	return strings.TrimLeft(s[:end], "0"), s[end:]
}
