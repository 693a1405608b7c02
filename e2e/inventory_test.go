package e2e_test

import (
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"

	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/inventory/live"
)

// secretMarker stands in every Secret here, and may come out nowhere.
const secretMarker = "hunter2-marker"

// createAll makes objects as a controller of the site does.
func createAll(t testing.TB, api *engine.APIServer, manifests string) error {
	t.Helper()
	for _, o := range engine.Objects(t, []byte(manifests)) {
		resource, err := api.Resource(o)
		if err != nil {
			return err
		}
		if _, err := resource.Create(t.Context(), o, metav1.CreateOptions{FieldManager: "site-controller"}); err != nil {
			return err
		}
	}
	return nil
}

// liveSite makes hosts with network data of their own, and Secrets that nobody is to read.
func liveSite(t testing.TB, api *engine.APIServer, ns string, hosts int) {
	t.Helper()
	api.Namespaces(t, ns)
	var group errgroup.Group
	group.SetLimit(32)
	for i := range hosts {
		group.Go(func() error {
			name := fmt.Sprintf("n%05d", i)
			manifests := fmt.Sprintf(`
apiVersion: v1
kind: Secret
metadata: {namespace: %[1]s, name: %[2]s-net}
stringData: {password: %[3]s, networkData: '{"networks":[{"id":"oam","type":"ipv4","ip_address":"10.%[4]d.%[5]d.1/8","note":"%[3]s"}]}'}
---
apiVersion: v1
kind: Secret
metadata: {namespace: %[1]s, name: %[2]s-bmc}
stringData: {username: root, password: %[3]s}
---
apiVersion: metal3.io/v1alpha1
kind: BareMetalHost
metadata: {namespace: %[1]s, name: %[2]s, labels: {example.org/owner: facilities, rack: r%[5]d}}
spec: {online: true, bmc: {address: 'redfish://root:%[3]s@198.51.100.1/%[2]s', credentialsName: %[2]s-bmc}, networkData: {name: %[2]s-net, namespace: %[1]s}}
`, ns, name, secretMarker, i/256, i%256)
			return createAll(t, api, manifests)
		})
	}
	need.OK(t, group.Wait())
}

// readerAccount applies the account that sipgen renders for reading, with the rights in one namespace, and gives its configuration.
// Its objects have names of their own: a site that another test renders for this API server has a reader too, of another engine.
func readerAccount(t testing.TB, api *engine.APIServer, ns string) *rest.Config {
	t.Helper()
	policy := need.Read(t, "../golden/two-tenants/policy/reader.yaml")
	api.Namespaces(t, "flux-system")
	own := strings.NewReplacer("vino-system", ns, "sipgen-two-tenants-", "sipgen-"+ns+"-")
	api.Apply(t, "e2e", own.Replace(string(policy)))
	return api.As("system:serviceaccount:flux-system:sipgen-" + ns + "-reader")
}

// counting notes what is asked of an API server.
func counting(config *rest.Config) (*rest.Config, func() []string) {
	var (
		mu   sync.Mutex
		seen []string
	)
	config = rest.CopyConfig(config)
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return roundTrip(func(r *http.Request) (*http.Response, error) {
			mu.Lock()
			query := r.URL.Query()
			seen = append(seen, strings.TrimSpace(r.Method+" "+r.URL.Path+" "+query.Get("limit")))
			mu.Unlock()
			return next.RoundTrip(r)
		})
	})
	return config, func() []string {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(seen)
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestLiveInventory reads more hosts than a page has, as the account that is rendered for it, and no more than it needs.
func TestLiveInventory(t *testing.T) {
	t.Parallel()
	const hosts = 620
	api := withoutEngines(t)
	liveSite(t, api, "live", hosts)
	liveSite(t, api, "live-other", 2)
	account := readerAccount(t, api, "live")
	config, asked := counting(account)
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	inv, err := live.Hosts(t.Context(), config, live.Options{
		Namespaces: []string{"live"}, Now: now,
		NeedsAddresses: func(h *inventory.Host) bool { return h.Name == "n00007" || h.Name == "n00600" },
	})
	need.OK(t, err)
	need.That(t, len(inv.Hosts) == hosts && inv.Hosts[0].Name == "n00000" && inv.Hosts[hosts-1].Name == fmt.Sprintf("n%05d", hosts-1),
		"%d hosts, want %d", len(inv.Hosts), hosts)
	for i := range inv.Hosts {
		host := &inv.Hosts[i]
		needed := host.Name == "n00007" || host.Name == "n00600"
		need.That(t, host.UID != "" && len(host.Managers) != 0 && (len(host.Addresses) == 1) == needed && host.BMC.Address == "redfish://198.51.100.1/"+host.Name,
			"got %+v", host)
	}
	lists, secrets := 0, []string{}
	for _, request := range asked() {
		switch {
		case request == "GET /apis/metal3.io/v1alpha1/namespaces/live/baremetalhosts 500":
			lists++
		case strings.HasPrefix(request, "GET /apis/metal3.io/v1alpha1/namespaces/live/hardwaredata"):
		default:
			secrets = append(secrets, request)
		}
	}
	slices.Sort(secrets)
	want := []string{"GET /api/v1/namespaces/live/secrets/n00007-net", "GET /api/v1/namespaces/live/secrets/n00600-net"}
	need.That(t, lists == 2 && slices.Equal(secrets, want), "%d lists, and %v, want 2 and %v", lists, secrets, want)

	t.Run("rights", func(t *testing.T) {
		needOne := func(h *inventory.Host) bool { return h.Name == "n00001" }
		for _, row := range []struct {
			why    string
			config *rest.Config
			ns     string
			want   []string
		}{
			{"no right at all", api.As("nobody"), "live", []string{"baremetalhosts.metal3.io in namespace live", "forbidden", "policy"}},
			{"not logged in", api.WithToken("wrong"), "live", []string{"not logged in"}},
		} {
			inv, err := live.Hosts(t.Context(), row.config, live.Options{Namespaces: []string{row.ns}, NeedsAddresses: needOne})
			if err == nil || inv != nil {
				t.Errorf("%s: no error", row.why)
				continue
			}
			need.Words(t, row.why, err.Error(), row.want...)
		}
		// A Secret that the account may not read is its host's finding.
		inv, err := live.Hosts(t.Context(), account, live.Options{Namespaces: []string{"live-other"}, NeedsAddresses: needOne})
		need.OK(t, err)
		for i := range inv.Hosts {
			if said := fmt.Sprintf("%+v", inv.Hosts[i]); needOne(&inv.Hosts[i]) && !strings.Contains(said, "n00001-net lies in a namespace that the account may not read") {
				t.Errorf("found %s, want a word about its Secret", said)
			}
		}
	})
}

// TestLiveSpecs reads SIPClusters of a cluster, and says when it does not know them.
func TestLiveSpecs(t *testing.T) {
	t.Parallel()
	api := withoutEngines(t)
	unknown := schema.GroupVersionResource{Group: "airship.airshipit.org", Version: "v7", Resource: "sipclusters"}
	if docs, err := live.Documents(t.Context(), api.Config(), unknown, "SIPCluster"); !errors.Is(err, live.ErrMissingCRD) || docs != nil {
		t.Errorf("a kind that is not there: %v", err)
	}
	crds, err := filepath.Glob("../config/crd/*sipclusters*.yaml")
	need.Must(t, err == nil && len(crds) == 1, "%v %v", crds, err)
	api.InstallCRDs(t, crds...)
	api.Namespaces(t, "live-specs")
	api.Create(t, "people", "apiVersion: airship.airshipit.org/v1\nkind: SIPCluster\nmetadata: {namespace: live-specs, name: a}\nspec: {nodes: {Worker: {labelSelector: {matchLabels: {rack: r1}}, count: {active: 1}}}}\n")
	known := unknown
	known.Version = "v1"
	docs, err := live.Documents(t.Context(), readerAccount(t, api, "live-specs"), known, "SIPCluster")
	need.That(t, err == nil && len(docs) == 1 && docs[0].Name == "a" && docs[0].Kind == "SIPCluster", "got %+v, %v", docs, err)
}
