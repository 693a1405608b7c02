package app

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/airshipit/sipgen/internal/holdings"
	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/render/site/virtualhosts"
	"github.com/airshipit/sipgen/schedule"
)

// loseVirtualHosts counts, for the brake, the existing hosts that a Vino no longer asks for, and those whose machines a
// Vino's change or end may break. Hosts that a cluster loses otherwise are counted already. It returns a danger for
// each change.
func (p *Planned) loseVirtualHosts() (dangers []string) {
	changes := virtualhosts.Changes(p.Loaded.Site, p.Before.Files)
	base := map[schedule.HostKey]bool{}
	for i := range changes {
		c := &changes[i]
		hosts := p.hostsOf(c)
		if len(hosts) == 0 {
			continue
		}
		counted := p.counted()
		for _, h := range hosts {
			key := holdings.KeyOf(h.Host)
			if h.State != holdings.Held && !base[key] {
				base[key] = true
				p.loss.Claimed++ // the base of the percentage
			}
			switch {
			case counted[key]:
			case c.Fewer:
				p.loss.Virtual = append(p.loss.Virtual, key)
			default:
				p.loss.Remade = append(p.loss.Remade, key)
			}
		}
		dangers = append(dangers, dangerOf(c, hosts))
	}
	return dangers
}

// hostsOf returns the hosts that a change is about, those in use first, then by name.
func (p *Planned) hostsOf(c *virtualhosts.Change) []*holdings.Holding {
	var out []*holdings.Holding
	for i := range p.Placement.Holdings.Hosts {
		if h := &p.Placement.Holdings.Hosts[i]; c.Loses(h.Host.Namespace, h.Host.Name) {
			out = append(out, h)
		}
	}
	idle := func(h *holdings.Holding) int {
		if holdings.Use(h.Host) == "" {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(out, func(a, b *holdings.Holding) int {
		return cmp.Or(idle(a)-idle(b), cmp.Compare(a.Host.Key(), b.Host.Key()))
	})
	return out
}

// dangerOf returns the danger about the hosts of a change.
func dangerOf(c *virtualhosts.Change, hosts []*holdings.Holding) string {
	var names []string
	used, clusters := 0, map[string]bool{}
	for _, h := range hosts {
		names = append(names, h.Host.Key())
		if holdings.Use(h.Host) != "" {
			used++
		}
		if h.State == holdings.Held {
			clusters[h.Cluster.String()] = true
		}
	}
	words := fmt.Sprintf("Vino %s %s: %s, %d in use", c.Vino.Key(), c.Does, text.Count(len(hosts), "host"), used)
	if len(clusters) > 0 {
		words += ", of " + text.Some(slices.Sorted(maps.Keys(clusters)), 10)
	}
	return words + ": " + text.Some(names, 40)
}

// counted returns the hosts that the loss has already.
func (p *Planned) counted() map[schedule.HostKey]bool {
	counted := map[schedule.HostKey]bool{}
	for _, hosts := range [][]schedule.HostKey{p.loss.Missing, p.loss.Outside, p.loss.Recreated,
		p.loss.Moved, p.loss.Released, p.loss.Virtual, p.loss.Remade} {
		for _, host := range hosts {
			counted[host] = true
		}
	}
	return counted
}
