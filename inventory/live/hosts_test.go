package live

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/inventory/bmh"
	"github.com/airshipit/sipgen/inventory/inventorytest"
)

// TestOneSecretStopsNobody: of a live cluster too, a Secret that cannot be used is its host's own problem: of the wrong form, of a name that there
// cannot be, in another namespace, or not ours to read.
func TestOneSecretStopsNobody(t *testing.T) {
	for why, row := range map[string]struct {
		fault      func(w http.ResponseWriter, r *http.Request, n int) bool
		host, want string
	}{
		"of another form": {func(w http.ResponseWriter, r *http.Request, n int) bool {
			if !strings.HasSuffix(r.URL.Path, "/metal/secrets/n1-net") {
				return false
			}
			reply(w, http.StatusOK, map[string]any{"kind": "Secret", "apiVersion": "v1", "metadata": map[string]any{"name": "n1-net"}, "data": map[string]any{"networkData": "aHVudGVyMi1tYXJrZXI="}})
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
		need.That(t, others >= 3, "%s: the other hosts have %d addresses", why, others)
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
		need.OK(t, json.Unmarshal(doc.JSON, &object))
		resource := map[string]string{bmh.KindHost: "baremetalhosts", bmh.KindHardwareData: "hardwaredata", bmh.KindSecret: "secrets", "SIPCluster": "sipclusters", "ValidatingAdmissionPolicyBinding": inventory.GuardResource}[doc.Kind]
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
	reply(w, http.StatusOK, map[string]any{"kind": "List", "apiVersion": "v1", "metadata": metadata, "items": append([]map[string]any{}, found[start:end]...)})
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
	reply(w, code, map[string]any{"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": reason, "code": code, "message": message})
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

// site is five hosts, three pages: with network data, with none, with an annotation, and with what inspection found. The status of n2 is an
// annotation.
var site = strings.Replace(inventorytest.Managed, "spec: {online: true}", "spec: {online: true, bmc: {address: 'redfish://root:"+inventorytest.Marker+"@198.51.100.1', credentialsName: n1-bmc}, networkData: {name: n1-net}}", 1) + "---\n" +
	inventorytest.HostYAML("n0", "", inventorytest.NamesOther) +
	strings.Replace(inventorytest.HostYAML("n4", "", ""), "---\n", "status: {operationalStatus: error, errorType: power management error, errorMessage: no answer, provisioning: {state: provisioned}, hardware: {systemVendor: {manufacturer: ' Dell Inc. ', productName: PowerEdge R740 (SKU=NotProvided;ModelName=PowerEdge R740), serialNumber: x}, cpu: {arch: x86_64, count: 32, model: x}, ramMebibytes: 262144, nics: [{name: eno1, mac: 'AA:00:00:00:00:01', ip: 192.0.2.40, speedGbps: 25}, {name: eno1, mac: 'aa:00:00:00:00:01', ip: '2001:db8::1', speedGbps: 25}], storage: [{name: /dev/sda, type: NVME, sizeBytes: 1000}, {rotational: true, sizeBytes: 10}, {type: NVME, sizeBytes: 1000}]}}\n---\n", 1) +
	inventorytest.HostYAML("n3", "  annotations: {kubectl.kubernetes.io/last-applied-configuration: "+inventorytest.Marker+"}\n", "") + inventorytest.HostYAML("n2", `  annotations: {baremetalhost.metal3.io/status: '{"provisioning":{"state":"inspecting"},"hardware":{"cpu":{"arch":"ppc64le","count":2}}}'}`+"\n", "  networkData: {name: none}\n") +
	inventorytest.SecretYAML("metal", "n1-net", secretData()) + inventorytest.SecretYAML("other", "n1-net", secretData()) + inventorytest.SecretYAML("metal", "n1-bmc", "data: {password: aHVudGVyMi1tYXJrZXI=}\n") +
	"apiVersion: metal3.io/v1alpha1\nkind: HardwareData\nmetadata: {namespace: metal, name: n3}\nspec: {hardware: {systemVendor: {productName: Altra}, cpu: {arch: aarch64, count: 8}, ramMebibytes: 1024, nics: [{name: eno1, ip: 192.0.2.30, speedGbps: 1}], storage: [{type: HDD, sizeBytes: 5}]}}\n---\n" +
	"apiVersion: metal3.io/v1alpha1\nkind: HardwareData\nmetadata: {namespace: metal, name: gone}\nspec: {hardware: {nics: [{name: eno1, ip: 192.0.2.31}]}}\n"

func secretData() string { return "data: {networkData: " + inventorytest.Both64 + "}\n" }

// TestClusterIsLikeFiles: the live cluster gives the hosts that its objects give as files.
func TestClusterIsLikeFiles(t *testing.T) {
	want := need.Value(fromText(t, site))(t)
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
	if got, want := strings.Join(hardware, "; "), "n2: ppc64le, 2 CPUs; n3: Altra, aarch64, 8 CPUs, 1Gi of memory, 1 disk of 0Gi (hdd), 1 NIC of 1G; "+
		"n4: Dell Inc. PowerEdge R740 (SKU=NotProvided;ModelName=PowerEdge R740), x86_64, 32 CPUs, 256Gi of memory, 1 disk of 0Gi (hdd), 2 disks of 0Gi (nvme), 1 NIC of 25G"; got != want {
		t.Errorf("hardware %s, want %s", got, want)
	}
	need.Equal(t, "", toYAML(t, got.Hosts), toYAML(t, want))
	need.That(t, got.TakenAt.Location() == time.UTC && got.TakenAt.Equal(now) && got.Context == api.URL && got.HasManagedFields,
		"got %v from %s, managedFields %v", got.TakenAt, got.Context, got.HasManagedFields)
	inventorytest.NoMarker(t, fmt.Sprintf("%+v", got))
	need.That(t, api.asked("/baremetalhosts") == 3 && api.asked("/secrets") == 0 && api.asked("-bmc") == 0,
		"want three pages, no list of Secrets, and no BMC's: %q", api.requests)
	need.Words(t, "want pages", api.requests[0], "limit=500")
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
	need.That(t, len(got.Hosts) == 5 && api.asked("-net") == 0 && api.asked("/hardwaredata") == 0,
		"%d hosts, asked %q", len(got.Hosts), api.requests)
	api = newFakeAPI(t, site)
	need.Value(api.read(Options{NeedsAddresses: func(h *inventory.Host) bool { return h.Name == "n1" }}))(t)
	need.That(t, api.asked("/metal/secrets/n1-net") == 1 && api.asked("/other/secrets/n1-net") == 0, "asked %q", api.requests)
}

func TestNamespaces(t *testing.T) {
	api := newFakeAPI(t, site+"---\n"+strings.Replace(inventorytest.HostYAML("e1", "", ""), "namespace: metal", "namespace: edge", 1)+"apiVersion: metal3.io/v1alpha1\nkind: BareMetalHost\nmetadata: {namespace: third, name: x}\n")
	got, err := api.read(Options{Namespaces: []string{"metal", "edge", "metal"}, NeedsAddresses: func(*inventory.Host) bool { return false }})
	need.OK(t, err)
	need.That(t, len(got.Hosts) == 6 && got.Hosts[0].Key() == "edge/e1" && api.asked("/namespaces/metal/baremetalhosts") == 3,
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
		need.That(t, docs[i].Live, "%s counts as written in a file", docs[i].File)
		names = append(names, docs[i].Kind+" "+docs[i].Namespace+"/"+docs[i].Name+": "+docs[i].File)
	}
	want := []string{"SIPCluster a/one: sipcluster a/one", "SIPCluster a/two: sipcluster a/two", "SIPCluster b/three: sipcluster b/three"}
	need.Same(t, "", names, want)
	doc := docs[2].Problem("spec", "wrong")
	need.That(t, strings.HasPrefix(doc.Error(), "sipcluster b/three: document "), "a problem of it says %v", doc)
}

func fromText(t *testing.T, text string) ([]inventory.Host, error) {
	t.Helper()
	docs := need.Value(manifest.Parse("hosts.yaml", []byte(text)))(t)
	hosts, _ := bmh.FromDocuments(docs)
	return hosts, nil
}

// TestFaults: whatever goes wrong, it is all of the hosts or an error.
func TestFaults(t *testing.T) {
	isHosts := func(r *http.Request, _ int) bool { return strings.HasSuffix(r.URL.Path, "/baremetalhosts") }
	second := func(r *http.Request, n int) bool { return isHosts(r, n) && r.URL.Query().Get("continue") == "2" }
	secondRequest := func(_ *http.Request, n int) bool { return n == 2 }
	early := func(_ *http.Request, n int) bool { return n < 3 }
	always := func(*http.Request, int) bool { return true }
	pathEnds := func(end string) func(*http.Request, int) bool {
		return func(r *http.Request, _ int) bool { return strings.HasSuffix(r.URL.Path, end) }
	}
	page := func(w http.ResponseWriter, body string) bool {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(body))
		return true
	}
	sending := func(body string) func(http.ResponseWriter) bool {
		return func(w http.ResponseWriter) bool { return page(w, body) }
	}
	refusing := func(code int, reason, message string) func(http.ResponseWriter) bool {
		return func(w http.ResponseWriter) bool { return refuse(w, code, reason, message) }
	}
	where := func(is func(*http.Request, int) bool, answer func(http.ResponseWriter) bool) func(http.ResponseWriter, *http.Request, int) bool {
		return func(w http.ResponseWriter, r *http.Request, n int) bool { return is(r, n) && answer(w) }
	}
	for _, row := range []struct {
		why   string
		fault func(w http.ResponseWriter, r *http.Request, n int) bool
		// want are words of the error; none means all five hosts are read in spite of the fault.
		want  string
		is    error
		calls int
	}{
		{"the token expires once: the list begins anew", where(secondRequest, refusing(410, "Expired", "The provided continue parameter is too old")), "", nil, 0},
		{"a gateway says gone in its own words", func(w http.ResponseWriter, r *http.Request, n int) bool {
			if n != 2 {
				return false
			}
			http.Error(w, "gone", http.StatusGone)
			return true
		}, "", nil, 0},
		{"the token expires each time", where(second, refusing(410, "Expired", "The provided continue parameter is too old")), "list of baremetalhosts.metal3.io: The provided continue parameter is too old", nil, 8},
		{"a page of another version once", where(secondRequest, sending(`{"metadata":{"resourceVersion":"8","continue":"4"},"items":[]}`)), "", nil, 0},
		{"pages of other versions each time", where(second, sending(`{"metadata":{"resourceVersion":"8"},"items":[]}`)), "different versions", ErrIncomplete, 8},
		{"more is announced, and there is no token", where(second, sending(`{"metadata":{"resourceVersion":"7","remainingItemCount":3},"items":[]}`)), "2 objects seen, 3 more announced", ErrIncomplete, 0},
		{"a page that is cut off, once", func(w http.ResponseWriter, r *http.Request, n int) bool {
			if n == 2 {
				w.Header().Set("Content-Length", "1000")
			}
			return n == 2 && page(w, `{"metadata":{"resourceVersion":"7"},"items":[`)
		}, "", nil, 0},
		{"a page that is cut off, each time", func(w http.ResponseWriter, r *http.Request, n int) bool {
			if second(r, n) {
				w.Header().Set("Content-Length", "1000")
			}
			return second(r, n) && page(w, `{"metadata":{"resourceVersion":"7"},"items":[`)
		}, "the list ended early", ErrIncomplete, 5},
		{"cut off by a proxy that fixes the length", where(second, sending(`{"metadata":{"resourceVersion":"7"},"items":[`)), "after 2 objects the answer is cut off", ErrIncomplete, 5},
		{"an answer without items", where(second, sending(`{"metadata":{"resourceVersion":"7"}}`)), "after 2 objects the answer is no list", ErrIncomplete, 0},
		{"a login page in the API server's place", where(isHosts, sending(`{}`)), "the answer is no list", ErrIncomplete, 0},
		{"an item of a wrong form, whose content stays out", where(second, sending(`{"metadata":{"resourceVersion":"7"},"items":["`+inventorytest.Marker+`"]}`)), "an item is not a BareMetalHost", nil, 0},
		{"an item of a wrong form has a name, and its content stays out", where(second, sending(`{"metadata":{"resourceVersion":"7"},"items":[{"kind":"BareMetalHost","metadata":{"namespace":"metal","name":"n3"},"spec":{"online":"`+inventorytest.Marker+`"}}]}`)), "an item is not a BareMetalHost: metal/n3: ", nil, 0},
		{"items of another kind", where(second, sending(`{"metadata":{"resourceVersion":"7"},"items":[{"kind":"Secret","metadata":{"namespace":"metal","name":"n3"}}]}`)), "an item is of kind Secret, want BareMetalHost", nil, 0},
		{"the same page for ever", where(second, sending(`{"metadata":{"resourceVersion":"7","continue":"2"},"items":[]}`)), "after 2 objects the API server repeats its continue token", ErrIncomplete, 2},
		{"pages without end", func(w http.ResponseWriter, r *http.Request, n int) bool {
			return isHosts(r, n) && page(w, fmt.Sprintf(`{"metadata":{"resourceVersion":"7","continue":"c%d"},"items":[]}`, n))
		}, "4000 pages and 0 objects seen", ErrIncomplete, 4000},
		{"busy for a while", where(early, refusing(429, "TooManyRequests", "busy")), "", nil, 0},
		{"broken for a while", func(w http.ResponseWriter, r *http.Request, n int) bool {
			return (n == 2 || n == 3) && refuse(w, []int{500, 503}[n-2], "", "broken")
		}, "", nil, 0},
		{"busy all the time", where(always, refusing(429, "TooManyRequests", "busy")), "list of baremetalhosts.metal3.io: busy", nil, 4},
		{"the connection breaks once", func(w http.ResponseWriter, r *http.Request, n int) bool {
			if n != 2 {
				return false
			}
			panic(http.ErrAbortHandler)
		}, "", nil, 0},
		{"not allowed to list hosts, said in the server's words, and not tried again", where(isHosts, refusing(403, "Forbidden", `User "ci" cannot list resource "baremetalhosts"`)), `forbidden: the account lacks a right; for sipgen's own account, policy/reader.yaml in the tree grants it: User "ci" cannot list resource "baremetalhosts"`, nil, 1},
		{"not logged in", where(always, refusing(401, "Unauthorized", "Unauthorized")), "not logged in", nil, 1},
		{"no CRD", func(w http.ResponseWriter, r *http.Request, n int) bool {
			http.NotFound(w, r)
			return true
		}, "list of baremetalhosts.metal3.io: the cluster has no such resource (metal3.io/v1alpha1)", ErrMissingCRD, 1},
		{"a Secret that cannot be read at the moment", where(pathEnds("/metal/secrets/n1-net"), refusing(500, "InternalError", "etcd is gone")), "network data Secret metal/n1-net of host metal/n1: etcd is gone", nil, 0},
		{"a cluster without HardwareData has one source less", func(w http.ResponseWriter, r *http.Request, n int) bool {
			if !strings.HasSuffix(r.URL.Path, "/hardwaredata") {
				return false
			}
			http.NotFound(w, r)
			return true
		}, "", nil, 0},
		{"not allowed to list HardwareData is another thing", where(pathEnds("/hardwaredata"), refusing(403, "Forbidden", "cannot list hardwaredata")), "list of hardwaredata.metal3.io: forbidden", nil, 0},
	} {
		t.Run(row.why, func(t *testing.T) {
			api := newFakeAPI(t, site)
			api.fault = row.fault
			got, err := api.read(Options{})
			if row.want == "" {
				need.OK(t, err)
				var names []string
				for _, h := range got.Hosts {
					names = append(names, h.Name)
				}
				need.Same(t, "", names, []string{"n0", "n1", "n2", "n3", "n4"})
				return
			}
			need.Must(t, got == nil && err != nil, "got %+v, %v, want an error and nothing else", got, err)
			if !strings.Contains(err.Error(), row.want) || row.is != nil && !errors.Is(err, row.is) {
				t.Errorf("got  %v\nwant %s", err, row.want)
			}
			inventorytest.NoMarker(t, err.Error())
			if n := api.asked(""); row.calls > 0 && n != row.calls {
				t.Errorf("%d requests, want %d: %q", n, row.calls, api.requests)
			}
		})
	}
}

// TestSlowServer: the server answers when the test is over; the client's own timeout comes first.
func TestSlowServer(t *testing.T) {
	api := newFakeAPI(t, site)
	over := make(chan struct{})
	defer close(over)
	api.fault = func(_ http.ResponseWriter, r *http.Request, n int) bool {
		if n == 2 {
			<-over
		}
		return n == 2
	}
	got, err := api.readIn(context.Background(), &rest.Config{Host: api.URL, Timeout: 50 * time.Millisecond}, Options{})
	need.That(t, got == nil && err != nil && strings.Contains(err.Error(), "list of baremetalhosts.metal3.io: the API server did not answer in time"),
		"got %+v, %v", got, err)
}

// TestCancelled: a person who gives up gets an error, wherever it was, and never a smaller inventory.
func TestCancelled(t *testing.T) {
	for _, at := range []string{"/baremetalhosts", "/hardwaredata", "/secrets/n1-net", "/secrets/none"} {
		api := newFakeAPI(t, site)
		ctx, cancel := context.WithCancel(context.Background())
		api.fault = func(w http.ResponseWriter, r *http.Request, n int) bool {
			if !strings.HasSuffix(r.URL.Path, at) {
				return false
			}
			cancel()
			return refuse(w, 429, "TooManyRequests", "busy")
		}
		got, err := api.readIn(ctx, &rest.Config{Host: api.URL}, Options{})
		need.That(t, got == nil && errors.Is(err, context.Canceled), "%s: got %+v, %v", at, got, err)
		cancel()
	}
}

// TestHostsOfAnotherNamespace: hosts that the list was not asked for are an error.
func TestHostsOfAnotherNamespace(t *testing.T) {
	api := newFakeAPI(t, site)
	api.fault = func(w http.ResponseWriter, r *http.Request, _ int) bool {
		if !strings.HasSuffix(r.URL.Path, "/namespaces/metal/baremetalhosts") {
			return false
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"metadata":{"resourceVersion":"7"},"items":[{"kind":"BareMetalHost","metadata":{"namespace":"red","name":"n1"}}]}`))
		return true
	}
	got, err := api.read(Options{Namespaces: []string{"metal"}})
	want := "the list of namespace metal has an item of namespace red"
	need.That(t, got == nil && err != nil && strings.Contains(err.Error(), want), "got %+v, %v, want %q", got, err, want)
}

// TestLargeAnswer: an answer that is larger than any list ends with an error, before all of it is read.
func TestLargeAnswer(t *testing.T) {
	const most = 1 << 20
	limited := bounded{roundTrip(func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(strings.Repeat("x", most+1)))}, nil
	}), most}
	response := need.Value(limited.RoundTrip(&http.Request{}))(t)
	read, err := io.ReadAll(response.Body)
	need.That(t, len(read) == most && err != nil, "read %d bytes, %v; want %d and an error", len(read), err, most)
}

type roundTrip func(*http.Request) (*http.Response, error)

func (r roundTrip) RoundTrip(request *http.Request) (*http.Response, error) { return r(request) }
