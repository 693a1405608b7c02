package app

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/airshipit/sipgen/api/v1alpha1"
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

// breakVirtualHosts counts, for the brake, the existing hosts of Vinos that end, or whose change takes libvirt and the BMC
// from machines or defines them otherwise. The report names them, those in use first.
func (p *Planned) breakVirtualHosts() (dangers []string) {
	for n := range p.Loaded.Site.Spec.Services.VirtualHosts {
		v := &p.Loaded.Site.Spec.Services.VirtualHosts[n]
		if why := virtualhosts.Broken(v, p.Before.Files); len(why) > 0 {
			dangers = p.breakHosts(dangers, v, "has changed ("+strings.Join(why, "; ")+
				"): machines may lose libvirt and their BMC, or get other addresses than their hosts")
		}
	}
	for _, v := range virtualhosts.Ended(p.Loaded.Site, p.Before.Files) {
		dangers = p.breakHosts(dangers, &v, "ends: its machines lose libvirt and their BMC")
	}
	return dangers
}

// breakHosts counts the hosts of one Vino, and adds the danger about them.
func (p *Planned) breakHosts(dangers []string, v *v1alpha1.VirtualHosts, does string) []string {
	listed := virtualhosts.Hosts(p.Before.Files)
	counted, claimed := p.counted(), p.claimed()
	var used, idle []string
	clusters := map[string]bool{}
	for i := range p.Placement.Holdings.Hosts {
		h := &p.Placement.Holdings.Hosts[i]
		key := holdings.KeyOf(h.Host)
		if !virtualhosts.Made(v, h.Host.Namespace, h.Host.Name) {
			continue
		}
		if h.State == holdings.Held {
			clusters[h.Cluster.String()] = true
		}
		if holdings.Use(h.Host) != "" {
			used = append(used, key.String())
		} else {
			idle = append(idle, key.String())
		}
		if _, known := listed[key.String()]; !known && !claimed[key] {
			p.loss.Claimed++ // the base of the percentage
		}
		if !counted[key] {
			p.loss.Remade = append(p.loss.Remade, key)
		}
	}
	if len(used)+len(idle) == 0 {
		return dangers
	}
	words := fmt.Sprintf("Vino %s %s: %s, %d in use", v.Key(), does, text.Count(len(used)+len(idle), "host"), len(used))
	if len(clusters) > 0 {
		words += ", of " + text.Some(slices.Sorted(maps.Keys(clusters)), 10)
	}
	return append(dangers, words+": "+text.Some(append(used, idle...), 40))
}
