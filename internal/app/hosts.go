package app

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/admit"
	"github.com/airshipit/sipgen/internal/finding"
	"github.com/airshipit/sipgen/internal/holdings"
	"github.com/airshipit/sipgen/internal/preflight"
	"github.com/airshipit/sipgen/internal/redact"
	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/inventory"
)

// OfTheSite removes the hosts of other namespaces, as the live inventory does. A removed host whose document has no
// namespace is reported: it may be a held host of the site. others are the hosts with another namespace,
// "namespace/name".
func OfTheSite(site *v1alpha1.Site, all *inventory.Inventory) (_ *inventory.Inventory, others []string, _ error) {
	want := site.Spec.Hosts.Namespaces
	if len(want) == 0 {
		return all, nil, nil
	}
	kept := *all
	kept.Hosts, kept.LeftOut = make([]inventory.Host, 0, len(all.Hosts)), slices.Clone(all.LeftOut)
	for _, host := range all.Hosts {
		switch {
		case slices.Contains(want, host.Namespace):
			kept.Hosts = append(kept.Hosts, host)
		case host.NoNamespace:
			kept.LeftOut = append(kept.LeftOut, inventory.LeftOut{
				Source: host.Source, Field: "metadata.namespace", Text: "missing, so host " + host.Name + " is not in " +
					strings.Join(want, " or ") + " (the Site's spec.hosts.namespaces)",
			})
		default:
			others = append(others, host.Key())
		}
	}
	if len(kept.Hosts) == 0 && len(all.Hosts) > 0 {
		return nil, nil, fmt.Errorf("site %s: spec.hosts.namespaces: no host in %s, the inventory has hosts in %s",
			site.Name, strings.Join(want, ", "), strings.Join(namespacesOf(all.Hosts), ", "))
	}
	return &kept, others, nil
}

// OthersWords reports hosts of other namespaces that were left out. That may be intended: sites may share a folder of
// hosts.
func (l *Loaded) OthersWords() string {
	if len(l.others) == 0 {
		return ""
	}
	const most = 5
	var namespaces []string
	for _, host := range l.others {
		namespace, _, _ := strings.Cut(host, "/")
		namespaces = append(namespaces, namespace)
	}
	slices.Sort(namespaces)
	if namespaces = slices.Compact(namespaces); len(namespaces) > most {
		namespaces = append(namespaces[:most], "...")
	}
	return redact.Sprintf("left out: %s in %s, not in the site's namespaces (spec.hosts.namespaces: %s)",
		text.Count(len(l.others), "host"), strings.Join(namespaces, ", "),
		strings.Join(l.Site.Spec.Hosts.Namespaces, ", "))
}

// namespacesOf returns the sorted namespaces of hosts.
func namespacesOf(hosts []inventory.Host) []string {
	var namespaces []string
	for i := range hosts {
		namespaces = append(namespaces, hosts[i].Namespace)
	}
	slices.Sort(namespaces)
	return slices.Compact(namespaces)
}

// nameReleased adds the namespace to each host that the Site's spec.hosts.release names without one. An ambiguous
// name and a repeated host are errors. The plan warns of a name that no host has.
func nameReleased(site *v1alpha1.Site, hosts []inventory.Host) error {
	if len(site.Spec.Hosts.Release) == 0 {
		return nil
	}
	called := map[string][]string{} // by name
	for i := range hosts {
		if key := hosts[i].Key(); !slices.Contains(called[hosts[i].Name], key) {
			called[hosts[i].Name] = append(called[hosts[i].Name], key)
		}
	}
	var errs []error
	first := map[string]string{}
	for i := range site.Spec.Hosts.Release {
		release := &site.Spec.Hosts.Release[i]
		for j, host := range release.Hosts {
			field := fmt.Sprintf("spec.hosts.release[%d].hosts[%d]", i, j)
			if candidates := called[host]; !strings.Contains(host, "/") && len(candidates) > 0 {
				if len(candidates) > 1 {
					slices.Sort(candidates)
					errs = append(errs, fmt.Errorf("site %s: %s: %q is the name of several hosts, want one of %s",
						site.Name, field, host, strings.Join(candidates, ", ")))
					continue
				}
				host = candidates[0]
			}
			if first[host] != "" {
				errs = append(errs, fmt.Errorf("site %s: %s: %s is a duplicate of %s", site.Name, field, host, first[host]))
				continue
			}
			first[host], release.Hosts[j] = field, host
		}
	}
	return errors.Join(errs...)
}

// leaveAlone records the unpatchable hosts, and the clusters whose services belong to another controller.
func (l *Loaded) leaveAlone() {
	l.Unpatchable = preflight.Unpatchable(l.Site, l.Hosts.Hosts)
	for i := range l.Hosts.Hosts {
		host := &l.Hosts.Hosts[i]
		if found := l.Unpatchable[host.Key()]; len(found) > 0 {
			host.Faults = append(slices.Clone(host.Faults), inventory.Fault{Kind: inventory.FaultPatch,
				Text: redact.Text(text.Line(found[0].Message))})
		}
	}
	for _, found := range preflight.Services(l.Site.Spec.Engine, l.Clusters, l.objects.services.found) {
		l.Problems = append(l.Problems, admit.Problems(finding.Unpatchable, holdings.ClusterNamed(found.Cluster),
			errors.New(found.Sentence()))...)
	}
}
