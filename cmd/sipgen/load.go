package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/admit"
	"github.com/airshipit/sipgen/internal/finding"
	"github.com/airshipit/sipgen/internal/lint"
	"github.com/airshipit/sipgen/internal/netplan"
	"github.com/airshipit/sipgen/internal/preflight"
	"github.com/airshipit/sipgen/internal/tenancy"
	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/inventory/files"
)

// loaded is everything a placement is decided from, but the tree that was there before.
type loaded struct {
	site     *v1alpha1.Site
	clusters []v1.SIPCluster
	hosts    *inventory.Inventory
	// secrets are the Secrets beside the specs, "namespace/name".
	secrets []string
	// hostNamespaces have hosts, those that are not the site's too. Sorted.
	hostNamespaces []string
	// others are the hosts in files that have a namespace which is not the site's, "namespace/name".
	others []string
	// live: the hosts were read from the cluster by this run.
	live bool
	// tenants say who may ask for what. nil without a site.
	tenants *tenancy.Tenants
	// problems are what is wrong with single specs and files. Those clusters are frozen.
	problems []admit.Problem
	// empty are the files of specs with nothing in them.
	empty []admit.Problem
	// written says which file each cluster was read from, as package tenancy names files.
	written tenancy.Files
	// hostsInSpecs is how many BareMetalHosts are among the specs.
	hostsInSpecs int
	// inTree writes the paths of specs as they may stand in the tree.
	inTree *strings.Replacer
	// leftOut are hosts that a question took out of the inventory: nobody is warned that they are not in it.
	leftOut []inventory.Host
	// guards are in force on the cluster that the hosts were read from; unguarded says why they could not be read.
	guards    []inventory.GuardBinding
	unguarded error
	// network is everything that has an address, a port or a MAC address, and what of it is at odds.
	network *netplan.Plan
	// services are the live Deployments and Services with names like those of tenants' services, where a cluster asks for any; unseen says why
	// they could not be read.
	services []inventory.ServiceObject
	unseen   error
	// unpatchable is why no patch of a host may be written, by host, where the run goes on without.
	unpatchable map[string][]finding.Finding
	// hostKeys are Secrets that the first sync over the SIP operator's jump hosts needs, and finalized SIPClusters that only it let go; left says
	// why one of the two could not be read.
	hostKeys  []inventory.SecretSeen
	finalized []inventory.Finalized
	left      error
	// built are the tenants' services that this run has built.
	built *serviceBuilds
}

// load reads all inputs, and reports what is wrong with any of them and between them. What is wrong with one
// tenant's specs is in problems and not in the error.
func (in *inputs) load(ctx context.Context, ui *ui) (*loaded, error) {
	l, err := in.read(ctx, ui)
	if l == nil {
		return nil, err
	}
	in.warnUnused(ui, l)
	if l.site != nil {
		for _, warning := range l.site.Warnings {
			ui.warn("%s", warning)
		}
	}
	for i := range l.clusters {
		for _, warning := range l.clusters[i].Warnings() {
			ui.warn("%s", l.clusters[i].Problem(warning.Path, "%s", warning.Message))
		}
	}
	for _, file := range l.empty {
		ui.warn("%s", file.Err)
	}
	if l.hosts != nil {
		for _, note := range l.hosts.Notes {
			ui.warn("%s", note)
		}
		for _, object := range l.hosts.LeftOut {
			ui.warn("%s: %s: %s: no host is made of it", object.Source, object.Field, object.Text)
		}
		//guard: who plans is not told of a BMC's address that metal3 cannot read
		warnUnmanageable(ui, l.hosts.Hosts)
		//guard: two files define the same hosts, and nobody is told which
		warnTwice(ui, l.hosts.Hosts)
	}
	if l.tenants != nil {
		l.problems = append(l.problems, l.beyondGrants()...)
	}
	return l, err
}

// mostUnmanageable bounds how many hosts with a BMC or MAC address that cannot be are warned of; sipgen lint has them all.
const mostUnmanageable = 5

func warnUnmanageable(ui *ui, hosts []inventory.Host) {
	var lines []string
	for _, f := range (lint.Input{Hosts: hosts}).Unmanageable() {
		lines = append(lines, f.String())
	}
	for _, line := range finding.Fold(lines, mostUnmanageable, "unusable BMC and MAC addresses; sipgen lint shows them") {
		ui.warn("%s", line)
	}
}

// warnTwice says which files define the same hosts, which the plan cannot say: it is the same wherever the files are.
func warnTwice(ui *ui, hosts []inventory.Host) {
	type pair struct{ one, other string }
	var pairs []pair
	first, count := map[pair]string{}, map[pair]int{}
	for i := range hosts {
		for _, fault := range hosts[i].Faults {
			if fault.Kind != inventory.FaultTwice || fault.Other == "" {
				continue
			}
			one, _, _ := strings.Cut(hosts[i].Source, ": document ")
			other, _, _ := strings.Cut(fault.Other, ": document ")
			p := pair{min(one, other), max(one, other)}
			if count[p]++; count[p] == 1 {
				pairs = append(pairs, p)
				first[p] = fmt.Sprintf("%s (%s, and %s)", hosts[i].Key(), hosts[i].Source, fault.Other)
			}
		}
	}
	var lines []string
	for _, p := range pairs {
		both := p.one + " and " + p.other + " both define"
		if p.one == p.other {
			both = p.one + " defines twice"
		}
		lines = append(lines, fmt.Sprintf("%s %s, the first of them %s: keep one definition of each", both, text.Count(count[p], "host"), first[p]))
	}
	for _, line := range finding.Fold(lines, mostUnmanageable, "pairs of files define the same hosts; sipgen lint shows them") {
		ui.warn("%s", line)
	}
}

// clashes are what clusters ask for that is another's.
func (l *loaded) clashes() (out []string) {
	ports := l.site.Spec.NodePorts
	for _, clash := range v1.ValidateSite(l.clusters, ports.Start, ports.End) {
		out = append(out, clash.Cluster.Problem(clash.Path, "%s", clash.Message).Error())
	}
	return out
}

// read reads all inputs, each valid by itself. With an error it gives what could be read; nil if nothing was tried.
func (in *inputs) read(ctx context.Context, ui *ui) (*loaded, error) {
	if err := in.checkStdin(); err != nil {
		return nil, err
	}
	defer ui.progress.stage("reading specs and hosts")()
	site, siteErr := in.loadSite(ui)
	if err := in.checkGiven(); err != nil {
		if site == nil { // which may name them
			return nil, siteErr
		}
		return nil, err
	}
	specs, specsErr := in.loadSpecs(ctx, ui, site)
	if site != nil {
		site, siteErr = site.Complete(specs.manifests)
	}
	hosts, hostsErr := in.loadHosts(ctx, ui, site, specs.valid())
	l := &loaded{site: site, secrets: specs.secrets, hosts: hosts, live: in.inventory == fromCluster, built: &serviceBuilds{}}
	if hosts != nil {
		l.hostNamespaces = namespacesOf(hosts.Hosts)
	}
	if site != nil {
		l.tenants = tenancy.Of(site, l.hostNamespaces)
	}
	l.take(specs)
	l.hostsInSpecs = specs.hosts
	if specsErr == nil && len(l.clusters)+len(l.problems) == 0 && specs.files {
		switch {
		case len(specs.sites) > 0:
			specsErr = fmt.Errorf("%s: no %s %s in it, but a Site in %s: --site is for the Site, and --filename for specs",
				strings.Join(in.specs, " "), v1.APIVersion, v1.Kind, strings.Join(specs.sites, " "))
		case specs.hosts > 0:
			specsErr = fmt.Errorf("%s: no %s %s in it, but %s: --filename is for specs, and --inventory for hosts",
				strings.Join(in.specs, " "), v1.APIVersion, v1.Kind, text.Count(specs.hosts, "BareMetalHost"))
		}
	}
	if l.live && hosts != nil {
		l.guards, l.unguarded = in.liveGuards(ctx)
		if slices.ContainsFunc(l.clusters, func(c v1.SIPCluster) bool { return len(preflight.ServiceNames(&c)) > 0 }) {
			l.services, l.unseen = in.liveServices(ctx)
		}
		l.hostKeys, l.finalized, l.left = in.liveLeftovers(ctx, l.clusters, l.services)
	}
	if err := errors.Join(siteErr, specsErr, hostsErr); err != nil {
		return l, err
	}
	var err error
	if l.hosts, l.others, err = ofTheSite(site, hosts); err != nil {
		return l, err
	}
	if err := nameReleased(site, l.hosts.Hosts); err != nil {
		return l, err
	}
	inventory.Conflicts(l.hosts.Hosts)
	l.network = netplan.Of(site, l.clusters, l.hosts.Hosts)
	//guard: a host is handed out that has an address which Ironic gives to another machine
	l.network.Faults(l.hosts.Hosts)
	l.leaveAlone()
	return l, nil
}

// loadSite reads the Site, and takes from it what the command line leaves open.
func (in *inputs) loadSite(ui *ui) (*v1alpha1.Site, error) {
	site, err := v1alpha1.Load(in.site, ui.in)
	if errors.Is(err, fs.ErrNotExist) {
		err = &noSiteError{err}
	}
	in.fromSite(site)
	return site, err
}

// noSiteError is a Site's file that is not there.
type noSiteError struct{ err error }

func (e *noSiteError) Error() string { return e.err.Error() }
func (e *noSiteError) Unwrap() error { return e.err }

// loadHosts reads the hosts from files, standard input or the live cluster. The live ones are read as the site says: without a site,
// whose own problem is reported, there are none.
func (in *inputs) loadHosts(ctx context.Context, ui *ui, site *v1alpha1.Site, clusters []v1.SIPCluster) (*inventory.Inventory, error) {
	switch {
	case in.inventory != fromCluster:
		hosts, err := files.Load([]string{in.inventory}, ui.in)
		return hosts, in.missingOf(err, in.inventoryOfSite, "spec.inputs.inventory", "SIPGEN_INVENTORY", in.inventory)
	case site == nil:
		return nil, nil
	case in.allAddresses:
		return in.liveHosts(ctx, site, nil, time.Now())
	}
	return in.liveHosts(ctx, site, append([]v1.SIPCluster{}, clusters...), time.Now())
}
