package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/inventory/bmh"
	"github.com/airshipit/sipgen/schedule"
)

// inputs are the flags that say what to plan from.
type inputs struct {
	site       string
	specs      []string
	inventory  string
	kubeconfig string
	context    string
	// allowEmpty: no SIPCluster at all is no mistake.
	allowEmpty bool
	// allAddresses: read the addresses of every live host, not only of those that a plan may look at.
	allAddresses bool
}

func (in *inputs) flags(command *cobra.Command) {
	in.siteFlag(command)
	flags := command.Flags()
	flags.StringArrayVarP(&in.specs, "filename", "f", nil, "SIPCluster specs: a file or folder, - for standard input, or the word cluster; may be repeated")
	flags.StringVar(&in.inventory, "inventory", "", "the hosts: a file or folder of manifests, a snapshot, - for standard input, or the word cluster")
	flags.BoolVar(&in.allowEmpty, "allow-empty", false, "continue without any SIPCluster, when the last tenant is gone")
	in.clusterFlags(command)
}

func (in *inputs) siteFlag(command *cobra.Command) {
	command.Flags().StringVar(&in.site, "site", "site.yaml", "the Site: `FILE`, or - for standard input")
}

func (in *inputs) clusterFlags(command *cobra.Command) {
	flags := command.Flags()
	flags.StringVar(&in.kubeconfig, "kubeconfig", "", "for the live cluster: the kubeconfig `FILE`; default: $KUBECONFIG, ~/.kube/config, or the pod's own account")
	flags.StringVar(&in.context, "context", "", "for the live cluster: the context in the kubeconfig")
}

// loaded is everything a plan is made from.
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

// fromCluster is the word that stands for the live cluster in --filename and --inventory.
const fromCluster = "cluster"

// load reads and validates all inputs and reports what is wrong with any of them.
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
	var clashes []v1.ClusterError
	if l.site != nil {
		ports := l.site.Spec.NodePorts
		clashes = v1.ValidateSite(l.clusters, ports.Start, ports.End)
	}
	if l.site != nil {
		clashes = append(clashes, v1.ReservedNamespaces(l.clusters, l.reservedNamespaces())...)
	}
	errs := []error{err}
	for _, clash := range clashes {
		errs = append(errs, clash.Cluster.Problem(clash.Path, "%s", clash.Message))
	}
	return l, errors.Join(errs...)
}

// read reads all inputs, each valid by itself. What they are to one another is not looked at.
func (in *inputs) read(ctx context.Context, ui *ui) (*loaded, error) {
	if err := in.check(); err != nil {
		return nil, err
	}
	defer ui.progress.stage("reading specs and hosts")()
	var (
		l    loaded
		errs []error
	)
	var err error
	l.site, err = in.loadSite(ui)
	errs = append(errs, err)
	l.clusters, err = in.loadClusters(ctx, ui, &l)
	errs = append(errs, err)
	l.live = in.inventory == fromCluster
	l.hosts, err = in.loadHosts(ctx, ui, &l)
	errs = append(errs, err)
	if l.hosts != nil {
		found := map[string]bool{}
		for i := range l.hosts.Hosts {
			found[l.hosts.Hosts[i].Namespace] = true
		}
		l.hostNamespaces = slices.Sorted(maps.Keys(found))
	}
	if errors.Join(errs...) == nil {
		errs = append(errs, l.keepNamespaces())
	}
	return &l, errors.Join(errs...)
}

// reservedNamespaces are those that no tenant has, with what is there: the engine's, where sipgen's accounts are too, and those
// of hosts, unless the Site says that they are shared.
func (l *loaded) reservedNamespaces() map[string]string {
	reserved := map[string]string{}
	for _, namespace := range append(slices.Clone(l.hostNamespaces), l.site.Spec.Hosts.Namespaces...) {
		if !slices.Contains(l.site.Spec.Hosts.SharedNamespaces, namespace) {
			reserved[namespace] = "has hosts, and their credentials (the Site's spec.hosts.sharedNamespaces allows it)"
		}
	}
	engine := l.site.Spec.Flux.Namespace
	if l.site.Spec.Engine == v1alpha1.EngineArgoCD {
		engine = l.site.Spec.ArgoCD.Namespace
	}
	reserved[engine] = "is the engine's"
	return reserved
}

// keepNamespaces leaves the hosts of other namespaces out, as the live inventory does.
func (l *loaded) keepNamespaces() error {
	want := l.site.Spec.Hosts.Namespaces
	if len(want) == 0 {
		return nil
	}
	found := map[string]bool{}
	kept := make([]inventory.Host, 0, len(l.hosts.Hosts))
	for _, host := range l.hosts.Hosts {
		found[host.Namespace] = true
		if slices.Contains(want, host.Namespace) {
			kept = append(kept, host)
		}
	}
	if len(kept) == 0 && len(found) > 0 {
		return fmt.Errorf("site %s: spec.hosts.namespaces: no host in %s, the inventory has hosts in %s",
			l.site.Name, strings.Join(want, ", "), strings.Join(slices.Sorted(maps.Keys(found)), ", "))
	}
	l.hosts.Hosts = kept
	return nil
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

// check refuses a command line that names too little, or standard input twice.
func (in *inputs) check() error {
	var errs []error
	if len(in.specs) == 0 {
		errs = append(errs, errors.New("--filename is required: the SIPCluster specs"))
	}
	if in.inventory == "" {
		errs = append(errs, errors.New("--inventory is required: where the hosts come from"))
	}
	stdin := 0
	for _, path := range append([]string{in.site, in.inventory}, in.specs...) {
		if path == manifest.Stdin {
			stdin++
		}
	}
	if stdin > 1 {
		errs = append(errs, fmt.Errorf("standard input (-) is given %d times, want at most once", stdin))
	}
	return errors.Join(errs...)
}

func (in *inputs) loadClusters(ctx context.Context, ui *ui, l *loaded) ([]v1.SIPCluster, error) {
	var (
		docs  []manifest.Document
		paths []string
		errs  []error
		live  bool
	)
	for _, path := range in.specs {
		if path == fromCluster {
			live = true
			continue
		}
		paths = append(paths, path)
	}
	if live {
		found, err := in.clusterSpecs(ctx)
		docs = append(docs, found...)
		errs = append(errs, err)
	}
	found, err := manifest.Read(paths, ui.in)
	if !in.allowEmpty || !errors.Is(err, manifest.ErrNoFiles) {
		errs = append(errs, err)
	}
	l.secrets = bmh.SecretNames(found)
	clusters, err := v1.FromDocuments(append(docs, found...))
	errs = append(errs, err)
	if errors.Join(errs...) == nil && len(clusters) == 0 && len(paths) > 0 && !in.allowEmpty {
		errs = append(errs, fmt.Errorf("%s: no %s %s in it; --allow-empty if the last tenant is gone", strings.Join(paths, " "), v1.APIVersion, v1.Kind))
	}
	return clusters, errors.Join(errs...)
}

func options(site *v1alpha1.Site) schedule.Options {
	keys := site.Spec.LabelKeys
	return schedule.Options{
		Keys: schedule.LabelKeys{
			ClusterNamespace: keys.ClusterNamespace, ClusterName: keys.ClusterName,
			NodeType: keys.NodeType, Standby: keys.Standby,
		},
		StandbyRequired: site.Spec.Scheduling.Standby == "required",
		AllowMoves:      site.Spec.Scheduling.Moves == "allow",
	}
}
