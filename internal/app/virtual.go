package app

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/airshipit/sipgen/internal/holdings"
	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/render/site/virtualhosts"
	"github.com/airshipit/sipgen/schedule"
)

// loseVirtualHosts counts, for the brake, the hosts that ViNO made for the previous tree and is no longer asked for.
// Hosts that a cluster loses otherwise are counted already. A host that stays keeps its address, whatever the preview
// of a new ViNO shows.
func (p *Planned) loseVirtualHosts() {
	was := virtualhosts.Hosts(p.Before.Files)
	if len(was) == 0 {
		return
	}
	files, err := virtualhosts.Files(p.Loaded.Site)
	if err != nil {
		return // there is no tree
	}
	is := virtualhosts.Hosts(files)
	counted, claimed := p.counted(), p.claimed()
	for _, name := range slices.Sorted(maps.Keys(was)) {
		namespace, host, _ := strings.Cut(name, "/")
		key := schedule.HostKey{Namespace: namespace, Name: host}
		if !claimed[key] {
			p.loss.Claimed++ // the base of the percentage
		}
		if _, stays := is[name]; !stays && !counted[key] {
			p.loss.Virtual = append(p.loss.Virtual, key)
		}
	}
	slices.SortFunc(p.loss.Virtual, func(a, b schedule.HostKey) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
}

// counted returns the hosts that the loss has already.
func (p *Planned) counted() map[schedule.HostKey]bool {
	counted := map[schedule.HostKey]bool{}
	for _, hosts := range [][]schedule.HostKey{p.loss.Missing, p.loss.Outside, p.loss.Recreated,
		p.loss.Moved, p.loss.Released, p.loss.Virtual} {
		for _, host := range hosts {
			counted[host] = true
		}
	}
	return counted
}

func (p *Planned) claimed() map[schedule.HostKey]bool {
	claimed := map[schedule.HostKey]bool{}
	for i := range p.Placement.Holdings.Hosts {
		h := &p.Placement.Holdings.Hosts[i]
		claimed[holdings.KeyOf(h.Host)] = h.State == holdings.Held
	}
	return claimed
}

// remakeVirtualHosts counts, for the brake, the existing hosts that ViNO recreates or gives other addresses, because
// a network of their Vino differs from the previous tree's. It warns of any number of them.
func (p *Planned) remakeVirtualHosts() {
	p.remade = nil
	listed := virtualhosts.Hosts(p.Before.Files)
	counted, claimed := p.counted(), p.claimed()
	for n := range p.Loaded.Site.Spec.Services.VirtualHosts {
		v := &p.Loaded.Site.Spec.Services.VirtualHosts[n]
		why := virtualhosts.Remade(v, p.Before.Files)
		if len(why) == 0 {
			continue
		}
		hosts := 0
		for i := range p.Loaded.Hosts.Hosts {
			h := &p.Loaded.Hosts.Hosts[i]
			key := holdings.KeyOf(h)
			if !virtualhosts.Made(v, h.Namespace, h.Name) {
				continue
			}
			hosts++
			if _, known := listed[h.Key()]; !known && !claimed[key] {
				p.loss.Claimed++ // the base of the percentage
			}
			if !counted[key] {
				counted[key] = true
				p.loss.Remade = append(p.loss.Remade, key)
			}
		}
		if hosts > 0 {
			p.remade = append(p.remade, fmt.Sprintf("Vino %s has changed (%s): ViNO recreates its %s, "+
				"or gives their addresses to others; what runs on them may be lost",
				v.Key(), strings.Join(why, "; "), text.Count(hosts, "host")))
		}
	}
}
