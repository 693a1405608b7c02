package services

import (
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// TestRequestsOfStrangers: a request of anybody is an object in the management cluster. Each says that it expires,
// after ten minutes or five; Dex deletes expired ones every five minutes.
func TestRequestsOfStrangers(t *testing.T) {
	const requests = 20
	management := server(t)
	d := newDexServer(t)
	in := offlineInput(t, d)
	in.Cluster.Namespace = "strangers"
	files := overlay(t, in)
	d.run(t, files[dexName+"/config.yaml"], inCluster(t, management, in, files), "UPSTREAM_SECRET=x")

	began := time.Now()
	client := d.client(t)
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	for range requests {
		response, err := client.Get(d.issuer + "/auth/staff?" + loginQuery("kubernetes", "http://localhost:8000"))
		require.NoError(t, err)
		response.Body.Close()
		assert.Equal(t, http.StatusFound, response.StatusCode, "a login")
		device := url.Values{"client_id": {"kubernetes"}, "scope": {"openid"}}
		response, err = client.PostForm(d.issuer+"/device/code", device)
		require.NoError(t, err)
		response.Body.Close()
		assert.Equal(t, http.StatusOK, response.StatusCode, "a device")
	}
	ended := time.Now()
	for resource, lifetime := range map[string]time.Duration{
		"authrequests": 10 * time.Minute, "devicerequests": 5 * time.Minute, "devicetokens": 5 * time.Minute,
	} {
		made := management.List(t, schema.GroupVersionResource{Group: "dex.coreos.com", Version: "v1",
			Resource: resource},
			in.Cluster.Namespace)
		assert.Equal(t, requests, len(made), resource)
		for _, o := range made {
			text, _, err := unstructured.NestedString(o.Object, "expiry")
			require.NoError(t, err)
			expiry, err := time.Parse(time.RFC3339, text)
			assert.Truef(t, err == nil && !expiry.Before(began.Add(lifetime).Truncate(time.Second)) &&
				!expiry.After(ended.Add(lifetime)), "%s: expires at %s (%v), want %s after %s", resource, text, err,
				lifetime, began)
		}
	}
}
