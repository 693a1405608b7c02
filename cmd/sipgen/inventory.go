package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/manifest"
	"github.com/airshipit/sipgen/schedule"
)

func newInventory(ui *ui) *cobra.Command {
	var in inputs
	command := &cobra.Command{
		Use:   "inventory --site FILE",
		Short: "Print a snapshot of the live inventory, without secrets",
		Long: `Print a snapshot of the live inventory, without secrets. Given to --inventory, it plans what the live
inventory plans, where no cluster is in reach: in CI, on a laptop.`,
		Example: `  sipgen inventory --site site.yaml --context management > inventory.yaml
  sipgen plan --site site.yaml -f tenants --inventory inventory.yaml`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			site, err := in.loadSite(ui)
			if err != nil {
				return err
			}
			hosts, err := in.liveHosts(cmd.Context(), site, nil, time.Now())
			if err != nil {
				return err
			}
			ui.say("%d hosts read from %s", len(hosts.Hosts), hosts.Context)
			return inventory.WriteSnapshot(ui.out, hosts)
		},
	}
	in.siteFlag(command)
	in.clusterFlags(command)
	return command
}

// restConfig is the kubeconfig's, or the pod's own.
func (in *inputs) restConfig() (*rest.Config, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = in.kubeconfig
	overrides := &clientcmd.ConfigOverrides{CurrentContext: in.context}
	cfg, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, overrides).ClientConfig()
	if clientcmd.IsEmptyConfig(err) {
		return nil, errors.New("cluster: no kubeconfig, want --kubeconfig FILE, $KUBECONFIG, ~/.kube/config, or a pod's own account")
	}
	if err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	return cfg, nil
}

// clusterSpecs reads the SIPClusters of the live cluster.
func (in *inputs) clusterSpecs(ctx context.Context) ([]manifest.Document, error) {
	cfg, err := in.restConfig()
	if err != nil {
		return nil, err
	}
	gvr := schema.GroupVersionResource{Group: "airship.airshipit.org", Version: "v1", Resource: "sipclusters"}
	return inventory.ClusterDocuments(ctx, cfg, gvr, v1.Kind)
}

// loadHosts reads the hosts from files, standard input or the live cluster.
func (in *inputs) loadHosts(ctx context.Context, ui *ui, l *loaded) (*inventory.Inventory, error) {
	if in.inventory != fromCluster {
		return inventory.Load([]string{in.inventory}, ui.in)
	}
	if l.site == nil {
		return nil, nil // its own problem is reported; without it there is nothing to read by
	}
	return in.liveHosts(ctx, l.site, needsAddresses(l.site, l.clusters), time.Now())
}

func (in *inputs) liveHosts(ctx context.Context, site *v1alpha1.Site, needs func(*inventory.Host) bool, now time.Time) (*inventory.Inventory, error) {
	cfg, err := in.restConfig()
	if err != nil {
		return nil, err
	}
	return inventory.FromCluster(ctx, cfg, inventory.ClusterOptions{
		Namespaces: site.Spec.Hosts.Namespaces, NeedsAddresses: needs, Now: now,
	})
}

// needsAddresses picks the hosts whose network data is looked at: those that carry our labels, and
// those that a role with services around it may choose.
func needsAddresses(site *v1alpha1.Site, clusters []v1.SIPCluster) func(*inventory.Host) bool {
	matches := schedule.Candidates(clusters)
	keys := site.Spec.LabelKeys
	return func(host *inventory.Host) bool {
		for _, key := range []string{keys.ClusterNamespace, keys.ClusterName, keys.NodeType} {
			if _, claimed := host.Labels[key]; claimed {
				return true
			}
		}
		return matches(host)
	}
}
