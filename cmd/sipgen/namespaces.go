package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/inventory"
)

// ofTheSite leaves the hosts of other namespaces out, as the live inventory does. One of which the document has no namespace is said to be left out:
// it may be a host of the site's that somebody has.
func ofTheSite(site *v1alpha1.Site, all *inventory.Inventory) (*inventory.Inventory, error) {
	want := site.Spec.Hosts.Namespaces
	if len(want) == 0 {
		return all, nil
	}
	kept := *all
	kept.Hosts, kept.LeftOut = make([]inventory.Host, 0, len(all.Hosts)), slices.Clone(all.LeftOut)
	for _, host := range all.Hosts {
		switch {
		case slices.Contains(want, host.Namespace):
			kept.Hosts = append(kept.Hosts, host)
		case host.NoNamespace:
			kept.LeftOut = append(kept.LeftOut, inventory.LeftOut{
				Source: host.Source, Field: "metadata.namespace", Text: "missing, so host " + host.Name + " is not in " + strings.Join(want, " or ") + " (the Site's spec.hosts.namespaces)",
			})
		}
	}
	if len(kept.Hosts) == 0 && len(all.Hosts) > 0 {
		return nil, fmt.Errorf("site %s: spec.hosts.namespaces: no host in %s, the inventory has hosts in %s",
			site.Name, strings.Join(want, ", "), strings.Join(namespacesOf(all.Hosts), ", "))
	}
	return &kept, nil
}

// namespacesOf are the namespaces of hosts, sorted.
func namespacesOf(hosts []inventory.Host) []string {
	var namespaces []string
	for i := range hosts {
		namespaces = append(namespaces, hosts[i].Namespace)
	}
	slices.Sort(namespaces)
	return slices.Compact(namespaces)
}
