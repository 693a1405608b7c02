package engine

import (
	"bytes"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"
)

// Faulty is a proxy in front of an API server that, while it is switched on, answers a share of the
// requests with 429 Too Many Requests and 500 Internal Server Error, in turn.
type Faulty struct {
	server *httptest.Server
	ca     []byte
	every  atomic.Int64
	count  atomic.Int64
	// Refused counts the requests that were answered so.
	Refused atomic.Int64
}

// StartFaulty starts a proxy that passes everything on until Fail is called.
func StartFaulty(t testing.TB, api *APIServer) *Faulty {
	t.Helper()
	target, err := url.Parse(api.URL)
	require.NoError(t, err)
	transport, err := rest.TransportFor(rest.AnonymousClientConfig(api.config))
	require.NoError(t, err)
	proxy := &httputil.ReverseProxy{
		Rewrite:       func(r *httputil.ProxyRequest) { r.SetURL(target) },
		Transport:     transport,
		FlushInterval: -1,
		ErrorLog:      log.New(io.Discard, "", 0),
	}
	f := &Faulty{}
	f.server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if f.fault(w) {
			return
		}
		// The API server denies some requests before it has read their bodies. A body that is here already is in
		// nobody's way then.
		body, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		proxy.ServeHTTP(w, r)
	}))
	f.server.EnableHTTP2 = true
	f.server.Config.ErrorLog = log.New(io.Discard, "", 0)
	f.server.StartTLS()
	f.ca = pemOf(f.server.Certificate())
	t.Cleanup(func() {
		f.server.CloseClientConnections()
		f.server.Close()
	})
	return f
}

// Fail answers every n-th request with an error; 1 means all, 0 none.
func (f *Faulty) Fail(n int) { f.every.Store(int64(n)) }

func (f *Faulty) fault(w http.ResponseWriter) bool {
	every := f.every.Load()
	if every == 0 || f.count.Add(1)%every != 0 {
		return false
	}
	code, reason := http.StatusTooManyRequests, "TooManyRequests"
	if f.Refused.Add(1)%2 == 0 {
		code, reason = http.StatusInternalServerError, "InternalError"
	} else {
		w.Header().Set("Retry-After", "1")
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	fmt.Fprintf(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":%q,"code":%d,"message":"a fault made by the test"}`, reason, code)
	return true
}

// Config turns a configuration for the API server into one that goes through the proxy.
func (f *Faulty) Config(config *rest.Config) *rest.Config {
	config = rest.CopyConfig(config)
	config.Host = f.server.URL
	config.CAData = f.ca
	return config
}
