package live

import (
	"context"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/inventory/inventorytest"
)

var sipClusters = schema.GroupVersionResource{Group: "airship.airshipit.org", Version: "v1", Resource: "sipclusters"}

// TestFinalized: which SIPClusters have the finalizer, where in the list, and who is waited for. Nothing but metadata is asked for.
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
	want := []inventory.Finalized{{Namespace: "a", Name: "lma", Deleting: true}, {Namespace: "b", Name: "lma", Index: 1}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
	code := http.StatusNotFound
	api.fault = func(w http.ResponseWriter, r *http.Request, _ int) bool {
		need.Equal(t, "asked for", r.Header.Get("Accept"), onlyMetadata)
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
		need.Equal(t, "asked for", r.Header.Get("Accept"), onlyItsMetadata)
		return strings.Contains(r.URL.Path, "/namespaces/closed/") && refuse(w, http.StatusForbidden, "Forbidden", "no")
	}
	got, err := SecretsSeen(context.Background(), cfg, []inventory.SecretSeen{{Namespace: "a", Name: "keys"}, {Namespace: "a", Name: "none"}, {Namespace: "closed", Name: "keys"}})
	want := []inventory.SecretSeen{{Namespace: "a", Name: "keys"}, {Namespace: "a", Name: "none", Missing: true}, {Namespace: "closed", Name: "keys", Unread: "the account may not look"}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
	api.fault = func(w http.ResponseWriter, _ *http.Request, _ int) bool {
		return refuse(w, http.StatusUnauthorized, "Unauthorized", "no")
	}
	if got, err := SecretsSeen(context.Background(), cfg, want[:1]); got != nil || err == nil || !strings.Contains(err.Error(), "a/keys") {
		t.Errorf("not logged in: got %v, %v", got, err)
	}
}
