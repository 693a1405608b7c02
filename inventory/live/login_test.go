package live

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/inventory"
	"github.com/stretchr/testify/assert"
	"k8s.io/client-go/rest"
)

// A proxy may repeat in its answer what it was told, as the API server may.
func TestProxyLoginIsMasked(t *testing.T) {
	const user, password = "squid", "pr0xy-s3cret/x"
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := r.Header.Get("Proxy-Authorization")
		plain, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(header, "Basic "))
		said := fmt.Sprintf("not you: %s %s", header, plain)
		if r.Method != http.MethodConnect {
			http.Error(w, said, http.StatusForbidden)
			return
		}
		connection, _, err := http.NewResponseController(w).Hijack()
		if err == nil {
			_, _ = fmt.Fprintf(connection, "HTTP/1.1 403 %s\r\n\r\n", said)
			_ = connection.Close()
		}
	}))
	t.Cleanup(proxy.Close)
	address := need.Value(url.Parse(proxy.URL))(t)
	address.User = url.UserPassword(user, password)
	basic := base64.StdEncoding.EncodeToString([]byte(user + ":" + password))
	for _, server := range []string{"http://api.example.test", "https://api.example.test"} {
		cfg := &rest.Config{Host: server, Proxy: http.ProxyURL(address)}
		for what, err := range refusals(t, cfg) {
			if what == "Hosts" || strings.HasPrefix(server, "https:") { // without TLS the rest has its own words for 403
				assert.ErrorContains(t, err, "not you: Basic *** ", what+" "+server)
			}
			for _, secret := range []string{password, basic, url.QueryEscape(password)} {
				assert.NotContains(t, fmt.Sprint(err), secret, what+" "+server)
			}
		}
	}
}

// refusals returns the errors of all that speaks to an API server.
func refusals(t *testing.T, cfg *rest.Config) map[string]error {
	t.Helper()
	ctx, out := t.Context(), map[string]error{}
	_, out["Hosts"] = Hosts(ctx, cfg, Options{Now: time.Unix(1700000000, 0)})
	_, out["Documents"] = Documents(ctx, cfg, sipClusters, "SIPCluster")
	_, out["Finalized"] = Finalized(ctx, cfg, sipClusters, "sip")
	_, out["SecretsSeen"] = SecretsSeen(ctx, cfg, []inventory.SecretSeen{{Namespace: "a", Name: "keys"}})
	_, out["Groups"] = Groups(ctx, cfg)
	_, out["ServiceObjects"] = ServiceObjects(ctx, cfg)
	writer := need.Value(NewStatusWriter(cfg, sipClusters))(t)
	_, out["Get"] = writer.Get(ctx, "a", "b")
	out["Patch"] = writer.Patch(ctx, "a", "b", "1", nil)
	return out
}
