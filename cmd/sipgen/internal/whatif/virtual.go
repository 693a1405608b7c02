package whatif

import (
	"errors"
	"fmt"
	"slices"

	"github.com/airshipit/sipgen/internal/app"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/internal/report/sentence"
	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/internal/vino"
	"github.com/airshipit/sipgen/inventory"
)

// notThereYet returns the hosts that ViNO will make of the site's Vinos, without those that are in the inventory
// already. They have no uid, so that nothing can be rendered for them. Too few addresses are the error that rendering
// has.
func notThereYet(l *app.Loaded) (out []inventory.Host, _ error) {
	var errs []error
	known := map[string]bool{}
	for i := range l.Hosts.Hosts {
		known[l.Hosts.Hosts[i].Key()] = true
	}
	for n := range l.Site.Spec.Services.VirtualHosts {
		v := &l.Site.Spec.Services.VirtualHosts[n]
		preview, short := vino.Of(v)
		if short != nil {
			errs = append(errs, short.Problem(l.Site, n, len(preview.Hosts)))
		}
		for i := range preview.Hosts {
			h := &preview.Hosts[i]
			host := inventory.Host{
				Namespace: h.Namespace, Name: h.Name, Labels: h.Labels, BMC: inventory.BMC{Address: h.BMC}, BootMAC: h.BootMAC,
				Source: manifest.Place{File: "Vino " + v.Key()}, Warnings: []string{"does not exist yet: ViNO will create it"},
			}
			for _, iface := range h.Interfaces {
				host.Addresses = append(host.Addresses, inventory.Address{Network: iface.Network, IP: iface.IP,
					Origin: inventory.FromNetworkData})
			}
			if !known[host.Key()] {
				known[host.Key()] = true
				out = append(out, host)
			}
		}
	}
	return out, errors.Join(errs...)
}

// addVirtualHosts plans with the hosts that are not there yet.
func (s *Supposed) addVirtualHosts() error {
	more, err := notThereYet(s.Site)
	if err != nil {
		return err
	}
	hosts := *s.Site.Hosts
	hosts.Hosts = append(slices.Clone(hosts.Hosts), more...)
	inventory.Sort(hosts.Hosts)
	s.Site.Hosts = &hosts
	switch {
	case len(s.Site.Site.Spec.Services.VirtualHosts) == 0:
		s.Lines = append(s.Lines, "the Site asks for no virtual hosts (spec.services.virtualHosts)")
	case len(more) == 0:
		s.Lines = append(s.Lines, "all virtual hosts of the Site are in the inventory already")
	default:
		s.Lines = append(s.Lines, fmt.Sprintf("with %s not there yet: ViNO will create %s",
			text.Plural(len(more), "virtual host that is", "virtual hosts that are"), sentence.Verb(len(more), "it", "them")))
	}
	return nil
}
