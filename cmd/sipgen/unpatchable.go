package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/airshipit/sipgen/internal/holdings"
	"github.com/airshipit/sipgen/internal/preflight"
	"github.com/airshipit/sipgen/internal/redact"
	"github.com/airshipit/sipgen/internal/tenancy"
	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/schedule"
)

// leaveAlone notes the hosts of which no patch may be written, and the clusters whose services are another controller's.
func (l *loaded) leaveAlone() {
	//guard: one annotation on one host refuses everybody's run
	l.unpatchable = preflight.Unpatchable(l.site.Spec.Engine, l.site.Spec.Hosts.Apply, l.hosts.Hosts)
	for i := range l.hosts.Hosts {
		host := &l.hosts.Hosts[i]
		if found := l.unpatchable[host.Key()]; len(found) > 0 {
			host.Faults = append(slices.Clone(host.Faults), inventory.Fault{Kind: inventory.FaultPatch, Text: redact.Text(text.Line(found[0].Found + ": " + found[0].Why))})
		}
	}
	for _, found := range preflight.Services(l.site.Spec.Engine, l.clusters, l.services) {
		namespace, name, _ := strings.Cut(found.Cluster, "/")
		//guard: a tenant makes a Deployment with a controller's name in its own namespace, and everybody's run is refused
		l.findings = append(l.findings, finding{cluster: schedule.ClusterKey{Namespace: namespace, Name: name}, err: fmt.Errorf("%s", found)})
	}
}

// leaveAlone freezes the clusters that hold hosts of which no patch may be written: all their patches stay as the tree has them. Of a cluster that
// is gone the others are released, and such a host waits; that is a finding too.
func (s *settled) leaveAlone(l *loaded, held tenancy.Holdings) {
	if len(l.unpatchable) == 0 {
		return
	}
	stays := map[schedule.ClusterKey]bool{}
	for i := range s.clusters {
		stays[keyOf(&s.clusters[i])] = !s.clusters[i].Leaves()
	}
	for _, host := range slices.Sorted(maps.Keys(l.unpatchable)) {
		namespace, name, _ := strings.Cut(host, "/")
		h := held.All.Find(schedule.HostKey{Namespace: namespace, Name: name})
		if h == nil {
			continue
		}
		for _, found := range l.unpatchable[host] {
			switch {
			case h.State == holdings.Held && stays[h.Cluster]:
				//guard: a cluster changes around a host of which no patch may be written, and nothing says so
				s.freeze(h.Cluster, fmt.Errorf("%s", found))
			//guard: a release waits, and the run ends as if all were done
			case h.State == holdings.Held:
				s.lost = append(s.lost, finding{cluster: h.Cluster, err: fmt.Errorf("%s: its release waits: %s", h.Cluster, found)})
			//guard: a host is released by a patch that an engine would harm it with, and nothing says so
			case h.State == holdings.Leaving:
				s.lost = append(s.lost, finding{cluster: h.Cluster, err: fmt.Errorf("the release of a host continues with the patch that is already in the tree, because sipgen may not write a new one: %s", found)})
			}
		}
	}
}
