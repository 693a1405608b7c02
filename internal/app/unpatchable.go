package app

import (
	"errors"
	"slices"
	"strings"

	"github.com/airshipit/sipgen/internal/admit"
	"github.com/airshipit/sipgen/internal/finding"
	"github.com/airshipit/sipgen/internal/preflight"
	"github.com/airshipit/sipgen/internal/redact"
	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/schedule"
)

// leaveAlone notes the hosts of which no patch may be written, and the clusters whose services are another controller's.
func (l *Loaded) leaveAlone() {
	//guard: one annotation on one host refuses everybody's run
	l.Unpatchable = preflight.Unpatchable(l.Site.Spec.Engine, l.Site.Spec.Hosts.Apply, l.Hosts.Hosts)
	for i := range l.Hosts.Hosts {
		host := &l.Hosts.Hosts[i]
		if found := l.Unpatchable[host.Key()]; len(found) > 0 {
			host.Faults = append(slices.Clone(host.Faults), inventory.Fault{Kind: inventory.FaultPatch, Text: redact.Text(text.Line(found[0].Message))})
		}
	}
	for _, found := range preflight.Services(l.Site.Spec.Engine, l.Clusters, l.services) {
		namespace, name, _ := strings.Cut(found.Cluster, "/")
		//guard: a tenant makes a Deployment with a controller's name in its own namespace, and everybody's run is refused
		l.Problems = append(l.Problems, admit.Problem{Cluster: schedule.ClusterKey{Namespace: namespace, Name: name}, Code: finding.Unpatchable, Err: errors.New(found.Sentence())})
	}
}
