// Package picture draws a placement as people see the site: rows, racks and hosts, coloured by
// tenant. It is pure: the same site gives the same bytes.
package picture

import (
	"cmp"
	"slices"
	"strings"

	"github.com/airshipit/sipgen/internal/report/sentence"
	"github.com/airshipit/sipgen/schedule"
)

// Options are what a placement does not say. The zero value is useful.
type Options struct {
	// Name is the site's name, for the heading.
	Name string
	// RackKey is the host label whose value is the host's rack. Empty: see Of.
	RackKey string
	// RowKey is the host label whose value is the row that the rack stands in. Empty: see Of.
	RowKey string
	// WhatIf says in what the planned site differs from the real one, one sentence each.
	WhatIf []string
}

// Site is what is drawn. Of makes one from a placement.
type Site struct {
	Name            string
	RackKey, RowKey string
	// Tenants are the clusters, in the order served.
	Tenants []Tenant
	// Hosts by namespace and name, numbers in them counted: n2 before n10.
	Hosts []Host
	// Notes are shown under the heading: what-ifs and shortages.
	Notes []string
}

// Tenant is one cluster.
type Tenant struct {
	Name string
	// Gone: its spec is gone, every host is to be released.
	Gone bool
	// Unschedulable: it cannot have all the slots it must have.
	Unschedulable bool
	// Short counts the slots that stay empty.
	Short int
}

// Host is one cell.
type Host struct {
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
	// Reason is one sentence, or empty.
	Reason string
}

// Of makes a picture's input from a placement.
//
// Without Options.RackKey the rack is the topology key that most roles name; of two named equally often
// the one that comes first in a role, which is the widest. A key that tells every host from every
// other (a host name) is no rack while there is another. Without Options.RowKey the row is a key that
// some role names before the rack, the most frequent one, or none.
func Of(p *schedule.Placement, options Options) Site {
	site := Site{Name: options.Name, RackKey: options.RackKey, RowKey: options.RowKey}
	if site.RackKey == "" {
		site.RackKey = rackKey(p)
	}
	if site.RowKey == "" {
		site.RowKey = rowKey(p, site.RackKey)
	}
	site.Notes = append(site.Notes, options.WhatIf...)
	for i := range p.Shortages {
		site.Notes = append(site.Notes, sentence.Shortage(&p.Shortages[i]))
	}

	tenants := map[schedule.ClusterKey]int{}
	standby, troubles, changes := map[string]bool{}, map[string]bool{}, map[string]string{}
	for i := range p.Clusters {
		c := &p.Clusters[i]
		tenant := Tenant{Name: c.Key.String(), Gone: c.Gone, Unschedulable: c.Unschedulable}
		for j := range c.Roles {
			tenant.Short += c.Roles[j].ShortActive + c.Roles[j].ShortStandby
			for k := range c.Roles[j].Assigned {
				a := &c.Roles[j].Assigned[k]
				standby[a.Host.Key()] = a.Standby
				_, marked := a.Trouble.(schedule.MarkedForRemoval)
				troubles[a.Host.Key()] = a.Trouble != nil && !marked
				changes[a.Host.Key()] = strings.Join(sentence.Changes(a), "; ")
			}
		}
		tenants[c.Key] = i
		site.Tenants = append(site.Tenants, tenant)
	}
	for i := range p.Hosts {
		line := &p.Hosts[i]
		host := Host{
			Name: line.Host.Key(), Verdict: line.Verdict, Tenant: -1, Role: line.Role,
			Standby: standby[line.Host.Key()], Failed: troubles[line.Host.Key()], Reason: sentence.Reason(line.Reason),
		}
		if change := changes[host.Name]; change != "" {
			host.Reason = change + "; " + host.Reason
		}
		if site.RackKey != "" {
			host.Rack = line.Host.Labels[site.RackKey]
		}
		if site.RowKey != "" {
			host.Row = line.Host.Labels[site.RowKey]
		}
		if tenant, found := tenants[line.Cluster]; found {
			host.Tenant = tenant
		}
		site.Hosts = append(site.Hosts, host)
	}
	slices.SortFunc(site.Hosts, func(a, b Host) int { return natural(a.Name, b.Name) })
	return site
}

func rackKey(p *schedule.Placement) string {
	type use struct {
		key          string
		roles, depth int
		single       bool
	}
	var uses []use
	for i := range p.Clusters {
		for j := range p.Clusters[i].Roles {
			for depth, key := range p.Clusters[i].Roles[j].TopologyKeys {
				at := slices.IndexFunc(uses, func(u use) bool { return u.key == key })
				if at < 0 {
					uses = append(uses, use{key: key, depth: depth, single: single(p, key)})
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
		return cmp.Or(compareBool(a.single, b.single), cmp.Compare(b.roles, a.roles), cmp.Compare(a.depth, b.depth), cmp.Compare(a.key, b.key))
	})
	return best.key
}

// single says that no two hosts share a value of the key.
func single(p *schedule.Placement, key string) bool {
	seen := map[string]bool{}
	for i := range p.Hosts {
		if value := p.Hosts[i].Host.Labels[key]; value != "" {
			if seen[value] {
				return false
			}
			seen[value] = true
		}
	}
	return true
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
	return best
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
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
