package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/inventory/bmh"
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
	// live: the hosts were read from the cluster by this run.
	live bool
}

// load reads all inputs, and reports what is wrong with any of them and between them.
func (in *inputs) load(ctx context.Context, ui *ui) (*loaded, error) {
	l, err := in.read(ctx, ui)
	if l == nil {
		return nil, err
	}
	for i := range l.clusters {
		for _, warning := range l.clusters[i].Warnings() {
			ui.say("warning: %s", l.clusters[i].Problem(warning.Path, "%s", warning.Message))
		}
	}
	return l, errors.Join(err, l.clashes())
}

// clashes are what clusters ask for that is another's, or no tenant's to have.
func (l *loaded) clashes() error {
	if l.site == nil {
		return nil
	}
	ports := l.site.Spec.NodePorts
	clashes := v1.ValidateSite(l.clusters, ports.Start, ports.End)
	clashes = append(clashes, v1.ReservedNamespaces(l.clusters, reservedNamespaces(l.site, l.hostNamespaces))...)
	var errs []error
	for _, clash := range clashes {
		errs = append(errs, clash.Cluster.Problem(clash.Path, "%s", clash.Message))
	}
	return errors.Join(errs...)
}

// read reads all inputs, each valid by itself. With an error it gives what could be read; nil if nothing was tried.
func (in *inputs) read(ctx context.Context, ui *ui) (*loaded, error) {
	if err := in.check(); err != nil {
		return nil, err
	}
	defer ui.progress.stage("reading specs and hosts")()
	site, siteErr := in.loadSite(ui)
	clusters, secrets, specsErr := in.loadClusters(ctx, ui)
	hosts, hostsErr := in.loadHosts(ctx, ui, site, clusters)
	l := &loaded{site: site, clusters: clusters, secrets: secrets, hosts: hosts, live: in.inventory == fromCluster}
	if hosts != nil {
		l.hostNamespaces = namespacesOf(hosts.Hosts)
	}
	if err := errors.Join(siteErr, specsErr, hostsErr); err != nil {
		return l, err
	}
	var err error
	l.hosts, err = ofTheSite(site, hosts)
	return l, err
}

func (in *inputs) loadSite(ui *ui) (*v1alpha1.Site, error) {
	docs, err := manifest.Read([]string{in.site}, ui.in)
	if err != nil {
		return nil, err
	}
	site, err := v1alpha1.FromDocuments(docs)
	if err != nil {
		return nil, named(in.site, err)
	}
	return site, nil
}

// named puts the file's name before an error that has no place in it yet.
func named(file string, err error) error {
	var problem *manifest.Problem
	if errors.As(err, &problem) {
		return err
	}
	return fmt.Errorf("%s: %w", file, err)
}

// loadClusters reads the SIPClusters, and the names of the Secrets that are in files beside them.
func (in *inputs) loadClusters(ctx context.Context, ui *ui) (clusters []v1.SIPCluster, secrets []string, err error) {
	var (
		docs []manifest.Document
		errs []error
	)
	paths := slices.DeleteFunc(slices.Clone(in.specs), func(path string) bool { return path == fromCluster })
	if len(paths) < len(in.specs) {
		live, err := in.clusterSpecs(ctx)
		docs = append(docs, live...)
		errs = append(errs, err)
	}
	found, err := manifest.Read(paths, ui.in)
	if !in.allowEmpty || !errors.Is(err, manifest.ErrNoFiles) {
		errs = append(errs, err)
	}
	clusters, err = v1.FromDocuments(append(docs, found...))
	errs = append(errs, err)
	if errors.Join(errs...) == nil && len(clusters) == 0 && len(paths) > 0 && !in.allowEmpty {
		errs = append(errs, fmt.Errorf("%s: no %s %s in it; --allow-empty if the last tenant is gone", strings.Join(paths, " "), v1.APIVersion, v1.Kind))
	}
	return clusters, bmh.SecretNames(found), errors.Join(errs...)
}

// loadHosts reads the hosts from files, standard input or the live cluster. The live ones are read as the site says: without a site,
// whose own problem is reported, there are none.
func (in *inputs) loadHosts(ctx context.Context, ui *ui, site *v1alpha1.Site, clusters []v1.SIPCluster) (*inventory.Inventory, error) {
	switch {
	case in.inventory != fromCluster:
		return files.Load([]string{in.inventory}, ui.in)
	case site == nil:
		return nil, nil
	case in.allAddresses:
		return in.liveHosts(ctx, site, nil, time.Now())
	}
	return in.liveHosts(ctx, site, append([]v1.SIPCluster{}, clusters...), time.Now())
}
