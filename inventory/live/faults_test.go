package live

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/inventory/inventorytest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"
)

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
	cutOff := func(w http.ResponseWriter) bool {
		w.Header().Set("Content-Length", "1000")
		return page(w, `{"metadata":{"resourceVersion":"7"},"items":[`)
	}
	refusing := func(code int, reason, message string) func(http.ResponseWriter) bool {
		return func(w http.ResponseWriter) bool { return refuse(w, code, reason, message) }
	}
	notFound := func(w http.ResponseWriter) bool {
		http.Error(w, "404 page not found", http.StatusNotFound)
		return true
	}
	where := func(is func(*http.Request, int) bool,
		answer func(http.ResponseWriter) bool) func(http.ResponseWriter, *http.Request, int) bool {
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
		{"the token expires once: the list begins anew",
			where(secondRequest, refusing(410, "Expired", "The provided continue parameter is too old")), "", nil, 0},
		{"the token expires each time", where(second,
			refusing(410, "Expired", "The provided continue parameter is too old")),
			"list of baremetalhosts.metal3.io: The provided continue parameter is too old", nil, 8},
		{"a page of another version once",
			where(secondRequest, sending(`{"metadata":{"resourceVersion":"8","continue":"4"},"items":[]}`)), "", nil,
			0},
		{"pages of other versions each time", where(second, sending(`{"metadata":{"resourceVersion":"8"},"items":[]}`)),
			"different versions", ErrIncomplete, 8},
		{"more is announced, and there is no token",
			where(second, sending(`{"metadata":{"resourceVersion":"7","remainingItemCount":3},"items":[]}`)),
			"2 objects seen, 3 more announced", ErrIncomplete, 0},
		{"a page that is cut off, once", where(secondRequest, cutOff), "", nil, 0},
		{"a page that is cut off, each time", where(second, cutOff), "the list ended early", ErrIncomplete, 5},
		{"cut off by a proxy that fixes the length",
			where(second, sending(`{"metadata":{"resourceVersion":"7"},"items":[`)),
			"after 2 objects the answer is cut off", ErrIncomplete, 5},
		{"an answer without items", where(second, sending(`{"metadata":{"resourceVersion":"7"}}`)),
			"after 2 objects the answer is no list", ErrIncomplete, 0},
		{"a login page in the API server's place", where(isHosts, sending(`{}`)), "the answer is no list",
			ErrIncomplete, 0},
		{"an item of a wrong form, whose content stays out",
			where(second, sending(`{"metadata":{"resourceVersion":"7"},"items":["`+inventorytest.Marker+`"]}`)),
			"an item is not a BareMetalHost", nil, 0},
		{"an item of a wrong form has a name, and its content stays out",
			where(second, sending(`{"metadata":{"resourceVersion":"7"},"items":[{"kind":"BareMetalHost","metadata":{"namespace":"metal","name":"n3"},"spec":{"online":"`+inventorytest.Marker+`"}}]}`)), "an item is not a BareMetalHost: metal/n3: ", nil, 0},
		{"items of another kind", where(second,
			sending(`{"metadata":{"resourceVersion":"7"},"items":[{"kind":"Secret","metadata":{"namespace":"metal","name":"n3"}}]}`)), "an item is of kind Secret, want BareMetalHost", nil, 0},
		{"the same page for ever", where(second,
			sending(`{"metadata":{"resourceVersion":"7","continue":"2"},"items":[]}`)),
			"after 2 objects the API server repeats its continue token", ErrIncomplete, 2},
		{"pages without end", func(w http.ResponseWriter, r *http.Request, n int) bool {
			return isHosts(r, n) && page(w,
				fmt.Sprintf(`{"metadata":{"resourceVersion":"7","continue":"c%d"},"items":[]}`, n))
		}, "4000 pages and 0 objects seen", ErrIncomplete, 4000},
		{"busy for a while", where(early, refusing(429, "TooManyRequests", "busy")), "", nil, 0},
		{"busy all the time", where(always, refusing(429, "TooManyRequests", "busy")),
			"list of baremetalhosts.metal3.io: busy", nil, 4},
		{"the connection breaks once", where(secondRequest, func(http.ResponseWriter) bool {
			panic(http.ErrAbortHandler)
		}), "", nil, 0},
		{"not allowed to list hosts, said in the server's words, and not tried again",
			where(isHosts, refusing(403, "Forbidden", `User "ci" cannot list resource "baremetalhosts"`)),
			`forbidden: the account lacks a right; for sipgen's own account, policy/reader.yaml in the tree grants it: User "ci" cannot list resource "baremetalhosts"`, nil, 1},
		{"not logged in", where(always, refusing(401, "Unauthorized", "Unauthorized")), "not logged in", nil, 1},
		{"no CRD", where(always, notFound),
			"list of baremetalhosts.metal3.io: the cluster has no such resource (metal3.io/v1alpha1)", ErrMissingCRD,
			1},
		{"a Secret that cannot be read at the moment",
			where(pathEnds("/metal/secrets/n1-net"), refusing(500, "InternalError", "etcd is gone")),
			"network data Secret metal/n1-net of host metal/n1: etcd is gone", nil, 0},
		{"a cluster without HardwareData has one source less", where(pathEnds("/hardwaredata"), notFound), "", nil, 0},
		{"not allowed to list HardwareData is another thing",
			where(pathEnds("/hardwaredata"), refusing(403, "Forbidden", "cannot list hardwaredata")),
			"list of hardwaredata.metal3.io: forbidden", nil, 0},
	} {
		t.Run(row.why, func(t *testing.T) {
			api := newFakeAPI(t, site)
			api.fault = row.fault
			got, err := api.read(Options{})
			if row.want == "" {
				require.NoError(t, err)
				var names []string
				for _, h := range got.Hosts {
					names = append(names, h.Name)
				}
				assert.Equal(t, []string{"n0", "n1", "n2", "n3", "n4"}, names)
				return
			}
			require.Truef(t, got == nil && err != nil, "got %+v, %v, want an error and nothing else", got, err)
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
	assert.Truef(t,
		got == nil && err != nil && strings.Contains(err.Error(),
			"list of baremetalhosts.metal3.io: the API server did not answer in time"),
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
		assert.Truef(t, got == nil && errors.Is(err, context.Canceled), "%s: got %+v, %v", at, got, err)
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
	assert.Truef(t, got == nil && err != nil && strings.Contains(err.Error(), want), "got %+v, %v, want %q", got, err,
		want)
}

// TestLargeAnswer: an answer that is larger than any list ends with an error, before all of it is read.
func TestLargeAnswer(t *testing.T) {
	const most = 1 << 20
	limited := bounded{roundTrip(func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: http.StatusOK,
			Body: io.NopCloser(strings.NewReader(strings.Repeat("x", most+1)))}, nil
	}), most}
	response := need.Value(limited.RoundTrip(&http.Request{}))(t)
	read, err := io.ReadAll(response.Body)
	assert.Truef(t, len(read) == most && err != nil, "read %d bytes, %v; want %d and an error", len(read), err, most)
}

type roundTrip func(*http.Request) (*http.Response, error)

func (r roundTrip) RoundTrip(request *http.Request) (*http.Response, error) { return r(request) }
