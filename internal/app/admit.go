package app

import (
	"errors"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/admit"
	"github.com/airshipit/sipgen/internal/finding"
	"github.com/airshipit/sipgen/internal/holdings"
	"github.com/airshipit/sipgen/schedule"
)

// Admitted is the served and the frozen clusters, before anything is placed.
type Admitted struct {
	Loaded *Loaded
	Before Before
	// Clusters are the served clusters, and those that keep what they have, including frozen ones without a readable
	// spec.
	Clusters *admit.Clusters
}

// Admit decides which clusters are served, with the decisions of the previous tree. A tree that is not sealed has
// none.
func Admit(l *Loaded, before Before) (*Admitted, error) {
	claims, err := before.Previous(l.Site)
	if err = errors.Join(err, before.Unsealed); err != nil {
		return nil, err
	}
	options := Options(l.Site)
	options.LabelsNewer = l.labelsNewer(before)
	if l.older(before) {
		l, options.Old = l.asOfTree(claims.Claims, &options), true
	}
	clusters := admit.Of(admit.Input{
		Site: l.Site, Clusters: l.Clusters, Problems: slices.Concat(l.Problems, l.beyondGrants(), before.tampered()),
		Hosts: l.Hosts.Hosts, Tenants: l.Tenants, Network: l.Network,
		Unpatchable: l.Unpatchable, Tree: before.Files, Claims: claims, Options: options, Files: l.Written,
	})
	return &Admitted{l, before, clusters}, nil
}

// beyondGrants returns the clusters whose specs ask for more than their grants. Invalid values are skipped: they must
// not be repeated.
func (l *Loaded) beyondGrants() []admit.Problem {
	var out []admit.Problem
	type field struct {
		object finding.Ref
		path   string
	}
	wrong := map[field]bool{}
	for i := range l.Problems {
		wrong[field{l.Problems[i].Object, l.Problems[i].Field}] = true
	}
	for i := range l.Clusters {
		c := &l.Clusters[i]
		if c.Leaves() || slices.Contains(l.Site.Spec.Decommission, c.Key()) || !schedule.KeyOf(c).Valid() {
			continue
		}
		out = append(out, slices.DeleteFunc(admit.BeyondGrants(l.Tenants, c), func(p admit.Problem) bool {
			return wrong[field{p.Object, p.Field}]
		})...)
	}
	return out
}

// Options returns the site's choices for a placement.
func Options(site *v1alpha1.Site) schedule.Options {
	release := map[schedule.HostKey]schedule.ClusterKey{}
	for _, asked := range site.Spec.Hosts.Release {
		for _, host := range asked.Hosts {
			in, called, full := strings.Cut(host, "/")
			if !full { // no host has the name, else nameReleased had added its namespace
				in, called = "", host
			}
			release[schedule.HostKey{Namespace: in, Name: called}] = holdings.ClusterNamed(asked.Cluster)
		}
	}
	return schedule.Options{
		Release: release, Networks: site.HostNetworks(), Spaces: site.HostSpaces(), Reserved: reserved(site),
		Namespaces:      site.Spec.Hosts.Namespaces,
		Keys:            holdings.LabelKeys(site.Spec.LabelKeys),
		StandbyRequired: site.Spec.Scheduling.Standby == "required",
	}
}

// reserved returns the hosts that the Site reserves.
func reserved(site *v1alpha1.Site) (out []schedule.Reservation) {
	for i := range site.Spec.Hosts.Reserved {
		r := &site.Spec.Hosts.Reserved[i]
		selector, err := metav1.LabelSelectorAsSelector(r.Selector)
		if err != nil {
			continue // refused where the Site is validated
		}
		one := schedule.Reservation{Name: r.Name, Selector: selector, Tenants: r.Tenants, Count: r.Count,
			Namespaces: map[string]bool{}}
		for j := range site.Spec.Tenants {
			if t := &site.Spec.Tenants[j]; slices.Contains(r.Tenants, t.Name) {
				for _, namespace := range t.Namespaces {
					one.Namespaces[namespace] = true
				}
			}
		}
		out = append(out, one)
	}
	return out
}
