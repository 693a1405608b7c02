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
	for _, server := range []string{"http://api.example.test", "https://api.example.test"} {
		cfg := &rest.Config{Host: server, Proxy: http.ProxyURL(address)}
		_, err := Hosts(t.Context(), cfg, Options{Now: time.Unix(1700000000, 0)})
		assert.ErrorContains(t, err, "not you: Basic *** ", server)
		basic := base64.StdEncoding.EncodeToString([]byte(user + ":" + password))
		for _, secret := range []string{password, basic, url.QueryEscape(password)} {
			assert.Truef(t, !strings.Contains(err.Error(), secret), "%s: found %v", server, err)
		}
	}
}
