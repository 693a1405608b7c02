// Package app is the steps of a run: Load, Admit, Plan, Render and Check, each a function from the value before to its
// own. It prints nothing and knows no flag. A tree that Check has nothing against is written by package publish.
package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/airshipit/sipgen/api"
	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1/validation"
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

// Loaded is everything a placement is decided from, but the tree that was there before.
type Loaded struct {
	Site     *v1alpha1.Site
	Clusters []v1.SIPCluster
	Hosts    *inventory.Inventory
	// secrets are the Secrets beside the specs, "namespace/name".
	secrets []string
	// hostNamespaces have hosts, those that are not the site's too. Sorted.
	hostNamespaces []string
	// others are the hosts in files that have a namespace which is not the site's, "namespace/name".
	others []string
	// Live: the hosts were read from the cluster by this run.
	Live bool
	// Tenants say who may ask for what. nil without a site.
	Tenants *tenancy.Tenants
	// Problems are what is wrong with single specs and files. Those clusters are frozen.
	Problems []admit.Problem
	// empty are the files of specs with nothing in them.
	empty []admit.Problem
	// Written says which file each cluster was read from, as package tenancy names files.
	Written tenancy.Files
	// Unnamed are specs beside a kustomization that does not name them, and Unread the files without a spec, and
	// those that only the site may write.
	Unnamed, Unread []string
	// hostsInSpecs is how many BareMetalHosts are among the specs.
	hostsInSpecs int
	// inTree writes the paths of specs as they may stand in the tree.
	inTree *strings.Replacer
	// LeftOut are hosts that a question took out of the inventory: nobody is warned that they are not in it.
	LeftOut []inventory.Host
	// guards are in force on the cluster that the hosts were read from; unguarded says why they could not be read.
	guards    []inventory.GuardBinding
	unguarded error
	// Network is everything that has an address, a port or a MAC address, and what of it is at odds.
	Network *netplan.Plan
	// services are the live Deployments and Services with names like those of tenants' services, where a cluster asks
	// for any; unseen says why they could not be read.
	services []inventory.ServiceObject
	unseen   error
	// Unpatchable is why no patch of a host may be written, by host, where the run goes on without.
	Unpatchable map[string][]finding.Finding
	// hostKeys are Secrets that the first sync over the SIP operator's jump hosts needs, and finalized SIPClusters
	// that only it let go; left says why one of the two could not be read.
	hostKeys  []inventory.SecretSeen
	finalized []inventory.Finalized
	left      error
	// built are the tenants' services that this run has built.
	built *serviceBuilds
}

// Warnings are about inputs that are valid, and likely not what was meant.
func (l *Loaded) Warnings() (out []string) {
	if l.Site != nil {
		out = append(out, l.Site.Warnings...)
	}
	for i := range l.Clusters {
		for _, warning := range validation.Warnings(&l.Clusters[i]) {
			out = append(out, l.Clusters[i].Problem(warning.Path, "%s", warning.Message).Error())
		}
	}
	for _, file := range l.empty {
		out = append(out, file.Err.Error())
	}
	if l.Hosts == nil {
		return out
	}
	out = append(out, l.Hosts.Notes...)
	for _, object := range l.Hosts.LeftOut {
		out = append(out, fmt.Sprintf("%s: %s: %s: no host is made of it", object.Source, object.Field, object.Text))
	}
	//guard: who plans is not told of a BMC's address that metal3 cannot read
	out = append(out, unmanageable(l.Hosts.Hosts)...)
	//guard: two files define the same hosts, and nobody is told which
	return append(out, twice(l.Hosts.Hosts)...)
}

// mostUnmanageable bounds how many hosts with a BMC or MAC address that cannot be are warned of; sipgen lint has them
// all.
const mostUnmanageable = 5

func unmanageable(hosts []inventory.Host) []string {
	var lines []string
	for _, f := range (lint.Input{Hosts: hosts}).Unmanageable() {
		lines = append(lines, f.String())
	}
	return finding.Fold(lines, mostUnmanageable, "unusable BMC and MAC addresses; sipgen lint shows them")
}

// twice says which files define the same hosts, which the plan cannot say: it is the same wherever the files are.
func twice(hosts []inventory.Host) []string {
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
		lines = append(lines, fmt.Sprintf("%s %s, the first of them %s: keep one definition of each", both,
			text.Count(count[p], "host"), first[p]))
	}
	return finding.Fold(lines, mostUnmanageable, "pairs of files define the same hosts; sipgen lint shows them")
}

// Clashes are what clusters ask for that is another's.
func (l *Loaded) Clashes() (out []string) {
	ports := l.Site.Spec.NodePorts
	for _, clash := range validation.ValidateClusters(l.Clusters, ports.Start, ports.End) {
		out = append(out, clash.Cluster.Problem(clash.Path, "%s", clash.Message).Error())
	}
	return out
}

// Load reads all inputs, and reports what is wrong with any of them and between them. What is wrong with one tenant's
// specs is in Problems and not in the error. With an error it gives what could be read; nil if nothing was tried.
func Load(ctx context.Context, in *Inputs, stdin io.Reader) (*Loaded, error) {
	if err := in.checkStdin(); err != nil {
		return nil, err
	}
	site, siteErr := in.LoadSite(stdin)
	if err := in.checkGiven(); err != nil {
		if site == nil { // which may name them
			return nil, siteErr
		}
		return nil, err
	}
	specs, specsErr := in.loadSpecs(ctx, stdin, site)
	if site != nil {
		site, siteErr = api.CompleteSite(site, specs.manifests)
	}
	hosts, hostsErr := in.loadHosts(ctx, stdin, site, specs.valid())
	l := &Loaded{Site: site, secrets: specs.secrets, Hosts: hosts, Live: in.Inventory == FromCluster,
		Unnamed: specs.unnamed, Unread: specs.unread, built: &serviceBuilds{}}
	if hosts != nil {
		l.hostNamespaces = namespacesOf(hosts.Hosts)
	}
	if site != nil {
		l.Tenants = tenancy.Of(site, l.hostNamespaces)
	}
	l.take(specs)
	l.hostsInSpecs = specs.hosts
	if specsErr == nil && len(l.Clusters)+len(l.Problems) == 0 && specs.files {
		switch {
		case len(specs.sites) > 0:
			specsErr = fmt.Errorf("%s: no %s %s in it, but a Site in %s: --site is for the Site, and --filename for specs",
				strings.Join(in.Specs, " "), v1.APIVersion, v1.Kind, strings.Join(specs.sites, " "))
		case specs.hosts > 0:
			specsErr = fmt.Errorf("%s: no %s %s in it, but %s: --filename is for specs, and --inventory for hosts",
				strings.Join(in.Specs, " "), v1.APIVersion, v1.Kind, text.Count(specs.hosts, "BareMetalHost"))
		}
	}
	if l.Live && hosts != nil {
		l.guards, l.unguarded = in.liveGuards(ctx)
		if slices.ContainsFunc(l.Clusters, func(c v1.SIPCluster) bool { return len(preflight.ServiceNames(&c)) > 0 }) {
			l.services, l.unseen = in.LiveServices(ctx)
		}
		l.hostKeys, l.finalized, l.left = in.liveLeftovers(ctx, l.Clusters, l.services)
	}
	if err := errors.Join(siteErr, specsErr, hostsErr); err != nil {
		return l, err
	}
	var err error
	if l.Hosts, l.others, err = OfTheSite(site, hosts); err != nil {
		return l, err
	}
	if err := nameReleased(site, l.Hosts.Hosts); err != nil {
		return l, err
	}
	inventory.Conflicts(l.Hosts.Hosts)
	l.Network = netplan.Of(site, l.Clusters, l.Hosts.Hosts)
	l.leaveAlone()
	return l, nil
}

// LoadSite reads the Site, and takes from it what the command line leaves open.
func (in *Inputs) LoadSite(stdin io.Reader) (*v1alpha1.Site, error) {
	site, err := api.LoadSite(in.Site, stdin)
	if errors.Is(err, fs.ErrNotExist) {
		err = &NoSiteError{err}
	}
	in.fromSite(site)
	return site, err
}

// loadHosts reads the hosts from files, standard input or the live cluster. The live ones are read as the site says:
// without a site, whose own problem is reported, there are none.
func (in *Inputs) loadHosts(ctx context.Context, stdin io.Reader, site *v1alpha1.Site,
	clusters []v1.SIPCluster) (*inventory.Inventory, error) {
	switch {
	case in.Inventory != FromCluster:
		hosts, err := files.Load([]string{in.Inventory}, stdin)
		return hosts, in.missingOf(err, in.inventoryOfSite, "spec.inputs.inventory", "SIPGEN_INVENTORY", in.Inventory)
	case site == nil:
		return nil, nil
	case in.AllAddresses:
		return in.LiveHosts(ctx, site, nil, time.Now())
	}
	return in.LiveHosts(ctx, site, append([]v1.SIPCluster{}, clusters...), time.Now())
}
