package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/airshipit/sipgen/internal/holdings"
	"github.com/airshipit/sipgen/internal/report/sentence"
	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/internal/vino"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/render/site/virtualhosts"
	"github.com/airshipit/sipgen/schedule"
)

// notThereYet are the hosts that ViNO will make of the site's Vinos, without those that are in the inventory already. They have no uid, so that
// nothing can be rendered for them.
func (l *loaded) notThereYet() []inventory.Host {
	known := map[string]bool{}
	for i := range l.hosts.Hosts {
		known[l.hosts.Hosts[i].Key()] = true
	}
	var out []inventory.Host
	for n := range l.site.Spec.Services.VirtualHosts {
		v := &l.site.Spec.Services.VirtualHosts[n]
		preview, _ := vino.Of(v) // what runs short is an error of the rendering
		for i := range preview.Hosts {
			h := &preview.Hosts[i]
			host := inventory.Host{
				Namespace: h.Namespace, Name: h.Name, Labels: h.Labels, BMC: inventory.BMC{Address: h.BMC}, BootMAC: h.BootMAC,
				Source: "Vino " + v.Key(), Warnings: []string{"does not exist yet: ViNO will create it"},
			}
			for _, iface := range h.Interfaces {
				host.Addresses = append(host.Addresses, inventory.Address{Network: iface.Network, IP: iface.IP, Origin: inventory.FromNetworkData})
			}
			if !known[host.Key()] {
				known[host.Key()] = true
				out = append(out, host)
			}
		}
	}
	return out
}

// addVirtualHosts plans with the hosts that are not there yet.
func (s *supposed) addVirtualHosts() {
	more := s.notThereYet()
	hosts := *s.hosts
	hosts.Hosts = append(slices.Clone(hosts.Hosts), more...)
	inventory.Sort(hosts.Hosts)
	s.hosts = &hosts
	switch {
	case len(s.site.Spec.Services.VirtualHosts) == 0:
		s.lines = append(s.lines, "the Site asks for no virtual hosts (spec.services.virtualHosts)")
	case len(more) == 0:
		s.lines = append(s.lines, "all virtual hosts of the Site are in the inventory already")
	default:
		s.lines = append(s.lines, fmt.Sprintf("with %s not there yet: ViNO will create %s", text.Plural(len(more), "virtual host that is", "virtual hosts that are"), sentence.Verb(len(more), "it", "them")))
	}
}

// loseVirtualHosts counts, for the brake, the hosts that the tree before has ViNO make, and that it is asked for no more. Those that a cluster loses
// otherwise are counted already. A host that stays keeps its address, whatever the preview says of a ViNO that begins anew.
func (d *decided) loseVirtualHosts() {
	was := virtualhosts.Hosts(d.before.files)
	if len(was) == 0 {
		return
	}
	files, err := virtualhosts.Files(d.site)
	if err != nil {
		return // there will be no tree
	}
	is := virtualhosts.Hosts(files)
	counted, claimed := d.counted(), d.claimed()
	for _, name := range slices.Sorted(maps.Keys(was)) {
		namespace, host, _ := strings.Cut(name, "/")
		key := schedule.HostKey{Namespace: namespace, Name: host}
		if !claimed[key] {
			d.loss.Claimed++ // what the share is of
		}
		if _, stays := is[name]; !stays && !counted[key] {
			d.loss.Virtual = append(d.loss.Virtual, key)
		}
	}
	slices.SortFunc(d.loss.Virtual, func(a, b schedule.HostKey) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
}

// counted are the hosts that the loss has already.
func (d *decided) counted() map[schedule.HostKey]bool {
	counted := map[schedule.HostKey]bool{}
	for _, hosts := range [][]schedule.HostKey{d.loss.Missing, d.loss.Anew, d.loss.Foreign, d.loss.Moved, d.loss.Replaced, d.loss.Released, d.loss.Virtual} {
		for _, host := range hosts {
			counted[host] = true
		}
	}
	return counted
}

func (d *decided) claimed() map[schedule.HostKey]bool {
	claimed := map[schedule.HostKey]bool{}
	for i := range d.placement.Holdings.Hosts {
		h := &d.placement.Holdings.Hosts[i]
		claimed[schedule.HostKey{Namespace: h.Host.Namespace, Name: h.Host.Name}] = h.State == holdings.Held
	}
	return claimed
}

// remakeVirtualHosts counts, for the brake, the hosts that are there and that ViNO makes anew, or gives other addresses, because a network of their
// Vino is another one than in the tree before. It is said in any case, however few they are.
func (d *decided) remakeVirtualHosts() {
	listed := virtualhosts.Hosts(d.before.files)
	counted, claimed := d.counted(), d.claimed()
	for n := range d.site.Spec.Services.VirtualHosts {
		v := &d.site.Spec.Services.VirtualHosts[n]
		why := virtualhosts.Remade(v, d.before.files)
		if len(why) == 0 {
			continue
		}
		hosts := 0
		for i := range d.hosts.Hosts {
			h := &d.hosts.Hosts[i]
			key := schedule.HostKey{Namespace: h.Namespace, Name: h.Name}
			if !virtualhosts.Made(v, h.Namespace, h.Name) {
				continue
			}
			hosts++
			if _, known := listed[h.Key()]; !known && !claimed[key] {
				d.loss.Claimed++ // what the share is of
			}
			if !counted[key] {
				counted[key] = true
				d.loss.Remade = append(d.loss.Remade, key)
			}
		}
		if hosts > 0 {
			d.report.Warnings = append(d.report.Warnings, fmt.Sprintf("Vino %s has changed (%s): ViNO re-creates its %s, or gives their addresses to others; what runs on them may be lost",
				v.Key(), strings.Join(why, "; "), text.Count(hosts, "host")))
		}
	}
}
