package forge

import (
	"context"
	"encoding/pem"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/publish"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The certificates and the proxy that git has are the API's too.
func TestCertificatesAndProxyOfGit(t *testing.T) {
	onEach(t, func(t *testing.T, f *fake) {
		f.server = httptest.NewUnstartedServer(http.HandlerFunc(f.serve)) // with a certificate that no system trusts
		f.server.Config.ErrorLog = log.New(io.Discard, "", 0)
		f.server.StartTLS()
		defer f.server.Close()
		file := filepath.Join(t.TempDir(), "ca.pem")
		need.Write(t, file, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE",
			Bytes: f.server.Certificate().Raw})))
		client := func(auth publish.Auth) *Client {
			wire := need.Value(auth.HTTPClient())(t)
			return &Client{HTTP: wire, Token: fakeToken, TokenName: "SIPGEN_FORGE_TOKEN"}
		}
		started := time.Now()
		err := refuse(t, f, *client(publish.Auth{}))
		assert.Truef(t, errors.Is(err, ErrCertificate) && time.Since(started) <= time.Minute, "after %s found %v",
			time.Since(started), err)
		assert.Len(t, f.seen, 0, "the token was sent to a server that is not trusted")
		opened, err := client(publish.Auth{CAFile: file}).Open(t.Context(), f.repository(), request(nil))
		require.Truef(t, err == nil && opened.Outcome == Created, "found %+v, %v", opened, err)

		var through atomic.Int32
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodConnect && r.Header.Get("Authorization") == "" {
				through.Add(1)
			}
			cancel() // a proxy that refuses is asked again
			http.Error(w, "no way", http.StatusForbidden)
		}))
		defer proxy.Close()
		opened, err = client(publish.Auth{CAFile: file, Proxy: proxy.URL}).Open(ctx, f.repository(), request(nil))
		require.Truef(t, err != nil, "found %+v, want an error", opened)
		assert.Truef(t, through.Load() != 0, "the proxy was not asked")
	})
}

func TestAPIBase(t *testing.T) {
	for _, row := range []struct {
		repository Repository
		want       string
	}{
		{Repository{Kind: GitHub, Web: "https://github.com"}, "https://api.github.com/"},
		{Repository{Kind: GitHub, Web: "https://acme.ghe.com"}, "https://api.acme.ghe.com/"},
		{Repository{Kind: GitHub, Web: "https://git.example.org:8443"}, "https://git.example.org:8443/api/v3/"},
		{Repository{Kind: GitLab, Web: "https://git.example.org/gitlab"}, "https://git.example.org/gitlab/api/v4/"},
		{Repository{Kind: Gitea, Web: "https://git.example.org/git"}, "https://git.example.org/git"},
	} {
		base, err := row.repository.apiBase()
		assert.Truef(t, err == nil && base.String() == row.want, "%+v: found %v, %v", row.repository, base, err)
	}
}
