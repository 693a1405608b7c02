package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/internal/preflight"
	"github.com/airshipit/sipgen/internal/redact"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/inventory/live"
	"github.com/airshipit/sipgen/schedule"
)

// RestConfig returns the configuration of the kubeconfig, or the pod's own.
func (in *Inputs) RestConfig() (*rest.Config, error) {
	rules := in.LoadingRules()
	if known := in.Contexts(rules); in.Context != "" && !slices.Contains(known, in.Context) {
		if in.OfFleet != "" { // the other Sites' contexts, a thousand
			return nil, redact.Errorf("found no context %q in the kubeconfig, want one for the Site; --context 'PREFIX-%s' "+
				"names it otherwise", in.Context, SiteInContext)
		}
		return nil, redact.Errorf("--context: found %q, want a context of the kubeconfig: %s", in.Context,
			cmp.Or(strings.Join(known, ", "), "it has none"))
	}
	overrides := &clientcmd.ConfigOverrides{CurrentContext: in.Context}
	cfg, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, overrides).ClientConfig()
	if clientcmd.IsEmptyConfig(err) {
		return nil, errors.New("cluster: no kubeconfig, want --kubeconfig FILE, $KUBECONFIG, ~/.kube/config, " +
			"or a pod's own account")
	}
	if err != nil {
		if words := redact.Known(err.Error(), proxyLogins(rules)...); words != err.Error() {
			err = errors.New(words)
		}
		return nil, fmt.Errorf("cluster: %w", err)
	}
	return cfg, nil
}

// proxyLogins returns the logins of the proxies in the kubeconfig. An error repeats a proxy-url that is none.
func proxyLogins(rules *clientcmd.ClientConfigLoadingRules) (logins []string) {
	config, err := rules.Load()
	if err != nil {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(config.Clusters)) {
		logins = append(logins, redact.Login(config.Clusters[name].ProxyURL)...)
	}
	return logins
}

// LoadingRules returns the places of the kubeconfig.
func (in *Inputs) LoadingRules() *clientcmd.ClientConfigLoadingRules {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = in.Kubeconfig
	return rules
}

// ClusterSpecs reads the SIPClusters of the live cluster.
func (in *Inputs) ClusterSpecs(ctx context.Context) ([]manifest.Document, error) {
	cfg, err := in.RestConfig()
	if err != nil {
		return nil, err
	}
	documents, err := live.Documents(ctx, cfg, SIPClusters, v1.Kind)
	return documents, in.asked(cfg, err)
}

// SIPClusters is the resource that tenants apply.
var SIPClusters = schema.GroupVersionResource{Group: "airship.airshipit.org", Version: "v1", Resource: "sipclusters"}

// LiveGuards reads the guards of all sites on the live cluster.
func (in *Inputs) LiveGuards(ctx context.Context) ([]inventory.GuardBinding, error) {
	cfg, err := in.RestConfig()
	if err != nil {
		return nil, err
	}
	return live.Guards(ctx, cfg)
}

// LiveServices reads the owners of the live objects with names of tenants' services.
func (in *Inputs) LiveServices(ctx context.Context) ([]inventory.ServiceObject, error) {
	cfg, err := in.RestConfig()
	if err != nil {
		return nil, err
	}
	return live.ServiceObjects(ctx, cfg)
}

// liveObjects reads what a plan of the clusters needs besides specs and hosts.
func (in *Inputs) liveObjects(ctx context.Context, clusters []v1.SIPCluster) (out liveObjects) {
	out.guards = read(in.LiveGuards(ctx))
	if slices.ContainsFunc(clusters, func(c v1.SIPCluster) bool { return len(preflight.ServiceNames(&c)) > 0 }) {
		out.services = read(in.LiveServices(ctx))
	}
	out.leftovers = read(in.liveLeftovers(ctx, clusters, out.services.found))
	return out
}

// liveLeftovers reads what is left of the SIP operator: whether its jump hosts have the Secrets that they will need,
// and which SIPClusters carry its finalizer.
func (in *Inputs) liveLeftovers(ctx context.Context, clusters []v1.SIPCluster,
	services []inventory.ServiceObject) (out leftovers, err error) {
	cfg, err := in.RestConfig()
	if err != nil {
		return leftovers{}, err
	}
	hostKeys, keysErr := live.SecretsSeen(ctx, cfg, preflight.HostKeySecrets(clusters, services))
	finalized, err := live.Finalized(ctx, cfg, SIPClusters, v1.SIPFinalizer)
	return leftovers{hostKeys, finalized}, errors.Join(keysErr, err)
}

// LiveState reads the live hosts without their addresses and without any Secret.
func (in *Inputs) LiveState(ctx context.Context, site *v1alpha1.Site, now time.Time) (*inventory.Inventory, error) {
	cfg, err := in.RestConfig()
	if err != nil {
		return nil, err
	}
	none := func(*inventory.Host) bool { return false }
	hosts, err := live.Hosts(ctx, cfg, live.Options{Namespaces: site.Spec.Hosts.Namespaces, NeedsAddresses: none,
		Now: now})
	return hosts, in.asked(cfg, err)
}

// LiveHosts reads the live hosts, and the addresses of those that a plan of the clusters may use. Without clusters it
// reads all addresses, for a snapshot.
func (in *Inputs) LiveHosts(ctx context.Context, site *v1alpha1.Site, clusters []v1.SIPCluster,
	now time.Time) (*inventory.Inventory, error) {
	cfg, err := in.RestConfig()
	if err != nil {
		return nil, err
	}
	opts := live.Options{Namespaces: site.Spec.Hosts.Namespaces, Now: now}
	if clusters != nil {
		opts.NeedsAddresses = schedule.Candidates(clusters, Options(site).Keys)
	}
	hosts, err := live.Hosts(ctx, cfg, opts)
	return hosts, in.asked(cfg, err)
}

// Contexts returns the sorted names of the contexts in the kubeconfig.
func (in *Inputs) Contexts(rules *clientcmd.ClientConfigLoadingRules) []string {
	config, err := rules.Load()
	if err != nil {
		return nil
	}
	return slices.Sorted(maps.Keys(config.Contexts))
}

// There reports whether a file exists, readable or not.
func There(file string) bool {
	_, err := os.Stat(file)
	return !errors.Is(err, fs.ErrNotExist)
}
