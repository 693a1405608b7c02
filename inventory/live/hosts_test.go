package live

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/inventory/bmh"
	"github.com/airshipit/sipgen/inventory/inventorytest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"
)

// TestOneSecretStopsNobody: of a live cluster too, a Secret that cannot be used is its host's own problem: of the wrong
// form, of a name that there cannot be, in another namespace, or not ours to read.
func TestOneSecretStopsNobody(t *testing.T) {
	for why, row := range map[string]struct {
		fault      func(w http.ResponseWriter, r *http.Request, n int) bool
		host, want string
	}{
		"of another form": {func(w http.ResponseWriter, r *http.Request, n int) bool {
			if !strings.HasSuffix(r.URL.Path, "/metal/secrets/n1-net") {
				return false
			}
			reply(w, http.StatusOK, map[string]any{"kind": "Secret", "apiVersion": "v1",
				"metadata": map[string]any{"name": "n1-net"},
				"data":     map[string]any{"networkData": "aHVudGVyMi1tYXJrZXI="}})
			return true
		}, "n1", "Secret metal/n1-net: networkData: cannot be read, want JSON or YAML of OpenStack network data"},
		"in another namespace, which nobody asks for": {func(w http.ResponseWriter, r *http.Request, n int) bool {
			return strings.Contains(r.URL.Path, "/other/") && refuse(w, 500, "InternalError", "no")
		}, "n0", "networkData names the Secret other/n1-net, want one in the host's namespace metal: metal3 refuses the other"},
		"that the account may not get": {func(w http.ResponseWriter, r *http.Request, n int) bool {
			return strings.HasSuffix(r.URL.Path, "/metal/secrets/n1-net") && refuse(w, 403, "Forbidden", "no")
		}, "n1", "network data Secret metal/n1-net lies in a namespace that the account may not read"},
		"of no name": {nil, "n5", `networkData names the Secret "metal/a/b", which no Secret can be called`},
	} {
		api := newFakeAPI(t, site+"---\n"+inventorytest.HostYAML("n5", "", "  networkData: {name: a/b}\n"))
		api.fault = row.fault
		got, err := api.read(Options{})
		if err != nil {
			t.Errorf("%s: %v", why, err)
			continue
		}
		others := 0
		for i := range got.Hosts {
			host := &got.Hosts[i]
			if host.Name != row.host {
				others += len(host.Addresses)
			} else if text := host.NoAddress("oam4"); text != row.want {
				t.Errorf("%s: %q and %v, want %q", why, text, host.Addresses, row.want)
			}
		}
		assert.Truef(t, others >= 3, "%s: the other hosts have %d addresses", why, others)
		inventorytest.NoMarker(t, fmt.Sprintf("%+v", got))
	}
}

// fakeAPI speaks the list protocol of an API server as far as these tests need it, and goes wrong in ways that
// a real one cannot be made to. The real one is asked in e2e.
type fakeAPI struct {
	*httptest.Server
	// objects by resource.
	objects map[string][]map[string]any
	// fault answers a request in the server's place and says whether it did. n counts requests from 1.
	fault func(w http.ResponseWriter, r *http.Request, n int) bool
	// perPage is how many objects a page has, whatever limit asks for.
	perPage int

	mu       sync.Mutex
	requests []string
}

func newFakeAPI(t testing.TB, text string) *fakeAPI {
	t.Helper()
	f := &fakeAPI{objects: map[string][]map[string]any{}, perPage: 2}
	docs := need.Value(manifest.Parse("objects", []byte(text)))(t)
	for _, doc := range docs {
		var object map[string]any
		require.NoError(t, json.Unmarshal(doc.JSON, &object))
		resource := map[string]string{bmh.KindHost: "baremetalhosts", bmh.KindHardwareData: "hardwaredata",
			bmh.KindSecret: "secrets", "SIPCluster": "sipclusters",
			"ValidatingAdmissionPolicyBinding": inventory.GuardResource}[doc.Kind]
		f.objects[resource] = append(f.objects[resource], object)
	}
	f.Server = httptest.NewServer(f)
	t.Cleanup(f.Close)
	return f
}

func (f *fakeAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	f.requests = append(f.requests, r.URL.RequestURI())
	n := len(f.requests)
	f.mu.Unlock()
	if f.fault != nil && f.fault(w, r, n) {
		return
	}
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	namespace, resource := "", parts[len(parts)-1]
	for i, part := range parts {
		if part == "namespaces" && i+2 < len(parts) {
			namespace, resource = parts[i+1], parts[i+2]
		}
	}
	var found []map[string]any
	for _, object := range f.objects[resource] {
		metadata := object["metadata"].(map[string]any)
		if namespace == "" || metadata["namespace"] == namespace {
			found = append(found, object)
		}
		if resource == "secrets" && metadata["namespace"] == namespace && metadata["name"] == parts[len(parts)-1] {
			reply(w, http.StatusOK, object)
			return
		}
	}
	if resource == "secrets" {
		refuse(w, http.StatusNotFound, "NotFound", "no such secret")
		return
	}
	start, _ := strconv.Atoi(r.URL.Query().Get("continue"))
	end := min(start+f.perPage, len(found))
	metadata := map[string]any{"resourceVersion": "7"}
	if end < len(found) {
		metadata["continue"], metadata["remainingItemCount"] = strconv.Itoa(end), len(found)-end
	}
	reply(w, http.StatusOK, map[string]any{"kind": "List", "apiVersion": "v1", "metadata": metadata,
		"items": append([]map[string]any{}, found[start:end]...)})
}

func reply(w http.ResponseWriter, code int, object any) {
	text, err := json.Marshal(object)
	if err != nil {
		panic(err)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_, _ = w.Write(text)
}

func refuse(w http.ResponseWriter, code int, reason, message string) bool {
	reply(w, code, map[string]any{"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": reason,
		"code": code, "message": message})
	return true
}

// asked counts the requests whose path ends so.
func (f *fakeAPI) asked(end string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := 0
	for _, request := range f.requests {
		if u, err := url.Parse(request); err == nil && strings.HasSuffix(u.Path, end) {
			n++
		}
	}
	return n
}

func (f *fakeAPI) read(options Options) (*inventory.Inventory, error) {
	return f.readIn(context.Background(), &rest.Config{Host: f.URL}, options)
}

func (f *fakeAPI) readIn(ctx context.Context, cfg *rest.Config, options Options) (*inventory.Inventory, error) {
	options.backoff = &wait.Backoff{Steps: 4, Duration: time.Millisecond}
	return Hosts(ctx, cfg, options)
}

// site is five hosts, three pages: with network data, with none, with an annotation, and with what inspection found.
// The status of n2 is an annotation.
var site = strings.Replace(inventorytest.Managed, "spec: {online: true}",
	"spec: {online: true, bmc: {address: 'redfish://root:"+inventorytest.Marker+
		"@198.51.100.1', credentialsName: n1-bmc}, networkData: {name: n1-net}}", 1) + "---\n" +
	inventorytest.HostYAML("n0", "", inventorytest.NamesOther) +
	strings.Replace(inventorytest.HostYAML("n4", "", ""), "---\n",
		"status: {operationalStatus: error, errorType: power management error, errorMessage: no answer, provisioning: {state: provisioned}, hardware: {systemVendor: {manufacturer: ' Dell Inc. ', productName: PowerEdge R740 (SKU=NotProvided;ModelName=PowerEdge R740), serialNumber: x}, cpu: {arch: x86_64, count: 32, model: x}, ramMebibytes: 262144, nics: [{name: eno1, mac: 'AA:00:00:00:00:01', ip: 192.0.2.40, speedGbps: 25}, {name: eno1, mac: 'aa:00:00:00:00:01', ip: '2001:db8::1', speedGbps: 25}], storage: [{name: /dev/sda, type: NVME, sizeBytes: 1000}, {rotational: true, sizeBytes: 10}, {type: NVME, sizeBytes: 1000}]}}\n---\n", 1) +
	inventorytest.HostYAML("n3", "  annotations: {kubectl.kubernetes.io/last-applied-configuration: "+
		inventorytest.Marker+"}\n", "") + inventorytest.HostYAML("n2",
	`  annotations: {baremetalhost.metal3.io/status: '{"provisioning":{"state":"inspecting"},"hardware":{"cpu":{"arch":"ppc64le","count":2}}}'}`+"\n", "  networkData: {name: none}\n") +
	inventorytest.SecretYAML("metal", "n1-net", secretData()) + inventorytest.SecretYAML("other", "n1-net",
	secretData()) + inventorytest.SecretYAML("metal", "n1-bmc", "data: {password: aHVudGVyMi1tYXJrZXI=}\n") +
	"apiVersion: metal3.io/v1alpha1\nkind: HardwareData\nmetadata: {namespace: metal, name: n3}\nspec: {hardware: {systemVendor: {productName: Altra}, cpu: {arch: aarch64, count: 8}, ramMebibytes: 1024, nics: [{name: eno1, ip: 192.0.2.30, speedGbps: 1}], storage: [{type: HDD, sizeBytes: 5}]}}\n---\n" +
	"apiVersion: metal3.io/v1alpha1\nkind: HardwareData\nmetadata: {namespace: metal, name: gone}\nspec: {hardware: {nics: [{name: eno1, ip: 192.0.2.31}]}}\n"

func secretData() string { return "data: {networkData: " + inventorytest.Both64 + "}\n" }

// An API server that is not there is asked five times, which takes less than five seconds; one that is busy, longer.
func TestRefusedConnections(t *testing.T) {
	for _, row := range []struct {
		err   error
		asked int
	}{
		{&net.OpError{Op: "dial", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}, mostRefused},
		{apierrors.NewTooManyRequests("busy", 0), 7},
	} {
		backoff, asked := patience(), 0
		backoff.Duration = time.Microsecond
		err := retry(t.Context(), backoff, func() error { asked++; return row.err })
		assert.Truef(t, errors.Is(err, row.err) && asked == row.asked, "%v: asked %d times, want %d", err, asked,
			row.asked)
	}
	backoff, waits := patience(), time.Duration(0)
	for range mostRefused - 1 {
		waits += backoff.Duration * 6 / 5 // with jitter
		backoff.Duration *= time.Duration(backoff.Factor)
	}
	assert.Truef(t, waits < 5*time.Second && connectTime < 5*time.Second, "waits %s, connects for %s", waits,
		connectTime)
}

// TestClusterIsLikeFiles: the live cluster gives the hosts that its objects give as files.
func TestClusterIsLikeFiles(t *testing.T) {
	want, _ := bmh.FromDocuments(need.Value(manifest.Parse("hosts.yaml", []byte(site)))(t))
	api := newFakeAPI(t, site)
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.FixedZone("x", 3600))
	got := need.Value(api.read(Options{Now: now}))(t)
	for i := range want {
		want[i].Source.File = "cluster"
		if want[i].Managers == nil {
			want[i].Managers = []inventory.Manager{}
		}
	}
	var hardware []string
	for i := range got.Hosts {
		if found := got.Hosts[i].Hardware; found != nil {
			hardware = append(hardware, got.Hosts[i].Name+": "+found.String())
		}
	}
	if got, want := strings.Join(hardware,
		"; "), "n2: ppc64le, 2 CPUs; n3: Altra, aarch64, 8 CPUs, 1Gi of memory, 1 disk of 0Gi (hdd), 1 NIC of 1G; "+
		"n4: Dell Inc. PowerEdge R740 (SKU=NotProvided;ModelName=PowerEdge R740), x86_64, 32 CPUs, 256Gi of memory, 1 disk of 0Gi (hdd), 2 disks of 0Gi (nvme), 1 NIC of 25G"; got != want {
		t.Errorf("hardware %s, want %s", got, want)
	}
	assert.Equal(t, toYAML(t, want), toYAML(t, got.Hosts))
	assert.Truef(t,
		got.TakenAt.Location() == time.UTC && got.TakenAt.Equal(now) && got.Context == api.URL && got.HasManagedFields,
		"got %v from %s, managedFields %v", got.TakenAt, got.Context, got.HasManagedFields)
	inventorytest.NoMarker(t, fmt.Sprintf("%+v", got))
	assert.Truef(t, api.asked("/baremetalhosts") == 3 && api.asked("/secrets") == 0 && api.asked("-bmc") == 0,
		"want three pages, no list of Secrets, and no BMC's: %q", api.requests)
	assert.Contains(t, api.requests[0], "limit=500", "want pages")
}

func toYAML(t testing.TB, v any) string {
	t.Helper()
	text := need.Value(yaml.Marshal(v))(t)
	return string(text)
}

// TestOnlyWhatIsNeeded: nothing is asked about hosts whose addresses nobody needs.
func TestOnlyWhatIsNeeded(t *testing.T) {
	api := newFakeAPI(t, site)
	got := need.Value(api.read(Options{NeedsAddresses: func(h *inventory.Host) bool { return h.Name == "n4" }}))(t)
	assert.Truef(t, len(got.Hosts) == 5 && api.asked("-net") == 0 && api.asked("/hardwaredata") == 0,
		"%d hosts, asked %q", len(got.Hosts), api.requests)
	api = newFakeAPI(t, site)
	need.Value(api.read(Options{NeedsAddresses: func(h *inventory.Host) bool { return h.Name == "n1" }}))(t)
	assert.Truef(t, api.asked("/metal/secrets/n1-net") == 1 && api.asked("/other/secrets/n1-net") == 0, "asked %q",
		api.requests)
}

func TestNamespaces(t *testing.T) {
	api := newFakeAPI(t, site+"---\n"+strings.Replace(inventorytest.HostYAML("e1", "", ""), "namespace: metal",
		"namespace: edge", 1)+"apiVersion: metal3.io/v1alpha1\nkind: BareMetalHost\nmetadata: {namespace: third, name: x}\n")
	got, err := api.read(Options{Namespaces: []string{"metal", "edge", "metal"},
		NeedsAddresses: func(*inventory.Host) bool { return false }})
	require.NoError(t, err)
	assert.Truef(t,
		len(got.Hosts) == 6 && got.Hosts[0].Key() == "edge/e1" && api.asked("/namespaces/metal/baremetalhosts") == 3,
		"got %d hosts, asked %q", len(got.Hosts), api.requests)
}

func TestClusterDocuments(t *testing.T) {
	api := newFakeAPI(t, "apiVersion: airship.airshipit.org/v1\nkind: SIPCluster\nmetadata: {namespace: a, name: one}\n---\napiVersion: airship.airshipit.org/v1\nkind: SIPCluster\nmetadata: {namespace: a, name: two}\n---\napiVersion: airship.airshipit.org/v1\nkind: SIPCluster\nmetadata: {namespace: b, name: three}\n")
	gvr := schema.GroupVersionResource{Group: "airship.airshipit.org", Version: "v1", Resource: "sipclusters"}
	once := true
	api.fault = func(w http.ResponseWriter, r *http.Request, n int) bool {
		if n == 2 && once {
			once = false
			return refuse(w, 410, "Expired", "too old")
		}
		return false
	}
	docs := need.Value(Documents(context.Background(), &rest.Config{Host: api.URL}, gvr, "SIPCluster"))(t)
	var names []string
	for i := range docs {
		assert.Truef(t, docs[i].Live, "%s counts as written in a file", docs[i].File)
		names = append(names, docs[i].Kind+" "+docs[i].Namespace+"/"+docs[i].Name+": "+docs[i].File)
	}
	want := []string{"SIPCluster a/one: sipcluster a/one", "SIPCluster a/two: sipcluster a/two",
		"SIPCluster b/three: sipcluster b/three"}
	assert.Equal(t, want, names)
	doc := docs[2].Problem("spec", "wrong")
	assert.Truef(t, strings.HasPrefix(doc.Error(), "sipcluster b/three: document "), "a problem of it says %v", doc)
}
