// Package app has the steps of a run: Load, Admit, Plan, Render and Check, each a function from the previous value to
// its own. It prints nothing and has no flags. Package publish writes a tree to which Check has no objection.
package app

import (
	"context"
	"errors"
	"fmt"
	"io"
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
	"github.com/airshipit/sipgen/internal/tenancy"
	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/inventory/files"
)

// Loaded is the input of a placement, except the previous tree: one site as it was read.
type Loaded struct {
	Site *v1alpha1.Site
	Specs
	Hosts *inventory.Inventory
	// Live: the hosts were read from the cluster by this run.
	Live bool
	// others are the hosts in files outside the site's namespaces, "namespace/name".
	others []string
	// LeftOut are hosts that a what-if took out of the inventory, without a warning.
	LeftOut []inventory.Host
	objects liveObjects

	// Tenants are the tenants with their grants, nil without a site.
	Tenants *tenancy.Tenants
	// Network is every address, port and MAC address of the site, with their conflicts.
	Network *netplan.Comparison
	// Unpatchable is why no patch of a host may be written, by host, if the run continues without it.
	Unpatchable map[string][]finding.Finding
	// built caches the tenants' services that this run has built.
	built *serviceBuilds
	// fleet is Inputs.OfFleet.
	fleet string
	// taken are about the hosts of Inputs.Taken.
	taken []finding.Finding
}

// Specs are the specs of a site, bound to their tenants.
type Specs struct {
	// Clusters are the valid specs, by namespace and name.
	Clusters []v1.SIPCluster
	// Problems are about single specs and files. They freeze their clusters.
	Problems []admit.Problem
	// Written maps each cluster to its file, as package tenancy names files.
	Written tenancy.Files
	// Unread are files without a spec, and manifests that only the site may write.
	Unread []string
	// secrets are the names of the Secrets next to the specs, "namespace/name".
	secrets []string
	// empty are about the files with nothing in them.
	empty []error
}

// liveObjects are what a run reads from the cluster besides specs and hosts.
type liveObjects struct {
	// guards are in force on the cluster of the hosts.
	guards reading[[]inventory.GuardBinding]
	// services are the Deployments and Services with names of tenants' services, if a cluster has services.
	services reading[[]inventory.ServiceObject]
	// leftovers are of the SIP operator.
	leftovers reading[leftovers]
}

// leftovers are Secrets that the first sync over the SIP operator's jump hosts needs, and SIPClusters with its
// finalizer.
type leftovers struct {
	hostKeys  []inventory.SecretSeen
	finalized []inventory.Finalized
}

// reading is what was read, and why it, or a part of it, could not be.
type reading[T any] struct {
	found T
	err   error
}

func read[T any](found T, err error) reading[T] { return reading[T]{found, err} }

// Warnings returns findings about valid inputs that are likely mistakes.
func (l *Loaded) Warnings() []finding.Finding {
	in := lint.Input{Site: l.Site, Clusters: l.Clusters, Empty: l.empty}
	if l.Hosts != nil {
		in.Notes, in.LeftOut, in.Hosts = l.Hosts.Notes, l.Hosts.LeftOut, l.Hosts.Hosts
	}
	var out, unmanageable []finding.Finding
	for _, f := range in.OfInputs() {
		if f.Code == finding.Unmanageable {
			unmanageable = append(unmanageable, f)
		} else {
			out = append(out, f)
		}
	}
	out = append(out, finding.Fold(unmanageable, mostAlike, "unusable BMC and MAC addresses; sipgen lint shows them")...)
	if l.Network != nil {
		out = append(out, l.Network.Findings()...)
	}
	return append(out, l.taken...)
}

// mostAlike is how many findings of one kind a run prints; sipgen lint lists all.
const mostAlike = 5

// Clashes returns what clusters ask for that another one has.
func (l *Loaded) Clashes() (out []string) {
	ports := l.Site.Spec.NodePorts
	for _, clash := range validation.ValidateClusters(l.Clusters, ports.Start, ports.End) {
		out = append(out, clash.Cluster.Problem(clash.Path, "%s", clash.Message).Error())
	}
	return out
}

// Load reads all inputs, and reports errors in them and between them. Errors of one tenant's specs are in Problems.
// With an error it returns what could be read, nil if nothing was tried.
func Load(ctx context.Context, in *Inputs, stdin io.Reader) (*Loaded, error) {
	if err := in.checkStdin(); err != nil {
		return nil, err
	}
	site, siteErr := in.LoadSite(stdin)
	if err := in.checkGiven(); err != nil {
		if site == nil { // the Site may name them
			return nil, siteErr
		}
		return nil, err
	}
	specs, specsErr := in.loadSpecs(ctx, stdin, site)
	if site != nil {
		if site, siteErr = api.CompleteSite(site, specs.manifests); siteErr != nil {
			siteErr = errors.Join(siteErr, specs.unreadable()) // the manifest may be in such a file
		}
	}
	hosts, hostsErr := in.loadHosts(ctx, stdin, site, specs.valid())
	l := &Loaded{Site: site, Hosts: hosts, Live: in.Inventory == FromCluster, built: &serviceBuilds{},
		fleet: in.OfFleet}
	if site != nil {
		var namespaces []string
		if hosts != nil {
			namespaces = namespacesOf(hosts.Hosts)
		}
		l.Tenants = tenancy.Of(site, namespaces)
	}
	l.Specs = specs.bind(l.Tenants)
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
		l.objects = in.liveObjects(ctx, l.Clusters)
	}
	if err := errors.Join(siteErr, specsErr, hostsErr); err != nil {
		return l, err
	}
	var err error
	if l.Hosts, l.others, err = OfTheSite(site, hosts); err != nil {
		return l, err
	}
	l.leaveToOthers(in.Taken)
	if err := nameReleased(site, l.Hosts.Hosts); err != nil {
		return l, err
	}
	inventory.Conflicts(l.Hosts.Hosts)
	l.Network = netplan.Of(site, l.Clusters, l.Hosts.Hosts)
	l.leaveAlone()
	return l, nil
}

// loadHosts reads the hosts from files, standard input or the live cluster. Without a site, whose error is reported
// by itself, it reads no live hosts.
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
