package e2e_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/inventory/live"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// createAll makes objects as a controller of the site does.
func createAll(t testing.TB, api *engine.APIServer, manifests string) error {
	t.Helper()
	for _, o := range engine.Objects(t, []byte(manifests)) {
		resource, err := api.Resource(o)
		if err != nil {
			return err
		}
		if _, err := resource.Create(t.Context(), o,
			metav1.CreateOptions{FieldManager: "site-controller"}); err != nil {
			return err
		}
	}
	return nil
}

// liveSite makes hosts. Those with the names given have network data of their own, and Secrets that nobody is to read.
func liveSite(t testing.TB, api *engine.APIServer, ns string, hosts int, withSecrets ...string) {
	t.Helper()
	api.Namespaces(t, ns)
	var group errgroup.Group
	group.SetLimit(32)
	for i := range hosts {
		group.Go(func() error {
			name := fmt.Sprintf("n%05d", i)
			host := fmt.Sprintf(`
apiVersion: metal3.io/v1alpha1
kind: BareMetalHost
metadata: {namespace: %[1]s, name: %[2]s, labels: {example.org/owner: facilities, rack: r%[4]d}}
spec:
  online: true
  bmc: {address: 'redfish://root:%[3]s@198.51.100.1/%[2]s', credentialsName: %[2]s-bmc}
  networkData: {name: %[2]s-net, namespace: %[1]s}
`, ns, name, "hunter2", i%256)
			secrets := fmt.Sprintf(`
apiVersion: v1
kind: Secret
metadata: {namespace: %[1]s, name: %[2]s-net}
stringData: {password: %[3]s, networkData: '{"networks":[{"id":"oam","type":"ipv4","ip_address":"10.%[4]d.%[5]d.1/8","note":"%[3]s"}]}'}
---
apiVersion: v1
kind: Secret
metadata: {namespace: %[1]s, name: %[2]s-bmc}
stringData: {username: root, password: %[3]s}
---`, ns, name, "hunter2", i/256, i%256)
			if !slices.Contains(withSecrets, name) {
				secrets = ""
			}
			return createAll(t, api, secrets+host)
		})
	}
	require.NoError(t, group.Wait())
}

// TestLiveInventory reads more hosts than a page has, as the account that is rendered for it; a Secret that this may
// not read is its host's finding. What is asked for, and what is said of an API server that refuses, inventory/live
// has.
func TestLiveInventory(t *testing.T) {
	t.Parallel()
	const hosts = 510 // a page has 500
	api := withoutEngines(t)
	liveSite(t, api, "live", hosts, "n00001", "n00505")
	liveSite(t, api, "other-live", 2, "n00001")
	applyPolicies(t, api, policies(t, "live", func(*v1alpha1.SiteSpec) {}))
	inv, err := live.Hosts(t.Context(), api.As("system:serviceaccount:flux-system:sipgen-live-reader"), live.Options{
		Namespaces:     []string{"live", "other-live"},
		NeedsAddresses: func(h *inventory.Host) bool { return h.Name == "n00001" || h.Name == "n00505" },
	})
	require.NoError(t, err)
	require.Truef(t, len(inv.Hosts) == hosts+2, "%d hosts, want %d", len(inv.Hosts), hosts+2)
	assert.Equal(t, "n00000", inv.Hosts[0].Name, "the first host is")
	assert.Equal(t, fmt.Sprintf("n%05d", hosts-1), inv.Hosts[hosts-1].Name, "the last host is")
	for i := range inv.Hosts {
		host := &inv.Hosts[i]
		read := host.Namespace == "live" && (host.Name == "n00001" || host.Name == "n00505")
		assert.Truef(t, host.UID != "" && len(host.Managers) != 0 && (len(host.Addresses) == 1) == read &&
			host.BMC.Address == "redfish://198.51.100.1/"+host.Name, "got %+v", host)
		if host.Key() == "other-live/n00001" {
			assert.Contains(t, fmt.Sprintf("%+v", host),
				"n00001-net lies in a namespace that the account may not read", "its Secret")
		}
	}
}

// TestLiveSpecs: a real API server says in its own words that it does not know SIPClusters. Those that it has,
// rowRunner reads.
func TestLiveSpecs(t *testing.T) {
	t.Parallel()
	unknown := schema.GroupVersionResource{Group: "airship.airshipit.org", Version: "v7", Resource: "sipclusters"}
	docs, err := live.Documents(t.Context(), withoutEngines(t).Config(), unknown, "SIPCluster")
	assert.Truef(t, errors.Is(err, live.ErrMissingCRD) && docs == nil, "a kind that is not there: %v, %v", docs, err)
}
