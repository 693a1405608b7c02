package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/inventory"
)

// ofTheSite leaves the hosts of other namespaces out, as the live inventory does.
func ofTheSite(site *v1alpha1.Site, all *inventory.Inventory) (*inventory.Inventory, error) {
	want := site.Spec.Hosts.Namespaces
	if len(want) == 0 {
		return all, nil
	}
	kept := *all
	kept.Hosts = make([]inventory.Host, 0, len(all.Hosts))
	for _, host := range all.Hosts {
		if slices.Contains(want, host.Namespace) {
			kept.Hosts = append(kept.Hosts, host)
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
