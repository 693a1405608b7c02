package live

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/inventory/inventorytest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
)

var sipClusters = schema.GroupVersionResource{Group: "airship.airshipit.org", Version: "v1", Resource: "sipclusters"}

// TestFinalized: which SIPClusters have the finalizer, where in the list, and who is waited for. Nothing but metadata
// is asked for.
func TestFinalized(t *testing.T) {
	api := newFakeAPI(t, `
kind: SIPCluster
metadata: {namespace: b, name: lma, finalizers: [other, sip]}
---
kind: SIPCluster
metadata: {namespace: a, name: lma, deletionTimestamp: "2026-01-02T03:04:05Z", finalizers: [sip]}
---
kind: SIPCluster
metadata: {namespace: c, name: lma, finalizers: [other]}
`)
	cfg := &rest.Config{Host: api.URL}
	got, err := Finalized(context.Background(), cfg, sipClusters, "sip")
	want := []inventory.Finalized{{Namespace: "a", Name: "lma", Deleting: true},
		{Namespace: "b", Name: "lma", Index: 1}}
	assert.Truef(t, err == nil && reflect.DeepEqual(got, want), "got %v, %v, want %v", got, err, want)
	code := http.StatusNotFound
	api.fault = func(w http.ResponseWriter, r *http.Request, _ int) bool {
		assert.Equal(t, onlyMetadata, r.Header.Get("Accept"), "asked for")
		return refuse(w, code, "", "no")
	}
	if got, err := Finalized(context.Background(), cfg, sipClusters, "sip"); got != nil || err != nil {
		t.Errorf("without the CRD: got %v, %v", got, err)
	}
	code = http.StatusForbidden
	if got, err := Finalized(context.Background(), cfg, sipClusters, "sip"); got != nil || err == nil {
		t.Errorf("forbidden: got %v, %v", got, err)
	}
}

// TestSecretsSeen: whether Secrets are there, by their metadata alone.
func TestSecretsSeen(t *testing.T) {
	api := newFakeAPI(t, inventorytest.SecretYAML("a", "keys", "data: {k: "+inventorytest.Marker+"}\n"))
	cfg := &rest.Config{Host: api.URL}
	api.fault = func(w http.ResponseWriter, r *http.Request, _ int) bool {
		assert.Equal(t, onlyItsMetadata, r.Header.Get("Accept"), "asked for")
		return strings.Contains(r.URL.Path, "/namespaces/closed/") && refuse(w, http.StatusForbidden, "Forbidden", "no")
	}
	got, err := SecretsSeen(context.Background(), cfg,
		[]inventory.SecretSeen{{Namespace: "a", Name: "keys"}, {Namespace: "a", Name: "none"},
			{Namespace: "closed", Name: "keys"}})
	want := []inventory.SecretSeen{{Namespace: "a", Name: "keys"}, {Namespace: "a", Name: "none", Missing: true},
		{Namespace: "closed", Name: "keys", Unread: "the account may not look"}}
	assert.Truef(t, err == nil && reflect.DeepEqual(got, want), "got %v, %v, want %v", got, err, want)
	api.fault = func(w http.ResponseWriter, _ *http.Request, _ int) bool {
		return refuse(w, http.StatusUnauthorized, "Unauthorized", "no")
	}
	if got, err := SecretsSeen(context.Background(), cfg, want[:1]); got != nil || err == nil ||
		!strings.Contains(err.Error(), "a/keys") {
		t.Errorf("not logged in: got %v, %v", got, err)
	}
}

// TestGuards: sipgen's guards of hosts, of all sites, and nobody else's. What is not understood is taken to be in force
// everywhere.
func TestGuards(t *testing.T) {
	api := newFakeAPI(t, `
kind: ValidatingAdmissionPolicyBinding
metadata: {name: of-dc2, labels: {sipgen.airshipit.org/site: dc2}}
spec: {matchResources: {namespaceSelector: {matchExpressions: [{key: kubernetes.io/metadata.name, operator: In, values: [a, b]}]}}}
---
kind: ValidatingAdmissionPolicyBinding
metadata: {name: of-dc1, labels: {sipgen.airshipit.org/site: dc1}}
spec: {matchResources: {namespaceSelector: {matchExpressions: [{key: kubernetes.io/metadata.name, operator: NotIn, values: [a]}]}}}
---
kind: ValidatingAdmissionPolicyBinding
metadata: {name: sipgen-dc2-service-guard-v1, labels: {sipgen.airshipit.org/site: dc2}}
spec: {}
---
kind: ValidatingAdmissionPolicyBinding
metadata: {name: sipgen-dc2-jump-host-guard-v1, labels: {sipgen.airshipit.org/site: dc2}}
spec: {}
---
kind: ValidatingAdmissionPolicyBinding
metadata: {name: somebody-else}
spec: {}
`)
	got, err := Guards(context.Background(), &rest.Config{Host: api.URL})
	want := []inventory.GuardBinding{{Name: "of-dc1", Site: "dc1"},
		{Name: "of-dc2", Site: "dc2", Namespaces: []string{"a", "b"}}}
	assert.Truef(t, err == nil && reflect.DeepEqual(got, want), "got %v, %v, want %v", got, err, want)
}

// TestStatusWriter: a patch goes to the subresource and has the version that was read; what an API server answers is
// told apart, tried again where it passes, and said without the token. The real API server is asked in e2e.
func TestStatusWriter(t *testing.T) {
	const token = "eyJhbGciOiJSUzI1NiJ9.very.secret"
	for _, row := range []struct {
		why     string
		answers []int
		reason  string
		want    error
		said    string
	}{
		{"it is written", []int{200}, "", nil, ""},
		{"the API server is busy for a moment", []int{503, 429, 200}, "", nil, ""},
		{"somebody else wrote", []int{409}, "Conflict", ErrChanged, ""},
		{"the object is gone", []int{404}, "NotFound", ErrGone, ""},
		{"an older CRD", []int{400}, "BadRequest", ErrUnknownFields, ""},
		{"no right", []int{403}, "Forbidden", nil, "forbidden: the account lacks a right"},
	} {
		var bodies []string
		f := newFakeAPI(t, "")
		f.fault = func(w http.ResponseWriter, r *http.Request, n int) bool {
			body, _ := io.ReadAll(r.Body)
			bodies = append(bodies, string(body))
			if r.Method != http.MethodPatch ||
				r.URL.Path != "/apis/airship.airshipit.org/v1/namespaces/t/sipclusters/a/status" ||
				r.Header.Get("Content-Type") != "application/merge-patch+json" ||
				r.URL.Query().Get("fieldValidation") != "Strict" {
				t.Errorf("%s: %s %s %s", row.why, r.Method, r.URL, r.Header.Get("Content-Type"))
			}
			if code := row.answers[min(n, len(row.answers))-1]; code != 200 {
				return refuse(w, code, row.reason, "no: Authorization "+r.Header.Get("Authorization"))
			}
			reply(w, 200, map[string]any{"apiVersion": "airship.airshipit.org/v1", "kind": "SIPCluster"})
			return true
		}
		writer, err := NewStatusWriter(&rest.Config{Host: f.URL, BearerToken: token},
			schema.GroupVersionResource{Group: "airship.airshipit.org", Version: "v1", Resource: "sipclusters"})
		require.NoError(t, err)
		writer.reader.backoff.Duration = 1
		err = writer.Patch(context.Background(), "t", "a", "17", map[string]any{"short": 1})
		switch {
		case row.want != nil && !errors.Is(err, row.want), row.want == nil && row.said == "" &&
			err != nil, row.said != "" && (err == nil || !strings.Contains(err.Error(), row.said)):
			t.Errorf("%s: %v", row.why, err)
		case err != nil && strings.Contains(err.Error(), token):
			t.Errorf("%s: it says the token: %v", row.why, err)
		case len(bodies) != len(row.answers):
			t.Errorf("%s: %d requests, want %d", row.why, len(bodies), len(row.answers))
		}
		for _, body := range bodies {
			var sent map[string]map[string]any
			if err := json.Unmarshal([]byte(body), &sent); err != nil || len(sent) != 2 || len(sent["metadata"]) != 1 ||
				sent["metadata"]["resourceVersion"] != "17" || len(sent["status"]) != 1 {
				t.Errorf("%s: sent %s", row.why, body)
			}
		}
		if err := writer.Patch(context.Background(), "t", "a", "", map[string]any{"short": 1}); err == nil ||
			len(bodies) != len(row.answers) {
			t.Errorf("%s: without a version it was sent", row.why)
		}
	}
}
